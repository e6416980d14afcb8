// Versions: ETag, If-None-Match and If-Match on contacts and teams, and the same in the graph.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const tagOf = ({ headers }: Answer): string | null => headers.get('etag');
const get = (path: string, headers: Record<string, string> = {}) =>
  door.rest('GET', path, undefined, undefined, headers);
const versionOf = async (table: 'teams' | 'contacts', id: number): Promise<number> =>
  (await door.sql(`select version from ${table} where id = ?`, [id]))[0].version;

/** The two kinds of records with versions: how one is created, read and changed. */
const kinds = {
  team: {
    table: 'teams',
    create: () => door.rest('POST', '/teams', { data: { team: { name: 'Versioned', users: [{ id: 1 }] } } }),
    paths: (id: number) => [`/teams/${id}`],
    change: (id: number, headers: Record<string, string>, name = 'Changed') =>
      door.rest('PATCH', '/teams', { data: { team: { id, name } } }, undefined, headers),
    remove: (id: number, headers: Record<string, string> = {}) =>
      door.rest('DELETE', `/teams/${id}`, undefined, undefined, headers),
  },
  contact: {
    table: 'contacts',
    create: () => door.rest('POST', '/contacts', { data: { contact: { surname: 'Versioned' } } }),
    paths: (id: number) => [`/contacts/${id}`, `/v1/contacts/${id}`],
    change: (id: number, headers: Record<string, string>, name = 'Changed') =>
      door.rest('PATCH', `/contacts/${id}`, { data: { contact: { surname: name } } }, undefined, headers),
    remove: (id: number, headers: Record<string, string> = {}) =>
      door.rest('DELETE', `/contacts/${id}`, undefined, undefined, headers),
  },
} as const;
const createOf = async (kind: keyof typeof kinds): Promise<number> => (await kinds[kind].create()).body.data[kind].id;

