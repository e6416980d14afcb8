// Stored access tokens of all spaces, for the operator: their user or app, their space, their expiry. Only the digest of a token is stored.
import type { Pool } from './pool.ts';

/** Whether a token works, and otherwise the first reason why not. */
export type TokenState = 'valid' | 'revoked' | 'expired' | 'space deleted' | 'user deleted';

export interface TokenRow {
  id: number;
  label: string | null;
  scope: string;
  groupId: number;
  /** Null for a token of an app. */
  userId: number | null;
  mail: string | null;
  /** Null for a token of a user. */
  appId: number | null;
  app: string | null;
  prefix: string;
  state: TokenState;
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  lastUsedAt: string | null;
}

/** All tokens of one space, or of every space, the newest last. */
export const listTokens = async (pool: Pool, groupId?: number): Promise<TokenRow[]> => {
  const sql = `select t.id, t.label, t.scope, t.group_id as "groupId", t.user_id as "userId", u.mail, t.app_id as "appId", a.name as app, t.prefix,
      case when t.revoked_at is not null then 'revoked' when t.expires_at <= now() then 'expired'
           when s.deleted_at is not null then 'space deleted' when u.deleted_at is not null then 'user deleted' else 'valid' end as state,
      t.created_at as "createdAt", t.expires_at as "expiresAt", t.revoked_at as "revokedAt", t.last_used_at as "lastUsedAt"
    from tokens t join spaces s on s.id = t.group_id
    left join users u on u.id = t.user_id left join apps a on a.group_id = t.group_id and a.id = t.app_id
   where cast(:groupId as bigint) is null or t.group_id = :groupId order by t.id`;
  return pool.run<TokenRow>(sql, { groupId: groupId ?? null });
};

/** The space of a token that was not revoked. */
export const findSpaceOfToken = async (pool: Pool, id: number): Promise<number | undefined> => {
  const sql = 'select group_id as space from tokens where id = :id and revoked_at is null';
  return (await pool.run<{ space: number }>(sql, { id }))[0]?.space;
};

/** Whether a digest belongs to a valid token. */
export const isValidToken = async (pool: Pool, hash: Buffer): Promise<boolean> => {
  const sql =
    'select id from tokens where hash = :hash and revoked_at is null and (expires_at is null or expires_at > now())';
  return (await pool.run(sql, { hash })).length > 0;
};
