// Idempotency-Key at the GraphQL door: the mutations of a document are done once; each is committed or rolled back as it would be without a key.
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { defineStatement } from '../../src/database/statement.ts';
import { createAccessToken } from '../../src/gate/token.ts';
import { type Answer, type Door, type Json, openApp } from '../harness/app.ts';
import { createMemberRole } from '../harness/member.ts';
import { buildWaitingSql } from '../harness/session.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp({ BUCKET_CAPACITY: 100_000, BUCKET_REFILL: 0.0001 });
  await door.token(1, 1);
});

let keys = 0;
const newKey = (): string => `graph-${++keys}`;
const ask = (query: string, key: string, variables?: Json, headers: Record<string, string> = {}): Promise<Answer> =>
  door.graphql(query, variables, undefined, { 'Idempotency-Key': key, ...headers });
const create =
  'mutation Create($name: String!) { createTeam(input: { name: $name }) { team { id: databaseId name users { id: databaseId } } } }';
const teamsNamed = async (name: string): Promise<number> =>
  (await door.sql('select count(*) from teams where name = ?', [name]))[0].count;
const listStored = (key: string) => door.sql('select status, body from idempotency_keys where key = ?', [key]);
const isReplay = ({ headers }: Answer): boolean => headers.get('idempotency-replayed') === 'true';
const codes = ({ body }: Answer): string[] => (body.errors ?? []).map(({ extensions }: Json) => extensions?.code);

describe('a document of mutations with a key', () => {
  it.each([
    'application/json',
    'application/graphql-response+json',
  ])('is done once, and answered again byte for byte, as %s', async (accept) => {
    const key = newKey();
    const send = () => ask(create, key, { name: `Once ${accept}` }, { Accept: accept });
    const first = await send();
    expect([first.status, first.body.errors, isReplay(first)]).toEqual([200, undefined, false]);
    const again = await send();
    expect([again.status, again.text, isReplay(again)]).toEqual([200, first.text, true]);
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect(
      Number(first.headers.get('x-ratelimit-remaining')) - Number(again.headers.get('x-ratelimit-remaining')),
    ).toBe(1);
    expect(await teamsNamed(`Once ${accept}`)).toBe(1);
  });

  it('costs two statements more; a repetition costs one beside the gate', async () => {
    const key = newKey();
    const countStatements = async (work: () => Promise<unknown>) =>
      (await door.statements(work)).filter((sql) => !/^(BEGIN|COMMIT|SAVEPOINT|RELEASE)/i.test(sql)).length;
    const without = await countStatements(() => door.graphql(create, { name: 'Counted' }));
    const first = await countStatements(() => ask(create, key, { name: 'Counted' }));
    const again = await countStatements(() => ask(create, key, { name: 'Counted' }));
    expect([first, again]).toEqual([without + 2, 2]);
  });

  it('is 422 with other variables, another document, another operation, or at the other door', async () => {
    const two = `${create} mutation Other { createTeam(input: { name: "Same key" }) { team { id } } }`;
    const key = newKey();
    const named = (operationName: string) =>
      door.app
        .fetch(
          new Request('http://muster.test/graphql', {
            method: 'POST',
            headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Idempotency-Key': key },
            body: JSON.stringify({ query: two, operationName, variables: { name: 'Same key' } }),
          }),
        )
        .then(async (response) => ({ status: response.status, body: (await response.json()) as Json }));
    const token = await door.token(1, 1);
    expect((await named('Create')).status).toBe(200);
    const others = [
      await named('Other'),
      await ask(create, key, { name: 'Same key' }),
      await ask(`${create} # again`, key, { name: 'Same key' }),
    ];
    for (const { status, body } of others) {
      expect([status, body.data, body.errors[0].extensions.code]).toEqual([422, undefined, 'unprocessable']);
      expect(body.errors[0].extensions.errors[0].location).toBe('header.Idempotency-Key');
    }
    const rest = await door.rest('POST', '/teams', { data: { team: { name: 'Same key' } } }, undefined, {
      'Idempotency-Key': key,
    });
    expect([rest.status, await teamsNamed('Same key')]).toEqual([422, 1]);
  });

  it('is the same whatever the order of the fields in its variables', async () => {
    const key = newKey();
    const query = 'mutation ($input: TeamCreateInput!) { createTeam(input: $input) { team { id: databaseId } } }';
    const first = await ask(query, key, { input: { name: 'Ordered', address: { city: 'Lyon', street: 'Rue X' } } });
    const again = await ask(query, key, { input: { address: { street: 'Rue X', city: 'Lyon' }, name: 'Ordered' } });
    expect([again.status, again.text, isReplay(again)]).toEqual([200, first.text, true]);
  });

  it.each(['', 'two words', 'x'.repeat(256)])('is 400 with a key of a wrong form: "%s"', async (key) => {
    const { status, body } = await ask(create, key, { name: 'Refused' });
    expect([status, body.errors[0].extensions.errors[0].location]).toEqual([400, 'header.Idempotency-Key']);
    expect(await teamsNamed('Refused')).toBe(0);
  });
});

