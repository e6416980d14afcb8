// Teams of users: replaced whole, so that what is read is always what one writer wrote.
import { notFound, Problem } from '../problem.ts';
import { type Space, statement, type Values } from './space.ts';
import { type UserRow, userColumns, userJoins } from './user.ts';

export interface TeamRow {
  id: number;
  name: string;
  description: string;
  private: boolean;
  hide_users: boolean;
  created_at: string;
  updated_at: string;
}

export interface TeamUserRow extends UserRow {
  team_id: number;
  leader: boolean;
}

/** The whole of a team, as it is written. Leaders are among the users. */
export interface TeamContent {
  name: string;
  description: string;
  private: boolean;
  hideUsers: boolean;
  users: number[];
  leaders: number[];
  address: Values | null;
}

const columns = 'id, name, description, private, hide_users, created_at, updated_at';
const byId = statement(
  'team.by_id',
  `select ${columns} from teams where group_id = :group and id = :id and deleted_at is null`,
);
const list = statement(
  'team.list',
  `select ${columns} from teams where group_id = :group and deleted_at is null order by id`,
);
const create = statement(
  'team.create',
  `insert into teams (group_id, name, description, private, hide_users)
   values (:group, :name, :description, :private, :hideUsers) returning ${columns}`,
);
/**
 * Takes the row's lock, behind which writers of one team stand in line, and those of its members: who leaves the space
 * is locked there first and in the team second, and in the other order the two would wait for each other.
 */
const replace = statement(
  'team.replace',
  `with held as (select user_id from members where group_id = :group and user_id = any(:users) order by user_id for key share)
   update teams set name = :name, description = :description, private = :private, hide_users = :hideUsers,
          version = version + 1, updated_at = now()
    where group_id = :group and id = :id and deleted_at is null
   returning ${columns}, (select count(*) from held) as held`,
);
const clear = statement(
  'team.clear',
  `with gone as (delete from team_users where group_id = :group and team_id = :id)
   delete from team_addresses where group_id = :group and team_id = :id`,
);
const join = statement(
  'team.join',
  `insert into team_users (group_id, team_id, user_id, leader, position)
   select m.group_id, :id, m.user_id, m.user_id = any(:leaders), min(given.position)
     from unnest(cast(:users as bigint[])) with ordinality given (user_id, position)
     join members m on m.group_id = :group and m.user_id = given.user_id
     join users u on u.id = m.user_id and u.deleted_at is null
    group by m.group_id, m.user_id
   returning user_id`,
);
const remove = statement(
  'team.delete',
  `update teams set deleted_at = now(), updated_at = now(), version = version + 1
    where group_id = :group and id = :id and deleted_at is null returning id`,
);
const usersOf = statement(
  'team.users',
  `select t.team_id, t.leader, ${userColumns} from team_users t
     join members m on m.group_id = t.group_id and m.user_id = t.user_id ${userJoins}
    where t.group_id = :group and t.team_id = any(:ids) order by t.team_id, t.position, t.user_id`,
);
const addressesOf = statement(
  'team.addresses',
  'select * from team_addresses where group_id = :group and team_id = any(:ids)',
);

export const team = (space: Space, id: number): Promise<TeamRow | undefined> => space.row(byId, { id });
export const teams = (space: Space): Promise<TeamRow[]> => space.rows(list);
export const usersOfTeams = (space: Space, ids: readonly number[]): Promise<TeamUserRow[]> =>
  space.rows(usersOf, { ids });
export const addressesOfTeams = (space: Space, ids: readonly number[]): Promise<(Values & { team_id: number })[]> =>
  space.rows(addressesOf, { ids });

/** Creates a team. Throws 422 for users who are not members of the space. */
export const createTeam = (space: Space, content: TeamContent): Promise<TeamRow> =>
  space.transaction(async (tx) => {
    const created = (await tx.row<TeamRow>(create, basics(content)))!;
    await fill(tx, created.id, content);
    return created;
  });

/** Replaces all that a team is. Throws 404 for no such team, 422 for users who are not members of the space. */
export const replaceTeam = (space: Space, id: number, content: TeamContent): Promise<TeamRow> =>
  space.transaction(async (tx) => {
    const replaced = await tx.row<TeamRow>(replace, { ...basics(content), id, users: content.users });
    if (!replaced) throw notFound('team', id);
    await tx.rows(clear, { id });
    await fill(tx, id, content);
    return replaced;
  });

/** Soft-deletes a team. Throws 404 when it is missing. */
export const deleteTeam = async (space: Space, id: number): Promise<number> => {
  if (!(await space.row(remove, { id }))) throw notFound('team', id);
  return id;
};

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
    const strangers = users.flatMap((user, index) => (joined.has(user) ? [] : [{ user, index }]));
    if (strangers.length > 0) throw notMembers(strangers);
  }
  if (address) await tx.insert('team_addresses', { ...address, team_id: id });
};

const notMembers = (strangers: { user: number; index: number }[]): Problem =>
  new Problem('unprocessable', `Not a member of the space: ${strangers.map(({ user }) => user).join(', ')}`, {
    errors: strangers.map(({ user, index }) => ({
      location: `input.users[${index}].id`,
      message: 'is not a member of the space',
      value: user,
    })),
  });
