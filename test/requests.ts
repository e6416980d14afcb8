// A valid request for every operation of both doors, as user 1 of space 1. Tests that sweep over all operations start from these.
import {
  type GraphQLInputType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isObjectType,
} from 'graphql';
import { schema } from '../schema/index.ts';
import type { Door, Json } from './harness.ts';

/** The tables whose ids a request may carry. */
export type Noun = 'contacts' | 'teams' | 'users' | 'invitations' | 'forms' | 'roles' | 'spaces';

/** Ids in one space by noun. */
export type Ids = Record<Noun, number>;

export const idsOf = async (door: Door, space: number): Promise<Ids> => {
  const first = async (table: string, where = 'true'): Promise<number> =>
    (
      await door.sql(`select min(id) as id from ${table} where group_id = ? and deleted_at is null and ${where}`, [
        space,
      ])
    )[0].id;
  const [{ id: users }] = await door.sql(
    'select max(user_id) as id from members where group_id = ? and user_id not in (select user_id from members where group_id <> ?)',
    [space, space],
  );
  return {
    contacts: await first('contacts'),
    teams: await first('teams'),
    users,
    invitations: await first('invitations'),
    forms: await first('forms'),
    roles: await first('roles', `type = 'user'`),
    spaces: space,
  };
};

const someQuery = (formId: number) => ({
  any: [
    { condition: { attribute: 'form', operator: 'ext', formId } },
    { condition: { attribute: 'surname', operator: 'start_with', value: 'd' } },
  ],
});
const everybody = { data: { advanced_search: { per_page: 5, query: { $all: [] }, include_interactions: true } } };

/** Arguments of every root field of the graph; one that is missing here fails the tests that sweep. */
export const fields: Record<string, (ids: Ids) => Json> = {
  contact: ({ contacts }) => ({ id: contacts }),
  contacts: () => ({ first: 5 }),
  searchContacts: ({ forms }) => ({ first: 5, sortBy: 'surname', query: someQuery(forms) }),
  explainSearch: ({ forms }) => ({ query: someQuery(forms) }),
  team: ({ teams }) => ({ id: teams }),
  teams: () => ({}),
  user: ({ users }) => ({ id: users }),
  users: () => ({ limit: 50 }),
  roles: () => ({}),
  invitations: () => ({}),
  form: ({ forms }) => ({ id: forms }),
  forms: () => ({}),
  membershipPriceGroups: () => ({}),
  donationPrices: () => ({}),
  transactionStatuses: () => ({}),
  viewer: () => ({}),
  rateLimit: () => ({}),
  createNote: ({ contacts }) => ({ contactId: contacts, input: { content: 'a note' } }),
  createTeam: ({ users }) => ({ input: { name: 'a team', users: [{ id: users }], leaders: [{ id: users }] } }),
  replaceTeam: ({ teams, users }) => ({
    id: teams,
    input: { name: 'a team', users: [{ id: users }], leaders: [{ id: users }] },
  }),
  deleteTeam: ({ teams }) => ({ id: teams }),
  updateUser: ({ users }) => ({ id: users, input: { mail: 'changed@example.org' } }),
  inviteUsers: ({ roles, teams }) => ({
    invitations: [{ email: 'invited@example.org', roleId: roles, teamIds: [teams] }],
  }),
  deleteInvitation: ({ invitations }) => ({ id: invitations }),
};

/** Path and body of every stored operation. */
export const requests: Record<string, (ids: Ids) => { path: Record<string, unknown>; body?: Json }> = {
  CreateNote: ({ contacts }) => ({ path: { contactId: contacts }, body: { content: 'a note' } }),
  ContactById: ({ contacts }) => ({ path: { id: contacts } }),
  ContactAsFound: ({ contacts }) => ({ path: { id: contacts } }),
  Search: () => ({ path: {}, body: everybody }),
  Kpi: () => ({ path: {}, body: everybody }),
  CreateTeam: ({ users }) => ({
    path: {},
    body: { data: { team: { name: 'a team', users: [{ id: users }], leaders: [{ id: users }] } } },
  }),
  ReplaceTeam: ({ teams, users }) => ({
    path: {},
    body: { data: { team: { id: teams, name: 'a team', users: [{ id: users }], leaders: [{ id: users }] } } },
  }),
  Teams: () => ({ path: {} }),
  TeamById: ({ teams }) => ({ path: { id: teams } }),
  DeleteTeam: ({ teams }) => ({ path: { id: teams } }),
  Invitations: () => ({ path: {} }),
  InviteUsers: ({ roles, teams }) => ({
    path: {},
    body: { data: { invitations: [{ email: 'invited@example.org', role_id: roles, team_ids: [teams] }] } },
  }),
  DeleteInvitation: ({ invitations }) => ({ path: { id: invitations } }),
  Users: () => ({ path: {} }),
  UserById: ({ users }) => ({ path: { id: users } }),
  UpdateUser: ({ users }) => ({ path: { id: users }, body: { data: { mail: 'changed@example.org' } } }),
  Roles: () => ({ path: {} }),
  FormById: ({ forms }) => ({ path: { formId: forms } }),
  FormsByKind: () => ({ path: { type: 'survey' } }),
  MembershipPriceGroups: () => ({ path: {} }),
  DonationPrices: () => ({ path: {} }),
  TransactionStatuses: () => ({ path: {} }),
};

const roots = { query: schema.getQueryType()!.getFields(), mutation: schema.getMutationType()!.getFields() };
export const rootFields = Object.entries(roots).flatMap(([operation, all]) =>
  Object.values(all).map((field) => ({ operation, field })),
);

/** Everything of a type that can be selected without arguments, some levels deep. */
export const selectionOf = (type: GraphQLOutputType, depth = 3): string => {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const parts = Object.values(named.getFields()).flatMap((field) => {
    const inner = getNamedType(field.type);
    if (!isObjectType(inner)) return [field.name];
    return depth > 1 ? [`${field.name} ${selectionOf(inner, depth - 1)}`] : [];
  });
  return `{ ${['__typename', ...parts].join(' ')} }`;
};

/** A document that asks a root field, and whose variables are named as its arguments. */
export const documentOf = ({ operation, field }: (typeof rootFields)[number], given: Json): string => {
  const args = field.args.filter(({ name }) => name in given);
  const declared = args.map((argument) => `$${argument.name}: ${argument.type}`).join(', ');
  const passed = args.map(({ name }) => `${name}: $${name}`).join(', ');
  return `${operation} ${declared && `(${declared})`} { ${field.name}${passed && `(${passed})`} ${selectionOf(field.type)} }`;
};

/** The places of an input where an id stands, as paths; `0` stands for any item of a list. */
export const idPlaces = (input: GraphQLInputType, path: string[] = [], above: string[] = []): string[][] => {
  const type = getNullableType(input);
  if (isListType(type)) return idPlaces(type.ofType, [...path, '0'], above);
  // A group of a search may hold groups: once is enough.
  if (isInputObjectType(type))
    return above.includes(type.name)
      ? []
      : Object.values(type.getFields()).flatMap((field) =>
          idPlaces(field.type, [...path, field.name], [...above, type.name]),
        );
  return type.name === 'Id' ? [path] : [];
};
