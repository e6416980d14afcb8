// Nobody reaches further than their role: roles and their holders change within the reach of the caller, and tokens within that of the calling token.
import { beforeAll, describe, expect, it } from 'vitest';
import { createAccessToken } from '../../src/gate/token.ts';
import { limits } from '../../src/limits/limits.ts';
import { type Answer, type Door, type Json, openApp } from '../harness/app.ts';
import { createAccountHelpers, findPeople, type People, readRefusal, roles } from './people.ts';

let door: Door;
let people: People;
let call: ReturnType<typeof createAccountHelpers>;
/** The first role of each type in space 1. */
const roleIds = {} as Record<(typeof roles)[number], number>;

beforeAll(async () => {
  door = await openApp();
  people = await findPeople(door);
  call = createAccountHelpers(door);
  for (const type of roles) roleIds[type] = await call.roleOf(1, type);
});

let count = 0;
const newMember = async (type: (typeof roles)[number]): Promise<number> => {
  const [{ id }] = await door.sql('insert into users (mail) values (?) returning id', [`reach-${count++}@example.org`]);
  await door.sql('insert into members (group_id, user_id, role_id) values (1, ?, ?)', [id, roleIds[type]]);
  return id;
};
const roleOfUser = async (user: number): Promise<number> =>
  (await door.sql('select role_id from members where group_id = 1 and user_id = ?', [user]))[0].role_id;

describe('changeMemberRole', () => {
  const changing = `mutation ($user: ID!, $role: ID!) {
    changeMemberRole(input: { userId: $user, roleId: $role }) { user { databaseId role { type } } } }`;
  const change = (by: number, user: number, role: number): Promise<Answer> => call.graph(by, changing, { user, role });

  it('gives roles up to that of the caller, to users up to the caller, and a team shows it', async () => {
    const user = await newMember('user');
    const team = { name: 'a team', users: [{ id: user }] };
    const { id } = (await call.rest(people.admin, 'POST', '/teams', { data: { team } })).body.data.team;
    const version = async () => (await door.sql('select version from teams where id = ?', [id]))[0].version;
    const before = await version();
    const { body } = await change(people.admin, user, roleIds.admin);
    expect(body.data.changeMemberRole.user).toEqual({ databaseId: user, role: { type: 'ADMIN' } });
    expect(await version()).toBe(before + 1);
    expect(readRefusal(await change(people.admin, user, roleIds.admin))).toBeUndefined();
    expect(await version()).toBe(before + 1);
    expect(readRefusal(await change(people.admin, user, roleIds.superadmin))).toEqual([
      403,
      'An admin may not make somebody a superadmin',
    ]);
    expect(readRefusal(await change(people.admin, people.superadmin, roleIds.user))).toEqual([
      403,
      'An admin may not change the role of a superadmin',
    ]);
    for (const by of ['manager', 'user', 'custom'] as const)
      expect(readRefusal(await change(people[by], user, roleIds.custom))?.[0]).toBe(403);
    expect(await roleOfUser(user)).toBe(roleIds.admin);
  });

  it('answers for users and roles of other spaces as for missing ones', async () => {
    const foreign = await call.roleOf(2, 'user');
    for (const role of [foreign, 987_654_321])
      expect(readRefusal(await change(people.admin, people.user, role))).toEqual([
        422,
        'input.roleId is not a role of the space',
      ]);
    for (const user of [people.foreignUser, 987_654_321])
      expect(readRefusal(await change(people.admin, user, roleIds.user))).toEqual([404, `There is no user ${user}`]);
  });

  it('lets nobody raise themselves: one may only step down', async () => {
    const admin = await newMember('admin');
    const [{ id: twin }] = await door.sql(
      `insert into roles (group_id, name, type) values (1, 'Another admin', 'admin') returning id`,
    );
    for (const role of [roleIds.superadmin, twin]) expect(readRefusal(await change(admin, admin, role))?.[0]).toBe(403);
    expect(readRefusal(await change(admin, admin, roleIds.custom))).toBeUndefined();
    expect(readRefusal(await change(admin, admin, roleIds.admin))?.[0]).toBe(403);
  });

  it('leaves one superadmin, also when two demote each other, or step down, at once', async () => {
    const last = [409, 'The last superadmin of a space cannot get another role'];
    expect(readRefusal(await change(people.superadmin, people.superadmin, roleIds.admin))).toEqual(last);
    for (let round = 0; round < 6; round++) {
      const [one] = await door.sql('select user_id as id from members where group_id = 1 and role_id = ?', [
        roleIds.superadmin,
      ]);
      const other = await newMember('superadmin');
      await Promise.all([door.token(1, one.id), door.token(1, other)]);
      const pairs = round % 2 ? [one.id, other] : [other, one.id];
      const answers = await Promise.all([
        change(one.id, pairs[0], roleIds.user),
        round % 3
          ? change(other, pairs[1], roleIds.user)
          : call.graph(other, 'mutation ($id: ID!) { removeMember(input: { userId: $id }) { deletedId } }', {
              id: pairs[1],
            }),
      ]);
      expect(answers.filter((answer) => readRefusal(answer) === undefined)).toHaveLength(1);
      const left = await door.sql('select from members where group_id = 1 and role_id = ?', [roleIds.superadmin]);
      expect(left).toHaveLength(1);
    }
    const [{ id: holder }] = await door.sql('select user_id as id from members where group_id = 1 and role_id = ?', [
      roleIds.superadmin,
    ]);
    people.superadmin = holder;
  });
});

