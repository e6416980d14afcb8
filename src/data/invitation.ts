// Invitations to join a space: pending until the invited person is a user here, then accepted and carrying that user.
import { notFound, Problem } from '../problem.ts';
import { type RoleRow, type RoleType, reaches, roleJson } from './role.ts';
import { type Space, statement } from './space.ts';

export interface InvitationRow {
  id: number;
  group_id: number;
  email: string;
  mobile_phone: string | null;
  role_id: number;
  role: RoleRow;
  team_ids: number[];
  user_id: number | null;
  created_at: string;
  last_sent: string;
}

export interface NewInvitation {
  email: string;
  mobilePhone?: string | null;
  roleId?: number | null;
  teamIds?: number[] | null;
}

const columns = `i.id, i.group_id, i.email, i.mobile_phone, i.role_id, i.user_id, i.created_at, i.last_sent,
  ${roleJson} as role,
  array(select t.team_id from invitation_teams t join teams on teams.group_id = t.group_id and teams.id = t.team_id and teams.deleted_at is null
         where t.group_id = i.group_id and t.invitation_id = i.id order by t.team_id) as team_ids`;
const from = `from invitations i join roles r on r.group_id = i.group_id and r.id = i.role_id where i.group_id = :group and i.deleted_at is null`;
const list = statement('invitation.list', `select ${columns} ${from} order by i.id`);
const byIds = statement('invitation.by_ids', `select ${columns} ${from} and i.id = any(:ids) order by i.id`);
const remove = statement(
  'invitation.delete',
  'update invitations set deleted_at = now(), updated_at = now() where group_id = :group and id = :id and deleted_at is null returning id',
);
const roleOf = statement(
  'invitation.role',
  `select id, type from roles where group_id = :group and deleted_at is null
     and (id = :roleId or (cast(:roleId as bigint) is null and type = 'user')) order by position, id limit 1`,
);
const teamsThere = statement(
  'invitation.teams_there',
  'select id from teams where group_id = :group and id = any(:ids) and deleted_at is null',
);
/** Who is a user already joins at once; a role held already is kept. */
const admit = statement(
  'invitation.admit',
  `with invited as (select u.id from users u where lower(u.mail) = lower(:email) and u.deleted_at is null),
        joined as (insert into members (group_id, user_id, role_id) select :group, id, :roleId from invited on conflict do nothing)
   select id from invited`,
);
/** Inviting the same mail again sends the one invitation again, with what is now offered. */
const invite = statement(
  'invitation.create',
  `insert into invitations (group_id, email, mobile_phone, role_id, user_id, invited_by, accepted_at)
   values (:group, :email, :mobilePhone, :roleId, :userId, :invitedBy, case when cast(:userId as bigint) is not null then now() end)
   on conflict (group_id, lower(email)) where deleted_at is null
   do update set role_id = excluded.role_id, mobile_phone = coalesce(excluded.mobile_phone, invitations.mobile_phone),
                 user_id = coalesce(invitations.user_id, excluded.user_id), accepted_at = coalesce(invitations.accepted_at, excluded.accepted_at),
                 last_sent = now(), updated_at = now()
   returning id`,
);
const setTeams = statement(
  'invitation.set_teams',
  `with gone as (delete from invitation_teams where group_id = :group and invitation_id = :id and team_id <> all(cast(:ids as bigint[])))
   insert into invitation_teams (group_id, invitation_id, team_id) select :group, :id, unnest(cast(:ids as bigint[])) on conflict do nothing`,
);
/**
 * To be joined is a change of a team. Its row is locked before who is in it, as by who replaces it, and the rows of several
 * teams in the order of their ids.
 */
const joinTeams = statement(
  'invitation.join_teams',
  `with held as (select id from teams where group_id = :group and id = any(:teams) and deleted_at is null order by id for no key update),
   joined as (
     insert into team_users (group_id, team_id, user_id, position)
     select :group, held.id, given.user_id, given.nth + coalesce((select max(position) from team_users t where t.group_id = :group and t.team_id = held.id), 0)
       from held join unnest(cast(:teams as bigint[]), cast(:users as bigint[])) with ordinality given (team_id, user_id, nth) on given.team_id = held.id
     on conflict do nothing returning team_id)
   update teams set version = version + 1, updated_at = now() where group_id = :group and id in (select team_id from joined)`,
);

export const invitations = (space: Space): Promise<InvitationRow[]> => space.rows(list);

/** Soft-deletes an invitation; who has joined stays. Throws 404 when it is missing. */
export const deleteInvitation = async (space: Space, id: number): Promise<number> => {
  if (!(await space.row(remove, { id }))) throw notFound('invitation', id);
  return id;
};

/**
 * Invites all of these mails, or none. Throws 422, with every fault, for roles or teams that are not in the space,
 * and 403 for a role that reaches further than the caller's own.
 */
export const inviteUsers = (
  space: Space,
  wanted: NewInvitation[],
  caller: { userId: number; roleType: RoleType },
): Promise<InvitationRow[]> =>
  space.transaction(async (tx) => {
    const offers = await check(tx, wanted, caller.roleType);
    const ids = new Map<Offer, number>();
    const joining: { team: number; user: number }[] = [];
    // In one order for all, since two who invite the same people in turn would wait for each other.
    for (const offer of offers.toSorted((a, b) => (a.email.toLowerCase() < b.email.toLowerCase() ? -1 : 1))) {
      const { email, mobilePhone, teamIds, roleId } = offer;
      const userId = (await tx.row<{ id: number }>(admit, { email, roleId }))?.id ?? null;
      const values = { email, mobilePhone, roleId, userId, invitedBy: caller.userId };
      const { id } = (await tx.row<{ id: number }>(invite, values))!;
      await tx.rows(setTeams, { id, ids: teamIds });
      if (userId !== null) joining.push(...teamIds.map((team) => ({ team, user: userId })));
      ids.set(offer, id);
    }
    if (joining.length > 0)
      await tx.rows(joinTeams, { teams: joining.map(({ team }) => team), users: joining.map(({ user }) => user) });
    const invited = new Map(
      (await tx.rows<InvitationRow>(byIds, { ids: [...ids.values()] })).map((row) => [row.id, row]),
    );
    return offers.map((offer) => invited.get(ids.get(offer)!)!);
  });

interface Offer {
  email: string;
  mobilePhone: string | null;
  roleId: number;
  teamIds: number[];
}

const check = async (tx: Space, invited: NewInvitation[], held: RoleType) => {
  const faults: { location: string; message: string; value: unknown }[] = [];
  const offers: Offer[] = [];
  for (const [index, { email, mobilePhone, roleId, teamIds }] of invited.entries()) {
    const role = await tx.row<{ id: number; type: RoleType }>(roleOf, { roleId: roleId ?? null });
    const ids = teamIds ?? [];
    const there = new Set((await tx.rows<{ id: number }>(teamsThere, { ids })).map((row) => row.id));
    const at = `invitations[${index}]`;
    if (!role) faults.push({ location: `${at}.roleId`, message: 'is not a role of the space', value: roleId ?? null });
    ids.forEach((id, k) => {
      if (!there.has(id))
        faults.push({ location: `${at}.teamIds[${k}]`, message: 'is not a team of the space', value: id });
    });
    if (role && !reaches(held, role.type)) throw new Problem('forbidden', `A ${held} may not invite a ${role.type}`);
    if (role) offers.push({ email, mobilePhone: mobilePhone ?? null, roleId: role.id, teamIds: [...there] });
  }
  if (faults.length > 0) throw new Problem('unprocessable', 'Some of it is not in the space', { errors: faults });
  return offers;
};
