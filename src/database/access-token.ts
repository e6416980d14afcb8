// Stored access tokens: their user, their space, their expiry. Only the digest of a token is stored.
import type { Knex } from 'knex';
import { convertToDatabaseProblem } from './driver-error.ts';
import { runStatement } from './run-statement.ts';

export interface TokenRow {
  id: number;
  groupId: number;
  userId: number;
  mail: string;
  prefix: string;
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  lastUsedAt: string | null;
}

/** Stores a token of a member; undefined when the user is not a member of the space. */
export const storeToken = async (
  knex: Knex,
  token: { groupId: number; userId: number; hash: Buffer; prefix: string; expiresAt: string | null },
): Promise<number | undefined> => {
  const sql = `insert into tokens (group_id, user_id, hash, prefix, expires_at)
    select m.group_id, m.user_id, :hash, :prefix, cast(:expiresAt as timestamptz) from members m
      join users u on u.id = m.user_id and u.deleted_at is null
      join spaces s on s.id = m.group_id and s.deleted_at is null
     where m.group_id = :groupId and m.user_id = :userId returning id`;
  try {
    return (await runStatement<{ id: number }>(knex, sql, { ...token }))[0]?.id;
  } catch (error) {
    throw convertToDatabaseProblem(error);
  }
};

/** All tokens of one space, or of every space, the newest last. */
export const listTokens = async (knex: Knex, groupId?: number): Promise<TokenRow[]> => {
  const sql = `select t.id, t.group_id as "groupId", t.user_id as "userId", u.mail, t.prefix, t.created_at as "createdAt",
      t.expires_at as "expiresAt", t.revoked_at as "revokedAt", t.last_used_at as "lastUsedAt"
    from tokens t join users u on u.id = t.user_id
   where cast(:groupId as bigint) is null or t.group_id = :groupId order by t.id`;
  return runStatement<TokenRow>(knex, sql, { groupId: groupId ?? null });
};

/** Revokes a token from now on; false when no such token is valid. */
export const revokeToken = async (knex: Knex, id: number): Promise<boolean> => {
  const sql = 'update tokens set revoked_at = now() where id = :id and revoked_at is null returning id';
  return (await runStatement(knex, sql, { id })).length > 0;
};

/** Whether a digest belongs to a valid token. */
export const isValidToken = async (knex: Knex, hash: Buffer): Promise<boolean> => {
  const sql =
    'select id from tokens where hash = :hash and revoked_at is null and (expires_at is null or expires_at > now())';
  return (await runStatement(knex, sql, { hash })).length > 0;
};
