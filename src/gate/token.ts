// The form of an access token: how one is made, recognised and digested. Only the digest is ever stored.
import { hash, randomBytes } from 'node:crypto';
import { storeToken } from '../database/access-token.ts';
import type { Database } from '../database/database.ts';

const form = /^mst_[A-Za-z0-9_-]{49}$/;
const checksum = (body: string): string => hash('sha256', body, 'base64url').slice(0, 6);

/** 256 random bits, and a checksum by which scanners of leaked secrets (and we) tell a token from a typo. */
export const generateToken = (): string => {
  const body = randomBytes(32).toString('base64url');
  return `mst_${body}${checksum(body)}`;
};

/** What is stored of a token. A plain hash is enough for 256 random bits. */
export const digestToken = (token: string): Buffer => hash('sha256', token, 'buffer');

/** What may be shown of a token, to tell one from another. */
export const showTokenPrefix = (token: string): string => token.slice(0, 12);

/** Whether a text can be a token at all, so that anything else never reaches the database. */
export const isTokenForm = (text: string): boolean => form.test(text) && checksum(text.slice(4, -6)) === text.slice(-6);

/** Makes a token for a member and stores its digest. The token is returned this once, and cannot be had again. */
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
