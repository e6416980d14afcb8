// A server process and its database during faults: stops under load, lost connections, locks, a database that is away.
import { once } from 'node:events';
import fs from 'node:fs';
import { connect as connectSocket, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDemoPlan } from '../../packages/demo-data/index.ts';
import { startEmbedded } from '../../packages/embedded-server/server.ts';
import { seedDatabase } from '../../src/commands/seed.ts';
import { migrateDatabase } from '../../src/database/migrate.ts';
import { createDatabase } from '../harness/app.ts';
import { createToken, lockContact, type Serving, spawnServer as start } from '../harness/serving.ts';
import { countWaiting, openSession } from '../harness/session.ts';
import { waitUntil } from '../harness/waiting.ts';

vi.setConfig({ testTimeout: 60_000 });

let databaseUrl: string;
let token: string;

beforeAll(async () => {
  databaseUrl = await createDatabase();
  token = await createToken(databaseUrl);
});

const launch = async (env: Record<string, string> = {}): Promise<Serving> => {
  const server = await start({ DATABASE_URL: databaseUrl, ...env });
  if (!server.url) throw new Error(server.said.err);
  return server;
};

/** One request, over a kept connection; it fails when the response is incomplete. */
const ask = async (server: Serving, path: string, init: RequestInit = {}, bearer = token) => {
  const response = await fetch(server.url + path, {
    ...init,
    headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
    signal: AbortSignal.timeout(30_000),
  });
  const answer = await response.text();
  return { status: response.status, headers: response.headers, body: JSON.parse(answer), text: answer };
};
type Answer = Awaited<ReturnType<typeof ask>>;

const post = (body: unknown): RequestInit => ({ method: 'POST', body: JSON.stringify(body) });
const graphql = (server: Serving, bearer?: string): Promise<Answer> =>
  ask(server, '/graphql', post({ query: '{ contacts(first: 3) { nodes { id: databaseId tags { name } } } }' }), bearer);