describe('mutations that fail in part', () => {
  const taken = async () => (await door.sql('select mail from users where id = 2'))[0].mail;
  const document = (name: string, second: string) =>
    `mutation { a: createTeam(input: { name: "${name}" }) { team { id: databaseId } } ${second} }`;
  const failures: [what: string, second: () => Promise<string>, code: string][] = [
    [
      'by a rule of the database',
      async () => `b: updateUser(input: { id: 1, email: "${await taken()}" }) { user { databaseId } }`,
      'conflict',
    ],
    [
      'half way',
      async () =>
        'b: createTeam(input: { name: "Half way", users: [{ id: 1 }, { id: 987654321 }] }) { team { databaseId } }',
      'unprocessable',
    ],
    ['for a missing record', async () => 'b: deleteTeam(input: { id: 987654321 }) { deletedId }', 'not-found'],
    ['by a rule on input', async () => 'b: createTeam(input: { name: " " }) { team { id } }', 'invalid-request'],
  ];

  it.each(failures)('%s keep what was done, as without a key, and are answered again', async (what, second, code) => {
    const key = newKey();
    const text = document(`Part ${what}`, await second());
    const without = await door.graphql(text);
    expect([codes(without), await teamsNamed(`Part ${what}`)]).toEqual([[code], 1]);
    const first = await ask(text, key);
    expect([first.status, codes(first), isReplay(first)]).toEqual([without.status, [code], false]);
    expect(first.body.errors[0].path).toEqual(['b']);
    const again = await ask(text, key);
    expect([again.status, again.text, isReplay(again)]).toEqual([first.status, first.text, true]);
    expect([await teamsNamed(`Part ${what}`), await teamsNamed('Half way')]).toEqual([2, 0]);
  });

  it.each(failures)('%s and are the only ones, are not stored', async (_, second, code) => {
    const key = newKey();
    const text = `mutation { ${await second()} }`;
    for (let round = 0; round < 2; round++) {
      const answer = await ask(text, key);
      expect([codes(answer), isReplay(answer), await listStored(key)]).toEqual([[code], false, []]);
    }
    expect(isReplay(await ask(create, key, { name: 'Mended' }))).toBe(false);
    expect(isReplay(await ask(create, key, { name: 'Mended' }))).toBe(true);
  });

  it.each([
    ['mutation { createTeam(input: { name: "x" }) { team { nothing } } }', undefined],
    ['mutation ($id: ID!) { deleteTeam(input: { id: $id }) { id: databaseId } }', { id: 'x' }],
    ['mutation { createTeam(', undefined],
  ])('or do not start, are not stored: %s', async (query, variables) => {
    const key = newKey();
    const answer = await ask(query, key, variables);
    expect(answer.body.errors.length).toBeGreaterThan(0);
    expect(answer.text).toBe((await door.graphql(query, variables)).text);
    expect(await listStored(key)).toEqual([]);
  });
});

