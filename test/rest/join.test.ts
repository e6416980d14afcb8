// POST /join: an invited person without a token joins by the secret of the invitation, which works once, and teaches strangers nothing.
import { createHash } from 'node:crypto';
import pg from 'pg';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { formatInvitationLink } from '../../src/data/access/invitation.ts';
import { generateSecret } from '../../src/database/secret.ts';
import { limits } from '../../src/limits/limits.ts';
import { createAccountHelpers, findPeople, type People, readRefusal } from '../abuse/people.ts';
import { type Answer, createClient, type Door, type Json, openApp } from '../harness/app.ts';
import { countWaiting, openSession } from '../harness/session.ts';
import { waitUntil } from '../harness/waiting.ts';

let door: Door;
let people: People;
let call: ReturnType<typeof createAccountHelpers>;
const url = 'https://app.example.org/join#{secret}';

beforeAll(async () => {
  door = await openApp({ INVITATION_URL: url, INVITATION_DAYS: 3, CORS_ORIGINS: [new URL(url).origin] });
  people = await findPeople(door);
  call = createAccountHelpers(door);
});

let count = 0;
let mail: string;
beforeEach(() => {
  mail = `joiner-${count++}@example.org`;
});

const inviting = `mutation ($input: UsersInviteInput!) {
  inviteUsers(input: $input) { invitations { databaseId secretExpiresAt } secrets { secret link invitation { databaseId } } } }`;
const invite = async (offer: Json = {}, by = people.admin, space = 1): Promise<{ id: number; secret: string }> => {
  const input = { invitations: [{ email: mail, ...offer }] };
  const { body } = await call.graph(by, inviting, { input }, space);
  expect(body.errors).toBeUndefined();
  const [{ secret, invitation }] = body.data.inviteUsers.secrets;
  return { id: invitation.databaseId, secret };
};
const join = (secret: unknown, more: Json = {}): Promise<Answer> =>
  door.rest('POST', '/join', { secret, firstName: 'Ana', lastName: 'Costa', ...more }, null);
const findUser = async (): Promise<Json> => (await door.sql('select * from users where mail = ?', [mail]))[0];
const readInvitation = async (id: number): Promise<Json> =>
  (await door.sql('select * from invitations where id = ?', [id]))[0];
const readAudit = (space: number, id: number): Promise<Json[]> =>
  door.sql(
    `select operation, user_id from audit_log where group_id = ? and type = 'Invitation' and record_id = ? and operation <> 'inviteUsers'`,
    [space, id],
  );
const withoutInstance = ({ status, body: { instance: _, ...body } }: Answer): Json => [status, body];

describe('a secret', () => {
  it('is told once, to those who invite over GraphQL, and stored as a digest', async () => {
    const input = { invitations: [{ email: mail }, { email: `second-${mail}` }, { email: mail.toUpperCase() }] };
    const { body } = await call.graph(people.admin, inviting, { input });
    const { invitations, secrets } = body.data.inviteUsers;
    expect(secrets.map(({ invitation }: Json) => invitation.databaseId)).toEqual(
      invitations.map(({ databaseId }: Json) => databaseId),
    );
    // The third offer renewed the first, in one request.
    expect(secrets[2].secret).toBe(secrets[0].secret);
    expect(new Set(secrets.map(({ secret }: Json) => secret)).size).toBe(2);
    const [{ secret, link }] = secrets;
    expect(secret).toMatch(/^msi_[\w-]{49}$/);
    expect(link).toBe(`https://app.example.org/join#${secret}`);
    expect(formatInvitationLink(secret, undefined)).toBeNull();
    const row = await readInvitation(invitations[0].databaseId);
    expect(Buffer.from(row.secret_hash)).toEqual(createHash('sha256').update(secret).digest());
    const days = (Date.parse(invitations[0].secretExpiresAt) - Date.now()) / 86_400_000;
    expect(Math.abs(days - 3)).toBeLessThan(0.01);
    const listed = await call.graph(people.admin, '{ invitations(first: 1000) { nodes { email secretExpiresAt } } }');
    expect(listed.text).not.toContain(secret);
    const rest = await call.rest(people.admin, 'POST', '/users/invitation', {
      data: { invitations: [{ email: mail }] },
    });
    expect([rest.status, rest.text.includes('msi_')]).toEqual([201, false]);
  });

  it('is not stored in the answer under an idempotency key', async () => {
    const input = { invitations: [{ email: mail }] };
    const [token, key] = [await door.token(1, people.admin), { 'Idempotency-Key': 'invite-1' }];
    expect(readRefusal(await door.graphql(inviting, { input }, token, key))?.[0]).toBe(422);
    expect(await door.sql('select from invitations where email = ?', [mail])).toEqual([]);
    const plain = 'mutation ($input: UsersInviteInput!) { inviteUsers(input: $input) { invitations { email } } }';
    expect(readRefusal(await door.graphql(plain, { input }, token, key))).toBeUndefined();
  });
});

