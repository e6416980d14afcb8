// Spec §2.5, §4.5, §4.6: users are read, listed and changed; a change of the selected space moves the user's tokens.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
/** A user of both spaces, other than user 1. */
let both: number;
let stranger: number;

beforeAll(async () => {
  door = await openApp();
  [{ user_id: both }] = (await door.sql(
    'select user_id from members group by user_id having count(*) > 1 order by 1 limit 1',
  )) as [{ user_id: number }];
  [{ id: stranger }] = (await door.sql(
    'select max(user_id) as id from members where group_id = 2 and user_id not in (select user_id from members where group_id = 1)',
  )) as [{ id: number }];
});

const row = async (id: number): Promise<Json> => (await door.sql('select * from users where id = ?', [id]))[0];

describe('GET /users/{id}', () => {
  it('answers the user under User, and under user too', async () => {
    const { status, body } = await door.rest('GET', '/users/1');
    expect(status).toBe(200);
    expect(body.data.user).toEqual(body.data.User);
    expect(body.data.User).toMatchObject({
      id: 1,
      mail: (await row(1)).mail,
      group_id: 1,
      selected_group_id: [1],
      role: expect.any(String),
    });
    expect(body.data.User.role_data).toEqual({
      id: expect.any(Number),
      name: body.data.User.role,
      order: expect.any(Number),
      type: 'superadmin',
    });
  });

  it('is 404 for a user who is only in another space', async () => {
    expect((await door.rest('GET', `/users/${stranger}`)).status).toBe(404);
    expect((await door.rest('GET', '/users/999999')).status).toBe(404);
  });
});

describe('GET /users', () => {
  it('lists the users of the space with their count, by limit and offset', async () => {
    const all = (await door.rest('GET', '/users')).body.data;
    expect(all.users).toHaveLength(all.count);
    expect(all.users.map((user: Json) => user.id)).not.toContain(stranger);
    const page = (await door.rest('GET', '/users?limit=2&offset=3')).body.data;
    expect(page).toEqual({ count: all.count, users: all.users.slice(3, 5) });
    expect((await door.rest('GET', '/users?offset=5000')).body.data).toEqual({ count: all.count, users: [] });
  });

  it('sorts by name on request', async () => {
    const names = (users: Json[]): string[] => users.map(({ surname }) => surname?.toLowerCase()).filter(Boolean);
    const { users } = (await door.rest('GET', '/users?sort=true')).body.data;
    expect(names(users)).toEqual(names(users).sort());
  });

  it.each(['limit=0', 'limit=1001', 'limit=ten', 'offset=-1', 'sort=perhaps'])('is 400 for %s', async (query) => {
    const { status, body } = await door.rest('GET', `/users?${query}`);
    expect([status, body.errors[0].location]).toEqual([400, `query.${query.split('=')[0]}`]);
  });
});

