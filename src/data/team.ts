// Teams of users: each write replaces the whole team, so that a reader always sees the state that one writer left.

import { isDeepStrictEqual } from 'node:util';
import { convertToOffsetPage, type OffsetPage } from '../database/offset-page.ts';
import type { Space } from '../database/space.ts';
import { defineStatement, type Values } from '../database/statement.ts';
import { limits } from '../limits.ts';
import {
  createInvalidProblem,
  createNotFoundProblem,
  createTwinFault,
  createVersionProblem,
  type Fault,
  Problem,
} from '../problem.ts';
import type { AddressRow } from './contact/columns.ts';
import { defineList } from './list/define-list.ts';
import type { ListPage } from './list/page.ts';
import { type UserRow, userColumns, userJoins } from './user.ts';

/** The address of a team: beside the parts of a contact's, with degrees as the texts that were sent. */
export type TeamAddressRow = Omit<AddressRow, 'contact_id' | 'invalid' | 'latitude' | 'longitude'> & {
  group_id: number;
  team_id: number;
  building_type: string | null;
  invalid: boolean | null;
  latitude: string | null;
  longitude: string | null;
};

/** A team with its users and address, read by one statement: a reader never sees parts of two writes. */
export interface TeamRow {
  id: number;
  name: string;
  description: string;
  private: boolean;
  hide_users: boolean;
  /** Incremented by every change of the team and of its users. */
  version: number;
  created_at: string;
  updated_at: string;
  users: (UserRow & { leader: boolean })[];
  address: TeamAddressRow | null;
}

/** The whole team as it is written. Leaders are among the users. */
export interface TeamContent {
  name: string;
  description: string;
  private: boolean;
  hideUsers: boolean;
  users: number[];
  leaders: number[];
  address: Values | null;
  /** Parts of the address that were sent under two names with different values. */
  twins: { column: string; places: [string, string]; values: [unknown, unknown] }[];
}

const basicColumns =
  't.id, t.name, t.description, t.private, t.hide_users, t.version, t.created_at, t.updated_at, to_json(a) as address';
const buildUsersSql = (
  team: string,
): string => `(select coalesce(json_agg(one order by one.position, one.id), '[]') from (
       select tu.leader, tu.position, ${userColumns} from team_users tu
         join members m on m.group_id = tu.group_id and m.user_id = tu.user_id ${userJoins}
        where tu.group_id = :group and tu.team_id = ${team}.id) one)`;
const maxUsers = limits.request.usersOfTeams;
const address = 'left join team_addresses a on a.group_id = t.group_id and a.team_id = t.id';
const living = 'group_id = :group and deleted_at is null';
const byId = defineStatement(
  'team.by_id',
  `select ${basicColumns}, ${buildUsersSql('t')} as users from teams t ${address} where t.${living} and t.id = :id`,
);
/** Users are not read when the teams of the page have more than one answer holds. */
const list = defineStatement(
  'team.list',
  `with page as (select * from teams where ${living} order by id limit :limit offset :offset),
        counted as (select count(*) as total from teams where ${living}),
        belonging as (select count(*) as users from (
          select from team_users tu where tu.group_id = :group and tu.team_id in (select id from page) limit cast(:maxUsers as int) + 1) few)
   select counted.total, ${basicColumns}, case when belonging.users <= cast(:maxUsers as int) then ${buildUsersSql('t')} end as users
     from counted cross join belonging left join (page t ${address}) on true order by t.id`,
);
const create = defineStatement(
  'team.create',
  `insert into teams (group_id, name, description, private, hide_users)
   values (:group, :name, :description, :private, :hideUsers) returning id`,
);
/**
 * Locks the team, which serializes its writers, and its members: whoever leaves the space is locked there first and in the team second, and
 * the other order would deadlock. The members are counted in the condition, which makes PostgreSQL lock them before the team.
 */
