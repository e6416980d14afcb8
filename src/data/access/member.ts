// Members of a space: adds users, changes their roles, ends memberships. The account belongs to the person and stays.

import { buildLockOnNodeSql } from '../../database/lock-on-node.ts';
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { isAtLeast } from '../../permissions/permissions.ts';
import { createNotFoundProblem, Problem } from '../../problem.ts';
import { changeContacts } from '../contact/write.ts';
import { buildLockContactsSql } from '../noun/lock-contacts.ts';
import { type Actor, lockReach, requireReach } from '../noun/reach.ts';
import { type RoleRow, readRolesByIds } from './role.ts';
import { readUser, type UserRow } from './user.ts';

const add = defineStatement(
  'member.add',
  `insert into members (group_id, user_id, role_id)
   select :group, u.id, :roleId from users u where u.id = :id and u.deleted_at is null
   on conflict do nothing returning user_id`,
);
const changeRole = defineStatement(
  'member.change_role',
  `update members set role_id = :roleId where group_id = :group and user_id = :id and role_id <> :roleId`,
);
/** From here on no token, no invitation, no team, and no contact can add them. */
const lockMember = defineStatement(
  'member.lock',
  buildLockOnNodeSql('select user_id from members where group_id = :group and user_id = :id for update'),
);
/** Contacts that one statement unlinks. Users may link any number of contacts, and must stay removable. */
const unlinkBatch = 1000;
/**
 * Clients that send back a contact as they read it would be refused if it stayed linked to a user who is no member. Deleted ones are locked too: they
 * may be restored, or be of a merge that is undone.
 */
const linked = defineStatement(
  'member.linked_contacts',
  buildLockContactsSql('c.user_contact_id = :id', {
    select: 'c.id, c.deleted_at is not null as deleted',
    includeDeleted: true,
    limit: unlinkBatch,
  }),
);
/** These are not visible until they are restored. */
const unlinkDeleted = defineStatement(
  'member.unlink_deleted_contacts',
  'update contacts set user_contact_id = null where group_id = :group and id = any(:ids)',
);
/** Leaving changes the team. Teams are locked after their members and in the order of their ids, as joins do. */
const leaveTeams = defineStatement(
  'member.leave_teams',
  `with locked as (
     select t.id from teams t where t.group_id = :group and t.deleted_at is null
        and t.id in (select tu.team_id from team_users tu where tu.group_id = :group and tu.user_id = :id)
      order by t.id for no key update),
   removed as (delete from team_users tu where tu.group_id = :group and tu.user_id = :id and tu.team_id in (select id from locked) returning tu.team_id)
   update teams set version = version + 1, updated_at = now() where group_id = :group and id in (select team_id from removed)`,
);
/** Deletes the tokens that act here, too. */
const remove = defineStatement('member.remove', 'delete from members where group_id = :group and user_id = :id');

const refuseLastSuperadmin = (deed: string): Problem =>
  new Problem('conflict', `The last superadmin of a space cannot ${deed}`);

/** The role that somebody is to have. Throws 422 for one that is not in the space, 403 for one above the actor. */
const requireRole = async (tx: Space, roleId: number, actor: Actor['roleType']): Promise<RoleRow> => {
  const [role] = await readRolesByIds(tx, [roleId]);
  if (!role)
    throw new Problem('unprocessable', 'input.roleId is not a role of the space', {
      errors: [{ location: 'input.roleId', message: 'is not a role of the space', value: roleId }],
    });
  requireReach(actor, role.type, 'make somebody');
  return role;
};

/** Makes a user of the server a member of the space. Throws 404 for a missing user, 409 for a member, 422 for a role that is not in the space. */
export const addMember = (
  space: Space,
  { userId, roleId }: { userId: number; roleId: number },
  actor: Actor,
): Promise<UserRow> =>
  space.transaction(async (tx) => {
    const reach = await lockReach(tx, actor, userId);
    await requireRole(tx, roleId, reach.actor);
    if (reach.target) throw new Problem('conflict', `User ${userId} is already a member of the space`);
    if (!(await tx.row(add, { id: userId, roleId }))) throw createNotFoundProblem('user', userId);
    return (await readUser(tx, userId))!;
  });

/**
 * Gives a member another role. Throws 404 when they are no member, 422 for a role that is not in the space, 403 for a member or a role above
 * the actor, 409 for the last superadmin. Members may give themselves only a role that reaches less far than theirs.
 */
export const changeMemberRole = (
  space: Space,
  { userId, roleId }: { userId: number; roleId: number },
  actor: Actor,
): Promise<UserRow & { unchanged: boolean }> =>
  space.transaction(async (tx) => {
    const reach = await lockReach(tx, actor, userId);
    if (!isAtLeast(reach.actor, 'admin'))
      throw new Problem('forbidden', `A ${reach.actor} may not change the roles of members`);
    if (!reach.target) throw createNotFoundProblem('user', userId);
    requireReach(reach.actor, reach.target, 'change the role of');
    const role = await requireRole(tx, roleId, reach.actor);
    const before = (await readUser(tx, userId))!;
    if (before.role.id === roleId) return { ...before, unchanged: true };
    if (userId === actor.userId && isAtLeast(role.type, reach.target))
      throw new Problem('forbidden', 'You may give yourself only a role that reaches less far than yours');
    if (reach.target === 'superadmin' && role.type !== 'superadmin' && reach.superadmins === 1)
      throw refuseLastSuperadmin('get another role');
    await tx.rows(changeRole, { id: userId, roleId });
    return { ...(await readUser(tx, userId))!, unchanged: false };
  });

/** Removes a user from the space. Throws 404 when they are no member, 403 when the actor may not remove them, 409 for the last superadmin. */
export const removeMember = (space: Space, id: number, actor: Actor): Promise<number> => {
  const own = id === actor.userId;
  const requireAdmin = (type: Actor['roleType']): void => {
    if (!own && !isAtLeast(type, 'admin'))
      throw new Problem('forbidden', `A ${type} may only leave the space themselves`);
  };
  requireAdmin(actor.roleType);
  return space.transaction(async (tx) => {
    const reach = await lockReach(tx, actor, id);
    requireAdmin(reach.actor);
    if (!reach.target) throw createNotFoundProblem('user', id);
    if (!own) requireReach(reach.actor, reach.target, 'remove');
    if (reach.target === 'superadmin' && reach.superadmins === 1) throw refuseLastSuperadmin('leave it');
    // Contacts are locked before the member, as by their writers; those that are linked meanwhile are unlinked once nobody can link more.
    await unlinkContacts(tx, id, actor.userId);
    await tx.rows(lockMember, { id });
    await unlinkContacts(tx, id, actor.userId);
    await tx.rows(leaveTeams, { id });
    await tx.rows(remove, { id });
    return id;
  });
};

const unlinkContacts = async (tx: Space, id: number, by: number | null): Promise<void> => {
  const unlinked = { content: { columns: { user_contact_id: null } }, at: 'userId' };
  // Concurrent writers may leave less than a full batch: the loop ends when none is found.
  for (let found = 1; found > 0; ) {
    const contacts = await tx.rows<{ id: number; deleted: boolean }>(linked, { id });
    const changes = contacts.flatMap((contact) => (contact.deleted ? [] : [{ ...unlinked, id: contact.id }]));
    await changeContacts(tx, changes, by);
    const ids = contacts.flatMap((contact) => (contact.deleted ? [contact.id] : []));
    if (ids.length > 0) await tx.rows(unlinkDeleted, { ids });
    found = contacts.length;
  }
};
