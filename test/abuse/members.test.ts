// removeMember: a membership ends with its tokens and teams; the account, and what its user wrote, stay.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Door, type Json, openApp } from '../harness/app.ts';
import { countWaiting, openSession } from '../harness/session.ts';
import { waitUntil } from '../harness/waiting.ts';
import { createAccountHelpers, findPeople, type People, readRefusal } from './people.ts';

let door: Door;
let people: People;
let call: ReturnType<typeof createAccountHelpers>;

beforeAll(async () => {
  door = await openApp();
  people = await findPeople(door);
  call = createAccountHelpers(door);
});

const removing = 'mutation ($id: ID!) { removeMember(input: { userId: $id }) { id: databaseId deletedId } }';
const remove = (by: number, id: number, space = 1): Promise<Answer> => call.graph(by, removing, { id }, space);
const membersOf = async (space: number): Promise<number[]> =>
  (await door.sql('select user_id from members where group_id = ? order by 1', [space])).map(({ user_id }) => user_id);
let count = 0;
const newMember = async (type: string, space = 1): Promise<number> => {
  const [{ id }] = await door.sql('insert into users (mail) values (?) returning id', [
    `member-${count++}@example.org`,
  ]);
  await door.sql('insert into members (group_id, user_id, role_id) values (?, ?, ?)', [
    space,
    id,
    await call.roleOf(space, type),
  ]);
  return id;
};
const newTeam = async (users: number[]): Promise<number> => {
  const team = { name: 'a team', users: users.map((id) => ({ id })), leaders: users.map((id) => ({ id })) };
  return (await call.rest(people.admin, 'POST', '/teams', { data: { team } })).body.data.team.id;
};
const versionOf = async (team: number): Promise<number> =>
  (await door.sql('select version from teams where group_id = 1 and id = ?', [team]))[0].version;

describe('a removed member', () => {
  it('is in no team, and has no token here; the account, notes and other spaces stay', async () => {
    const { admin, both } = people;
    const [here, there] = [await door.token(1, both), await door.token(2, both)];
    const [joined, other, deleted] = [
      await newTeam([admin, both]),
      await newTeam([admin]),
      await newTeam([admin, both]),
    ];
    await call.rest(admin, 'DELETE', `/teams/${deleted}`);
    const versions = async () => [await versionOf(joined), await versionOf(other), await versionOf(deleted)];
    const [{ id: contact }] = await door.sql('select min(id) as id from contacts where group_id = 1');
    const noted = await call.rest(both, 'POST', `/v1/contacts/${contact}/notes`, { content: 'A' });
    const account = await call.rowOf(both);
    const before = await versions();

    const { body } = await remove(admin, both);
    expect(body.data.removeMember).toEqual({ id: both, deletedId: `User:${both}` });
    expect(await membersOf(1)).not.toContain(both);
    expect(await door.sql('select from tokens where group_id = 1 and user_id = ?', [both])).toEqual([]);
    expect((await door.rest('GET', '/users', undefined, here)).status).toBe(401);
    expect((await door.rest('GET', '/users', undefined, there)).status).toBe(200);
    // The version changes once for the linked contact, and once for the team.
    expect(await versions()).toEqual([before[0]! + 2, before[1], before[2]]);
    const { users, leaders } = (await call.rest(admin, 'GET', `/teams/${joined}`)).body.data.team;
    expect([users, leaders].map((list) => list.map(({ id }: Json) => id))).toEqual([[admin], [admin]]);
    expect((await call.rest(admin, 'GET', `/users/${both}`)).status).toBe(404);
    expect(await call.rowOf(both)).toEqual(account);
    const notes = await door.sql('select user_id from notes where group_id = 1 and id = ?', [noted.body.id]);
    expect(notes).toEqual([{ user_id: both }]);
    expect(readRefusal(await remove(admin, both))).toEqual([404, `There is no user ${both}`]);
  });

  it('is no contact any more: links to them are removed, which changes the linked records', async () => {
    const user = await newMember('user');
    const create = async (): Promise<Json> =>
      (
        await call.graph(
          people.admin,
          'mutation ($user: ID!) { createContact(input: { lastName: "Linked", accountId: $user }) { contact { id: databaseId version updatedAt } } }',
          { user },
        )
      ).body.data.createContact.contact;
    const [living, deleted] = [await create(), await create()];
    await call.rest(people.admin, 'DELETE', `/contacts/${deleted.id}`);
    const found = async (): Promise<number> => {
      const query = { $all: [{ $all: [{ $condition: { attr: 'user_contact_id', ope: 'ext' } }] }] };
      const { body } = await call.rest(people.admin, 'POST', '/kpi', { data: { advanced_search: { query } } });
      return body.data.total;
    };
    const before = await found();
    expect(readRefusal(await remove(people.admin, user))).toBeUndefined();
    const asked =
      'query ($id: ID!) { contact(id: $id) { version updatedAt account { databaseId } lastChangedBy { databaseId } } }';
    const { contact } = (await call.graph(people.admin, asked, { id: living.id })).body.data;
    expect(contact).toMatchObject({
      version: living.version + 1,
      account: null,
      lastChangedBy: { databaseId: people.admin },
    });
    expect(contact.updatedAt > living.updatedAt).toBe(true);
    expect(await found()).toBe(before - 1);
    const restored = await call.graph(
      people.admin,
      'mutation ($id: ID!) { restoreContact(input: { id: $id }) { contact { account { databaseId } } } }',
      { id: deleted.id },
    );
    expect(restored.body.data.restoreContact.contact.account).toBeNull();
  });
});

