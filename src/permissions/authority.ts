// Decides what a caller may do, by role, scope and permissions: the check of every root field and of what it selects.

import { Problem } from '../problem.ts';
import {
  familyPermissions,
  getScope,
  grantablePermissions,
  isAtLeast,
  nameRoleType,
  type PermissionName,
  permissionNames,
  permissions,
  type RoleType,
  type TokenScope,
  tokenScopes,
  usualCustomPermissions,
} from './permissions.ts';

/** The facts about a caller that decide. */
export interface Authority {
  roleType: RoleType;
  scope: TokenScope;
  /** The permissions that a custom role names, or an app. */
  permissions: readonly string[] | null;
  /** An app has the permissions that it names, and no profile, tokens or membership to change. */
  isApp?: boolean | undefined;
}

/** Whether a token of scope `held` reaches as far as one of scope `needed`. */
export const isScopeAtLeast = (held: TokenScope, needed: TokenScope): boolean =>
  tokenScopes.indexOf(held) >= tokenScopes.indexOf(needed);

/** The type of role as which a token acts: without the scope `admin` at most as a manager. */
export const limitRole = (type: RoleType, scope: TokenScope): RoleType =>
  scope !== 'admin' && isAtLeast(type, 'manager') ? 'manager' : type;

const hasRole = ({ roleType, permissions: named, isApp }: Authority, name: PermissionName): boolean => {
  const { own, guarded, role, writes } = permissions[name];
  if (own) return !(isApp && writes);
  if (roleType !== 'custom') return isAtLeast(roleType, role);
  return !guarded && (named ?? usualCustomPermissions).includes(name);
};

/** The rights that two users have each alone: somebody who acts for both has no right that one of them lacks. */
export const intersectAuthorities = (one: Authority, other: Authority): Authority => {
  const scope = isScopeAtLeast(one.scope, other.scope) ? other.scope : one.scope;
  if (one.roleType !== 'custom' && other.roleType !== 'custom')
    return {
      scope,
      roleType: isAtLeast(one.roleType, other.roleType) ? other.roleType : one.roleType,
      permissions: null,
    };
  const shared = grantablePermissions.filter((name) => hasRole(one, name) && hasRole(other, name));
  return { scope, roleType: 'custom', permissions: shared };
};

export const isPermitted = (authority: Authority, name: PermissionName): boolean =>
  isScopeAtLeast(authority.scope, getScope(name)) && hasRole(authority, name);

/** Whether one authority permits everything that another does. */
export const reachesAsFar = (held: Authority, other: Authority): boolean =>
  isAtLeast(held.roleType, other.roleType) &&
  isScopeAtLeast(held.scope, other.scope) &&
  permissionNames.every((name) => isPermitted(held, name) || !isPermitted(other, name));

/** The families of records that a caller may not read. */
export const listUnreadableFamilies = (authority: Authority): string[] =>
  Object.entries(familyPermissions).flatMap(([family, permission]) =>
    permission && !isPermitted(authority, permission) ? [family] : [],
  );

/** A 403 for a token whose scope does not reach as far as `needed` (RFC 6750 §3.1). */
export const createScopeProblem = (detail: string, needed: TokenScope): Problem =>
  new Problem('forbidden', detail, {
    headers: { 'WWW-Authenticate': `Bearer realm="muster", error="insufficient_scope", scope="${needed}"` },
  });

/** Throws 403 when the caller lacks a permission; `what` they asked for is named. */
export const requirePermission = (authority: Authority, name: PermissionName, what: string): void => {
  if (isPermitted(authority, name)) return;
  const { role, own } = permissions[name];
  if (authority.isApp && own) throw new Problem('forbidden', `${what} is for users: the caller is an app`);
  const scope = getScope(name);
  if (!isScopeAtLeast(authority.scope, scope))
    throw createScopeProblem(
      `${what} needs an access token with the scope ${scope}; this one has the scope ${authority.scope}`,
      scope,
    );
  if (authority.roleType === 'custom')
    throw new Problem(
      'forbidden',
      `${what} needs the permission ${name}, which the ${authority.isApp ? 'app' : 'role of the caller'} does not have`,
    );
  const hint = role === 'manager' ? '. Clients that write contacts need the token of a manager' : '';
  throw new Problem(
    'forbidden',
    `${what} needs the role ${role}; the caller is ${nameRoleType(authority.roleType)}${hint}`,
  );
};
