// Secrets that Muster makes: 256 random bits behind a prefix that tells their kind, with a checksum. Only their digests are stored.
import { hash, randomBytes } from 'node:crypto';

/** The kinds of secrets, and the prefix of each: scanners for leaked secrets know them by it. */
export const secretPrefixes = { token: 'mst_', invitation: 'msi_' } as const;
export type SecretKind = keyof typeof secretPrefixes;

const form = /^[A-Za-z0-9_-]{49}$/;
const checksumLength = 6;
const computeChecksum = (body: string): string => hash('sha256', body, 'base64url').slice(0, checksumLength);

/** Makes a secret. The checksum tells it from a typo. */
export const generateSecret = (kind: SecretKind): string => {
  const body = randomBytes(32).toString('base64url');
  return `${secretPrefixes[kind]}${body}${computeChecksum(body)}`;
};

/** The stored digest of a secret. A plain hash is enough for 256 random bits. */
export const digestSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer');

/** The part of a secret that may be shown, to tell secrets apart. */
export const showSecretPrefix = (secret: string): string => secret.slice(0, 12);

/** Whether a text has the form of a secret of this kind. Other texts never reach the database. */
export const isSecretForm = (kind: SecretKind, text: string): boolean => {
  const prefix = secretPrefixes[kind];
  const rest = text.slice(prefix.length);
  return (
    text.startsWith(prefix) &&
    form.test(rest) &&
    computeChecksum(rest.slice(0, -checksumLength)) === rest.slice(-checksumLength)
  );
};