describe('no contact stays linked to a user who leaves', () => {
  const creating =
    'mutation ($user: ID) { createContact(input: { lastName: "Linked", accountId: $user }) { contact { databaseId } } }';
  const create = async (user: number | null): Promise<number> =>
    (await call.graph(people.admin, creating, { user })).body.data.createContact.contact.databaseId;
  const linksTo = async (user: number): Promise<number[]> =>
    (await door.sql('select id from contacts where group_id = 1 and user_contact_id = ?', [user])).map(({ id }) => id);
  const updating =
    'mutation ($id: ID!, $user: ID) { updateContact(input: { id: $id, accountId: $user }) { contact { databaseId } } }';

  it('where it is linked at this moment', async () => {
    const user = await newMember('user');
    const contact = await create(null);
    const [holder, watch] = [await openSession(door.databaseUrl), await openSession(door.databaseUrl)];
    // The writer has found the member, and waits for the account.
    await holder.query(`begin; select from users where id = ${user} for update`);
    const linking = call.graph(people.admin, updating, { id: contact, user });
    await waitUntil('the writer waits', async () => (await countWaiting(watch)) === 1, 10_000);
    const removing = remove(people.admin, user);
    await Promise.race([removing, waitUntil('both wait', async () => (await countWaiting(watch)) === 2, 10_000)]);
    await holder.query('rollback');
    expect([readRefusal(await linking), readRefusal(await removing)]).toEqual([undefined, undefined]);
    expect(await linksTo(user)).toEqual([]);
    expect(await membersOf(1)).not.toContain(user);
  });

  it('where it is restored at this moment', async () => {
    const user = await newMember('user');
    const contact = await create(user);
    await call.rest(people.admin, 'DELETE', `/contacts/${contact}`);
    const [holder, watch] = [await openSession(door.databaseUrl), await openSession(door.databaseUrl)];
    await holder.query(`begin; update contacts set deleted_at = null where group_id = 1 and id = ${contact}`);
    const removing = remove(people.admin, user);
    await waitUntil('the removal waits', async () => (await countWaiting(watch)) === 1, 10_000);
    await holder.query('commit');
    expect(readRefusal(await removing)).toBeUndefined();
    expect(await linksTo(user)).toEqual([]);
  });

  it('where an import is undone afterwards', async () => {
    const [user, other] = [await newMember('user'), await newMember('user')];
    const contact = await create(user);
    const importing = `mutation ($contact: ID!, $user: ID!) {
      importContacts(input: { name: "links", mode: UPSERT, contacts: [{ id: $contact, accountId: $user, phone: "12" }] }) { import { id } } }`;
    const { body } = await call.graph(people.admin, importing, { contact, user: other });
    expect(readRefusal(await remove(people.admin, user))).toBeUndefined();
    const undoing = 'mutation ($id: ID!) { undoImport(input: { id: $id }) { restored left } }';
    const undone = await call.graph(people.admin, undoing, { id: body.data.importContacts.import.id });
    expect(undone.body.data.undoImport).toEqual({ restored: 1, left: 0 });
    const [row] = await door.sql('select phone, user_contact_id from contacts where group_id = 1 and id = ?', [
      contact,
    ]);
    expect(row).toEqual({ phone: null, user_contact_id: null });
  });
});

