// Spec §2.6, §4.7, §4.8: invitations, pending and accepted.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const invite = (invitations: Json, token?: string) =>
  door.rest('POST', '/users/invitation', { data: { invitations } }, token);
const roleOf = async (space: number, type: string): Promise<number> =>
  (await door.sql('select id from roles where group_id = ? and type = ? order by id limit 1', [space, type]))[0].id;

describe('GET /users/invitation', () => {
  it('lists pending and accepted invitations, always as an array', async () => {
    const { status, body } = await door.rest('GET', '/users/invitation');
    expect(status).toBe(200);
    expect(body.data.invitations).toHaveLength(
      (await door.sql('select from invitations where group_id = 1 and deleted_at is null')).length,
    );
    const accepted = body.data.invitations.find((invitation: Json) => invitation.user_id);
    const pending = body.data.invitations.find((invitation: Json) => !invitation.user_id);
    expect(accepted).toMatchObject({
      group_id: 1,
      email: expect.any(String),
      team_ids: expect.any(Array),
      role: { id: accepted.role_id },
    });
    expect(Object.keys(accepted.role).sort()).toEqual(['id', 'name', 'order', 'type']);
    expect(pending).not.toHaveProperty('user_id');
  });
});

describe('POST /users/invitation', () => {
  it('answers 201 with the invitation, whose default role is user', async () => {
    const { status, body } = await invite([{ email: 'new@example.org' }]);
    expect(status).toBe(201);
    expect(body.data.msg).toEqual(expect.any(String));
    expect(body.data.invitations).toEqual([
      expect.objectContaining({ email: 'new@example.org', role_id: await roleOf(1, 'user'), team_ids: [] }),
    ]);
    expect(body.data.invitations[0]).not.toHaveProperty('user_id');
  });

  it('leaves it pending for somebody who has an account, as for anybody else', async () => {
    const [{ id: stranger, mail }] = await door.sql(
      'select u.id, u.mail from users u where u.id not in (select user_id from members where group_id = 1) order by id limit 1',
    );
    const [{ id: team }] = await door.sql(
      'select id from teams where group_id = 1 and deleted_at is null order by id limit 1',
    );
    const { body } = await invite([
      { email: mail.toUpperCase(), role_id: await roleOf(1, 'manager'), team_ids: [team] },
    ]);
    expect(body.data.invitations[0]).toMatchObject({ role: { type: 'manager' }, team_ids: [team] });
    expect(body.data.invitations[0]).not.toHaveProperty('user_id');
    expect((await door.rest('GET', `/users/${stranger}`)).status).toBe(404);
    expect((await door.rest('GET', `/teams/${team}`)).body.data.team.users.map(({ id }: Json) => id)).not.toContain(
      stranger,
    );
  });

  it('is 409 for mails of members, each at its place, and invites nobody', async () => {
    const count = () => door.sql('select count(*), max(last_sent) from invitations');
    const before = await count();
    const mails = await door.sql(
      `select upper(mail) as mail from users join members on user_id = id where group_id = 1 order by id limit 2`,
    );
    const [one, other] = mails.map(({ mail }) => mail);
    const { status, body } = await invite([{ email: one }, { email: 'fine@example.org' }, { email: other }]);
    expect([status, body.errors]).toEqual([
      409,
      [
        { location: 'body.data.invitations[0].email', message: 'is the mail of a member of the space', value: one },
        { location: 'body.data.invitations[2].email', message: 'is the mail of a member of the space', value: other },
      ],
    ]);
    expect(await count()).toEqual(before);
  });

  it('sends the same invitation again when the mail was invited before', async () => {
    const [first] = (await invite([{ email: 'again@example.org' }])).body.data.invitations;
    const [second] = (await invite([{ email: 'Again@example.org', role_id: await roleOf(1, 'manager') }])).body.data
      .invitations;
    expect(second.id).toBe(first.id);
    expect(second.role.type).toBe('manager');
    expect(second.last_sent > first.last_sent).toBe(true);
  });

  it('refuses all when one is at fault, and lists every fault', async () => {
    const before = await door.sql('select count(*) from invitations');
    const bad = await invite([{ email: 'fine@example.org' }, { email: 'nobody' }, { team_ids: ['x'] }]);
    expect([bad.status, bad.body.errors.map((fault: Json) => fault.location).sort()]).toEqual([
      400,
      ['body.data.invitations[1].email', 'body.data.invitations[2].email', 'body.data.invitations[2].team_ids[0]'],
    ]);
    const elsewhere = await invite([
      { email: 'fine@example.org', role_id: await roleOf(2, 'user'), team_ids: [999_999] },
    ]);
    expect([elsewhere.status, elsewhere.body.errors.map((fault: Json) => fault.location)]).toEqual([
      422,
      ['body.data.invitations[0].role_id', 'body.data.invitations[0].team_ids[0]'],
    ]);
    for (const nothing of [[], undefined, 'x']) expect((await invite(nothing)).status).toBe(400);
    expect(await door.sql('select count(*) from invitations')).toEqual(before);
  });

  it('needs an admin, and gives nobody a role above that of the inviter', async () => {
    const tokenOf = async (type: string) => {
      const [{ user_id: user }] = await door.sql(
        `select m.user_id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id where m.group_id = 1 and r.type = ? limit 1`,
        [type],
      );
      return door.token(1, user);
    };
    const inviteTo = async (type: string, by: string) =>
      (await invite([{ email: `${type}-by-${by}@example.org`, role_id: await roleOf(1, type) }], await tokenOf(by)))
        .status;
    expect(await inviteTo('user', 'manager')).toBe(403);
    expect(await inviteTo('superadmin', 'admin')).toBe(403);
    expect(await inviteTo('admin', 'admin')).toBe(201);
  });
});

describe('DELETE /users/invitation/{id}', () => {
  it('answers a message; afterwards the invitation is missing', async () => {
    const [{ id }] = (await invite([{ email: 'gone@example.org' }])).body.data.invitations;
    const { status, body } = await door.rest('DELETE', `/users/invitation/${id}`);
    expect([status, body]).toEqual([200, { status: 'success', data: { message: expect.any(String) } }]);
    expect((await door.rest('DELETE', `/users/invitation/${id}`)).status).toBe(404);
    const left = (await door.rest('GET', '/users/invitation')).body.data.invitations;
    expect(left.map((invitation: Json) => invitation.id)).not.toContain(id);
    const [again] = (await invite([{ email: 'gone@example.org' }])).body.data.invitations;
    expect(again.id).not.toBe(id);
  });

  it('is 404 for an invitation of another space', async () => {
    const [{ id }] = await door.sql('select min(id) as id from invitations where group_id = 2');
    expect((await door.rest('DELETE', `/users/invitation/${id}`)).status).toBe(404);
  });
});
