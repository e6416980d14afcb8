// Invitations to join a space: pending until the invited person accepts, then linked to that user.

import { digestSecret, generateSecret } from '../../database/secret.ts';
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { beginWithRoleType, isAtLeast, nameRoleType, type RoleType } from '../../permissions/permissions.ts';
import { createNotFoundProblem, type Fault, Problem } from '../../problem.ts';
import { addInvitationDeliveries } from '../event/delivery.ts';
import { defineList } from '../noun/define-list.ts';
import type { Viewer } from '../noun/describe.ts';
import type { Precondition } from '../noun/precondition.ts';
import { type Actor, lockReach, requireReach } from '../noun/reach.ts';
import { requireFound } from '../noun/references.ts';
import { type RoleRow, roleJson } from './role.ts';
import { visibleTeam } from './team.ts';

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
  /** The end of its secret; null when it has none. */
  secret_expires_at: string | null;
}

/** A pending invitation with its secret, which is shown only once. */
export interface SentInvitation {
  invitation: InvitationRow;
  secret: string;
}

/** An invitation as the invited user sees it, whatever space they are in. */
export interface ReceivedRow {
  id: number;
  group_id: number;
  space_name: string;
  role_name: string;
  last_sent: string;
}

interface NewInvitation {
  email: string;
  mobilePhone?: string | null;
  roleId?: number | null;
  teamIds?: number[] | null;
}

/** `isShown` is the condition that a team `t` of the space is named. */
const buildColumns = (
  isShown: string,
): string => `i.id, i.group_id, i.email, i.mobile_phone, i.role_id, i.user_id, i.created_at, i.last_sent, i.expires_at as secret_expires_at,
  ${roleJson} as role,
  array(select t.id from teams t join invitation_teams o on o.group_id = :group and o.invitation_id = i.id and o.team_id = t.id
         where ${isShown} order by t.id) as team_ids`;
const columns = buildColumns('t.group_id = :group and t.deleted_at is null');
const from = `from invitations i join roles r on r.group_id = i.group_id and r.id = i.role_id where i.group_id = :group and i.deleted_at is null`;
const list = defineStatement('invitation.list', `select ${buildColumns(visibleTeam)} ${from} order by i.id`);
const byIds = defineStatement('invitation.by_ids', `select ${columns} ${from} and i.id = any(:ids) order by i.id`);
const remove = defineStatement(
  'invitation.delete',
  'update invitations set deleted_at = now(), updated_at = now() where group_id = :group and id = :id and deleted_at is null returning id',
);
const roleOf = defineStatement(
  'invitation.role',
  `select id, type from roles where group_id = :group and deleted_at is null
     and (id = :roleId or (cast(:roleId as bigint) is null and type = 'user')) order by position, id limit 1`,
);
const teamsThere = defineStatement(
  'invitation.teams_there',
  'select id from teams where group_id = :group and id = any(:ids) and deleted_at is null',
);
/**
 * Inviting the same mail again sends the same invitation again with the new offer and a new secret; an accepted one becomes pending again. Its
 * row stays locked, and the statement waits for a user who is accepting it: members are looked up afterwards.
 */
const invite = defineStatement(
  'invitation.create',
  `insert into invitations (group_id, email, mobile_phone, role_id, invited_by, secret_hash, expires_at, last_sent, updated_at)
   values (:group, :email, :mobilePhone, :roleId, :invitedBy, :secretHash, now() + make_interval(days => cast(:days as int)), now(), now())
   on conflict (group_id, lower(email)) where deleted_at is null
   do update set role_id = excluded.role_id, mobile_phone = coalesce(excluded.mobile_phone, invitations.mobile_phone),
                 invited_by = excluded.invited_by, secret_hash = excluded.secret_hash, expires_at = excluded.expires_at, user_id = null, accepted_at = null, last_sent = excluded.last_sent, updated_at = excluded.updated_at
   returning id`,
);
const membersAmong = defineStatement(
  'invitation.members_among',
  `select cast(given.nth - 1 as int) as index from unnest(cast(:emails as text[])) with ordinality given (email, nth)
    where exists (select 1 from members m join users u on u.id = m.user_id and u.deleted_at is null
                   where m.group_id = :group and lower(u.mail) = lower(given.email)) order by given.nth`,
);
const pendingAmong = defineStatement(
  'invitation.pending_among',
  `select cast(given.nth - 1 as int) as index, r.type from unnest(cast(:emails as text[])) with ordinality given (email, nth)
     join invitations i on i.group_id = :group and lower(i.email) = lower(given.email) and i.deleted_at is null and i.user_id is null
     join roles r on r.group_id = i.group_id and r.id = i.role_id order by given.nth`,
);
const setTeams = defineStatement(
  'invitation.set_teams',
  `with removed as (delete from invitation_teams where group_id = :group and invitation_id = :id and team_id <> all(cast(:ids as bigint[])))
   insert into invitation_teams (group_id, invitation_id, team_id) select :group, :id, unnest(cast(:ids as bigint[])) on conflict do nothing`,
);
const received = defineStatement('invitation.received', 'select * from received_invitations(:group, :userId)');
/** Invitations belong to other spaces: only this function reaches them, for a member of this space. */
const accept = defineStatement('invitation.accept', 'select * from accept_invitation(:group, :userId, :id)');

