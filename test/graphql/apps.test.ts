// Apps over both doors: who manages them, what they may do, and that what they write is theirs.
import { beforeAll, describe, expect, it } from 'vitest';
import { removeMember } from '../../src/data/access/member.ts';
import { operator } from '../../src/data/noun/reach.ts';
import { createAccessToken } from '../../src/gate/token.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { createAppCaller, createMember, createMemberRole } from '../harness/member.ts';

let door: Door;
let contact: number;
beforeAll(async () => {
  door = await openApp();
  [{ id: contact }] = await door.sql(
    'select min(id) as id from contacts where group_id = 1 and deleted_at is null and merged_into is null',
  );
});

const run = async (query: string, variables?: Json, token?: string): Promise<Json> => {
  const { body } = await door.graphql(query, variables, token);
  expect(body.errors).toBeUndefined();
  return body.data;
};
const refuse = async (query: string, variables?: Json, token?: string): Promise<Json> => {
  const { errors } = (await door.graphql(query, variables, token)).body;
  const [{ message, extensions }] = errors;
  return { code: extensions.code, message, errors: extensions.errors };
};
const isValid = async (token: string): Promise<boolean> =>
  (await door.rest('GET', '/teams', undefined, token)).status !== 401;

const create = `mutation ($input: AppCreateInput!) { createApp(input: $input) {
  token app { id databaseId name permissions scope share tokens { id } } accessToken { id label scope expiresAt user { id } app { id } } } }`;
const update =
  'mutation ($input: AppUpdateInput!) { updateApp(input: $input) { app { name permissions scope share } } }';
const addToken =
  'mutation ($input: AppTokenCreateInput!) { createAppToken(input: $input) { token accessToken { id label scope } } }';
const revoke = 'mutation ($id: ID!) { revokeToken(input: { id: $id }) { accessToken { revokedAt app { id } } } }';
const remove = 'mutation ($id: ID!) { deleteApp(input: { id: $id }) { deletedId } }';
const addNote = (id = contact) =>
  `mutation { createNote(input: { contactId: "Contact:${id}", content: "A note" }) { note { id authorApp } } }`;
const content = { name: 'Newsletter', permissions: ['notes.write', 'contacts.read', 'contacts.read'], scope: 'WRITE' };

