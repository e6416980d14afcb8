// Access tokens: how they are made, recognised and digested. Only the digest is ever stored.
import { hash, randomBytes } from 'node:crypto';
import { storeToken } from '../database/access-token.ts';
import type { Database } from '../database/database.ts';

const form = /^mst_[A-Za-z0-9_-]{49}$/;
const checksum = (body: string): string => hash('sha256', body, 'base64url').slice(0, 6);

/** Makes a token of 256 random bits, with a checksum that lets scanners for leaked secrets (and us) tell a token from a typo. */
export const generateToken = (): string => {
  const body = randomBytes(32).toString('base64url');
  return `mst_${body}${checksum(body)}`;
};

/** The stored digest of a token. A plain hash is enough for 256 random bits. */
export const digestToken = (token: string): Buffer => hash('sha256', token, 'buffer');

/** The part of a token that may be shown, to tell tokens apart. */
export const showTokenPrefix = (token: string): string => token.slice(0, 12);

/** Whether a text has the form of a token. Other texts never reach the database. */
export const isTokenForm = (text: string): boolean => form.test(text) && checksum(text.slice(4, -6)) === text.slice(-6);

/** Makes a token for a member, stores its digest, and returns the token, which cannot be read again. */
export const createAccessToken = async (
  database: Database,
  groupId: number,
  userId: number,
  expiresAt: string | null = null,
): Promise<string> => {
  const token = generateToken();
  const stored = await storeToken(database.knex, {
    groupId,
    userId,
    hash: digestToken(token),
    prefix: showTokenPrefix(token),
    expiresAt,
  });
  if (stored === undefined) throw new Error(`User ${userId} is not a member of space ${groupId}`);
  return token;
};
