// Teams of users, with leaders and an address (spec §2.4, §4.2–§4.4).
import type { InputShapeFromFields } from '@pothos/core';
import { z } from 'zod';
import type { Caller, SentTwice } from '../../src/context.ts';
import {
  listTeams,
  readTeam,
  readTeamsByIds,
  relateUsersOfTeam,
  type TeamRow,
  teamList,
} from '../../src/data/access/team.ts';
import { createTeam, deleteTeam, replaceTeam, type TeamContent } from '../../src/data/access/team-write.ts';
import type { Viewer } from '../../src/data/noun/describe.ts';
import { chooseExpected } from '../../src/data/noun/precondition.ts';
import { isBlankText, replaceBlanks } from '../../src/input/blank.ts';
import { limitListLength } from '../../src/input/list-length.ts';
import { convertToColumns, convertToSnakeCase } from '../../src/input/snake-case.ts';
import { isAtLeast } from '../../src/permissions/permissions.ts';
import { Address, addressColumns, addressTexts, convertTeamAddress, defineShortTexts } from '../contact/address.ts';
import { builder } from '../graph/builder.ts';
import { defineListConnection } from '../graph/list-connection.ts';
import { defineDeletion, defineRecordMutation, type InputBuilder } from '../graph/mutation.ts';
import { defineNodeFields, Node, requireId } from '../graph/node.ts';
import { defineLegacyPage } from '../graph/page.ts';
import { longText, nonBlank, shortText } from '../graph/validators.ts';
import { User } from './user.ts';

/** Degrees are numbers in the graph. Legacy clients send texts, which are stored as they are. */
const defineDegrees = (t: InputBuilder, description: string) =>
  t.float({ validate: z.union([z.number(), shortText]), extensions: { legacyText: true }, description });

const TeamAddressInput = builder.inputType('TeamAddressInput', {
  description: 'Where a team meets.',
  fields: (t) => ({
    ...defineShortTexts(t, { ...addressTexts, buildingType: 'Kind of building.' }),
    latitude: defineDegrees(t, 'Degrees north.'),
    longitude: defineDegrees(t, 'Degrees east.'),
    score: t.float({ description: 'How sure the geocoding is.' }),
    invalid: t.boolean({ description: 'Whether it is known to be wrong.' }),
  }),
});

export const Team = builder.objectRef<TeamRow>('Team').implement({
  interfaces: [Node],
  description: 'Users who work together. Every leader is among the users.',
  fields: (t) => ({
    ...defineNodeFields(t, 'Team'),
    name: t.exposeString('name', { description: 'Name of the team.' }),
    description: t.exposeString('description', { description: 'What the team is for; empty when nobody said.' }),
    private: t.exposeBoolean('private', { description: 'Whether the team is private.' }),
    hideUsers: t.exposeBoolean('hide_users', { description: 'Whether apps should not show who is in it.' }),
    users: t.field({
      type: [User],
      description: 'Who is in the team.',
      extensions: { json: { rows: relateUsersOfTeam(false), pick: 'all', comesAlong: true } },
      resolve: ({ users }) => users,
    }),
    leaders: t.field({
      type: [User],
      description: 'Which of the users lead it.',
      extensions: { json: { rows: relateUsersOfTeam(true), pick: 'all', comesAlong: true } },
      resolve: ({ users }) => users.filter(({ leader }) => leader),
    }),
    address: t.field({
      type: Address,
      nullable: true,
      description: 'Where the team meets.',
      resolve: ({ address }) => address && convertTeamAddress(address),
    }),
    version: t.exposeInt('version', {
      description: 'Raised by every change of the team, and of the users that it shows.',
    }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When the team was created.' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime', description: 'When the team was last changed.' }),
  }),
});

/** Private teams are there for their members and for admins. */
export const viewTeams = ({ userId, roleType }: Caller): Viewer => ({ userId, seesAll: isAtLeast(roleType, 'admin') });

const UserReference = builder.inputType('UserReference', {
  description: 'A user of the space, by id.',
  fields: (t) => ({ id: t.field(requireId('User')) }),
});

type References = ({ id?: number } | null | undefined)[] | null | undefined;

