// Invitations to join a space (spec §2.6, §4.7, §4.8).
import type { Context } from '../../src/context.ts';
import {
  acceptInvitation,
  deleteInvitation,
  formatInvitationLink,
  type InvitationRow,
  invitationList,
  inviteUsers,
  listInvitations,
  type ReceivedRow,
  type SentInvitation,
} from '../../src/data/access/invitation.ts';
import { buildRoleSql } from '../../src/data/access/role.ts';
import { readTeamsByIds, teamsOfInvitation } from '../../src/data/access/team.ts';
import { replaceBlanks } from '../../src/input/blank.ts';
import { limitListLength } from '../../src/input/list-length.ts';
import { createRelationLoader, takeFirstRelated } from '../../src/plan/loader.ts';
import { listFieldsBelow } from '../../src/plan/selection.ts';
import { builder } from '../graph/builder.ts';
import { defineListConnection } from '../graph/list-connection.ts';
import { defineDeletion, defineMutation } from '../graph/mutation.ts';
import { acceptId, acceptIds, defineNodeFields, legacyId, legacyIds, Node, nameRecord } from '../graph/node.ts';
import { email, shortText } from '../graph/validators.ts';
import { Role } from './role.ts';
import { Team, viewTeams } from './team.ts';
import { refuseKeptSecrets } from './token.ts';

const teamOf = createRelationLoader(
  async ({ space, caller }: Context, ids) => readTeamsByIds(space, ids, viewTeams(caller)),
  (team) => team.id,
);