describe('roles', () => {
  const creating = `mutation ($input: RoleCreateInput!) {
    createRole(input: $input) { role { databaseId name type position mobile web color permissions } } }`;
  const updating = `mutation ($input: RoleUpdateInput!) { updateRole(input: $input) { role { databaseId name type permissions } } }`;
  const create = (by: number, input: Json): Promise<Answer> => call.graph(by, creating, { input });
  const update = (by: number, input: Json): Promise<Answer> => call.graph(by, updating, { input });

  it('are created and changed by admins, and custom ones have permissions', async () => {
    const input = { name: 'Treasurer', type: 'CUSTOM', permissions: ['money.read', 'contacts.read', 'money.read'] };
    const { role } = (await create(people.admin, input)).body.data.createRole;
    const others = 'select max(position) as last from roles where group_id = 1 and deleted_at is null and id <> ?';
    const [{ last }] = await door.sql(others, [role.databaseId]);
    expect(role).toEqual({
      databaseId: expect.any(Number),
      name: 'Treasurer',
      type: 'CUSTOM',
      position: last + 1,
      mobile: true,
      web: true,
      color: null,
      permissions: ['contacts.read', 'money.read'],
    });
    const id = role.databaseId;
    const renamed = (await update(people.admin, { id, name: 'Cashier' })).body.data.updateRole.role;
    expect(renamed).toEqual({
      databaseId: id,
      name: 'Cashier',
      type: 'CUSTOM',
      permissions: ['contacts.read', 'money.read'],
    });
    const typed = (await update(people.admin, { id, type: 'USER' })).body.data.updateRole.role;
    expect(typed).toMatchObject({ type: 'USER', permissions: null });
    for (const by of ['manager', 'user', 'custom'] as const)
      for (const answer of [await create(people[by], input), await update(people[by], { id, name: 'Mine' })])
        expect(readRefusal(answer)?.[0]).toBe(403);
  });

  it('refuse permissions that they cannot have, each at its place', async () => {
    const faults = async (input: Json): Promise<Json> =>
      (await create(people.admin, { name: 'x', type: 'CUSTOM', ...input })).body.errors[0].extensions.errors;
    expect(await faults({ permissions: ['everything', 'money.read', ''] })).toEqual([
      expect.objectContaining({ location: 'input.permissions[0]', value: 'everything' }),
      expect.objectContaining({ location: 'input.permissions[2]', value: '' }),
    ]);
    expect(await faults({ type: 'ADMIN', permissions: [] })).toMatchObject([{ location: 'input.permissions' }]);
    expect(await faults({ name: ' ' })).toMatchObject([{ location: 'input.name' }]);
  });

  it('above the caller cannot be made or changed, and none is raised above the caller', async () => {
    expect(readRefusal(await create(people.admin, { name: 'Boss', type: 'SUPERADMIN' }))).toEqual([
      403,
      'An admin may not make the role of a superadmin',
    ]);
    const { superadmin: id } = roleIds;
    expect(readRefusal(await update(people.admin, { id, name: 'Boss' }))?.[0]).toBe(403);
    expect(readRefusal(await update(people.admin, { id: roleIds.admin, type: 'SUPERADMIN' }))?.[0]).toBe(403);
    const foreign = await call.roleOf(2, 'user');
    for (const missing of [foreign, 987_654_321])
      expect(readRefusal(await update(people.superadmin, { id: missing, name: 'Mine' }))).toEqual([
        404,
        `There is no role ${missing}`,
      ]);
  });

  it('of the last superadmins stay, also when another superadmin leaves at that moment', async () => {
    expect(readRefusal(await update(people.superadmin, { id: roleIds.superadmin, type: 'ADMIN' }))?.[0]).toBe(409);
    for (let round = 0; round < 4; round++) {
      const { role } = (await create(people.superadmin, { name: 'Second', type: 'SUPERADMIN' })).body.data.createRole;
      const second = await newMember('user');
      await door.sql('update members set role_id = ? where group_id = 1 and user_id = ?', [role.databaseId, second]);
      const leave = 'mutation ($id: ID!) { removeMember(input: { userId: $id }) { deletedId } }';
      await door.token(1, second);
      const [left, changed] = await Promise.all([
        call.graph(second, leave, { id: second }),
        update(second, { id: roleIds.superadmin, type: 'ADMIN' }),
      ]);
      const superadmins = await door.sql(
        `select from members m join roles r on r.group_id = m.group_id and r.id = m.role_id where m.group_id = 1 and r.type = 'superadmin'`,
      );
      expect([superadmins.length > 0, readRefusal(left) === undefined && readRefusal(changed) === undefined]).toEqual([
        true,
        false,
      ]);
      await door.sql(`update roles set type = 'superadmin' where group_id = 1 and id = ?`, [roleIds.superadmin]);
      await door.sql('delete from members where group_id = 1 and user_id = ?', [second]);
    }
  });
});

