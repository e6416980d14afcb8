// A pending invitation is for nobody below its role to touch, and opens a space only while its inviter may still invite to that role.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, type Door, type Json, openApp } from '../harness/app.ts';
import { createAccountHelpers, findPeople, type People, readRefusal, roles } from './people.ts';

let door: Door;
let people: People;
let call: ReturnType<typeof createAccountHelpers>;
const roleIds: Record<string, number> = {};
beforeAll(async () => {
  door = await openApp();
  people = await findPeople(door);
  call = createAccountHelpers(door);
  for (const type of roles) roleIds[type] = await call.roleOf(1, type);
});

let count = 0;
let mail: string;
beforeEach(() => {
  mail = `invited-${count++}@example.org`;
});

const inviting = `mutation ($invitations: [InvitationInput!]!) {
  inviteUsers(input: { invitations: $invitations }) { invitations { databaseId } secrets { secret } } }`;
const invite = (by: number, type: string, email = mail): Promise<Answer> =>
  call.graph(by, inviting, { invitations: [{ email, roleId: roleIds[type] }] });
const read = async (): Promise<Json> =>
  (await door.sql('select * from invitations where group_id = 1 and email = ? order by id desc', [mail]))[0];
const join = (secret: string): Promise<Answer> => door.rest('POST', '/join', { secret }, null);
const addMember = async (type: string): Promise<number> => {
  const [{ id }] = await door.sql('insert into users (mail) values (?) returning id', [
    `inviter-${count++}@example.org`,
  ]);
  await door.sql('insert into members (group_id, user_id, role_id) values (1, ?, ?)', [id, roleIds[type]]);
  return id;
};
const giveRole = (user: number, type: string): Promise<unknown> =>
  door.sql('update members set role_id = ? where group_id = 1 and user_id = ?', [roleIds[type], user]);

describe('a pending invitation to be a superadmin', () => {
  it('is not for an admin to renew, with whatever offer, at either door', async () => {
    await invite(people.superadmin, 'superadmin');
    const before = await read();
    for (const type of ['user', 'admin']) {
      const answer = await invite(people.admin, type, mail.toUpperCase());
      expect(readRefusal(answer)).toEqual([403, 'An admin may not renew the pending invitation of a superadmin']);
      expect(answer.body.errors[0].extensions.errors).toEqual([
        {
          location: 'input.invitations[0].email',
          message: 'has a pending invitation to a role of the type superadmin',
          value: mail.toUpperCase(),
        },
      ]);
    }
    const invitations = [{ email: `other-${mail}` }, { email: mail, team_ids: [] }];
    const rest = await call.rest(people.admin, 'POST', '/users/invitation', { data: { invitations } });
    expect([rest.status, rest.body.errors[0].location]).toEqual([403, 'body.data.invitations[1].email']);
    expect(await read()).toEqual(before);
    expect(await door.sql('select from invitations where email = ?', [`other-${mail}`])).toEqual([]);
    expect(readRefusal(await invite(people.superadmin, 'admin'))).toBeUndefined();
    expect(readRefusal(await invite(people.admin, 'user'))).toBeUndefined();
  });

  it('is not for an admin to delete, at either door', async () => {
    await invite(people.superadmin, 'superadmin');
    const { id } = await read();
    const rest = await call.rest(people.admin, 'DELETE', `/users/invitation/${id}`);
    const message = 'An admin may not delete the pending invitation of a superadmin';
    expect([rest.status, rest.body.type, rest.body.detail]).toEqual([403, 'urn:muster:problem:forbidden', message]);
    const deleting = `mutation { deleteInvitation(input: { id: ${id} }) { deletedId } }`;
    expect(readRefusal(await call.graph(people.admin, deleting))).toEqual([403, message]);
    expect((await read()).deleted_at).toBeNull();
    expect(readRefusal(await call.graph(people.superadmin, deleting))).toBeUndefined();
  });

  it('is for an admin to delete, and to invite anew, once it is accepted and its person has left', async () => {
    const { body } = await invite(people.superadmin, 'superadmin');
    await join(body.data.inviteUsers.secrets[0].secret);
    const { id, user_id: user } = await read();
    await door.sql('delete from members where group_id = 1 and user_id = ?', [user]);
    expect(readRefusal(await invite(people.admin, 'user'))).toBeUndefined();
    expect((await call.rest(people.admin, 'DELETE', `/users/invitation/${id}`)).status).toBe(200);
  });
});

describe('an invitation', () => {
  const accepting = 'mutation ($id: ID!) { acceptInvitation(input: { id: $id }) { invitation { spaceId } } }';
  const received = '{ viewer { invitations { id } } }';

  it('opens nothing by its secret once its inviter has left, or may not invite to its role any more', async () => {
    const deeds: [type: string, deed: (inviter: number) => Promise<unknown>, status: number][] = [
      ['user', async () => {}, 201],
      ['user', (inviter) => giveRole(inviter, 'admin'), 201],
      ['superadmin', (inviter) => giveRole(inviter, 'admin'), 404],
      ['user', (inviter) => giveRole(inviter, 'manager'), 404],
      ['custom', (inviter) => giveRole(inviter, 'custom'), 404],
      [
        'user',
        (inviter) =>
          call.graph(people.superadmin, `mutation { removeMember(input: { userId: ${inviter} }) { __typename } }`),
        404,
      ],
    ];
    for (const [type, deed, status] of deeds) {
      const inviter = await addMember('superadmin');
      mail = `by-${inviter}@example.org`;
      const { secret } = (await invite(inviter, type)).body.data.inviteUsers.secrets[0];
      await deed(inviter);
      expect([type, String(deed), (await join(secret)).status]).toEqual([type, String(deed), status]);
      const added = await door.sql('select from users where mail = ?', [mail]);
      expect(added).toHaveLength(status === 201 ? 1 : 0);
    }
  });

  it('is neither shown to nor accepted by a person with an account then, until somebody renews it', async () => {
    mail = await call.mailOf(people.foreignUser);
    const inviter = await addMember('superadmin');
    await invite(inviter, 'superadmin');
    const { id } = await read();
    await giveRole(inviter, 'admin');
    const listed = async () => (await call.graph(people.foreignUser, received, {}, 2)).body.data.viewer.invitations;
    expect(await listed()).toEqual([]);
    expect(readRefusal(await call.graph(people.foreignUser, accepting, { id }, 2))?.[0]).toBe(404);
    await invite(people.superadmin, 'superadmin');
    expect(await listed()).toHaveLength(1);
    expect(readRefusal(await call.graph(people.foreignUser, accepting, { id }, 2))).toBeUndefined();
  });
});

it('is raised and lowered at the same moment: the offer of the superadmin stays', async () => {
  for (let turn = 0; turn < 5; turn++) {
    mail = `raced-${turn}@example.org`;
    await invite(people.admin, 'user');
    const [raised, lowered] = await Promise.all([
      invite(people.superadmin, 'superadmin'),
      invite(people.admin, 'admin'),
    ]);
    expect(readRefusal(raised)).toBeUndefined();
    expect([undefined, 403]).toContain(readRefusal(lowered)?.[0]);
    expect((await read()).role_id).toBe(roleIds.superadmin);
  }
});