/** All invitations. Private teams that the viewer does not see are missing in them. */
export const listInvitations = (space: Space, viewer: Viewer): Promise<InvitationRow[]> =>
  space.rows(list, { ...viewer });

/**
 * Soft-deletes an invitation; users who have joined stay. Throws 404 when it is missing, 403 for a pending one to a role that reaches further than
 * the actor.
 */
export const deleteInvitation = (space: Space, id: number, actor: Actor, expected?: Precondition): Promise<number> =>
  space.transaction(async (tx) => {
    const reach = await lockReach(tx, actor);
    const found = requireFound('invitation', id, await tx.row<InvitationRow>(byIds, { ids: [id] }));
    if (found.user_id === null) requireReach(reach.actor, found.role.type, 'delete the pending invitation of');
    expected?.check('invitation', null);
    if (!(await tx.row(remove, { id }))) throw createNotFoundProblem('invitation', id);
    return id;
  });

/** The pending invitations, of any space, to the confirmed mail of a member of this one. */
export const listReceivedInvitations = (space: Space, userId: number): Promise<ReceivedRow[]> =>
  space.rows(received, { userId });

/**
 * Lets a member of this space join the one that invited them. Throws 403 while their mail is not confirmed, whatever the id, and 404 for an
 * invitation that is not pending or not theirs, or that they have accepted already.
 */
export const acceptInvitation = async (space: Space, userId: number, id: number): Promise<ReceivedRow> => {
  const accepted = await space.row<ReceivedRow & { confirmed: boolean }>(accept, { userId, id });
  if (!accepted) throw createNotFoundProblem('invitation', id);
  if (!accepted.confirmed)
    throw new Problem(
      'forbidden',
      'Your mail was changed and nobody has confirmed since that it is yours: ask the operator of this server to confirm it',
    );
  return accepted;
};

/** Which secrets somebody asks for, and where these go beside the answer. */
interface InviteOptions {
  invitations: NewInvitation[];
  days: number;
  /** Whether webhooks that ask for them get them. */
  sendsToWebhooks: boolean;
}

/**
 * Invites all of these mails, or none; it makes no difference whether a mail belongs to a user. The secrets open the space for some days.
 * Throws 422, with every fault, for roles or teams that are not in the space, 403 for a role above the caller's own, and for a mail with a pending
 * invitation to such a role, and 409 for mails of members.
 */
export const inviteUsers = (
  space: Space,
  { invitations: wanted, days, sendsToWebhooks }: InviteOptions,
  caller: Actor,
): Promise<SentInvitation[]> =>
  space.transaction(async (tx) => {
    const { actor } = await lockReach(tx, caller);
    const offers = await check(tx, wanted, actor);
    await refuseHigherOffers(tx, offers, actor);
    const ids = new Map<Offer, number>();
    /** By the ids of the invitations: of two offers to one mail, the later one counts. */
    const secrets = new Map<number, string>();
    // All callers take one order: two who invite the same people would otherwise wait for each other.
    for (const offer of offers.toSorted((a, b) => (a.email.toLowerCase() < b.email.toLowerCase() ? -1 : 1))) {
      const { email, mobilePhone, teamIds, roleId } = offer;
      const secret = generateSecret('invitation');
      const secretHash = digestSecret(secret);
      const values = { email, mobilePhone, roleId, invitedBy: caller.userId, secretHash, days };
      const { id } = (await tx.row<{ id: number }>(invite, values))!;
      await tx.rows(setTeams, { id, ids: teamIds });
      ids.set(offer, id);
      secrets.set(id, secret);
    }
    const emails = offers.map(({ email }) => email);
    const members = await tx.rows<{ index: number }>(membersAmong, { emails });
    if (members.length > 0) throw alreadyMembers(members.map(({ index }) => ({ index, email: emails[index]! })));
    const invited = new Map(
      (await tx.rows<InvitationRow>(byIds, { ids: [...ids.values()] })).map((row) => [row.id, row]),
    );
    if (sendsToWebhooks)
      await addInvitationDeliveries(
        tx,
        [...secrets].map(([id, secret]) => ({ id, secret, roleType: invited.get(id)!.role.type })),
      );
    return offers.map((offer) => {
      const id = ids.get(offer)!;
      return { invitation: invited.get(id)!, secret: secrets.get(id)! };
    });
  });