it('a user linked to very many contacts can be removed', async () => {
  const user = await newMember('user');
  await door.sql(
    `insert into contacts (group_id, surname, user_contact_id) select 1, 'Numerous', ? from generate_series(1, 2000)`,
    [user],
  );
  expect(readRefusal(await remove(people.admin, user))).toBeUndefined();
  const [{ unlinked }] = await door.sql(
    `select count(*) as unlinked from contacts where group_id = 1 and surname = 'Numerous' and user_contact_id is null and version = 2`,
  );
  expect(unlinked).toBe(2000);
});

describe('permission to remove', () => {
  it('is given to admins for members with no higher role, to everybody for themselves, and to nobody else', async () => {
    const members = await membersOf(1);
    for (const by of ['manager', 'user', 'custom'] as const) {
      for (const whom of [people.admin, people.user, people.foreignUser, 987_654_321].filter((id) => id !== people[by]))
        expect(readRefusal(await remove(people[by], whom))).toEqual([
          403,
          `A ${by} may only leave the space themselves`,
        ]);
    }
    expect(readRefusal(await remove(people.admin, people.superadmin))).toEqual([
      403,
      'An admin may not remove a superadmin',
    ]);
    for (const whom of [people.foreignUser, people.foreignSuperadmin, 987_654_321])
      expect(readRefusal(await remove(people.admin, whom))).toEqual([404, `There is no user ${whom}`]);
    expect(await membersOf(1)).toEqual(members);

    for (const type of ['admin', 'manager', 'user', 'custom']) {
      const user = await newMember(type);
      const token = await door.token(1, user);
      expect(readRefusal(await remove(user, user))).toBeUndefined();
      expect((await door.rest('GET', '/users', undefined, token)).status).toBe(401);
      expect(readRefusal(await remove(people.admin, await newMember(type)))).toBeUndefined();
    }
  });

  it('does not include the last superadmin; of two removed at once one stays', async () => {
    const last = [409, 'The last superadmin of a space cannot leave it'];
    expect(readRefusal(await remove(people.superadmin, people.superadmin))).toEqual(last);
    for (let round = 0; round < 10; round++) {
      const other = await newMember('superadmin');
      const [superadmin] = await door.sql(
        `select user_id as id from members where group_id = 1 and role_id = ? and user_id <> ?`,
        [await call.roleOf(1, 'superadmin'), other],
      );
      await Promise.all([door.token(1, superadmin.id), door.token(1, other)]);
      const answers = await Promise.all(
        round % 2
          ? [remove(superadmin.id, superadmin.id), remove(other, other)]
          : [remove(superadmin.id, other), remove(other, superadmin.id)],
      );
      const statuses = answers.map((answer) => readRefusal(answer)?.[0] ?? 200);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      const left = await door.sql('select from members where group_id = 1 and role_id = ?', [
        await call.roleOf(1, 'superadmin'),
      ]);
      expect(left).toHaveLength(1);
    }
  });

  it('does not count a superadmin whose account is deleted', async () => {
    const space = 2;
    const deleted = await newMember('superadmin', space);
    await door.sql('update users set deleted_at = now() where id = ?', [deleted]);
    expect(readRefusal(await remove(people.foreignSuperadmin, people.foreignSuperadmin, space))?.[0]).toBe(409);
  });
});

it('teams that are replaced and joined at the same moment end without the member, and each change counts', async () => {
  for (let round = 0; round < 8; round++) {
    const [user, stays] = [await newMember('user'), await newMember('user')];
    const teams = [await newTeam([stays, user]), await newTeam([user])];
    const users = [user, stays].map((id) => ({ id }));
    const replace = (id: number, name: string) =>
      call.rest(people.admin, 'PATCH', '/teams', { data: { team: { id, name, users, leaders: users } } });
    const create = () => call.rest(people.admin, 'POST', '/teams', { data: { team: { name: 'c', users } } });
    const work = [...teams, ...teams].flatMap((team, nth) => [replace(team, `name ${nth}`), create()]);
    const [removed, ...answers] = await Promise.all([remove(people.admin, user), ...work]);
    expect(readRefusal(removed)).toBeUndefined();
    for (const { status } of answers) expect([200, 422]).toContain(status);
    expect(await door.sql('select from team_users where group_id = 1 and user_id = ?', [user])).toEqual([]);
    for (const team of teams) {
      const replaced = answers.filter(({ status, body }) => status === 200 && body.data.team.id === team).length;
      expect(await versionOf(team)).toBe(2 + replaced);
    }
  }
});
