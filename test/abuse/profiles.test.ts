// Profiles: an admin sees and changes those of people who are in this space only; people in several spaces control their own.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Door, type Json, openApp } from '../harness/app.ts';
import { buildWaitingSql } from '../harness/session.ts';
import { waitUntil } from '../harness/waiting.ts';
import { createAccountHelpers, findPeople, type People, readRefusal, roles } from './people.ts';

let door: Door;
let people: People;
let call: ReturnType<typeof createAccountHelpers>;

const secrets = {
  address: '1 rue A',
  city: 'Albi',
  postal: '81000',
  location: '43.9,2.1',
  birthdate: '1980-02-29',
  two_factor_enable: true,
  two_factor_method: 'app',
};
const names = Object.keys(secrets);

beforeAll(async () => {
  door = await openApp();
  people = await findPeople(door);
  call = createAccountHelpers(door);
  await door.sql(
    `update users set ${names.map((name) => `${name} = :${name}`).join(', ')}`.replace(/:(\w+)/g, '?'),
    Object.values(secrets),
  );
});

const written = 'mutation ($input: UserUpdateInput!) { updateUser(input: $input) { user { id } } }';
const patch = (by: number, id: number, data: Json): Promise<Answer> => call.rest(by, 'PATCH', `/users/${id}`, { data });
const shared = 'This user belongs to another space too: only they themselves may change their profile';

describe('the profile of a user in several spaces', () => {
  it.each(['admin', 'superadmin'] as const)('cannot be changed by an %s of one space, by either door', async (type) => {
    const { both, [type]: by } = people;
    const before = await call.rowOf(both);
    const { status, body } = await patch(by, both, { mail: before.mail, firstname: 'Taken' });
    expect([status, body.detail]).toEqual([403, shared]);
    const input = { email: 'taken@example.org', birthDate: '2001-01-01' };
    expect(readRefusal(await call.graph(by, written, { input: { id: both, ...input } }))).toEqual([403, shared]);
    // The refusal is the same for a mail in use.
    const taken = await call.mailOf(people.foreignUser);
    expect((await patch(by, both, { mail: taken })).status).toBe(403);
    expect(await call.rowOf(both)).toEqual(before);
  });

  it('is changed by the user, in any of the spaces', async () => {
    const { both } = people;
    const { mail } = await call.rowOf(both);
    for (const space of [1, 2]) {
      const { status } = await call.rest(both, 'PATCH', `/users/${both}`, { data: { mail, city: `${space}` } }, space);
      expect([status, (await call.rowOf(both)).city]).toEqual([200, `${space}`]);
    }
    await door.sql('update users set city = ? where id = ?', [secrets.city, both]);
  });

  it('is protected from the moment of the write: whoever joins another space meanwhile controls their own', async () => {
    const { admin, user } = people;
    const { mail, firstname } = await call.rowOf(user);
    const [{ id }] = await door.sql(
      `insert into invitations (group_id, email, role_id) values (2, ?, ?) returning id`,
      [mail, await call.roleOf(2, 'user')],
    );
    let answer: Promise<Answer> | undefined;
    await door.database.readers.knex.transaction(async (joining) => {
      await joining.raw('select * from accept_invitation(1, ?, ?)', [user, id]);
      answer = patch(admin, user, { mail, firstname: 'Late' });
      await waitUntil('the change waits for who joins', async () => (await door.sql(buildWaitingSql())).length > 0);
    });
    expect((await answer!).status).toBe(403);
    expect((await call.rowOf(user)).firstname).toBe(firstname);
    await door.sql('delete from members where group_id = 2 and user_id = ?', [user]);
    expect((await patch(admin, user, { mail, firstname: 'Alone again' })).status).toBe(200);
  });

  it('is not protected by a deleted space', async () => {
    const { admin, user } = people;
    await door.sql(
      `with gone as (insert into spaces (name, deleted_at) values ('Gone', now()) returning id),
       role as (insert into roles (group_id, name, type) select id, 'x', 'user' from gone returning group_id, id)
       insert into members (group_id, user_id, role_id) select group_id, ?, id from role`,
      [user],
    );
    expect((await patch(admin, user, { mail: await call.mailOf(user) })).status).toBe(200);
  });
});

