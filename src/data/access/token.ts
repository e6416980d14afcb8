// Access tokens of the members and apps of a space, as its users see them: never a token itself, which only its creation shows.

import { buildLockOnNodeSql, onNode } from '../../database/lock-on-node.ts';
import { digestSecret, generateSecret, showSecretPrefix } from '../../database/secret.ts';
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { limits } from '../../limits/limits.ts';
import { createScopeProblem, isScopeAtLeast } from '../../permissions/authority.ts';
import { isAtLeast, type TokenScope } from '../../permissions/permissions.ts';
import { createInvalidProblem, Problem } from '../../problem.ts';
import { describeRecordColumns, type RowOf } from '../noun/noun.ts';
import { type Actor, lockReach, requireReach } from '../noun/reach.ts';

export const tokenColumns = describeRecordColumns({
  id: { kind: 'id' },
  user_id: { kind: 'id', nullable: true },
  app_id: { kind: 'id', nullable: true },
  label: { kind: 'text', nullable: true, description: 'What it is for.' },
  scope: { kind: 'code' },
  prefix: { kind: 'text', description: 'Its first characters, by which its owner recognises it.' },
  created_at: { kind: 'instant', description: 'When it was created.' },
  expires_at: { kind: 'instant', nullable: true, description: 'When it ends; null when it does not.' },
  revoked_at: { kind: 'instant', nullable: true, description: 'When it was revoked.' },
  last_used_at: { kind: 'instant', nullable: true, description: 'When it was last used, give or take a minute.' },
});
export type TokenRow = RowOf<typeof tokenColumns.columns> & { scope: TokenScope };

/** The token of a request and its user. */
interface TokenHolder extends Actor {
  userId: number;
  tokenId: number;
}

const columns = tokenColumns.qualify('t');
const isValid = 't.revoked_at is null and (t.expires_at is null or t.expires_at > now())';
/** Tokens of whoever `:userId` is, or of all. */
const from = `from tokens t left join users u on u.id = t.user_id
    where t.group_id = :group and u.deleted_at is null and (cast(:userId as bigint) is null or t.user_id = :userId or t.app_id = :userId)`;
/** The newest first: those that do not fit are the oldest. */
const list = defineStatement('token.list', `select ${columns} ${from} order by t.id desc limit ${limits.list.page}`);
const byIds = defineStatement('token.by_ids', `select ${columns} ${from} and t.id = any(:ids)`);
/** The row of the member is locked: of several requests at once, each counts the tokens of the one before. */
const lockOwner = defineStatement(
  'token.lock_owner',
  buildLockOnNodeSql('select user_id from members where group_id = :group and user_id = :userId for no key update'),
);
const readHolder = defineStatement(
  'token.read_holder',
  `select t.scope, t.expires_at,
          (select count(*) from tokens t where t.group_id = :group and t.user_id = :userId and ${isValid}) as valid
     from tokens t where t.group_id = :group and t.id = :tokenId and t.user_id = :userId and ${isValid} and ${onNode}`,
);
/** Compared in the database, since both instants have its precision. */
const create = defineStatement(
  'token.create',
  `insert into tokens as t (group_id, user_id, hash, prefix, label, scope, expires_at)
   select :group, h.user_id, :hash, :prefix, :label, :scope, coalesce(cast(:expiresAt as timestamptz), h.expires_at)
     from tokens h where h.group_id = :group and h.id = :tokenId
      and (h.expires_at is null or coalesce(cast(:expiresAt as timestamptz), h.expires_at) <= h.expires_at)
   returning ${columns}`,
);
const findOwner = defineStatement(
  'token.find_owner',
  `select t.user_id, t.app_id from tokens t where t.group_id = :group and t.id = :id and ${isValid}`,
);
const revoke = defineStatement(
  'token.revoke',
  `update tokens t set revoked_at = now() where t.group_id = :group and t.id = :id and ${isValid} returning ${columns}`,
);

/** The content of a new token. The label is optional. */
export interface TokenContent {
  userId: number;
  label?: string | null;
  scope?: TokenScope;
  expiresAt?: string | null;
}

const issue = defineStatement(
  'token.issue',
  `insert into tokens (group_id, user_id, hash, prefix, label, scope, expires_at)
   select m.group_id, m.user_id, :hash, :prefix, :label, :scope, cast(:expiresAt as timestamptz) from members m
     join users u on u.id = m.user_id and u.deleted_at is null
     join spaces s on s.id = m.group_id and s.deleted_at is null
    where m.group_id = :group and m.user_id = :userId returning id`,
);

