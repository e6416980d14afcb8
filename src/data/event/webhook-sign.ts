// Signs messages as Standard Webhooks asks: HMAC-SHA256 of id, time and body, under each secret that is valid.
import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';

/** Makes a secret: 256 random bits. */
export const generateWebhookSecret = (): string => `${prefix}${randomBytes(32).toString('base64')}`;

export interface Message {
  /** The same for every attempt, so that a receiver can tell a repetition. */
  id: string;
  body: string;
}

/** The headers of one attempt. `seconds` is its time. */
export const signMessage = (
  { id, body }: Message,
  secrets: readonly string[],
  seconds: number,
): Record<string, string> => ({
  'webhook-id': id,
  'webhook-timestamp': String(seconds),
  'webhook-signature': secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(prefix.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
    })
    .join(' '),
});