export const Invitation = builder.objectRef<InvitationRow>('Invitation').implement({
  interfaces: [Node],
  description: 'An offer to join the space: pending until accepted, then carrying the user who accepted it.',
  fields: (t) => ({
    ...defineNodeFields(t, 'Invitation'),
    groupId: t.expose('group_id', { ...legacyId, description: 'The space to join.' }),
    email: t.exposeString('email', { description: 'Who is invited.' }),
    mobilePhone: t.exposeString('mobile_phone', { nullable: true, description: 'Their mobile number.' }),
    role: t.expose('role', {
      type: Role,
      description: 'The role that is offered.',
      extensions: { json: { rows: { by: 'role_id', buildSql: buildRoleSql }, pick: 'one', comesAlong: true } },
    }),
    roleId: t.expose('role_id', { ...legacyId, description: 'Id of the role that is offered.' }),
    teams: t.field({
      type: [Team],
      description: 'The teams that they are to be in.',
      extensions: { json: { rows: teamsOfInvitation, pick: 'all', comesAlong: true } },
      resolve: async ({ team_ids: ids }, _, context) =>
        (await Promise.all(ids.map((id) => takeFirstRelated(teamOf(context, id))))).filter((team) => team !== null),
    }),
    teamIds: t.expose('team_ids', { ...legacyIds, description: 'The teams that they are to be in.' }),
    userId: t.expose('user_id', {
      ...legacyId,
      nullable: true,
      description: 'The user who accepted; null while pending.',
    }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When it was first sent.' }),
    lastSentAt: t.expose('last_sent', { type: 'DateTime', description: 'When it was last sent.' }),
    secretExpiresAt: t.expose('secret_expires_at', {
      type: 'DateTime',
      nullable: true,
      description: 'Until when its secret opens the space; null when it has none, as after it was accepted.',
    }),
  }),
});

const InvitationSecret = builder.objectRef<SentInvitation>('InvitationSecret').implement({
  description:
    'The secret of an invitation, with which a person without an access token joins the space: `POST /join`.',
  fields: (t) => ({
    invitation: t.expose('invitation', { type: Invitation, description: 'The invitation.' }),
    secret: t.exposeString('secret', { description: 'The secret. It is shown only here: send it to the person.' }),
    link: t.string({
      nullable: true,
      description: 'The address of the page that accepts it; null when the server has no `INVITATION_URL`.',
      resolve: ({ secret }, _, { invitations }) => formatInvitationLink(secret, invitations?.url),
    }),
  }),
});

export const ReceivedInvitation = builder.objectRef<ReceivedRow>('ReceivedInvitation').implement({
  description: 'An invitation as the one who is invited sees it: all that they learn of the space before they join.',
  fields: (t) => ({
    ...defineNodeFields(t, 'ReceivedInvitation'),
    spaceId: t.id(nameRecord('Space', 'group_id', 'The id of that space, which a user of it can select.')),
    spaceName: t.exposeString('space_name', { description: 'What that space is called.' }),
    roleName: t.exposeString('role_name', { description: 'The role that is offered.' }),
    lastSentAt: t.expose('last_sent', { type: 'DateTime', description: 'When it was last sent.' }),
  }),
});

const InvitationInput = builder.inputType('InvitationInput', {
  description: 'Whom to invite, and to what.',
  extensions: { blank: 'null' },
  fields: (t) => ({
    email: t.string({ required: true, validate: email, description: 'Their email address.' }),
    mobilePhone: t.string({ validate: shortText, description: 'Their mobile number.' }),
    roleId: t.field({ ...acceptId('Role'), description: 'The role to offer; without it the first of type user.' }),
    teamIds: t.field({
      ...acceptIds('Team'),
      validate: limitListLength([0, 100], 'teams'),
      description: 'Teams that they are to be in.',
    }),
  }),
});

builder.queryField('invitationList', (t) =>
  t.field({
    type: [Invitation],
    extensions: { legacy: true },
    description: 'All invitations of the space, pending and accepted.',
    resolve: (_, __, { space, caller }) => listInvitations(space, viewTeams(caller)),
  }),
);

defineMutation('inviteUsers', {
  description:
    'Invites people by email, all or none. Addresses of members are refused. Nobody joins before they accept. Inviting somebody again renews their invitation and its secret, unless that is to a role above that of the caller. Muster sends no mail: send the secrets, which cannot be read again.',
  input: (t) => ({
    invitations: t.field({
      type: [InvitationInput],
      required: true,
      validate: limitListLength([1, 100], 'invitations'),
      description: 'The invitations, 1 to 100.',
    }),
    sendsToWebhooks: t.boolean({
      description:
        'Whether webhooks that ask for `INVITATION_SENT` get the secrets. Those alone get one that have the rights to invite to its role themselves. True without it.',
    }),
  }),
  resolve: async ({ invitations, sendsToWebhooks }, context, info) => {
    const { space, caller } = context;
    if (context.shared && listFieldsBelow(info).has('secrets')) throw refuseKeptSecrets('secrets');
    return {
      sent: await inviteUsers(
        space,
        {
          invitations: invitations.map((one) => replaceBlanks(one, 'null')),
          sendsToWebhooks: sendsToWebhooks ?? true,
          days: context.invitations!.days,
        },
        caller,
      ),
    };
  },
  audit: ({ sent }) => ({ type: 'Invitation', ids: sent.map(({ invitation }) => invitation.id) }),
  payload: (t) => ({
    invitations: t.field({
      type: [Invitation],
      description: 'The invitations, in their order.',
      resolve: ({ sent }) => sent.map(({ invitation }) => invitation),
    }),
    secrets: t.expose('sent', {
      type: [InvitationSecret],
      description:
        'The secrets of the invitations, in their order. Not under an `Idempotency-Key`, whose answers are stored.',
    }),
  }),
});

defineDeletion('deleteInvitation', {
  type: 'Invitation',
  description:
    'Revokes an invitation. A person who has already joined stays a member. A pending one to a role above that of the caller is refused.',
  remove: ({ space, caller }, id, expected) => deleteInvitation(space, id, caller, expected),
});

defineMutation('acceptInvitation', {
  description:
    "Joins the space that invited the caller, with the role and the teams of the invitation. It must be pending and to the caller's own, confirmed mail; an accepted one counts as missing. Tokens keep their space.",
  input: (t) => ({
    id: t.field({ ...acceptId('Invitation'), required: true, description: 'Id of the invitation, of any space.' }),
  }),
  resolve: async ({ id }, { space, caller }) => ({ invitation: await acceptInvitation(space, caller.userId, id) }),
  audit: ({ invitation }) => ({ type: 'ReceivedInvitation', ids: [invitation.id] }),
  payload: (t) => ({
    invitation: t.expose('invitation', { type: ReceivedInvitation, description: 'The invitation.' }),
  }),
});

defineListConnection({
  field: 'invitations',
  type: Invitation,
  list: invitationList,
  description: 'The invitations of the space, pending and accepted.',
  seesAll: ({ caller }) => viewTeams(caller).seesAll,
});