describe('an app', () => {
  let app: Json;
  let token: string;
  beforeAll(async () => {
    ({ app, token } = (await run(create, { input: content })).createApp);
  });

  it('is shown with its rights, each once, and its token without the secret', async () => {
    expect(app).toMatchObject({
      name: 'Newsletter',
      permissions: ['contacts.read', 'notes.write'],
      scope: 'WRITE',
      share: 50,
    });
    const { apps } = await run('{ apps { id name tokens { id app { id } user { id } } } }');
    expect(apps).toEqual([
      { id: app.id, name: 'Newsletter', tokens: [{ ...app.tokens[0], app: { id: app.id }, user: null }] },
    ]);
    const stored = await door.sql('select * from tokens where app_id = ?', [app.databaseId]);
    expect(JSON.stringify(stored)).not.toContain(token);
  });

  it('calls both doors', async () => {
    expect((await run(addNote(), {}, token)).createNote.note.authorApp).toBe('Newsletter');
    expect((await door.rest('GET', `/v1/contacts/${contact}`, undefined, token)).status).toBe(200);
    const note = await door.rest('POST', `/v1/contacts/${contact}/notes`, { content: 'By a program' }, token);
    expect(note.status).toBe(201);
  });

  it('is no user: lists of users and members do not have it, and nobody can put it among them', async () => {
    const { users } = await run('{ users(first: 1000) { nodes { databaseId } } }');
    expect(users.nodes.map(({ databaseId }: Json) => databaseId)).not.toContain(app.databaseId);
    expect((await door.rest('GET', `/users/${app.databaseId}`)).status).toBe(404);
    const team = { name: 'A team', users: [{ id: app.databaseId }], leaders: [{ id: app.databaseId }] };
    expect((await door.rest('POST', '/teams', { data: { team } })).status).toBe(422);
    expect(
      await refuse(
        `mutation { updateContact(input: { id: ${contact}, accountId: ${app.databaseId} }) { contact { id } } }`,
      ),
    ).toMatchObject({ code: 'unprocessable' });
    for (const deed of ['changeMemberRole(input: { userId: ID, roleId: 1 })', 'removeMember(input: { userId: ID })'])
      expect(await refuse(`mutation { ${deed.replace('ID', app.databaseId)} { __typename } }`)).toMatchObject({
        code: 'not-found',
      });
  });

  it('knows who it is, and what it may do', async () => {
    const asked = `{ viewer { user { id } app { name share tokens { isCurrent } } space { id } permissions invitations { id } }
      tokens { isCurrent app { name } } }`;
    expect(await run(asked, {}, token)).toEqual({
      viewer: {
        user: null,
        app: { name: 'Newsletter', share: 50, tokens: [{ isCurrent: true }] },
        space: { id: 'Space:1' },
        permissions: ['self.read', 'contacts.read', 'notes.write'],
        invitations: [],
      },
      tokens: [{ isCurrent: true, app: { name: 'Newsletter' } }],
    });
    expect((await run('{ viewer { user { id } app { id } } }')).viewer).toEqual({ user: { id: 'User:1' }, app: null });
  });

  it.each([
    ['updateUser(input: { id: 1, email: "x@example.org" })', 'updateUser is for users: the caller is an app'],
    ['createToken(input: { label: "x", scope: READ })', 'createToken is for users: the caller is an app'],
    ['revokeToken(input: { id: 1 })', 'revokeToken is for users: the caller is an app'],
    ['acceptInvitation(input: { id: 1 })', 'acceptInvitation is for users: the caller is an app'],
    ['removeMember(input: { userId: 1 })', 'removeMember is for users: the caller is an app'],
    ['createAppToken(input: { id: 1 })', 'createAppToken needs the permission apps, which the app does not have'],
    ['deleteApp(input: { id: 1 })', 'deleteApp needs the permission apps, which the app does not have'],
    [
      'createRole(input: { name: "x", type: USER })',
      'createRole needs the permission members.write, which the app does not have',
    ],
    [
      'updateContact(input: { id: 1 })',
      'updateContact needs the permission contacts.write, which the app does not have',
    ],
  ])('may not %s', async (deed, message) => {
    const { token: widest } = await createAppCaller(door, { permissions: ['contacts.read'] });
    expect(await refuse(`mutation { ${deed} { __typename } }`, {}, widest)).toMatchObject({
      code: 'forbidden',
      message,
    });
  });

  it('is told over REST where a person is needed', async () => {
    const answer = await door.rest('PATCH', '/users/1', { data: { mail: 'x@example.org' } }, token);
    expect([answer.status, answer.body.detail]).toEqual([403, 'updateUser is for users: the caller is an app']);
  });

  it('has keys of its own for writes that are done once', async () => {
    const headers = { 'Idempotency-Key': 'the-same' };
    const send = async (as: string) => (await door.graphql(addNote(), {}, as, headers)).body.data.createNote.note;
    const other = await createAppCaller(door);
    const [first, second, again] = [await send(token), await send(other.token), await send(token)];
    expect(again).toEqual(first);
    expect(second.id).not.toBe(first.id);
    expect(second.authorApp).toBe(other.name);
  });
});