it('a mutation that the database cancels rolls back nothing but itself', async () => {
  const { id } = (await door.graphql(create, { name: 'Locked' })).body.data.createTeam.team;
  const key = newKey();
  const trx = await door.database.readers.knex.transaction();
  await trx.raw('select from teams where group_id = 1 and id = ? for update', [id]);
  const text = `mutation { a: createTeam(input: { name: "Beside" }) { team { id: databaseId } } b: deleteTeam(input: { id: ${id} }) { id: databaseId } }`;
  const first = await ask(text, key);
  await trx.rollback();
  expect([codes(first), await teamsNamed('Beside')]).toEqual([['timeout'], 1]);
  expect((await ask(text, key)).text).toBe(first.text);
});

it('a key is ignored by queries, and by a mutation sent with GET', async () => {
  for (const key of ['reading', 'reading', 'not a key']) {
    const answer = await ask('{ viewer { space { databaseId } } }', key);
    expect([answer.status, isReplay(answer)]).toEqual([200, false]);
  }
  const url = `http://muster.test/graphql?query=${encodeURIComponent('mutation { createTeam(input: { name: "by GET" }) { team { id: databaseId } } }')}`;
  const headers = { Authorization: `Bearer ${await door.token(1, 1)}`, 'Idempotency-Key': 'reading' };
  expect((await door.app.fetch(new Request(url, { headers }))).status).toBe(405);
  expect(await listStored('reading')).toEqual([]);
});

describe('an answer that is kept', () => {
  const isKept = ({ status }: Answer): boolean => status === 200;
  const addHidden = async () => {
    const [{ id }] = await door.sql('select min(id) as id from contacts where group_id = 1 and deleted_at is null');
    await door.sql(
      `insert into interactions (group_id, contact_id, type, comments, only_super_admin) values (1, ?, 'note', 'Hidden words', true)`,
      [id],
    );
    return `mutation { updateContact(input: { id: ${id}, lastName: "Seen" }) { contact { interactions { nodes { comments } } } } }`;
  };

  it('is not shown to a token of the same user with a smaller scope', async () => {
    const { user } = await createMemberRole(door, { type: 'superadmin' });
    const [all, write, read] = await Promise.all(
      (['admin', 'write', 'read'] as const).map((scope) => createAccessToken(door.database, 1, user, null, { scope })),
    );
    const key = newKey();
    const send = (token: string) => door.graphql(create, { name: 'Scoped' }, token, { 'Idempotency-Key': key });
    expect(isKept(await send(write!))).toBe(true);
    const refused = await send(read!);
    expect([refused.status, codes(refused), refused.text.includes('Scoped')]).toEqual([403, ['forbidden'], false]);
    for (const token of [write!, all!]) expect(isReplay(await send(token))).toBe(true);
    const rest = (token: string) =>
      door.rest('POST', '/teams', { data: { team: { name: 'Scoped' } } }, token, { 'Idempotency-Key': `${key}-rest` });
    expect([(await rest(write!)).status, (await rest(read!)).status, (await rest(write!)).status]).toEqual([
      200, 403, 200,
    ]);
    expect(await teamsNamed('Scoped')).toBe(2);
  });

  it.each([
    ['superadmin', 'admin', null],
    ['superadmin', 'custom', ['contacts.read', 'contacts.write']],
    ['custom', 'custom', ['contacts.read', 'contacts.write']],
  ] as const)('is not shown after the role went from %s to %s, and is when it comes back', async (before, after, less) => {
    const named = before === 'custom' ? [...less!, 'money.read'] : null;
    const { user, role } = await createMemberRole(door, { type: before, permissions: named });
    const token = await createAccessToken(door.database, 1, user);
    const query = await addHidden();
    const key = newKey();
    const send = () => door.graphql(query, {}, token, { 'Idempotency-Key': key });
    const first = await send();
    expect([first.body.errors, first.text.includes('Hidden words')]).toEqual([undefined, before === 'superadmin']);
    await door.sql('update roles set type = ?, permissions = ? where id = ?', [after, less, role]);
    const refused = await send();
    expect([refused.status, codes(refused), refused.body.data]).toEqual([403, ['forbidden'], undefined]);
    await door.sql('update roles set type = ?, permissions = ? where id = ?', [before, named, role]);
    const again = await send();
    expect([again.text, isReplay(again)]).toEqual([first.text, true]);
  });

  it('of an earlier version, which kept no authority, is shown to a superadmin alone', async () => {
    const { user, role } = await createMemberRole(door, { type: 'superadmin' });
    const token = await createAccessToken(door.database, 1, user);
    const key = newKey();
    const send = () => door.graphql(create, { name: 'Earlier' }, token, { 'Idempotency-Key': key });
    await send();
    await door.sql('update idempotency_keys set authority = null where key = ?', [key]);
    expect(isReplay(await send())).toBe(true);
    await door.sql(`update roles set type = 'admin' where id = ?`, [role]);
    expect((await send()).status).toBe(403);
  });
});

