// A cluster under load whose worker is killed: its spaces get 503 until it is back, others are read as before, and no write is lost or doubled.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseNode } from '../../src/commands/distribute.ts';
import { distributeDatabase, joinWorkers } from '../../src/database/citus/distribute.ts';
import { listLargestSpaces } from '../../src/database/citus/status.ts';
import { migrateDatabase } from '../../src/database/migrate.ts';
import { seedDatabase } from '../../src/seed/index.ts';
import { launch, tokenFor } from '../harness/serving.ts';
import { until } from '../harness/waiting.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const prefix = process.env.CITUS_PREFIX;
const reason = prefix ? undefined : 'no CITUS_PREFIX: test/scale-out/citus.sh builds Citus there';
let data: string;
/** Below those that systems give to clients. */
const port = 20_000 + (process.pid % 3000) * 3;
const url = `postgres://muster@127.0.0.1:${port}/muster`;
const workers = [1, 2].map((nth) => `127.0.0.1:${port + nth}`);
const onNode = (node: string): string => url.replace(`127.0.0.1:${port}`, node);
const spaces = [1, 2, 3, 4];

const runScript = (...args: string[]): void =>
  void execFileSync('bash', [join(import.meta.dirname, 'citus.sh'), ...args], {
    env: { ...process.env, CITUS_PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });

const read = async (text: string, values: unknown[] = [], from = url) => {
  const client = new pg.Client(from);
  await client.connect();
  return client.query(text, values).then(
    ({ rows }) => client.end().then(() => rows),
    (error) =>
      client.end().then(() => {
        throw error;
      }),
  );
};

/** Kills the server of a node, and all of its processes, as an operating system without memory would. */
const killNode = (node: string): void => {
  const folder = join(data, `worker-${workers.indexOf(node) + 1}`);
  const pid = fs.readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]!;
  const children = execFileSync('pgrep', ['-P', pid], { encoding: 'utf8' }).trim().split('\n');
  for (const one of [pid, ...children]) process.kill(Number(one), 'SIGKILL');
};