describe('what an app wrote', () => {
  it('is said to be its own, also after it was deleted', async () => {
    const caller = await createAppCaller(door, {
      name: 'Author',
      permissions: ['contacts.read', 'contacts.write', 'notes.write', 'segments.write'],
    });
    const {
      createNote: { note },
    } = await run(addNote(), {}, caller.token);
    const {
      createSegment: { segment },
    } = await run(
      'mutation { createSegment(input: { name: "Of an app", query: { gender: { equals: F } } }) { segment { id } } }',
      {},
      caller.token,
    );
    await run(
      `mutation { updateContact(input: { id: ${contact}, firstName: "Renamed", optedOut: true }) { contact { id } } }`,
      {},
      caller.token,
    );
    const asked = `{
      note(id: "${note.id}") { author { id } authorApp }
      segment(id: "${segment.id}") { author { id } authorApp }
      contact(id: ${contact}) { lastChangedBy { id } lastChangedByApp }
      consentChanges(filter: { contactId: { equals: ${contact} } }, first: 1, orderBy: { field: ID, direction: DESC }) { nodes { author { id } authorApp } }
      auditLog(first: 3, orderBy: { field: ID, direction: ASC }, filter: { appId: { equals: "App:${caller.id}" } }) {
        nodes { operation userId appId appName } } }`;
    const by = { author: null, authorApp: 'Author' };
    const expected = {
      note: by,
      segment: by,
      contact: { lastChangedBy: null, lastChangedByApp: 'Author' },
      consentChanges: { nodes: [by] },
      auditLog: {
        nodes: ['createNote', 'createSegment', 'updateContact'].map((operation) => ({
          operation,
          userId: null,
          appId: `App:${caller.id}`,
          appName: 'Author',
        })),
      },
    };
    expect(await run(asked)).toEqual(expected);
    await run(remove, { id: caller.id });
    expect(await run(asked)).toEqual(expected);
    expect(await isValid(caller.token)).toBe(false);
    expect((await run('query ($id: ID!) { app(id: $id) { id } }', { id: caller.id })).app).toBeNull();
    expect(await refuse(remove, { id: caller.id })).toMatchObject({ code: 'not-found' });
  });

  it('is found by the number of the app', async () => {
    const { id, token } = await createAppCaller(door);
    await run(`mutation { updateContact(input: { id: ${contact}, lastName: "Found" }) { contact { id } } }`, {}, token);
    const found = await run(
      `{ searchContacts(first: 5, query: { lastChangedById: { equals: ${id} } }) { nodes { databaseId } } }`,
    );
    expect(found.searchContacts.nodes).toEqual([{ databaseId: contact }]);
  });

  it('cannot be taken for that of a user: their numbers differ', async () => {
    await expect(door.sql(`insert into users (id, mail) values (1000000000, 'app@example.org')`)).rejects.toMatchObject(
      { code: '23514' },
    );
    const app = `insert into apps (group_id, id, name, permissions, scope, share) values (1, ?, 'A user', '{}', 'read', 50)`;
    for (const id of [5, 999_999_999, 2_000_000_000])
      await expect(door.sql(app, [id])).rejects.toMatchObject({ code: '23514' });
  });

  it('leaves the user of a line as it is', async () => {
    await run(addNote());
    const { auditLog } = await run(
      '{ auditLog(first: 1, orderBy: { field: ID, direction: DESC }) { nodes { userId appId appName } } }',
    );
    expect(auditLog.nodes).toEqual([{ userId: 'User:1', appId: null, appName: null }]);
  });
});

