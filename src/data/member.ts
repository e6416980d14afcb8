// Ends the membership of a user in a space. The account belongs to the person and stays.

import type { Space } from '../database/space.ts';
import { defineStatement } from '../database/statement.ts';
import { createNotFoundProblem, Problem } from '../problem.ts';
import { isAtLeast, type RoleType } from '../role-type.ts';
import { buildLockContactsSql } from './contact/lock.ts';
import { changeContacts } from './contact/write.ts';

/** Superadmins are locked together with the leaving user, in one order, so that two of them never remove each other. Writers of teams do not wait. */
const lockSuperadmins = defineStatement(
  'member.hold_reach',
  `select m.user_id, r.type from members m join users u on u.id = m.user_id and u.deleted_at is null
     join roles r on r.group_id = m.group_id and r.id = m.role_id
    where m.group_id = :group and (m.user_id = :id or r.type = 'superadmin') order by m.user_id for no key update of m`,
);
/** From here on no team can add them. */
const lockMember = defineStatement(
  'member.hold',
  'select user_id from members where group_id = :group and user_id = :id for update',
);
/** Contacts that one statement unlinks. Users may link any number of contacts, and must stay removable. */
const unlinkBatch = 1000;
/** Clients that send back a contact as they read it would be refused if it stayed linked to a user who is no member. */
const linked = defineStatement(
  'member.linked_contacts',
  buildLockContactsSql('c.user_contact_id = :id', { limit: unlinkBatch }),
);
/** These are not visible until they are restored. */
const unlinkDeleted = defineStatement(
  'member.unlink_deleted_contacts',
  'update contacts set user_contact_id = null where group_id = :group and user_contact_id = :id and deleted_at is not null',
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

/** Removes a user from the space. Throws 404 when they are no member, 403 when the caller may not remove them, 409 for the last superadmin. */
export const removeMember = (
  space: Space,
  id: number,
  caller: { userId: number; roleType: RoleType },
): Promise<number> => {
  const own = id === caller.userId;
  if (!own && !isAtLeast(caller.roleType, 'admin'))
    throw new Problem('forbidden', `A ${caller.roleType} may only leave the space themselves`);
  return space.transaction(async (tx) => {
    const locked = await tx.rows<{ user_id: number; type: RoleType }>(lockSuperadmins, { id });
    const leaving = locked.find(({ user_id }) => user_id === id);
    if (!leaving) throw createNotFoundProblem('user', id);
    if (!own && !isAtLeast(caller.roleType, leaving.type))
      throw new Problem('forbidden', `An ${caller.roleType} may not remove a ${leaving.type}`);
    if (leaving.type === 'superadmin' && locked.length === 1)
      throw new Problem('conflict', 'The last superadmin of a space cannot leave it');
    await tx.rows(lockMember, { id });
    await unlinkContacts(tx, id, caller.userId);
    await tx.rows(leaveTeams, { id });
    await tx.rows(remove, { id });
    return id;
  });
};

const unlinkContacts = async (tx: Space, id: number, by: number): Promise<void> => {
  const unlinked = { content: { columns: { user_contact_id: null } }, at: 'userId' };
  // Concurrent writers may leave less than a full batch: the loop ends when none is found.
  for (let found = 1; found > 0; ) {
    const contacts = await tx.rows<{ id: number }>(linked, { id });
    const changes = contacts.map((contact) => ({ ...unlinked, id: contact.id }));
    await changeContacts(tx, changes, by);
    found = contacts.length;
  }
  await tx.rows(unlinkDeleted, { id });
};