/** The address of the page that accepts the invitation; null without a setting for it. */
export const formatInvitationLink = (secret: string, url: string | undefined): string | null =>
  url?.replaceAll('{secret}', secret) ?? null;

/** Throws 403 for mails whose pending invitation is to a role above the actor: inviting again would replace that by a lesser one. */
const refuseHigherOffers = async (tx: Space, offers: readonly Offer[], actor: RoleType): Promise<void> => {
  const emails = offers.map(({ email }) => email);
  const pending = await tx.rows<{ index: number; type: RoleType }>(pendingAmong, { emails });
  const higher = pending.filter(({ type }) => !isAtLeast(actor, type));
  if (higher.length === 0) return;
  throw new Problem(
    'forbidden',
    `${beginWithRoleType(actor)} may not renew the pending invitation of ${nameRoleType(higher[0]!.type)}`,
    {
      errors: higher.map(({ index, type }) => ({
        location: `input.invitations[${index}].email`,
        message: `has a pending invitation to a role of the type ${type}`,
        value: emails[index]!,
      })),
    },
  );
};

const alreadyMembers = (members: { index: number; email: string }[]): Problem =>
  new Problem('conflict', `Already a member of the space: ${members.map(({ email }) => email).join(', ')}`, {
    errors: members.map(({ index, email }) => ({
      location: `input.invitations[${index}].email`,
      message: 'is the mail of a member of the space',
      value: email,
    })),
  });

interface Offer {
  email: string;
  mobilePhone: string | null;
  roleId: number;
  teamIds: number[];
}

const check = async (tx: Space, invited: NewInvitation[], callerRole: RoleType) => {
  const faults: Fault[] = [];
  const offers: Offer[] = [];
  for (const [index, { email, mobilePhone, roleId, teamIds }] of invited.entries()) {
    const role = await tx.row<{ id: number; type: RoleType }>(roleOf, { roleId: roleId ?? null });
    const ids = teamIds ?? [];
    const there = new Set((await tx.rows<{ id: number }>(teamsThere, { ids })).map((row) => row.id));
    const at = `input.invitations[${index}]`;
    if (!role) faults.push({ location: `${at}.roleId`, message: 'is not a role of the space', value: roleId ?? null });
    ids.forEach((id, k) => {
      if (!there.has(id))
        faults.push({ location: `${at}.teamIds[${k}]`, message: 'is not a team of the space', value: id });
    });
    if (role && !isAtLeast(callerRole, role.type))
      throw new Problem('forbidden', `${beginWithRoleType(callerRole)} may not invite ${nameRoleType(role.type)}`);
    if (role) offers.push({ email, mobilePhone: mobilePhone ?? null, roleId: role.id, teamIds: [...there] });
  }
  if (faults.length > 0)
    throw new Problem('unprocessable', 'Some of these roles or teams are not in the space', { errors: faults });
  return offers;
};

export const invitationList = defineList<InvitationRow>()({
  noun: 'invitation',
  from: 'invitations i join roles r on r.group_id = i.group_id and r.id = i.role_id',
  scoped: ['i'],
  columns,
  living: 'i.deleted_at is null',
  fields: {
    id: { column: 'i.id', type: 'id' },
    email: { column: 'i.email', type: 'text' },
    roleId: { column: 'i.role_id', type: 'id' },
    acceptedById: { column: 'i.user_id', type: 'id', nullable: true },
    lastSentAt: { column: 'i.last_sent', type: 'instant' },
    createdAt: { column: 'i.created_at', type: 'instant' },
  },
  orders: ['id', 'email', 'lastSentAt', 'createdAt'],
  isShort: true,
  groups: ['roleId'],
});