describe('PATCH /users/{id}', () => {
  it('changes the fields given, clears those that are null, keeps the others', async () => {
    const before = await row(1);
    const { status, body } = await door.rest('PATCH', '/users/1', {
      data: {
        mail: before.mail,
        firstname: 'Zoé',
        city: null,
        birthdate: '1980-02-29T23:30:00-02:00',
        location: '48.85,2.35',
        role: 'x',
        group_id: 2,
        two_factor_enable: true,
      },
    });
    expect([status, body]).toEqual([200, { status: 'success', data: 'OK' }]);
    const after = await row(1);
    expect(after).toMatchObject({
      firstname: 'Zoé',
      city: null,
      birthdate: '1980-02-29',
      location: '48.85,2.35',
      surname: before.surname,
      two_factor_enable: before.two_factor_enable,
    });
  });

  it.each([
    [{ firstname: 'x' }, 'body.data.mail', 'is required'],
    [{ mail: 'nobody' }, 'body.data.mail', 'must be a valid email address'],
    [{ mail: null }, 'body.data.mail', 'is required'],
    [
      { mail: 'a@example.org', birthdate: 'tomorrow' },
      'body.data.birthdate',
      expect.stringContaining('must be a date'),
    ],
    [
      { mail: 'a@example.org', birthdate: '2023-02-29' },
      'body.data.birthdate',
      expect.stringContaining('must be a date'),
    ],
    [
      { mail: 'a@example.org', birthdate: 'infinity' },
      'body.data.birthdate',
      expect.stringContaining('must be a date'),
    ],
    [{ mail: 'a@example.org', location: 'here' }, 'body.data.location', expect.stringContaining('latitude,longitude')],
    [{ mail: 'a@example.org', surname: 'x'.repeat(300) }, 'body.data.surname', 'must be at most 255 characters'],
  ])('refuses %j and changes nothing', async (data, location, message) => {
    const before = await row(1);
    const { status, body } = await door.rest('PATCH', '/users/1', { data });
    expect(status).toBe(400);
    expect(body.errors).toContainEqual(expect.objectContaining({ location, message }));
    expect(await row(1)).toEqual(before);
  });

  it('is 409 for a mail that another user has, in any letter case and any space', async () => {
    const { mail } = await row(stranger);
    const { status, body } = await door.rest('PATCH', '/users/1', {
      data: { mail: mail.toUpperCase(), firstname: 'Lost' },
    });
    expect([status, body.errors[0].location]).toEqual([409, 'body.data.mail']);
    expect((await row(1)).firstname).not.toBe('Lost');
  });

  it('is 404 for a user who is not in the space', async () => {
    expect((await door.rest('PATCH', `/users/${stranger}`, { data: { mail: 'new@example.org' } })).status).toBe(404);
    expect((await row(stranger)).mail).not.toBe('new@example.org');
  });

  it('lets users change themselves only, and no admin change somebody with a higher role', async () => {
    const member = async (type: string): Promise<number> =>
      (
        await door.sql(
          'select m.user_id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id where m.group_id = 1 and r.type = ? and m.user_id <> ? order by 1 limit 1',
          [type, both],
        )
      )[0].user_id;
    const [admin, user] = [await member('admin'), await member('user')];
    const change = async (by: number, whom: number): Promise<number> =>
      (await door.rest('PATCH', `/users/${whom}`, { data: { mail: (await row(whom)).mail } }, await door.token(1, by)))
        .status;
    expect(await change(user, user)).toBe(200);
    expect(await change(user, admin)).toBe(403);
    expect(await change(admin, user)).toBe(200);
    expect(await change(admin, 1)).toBe(403);
  });
});

describe('selected_group_id', () => {
  const select = async (token: string, body: Json) => door.rest('PATCH', `/users/${both}`, body, token);

  it('needs UpdateToken, inside data or beside it', async () => {
    const token = await door.token(1, both);
    const { mail } = await row(both);
    const refused = await select(token, { data: { mail, selected_group_id: 2 } });
    expect([refused.status, refused.body.errors[0].location]).toEqual([400, 'body.data.selected_group_id']);
    expect((await select(token, { data: { mail, selected_group_id: 2, UpdateToken: true } })).status).toBe(200);
    expect((await door.rest('GET', `/users/${both}`, undefined, token)).body.data.User.group_id).toBe(2);
    expect((await select(token, { data: { mail, selected_group_id: [1] }, UpdateToken: true })).status).toBe(200);
    expect((await door.rest('GET', `/users/${both}`, undefined, token)).body.data.User.group_id).toBe(1);
  });

  it('is 422 for a space that the user is not in, and changes nothing', async () => {
    const token = await door.token(1, 1);
    const { mail } = await row(1);
    for (const selected of [2, 999]) {
      const { status, body } = await door.rest(
        'PATCH',
        '/users/1',
        { data: { mail, firstname: 'Lost', selected_group_id: selected, UpdateToken: true } },
        token,
      );
      expect([status, body.errors[0].location]).toEqual([422, 'body.data.selected_group_id']);
    }
    expect((await row(1)).firstname).not.toBe('Lost');
    expect((await door.rest('GET', '/users/1')).body.data.User.group_id).toBe(1);
  });

  it('can only be changed for oneself', async () => {
    const { mail } = await row(both);
    expect(
      (await door.rest('PATCH', `/users/${both}`, { data: { mail, selected_group_id: 2, UpdateToken: true } })).status,
    ).toBe(403);
  });
});
