// Writes of teams: each replaces the whole team, so that a reader always sees the state that one writer left.
import { isDeepStrictEqual } from 'node:util';
import type { Space } from '../../database/space.ts';
import { defineStatement, type Values } from '../../database/statement.ts';
import { createInvalidProblem, createNotFoundProblem, createTwinFault, type Fault, Problem } from '../../problem.ts';
import { addressColumnNames } from '../contact/columns.ts';
import type { Viewer } from '../noun/describe.ts';
import type { Precondition } from '../noun/precondition.ts';
import { requireFound } from '../noun/references.ts';
import { readDegrees, readTeam, type TeamRow, visibleTeam } from './team.ts';

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

const create = defineStatement(
  'team.create',
  `insert into teams (group_id, name, description, private, hide_users)
   values (:group, :name, :description, :private, :hideUsers) returning id`,
);
/**
 * Locks the team, which serializes its writers, and its members: whoever leaves the space is locked there first and in the team second, and
 * the other order would deadlock. The members are counted in the condition, which makes PostgreSQL lock them before the team. On a cluster
 * this locks the copy of the members on the node of the space, where foreign keys of the team are checked. It looks for visible teams only, so
 * that a hidden team takes as long as a missing one.
 */
const lock = defineStatement(
  'team.lock',
  `with locked as (select user_id from members where group_id = :group and user_id = any(:users) order by user_id for key share)
   select t.id from teams t where t.id = :id and ${visibleTeam} and (select count(*) from locked) >= 0 for no key update`,
);
const replace = defineStatement(
  'team.replace',
  `update teams set name = :name, description = :description, private = :private, hide_users = :hideUsers,
          version = version + 1, updated_at = now()
    where group_id = :group and id = :id`,
);
/**
 * Removes what changes, and returns the users who stay as they are: they keep their rows. The feed would tell a row that goes and
 * comes again as a change.
 */
const clear = defineStatement(
  'team.clear',
  `with gone as (
     delete from team_users t
      where t.group_id = :group and t.team_id = :id and not :sameUsers
        and not exists (
          select 1 from unnest(cast(:users as bigint[])) with ordinality given (user_id, position)
            join users u on u.id = given.user_id and u.deleted_at is null
           where given.user_id = t.user_id
          having min(given.position) = t.position and t.leader = (t.user_id = any(cast(:leaders as bigint[]))))
     returning t.user_id),
   address as (delete from team_addresses where group_id = :group and team_id = :id and not :hasAddress)
   select user_id from team_users where group_id = :group and team_id = :id and user_id not in (select user_id from gone)`,
);
const join = defineStatement(
  'team.join',
  `insert into team_users (group_id, team_id, user_id, leader, position)
   select m.group_id, :id, m.user_id, m.user_id = any(:leaders), min(given.position)
     from unnest(cast(:users as bigint[])) with ordinality given (user_id, position)
     join members m on m.group_id = :group and m.user_id = given.user_id
     join users u on u.id = m.user_id and u.deleted_at is null
    where m.user_id = any(cast(:others as bigint[]))
    group by m.group_id, m.user_id
   returning user_id`,
);
const remove = defineStatement(
  'team.delete',
  `update teams t set deleted_at = now(), updated_at = now(), version = version + 1 where t.id = :id and ${visibleTeam} returning version - 1 as version`,
);
const addressColumns = ['building_type', ...addressColumnNames].join(', ');
/** An address that changes keeps its id, which replies show. */
const writeAddress = defineStatement(
  'team.write_address',
  `insert into team_addresses (group_id, team_id, ${addressColumns})
   select :group, :id, ${addressColumns} from jsonb_populate_record(null::team_addresses, cast(:address as jsonb))
   on conflict (group_id, team_id) do update set (${addressColumns}) = (${addressColumns.replaceAll(/\w+/g, 'excluded.$&')})`,
);

/** Writers are answered with what they wrote, also when it is private to others from now on. */
const writer: Viewer = { userId: -1, seesAll: true };

/** Creates a team. Throws 422 for users who are not members of the space, 400 for an address with two values for one part. */
export const createTeam = (space: Space, content: TeamContent): Promise<TeamRow> =>
  space.transaction(async (tx) => {
    const whole = chooseParts(content, null);
    const { id } = (await tx.row<{ id: number }>(create, { ...whole }))!;
    await joinUsers(tx, id, whole);
    await fillAddress(tx, id, whole);
    return (await readTeam(tx, id, writer))!;
  });

