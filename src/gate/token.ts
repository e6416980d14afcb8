// The form of an access token: how one is made, recognised and digested. Only the digest is ever stored.
import { hash, randomBytes } from 'node:crypto';
import { storeToken } from '../database/access-token.ts';
import type { Database } from '../database/database.ts';

const form = /^mst_[A-Za-z0-9_-]{49}$/;
const checksum = (body: string): string => hash('sha256', body, 'base64url').slice(0, 6);

/** 256 random bits, and a checksum by which scanners of leaked secrets (and we) tell a token from a typo. */
export const newToken = (): string => {
  const body = randomBytes(32).toString('base64url');
  return `mst_${body}${checksum(body)}`;
};

/** What is stored of a token. A plain hash is enough for 256 random bits. */
export const digest = (token: string): Buffer => hash('sha256', token, 'buffer');

/** What may be shown of a token, to tell one from another. */
export const prefix = (token: string): string => token.slice(0, 12);

/** Whether a text can be a token at all, so that anything else never reaches the database. */
export const isToken = (text: string): boolean => form.test(text) && checksum(text.slice(4, -6)) === text.slice(-6);

/** Makes a token for a member and stores its digest. The token is returned this once, and cannot be had again. */
export const createToken = async (
  database: Database,
  groupId: number,
  userId: number,
  expiresAt: string | null = null,
): Promise<string> => {
  const token = newToken();
  const stored = await storeToken(database.knex, {
    groupId,
    userId,
    hash: digest(token),
    prefix: prefix(token),
    expiresAt,
  });
  if (stored === undefined) throw new Error(`User ${userId} is not a member of space ${groupId}`);
  return token;
};
