// Apps of a space: programs that call with permissions, tokens and a share of the bucket of their own.
import { isDeepStrictEqual } from 'node:util';
import { digestSecret, generateSecret, showSecretPrefix } from '../../database/secret.ts';
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { limits } from '../../limits/limits.ts';
import { type Authority, createScopeProblem, isPermitted, isScopeAtLeast } from '../../permissions/authority.ts';
import { isAtLeast, type PermissionName, type RoleType, type TokenScope } from '../../permissions/permissions.ts';
import { createInvalidProblem, Problem } from '../../problem.ts';
import { defineReadByIds } from '../noun/crud.ts';
import { describeRecordColumns, type RowOf } from '../noun/noun.ts';
import { type Actor, lockReach, operator } from '../noun/reach.ts';
import { requireFound } from '../noun/references.ts';
import { checkPermissionNames, sortPermissions } from './role.ts';
import { type TokenRow, tokenColumns } from './token.ts';

export const appColumns = describeRecordColumns({
  id: { kind: 'id' },
  name: { kind: 'text', description: 'Its name, which no other app of the space has.' },
  permissions: { kind: 'texts', description: 'The groups of operations that it may use.' },
  scope: { kind: 'code' },
  share: { kind: 'whole', description: 'The part of the bucket of the space that it can use, in percent.' },
  created_at: { kind: 'instant', description: 'When it was created.' },
  updated_at: { kind: 'instant', description: 'When it was last changed.' },
});
export type AppRow = RowOf<typeof appColumns.columns> & { scope: TokenScope };

export interface AppContent {
  name: string;
  permissions: readonly string[];
  scope: TokenScope;
  /** In percent. */
  share: number;
}

/** The share of a new app, in percent, unless its creator says otherwise. */
export const usualShare = 50;

/** A new token of an app. */
interface AppToken {
  label?: string | null | undefined;
  expiresAt?: string | null | undefined;
}

/** An admin with their rights, or the operator, manages apps. */
type Manager = Actor & Authority;
export const managingOperator: Manager = { ...operator, scope: 'admin', permissions: null };

const columns = appColumns.qualify('a');
const list = defineStatement(
  'app.list',
  `select ${columns} from apps a where a.group_id = :group and a.deleted_at is null order by a.id`,
);
export const readAppsByIds = defineReadByIds<AppRow>(
  'app.by_ids',
  `select ${columns} from apps a where a.group_id = :group and a.id = any(:ids) and a.deleted_at is null`,
);
/** The names of apps, also of those that are deleted. */
export const readAppNames = defineReadByIds<{ id: number; name: string }>(
  'app.names',
  'select id, name from apps where group_id = :group and id = any(:ids)',
);
/** SQL of the same name of one. */
export const buildAppNameSql = (id: string): string => `select name from apps where group_id = :group and id = ${id}`;
/** After the lock of the space, behind which apps are changed one after the other. */
const find = defineStatement(
  'app.find',
  `select ${columns} from apps a where a.group_id = :group and a.id = :id and a.deleted_at is null`,
);
const count = defineStatement(
  'app.count',
  `select count(*) as count, coalesce(bool_or(lower(a.name) = lower(:name) and a.id is distinct from cast(:id as bigint)), false) as is_taken
     from apps a where a.group_id = :group and a.deleted_at is null`,
);
const create = defineStatement(
  'app.create',
  `insert into apps as a (group_id, name, permissions, scope, share)
   values (:group, :name, cast(:permissions as text[]), :scope, cast(:share as smallint)) returning ${columns}`,
);
const update = defineStatement(
  'app.update',
  `update apps a set name = :name, permissions = cast(:permissions as text[]), scope = :scope, share = cast(:share as smallint), updated_at = now()
    where a.group_id = :group and a.id = :id returning ${columns}`,
);
const setScope = defineStatement(
  'app.set_scope',
  'update tokens set scope = :scope where group_id = :group and app_id = :id and scope <> :scope',
);
const remove = defineStatement(
  'app.delete',
  'update apps set deleted_at = now(), updated_at = now() where group_id = :group and id = :id',
);
const revokeTokens = defineStatement(
  'app.revoke_tokens',
  'update tokens set revoked_at = now() where group_id = :group and app_id = :id and revoked_at is null',
);
const countTokens = defineStatement(
  'app.count_tokens',
  `select count(*) as count from tokens t
    where t.group_id = :group and t.app_id = :id and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())`,
);
const issue = defineStatement(
  'app.issue_token',
  `insert into tokens as t (group_id, app_id, hash, prefix, label, scope, expires_at)
   values (:group, :id, :hash, :prefix, cast(:label as text), :scope, cast(:expiresAt as timestamptz)) returning ${tokenColumns.qualify('t')}`,
);
/** The tokens of these apps, the newest first: those that do not fit are the oldest. */
export const readTokensOfApps = defineReadByIds<TokenRow & { app_id: number }>(
  'app.tokens',
  `select t.* from unnest(cast(:ids as bigint[])) a (id) cross join lateral (
     select ${tokenColumns.qualify('t')} from tokens t where t.group_id = :group and t.app_id = a.id
      order by t.id desc limit ${limits.value.tokensOfUser}) t`,
);

export const listApps = (space: Space): Promise<AppRow[]> => space.rows(list);