describe.each(['team', 'contact'] as const)('a %s', (kind) => {
  const { table, create, paths, change, remove } = kinds[kind];

  it('has its version as the ETag in every response, and not in the body', async () => {
    const made = await create();
    const { id } = made.body.data[kind];
    expect(tagOf(made)).toBe('"1"');
    for (const path of paths(id)) expect(tagOf(await get(path))).toBe('"1"');
    const changed = await change(id, {});
    expect(tagOf(changed)).toBe('"2"');
    for (const path of paths(id)) expect(tagOf(await get(path))).toBe('"2"');
    expect(await versionOf(table, id)).toBe(2);
    for (const answer of [made, changed, ...(await Promise.all(paths(id).map((path) => get(path))))])
      expect(answer.text).not.toMatch(/"(etag|version)"/);
  });

  it.each([
    '"1"',
    'W/"1"',
    '"7", W/"1" , "x"',
    '*',
    ' * ',
  ])('is 304 without a body when the client has it: If-None-Match %s', async (known) => {
    for (const path of paths(await createOf(kind))) {
      const { status, headers, text } = await get(path, { 'If-None-Match': known });
      expect([status, text, headers.get('etag'), headers.get('content-type')]).toEqual([304, '', '"1"', null]);
      expect(headers.get('x-ratelimit-cost')).toBe('1');
    }
  });

  it.each([
    '"2"',
    '1',
    '"11"',
    'W/"0"',
    '""',
    'nonsense "',
    '',
  ])('is sent when the client has another version: If-None-Match %s', async (known) => {
    for (const path of paths(await createOf(kind))) {
      const { status, body } = await get(path, { 'If-None-Match': known });
      expect([status, body.data?.[kind].id ?? body.id]).toEqual([200, expect.any(Number)]);
    }
  });

  it('is 404 once it is deleted, whatever version the client has', async () => {
    const id = await createOf(kind);
    await remove(id);
    for (const path of paths(id)) expect((await get(path, { 'If-None-Match': '*' })).status).toBe(404);
  });

  it('is changed when If-Match names its version, or any', async () => {
    const id = await createOf(kind);
    const tags = [];
    for (const tag of ['"1"', '"2"', '*']) tags.push(tagOf(await change(id, { 'If-Match': tag }, `Given ${tag}`)));
    expect(tags).toEqual(['"2"', '"3"', '"4"']);
  });

  it.each([
    '"1"',
    '"3"',
    '"0"',
    '"999999999"',
  ])('is not changed when If-Match names another version: %s', async (tag) => {
    const id = await createOf(kind);
    await change(id, {}, 'Newer');
    const { status, body, headers } = await change(id, { 'If-Match': tag }, 'Stale');
    expect([status, body.type, headers.get('content-type')]).toEqual([
      412,
      'urn:muster:problem:precondition-failed',
      'application/problem+json',
    ]);
    expect(await versionOf(table, id)).toBe(2);
    expect((await get(paths(id)[0]!)).text).toContain('Newer');
  });

  it.each([
    '1',
    '"one"',
    'W/"1"',
    '"2", W/"1"',
    '"01"',
    '"1',
    '""',
    '"9999999999"',
    '"-1"',
    '',
  ])('is neither changed, deleted nor read when If-Match has no tag of it: %s', async (tag) => {
    const id = await createOf(kind);
    const headers = { 'If-Match': tag };
    const answers = [await change(id, headers), await remove(id, headers)];
    for (const path of paths(id)) answers.push(await get(path, headers));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 412));
    expect(await versionOf(table, id)).toBe(1);
    expect((await get(paths(id)[0]!)).status).toBe(200);
  });

  it.each([
    '"1"',
    '"7", "1"',
    'W/"1",, "x,y" ,"1"',
    '*',
    ' * ',
  ])('is read, changed and deleted when If-Match has its tag: %s', async (tag) => {
    const headers = { 'If-Match': tag };
    const id = await createOf(kind);
    for (const path of paths(id)) expect((await get(path, headers)).status).toBe(200);
    expect((await remove(id, headers)).status).toBe(200);
    expect((await change(await createOf(kind), headers)).status).toBe(200);
  });

  it.each(['*', '"1"', 'W/"1"', '"7", "1"'])('is not written when If-None-Match has it: %s', async (tag) => {
    const id = await createOf(kind);
    const headers = { 'If-None-Match': tag };
    expect([(await change(id, headers)).status, (await remove(id, headers)).status]).toEqual([412, 412]);
    expect(await versionOf(table, id)).toBe(1);
    expect((await change(id, { 'If-None-Match': '"7"' })).status).toBe(200);
  });

  it('is 404 when it is missing, whatever If-Match says', async () => {
    const id = await createOf(kind);
    await remove(id);
    for (const tag of ['"1"', '"2"', '*'])
      for (const one of [id, 987_654_321]) expect((await change(one, { 'If-Match': tag })).status).toBe(404);
  });

  it('is changed by only one of many clients that read the same version', async () => {
    const id = await createOf(kind);
    const names = Array.from({ length: 20 }, (_, number) => `Writer ${number}`);
    const answers = await Promise.all(names.map((name) => change(id, { 'If-Match': '"1"' }, name)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(412)]);
    expect(await versionOf(table, id)).toBe(2);
    const winner = names[answers.findIndex(({ status }) => status === 200)]!;
    expect((await get(paths(id)[0]!)).text).toContain(`"${winner}"`);
  });

  it('is answered again by its key, though its version has changed since', async () => {
    const id = await createOf(kind);
    const headers = { 'If-Match': '"1"', 'Idempotency-Key': `versioned-${kind}` };
    const first = await change(id, headers);
    const again = await change(id, headers);
    expect([again.status, again.text, tagOf(again)]).toEqual([200, first.text, '"2"']);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });
});

