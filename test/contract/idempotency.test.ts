// Idempotency-Key at the REST door: a write is done once, and its response is repeated for a day.
import { beforeAll, describe, expect, it } from 'vitest';
import { legacySchema as schema } from '../../schema/index.ts';
import { routes } from '../../src/rest/routes/index.ts';
import { compileStoredOperations } from '../../src/rest/stored.ts';
import { type Answer, type Door, type Json, openApp } from '../harness/app.ts';
import { prepareIds, requests } from '../requests/index.ts';

let door: Door;
beforeAll(async () => {
  // Next to nothing is refilled, so that every token taken can be counted.
  door = await openApp({ BUCKET_CAPACITY: 100_000, BUCKET_REFILL: 0.0001 });
  await door.token(1, 1);
});

let keys = 0;
const newKey = (): string => `key-${++keys}`;
const send = (method: string, path: string, body: unknown, key: string, token?: string): Promise<Answer> =>
  door.rest(method, path, body, token, { 'Idempotency-Key': key });
const team = (name: string, more: Json = {}) => ({ data: { team: { name, ...more } } });
const create = (name: string, key: string, token?: string) => send('POST', '/teams', team(name), key, token);
const teamsNamed = async (name: string): Promise<number> =>
  (await door.sql('select count(*) from teams where name = ?', [name]))[0].count;
const listStored = (key: string) => door.sql('select * from idempotency_keys where key = ?', [key]);
const isReplay = ({ headers }: Answer): boolean => headers.get('idempotency-replayed') === 'true';
const remaining = ({ headers }: Answer): number => Number(headers.get('x-ratelimit-remaining'));