describe('tokens', () => {
  const creating = `mutation ($input: TokenCreateInput!) {
    createToken(input: $input) { token accessToken { databaseId label scope prefix expiresAt isCurrent user { databaseId } } } }`;
  const listing =
    'query ($all: Boolean) { tokens(ofSpace: $all) { databaseId label prefix user { databaseId } revokedAt } }';
  const revoking = 'mutation ($id: ID!) { revokeToken(input: { id: $id }) { accessToken { databaseId revokedAt } } }';
  const create = (token: string, input: Json, headers: Record<string, string> = {}): Promise<Answer> =>
    door.graphql(creating, { input: { label: 'a script', scope: 'READ', ...input } }, token, headers);
  const works = async (token: string): Promise<boolean> =>
    (await door.rest('GET', '/users', undefined, token)).status === 200;

  it('are created for oneself, told once, listed without their texts, and revoked', async () => {
    const own = await door.token(1, people.user);
    const { token, accessToken } = (await create(own, { expiresAt: '2100-01-01T00:00:00Z' })).body.data.createToken;
    const { databaseId: id } = accessToken;
    expect(accessToken).toEqual({
      databaseId: id,
      label: 'a script',
      scope: 'READ',
      prefix: token.slice(0, 12),
      expiresAt: '2100-01-01T00:00:00Z',
      isCurrent: false,
      user: { databaseId: people.user },
    });
    expect(await works(token)).toBe(true);
    const listed = await door.graphql(listing, {}, own);
    expect(listed.body.data.tokens[0].databaseId).toBe(id);
    expect(listed.body.data.tokens.map(({ user }: Json) => user.databaseId)).toEqual(
      listed.body.data.tokens.map(() => people.user),
    );
    expect(listed.text).not.toContain(token.slice(12));
    expect((await door.graphql(revoking, { id }, own)).body.data.revokeToken.accessToken.revokedAt).not.toBeNull();
    expect(await works(token)).toBe(false);
    expect(readRefusal(await door.graphql(revoking, { id }, own))).toEqual([
      404,
      `There is no valid access token ${id}`,
    ]);
  });

  it('reach no further than the calling token, in scope and in time', async () => {
    const [day, week] = [1, 7].map((days) => new Date(Date.now() + days * 86_400_000).toISOString());
    const narrow = await createAccessToken(door.database, 1, people.user, day, { scope: 'write' });
    expect(readRefusal(await create(narrow, { scope: 'ADMIN' }))).toEqual([
      403,
      'A token of the scope write may not create one of the scope admin',
    ]);
    expect(readRefusal(await create(narrow, { expiresAt: week }))?.[0]).toBe(403);
    const { accessToken } = (await create(narrow, { scope: 'WRITE' })).body.data.createToken;
    expect(Date.parse(accessToken.expiresAt)).toBe(Date.parse(day!));
    const past = await create(narrow, { expiresAt: '2001-01-01T00:00:00Z' });
    expect(past.body.errors[0].extensions.errors[0].location).toBe('input.expiresAt');
    expect((await create(narrow, { label: '' })).body.errors[0].extensions.errors[0].location).toBe('input.label');
  });

  it('are not stored in the answer under an idempotency key', async () => {
    const token = await door.token(1, people.user);
    const before = await door.sql('select count(*) from tokens');
    expect(readRefusal(await create(token, {}, { 'Idempotency-Key': 'token-1' }))?.[0]).toBe(422);
    expect(await door.sql('select count(*) from tokens')).toEqual(before);
  });

  it('of others are listed and revoked by admins, for users up to their own reach', async () => {
    const idOf = async (user: number): Promise<number> => {
      await door.token(1, user);
      return (await door.sql('select max(id) as id from tokens where group_id = 1 and user_id = ?', [user]))[0].id;
    };
    const victim = await newMember('user');
    const [theirs, high] = [await idOf(victim), await idOf(people.superadmin)];
    const [foreign] = await door.sql(`insert into tokens (group_id, user_id, hash, prefix)
      select 2, min(user_id), sha256('x'), 'mst_x' from members where group_id = 2 returning id`);
    const all = await door.graphql(listing, { all: true }, await door.token(1, people.admin));
    const ids = all.body.data.tokens.map(({ databaseId }: Json) => databaseId);
    expect(ids).toEqual(expect.arrayContaining([theirs, high]));
    expect(ids).not.toContain(foreign.id);
    for (const by of ['manager', 'user', 'custom'] as const) {
      const token = await door.token(1, people[by]);
      expect(readRefusal(await door.graphql(listing, { all: true }, token))?.[0]).toBe(403);
      expect(readRefusal(await door.graphql(revoking, { id: theirs }, token))?.[0]).toBe(404);
      const { body } = await door.graphql('query ($id: ID!) { accessToken(id: $id) { label } }', { id: theirs }, token);
      expect(body.data.accessToken).toBeNull();
    }
    const admin = await door.token(1, people.admin);
    for (const id of [foreign.id, 987_654_321])
      expect(readRefusal(await door.graphql(revoking, { id }, admin))).toEqual([
        404,
        `There is no valid access token ${id}`,
      ]);
    expect(readRefusal(await door.graphql(revoking, { id: high }, admin))).toEqual([
      403,
      'An admin may not revoke the token of a superadmin',
    ]);
    const token = await door.token(1, victim);
    expect(readRefusal(await door.graphql(revoking, { id: theirs }, admin))).toBeUndefined();
    expect(await works(token)).toBe(false);
  });

  it('are bounded in number, also when they are created at once', async () => {
    const user = await newMember('user');
    const token = await door.token(1, user);
    const { tokensOfUser: most } = limits.value;
    await door.sql(
      `insert into tokens (group_id, user_id, hash, prefix) select 1, ?, sha256(cast('bound' || n as bytea)), 'mst_x' from generate_series(2, ?) n`,
      [user, most - 2],
    );
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(token, {})));
    expect(answers.map((answer) => readRefusal(answer)?.[0] ?? 200).sort()).toEqual([200, 200, ...Array(6).fill(409)]);
  });
});
