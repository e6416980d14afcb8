// A team with very many members.
import type { Door } from './app.ts';

/** Inserts so many new members of space 1 into a new team, and returns its id. A cluster inserts a member on each of its nodes, so there are several statements. */
export const insertLargeTeam = async (door: Door, size: number): Promise<number> => {
  const [{ id }] = await door.sql(`insert into teams (group_id, name) values (1, 'Crowd') returning id`);
  const batch = 1000;
  for (let from = 1; from <= size; from += batch) {
    const [first, last] = [from, Math.min(from + batch - 1, size)];
    const users = await door.sql(
      `insert into users (mail) select 'crowd-' || n || '@example.org' from generate_series(?::int, ?::int) n returning id`,
      [first, last],
    );
    const ids = users.map((user) => user.id);
    await door.sql(
      `insert into members (group_id, user_id, role_id) select 1, u.id, (select min(id) from roles where group_id = 1 and type = 'user')
         from users u where u.id = any(?)`,
      [ids],
    );
    await door.sql(
      'insert into team_users (group_id, team_id, user_id) select 1, ?, u.id from users u where u.id = any(?)',
      [id, ids],
    );
  }
  return id;
};