const lock = defineStatement(
  'team.lock',
  `with locked as (select user_id from members where group_id = :group and user_id = any(:users) order by user_id for key share)
   select id from teams where group_id = :group and id = :id and deleted_at is null and (select count(*) from locked) >= 0 for no key update`,
);
const replace = defineStatement(
  'team.replace',
  `update teams set name = :name, description = :description, private = :private, hide_users = :hideUsers,
          version = version + 1, updated_at = now()
    where group_id = :group and id = :id`,
);
const clear = defineStatement(
  'team.clear',
  `with removed as (delete from team_users where group_id = :group and team_id = :id)
   delete from team_addresses where group_id = :group and team_id = :id`,
);
const join = defineStatement(
  'team.join',
  `insert into team_users (group_id, team_id, user_id, leader, position)
   select m.group_id, :id, m.user_id, m.user_id = any(:leaders), min(given.position)
     from unnest(cast(:users as bigint[])) with ordinality given (user_id, position)
     join members m on m.group_id = :group and m.user_id = given.user_id
     join users u on u.id = m.user_id and u.deleted_at is null
    group by m.group_id, m.user_id
   returning user_id`,
);
const remove = defineStatement(
  'team.delete',
  `update teams set deleted_at = now(), updated_at = now(), version = version + 1
    where group_id = :group and id = :id and deleted_at is null returning id`,
);
export const readTeam = (space: Space, id: number): Promise<TeamRow | undefined> => space.row(byId, { id });

/** A page of the teams, by id. Throws 422 when they have more users than one answer holds. */
export const listTeams = async (
  space: Space,
  slice: { limit: number; offset: number },
): Promise<OffsetPage<TeamRow>> => {
  const page = convertToOffsetPage(await space.rows<TeamRow & { total: number }>(list, { ...slice, maxUsers }));
  requireUsers(page.items);
  return page;
};

const requireUsers = (teams: readonly TeamRow[]): void => {
  if (teams.every(({ users }) => users !== null)) return;
  throw new Problem('answer-too-large', `These teams have more than ${maxUsers} users; ask for fewer teams at once`);
};

const addressColumns = [
  ...[
    'addition',
    'building',
    'building_type',
    'city',
    'citycode',
    'country',
    'county',
    'door',
    'floor',
    'house_number',
  ],
  ...[
    'infos',
    'invalid',
    'latitude',
    'location',
    'longitude',
    'polling_station',
    'postal_code',
    'score',
    'state',
    'street',
  ],
].join(', ');
const writeAddress = defineStatement(
  'team.write_address',
  `insert into team_addresses (group_id, team_id, ${addressColumns})
   select :group, :id, ${addressColumns} from jsonb_populate_record(null::team_addresses, cast(:address as jsonb))`,
);

/** Creates a team. Throws 422 for users who are not members of the space, 400 for an address with two values for one part. */
export const createTeam = (space: Space, content: TeamContent): Promise<TeamRow> =>
  space.transaction(async (tx) => {
    const whole = chooseParts(content, null);
    const { id } = (await tx.row<{ id: number }>(create, basics(whole)))!;
    await fill(tx, id, whole);
    return (await readTeam(tx, id))!;
  });

/**
 * Replaces the whole team, unless it is equal already. Throws 404 for a missing team, 412 when its version is not the expected one, 422 for
 * users who are not members of the space, 400 for an address with two new values for one part.
 */
export const replaceTeam = (
  space: Space,
  id: number,
  content: TeamContent,
  expectedVersion: number | null = null,
): Promise<TeamRow> =>
  space.transaction(async (tx) => {
    // The second of two writers begins its next statement after the first has committed, and sees the result.
    if (!(await tx.row(lock, { id, users: content.users }))) throw createNotFoundProblem('team', id);
    const before = (await readTeam(tx, id))!;
    if (expectedVersion !== null && before.version !== expectedVersion)
      throw createVersionProblem('team', before.version);
    const whole = chooseParts(content, before.address);
    if (isAs(whole, before)) return before;
    await tx.rows(replace, { ...basics(whole), id });
    await tx.rows(clear, { id });
    await fill(tx, id, whole);
    return (await readTeam(tx, id))!;
  });

/** Soft-deletes a team. Throws 404 when it is missing. */
export const deleteTeam = async (space: Space, id: number): Promise<number> => {
  if (!(await space.row(remove, { id }))) throw createNotFoundProblem('team', id);
  return id;
};