describe.skipIf(reason)(`a Citus cluster${reason ? ` (left out: ${reason})` : ''}`, () => {
  const tokens = new Map<number, string>();
  let places: Map<number, string>;

  beforeAll(async () => {
    data = fs.mkdtempSync(join(tmpdir(), 'muster-citus-'));
    fs.chmodSync(data, 0o755);
    runScript('start', prefix!, data);
    await read('create database muster', [], url.replace(/muster$/, 'postgres'));
    await migrateDatabase(url);
    await joinWorkers(url, workers.map(parseNode));
    await distributeDatabase(url);
    await seedDatabase(url, { seed: 1, spaces: spaces.map((id) => ({ id, contacts: 40 })) });
    for (const space of spaces) tokens.set(space, await tokenFor(url, space, await findAdmin(space)));
    const client = new pg.Client(url);
    await client.connect();
    places = new Map((await listLargestSpaces(client, 9)).map(({ space, node }) => [space, node]));
    await client.end();
    expect(new Set(places.values())).toEqual(new Set(workers));
  });
  afterAll(() => {
    runScript('stop', data);
    fs.rmSync(data, { recursive: true, force: true });
  });

  const findAdmin = async (space: number): Promise<number> => {
    const [{ id }] = await read(
      `select min(m.user_id)::int as id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id
        where m.group_id = $1 and r.type = 'admin'`,
      [space],
    );
    return id;
  };
  const findContact = async (space: number): Promise<number> =>
    (await read('select min(id)::int as id from contacts where group_id = $1 and deleted_at is null', [space]))[0].id;

  it('admits exactly what a bucket holds, through instances on several nodes', async () => {
    const settings = { BUCKET_CAPACITY: '100', BUCKET_REFILL: '0.001' };
    const servers = [
      await launch({ ...settings, DATABASE_URL: url }),
      ...(await Promise.all(
        workers.map((node) =>
          launch({ ...settings, DATABASE_URL: onNode(node), DATABASE_DIRECT_URL: url, JOBS: 'off' }),
        ),
      )),
    ];
    for (const space of spaces) {
      const statuses = await Promise.all(
        Array.from({ length: 150 }, (_, at) => servers[at % 3]!.ask(tokens.get(space)!, 'GET', '/teams')),
      );
      const count = (status: number) => statuses.filter((one) => one.status === status).length;
      expect([space, count(200), count(429)]).toEqual([space, 100, 50]);
    }
    for (const { child, ended } of servers) {
      child.kill('SIGTERM');
      await ended;
    }
    await read('delete from rate_buckets');
  });

  it('reads the spaces of the other worker while one is killed, and loses and doubles nothing', async () => {
    const server = await launch({ DATABASE_URL: url });
    let isOver = false;
    const answers: {
      space: number;
      at: number;
      answeredAt: number;
      isWrite: boolean;
      status: number;
      mayRetry: boolean;
      text: string;
    }[] = [];
    const acknowledged: { space: number; content: string }[] = [];
    const ask = async (space: number, ...request: [string, string, unknown?, Record<string, string>?]) => {
      const at = performance.now();
      const { status, headers, body } = await server.ask(tokens.get(space)!, ...request);
      answers.push({
        space,
        at,
        answeredAt: performance.now(),
        isWrite: request[1].endsWith('/notes'),
        // A document of GraphQL whose fields fail is answered 200, without a header for them.
        status: body.errors ? (body.errors[0].extensions.status ?? 500) : status,
        mayRetry: status === 200 || headers.has('retry-after'),
        text: JSON.stringify(body).slice(0, 300),
      });
      return status;
    };
    const write = async (space: number): Promise<void> => {
      const path = `/v1/contacts/${await findContact(space)}/notes`;
      while (!isOver) {
        const content = randomUUID();
        let status = 0;
        while (status !== 201) {
          status = await ask(space, 'POST', path, { content, pinned: false }, { 'Idempotency-Key': content });
          if (status !== 201) await sleep(100);
        }
        acknowledged.push({ space, content });
      }
    };
    const look = async (space: number): Promise<void> => {
      const path = `/v1/contacts/${await findContact(space)}`;
      while (!isOver) {
        await ask(space, 'GET', path);
        await ask(space, 'POST', '/graphql', {
          query:
            '{ searchContacts(query: { lastName: { startsWith: "a" } }, first: 5) { nodes { id tags { name } } } }',
        });
        await sleep(20);
      }
    };
    const working = Promise.all(spaces.flatMap((space) => [write(space), write(space), look(space)]));
    await sleep(2000);
    expect(answers.filter(({ status }) => status !== 200 && status !== 201)).toEqual([]);

    const dead = places.get(1)!;
    const isDead = (space: number) => places.get(space) === dead;
    killNode(dead);
    const killedAt = performance.now();
    await sleep(8000);
    const backAt = performance.now();
    await until('the worker is back', () => {
      try {
        runScript('start', prefix!, data);
        return true;
      } catch {
        return false;
      }
    });
    await sleep(3000);
    isOver = true;
    await working;
    const failed = answers.filter(({ status }) => status !== 200 && status !== 201);
    // A write of several steps sends its intermediate rows to all nodes, and so waits for all of them.
    expect(failed.filter(({ space, isWrite }) => !isDead(space) && !isWrite)).toEqual([]);
    expect(failed.filter(({ status, mayRetry }) => status !== 503 || !mayRetry)).toEqual([]);
    const served = answers.filter(
      ({ space, at, status }) => !isDead(space) && at > killedAt && at < backAt && status === 200,
    );
    expect(served.length).toBeGreaterThan(50);
    // Until it is back, none of its spaces is served.
    const during = answers.filter(({ space, at, answeredAt }) => isDead(space) && at > killedAt && answeredAt < backAt);
    expect(during.length).toBeGreaterThan(10);
    expect(during.filter(({ status }) => status < 300)).toEqual([]);

    for (const space of spaces) {
      const mine = acknowledged.filter((one) => one.space === space).map(({ content }) => content);
      const stored = await read('select content from notes where group_id = $1 and content = any($2)', [space, mine]);
      expect(stored.map(({ content }) => content).sort()).toEqual(mine.sort());
      expect((await server.ask(tokens.get(space)!, 'GET', '/teams')).status).toBe(200);
    }
    console.log(
      `${acknowledged.length} writes acknowledged, none lost or doubled; ${failed.length} × 503, ` +
        `of writes in other spaces: ${failed.filter(({ space }) => !isDead(space)).length}`,
    );
  });
});
