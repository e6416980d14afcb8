// Sends one message to a receiver over HTTP: no redirects, no proxies, one time limit for all of it, and a cut of the answer.
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { type AddressRules, createLookup, findUrlFault } from '../config/network-address.ts';
import { type Message, signMessage } from '../data/event/webhook.ts';
import { limits } from '../limits/limits.ts';

/** The result of an attempt. It has a status or an error. */
export interface Attempt {
  status: number | null;
  /** Why there is no whole head of an answer, in a few words. */
  error: string | null;
  /** The begin of the answer's body. */
  response: string | null;
  milliseconds: number;
  /** Seconds that the receiver asks to wait. */
  retryAfter: number | null;
}

export interface SenderOptions extends AddressRules {
  /** For connecting, sending, and reading the answer together. */
  timeoutMs: number;
}

/** Connections that wait for the next message to the same receiver. */
const agentOptions = { keepAlive: true, maxSockets: 64, maxFreeSockets: 16, timeout: 30_000 };

/** `Retry-After` as seconds; null when there is none that can be read. */
const readRetryAfter = ({ headers }: IncomingMessage): number | null => {
  const text = headers['retry-after'];
  if (text === undefined) return null;
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isFinite(seconds) && seconds > 0 ? seconds : null;
};

/** The reason in words that hold nothing of what was sent. */
const describeError = (error: unknown): string => {
  const { code, message } = error as { code?: string; message?: string };
  return (code ?? message ?? 'failed').slice(0, limits.value.lineCharacters);
};

/**
 * Reads the begin of an answer, as far as it comes: the status has told already what became of the message. Control characters, which the
 * database might not store, become spaces.
 */
const readBody = async (answer: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= limits.webhook.responseBytes) break;
    }
  } catch {}
  const text = Buffer.concat(chunks).subarray(0, limits.webhook.responseBytes).toString('utf8');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to replace
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, ' ').toWellFormed();
};

export class WebhookSender {
  readonly #options: SenderOptions;
  readonly #agents: { http: HttpAgent; https: HttpsAgent };

  constructor(options: SenderOptions) {
    this.#options = options;
    const lookup = createLookup(options) as never;
    this.#agents = {
      http: new HttpAgent({ ...agentOptions, lookup } as never),
      https: new HttpsAgent({ ...agentOptions, lookup } as never),
    };
  }

  /** Makes one attempt. It never throws: what goes wrong is in the result. */
  async send(url: string, message: Message, secrets: readonly string[]): Promise<Attempt> {
    const began = performance.now();
    const attempt: Attempt = { status: null, error: null, response: null, milliseconds: 0, retryAfter: null };
    const signal = AbortSignal.timeout(this.#options.timeoutMs);
    try {
      // The rules may have changed since the webhook was made.
      const fault = findUrlFault(url, this.#options);
      if (fault) throw new Error(`the URL ${fault}`);
      const answer = await this.#post(new URL(url), message, secrets, signal);
      attempt.status = answer.statusCode!;
      attempt.retryAfter = readRetryAfter(answer);
      attempt.response = await readBody(answer);
    } catch (error) {
      const seconds = this.#options.timeoutMs / 1000;
      attempt.error = signal.aborted ? `no whole answer within ${seconds} s` : describeError(error);
    }
    attempt.milliseconds = Math.round(performance.now() - began);
    return attempt;
  }

  close(): void {
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }

  /** Sends a message, once more when the receiver has closed a kept connection meanwhile: it has not read the message there. */
  #post(url: URL, message: Message, secrets: readonly string[], signal: AbortSignal): Promise<IncomingMessage> {
    const isEncrypted = url.protocol === 'https:';
    const body = Buffer.from(message.body);
    return new Promise((resolve, reject) => {
      const request = (isEncrypted ? requestHttps : requestHttp)(url, {
        method: 'POST',
        agent: isEncrypted ? this.#agents.https : this.#agents.http,
        signal,
        headers: {
          'Content-Type': 'application/json',
          'Content-Length': body.length,
          'User-Agent': 'Muster',
          ...signMessage(message, secrets, Math.floor(Date.now() / 1000)),
        },
      });
      let isAnswered = false;
      request.once('response', (answer) => {
        isAnswered = true;
        resolve(answer);
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        const isClosed = request.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(error.code ?? '');
        if (isClosed && !isAnswered && !signal.aborted) resolve(this.#post(url, message, secrets, signal));
        else reject(error);
      });
      // Node closes it without an error after an answer that would change the protocol, and then no time limit ends it.
      request.once('close', () => reject(new Error('closed without an answer')));
      request.end(body);
    });
  }
}
