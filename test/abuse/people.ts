// People of the demo data and their tokens: one of each role who is only in space 1, one who is in both spaces, those of space 2.
import type { Answer, Door, Json } from '../harness/app.ts';

export const roles = ['superadmin', 'admin', 'manager', 'user', 'custom'] as const;

/** Ids of users. */
export type People = Record<(typeof roles)[number] | 'both' | 'foreignSuperadmin' | 'foreignUser', number>;

export const findPeople = async (door: Door): Promise<People> => {
  const idOf = async (space: number, alone: boolean, type: string): Promise<number> =>
    (
      await door.sql(
        `select m.user_id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id
          where m.group_id = ? and ? = not exists (select from members o where o.user_id = m.user_id and o.group_id <> m.group_id)
            and r.type like ? order by 1 limit 1`,
        [space, alone, type],
      )
    )[0].user_id;
  const own = await Promise.all(roles.map(async (type) => [type, await idOf(1, true, type)]));
  return {
    ...(Object.fromEntries(own) as Record<(typeof roles)[number], number>),
    both: await idOf(1, false, '%'),
    foreignSuperadmin: await idOf(2, true, 'superadmin'),
    foreignUser: await idOf(2, true, 'user'),
  };
};

/** Helpers that tests about accounts share. */
export const createAccountHelpers = (door: Door) => {
  const rowOf = async (id: number): Promise<Json> => (await door.sql('select * from users where id = ?', [id]))[0];
  return {
    rowOf,
    mailOf: async (id: number): Promise<string> => (await rowOf(id)).mail,
    roleOf: async (space: number, type: string): Promise<number> =>
      (await door.sql('select min(id) as id from roles where group_id = ? and type = ?', [space, type]))[0].id,
    graph: async (user: number, document: string, variables: Json = {}, space = 1): Promise<Answer> =>
      door.graphql(document, variables, await door.token(space, user)),
    rest: async (user: number, method: string, path: string, body?: Json, space = 1): Promise<Answer> =>
      door.rest(method, path, body, await door.token(space, user)),
  };
};

/** The status and the message of a refusal over GraphQL. */
export const readRefusal = ({ body }: Answer): [number, string] | undefined =>
  body.errors && [body.errors[0].extensions.status, body.errors[0].message];
