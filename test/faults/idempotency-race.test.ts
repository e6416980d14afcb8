// Many concurrent requests with one Idempotency-Key, and a connection lost in the middle: one write, or none.
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { type Answer, type Door, type Json, openApp } from '../harness/app.ts';
import { buildWaitingSql } from '../harness/session.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
  await door.token(1, 1);
});

let keys = 0;
const newKey = (): string => `race-${++keys}`;
const send = (method: string, path: string, body: unknown, key: string): Promise<Answer> =>
  door.rest(method, path, body, undefined, { 'Idempotency-Key': key });
const team = (name: string, more: Json = {}) => ({ data: { team: { name, ...more } } });
const create = (name: string, key: string) => send('POST', '/teams', team(name), key);
const teamsNamed = async (name: string): Promise<number> =>
  (await door.sql('select count(*) from teams where name = ?', [name]))[0].count;
const isReplay = ({ headers }: Answer): boolean => headers.get('idempotency-replayed') === 'true';

/** Locks the row of a team against writers, until released. */
const lockTeam = async (id: number): Promise<() => Promise<void>> => {
  const trx = await door.database.readers.knex.transaction();
  await trx.raw('select from teams where group_id = 1 and id = ? for update', [id]);
  return async () => void (await trx.rollback());
};
/** The processes that wait for a lock on a row. */
const findWaiting = async (): Promise<number[]> => {
  for (const deadline = Date.now() + 1500; Date.now() < deadline; await sleep(10)) {
    const rows = await door.sql(buildWaitingSql());
    if (rows.length > 0) return rows.map(({ pid }) => pid);
  }
  throw new Error('nobody waits');
};

it('50 requests with one key: one is executed, and every response is its response or 409', async () => {
  const key = newKey();
  const answers = await Promise.all(Array.from({ length: 50 }, () => create('Crowded', key)));
  expect(await teamsNamed('Crowded')).toBe(1);
  const done = answers.filter(({ status }) => status === 200);
  expect(new Set(done.map(({ text }) => text)).size).toBe(1);
  expect(done.filter((answer) => !isReplay(answer))).toHaveLength(1);
  for (const { status, headers, body } of answers.filter(({ status }) => status !== 200)) {
    expect([status, body.type]).toEqual([409, 'urn:muster:problem:conflict']);
    expect(headers.get('retry-after')).toBe('1');
  }
  expect((await create('Crowded', key)).text).toBe(done[0]!.text);
});

it('50 requests with different keys are all executed: none waits for a second connection', async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, () => create('Apart', newKey())));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(await teamsNamed('Apart')).toBe(50);
});

it('while the first is in progress the others are refused at once, and afterwards get its response', async () => {
  const { id } = (await door.rest('POST', '/teams', team('Slow'))).body.data.team;
  const key = newKey();
  const replace = () => send('PATCH', '/teams', team('Slower', { id }), key);
  const release = await lockTeam(id);
  const first = replace();
  await findWaiting();
  // They have ended before the first can.
  const others = await Promise.all(Array.from({ length: 30 }, replace));
  expect(others.map(({ status }) => status)).toEqual(others.map(() => 409));
  await release();
  const done = await first;
  expect([done.status, isReplay(done)]).toEqual([200, false]);
  const after = await Promise.all(Array.from({ length: 5 }, replace));
  expect(after.map(({ text }) => text)).toEqual(after.map(() => done.text));
  expect((await door.sql('select version from teams where id = ?', [id]))[0].version).toBe(2);
});

it('a connection lost in the middle leaves neither the write nor its key', async () => {
  const { id } = (await door.rest('POST', '/teams', team('Cut off'))).body.data.team;
  const key = newKey();
  const replace = () => send('PATCH', '/teams', team('Written', { id }), key);
  const release = await lockTeam(id);
  const first = replace();
  const [pid] = await findWaiting();
  await door.sql(`select pg_terminate_backend(${pid})`);
  expect((await first).status).toBe(503);
  await release();
  expect(await door.sql('select from idempotency_keys where key = ?', [key])).toEqual([]);
  expect((await door.sql('select name, version from teams where id = ?', [id]))[0]).toEqual({
    name: 'Cut off',
    version: 1,
  });
  const again = await replace();
  expect([again.status, isReplay(again)]).toEqual([200, false]);
});
