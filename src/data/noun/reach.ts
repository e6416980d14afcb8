// Decides how far somebody reaches who changes members, roles or tokens of a space, at the moment of the change.

import { lockSpace, onNode } from '../../database/lock-on-node.ts';
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { isAtLeast, type RoleType } from '../../permissions/permissions.ts';
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
    throw new Problem('forbidden', `${/^[aeiou]/.test(actor) ? 'An' : 'A'} ${actor} may not ${deed} a ${type}`);
};