describe('private fields: address, birthdate and sign-in method', () => {
  /** The same fields in the graph, in the same order. */
  const namesInGraph = [
    'address',
    'city',
    'postalCode',
    'location',
    'birthDate',
    'twoFactorEnabled',
    'twoFactorMethod',
  ];
  const fields = `id: databaseId ${namesInGraph.join(' ')}`;
  const inGraph = (row: Json): Json => namesInGraph.map((name) => row[name]);
  const all = Object.values(secrets);
  const none = names.map(() => null);
  const midnight = { ...secrets, birthdate: `${secrets.birthdate}T00:00:00Z` };

  /** All that a caller can read of a user, by every query. */
  const readProfile = async (by: number, id: number): Promise<{ graph: Json[]; rest: Json[] }> => {
    const document = `query ($id: ID!) { user(id: $id) { ${fields} } users { items: nodes { ${fields} } } viewer { user { ${fields} } }
      teams { items: nodes { users { ${fields} } leaders { ${fields} } } } }`;
    const { data } = (await call.graph(by, document, { id })).body;
    const listed = [
      data.viewer.user,
      ...data.users.items,
      ...data.teams.items.flatMap((t: Json) => [t.users, t.leaders]),
    ];
    const get = async (path: string) => (await call.rest(by, 'GET', path)).body.data;
    const teams = [...(await get('/teams')).teams, (await get(`/teams/${team}`)).team];
    const users = [(await get(`/users/${id}`)).user, ...(await get('/users')).users];
    const ofUser = (rows: Json[]): Json[] => rows.flat().filter((row) => row.id === id);
    return {
      graph: ofUser([data.user, ...listed]).map(inGraph),
      rest: ofUser([...users, ...teams.flatMap((t: Json) => [t.users, t.leaders])]),
    };
  };
  let team: number;
  beforeAll(async () => {
    const users = [people.user, people.both].map((id) => ({ id }));
    const { body } = await call.rest(people.admin, 'POST', '/teams', {
      data: { team: { name: 'x', users, leaders: users } },
    });
    team = body.data.team.id;
  });

  it.each(roles)('of a user in this space only, as a caller of type %s sees them', async (type) => {
    const { [type]: by, user } = people;
    const { graph, rest } = await readProfile(by, user);
    const may = by === user || ['superadmin', 'admin'].includes(type);
    expect(graph.length).toBeGreaterThanOrEqual(4);
    for (const row of graph) expect(row).toEqual(may ? all : none);
    for (const row of rest) {
      // Second factors are only in the users of teams.
      const due = names.filter((name) => !('selected_group_id' in row && name.startsWith('two_')));
      const given = names.filter((name) => name in row);
      expect(given).toEqual(may ? due : []);
      for (const name of given) expect(row[name]).toBe(midnight[name as keyof typeof midnight]);
    }
  });

  it.each([...roles, 'both'] as const)('of a user in several spaces, as %s sees them', async (type) => {
    const { [type]: by, both } = people;
    const { graph, rest } = await readProfile(by, both);
    expect(graph.length).toBeGreaterThanOrEqual(4);
    for (const row of graph) expect(row).toEqual(type === 'both' ? all : none);
    expect(rest.length).toBeGreaterThanOrEqual(4);
    for (const row of rest) expect(names.some((name) => name in row)).toBe(type === 'both');
  });

  it('are not revealed by the answer of a write either', async () => {
    const { manager, admin, both, user } = people;
    const users = [both, user].map((id) => ({ id }));
    const content = { id: team, name: 'y', users, leaders: users };
    for (const [by, seen] of [
      [manager, []],
      [admin, [user, user]],
    ] as const) {
      const made = (await call.rest(by, 'POST', '/teams', { data: { team: content } })).body.data.team;
      const replaced = (await call.rest(by, 'PATCH', '/teams', { data: { team: content } })).body.data.team;
      for (const { users: within, leaders } of [made, replaced]) {
        const known = [...within, ...leaders].filter((row: Json) => names.some((name) => name in row));
        expect(known.map(({ id }: Json) => id)).toEqual(seen);
      }
    }
    const document = `mutation ($input: UserUpdateInput!) { updateUser(input: $input) { user { ${fields} } } }`;
    const own = await call.graph(both, document, { input: { id: both, email: await call.mailOf(both) } });
    expect(inGraph(own.body.data.updateUser.user)).toEqual(all);
    const others = await call.graph(admin, document, { input: { id: user, email: await call.mailOf(user) } });
    expect(inGraph(others.body.data.updateUser.user)).toEqual(all);
  });
});