describe('joining', () => {
  it('creates the account, the membership with role and teams, and a token, and spends the secret', async () => {
    const role = await call.roleOf(1, 'manager');
    const team = { name: 'a team', users: [] };
    const { id: teamId } = (await call.rest(people.admin, 'POST', '/teams', { data: { team } })).body.data.team;
    const { id, secret } = await invite({ roleId: role, teamIds: [teamId] });
    const { status, body, headers } = await join(secret, { lastName: undefined });
    const [{ name }] = await door.sql('select name from spaces where id = 1');
    const user = await findUser();
    expect([status, body]).toEqual([
      201,
      {
        status: 'success',
        data: {
          token: expect.stringMatching(/^mst_/),
          space: { id: 1, name },
          user: { id: user.id, email: mail, firstName: 'Ana', lastName: null },
        },
      },
    ]);
    expect(headers.get('cache-control')).toBe('no-store');
    const viewer = '{ viewer { user { databaseId firstName role { databaseId } } } }';
    expect((await door.graphql(viewer, {}, body.data.token)).body.data.viewer.user).toEqual({
      databaseId: user.id,
      firstName: 'Ana',
      role: { databaseId: role },
    });
    const { users } = (await call.rest(people.admin, 'GET', `/teams/${teamId}`)).body.data.team;
    expect(users.map((one: Json) => one.id)).toEqual([user.id]);
    expect(await readInvitation(id)).toMatchObject({ user_id: user.id, secret_hash: null, expires_at: null });
    expect(await readAudit(1, id)).toEqual([{ operation: 'acceptInvitation', user_id: user.id }]);
    // The log has neither the secret nor the token.
    const line = door.logged.map((text) => JSON.parse(text)).find(({ route }) => route === 'POST /join');
    expect(line).toMatchObject({ status: 201 });
    expect(door.logged.join()).not.toMatch(/ms[it]_/);
  });

  it('gives one answer for secrets that were used, renewed, withdrawn or have expired, and for those of nobody', async () => {
    const used = await invite();
    await join(used.secret);
    mail = `renewed-${mail}`;
    const old = await invite();
    const renewed = await invite();
    const answers = [await join(used.secret), await join(old.secret)];
    await call.graph(people.admin, 'mutation ($id: ID!) { deleteInvitation(input: { id: $id }) { deletedId } }', {
      id: renewed.id,
    });
    answers.push(await join(renewed.secret));
    mail = `expired-${mail}`;
    const expired = await invite();
    await door.sql(`update invitations set expires_at = now() - interval '1 second' where id = ?`, [expired.id]);
    answers.push(await join(expired.secret), await join(generateSecret('invitation')));
    for (const text of ['none', generateSecret('token'), `${old.secret}x`]) answers.push(await join(text));
    expect(withoutInstance(answers[0]!)).toEqual([
      404,
      expect.objectContaining({ type: 'urn:muster:problem:not-found' }),
    ]);
    for (const answer of answers) expect(withoutInstance(answer)).toEqual(withoutInstance(answers[0]!));
    expect(await findUser()).toBeUndefined();
  });

  it('is for one of many who try at once', async () => {
    const { secret } = await invite();
    // The first one waits with its new account, and the others for it.
    const holder = new pg.Client(door.databaseUrl);
    await holder.connect();
    const watch = await openSession(door.databaseUrl);
    await holder.query('begin; lock table tokens in share mode');
    const joining = Promise.all(Array.from({ length: 4 }, () => join(secret)));
    try {
      await waitUntil('all of them wait', async () => (await countWaiting(watch)) >= 4);
    } finally {
      await holder.end();
    }
    expect((await joining).map(({ status }) => status).sort()).toEqual([201, 404, 404, 404]);
    expect(await door.sql('select from members join users on id = user_id where mail = ?', [mail])).toHaveLength(1);
  });

  it('of two spaces that invite one person at the same moment creates one account', async () => {
    const secrets = [(await invite()).secret, (await invite({}, people.foreignSuperadmin, 2)).secret];
    const answers = await Promise.all(secrets.map((secret) => join(secret)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(await door.sql('select from users where mail = ?', [mail])).toHaveLength(1);
  });

  it('leaves an account as it is: its owner accepts with a token of theirs, and the secret is spent then', async () => {
    const owner = people.foreignUser;
    mail = (await call.mailOf(owner)).toUpperCase();
    const before = [await call.rowOf(owner), await door.sql('select count(*) from members')];
    const { id, secret } = await invite();
    const { status, body } = await join(secret);
    expect([status, body.detail]).toEqual([409, expect.stringMatching(/acceptInvitation/)]);
    expect([await call.rowOf(owner), await door.sql('select count(*) from members')]).toEqual(before);
    const accepting = 'mutation ($id: ID!) { acceptInvitation(input: { id: $id }) { invitation { spaceId } } }';
    expect(readRefusal(await call.graph(owner, accepting, { id }, 2))).toBeUndefined();
    expect(await readAudit(1, id)).toEqual([{ operation: 'acceptInvitation', user_id: owner }]);
    expect((await join(secret)).status).toBe(404);
  });

  it('proves no mail: who invites a stranger and joins in their place gets no invitation of theirs', async () => {
    const { secret } = await invite({}, people.admin);
    const { token } = (await join(secret)).body.data;
    mail = mail.toUpperCase();
    const { id } = await invite({ roleId: await call.roleOf(2, 'admin') }, people.foreignSuperadmin, 2);
    const received = await door.graphql('{ viewer { invitations { id } } }', {}, token);
    expect(received.body.data.viewer.invitations).toEqual([]);
    const accepting = 'mutation ($id: ID!) { acceptInvitation(input: { id: $id }) { invitation { spaceId } } }';
    expect(readRefusal(await door.graphql(accepting, { id }, token))?.[0]).toBe(403);
  });

  it('is over when the space is deleted, and so are its tokens', async () => {
    const [{ id: space }] = await door.sql(`insert into spaces (name) values ('Short-lived') returning id`);
    const [{ id: role }] = await door.sql(
      `insert into roles (group_id, name, type) values (?, 'All', 'superadmin') returning id`,
      [space],
    );
    await door.sql('insert into members (group_id, user_id, role_id) values (?, ?, ?)', [space, people.both, role]);
    const { secret } = await invite({ roleId: role }, people.both, space);
    await door.sql('update spaces set deleted_at = now() where id = ?', [space]);
    expect((await join(secret)).status).toBe(404);
    expect((await door.rest('GET', '/users', undefined, await door.token(space, people.both))).status).toBe(401);
  });
});

describe('a request to join', () => {
  it('that is faulty lists its faults, and never shows the secret', async () => {
    const { secret } = await invite();
    const faulty = await join(secret, { firstName: 7, lastName: 'x'.repeat(256) });
    expect([faulty.status, faulty.body.errors]).toEqual([
      400,
      [
        { location: 'body.firstName', message: 'must be a text', value: 7 },
        { location: 'body.lastName', message: 'must be at most 255 characters', value: 'x'.repeat(256) },
      ],
    ]);
    for (const body of [{}, { secret: 7 }, { secret: ' ' }]) {
      const { status, body: problem } = await door.rest('POST', '/join', body, null);
      expect([status, problem.errors]).toEqual([400, [{ location: 'body.secret', message: expect.any(String) }]]);
    }
    expect((await door.rest('POST', '/join', [], null)).body.errors[0]).toMatchObject({ message: 'must be an object' });
    expect((await join(secret, { more: 'x'.repeat(limits.request.joinBytes) })).status).toBe(413);
    const get = await door.rest('GET', '/join', undefined, null);
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await door.rest('POST', '/join', { secret }, null, { 'Content-Type': 'text/plain' })).status).toBe(415);
    expect((await join(secret)).status).toBe(201);
  });

  it('comes from the page of an app, whose browser asks first', async () => {
    const headers = { Origin: new URL(url).origin, 'Access-Control-Request-Method': 'POST' };
    const preflight = await door.app.fetch(new Request('http://muster.test/join', { method: 'OPTIONS', headers }));
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([204, 'POST']);
  });

  it('is refused unread for an address that sent many bad ones, and its tokens go on working', async () => {
    let read = 0;
    const send = (secret: string, address: string): Promise<Response> => {
      const body = new ReadableStream(
        {
          pull(controller) {
            read++;
            controller.enqueue(new TextEncoder().encode(JSON.stringify({ secret })));
            controller.close();
          },
        },
        { highWaterMark: 0 },
      );
      const headers = { 'Content-Type': 'application/json' };
      const request = new Request('http://muster.test/join', {
        method: 'POST',
        headers,
        body,
        duplex: 'half',
      } as never);
      return door.app.fetch(request, createClient(address));
    };
    const { secret } = await invite();
    const { badTokens } = limits.connection;
    const [here, there] = ['192.0.2.77', '192.0.2.78'];
    const guesses = Array.from({ length: badTokens + 5 }, (_, n) =>
      send(n % 2 ? generateSecret('invitation') : 'nonsense', here),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 404)).toHaveLength(badTokens);
    read = 0;
    const statements = await door.statements(async () => {
      const refused = await send(secret, here);
      expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
      expect((await refused.json()).type).toBe('urn:muster:problem:too-many-bad-tokens');
    });
    expect([read, statements]).toEqual([0, []]);
    expect((await send(secret, there)).status).toBe(201);
    const known = new Request('http://muster.test/users', {
      headers: { Authorization: `Bearer ${await door.token(1, people.admin)}` },
    });
    expect((await door.app.fetch(known, createClient(here))).status).toBe(200);
  });
});
