// A server whose connections to the database freeze, vanish or are slow: it uses others, reports the fault, and can be stopped.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Pool } from '../../src/database/pool.ts';
import { createDatabase } from '../harness/app.ts';
import { type Answer, createToken, type Serving, spawnServer } from '../harness/serving.ts';
import { openSession } from '../harness/session.ts';
import { waitUntil } from '../harness/waiting.ts';
import { type FaultyProxy, startProxy } from './proxy.ts';

vi.setConfig({ testTimeout: 60_000 });

let databaseUrl: string;
let token: string;

beforeAll(async () => {
  databaseUrl = await createDatabase();
  token = await createToken(databaseUrl);
});

/** A server behind a proxy, with four connections to the database. */
const launchBehindProxy = async (
  env: Record<string, string> = {},
): Promise<{ server: Serving; proxy: FaultyProxy; read(): Promise<Answer> }> => {
  const proxy = await startProxy(databaseUrl);
  onTestFinished(() => proxy.close());
  const server = await spawnServer({
    DATABASE_URL: proxy.url(databaseUrl),
    POOL_SIZE: '4',
    LOG_LEVEL: 'silent',
    ...env,
  });
  if (!server.url) throw new Error(server.said.err);
  const read = () => server.ask(token, 'GET', '/users/1');
  // The maximum number of connections of the pool.
  await Promise.all(Array.from({ length: 40 }, read));
  return { server, proxy, read };
};

const isReady = async (server: Serving): Promise<boolean> =>
  (await server.ask(token, 'GET', '/health/ready')).status === 200;

const expectUnavailable = ({ status, headers, body }: Answer): void => {
  expect([status, body.title]).toEqual([503, 'Temporarily unavailable']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
};

describe('a connection that freezes', () => {
  it('fails only the requests on it, and they get an error', async () => {
    const { server, proxy, read } = await launchBehindProxy();
    expect(proxy.freezeOne()).toBe(true);
    const answers: Answer[] = [];
    let isOver = false;
    let [last, longestGap] = [performance.now(), 0];
    const asking = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        answers.push(await read());
        longestGap = Math.max(longestGap, performance.now() - last);
        last = performance.now();
      }
    });
    await waitUntil('hundreds are answered', () => answers.length > 500);
    // The statement of the gate that nobody answers ends after three seconds. Others overtake it before.
    expect(longestGap).toBeLessThan(2500);
    expect(await isReady(server)).toBe(true);
    isOver = true;
    await Promise.all(asking);
    const refused = answers.filter(({ status }) => status !== 200);
    refused.forEach(expectUnavailable);
    expect(refused.length).toBeLessThanOrEqual(8);
  });

  it('is closed after the time limit of a statement, so that another replaces it', async () => {
    const { proxy, read } = await launchBehindProxy();
    proxy.freeze();
    const first = await Promise.all(Array.from({ length: 8 }, read));
    first.forEach(expectUnavailable);
    await waitUntil('requests succeed again', async () => (await read()).status === 200);
  });
});

it('a connection that does not answer in time is ended by the pool, a second after the limit of the server', async () => {
  const proxy = await startProxy(databaseUrl);
  onTestFinished(() => proxy.close());
  const pool = Pool.connect(proxy.url(databaseUrl), { size: 1, settings: { statement_timeout: 300 } });
  onTestFinished(() => pool.close());
  await pool.knex.raw('select 1');
  expect(proxy.open).toBe(1);
  proxy.freeze();
  const before = performance.now();
  await expect(pool.knex.raw('select 1')).rejects.toThrow();
  const took = performance.now() - before;
  expect(took).toBeGreaterThan(1200);
  expect(took).toBeLessThan(5000);
  expect((await pool.knex.raw('select 2 as two')).rows).toEqual([{ two: 2 }]);
});