const requireAdmin = (actor: RoleType): void => {
  if (!isAtLeast(actor, 'admin')) throw new Problem('forbidden', `A ${actor} may not manage apps`);
};

/** Throws 400 for unknown permissions, 403 for those that the manager lacks, and for a scope beyond theirs. */
const checkRights = ({ permissions, scope }: Partial<AppContent>, manager: Manager): void => {
  if (permissions) {
    checkPermissionNames(permissions, 'an app');
    const lacking = permissions.filter((name) => !isPermitted(manager, name as PermissionName));
    if (lacking.length > 0)
      throw new Problem('forbidden', `You may not give what you do not have: ${lacking.join(', ')}`);
  }
  if (scope && !isScopeAtLeast(manager.scope, scope))
    throw createScopeProblem(`A token of the scope ${manager.scope} may not give an app the scope ${scope}`, scope);
};

/** Throws 409 for the name of another app. Resolves to how many apps there are. */
const checkName = async (tx: Space, name: string, id: number | null): Promise<number> => {
  const found = (await tx.row<{ count: number; is_taken: boolean }>(count, { name, id }))!;
  if (found.is_taken)
    throw new Problem('conflict', `There is an app with the name ${name}`, {
      errors: [{ location: 'input.name', message: 'is the name of another app', value: name }],
    });
  return found.count;
};

const issueToken = async (
  tx: Space,
  { id, scope }: AppRow,
  { label = null, expiresAt = null }: AppToken,
): Promise<{ token: string; row: TokenRow }> => {
  if (expiresAt !== null && Date.parse(expiresAt) <= Date.now())
    throw createInvalidProblem([{ location: 'input.expiresAt', message: 'is in the past', value: expiresAt }]);
  const token = generateSecret('token');
  const stored = { hash: digestSecret(token), prefix: showSecretPrefix(token) };
  return { token, row: (await tx.row<TokenRow>(issue, { id, scope, label, expiresAt, ...stored }))! };
};

/** The app, after the space is locked for changes of apps. Throws 403 for an actor who is no admin now, 404 for a missing app. */
const lockApp = async (tx: Space, id: number, manager: Manager): Promise<AppRow> => {
  requireAdmin((await lockReach(tx, manager)).actor);
  return requireFound('app', id, await tx.row<AppRow>(find, { id }));
};

/**
 * Creates an app with a token, which is shown only here. Throws 403 for rights that the manager lacks, 400 for unknown permissions, 409 for the
 * name of another app, and for a space with too many.
 */
export const createApp = (
  space: Space,
  content: AppContent & AppToken,
  manager: Manager,
): Promise<{ app: AppRow; token: string; row: TokenRow }> =>
  space.transaction(async (tx) => {
    requireAdmin((await lockReach(tx, manager)).actor);
    checkRights(content, manager);
    if ((await checkName(tx, content.name, null)) >= limits.value.appsOfSpace)
      throw new Problem('conflict', `The space has ${limits.value.appsOfSpace} apps: delete one of them first`);
    const app = (await tx.row<AppRow>(create, { ...content, permissions: sortPermissions(content.permissions) }))!;
    return { app, ...(await issueToken(tx, app, content)) };
  });

/** Changes the given fields; what is undefined or null stays. Its tokens follow at once. Throws as `createApp` does, and 404 for a missing app. */
export const updateApp = (
  space: Space,
  id: number,
  content: { [Field in keyof AppContent]?: AppContent[Field] | null | undefined },
  manager: Manager,
): Promise<AppRow> =>
  space.transaction(async (tx) => {
    const before = await lockApp(tx, id, manager);
    const permissions = content.permissions ?? undefined;
    checkRights({ ...(permissions && { permissions }), ...(content.scope && { scope: content.scope }) }, manager);
    const after: AppRow = {
      ...before,
      name: content.name ?? before.name,
      permissions: sortPermissions(permissions) ?? before.permissions,
      scope: content.scope ?? before.scope,
      share: content.share ?? before.share,
    };
    if (isDeepStrictEqual(after, before)) return before;
    await checkName(tx, after.name, id);
    await tx.rows(setScope, { id, scope: after.scope });
    return (await tx.row<AppRow>(update, { ...after }))!;
  });

/** Deletes an app and revokes its tokens; what it wrote stays, and says its name. Throws 404 for a missing app. */
export const deleteApp = (space: Space, id: number, manager: Manager): Promise<number> =>
  space.transaction(async (tx) => {
    await lockApp(tx, id, manager);
    await tx.rows(remove, { id });
    await tx.rows(revokeTokens, { id });
    return id;
  });

/** Creates another token of an app, and yields it once. Throws 404 for a missing app, 409 for one with too many valid tokens. */
export const createAppToken = (
  space: Space,
  id: number,
  content: AppToken,
  manager: Manager,
): Promise<{ token: string; row: TokenRow }> =>
  space.transaction(async (tx) => {
    const app = await lockApp(tx, id, manager);
    const { tokensOfUser: most } = limits.value;
    if ((await tx.row<{ count: number }>(countTokens, { id }))!.count >= most)
      throw new Problem('conflict', `The app has ${most} valid access tokens: revoke one of them first`);
    return issueToken(tx, app, content);
  });
