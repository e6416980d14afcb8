// Teams of users, as they are read: with their users and their address.
import { convertToOffsetPage, type OffsetPage } from '../../database/offset-page.ts';
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { limits } from '../../limits/limits.ts';
import { Problem } from '../../problem.ts';
import type { AddressRow } from '../contact/columns.ts';
import { defineList } from '../noun/define-list.ts';
import type { Viewer } from '../noun/describe.ts';
import type { RelatedRows } from '../noun/json-sql.ts';
import type { ListPage } from '../noun/page.ts';
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

/** The number that a text of degrees means; null for a text that is no number. */
export const readDegrees = (text: string): number | null => {
  const degrees = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(degrees) ? degrees : null;
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

const basicColumns =
  't.id, t.name, t.description, t.private, t.hide_users, t.version, t.created_at, t.updated_at, to_json(a) as address';
const buildUsersSql = (
  team: string,
): string => `(select coalesce(json_agg(one order by one.position, one.id), '[]') from (
       select tu.leader, tu.position, ${userColumns} from team_users tu
         join members m on m.group_id = tu.group_id and m.user_id = tu.user_id ${userJoins}
        where tu.group_id = :group and tu.team_id = ${team}.id) one)`;
const maxUsers = limits.request.usersOfTeams;
/** The users of a team, or its leaders, for JSON that PostgreSQL writes: of a team of `teamList`. */
export const relateUsersOfTeam = (ofLeaders: boolean): RelatedRows => ({
  by: 'id',
  bound: { column: 'users_of_page', most: maxUsers },
  buildSql: (team) =>
    `select tu.leader, ${userColumns} from team_users tu
       join members m on m.group_id = tu.group_id and m.user_id = tu.user_id ${userJoins}
      where tu.group_id = :group and tu.team_id = ${team}${ofLeaders ? ' and tu.leader' : ''} order by tu.position, u.id`,
});
const address = 'left join team_addresses a on a.group_id = :group and a.team_id = t.id';
/** Private teams are there for their members, and for those who see all. `user` stands for the id of a user. */
const buildVisibleSql = (user: string): string =>
  `(not t.private or exists (select 1 from team_users own where own.group_id = :group and own.team_id = t.id and own.user_id = ${user}))`;
const visible = `(:seesAll or ${buildVisibleSql(':userId')})`;
/** SQL condition that a team `t` is there for the viewer `:userId`, `:seesAll`. */
export const visibleTeam = `t.group_id = :group and t.deleted_at is null and ${visible}`;
const byId = defineStatement(
  'team.by_id',
  `select ${basicColumns}, ${buildUsersSql('t')} as users from teams t ${address} where ${visibleTeam} and t.id = :id`,
);
/** Users are not read when the teams of the page have more than one answer holds. */
const list = defineStatement(
  'team.list',
  `with page as (select t.* from teams t where ${visibleTeam} order by t.id limit :limit offset :offset),
        counted as (select count(*) as total from teams t where ${visibleTeam}),
        belonging as (select count(*) as users from (
          select 1 from team_users tu where tu.group_id = :group and tu.team_id in (select id from page) limit cast(:maxUsers as int) + 1) few)
   select counted.total, ${basicColumns}, case when belonging.users <= cast(:maxUsers as int) then ${buildUsersSql('t')} end as users
     from counted cross join belonging left join (page t ${address}) on true order by t.id`,
);
/** A team, whole; undefined when it is missing or private to others. */
export const readTeam = (space: Space, id: number, viewer: Viewer): Promise<TeamRow | undefined> =>
  space.row(byId, { id, ...viewer });

/** A page of the teams, by id. Throws 422 when they have more users than one answer holds. */
export const listTeams = async (
  space: Space,
  slice: { limit: number; offset: number },
  viewer: Viewer,
): Promise<OffsetPage<TeamRow>> => {
  const page = convertToOffsetPage(
    await space.rows<TeamRow & { total: number }>(list, { ...slice, ...viewer, maxUsers }),
  );
  requireUsers(page.items);
  return page;
};

const requireUsers = (teams: readonly TeamRow[]): void => {
  if (teams.every(({ users }) => users !== null)) return;
  throw new Problem('answer-too-large', `These teams have more than ${maxUsers} users; ask for fewer teams at once`);
};

const manyUsersSql = `(select count(*) from (select 1 from team_users tu where tu.group_id = :group and tu.team_id = t.id limit ${maxUsers + 1}) few) as many`;

/** The teams that an invitation offers, for JSON that PostgreSQL writes for a viewer. */
export const teamsOfInvitation: RelatedRows = {
  by: 'id',
  buildSql: (invitation) =>
    `select page.*, sum(page.many) over () as users_of_page
       from (select ${basicColumns}, ${manyUsersSql} from teams t ${address}
              where ${visibleTeam} and t.id in (select o.team_id from invitation_teams o where o.group_id = :group and o.invitation_id = ${invitation})) page
      order by page.id`,
};

const teams = defineList<TeamRow & { many: number; users_of_page: number }>()({
  noun: 'team',
  from: `teams t ${address}`,
  scoped: ['t'],
  columns: `${basicColumns}, ${manyUsersSql}`,
  computed: `sum(page.many) over () as users_of_page, case when sum(page.many) over () <= ${maxUsers} then ${buildUsersSql('page')} end as users`,
  living: 't.deleted_at is null',
  restricted: buildVisibleSql('?'),
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
    return {
      ...edges,
      rows: rows.map(({ row: { many: _, users_of_page: __, ...row }, position }) => ({ row, position })),
    };
  },
};

/** The teams with these ids, by id. */
export const readTeamsByIds = async (space: Space, ids: readonly number[], viewer: Viewer): Promise<TeamRow[]> =>
  (await teamList.readPage(space, { filter: { id: { in: ids } }, first: ids.length, viewer })).rows.map(
    ({ row }) => row,
  );