it('a note on a contact changes the version of the contact', async () => {
  const id = await createOf('contact');
  await door.rest('POST', `/contacts/${id}/notes`, { content: 'x' });
  expect(tagOf(await get(`/contacts/${id}`, { 'If-None-Match': '"1"' }))).toBe('"2"');
});

it('a user who accepts an invitation to a team changes its version, unless already in the team', async () => {
  const id = await createOf('team');
  const [{ id: user, mail }] = await door.sql(
    'select id, mail from users where id = (select max(user_id) from members where group_id = 2)',
  );
  const token = await door.token(2, user);
  const invite = async (email: string): Promise<number> =>
    (await door.rest('POST', '/users/invitation', { data: { invitations: [{ email, team_ids: [id] }] } })).body.data
      .invitations[0].id;
  const accept = (invitation: number) =>
    door.graphql(
      'mutation ($id: ID!) { acceptInvitation(input: { id: $id }) { invitation { id: databaseId } } }',
      { id: invitation },
      token,
    );
  const tag = async () => tagOf(await get(`/teams/${id}`));

  const [first, second] = [await invite(mail), await invite('nobody@example.org')];
  expect(await tag()).toBe('"1"');
  expect((await accept(first)).body.errors).toBeUndefined();
  expect(await tag()).toBe('"2"');
  await door.sql(`update users set mail = 'nobody@example.org' where id = ?`, [user]);
  expect(await tag()).toBe('"3"');
  expect((await accept(second)).body.errors).toBeUndefined();
  expect(await tag()).toBe('"3"');
  const { users } = (await get(`/teams/${id}`)).body.data.team;
  expect(users.map((one: Json) => one.id)).toEqual([1, user]);
});

it('responses with many records, or with nothing versioned, have no ETag', async () => {
  for (const path of ['/teams', '/users/1', '/users', '/roles']) expect(tagOf(await get(path))).toBeNull();
});

describe('records without versions', () => {
  it.each<[string, string, string, unknown]>([
    ['a user', 'PATCH', '/users/1', { data: { mail: 'ada@example.org', city: 'Lyon' } }],
    ['a user', 'GET', '/users/1', undefined],
    ['the roles', 'GET', '/roles', undefined],
    ['the teams', 'GET', '/teams', undefined],
    ['a new contact', 'POST', '/contacts', { data: { contact: { surname: 'Conditional' } } }],
    ['a new team', 'POST', '/teams', { data: { team: { name: 'Conditional' } } }],
    ['a new note', 'POST', '/v1/contacts/1/notes', { content: 'Conditional' }],
  ])('%s: %s %s is 412 for any tag, and done for *', async (_, method, path, body) => {
    const [{ mail }] = await door.sql('select mail from users where id = 1');
    const sent = path === '/users/1' && body ? { data: { mail, city: 'Conditional' } } : body;
    const count = async () =>
      (
        await door.sql(`select (select count(*) from contacts) + (select count(*) from teams) + (select count(*) from notes)
                             + (select count(*) from users where city = 'Conditional') as number`)
      )[0].number;
    const before = await count();
    for (const tag of ['"1"', 'W/"1"', '"a", "b"'])
      expect((await door.rest(method, path, sent, undefined, { 'If-Match': tag })).status).toBe(412);
    expect(await count()).toBe(before);
    expect((await door.rest(method, path, sent, undefined, { 'If-Match': '*' })).status).toBeLessThan(300);
  });

  it('a user or an invitation that is there is not written for If-None-Match: *', async () => {
    const [{ mail }] = await door.sql('select mail from users where id = 1');
    const headers = { 'If-None-Match': '*' };
    expect((await door.rest('PATCH', '/users/1', { data: { mail } }, undefined, headers)).status).toBe(412);
    const made = await door.rest('POST', '/users/invitation', { data: { invitations: [{ email: 'if@example.org' }] } });
    const { id } = made.body.data.invitations[0];
    for (const one of [headers, { 'If-Match': '"1"' }])
      expect((await door.rest('DELETE', `/users/invitation/${id}`, undefined, undefined, one)).status).toBe(412);
    expect((await door.rest('DELETE', `/users/invitation/${id}`)).status).toBe(200);
  });
});