/**
 * Replaces the whole team, unless it is equal already. Throws 404 for a team that is missing or private to others, 412 when it is not as `expected`, 422 for
 * users who are not members of the space, 400 for an address with two new values for one part.
 */
export const replaceTeam = (
  space: Space,
  id: number,
  content: TeamContent,
  viewer: Viewer,
  expected?: Precondition,
): Promise<TeamRow> =>
  space.transaction(async (tx) => {
    // The second of two writers begins its next statement after the first has committed, and sees the result.
    if (!(await tx.row(lock, { id, users: content.users, ...viewer }))) throw createNotFoundProblem('team', id);
    const before = requireFound('team', id, await readTeam(tx, id, viewer));
    expected?.check('team', before.version);
    const whole = chooseParts(content, before.address);
    const same = compare(whole, before);
    if (same.basic && same.users && same.address) return before;
    await tx.rows(replace, { ...whole, id });
    const { users, leaders } = whole;
    const flags = { sameUsers: same.users, hasAddress: whole.address !== null };
    const kept = await tx.rows<{ user_id: number }>(clear, { id, users, leaders, ...flags });
    if (!same.users) await joinUsers(tx, id, whole, new Set(kept.map((row) => row.user_id)));
    if (!same.address) await fillAddress(tx, id, whole);
    return (await readTeam(tx, id, writer))!;
  });

/** Soft-deletes a team. Throws 404 when it is missing or private to others, 412 when it is not as `expected`. */
export const deleteTeam = (space: Space, id: number, viewer: Viewer, expected?: Precondition): Promise<number> =>
  space.transaction(async (tx) => {
    const { version } = requireFound('team', id, await tx.row<{ version: number }>(remove, { id, ...viewer }));
    expected?.check('team', version);
    return id;
  });

/** Degrees are stored as texts. A number that the stored text means leaves it as it is: the graph shows only the number. */
const convertDegrees = (address: Values, stored: Values | null): Values =>
  Object.fromEntries(
    Object.entries(address).map(([column, value]) => {
      if (typeof value !== 'number' || !['latitude', 'longitude'].includes(column)) return [column, value];
      const text = stored?.[column];
      return [column, typeof text === 'string' && readDegrees(text) === value ? text : `${value}`];
    }),
  );

/** The content with its degrees as texts, and with those of the parts sent under two names that differ from the stored address. */
const chooseParts = (sent: TeamContent, stored: Values | null): TeamContent => {
  const content = { ...sent, address: sent.address && convertDegrees(sent.address, stored) };
  const faults: Fault[] = [];
  const chosen = content.twins.map(({ column, places, values: [one, second] }) => {
    const now = stored?.[column] ?? null;
    if (one !== now && second !== now) faults.push(createTwinFault(places, one));
    return [column, one === now ? second : one];
  });
  if (faults.length > 0) throw createInvalidProblem(faults);
  return chosen.length > 0 ? { ...content, address: { ...content.address, ...Object.fromEntries(chosen) } } : content;
};

/** Which parts of the team equal this content. An address without any value is no address. */
const compare = ({ users: ids, leaders, address: parts, ...content }: TeamContent, before: TeamRow) => {
  const { name, description, private: isPrivate, hideUsers } = content;
  const basic = [name, description, isPrivate, hideUsers];
  const { id: _, group_id: __, team_id: ___, ...stored } = before.address ?? {};
  return {
    basic: isDeepStrictEqual(basic, [before.name, before.description, before.private, before.hide_users]),
    users: isDeepStrictEqual(
      [...new Set(ids)].map((id) => [id, leaders.includes(id)]),
      before.users.map(({ id, leader }) => [id, leader]),
    ),
    address: isDeepStrictEqual(valuesAmong(parts ?? {}), valuesAmong(stored)),
  };
};

const valuesAmong = (parts: Values): Values =>
  Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== null && value !== undefined));

/** Adds the users who are not there yet. Throws 422 for those who are not members of the space. */
const joinUsers = async (
  tx: Space,
  id: number,
  { users, leaders }: TeamContent,
  there: ReadonlySet<number> = new Set(),
): Promise<void> => {
  const others = users.filter((user) => !there.has(user));
  if (others.length === 0) return;
  const rows = await tx.rows<{ user_id: number }>(join, { id, users, leaders, others });
  const joined = new Set(rows.map((row) => row.user_id));
  const missing = users.flatMap((user, index) => (there.has(user) || joined.has(user) ? [] : [{ user, index }]));
  if (missing.length > 0) throw notMembers(missing);
};

const fillAddress = async (tx: Space, id: number, { address }: TeamContent): Promise<void> => {
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