/** The content with those of the parts sent under two names that differ from the stored address. */
const chooseParts = (content: TeamContent, stored: Values | null): TeamContent => {
  const faults: Fault[] = [];
  const chosen = content.twins.map(({ column, places, values: [one, second] }) => {
    const now = stored?.[column] ?? null;
    if (one !== now && second !== now) faults.push(createTwinFault(places, one));
    return [column, one === now ? second : one];
  });
  if (faults.length > 0) throw createInvalidProblem(faults);
  return chosen.length > 0 ? { ...content, address: { ...content.address, ...Object.fromEntries(chosen) } } : content;
};

/** Whether the team equals this content. An address without any value is no address. */
const isAs = ({ users: ids, leaders, address: parts, ...content }: TeamContent, before: TeamRow): boolean => {
  const { name, description, private: isPrivate, hideUsers } = content;
  const basic = [name, description, isPrivate, hideUsers];
  const { id: _, group_id: __, team_id: ___, ...stored } = before.address ?? {};
  return (
    isDeepStrictEqual(basic, [before.name, before.description, before.private, before.hide_users]) &&
    isDeepStrictEqual(
      [...new Set(ids)].map((id) => [id, leaders.includes(id)]),
      before.users.map(({ id, leader }) => [id, leader]),
    ) &&
    isDeepStrictEqual(valuesAmong(parts ?? {}), valuesAmong(stored))
  );
};

const valuesAmong = (parts: Values): Values =>
  Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== null && value !== undefined));

const basics = ({ name, description, private: isPrivate, hideUsers }: TeamContent): Values => ({
  name,
  description,
  private: isPrivate,
  hideUsers,
});

const fill = async (tx: Space, id: number, { users, leaders, address }: TeamContent): Promise<void> => {
  if (users.length > 0) {
    const joined = new Set(
      (await tx.rows<{ user_id: number }>(join, { id, users, leaders })).map((row) => row.user_id),
    );
    const missing = users.flatMap((user, index) => (joined.has(user) ? [] : [{ user, index }]));
    if (missing.length > 0) throw notMembers(missing);
  }
  if (address) await tx.rows(writeAddress, { id, address: JSON.stringify(address) });
};

const notMembers = (missing: { user: number; index: number }[]): Problem =>
  new Problem('unprocessable', `Not a member of the space: ${missing.map(({ user }) => user).join(', ')}`, {
    errors: missing.map(({ user, index }) => ({
      location: `input.users[${index}].id`,
      message: 'is not a member of the space',
      value: user,
    })),
  });

const teams = defineList<TeamRow & { many: number }>()({
  noun: 'team',
  from: `teams t ${address}`,
  scoped: ['t'],
  columns: `${basicColumns},
    (select count(*) from (select from team_users tu where tu.group_id = :group and tu.team_id = t.id limit ${maxUsers + 1}) few) as many`,
  computed: `case when sum(page.many) over () <= ${maxUsers} then ${buildUsersSql('page')} end as users`,
  living: 't.deleted_at is null',
  fields: {
    id: { column: 't.id', type: 'id' },
    name: { column: 't.name', type: 'text' },
    description: { column: 't.description', type: 'text' },
    private: { column: 't.private', type: 'boolean' },
    createdAt: { column: 't.created_at', type: 'instant' },
    updatedAt: { column: 't.updated_at', type: 'instant' },
  },
  orders: ['id', 'name', 'createdAt', 'updatedAt'],
  isShort: true,
  groups: ['private'],
});

/** Teams have no parents. */
const { readPagesOf: _, countOf: __, ...listOfTeams } = teams;
export const teamList = {
  ...listOfTeams,
  /** Like the pages of other lists. Throws 422 when the teams have more users than one answer holds. */
  readPage: async (...args: Parameters<typeof teams.readPage>): Promise<ListPage<TeamRow>> => {
    const { rows, ...edges } = await teams.readPage(...args);
    requireUsers(rows.map(({ row }) => row));
    return { ...edges, rows: rows.map(({ row: { many: _, ...row }, position }) => ({ row, position })) };
  },
};

/** The teams with these ids, by id. */
export const readTeamsByIds = async (space: Space, ids: readonly number[]): Promise<TeamRow[]> =>
  (await teamList.readPage(space, { filter: { id: { in: ids } }, first: ids.length })).rows.map(({ row }) => row);
