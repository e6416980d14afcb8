// Teams of users, with leaders and an address (spec §2.4, §4.2–§4.4).
import { z } from 'zod';
import type { SentTwice } from '../src/context.ts';
import {
  createTeam,
  deleteTeam,
  listTeams,
  readTeam,
  readTeamsByIds,
  replaceTeam,
  type TeamContent,
  type TeamRow,
  teamList,
} from '../src/data/team.ts';
import { replaceBlanks } from '../src/input/blank.ts';
import { limitListLength } from '../src/input/list-length.ts';
import { convertToColumns, convertToSnakeCase } from '../src/input/snake-case.ts';
import { builder } from './builder.ts';
import { Deletion } from './delete-payload.ts';
import { defineListConnection } from './list-connection.ts';
import { acceptId, defineNodeFields, Node, registerNode } from './node.ts';
import { defineLegacyPage } from './page.ts';
import { User } from './user.ts';
import { longText, nonBlank, shortText } from './validators.ts';

const addressFields = {
  addition: 'Second line of the address.',
  building: 'Building.',
  buildingType: 'Kind of building.',
  city: 'City.',
  citycode: 'Official code of the city.',
  country: 'Country.',
  county: 'County or department.',
  door: 'Door.',
  floor: 'Floor.',
  houseNumber: 'House number.',
  infos: 'Anything else that helps to find it.',
  latitude: 'Degrees north.',
  location: '`latitude,longitude`.',
  longitude: 'Degrees east.',
  pollingStation: 'Polling station.',
  postalCode: 'Postal code.',
  state: 'State or region.',
  street: 'Street.',
} as const;

type AddressField = keyof typeof addressFields;
const names = Object.keys(addressFields) as AddressField[];
type AddressRow = Record<string, unknown>;

const TeamAddress = builder.objectRef<AddressRow>('TeamAddress').implement({
  description: 'Where a team meets.',
  fields: (t) => ({
    databaseId: t.field({ type: 'SafeInt', description: 'Id of the address.', resolve: (row) => row.id as number }),
    ...Object.fromEntries(
      names.map((field) => [
        field,
        t.string({
          nullable: true,
          description: addressFields[field],
          resolve: (row) => row[convertToSnakeCase(field)] as string | null,
        }),
      ]),
    ),
    score: t.float({
      nullable: true,
      description: 'How sure the geocoding is.',
      resolve: (row) => row.score as number | null,
    }),
    invalid: t.boolean({
      nullable: true,
      description: 'Whether it is known to be wrong.',
      resolve: (row) => row.invalid as boolean | null,
    }),
  }),
});

const TeamAddressInput = builder.inputType('TeamAddressInput', {
  description: 'Where a team meets.',
  fields: (t) => ({
    ...(Object.fromEntries(
      names.map((field) => [field, t.string({ validate: shortText, description: addressFields[field] })]),
    ) as Record<AddressField, ReturnType<typeof t.string<false>>>),
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
    users: t.field({ type: [User], description: 'Who is in the team.', resolve: ({ users }) => users }),
    leaders: t.field({
      type: [User],
      description: 'Which of the users lead it.',
      resolve: ({ users }) => users.filter(({ leader }) => leader),
    }),
    address: t.field({
      type: TeamAddress,
      nullable: true,
      description: 'Where the team meets.',
      resolve: ({ address }) => address,
    }),
    version: t.exposeInt('version', {
      description: 'Raised by every change of the team, and of the users that it shows.',
    }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When the team was created.' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime', description: 'When the team was last changed.' }),
  }),
});

const UserReference = builder.inputType('UserReference', {
  description: 'A user of the space, by id.',
  fields: (t) => ({ id: t.field({ ...acceptId('User'), required: true, description: 'Id of the user.' }) }),
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

const TeamInput = builder.inputType('TeamInput', {
  description: 'The whole of a team. What is left out is empty or false.',
  extensions: { blank: 'null' },
  fields: (t) => ({
    name: t.string({ required: true, validate: nonBlank, description: 'Name of the team; not blank.' }),
    description: t.string({ validate: longText, description: 'What the team is for.' }),
    private: t.boolean({ description: 'Whether the team is private.' }),
    hideUsers: t.boolean({ description: 'Whether apps should not show who is in it.' }),
    users: t.field({
      type: [UserReference],
      validate: limitListLength([0, 1000], 'users'),
      description: 'Who is in the team, at most 1000.',
    }),
    leaders: t.field({
      type: [UserReference],
      validate: limitListLength([0, 1000], 'users'),
      description: 'Which of the users lead it.',
    }),
    address: t.field({ type: TeamAddressInput, description: 'Where the team meets.' }),
  }),
  validate: leadersAmongUsers,
});

const contentOf = (input: typeof TeamInput.$inferInput, twice: readonly SentTwice[] = []): TeamContent => ({
  name: input.name,
  description: input.description ?? '',
  private: input.private ?? false,
  hideUsers: input.hideUsers ?? false,
  users: input.users?.map(({ id }) => id) ?? [],
  leaders: input.leaders?.map(({ id }) => id) ?? [],
  address: input.address ? convertToColumns(replaceBlanks(input.address, 'null')) : null,
  // Only parts of the address have several names.
  twins: twice.map(({ path, places, read }) => ({ column: convertToSnakeCase(path.at(-1)!), places, values: read })),
});

builder.mutationFields((t) => ({
  createTeam: t.field({
    type: Team,
    extensions: { role: 'manager' },
    description: 'Creates a team.',
    args: { input: t.arg({ type: TeamInput, required: true, description: 'The team.' }) },
    resolve: (_, { input }, { space, sentTwice }) => createTeam(space, contentOf(input, sentTwice)),
  }),
  replaceTeam: t.field({
    type: Team,
    extensions: { role: 'manager' },
    description: 'Replaces all that a team is: what is left out becomes empty or false.',
    args: {
      id: t.arg({ ...acceptId('Team'), required: true, description: 'Id of the team.' }),
      input: t.arg({ type: TeamInput, required: true, description: 'The team as it is to be.' }),
      expectedVersion: t.arg.int({ description: 'Refuse the change unless the team is of this version.' }),
    },
    resolve: (_, { id, input, expectedVersion }, { space, sentTwice }) =>
      replaceTeam(space, id, contentOf(input, sentTwice), expectedVersion),
  }),
  deleteTeam: t.field({
    type: Deletion,
    extensions: { role: 'manager' },
    description: 'Deletes a team.',
    args: { id: t.arg({ ...acceptId('Team'), required: true, description: 'Id of the team.' }) },
    resolve: async (_, { id }, { space }) => ({ id: await deleteTeam(space, id), type: 'Team' }),
  }),
}));

defineListConnection({
  field: 'teams',
  type: Team,
  list: teamList,
  description: 'The teams of the space.',
});
defineLegacyPage({ field: 'teamsPage', type: Team, noun: 'teams', order: ', by id', read: listTeams });
// A single team is read whole, however many users it has.
registerNode(Team, ({ space }, ids) => readTeamsByIds(space, ids), { readOne: ({ space }, id) => readTeam(space, id) });