/** Leaders are among the users (spec §2.4). Holds for what could be read of a team whose other fields are at fault. */
const leadersAmongUsers = z.unknown().superRefine((team, check) => {
  const { users, leaders } = team as { users?: References; leaders?: References };
  const within = new Set(users?.map((user) => user?.id));
  leaders?.forEach((leader, index) => {
    if (leader?.id === undefined || within.has(leader.id)) return;
    check.addIssue({ code: 'custom', path: ['leaders', index, 'id'], message: 'is a leader but not among users' });
  });
});

const defineTeamFields = (t: InputBuilder) => ({
  name: t.string({ required: true, validate: nonBlank, description: 'Name of the team; not blank.' }),
  description: t.string({ validate: longText, description: 'What the team is for.' }),
  private: t.boolean({ description: 'Whether the team is private.' }),
  hideUsers: t.boolean({ description: 'Whether apps should not show who is in it.' }),
  users: t.field({
    type: [UserReference],
    validate: limitListLength([0, 1000], 'users'),
    description: 'The users in the team, at most 1000.',
  }),
  leaders: t.field({
    type: [UserReference],
    validate: limitListLength([0, 1000], 'users'),
    description: 'Which of the users lead it.',
  }),
  address: t.field({ type: TeamAddressInput, description: 'Where the team meets.' }),
});
type TeamFields = InputShapeFromFields<ReturnType<typeof defineTeamFields>>;

const takeBlankForNull = (value: unknown): unknown => (isBlankText(value) ? null : value);

export const convertToTeamContent = (input: TeamFields, twice: readonly SentTwice[] = []): TeamContent => ({
  name: input.name,
  description: input.description ?? '',
  private: input.private ?? false,
  hideUsers: input.hideUsers ?? false,
  users: input.users?.map(({ id }) => id) ?? [],
  leaders: input.leaders?.map(({ id }) => id) ?? [],
  address: input.address ? convertToColumns(replaceBlanks(input.address, 'null'), addressColumns) : null,
  // Only parts of the address have several names. A blank one is no value under either.
  twins: twice.map(({ path, places, read: [one, second] }) => ({
    column: convertToSnakeCase(path.at(-1)!),
    places,
    values: [takeBlankForNull(one), takeBlankForNull(second)],
  })),
});

defineRecordMutation('createTeam', {
  type: Team,
  description: 'Creates a team.',
  about: 'The whole of a team. Fields left out are empty or false.',
  blank: 'null',
  input: defineTeamFields,
  validate: leadersAmongUsers,
  resolve: (input, { space, sentTwice }) => createTeam(space, convertToTeamContent(input, sentTwice)),
});

defineRecordMutation('replaceTeam', {
  type: Team,
  description: 'Replaces the whole team: fields left out become empty or false.',
  about: 'The whole of a team, as it is to be. Fields left out become empty or false.',
  blank: 'null',
  input: (t) => ({
    id: t.field(requireId('Team')),
    expectedVersion: t.int({ description: 'Refuse the change unless the team is of this version.' }),
    ...defineTeamFields(t),
  }),
  validate: leadersAmongUsers,
  resolve: ({ id, expectedVersion, ...team }, { space, caller, sentTwice, precondition }) =>
    replaceTeam(
      space,
      id,
      convertToTeamContent(team, sentTwice),
      viewTeams(caller),
      chooseExpected(expectedVersion, precondition),
    ),
});

defineDeletion('deleteTeam', {
  type: 'Team',
  description: 'Deletes a team.',
  hasVersion: true,
  remove: ({ space, caller }, id, expected) => deleteTeam(space, id, viewTeams(caller), expected),
});

defineListConnection({
  field: 'teams',
  type: Team,
  list: teamList,
  description: 'The teams of the space. Private teams are there for their members and for admins.',
  seesAll: ({ caller }) => viewTeams(caller).seesAll,
  node: {
    read: ({ space, caller }, ids) => readTeamsByIds(space, ids, viewTeams(caller)),
    // A single team is read whole, however many users it has.
    readOne: ({ space, caller }, id) => readTeam(space, id, viewTeams(caller)),
  },
});
defineLegacyPage({
  field: 'teamsPage',
  type: Team,
  noun: 'teams',
  order: ', by id',
  read: ({ space, caller }, slice) => listTeams(space, slice, viewTeams(caller)),
});
