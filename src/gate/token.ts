// Makes access tokens for the command line and for tests.
import { issueToken, type TokenContent } from '../data/access/token.ts';
import type { Database } from '../database/database.ts';

/** Makes a token for a member, stores its digest, and returns the token, which cannot be read again. */
export const createAccessToken = async (
  database: Database,
  groupId: number,
  userId: number,
  expiresAt: string | null = null,
  { label = null, scope = 'admin' }: Pick<TokenContent, 'label' | 'scope'> = {},
): Promise<string> => {
  const issued = await issueToken(database.space(groupId), { userId, label, scope, expiresAt });
  if (!issued) throw new Error(`User ${userId} is not a member of space ${groupId}`);
  return issued.token;
};