describe('concurrent requests', () => {
  it('50 with one key: one is executed, and every response is its response or 409', async () => {
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(create, key, { name: 'Crowded' })));
    expect(await teamsNamed('Crowded')).toBe(1);
    const done = answers.filter(({ status }) => status === 200);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    const others = answers.filter(({ status }) => status !== 200);
    expect(others.map((answer) => [answer.status, codes(answer)])).toEqual(others.map(() => [409, ['conflict']]));
  });

  it('a connection lost between two mutations leaves neither, nor the key', async () => {
    const { id } = (await door.graphql(create, { name: 'Held' })).body.data.createTeam.team;
    const key = newKey();
    const text = `mutation { a: createTeam(input: { name: "Lost" }) { team { id: databaseId } } b: deleteTeam(input: { id: ${id} }) { id: databaseId } }`;
    const trx = await door.database.readers.knex.transaction();
    await trx.raw('select from teams where group_id = 1 and id = ? for update', [id]);
    const first = ask(text, key);
    let pids: Json[] = [];
    for (const deadline = Date.now() + 1500; pids.length === 0 && Date.now() < deadline; await sleep(10))
      pids = await door.sql(buildWaitingSql());
    await door.sql(`select pg_terminate_backend(${pids[0].pid})`);
    const lost = await first;
    await trx.rollback();
    expect([codes(lost), await teamsNamed('Lost'), await listStored(key)]).toEqual([['unavailable'], 0, []]);
    const again = await ask(text, key);
    expect([again.body.errors, isReplay(again), await teamsNamed('Lost')]).toEqual([undefined, false, 1]);
  });
});

it.each([
  ['updateContact', [200, ['timeout'], null]],
  ['upsertContact', [503, ['unavailable'], '1']],
])('when %s cannot read the result for the response, it is rolled back: the same request can be tried again', async (name, refusal) => {
  const [{ id }] = await door.sql('select min(id) as id from contacts where group_id = 1 and deleted_at is null');
  const surname = `Unread by ${name}`;
  const text = `mutation { ${name}(input: { id: ${id}, lastName: "${surname}" }) { contact { lastName interactions { nodes { id: databaseId } } } } }`;
  const key = newKey();
  const trx = await door.database.readers.knex.transaction();
  await trx.raw('lock table interactions in access exclusive mode');
  const refused = await ask(text, key);
  await trx.rollback();
  expect([refused.status, codes(refused), refused.headers.get('retry-after')]).toEqual(refusal);
  expect([await listStored(key), await door.sql('select from contacts where surname = ?', [surname])]).toEqual([
    [],
    [],
  ]);
  const again = await ask(text, key);
  expect([again.body.data[name].contact.lastName, isReplay(again)]).toEqual([surname, false]);
});

it('slow statements have their own connections, also within the transaction of a key', async () => {
  const which = defineStatement(
    'test.lane',
    `select current_setting('random_page_cost') as cost, cast(:group as bigint) as space`,
  );
  const [inside, beside] = await door.database
    .space(1)
    .transaction(async (tx) => [await tx.rows(which), await tx.runSlow((rows) => rows(which))]);
  expect(beside).toEqual([{ cost: '1.1', space: 1 }]);
  expect(inside).not.toEqual(beside);
});