const stored = compileStoredOperations(schema);
const writes = routes.filter(({ operation }) => stored[operation].isMutation);
const reads = routes.filter(({ operation }) => !stored[operation].isMutation);
const requestOf = async ({ operation, path }: (typeof routes)[number]): Promise<[url: string, body: Json]> => {
  const request = requests[operation]!(await prepareIds(door, 1));
  return [path.replace(/\{(\w+)#?\}/g, (_, name) => String(request.path[name])), request.body];
};

describe('a write with a key', () => {
  it.each(
    writes.map((route) => [`${route.method} ${route.path}`, route] as const),
  )('%s is done once, and answered again byte for byte', async (_, route) => {
    const [url, body] = await requestOf(route);
    const key = newKey();
    const first = await send(route.method, url, body, key);
    expect([first.status, isReplay(first)]).toEqual([route.status ?? 200, false]);
    const again = await send(route.method, url, body, key);
    expect([again.status, again.text, isReplay(again)]).toEqual([first.status, first.text, true]);
    for (const name of ['content-type', 'etag']) expect(again.headers.get(name)).toBe(first.headers.get(name));
  });

  it('writes nothing when it is repeated, and costs its full price each time', async () => {
    const key = newKey();
    const first = await create('Once', key);
    const again = await create('Once', key);
    const third = await create('Once', key);
    expect([again.text, third.text]).toEqual([first.text, first.text]);
    expect([isReplay(again), isReplay(third), await teamsNamed('Once')]).toEqual([true, true, 1]);
    expect([remaining(first) - remaining(again), remaining(again) - remaining(third)]).toEqual([1, 1]);
    expect(again.headers.get('x-ratelimit-cost')).toBe('1');
  });

  it('costs two statements more; a repetition costs one beside the gate', async () => {
    const key = newKey();
    const countStatements = async (work: () => Promise<unknown>) =>
      (await door.statements(work)).filter((sql) => !/^(BEGIN|COMMIT|SAVEPOINT|RELEASE)/i.test(sql)).length;
    const without = await countStatements(() => door.rest('POST', '/teams', team('Counted')));
    const first = await countStatements(() => create('Counted', key));
    const again = await countStatements(() => create('Counted', key));
    expect([without, first, again]).toEqual([without, without + 2, 2]);
  });

  it('is the same request whatever the order of its fields, and whatever unread properties it has', async () => {
    const key = newKey();
    const one = { data: { team: { name: 'Ordered', private: true, address: { city: 'Lyon', street: 'Rue X' } } } };
    const other = {
      data: { team: { address: { street: 'Rue X', city: 'Lyon' }, id: 5, private: true, name: 'Ordered' } },
    };
    await send('POST', '/teams', one, key);
    expect(isReplay(await send('POST', '/teams', other, key))).toBe(true);
  });

  it('is another request when a field that was sent under two names differs in one of them', async () => {
    const { body } = await door.rest('POST', '/contacts', { data: { surname: 'Twin', birthcity: 'Arles' } });
    const { id } = body.data.contact;
    const key = newKey();
    const edit = (city: string) =>
      send('PATCH', `/contacts/${id}`, { data: { birthcity: 'Arles', birth_city: city } }, key);
    expect((await edit('Brest')).body.data.contact.birthcity).toBe('Brest');
    const again = await edit('Brest');
    expect([again.status, isReplay(again)]).toEqual([200, true]);
    expect((await edit('Caen')).status).toBe(422);
  });

  it('is answered again when the answer is larger than a megabyte', async () => {
    const people = await door.sql(
      `with u as (insert into users (mail, firstname, address) select 'crowd-' || n || '@example.org', repeat('é', 200), repeat('x', 200)
         from generate_series(1, 900) n returning id),
       m as (insert into members (group_id, user_id, role_id) select 1, id, (select min(id) from roles where group_id = 1) from u)
       select id from u`,
    );
    const users = people.map(({ id }) => ({ id }));
    const body = team('Crowd', { users, leaders: users });
    const key = newKey();
    const first = await send('POST', '/teams', body, key);
    expect(Buffer.byteLength(first.text)).toBeGreaterThan(2 ** 20);
    const again = await send('POST', '/teams', body, key);
    expect(isReplay(again)).toBe(true);
    // Not by toEqual, which would print both.
    expect(again.text === first.text).toBe(true);
  });

  it.each([
    ['body', () => send('POST', '/teams', team('Another'), 'taken')],
    [
      'route',
      () => send('POST', '/users/invitation', { data: { invitations: [{ email: 'x@example.org' }] } }, 'taken'),
    ],
    [
      'version',
      () =>
        door.rest('PATCH', '/teams', team('Taken', { id: 1 }), undefined, {
          'Idempotency-Key': 'taken',
          'If-Match': '"1"',
        }),
    ],
  ])('is 422 when the key was sent before with another %s, and does nothing', async (_, sendOther) => {
    await create('Taken', 'taken');
    const before = await door.sql('select count(*) from teams');
    const { status, body, headers } = await sendOther();
    expect([status, body.errors[0].location]).toEqual([422, 'header.Idempotency-Key']);
    expect(headers.has('idempotency-replayed')).toBe(false);
    expect(await door.sql('select count(*) from teams')).toEqual(before);
  });

  it('has separate keys per user and per space', async () => {
    const [{ id: manager }] = await door.sql(
      `select min(user_id) as id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id
        where m.group_id = 1 and r.type = 'manager'`,
    );
    const [{ id: foreign }] = await door.sql(
      `select min(user_id) as id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id
        where m.group_id = 2 and r.type in ('superadmin', 'admin', 'manager')`,
    );
    const key = newKey();
    const tokens = [undefined, await door.token(1, manager), await door.token(2, foreign)];
    const answers = [];
    for (const token of tokens) answers.push(await create('Shared key', key, token));
    expect(answers.map((answer) => [answer.status, isReplay(answer)])).toEqual(answers.map(() => [200, false]));
    expect(new Set(answers.map(({ body }) => body.data.team.id)).size).toBe(3);
    for (const [index, token] of tokens.entries())
      expect((await create('Shared key', key, token)).text).toBe(answers[index]!.text);
  });
});

describe('a key', () => {
  it.each([
    '',
    'two words',
    'x'.repeat(256),
    'clé',
    'a\tb',
    'erased:x',
  ])('with a wrong form is 400, with its place: "%s"', async (key) => {
    const { status, body } = await send('POST', '/teams', { data: { team: { name: 5 } } }, key);
    expect(status).toBe(400);
    expect(body.errors.map(({ location }: Json) => location)).toEqual([
      'header.Idempotency-Key',
      'body.data.team.name',
    ]);
  });

  it.each(['x', '"8e03978e-40d5-43dd-bc93-6894a57f9324"', '!~{}:?$1,', 'y'.repeat(255)])('may be %s', async (key) => {
    const first = await create('Formed', key);
    expect(first.status).toBe(200);
    expect((await create('Formed', key)).text).toBe(first.text);
  });

  it.each(
    reads.map((route) => [`${route.method} ${route.path}`, route] as const),
  )('is ignored by %s, which reads', async (_, route) => {
    const [url, body] = await requestOf(route);
    for (const key of ['reading', 'reading', 'not a key']) {
      const answer = await send(route.method, url, body, key);
      expect([answer.status, isReplay(answer)]).toEqual([200, false]);
    }
    expect(await listStored('reading')).toEqual([]);
  });
});

describe('a refusal', () => {
  it('is not stored: the same request can be tried again, and so can a corrected one', async () => {
    const [{ id }] = await door.sql(`insert into users (mail) values ('late@example.org') returning id`);
    const body = team('Late', { users: [{ id }] });
    const key = newKey();
    for (let round = 0; round < 2; round++) {
      const refused = await send('POST', '/teams', body, key);
      expect([refused.status, isReplay(refused), await listStored(key)]).toEqual([422, false, []]);
    }
    await door.sql(
      'insert into members (group_id, user_id, role_id) select 1, ?, min(id) from roles where group_id = 1',
      [id],
    );
    const done = await send('POST', '/teams', body, key);
    expect([done.status, isReplay(done), await teamsNamed('Late')]).toEqual([200, false, 1]);
    expect((await send('POST', '/teams', body, key)).text).toBe(done.text);

    const mended = newKey();
    expect((await send('POST', '/teams', team(''), mended)).status).toBe(400);
    expect((await send('POST', '/teams', team('Mended'), mended)).status).toBe(200);
  });

  it('for the role, or for a missing record, is not stored', async () => {
    const [{ id: user }] = await door.sql(
      `select min(user_id) as id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id where m.group_id = 1 and r.type = 'user'`,
    );
    const key = newKey();
    expect((await create('Forbidden', key, await door.token(1, user))).status).toBe(403);
    expect((await send('DELETE', '/teams/987654321', undefined, key)).status).toBe(404);
    expect(await listStored(key)).toEqual([]);
  });
});

describe('after 24 hours', () => {
  const ageKey = (key: string, by: string) =>
    door.sql(`update idempotency_keys set created_at = now() - cast(? as interval) where key = ?`, [by, key]);

  it('the key is free again, and not earlier', async () => {
    const key = newKey();
    const first = await create('Aged', key);
    await ageKey(key, '23 hours 59 minutes');
    expect((await create('Aged', key)).text).toBe(first.text);
    await ageKey(key, '24 hours 1 minute');
    const second = await create('Aged', key);
    expect([second.status, isReplay(second), await teamsNamed('Aged')]).toEqual([200, false, 2]);
    expect((await create('Aged', key)).text).toBe(second.text);
    await ageKey(key, '24 hours 1 minute');
    expect((await create('Other than before', key)).status).toBe(200);
  });
});