it.each<[Record<string, string>, found: number, missing: number]>([
  [{ 'If-Match': '"1"' }, 202, 412],
  [{ 'If-Match': '"7", "1"' }, 202, 412],
  [{ 'If-Match': '*' }, 202, 412],
  [{ 'If-Match': '"2"' }, 412, 412],
  [{ 'If-Match': 'W/"1"' }, 412, 412],
  [{ 'If-None-Match': '*' }, 412, 202],
  [{ 'If-None-Match': '"1"' }, 412, 202],
  [{ 'If-None-Match': '"2"' }, 202, 202],
])('an upsert with %j is %i for a contact that is there, and %i for a new one', async (headers, found, missing) => {
  const name = `Upserted ${JSON.stringify(headers)}`;
  const { id } = (await door.rest('POST', '/contacts', { data: { contact: { surname: name } } })).body.data.contact;
  const send = (data: Json) => door.rest('POST', '/contacts/upsert', { kind: 'contact', data }, undefined, headers);
  expect((await send({ id, surname: `${name} changed` })).status).toBe(found);
  expect(await versionOf('contacts', id)).toBe(found === 202 ? 2 : 1);
  expect((await send({ surname: `${name} new` })).status).toBe(missing);
  const made = await door.sql('select id from contacts where surname = ?', [`${name} new`]);
  expect(made).toHaveLength(missing === 202 ? 1 : 0);
});

describe('in the graph', () => {
  const replace =
    'mutation ($id: ID!, $name: String!, $expected: Int) { replaceTeam(input: { id: $id, expectedVersion: $expected, name: $name }) { team { version } } }';

  it('versions are fields, and a mutation may name the expected one', async () => {
    const id = await createOf('team');
    const contact = await createOf('contact');
    const read = await door.graphql(`{ team(id: ${id}) { version } contact(id: ${contact}) { version } }`);
    expect(read.body.data).toEqual({ team: { version: 1 }, contact: { version: 1 } });
    const versions = [];
    for (const [at, expected] of [1, 2, null, undefined].entries())
      versions.push(
        (await door.graphql(replace, { id, name: `Name ${at}`, expected })).body.data.replaceTeam.team.version,
      );
    expect(versions).toEqual([2, 3, 4, 5]);
  });

  it('a mutation that expects another version is refused as precondition-failed, and does nothing', async () => {
    const id = await createOf('team');
    for (const expected of [0, 2, -1]) {
      const { body } = await door.graphql(replace, { id, name: 'Unexpected', expected });
      expect(body.errors.map(({ extensions }: Json) => [extensions.code, extensions.status])).toEqual([
        ['precondition-failed', 412],
      ]);
    }
    expect(await versionOf('teams', id)).toBe(1);
    const { body } = await door.graphql(replace, { id: 987_654_321, name: 'Nobody', expected: 1 });
    expect(body.errors[0].extensions.code).toBe('not-found');
  });

  it.each(['team', 'contact'] as const)('a %s is deleted only when it is of the expected version', async (kind) => {
    const id = await createOf(kind);
    const name = kind === 'team' ? 'Team' : 'Contact';
    const text = `mutation ($id: ID!, $expected: Int) { delete${name}(input: { id: $id, expectedVersion: $expected }) { databaseId } }`;
    const { body } = await door.graphql(text, { id, expected: 2 });
    expect(body.errors[0].extensions.code).toBe('precondition-failed');
    expect((await get(kinds[kind].paths(id)[0]!)).status).toBe(200);
    expect((await door.graphql(text, { id, expected: 1 })).body.data[`delete${name}`]).toEqual({ databaseId: id });
  });
});
