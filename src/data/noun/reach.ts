// Decides how far somebody reaches who changes members, roles or tokens of a space, at the moment of the change.

import { lockSpace, onNode } from '../../database/lock-on-node.ts';
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { type Authority, isPermitted, reachesAsFar } from '../../permissions/authority.ts';
import {
  beginWithRoleType,
  isAtLeast,
  nameRoleType,
  type PermissionName,
  type RoleType,
} from '../../permissions/permissions.ts';
import { Problem } from '../../problem.ts';

/** The author of a change: a user of the space with the role that the gate found, or the operator of the server, who has no account. */
export interface Actor {
  userId: number | null;
  roleType: RoleType;
}

/** The operator on the command line. */
export const operator: Actor = { userId: null, roleType: 'superadmin' };

/** A statement of its own after the lock, and on the same node, so that it sees what the one before has changed. */
const read = defineStatement(
  'reach.read',
  `select m.user_id, r.type from members m join users u on u.id = m.user_id and u.deleted_at is null
     join roles r on r.group_id = m.group_id and r.id = m.role_id
    where m.group_id = :group and (m.user_id = :id or m.user_id = :by or r.type = 'superadmin') and ${onNode}`,
);

interface Reach {
  /** The type of the actor's role now. */
  actor: RoleType;
  /** The type of the role of the user who is changed; undefined when they are no member. */
  target: RoleType | undefined;
  superadmins: number;
}

/**
 * Locks the space against other changes of its members and roles, and reads how far the actor and a user reach: two superadmins never demote each
 * other, and one always remains. Throws 403 for an actor who has left.
 */
export const lockReach = async (tx: Space, { userId, roleType }: Actor, id: number | null = null): Promise<Reach> => {
  await tx.rows(lockSpace);
  const rows = await tx.rows<{ user_id: number; type: RoleType }>(read, { id, by: userId });
  const typeOf = (user: number | null) => rows.find((row) => row.user_id === user)?.type;
  const now = userId === null ? roleType : typeOf(userId);
  if (!now) throw new Problem('forbidden', 'You are no longer a member of the space');
  // The scope of a token may let the actor reach less far than their role.
  return {
    actor: isAtLeast(now, roleType) ? roleType : now,
    target: typeOf(id),
    superadmins: rows.filter(({ type }) => type === 'superadmin').length,
  };
};

/** Throws 403 unless the actor reaches at least as far as a type of role. `deed` says what they want to do: `remove`. */
export const requireReach = (actor: RoleType, type: RoleType, deed: string): void => {
  if (!isAtLeast(actor, type))
    throw new Problem('forbidden', `${beginWithRoleType(actor)} may not ${deed} ${nameRoleType(type)}`);
};

/** The rights of a member or of an app, none in a deleted space; a token may have been less than these. */
const authoritySql = `select r.type as "roleType", r.permissions, 'admin' as scope, false as "isApp"
     from members m join users u on u.id = m.user_id and u.deleted_at is null
     join spaces s on s.id = m.group_id and s.deleted_at is null
     join roles r on r.group_id = m.group_id and r.id = m.role_id
    where m.group_id = :group and m.user_id = :id
   union all
   select 'custom', a.permissions, a.scope, true
     from apps a join spaces s on s.id = a.group_id and s.deleted_at is null
    where a.group_id = :group and a.id = :id and a.deleted_at is null`;
const readAuthority = defineStatement('reach.authority', authoritySql);
/** None for a revoked token. One that has moved to another space with its user is not revoked. */
const readAuthorityOfToken = defineStatement(
  'reach.authority_of_token',
  `select a.* from (${authoritySql}) a
    where not exists (select 1 from tokens t where t.group_id = :group and t.id = :token and t.revoked_at is not null)`,
);

/** Whether a user or an app, for whom a job acts, has a permission now. The operator, who has no account, has all. */
export const isStillPermitted = async (space: Space, id: number | null, name: PermissionName): Promise<boolean> => {
  if (id === null) return true;
  const authority = await space.row<Authority>(readAuthority, { id });
  return authority !== undefined && isPermitted(authority, name);
};

/** Whether a caller may now do all that they might when their request began. A token that has expired meanwhile does not count. */
export const stillReachesAsFar = async (
  space: Space,
  { userId, tokenId, ...then }: Authority & { userId: number; tokenId: number },
): Promise<boolean> => {
  const now = await space.row<Authority>(readAuthorityOfToken, { id: userId, token: tokenId });
  return now !== undefined && reachesAsFar(now, then);
};
