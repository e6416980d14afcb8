// A cluster under load whose worker is killed: its spaces get 503 until it is back, others are served as before, and no write is lost or doubled.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createToken, spawnServer } from '../harness/serving.ts';
import { type CitusCluster, missingCitus, startCitusCluster } from './citus-cluster.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const spaces = [1, 2, 3, 4];

describe.skipIf(missingCitus)(`a Citus cluster${missingCitus ? ` (left out: ${missingCitus})` : ''}`, () => {
  const tokens = new Map<number, string>();
  let cluster: CitusCluster;

  beforeAll(async () => {
    cluster = await startCitusCluster(spaces);
    expect(new Set(cluster.nodes.values()).size).toBe(2);
    for (const space of spaces) tokens.set(space, await createToken(cluster.url, space, await findAdmin(space)));
  });

  const findAdmin = async (space: number): Promise<number> => {
    const [{ id }] = await cluster.query(
      `select min(m.user_id)::int as id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id
        where m.group_id = $1 and r.type = 'admin'`,
      [space],
    );
    return id;
  };
  const findContact = async (space: number): Promise<number> =>
    (
      await cluster.query('select min(id)::int as id from contacts where group_id = $1 and deleted_at is null', [space])
    )[0].id;

  it('admits exactly what a bucket holds, through instances on several nodes', async () => {
    const settings = { BUCKET_CAPACITY: '100', BUCKET_REFILL: '0.001' };
    const servers = [
      await spawnServer({ ...settings, DATABASE_URL: cluster.url }),
      ...(await Promise.all(
        cluster.workerUrls.map((node) =>
          spawnServer({ ...settings, DATABASE_URL: node, DATABASE_DIRECT_URL: cluster.url, JOBS: 'off' }),
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
    await cluster.query('delete from rate_buckets');
  });

  it('serves the spaces of the other worker while one is killed, and loses and doubles nothing', async () => {
    const server = await spawnServer({ DATABASE_URL: cluster.url });
    let isOver = false;
    const answers: {
      space: number;
      at: number;
      answeredAt: number;
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

    const dead = cluster.nodes.get(1)!;
    const isDead = (space: number) => cluster.nodes.get(space) === dead;
    cluster.killNode(dead);
    const killedAt = performance.now();
    await sleep(8000);
    const backAt = performance.now();
    await cluster.startNodes();
    await sleep(3000);
    isOver = true;
    await working;
    const failed = answers.filter(({ status }) => status !== 200 && status !== 201);
    expect(failed.filter(({ space }) => !isDead(space))).toEqual([]);
    expect(failed.filter(({ status, mayRetry }) => status !== 503 || !mayRetry)).toEqual([]);
    const served = answers.filter(
      ({ space, at, status }) => !isDead(space) && at > killedAt && at < backAt && status < 300,
    );
    expect(served.length).toBeGreaterThan(50);
    // Until it is back, none of its spaces is served.
    const during = answers.filter(({ space, at, answeredAt }) => isDead(space) && at > killedAt && answeredAt < backAt);
    expect(during.length).toBeGreaterThan(10);
    expect(during.filter(({ status }) => status < 300)).toEqual([]);

    for (const space of spaces) {
      const mine = acknowledged.filter((one) => one.space === space).map(({ content }) => content);
      const stored = await cluster.query('select content from notes where group_id = $1 and content = any($2)', [
        space,
        mine,
      ]);
      expect(stored.map(({ content }) => content).sort()).toEqual(mine.sort());
      expect((await server.ask(tokens.get(space)!, 'GET', '/teams')).status).toBe(200);
    }
    console.log(`${acknowledged.length} writes acknowledged, none lost or doubled; ${failed.length} × 503`);
  });
});