describe('the tokens of an app', () => {
  it('are renewed: both work until the old one is revoked, from then on at once in every process', async () => {
    const caller = await createAppCaller(door, { scope: 'write' });
    const elsewhere = await openApp({}, undefined, door);
    const { createAppToken } = await run(addToken, { input: { id: caller.id, label: 'second' } });
    expect(createAppToken.accessToken).toMatchObject({ label: 'second', scope: 'WRITE' });
    const read = async (at: Door, token: string) =>
      (await at.rest('GET', `/v1/contacts/${contact}`, undefined, token)).status;
    for (const at of [door, elsewhere])
      for (const token of [caller.token, createAppToken.token]) expect(await read(at, token)).toBe(200);
    const { app } = await run('query ($id: ID!) { app(id: $id) { tokens { id label } } }', { id: caller.id });
    const old = app.tokens.find(({ label }: Json) => label === null);
    expect((await run(revoke, { id: old.id })).revokeToken.accessToken).toMatchObject({
      app: { id: `App:${caller.id}` },
    });
    for (const at of [door, elsewhere])
      expect([await read(at, caller.token), await read(at, createAppToken.token)]).toEqual([401, 200]);
  });

  it('end when they say', async () => {
    expect(
      await refuse(create, { input: { ...content, name: 'Late', expiresAt: '2020-01-01T00:00:00Z' } }),
    ).toMatchObject({
      code: 'invalid-request',
      errors: [{ location: 'input.expiresAt', message: 'is in the past' }],
    });
    expect(await door.sql(`select 1 from apps where name = 'Late'`)).toEqual([]);
    const { token } = (await run(create, { input: { ...content, name: 'Ending', expiresAt: '2100-01-01T00:00:00Z' } }))
      .createApp;
    await door.sql(`update tokens set expires_at = now() where expires_at = '2100-01-01'`);
    expect(await isValid(token)).toBe(false);
  });

  it('are listed for admins, and for the app itself', async () => {
    const caller = await createAppCaller(door);
    const list = async (token?: string) =>
      (await run(`{ tokens(ofSpace: ${token === undefined}) { app { name } } }`, {}, token)).tokens;
    expect(await list()).toContainEqual({ app: { name: caller.name } });
    expect(await list(caller.token)).toEqual([{ app: { name: caller.name } }]);
  });

  it('are at most a hundred', async () => {
    const { id } = await createAppCaller(door);
    await door.sql(
      `insert into tokens (group_id, app_id, hash, prefix) select 1, ?, sha256(cast(gen_random_uuid()::text as bytea)), 'mst_' from generate_series(1, 99)`,
      [id],
    );
    expect(await refuse(addToken, { input: { id } })).toMatchObject({ code: 'conflict' });
  });
});

describe('a change of an app', () => {
  it('is felt by its next request, and says nothing twice', async () => {
    const caller = await createAppCaller(door, { permissions: ['contacts.read', 'notes.write'], scope: 'write' });
    await run(addNote(), {}, caller.token);
    const input = { id: caller.id, permissions: ['contacts.read'] };
    expect((await run(update, { input })).updateApp.app).toMatchObject({
      permissions: ['contacts.read'],
      scope: 'WRITE',
    });
    expect(await refuse(addNote(), {}, caller.token)).toMatchObject({ code: 'forbidden' });
    await run(update, { input: { id: caller.id, permissions: ['notes.write', 'contacts.read'], scope: 'READ' } });
    expect((await refuse(addNote(), {}, caller.token)).message).toMatch(
      'needs an access token with the scope write; this one has the scope read',
    );
    const lines = () => door.sql(`select 1 from audit_log where operation = 'updateApp'`);
    const before = (await lines()).length;
    await run(update, { input: { id: caller.id, share: 50, scope: 'READ' } });
    expect(await lines()).toHaveLength(before);
  });

  it('takes only names that are free, whatever their letters', async () => {
    const [one, two] = [await createAppCaller(door), await createAppCaller(door)];
    const taken = { code: 'conflict', errors: [{ location: 'input.name', message: 'is the name of another app' }] };
    const name = one.name.toUpperCase();
    expect(await refuse(update, { input: { id: two.id, name } })).toMatchObject(taken);
    expect(await refuse(create, { input: { ...content, name } })).toMatchObject(taken);
    await run(update, { input: { id: one.id, name } });
    await run(remove, { id: one.id });
    await run(update, { input: { id: two.id, name } });
  });

  it.each([
    ['a blank name', { name: ' ' }, 'input.name'],
    ['no permission', { permissions: [] }, 'input.permissions'],
    ['an unknown permission', { permissions: ['contacts.read', 'contacts'] }, 'input.permissions[1]'],
    ['a permission over apps', { permissions: ['apps'] }, 'input.permissions[0]'],
    ['a permission over members', { permissions: ['members.write'] }, 'input.permissions[0]'],
    ['a permission over itself', { permissions: ['self.write'] }, 'input.permissions[0]'],
    ['a share of nothing', { share: 0 }, 'input.share'],
    ['a share above all', { share: 101 }, 'input.share'],
  ])('is refused for %s', async (_, faulty, location) => {
    const { id } = await createAppCaller(door);
    const found = [
      await refuse(create, { input: { ...content, name: 'Faulty', ...faulty } }),
      await refuse(update, { input: { id, ...faulty } }),
    ];
    for (const one of found) expect(one).toMatchObject({ code: 'invalid-request', errors: [{ location }] });
    expect(await door.sql(`select 1 from apps where name = 'Faulty' or name = ' '`)).toEqual([]);
  });
});

