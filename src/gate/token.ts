// Access tokens: how they are made, recognised and digested. Only the digest is ever stored.
import { issueToken, type TokenContent } from '../data/access/token.ts';
import type { Database } from '../database/database.ts';
import { digestSecret, generateSecret, isSecretForm } from '../database/secret.ts';

/** Makes a token. */
export const generateToken = (): string => generateSecret('token');

/** The stored digest of a token. */
export const digestToken = digestSecret;

/** Whether a text has the form of a token. Other texts never reach the database. */
export const isTokenForm = (text: string): boolean => isSecretForm('token', text);

/** Makes a token for a member, stores its digest, and returns the token, which cannot be read again. */
export const createAccessToken = async (
  database: Database,
  groupId: number,
  userId: number,
  expiresAt: string | null = null,
  { label = null, scope = 'admin' }: Pick<TokenContent, 'label' | 'scope'> = {},
): Promise<string> => {
  const token = await issueToken(database.space(groupId), { userId, label, scope, expiresAt });
  if (token === undefined) throw new Error(`User ${userId} is not a member of space ${groupId}`);
  return token;
};