describe('connections that are all lost, while new ones are carried', () => {
  it('cost the first request its time, and the next ones nothing', async () => {
    const { proxy, read } = await launchBehindProxy({ POOL_SIZE: '20' });
    expect(proxy.open).toBeGreaterThan(4);
    proxy.freeze();
    const answers: Answer[] = [];
    // One client, which asks again and again.
    for (let n = 0; n < 12; n++) answers.push(await read());
    expect(answers.map(({ status }) => status)).toEqual([503, ...Array(11).fill(200)]);
  });

  it('of every pool are not used again after one statement was not answered', async () => {
    const proxy = await startProxy(databaseUrl);
    onTestFinished(() => proxy.close());
    const quick = Pool.connect(proxy.url(databaseUrl), { size: 2, settings: { statement_timeout: 300 } });
    const others = [1, 2, 3].map(() => Pool.connect(proxy.url(databaseUrl), { size: 3 }));
    const elsewhere = Pool.connect(databaseUrl, { size: 1 });
    for (const pool of [quick, ...others, elsewhere]) onTestFinished(() => pool.close());
    const ask = async ({ knex }: Pool): Promise<number> => (await knex.raw('select pg_backend_pid() as id')).rows[0].id;
    const askAll = (): Promise<number[]> =>
      Promise.all(
        others.flatMap(({ knex }) =>
          [1, 2, 3].map(() => knex.raw('select pg_backend_pid() as id, pg_sleep(0.6)').then(({ rows }) => rows[0].id)),
        ),
      );
    const before = await askAll();
    expect(new Set(before).size).toBe(9);
    const kept = await ask(elsewhere);
    const inUse = await others[0]!.knex.transaction();
    await inUse.raw('select 1');
    await ask(quick);
    proxy.freeze();
    await expect(ask(quick)).rejects.toThrow('not answered in time');
    // Their own statements would take six seconds each; that one took 1.3.
    const began = performance.now();
    const after = await askAll();
    expect(performance.now() - began).toBeLessThan(5000);
    expect(after.filter((id) => before.includes(id))).toEqual([]);
    // A transaction is left to whoever has it, and a connection to another server is none of them.
    expect(inUse.isCompleted()).toBe(false);
    proxy.thaw();
    expect((await inUse.raw('select 2 as two')).rows).toEqual([{ two: 2 }]);
    await inUse.rollback();
    expect(await ask(elsewhere)).toBe(kept);
  });

  it('that were answered since the statement was sent are kept', async () => {
    const proxy = await startProxy(databaseUrl);
    onTestFinished(() => proxy.close());
    const quick = Pool.connect(proxy.url(databaseUrl), { size: 1, settings: { statement_timeout: 300 } });
    const other = Pool.connect(proxy.url(databaseUrl), { size: 1 });
    for (const pool of [quick, other]) onTestFinished(() => pool.close());
    const ask = async ({ knex }: Pool): Promise<number> => (await knex.raw('select pg_backend_pid() as id')).rows[0].id;
    await ask(quick);
    expect(proxy.freezeOne()).toBe(true);
    const kept = await ask(other);
    const lost = expect(ask(quick)).rejects.toThrow('not answered in time');
    await sleep(100);
    expect(await ask(other)).toBe(kept);
    await lost;
    expect(await ask(other)).toBe(kept);
  });
});

describe('a network that carries nothing', () => {
  it('is reported to every request, also to readiness checks, until it carries again', async () => {
    const { server, proxy, read } = await launchBehindProxy();
    proxy.blackhole();
    expect(await isReady(server)).toBe(false);
    (await Promise.all(Array.from({ length: 20 }, read))).forEach(expectUnavailable);
    expect((await server.ask(token, 'GET', '/health/live')).status).toBe(200);
    proxy.thaw();
    await waitUntil('it is ready', () => isReady(server));
    expect((await read()).status).toBe(200);
  });

  it('does not keep the server from ending', async () => {
    const { server, proxy, read } = await launchBehindProxy({ DRAIN_SECONDS: '1' });
    proxy.freeze({ all: true });
    const answer = read().catch(() => 'cut');
    await sleep(100);
    const toldAt = performance.now();
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    expect(performance.now() - toldAt).toBeLessThan(3000);
    await answer;
  });

  it('does not keep it from ending while nobody reads its log', async () => {
    const proxy = await startProxy(databaseUrl);
    onTestFinished(() => proxy.close());
    const server = await spawnServer({ DATABASE_URL: proxy.url(databaseUrl), DRAIN_SECONDS: '1', LOG_LEVEL: 'info' });
    const read = () => server.ask(token, 'GET', '/users/1');
    await read();
    server.child.stdout!.pause();
    // More than a pipe holds.
    for (let n = 0; n < 1000; n += 50) await Promise.all(Array.from({ length: 50 }, read));
    proxy.freeze({ all: true });
    const answer = read().catch(() => 'cut');
    await sleep(100);
    const toldAt = performance.now();
    const exit = once(server.child, 'exit');
    server.child.kill('SIGTERM');
    await exit;
    // It would wait for its reader for ever.
    expect(performance.now() - toldAt).toBeLessThan(10_000);
    await answer;
  });
});

it('a slow network is waited for', async () => {
  const { server, proxy, read } = await launchBehindProxy({ POOL_SIZE: '10' });
  proxy.delay(300);
  const answers = await Promise.all(Array.from({ length: 12 }, read));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(await isReady(server)).toBe(true);
});

it('cut connections fail the requests on them, and no others', async () => {
  const { proxy, read } = await launchBehindProxy();
  for (let round = 0; round < 5; round++) {
    const answers = Promise.all(Array.from({ length: 30 }, read));
    await sleep(5 * round);
    proxy.cut();
    for (const answer of await answers) if (answer.status !== 200) expectUnavailable(answer);
    expect((await Promise.all(Array.from({ length: 10 }, read))).map(({ status }) => status)).toEqual(
      Array(10).fill(200),
    );
  }
});

it('a connection that cannot be opened fails no request while the pool has others', async () => {
  const server = await spawnServer({ DATABASE_URL: databaseUrl, POOL_SIZE: '5', LOG_LEVEL: 'silent' });
  const watch = await openSession(databaseUrl);
  const name = `"${new URL(databaseUrl).pathname.slice(1)}"`;
  const read = () => server.ask(token, 'GET', '/users/1');
  expect((await read()).status).toBe(200);
  await watch.query(`alter database ${name} connection limit 1`);
  onTestFinished(async () => void (await watch.query(`alter database ${name} connection limit -1`)));
  const answers = await Promise.all(Array.from({ length: 60 }, read));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
});