describe('apps are managed', () => {
  it.each(['manager', 'user', 'custom'] as const)('by no %s', async (type) => {
    const token = await createMember(door, { type });
    const { id } = await createAppCaller(door);
    for (const [query, variables] of [
      ['{ apps { id } }', {}],
      ['query ($id: ID!) { app(id: $id) { id } }', { id }],
      ['{ spaceUsage { lastHour } }', {}],
      [create, { input: { ...content, name: 'Of nobody' } }],
      [update, { input: { id, share: 100 } }],
      [addToken, { input: { id } }],
      [remove, { id }],
    ] as const)
      expect(await refuse(query, variables, token)).toMatchObject({ code: 'forbidden' });
    expect((await run('query ($id: ID!) { node(id: $id) { id } }', { id: `App:${id}` }, token)).node).toBeNull();
    const [{ id: tokenId }] = await door.sql('select id from tokens where app_id = ?', [id]);
    expect(await refuse(revoke, { id: tokenId }, token)).toMatchObject({ code: 'not-found' });
  });

  it('by no admin whose token reaches less far', async () => {
    const token = await createMember(door, { type: 'admin', scope: 'write' });
    expect(await refuse('{ apps { id } }', {}, token)).toMatchObject({ code: 'forbidden' });
  });

  it('without their secret under an idempotency key', async () => {
    const answer = await door.graphql(create, { input: { ...content, name: 'Kept' } }, undefined, {
      'Idempotency-Key': 'secret',
    });
    expect(answer.body.errors[0].extensions.code).toBe('unprocessable');
    expect(await door.sql(`select 1 from apps where name = 'Kept'`)).toEqual([]);
  });

  it('by an admin who then leaves: they go on', async () => {
    const { user } = await createMemberRole(door, { type: 'admin' });
    const admin = await createAccessToken(door.database, 1, user);
    const { token } = (await run(create, { input: { ...content, name: 'Staying' } }, admin)).createApp;
    await removeMember(door.database.space(1), user, operator);
    expect(await isValid(admin)).toBe(false);
    await run(addNote(), {}, token);
  });
});

describe('another space', () => {
  it('neither sees an app nor its tokens, and the app sees nothing of it', async () => {
    const here = await createAppCaller(door, { permissions: ['contacts.read', 'notes.write', 'people.read'] });
    const [{ user_id: user }] = await door.sql(
      `select min(m.user_id) as user_id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id where m.group_id = 2 and r.type = 'superadmin'`,
    );
    const there = await door.token(2, user);
    const [{ id: tokenId }] = await door.sql('select id from tokens where app_id = ?', [here.id]);
    const [{ id: foreign }] = await door.sql('select min(id) as id from contacts where group_id = 2');
    expect((await run('{ apps { id } }', {}, there)).apps).toEqual([]);
    expect((await run('query ($id: ID!) { app(id: $id) { id } }', { id: here.id }, there)).app).toBeNull();
    for (const [query, variables] of [
      [update, { input: { id: here.id, share: 1 } }],
      [addToken, { input: { id: here.id } }],
      [remove, { id: here.id }],
      [revoke, { id: tokenId }],
    ] as const)
      expect(await refuse(query, variables, there)).toMatchObject({ code: 'not-found' });
    expect(await refuse(addNote(foreign), {}, here.token)).toMatchObject({ code: 'not-found' });
    expect((await run('{ users(first: 1000) { nodes { id } } }', {}, here.token)).users.nodes).not.toContainEqual({
      id: `User:${user}`,
    });
    const header = { 'X-Muster-Space': '2' };
    expect((await door.rest('GET', `/v1/contacts/${contact}`, undefined, here.token, header)).status).toBe(403);
    // The same name is free there.
    expect((await run(create, { input: { ...content, name: here.name } }, there)).createApp.app.name).toBe(here.name);
  });
});