/** Creates a token of a member for the operator, and yields it once; undefined when the user is not a member of the space. */
export const issueToken = async (
  space: Space,
  { userId, label = null, scope = 'admin', expiresAt = null }: TokenContent,
): Promise<{ id: number; token: string } | undefined> => {
  const token = generateSecret('token');
  const stored = { hash: digestSecret(token), prefix: showSecretPrefix(token) };
  const issued = await space.row<{ id: number }>(issue, { userId, label, scope, expiresAt, ...stored });
  return issued && { id: issued.id, token };
};

const revokeIssued = defineStatement(
  'token.revoke_issued',
  'update tokens set revoked_at = now() where group_id = :group and id = :id and revoked_at is null returning id',
);

/** Revokes any token of the space for the operator, from now on; false when there is none, or when it was revoked. */
export const revokeIssuedToken = async (space: Space, id: number): Promise<boolean> =>
  (await space.row(revokeIssued, { id })) !== undefined;

/** Tokens of the space, the newest first: those of one user or app, or all. */
export const listTokensOfSpace = (space: Space, userId: number | null): Promise<TokenRow[]> =>
  space.rows(list, { userId });

/** The tokens with these ids: those of one user or app, or any of the space. */
export const readTokensByIds = (space: Space, ids: readonly number[], userId: number | null): Promise<TokenRow[]> =>
  space.rows(byIds, { ids, userId });

/**
 * Creates a token of the caller that acts in this space, and yields it once. It reaches no further than the calling token, neither in scope
 * nor in time; without an expiry it ends when that one does. Throws 403 for one that would, 409 for a user with too many valid tokens.
 */
export const createToken = (
  space: Space,
  { label, scope, expiresAt }: { label: string; scope: TokenScope; expiresAt: string | null },
  { userId, tokenId }: TokenHolder,
): Promise<{ token: string; row: TokenRow }> =>
  space.transaction(async (tx) => {
    if (expiresAt !== null && Date.parse(expiresAt) <= Date.now())
      throw createInvalidProblem([{ location: 'input.expiresAt', message: 'is in the past', value: expiresAt }]);
    await tx.rows(lockOwner, { userId });
    const holder = await tx.row<{ scope: TokenScope; expires_at: string | null; valid: number }>(readHolder, {
      userId,
      tokenId,
    });
    if (!holder) throw new Problem('forbidden', 'The calling token is no longer valid in this space');
    if (!isScopeAtLeast(holder.scope, scope))
      throw createScopeProblem(`A token of the scope ${holder.scope} may not create one of the scope ${scope}`, scope);
    const { tokensOfUser: most } = limits.value;
    if (holder.valid >= most)
      throw new Problem('conflict', `You have ${most} valid access tokens in this space: revoke one of them first`);
    const token = generateSecret('token');
    const stored = { hash: digestSecret(token), prefix: showSecretPrefix(token) };
    const row = await tx.row<TokenRow>(create, { tokenId, label, scope, expiresAt, ...stored });
    if (!row)
      throw new Problem(
        'forbidden',
        `The calling token ends at ${holder.expires_at}: it may create none that ends later`,
      );
    return { token, row };
  });

/**
 * Revokes a valid token from now on: one's own, or, as an admin, that of an app, or of a user whose role reaches no further. Throws 404 for a token that is
 * not valid, or not one's own.
 */
export const revokeTokenOfSpace = (space: Space, id: number, actor: TokenHolder): Promise<TokenRow> =>
  space.transaction(async (tx) => {
    const owner = await tx.row<Pick<TokenRow, 'user_id' | 'app_id'>>(findOwner, { id });
    const own = owner?.user_id === actor.userId;
    const missing = new Problem('not-found', `There is no valid access token ${id}`);
    if (!owner || (!own && !isAtLeast(actor.roleType, 'admin'))) throw missing;
    if (!own) {
      const reach = await lockReach(tx, actor, owner.user_id);
      if (!isAtLeast(reach.actor, 'admin')) throw missing;
      requireReach(reach.actor, reach.target ?? 'user', 'revoke the token of');
    }
    const row = await tx.row<TokenRow>(revoke, { id });
    if (!row) throw missing;
    return row;
  });
