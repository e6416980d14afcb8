// The statements of the gate and their answers. They resolve tokens, and belong to no space.
import type { RoleType, TokenScope } from '../permissions/permissions.ts';

/** The hash of a token, and the cost of the request. */
export interface GateRequest {
  hash: Buffer;
  cost: number;
}

/** The shape of a space's bucket (spec §8): how many points it holds, and how many flow in per second. */
export interface BucketShape {
  capacity: number;
  refill: number;
}

/** The gate's answer for a token: its caller, whether the bucket held enough, and what it holds now. */
export interface GateRow {
  tokenId: number;
  /** The number of a user, or of an app. */
  userId: number;
  groupId: number;
  /** Null for an app. */
  roleId: number | null;
  roleType: RoleType;
  permissions: string[] | null;
  scope: TokenScope;
  /** The part of the bucket that an app can use, in percent; null for a user. */
  share: number | null;
  /** The points that an app has left of it, below zero while it pays off a request; null for a user. */
  ownTokens: number | null;
  admitted: boolean;
  tokens: number;
  /** The position in the primary's log of the token's last write; 0 without one, or without a replica. */
  wroteAt: number;
}

/** A person whom an identity provider vouches for, and the space that they name. */
export interface SessionRequest {
  issuer: string;
  subject: string;
  /** Set when it may tell which user is meant. */
  mail: string | null;
  space: number | null;
  scope: TokenScope;
  issuedAt: Date;
  expiresAt: Date;
}

/** The spaces to choose from; with exactly one of them the hash of the session, which the gate resolves. */
export interface SessionRow {
  choices: number[];
  hash: Buffer | null;
}

/** The first sign-in of a person finds their account by mail. This call only stored the subject; the next one opens the session. */
export interface SubjectStored {
  choices: null;
}

/** Another process holds the bucket of this space, and nothing was taken. */
export interface BusyBucket {
  groupId: number;
  admitted: null;
}

const enterGateSql = (extra: string): string => `
  select cast(place as int) as place, token_id as "tokenId", user_id as "userId", group_id as "groupId", role_id as "roleId",
         role_type as "roleType", permissions, scope, share, own_tokens as "ownTokens", admitted, tokens,
         to_regclass('pg_catalog.pg_dist_partition') is not null as "onCluster", ${extra}
    from enter_gate($1, $2, $3, $4, $5)`;
export const enterGateOnPrimary = enterGateSql('0 as "wroteAt"');
export const enterGateWithReplica = enterGateSql(
  `coalesce(cast(wrote_at_lsn - '0/0' as bigint), 0) as "wroteAt", cast(pg_current_wal_lsn() - '0/0' as bigint) as position`,
);
export const openSessionSql = 'select choices, hash from open_session($1, $2, $3, $4, $5, $6, $7)';
/** The insert position: everything committed lies before it, flushed or not. */
export const markSql = 'update tokens set wrote_at_lsn = pg_current_wal_insert_lsn() where id = $1';
/** For a restore: positions are those of another server's log. Its replica might never reach them, and the token would never read there. */
export const forgetPositionsSql = 'update tokens set wrote_at_lsn = null where wrote_at_lsn is not null';

/** Rows that somebody else has locked are skipped: they are being used, too, or revoked. */
export const recordUsesSql = `
  update tokens t set last_used_at = now()
   where t.id in (select k.id from tokens k where k.id = any($1) order by k.id for no key update skip locked)`;