/** Whether a response is usable for a client when the database fails: complete data, or "try again" without any internals. */
const expectGood = ({ status, headers, body, text: whole }: Answer): void => {
  expect(whole).not.toMatch(/ECONN|terminat|127\.0\.0\.1|postgres|select |stack|Knex|pool/i);
  if (status < 300 && !body.errors) return;
  if (body.errors && !body.title) {
    expect(body.errors[0].extensions).toMatchObject({
      code: expect.stringMatching(/^(unavailable|timeout)$/),
      status: 503,
    });
  } else {
    expect([status, headers.get('content-type')]).toEqual([503, 'application/problem+json']);
    // A client must not repeat what may have been done.
    if (body.outcome === 'unknown') expect(headers.get('retry-after')).toBeNull();
    else expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
};

/** Locks the bucket of space 1, which every request needs, until it is released. */
const lockBucket = async (): Promise<() => Promise<unknown>> => {
  const client = await openSession(databaseUrl);
  await client.query('begin; select from rate_buckets where group_id = 1 for update');
  return () => client.query('rollback');
};

const ofServer = `from pg_stat_activity where datname = current_database() and application_name = 'muster'`;
const killAll = async (client: pg.Client): Promise<number> =>
  (await client.query(`select pg_terminate_backend(pid) ${ofServer}`)).rowCount!;

const open = async (server: Serving, bytes = ''): Promise<Socket> => {
  const socket = connectSocket(Number(new URL(server.url).port), '127.0.0.1');
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write(bytes);
  return socket;
};
const refused = (server: Serving) => () =>
  open(server).then(
    () => false,
    ({ code }) => code === 'ECONNREFUSED',
  );

describe('a server that gets SIGTERM', () => {
  it('finishes the requests of 50 clients, accepts no more, and is not ready meanwhile', async () => {
    const server = await launch({ POOL_SIZE: '20' });
    // These connections are kept alive, and used again.
    await Promise.all(Array.from({ length: 50 }, () => ask(server, '/users/1')));
    const watch = await openSession(databaseUrl);
    const health = await open(server, 'GET /health/ready HTTP/1.1\r\nHost: muster.test\r\n');
    const holder = await openSession(databaseUrl);
    const { path, note } = await lockContact(holder);
    const answers = Promise.all(Array.from({ length: 50 }, () => ask(server, path, post(note))));
    await waitUntil('they wait', async () => (await countWaiting(watch)) === 9);
    server.child.kill('SIGTERM');
    await waitUntil('connections are refused', refused(server));
    health.write('\r\n');
    expect(await text(health)).toMatch(/^HTTP\/1\.1 503 .*"unavailable"/s);
    await holder.query('rollback');
    for (const answer of await answers) {
      expectGood(answer);
      expect(answer.headers.get('connection')).toBe('close');
    }
    expect(await server.ended).toBe(0);
  });

  it('waits neither for idle connections nor for clients that keep sending', async () => {
    const server = await launch({ DRAIN_SECONDS: '300' });
    await open(server);
    const busy = Array.from({ length: 4 }, async () => {
      while (server.child.exitCode === null) await ask(server, '/users/1').catch(() => sleep(20));
    });
    await ask(server, '/users/1');
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    await Promise.all(busy);
  });

  it('waits no longer than DRAIN_SECONDS for a request that does not end', async () => {
    const server = await launch({ DRAIN_SECONDS: '1' });
    await open(server, 'POST /teams HTTP/1.1\r\nHost: muster.test\r\nContent-Le');
    await ask(server, '/users/1');
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
  });

  it('twice, ends at once', async () => {
    const server = await launch();
    await ask(server, '/users/1');
    const watch = await openSession(databaseUrl);
    await lockBucket();
    const answer = ask(server, '/users/1').catch(() => 'cut');
    await waitUntil('it waits', async () => (await countWaiting(watch)) === 1);
    server.child.kill('SIGTERM');
    await waitUntil('connections are refused', refused(server));
    // Within a second it would count as the same signal.
    await sleep(1100);
    server.child.kill('SIGTERM');
    expect([await server.ended, await answer]).toEqual([1, 'cut']);
  });
});

describe('the database', () => {
  it('may drop all connections, idle or busy, again and again: clients are told to retry', async () => {
    const server = await launch();
    const watch = await openSession(databaseUrl);
    const { body } = await ask(server, '/teams', post({ data: { team: { name: 'Kept' } } }));
    const team = { id: body.data.team.id, name: 'Kept', users: [{ id: 1 }], address: { city: 'Lyon' } };
    const replace = () => ask(server, '/teams', { ...post({ data: { team } }), method: 'PATCH' });
    const requests = [() => ask(server, '/users/1'), () => graphql(server), replace];
    const answers: Answer[] = [];
    let killed = 0;
    let over = false;
    const asking = Array.from({ length: 9 }, async (_, number) => {
      while (!over) answers.push(await requests[number % 3]!());
    });
    const countGood = (): number => answers.filter(({ status }) => status === 200).length;
    for (let round = 0; round < 15; round++) {
      const before = countGood();
      // A busy machine answers nothing in a shorter time.
      await Promise.all([sleep(100), waitUntil('a request succeeds', () => countGood() > before)]);
      killed += await killAll(watch);
    }
    over = true;
    await Promise.all(asking);
    answers.forEach(expectGood);
    expect(killed).toBeGreaterThan(10);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]));

    await waitUntil('requests succeed again', async () => (await ask(server, '/users/1')).status === 200);
    // No connection is busy now; the server has a moment to notice.
    expect(await killAll(watch)).toBeGreaterThan(0);
    await sleep(500);
    const after = await Promise.all([...requests, ...requests].map((request) => request()));
    expect(after.map(({ status, body: { errors } }) => [status, errors])).toEqual(after.map(() => [200, undefined]));
    expect(server.child.exitCode).toBe(null);
  });

  it('may go away and come back: requests are refused at once, then answered, by the same process', async () => {
    const data = fs.mkdtempSync(join(tmpdir(), 'muster-away-'));
    onTestFinished(() => fs.rmSync(data, { recursive: true, force: true }));
    const settings = { fsync: 'off', shared_buffers: '16MB' };
    let postgres = await startEmbedded(data, { settings });
    onTestFinished(() => postgres.stop());
    const { url } = postgres;
    await migrateDatabase(url);
    await seedDatabase(url, createDemoPlan(5, 1));
    const bearer = await createToken(url);
    const server = await launch({ DATABASE_URL: url });
    const all = () =>
      Promise.all([
        ask(server, '/health/live', {}, bearer),
        ask(server, '/health/ready', {}, bearer),
        ask(server, '/users/1', {}, bearer),
        graphql(server, bearer),
      ]);
    const statuses = async () => (await all()).map(({ status }) => status);
    expect(await statuses()).toEqual([200, 200, 200, 200]);

    await postgres.stop();
    for (let round = 0; round < 3; round++) {
      const answers = await all();
      expect(answers.map(({ status }) => status)).toEqual([200, 503, 503, 503]);
      answers.slice(2).forEach(expectGood);
      expect(answers[3]!.body.errors[0].extensions.code).toBe('unavailable');
    }
    postgres = await startEmbedded(data, { settings });
    expect(postgres.url).toBe(url);
    await waitUntil('requests succeed again', async () => (await statuses()).every((status) => status === 200));
    expect(server.child.exitCode).toBe(null);
  });

  it('may be locked while the pool has one connection: every client is told to retry, and a retry succeeds', async () => {
    const server = await launch({ POOL_SIZE: '1' });
    // Proxies usually keep idle connections for 60 seconds: the server keeps them longer.
    expect((await fetch(`${server.url}/health/live`)).headers.get('keep-alive')).toBe('timeout=75');
    await ask(server, '/users/1');
    const release = await lockBucket();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 ? graphql(server) : ask(server, '/teams'))),
    );
    answers.forEach(expectGood);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 503));
    expect((await ask(server, '/health/live')).status).toBe(200);
    await release();
    await waitUntil('requests succeed again', async () => (await ask(server, '/users/1')).status === 200);
  });

  it('may have a contact locked: reads, and writes of other spaces, have connections meanwhile', async () => {
    const server = await launch({ POOL_SIZE: '4' });
    await ask(server, '/users/1');
    const holder = await openSession(databaseUrl);
    const watch = await openSession(databaseUrl);
    const { rows } = await watch.query(
      `select min(m.user_id)::int as id from members m join roles r on r.id = m.role_id and r.type = 'admin' where m.group_id = 2`,
    );
    const other = await createToken(databaseUrl, 2, rows[0].id);
    const { path, note } = await lockContact(holder);
    const writes = Promise.all(Array.from({ length: 30 }, () => ask(server, path, post(note))));
    await waitUntil('some wait', async () => (await countWaiting(watch)) > 0);
    for (let round = 0; round < 10; round++) {
      const write = post({ data: { team: { name: `Free ${round}` } } });
      const others = [ask(server, '/users/1'), ask(server, '/health/ready'), ask(server, '/teams', write, other)];
      expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200, 200]);
    }
    expect(await countWaiting(watch)).toBeGreaterThan(0);
    await holder.query('rollback');
    const answers = await writes;
    for (const { status } of answers) expect([201, 503]).toContain(status);
    expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
  });

  it('does not work for clients that have disconnected', async () => {
    const server = await launch();
    await ask(server, '/users/1');
    const watch = await openSession(databaseUrl);
    const { path, note } = await lockContact(await openSession(databaseUrl));
    const body = JSON.stringify(note);
    const head = `POST ${path} HTTP/1.1\r\nHost: muster.test\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json`;
    const request = `${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const clients = await Promise.all(Array.from({ length: 5 }, () => open(server, request)));
    await waitUntil('they wait', async () => (await countWaiting(watch)) === 4);
    for (const client of clients) client.destroy();
    await waitUntil('nobody waits', async () => (await countWaiting(watch)) === 0);
  });
});

it('the log has one line of JSON for each request, without the token', async () => {
  const server = await launch({ LOG_LEVEL: 'info' });
  await ask(server, '/health/ready');
  // Lost connections, of requests and of jobs, add no line of a request.
  expect(await killAll(await openSession(databaseUrl))).toBeGreaterThanOrEqual(1);
  await waitUntil('requests succeed again', async () => (await ask(server, '/users/1')).status === 200);
  await Promise.all([ask(server, '/users/1'), graphql(server), ask(server, '/nothing'), ask(server, '/health/ready')]);
  await ask(server, '/users/1', {}, `${token}x`);
  server.child.kill('SIGTERM');
  await server.ended;
  const lines = server.said.out.split('\n').filter((line) => line && !line.startsWith('Muster answers'));
  const requests = lines.map((line) => JSON.parse(line)).filter(({ route }) => route);
  const last = requests.slice(-5);
  expect(last.map(({ status }) => status).sort()).toEqual([200, 200, 200, 401, 404]);
  expect(new Set(last.map(({ id }) => id)).size).toBe(5);
  expect(server.said.out + server.said.err).not.toContain(token.slice(12));
});
