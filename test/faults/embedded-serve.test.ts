// Servers whose embedded PostgreSQL dies or does not restart, and two servers on one data folder.
import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { findEmbedded } from '../../packages/embedded-server/server.ts';
import { killPostmaster } from '../embedded-server/clusters.ts';
import type { Json } from '../harness/app.ts';
import { type Serving, spawnServer } from '../harness/serving.ts';
import { openSession } from '../harness/session.ts';
import { isThorough } from '../harness/sizes.ts';
import { waitUntil } from '../harness/waiting.ts';
import { listDatabaseEvents, makeFolder, makeServedFolder } from './served-folder.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 });

let served: Awaited<ReturnType<typeof makeServedFolder>>;
beforeAll(async () => {
  served = await makeServedFolder();
});

const stop = async (server: Serving): Promise<void> => {
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
};

/** In milliseconds: how long a request may take to fail when the database is away, on a busy machine; most fail much faster. */
const soon = 5000;

describe.each([
  ['one process', []],
  ['two workers', ['--workers', '2']],
])('%s', (_, options) => {
  const serve = async (): Promise<Serving> => {
    const server = await spawnServer({ MUSTER_DATA_DIR: served.data }, options);
    expect(server.child.exitCode, server.said.err).toBe(null);
    return server;
  };

  it('survives its database, which is restarted: acknowledged writes are there, and others are told to retry, or that the outcome is unknown', async () => {
    const server = await serve();
    const ask = async (query: string, variables?: unknown) =>
      (await server.ask(served.token, 'POST', '/graphql', { query, variables })).body.data;
    const contact = (await ask('{ contacts(first: 1) { nodes { id: databaseId } } }')).contacts.nodes[0].id as string;
    const acknowledged: string[] = [];
    const refused: { status: number; told: boolean; ms: number }[] = [];
    let over = false;
    const writers = Array.from({ length: 6 }, async (_, writer) => {
      for (let number = 0; !over; number++) {
        const content = `Note ${writer}/${number}`;
        const startedAt = performance.now();
        const answer = await server.ask(served.token, 'POST', `/v1/contacts/${contact}/notes`, {
          content,
          pinned: false,
        });
        if (answer.status === 201) acknowledged.push(content);
        else {
          const ms = performance.now() - startedAt;
          const told = Number(answer.headers.get('retry-after')) > 0 !== (answer.body.outcome === 'unknown');
          refused.push({ status: answer.status, told, ms });
        }
      }
    });
    for (let round = 1; round <= 2; round++) {
      await sleep(500);
      const known = acknowledged.length;
      killPostmaster(served.data);
      await waitUntil('it runs again', () => listDatabaseEvents(server).filter(({ pid }) => pid).length === round);
      await waitUntil('notes are written again', () => acknowledged.length > known + 20);
    }
    over = true;
    await Promise.all(writers);

    expect(refused.length).toBeGreaterThan(0);
    for (const { status, told, ms } of refused) {
      expect([status, told]).toEqual([503, true]);
      expect(ms).toBeLessThan(soon);
    }
    const median = refused.map(({ ms }) => ms).sort((a, b) => a - b)[Math.floor(refused.length / 2)];
    expect(median).toBeLessThan(soon / 5);
    expect(server.child.exitCode).toBe(null);
    const [ended] = listDatabaseEvents(server);
    expect(ended).toMatchObject({ level: 50, msg: 'the embedded PostgreSQL ended', log: expect.any(Array) });
    expect(listDatabaseEvents(server).at(-1)).toMatchObject({ level: 40, msg: 'the embedded PostgreSQL runs again' });
    if (options.length > 0) expect(server.logged().some(({ msg }) => msg === 'worker ended')).toBe(false);

    const written = new Set<string>();
    const query =
      'query ($id: ID!, $after: String) { contact(id: $id) { notes(first: 1000, after: $after) { nodes { content } pageInfo { hasNextPage endCursor } } } }';
    for (let after: string | null = null, more = true; more; ) {
      const { nodes, pageInfo }: Json = (await ask(query, { id: contact, after })).contact.notes;
      for (const { content } of nodes) written.add(content);
      [after, more] = [pageInfo.endCursor, pageInfo.hasNextPage];
    }
    expect(acknowledged.filter((content) => !written.has(content))).toEqual([]);
    await stop(server);
    expect(await findEmbedded(served.data)).toBeUndefined();
  });

  it('stops while its database recovers from the crash of a backend', async () => {
    const server = await serve();
    expect((await server.ask(served.token, 'GET', '/users/1')).status).toBe(200);
    const watch = await openSession((await findEmbedded(served.data))!);
    const { rows } = await watch.query(
      'select pid from pg_stat_activity where backend_type = $1 and pid <> pg_backend_pid()',
      ['client backend'],
    );
    process.kill(rows[0].pid, 'SIGKILL');
    await stop(server);
    expect(await findEmbedded(served.data)).toBeUndefined();
  });

  // The process that watches the database is the same with workers.
  it.runIf(isThorough || options.length === 0)(
    'ends, with exit code 1 and the reason, when its database cannot be restarted',
    async () => {
      const server = await serve();
      const control = join(served.data, 'pg/global/pg_control');
      fs.renameSync(control, `${control}-away`);
      try {
        killPostmaster(served.data);
        await waitUntil('it has failed', () => listDatabaseEvents(server).some(({ failures }) => failures === 2));
        const startedAt = performance.now();
        const { status, headers } = await server.ask(served.token, 'GET', '/users/1');
        expect([status, Number(headers.get('retry-after')) > 0]).toEqual([503, true]);
        expect(performance.now() - startedAt).toBeLessThan(soon);
        expect(await server.ended).toBe(1);
      } finally {
        fs.renameSync(`${control}-away`, control);
      }
      const failed = listDatabaseEvents(server).filter(({ failures }) => failures);
      expect(failed.map(({ failures }) => failures)).toEqual([1, 2, 3, 4, 5]);
      expect(failed[4].reason).toContain('could not find the database system');
      expect(server.said.err).toContain('muster: The embedded PostgreSQL cannot be kept running');
      await stop(await serve());
    },
  );
});

it('two servers on one folder both continue when their database dies, and it stops with the last one', async () => {
  const both = await Promise.all([1, 2].map(() => spawnServer({ MUSTER_DATA_DIR: served.data })));
  const statuses = () =>
    Promise.all(both.map((server) => server.ask(served.token, 'GET', '/users/1').then(({ status }) => status)));
  expect(await statuses()).toEqual([200, 200]);
  killPostmaster(served.data);
  await waitUntil('both have the server again', () =>
    both.every((server) => listDatabaseEvents(server).some(({ pid }) => pid)),
  );
  await waitUntil('both answer', async () => (await statuses()).every((status) => status === 200));
  expect(both.flatMap((server) => listDatabaseEvents(server)).filter(({ failures }) => failures > 1)).toEqual([]);
  await stop(both[0]!);
  expect((await both[1]!.ask(served.token, 'GET', '/users/1')).status).toBe(200);
  await stop(both[1]!);
  expect(await findEmbedded(served.data)).toBeUndefined();
});

it('one of two concurrent first starts fills the demo, and both serve it', async () => {
  const data = makeFolder();
  const options = [[], ['--workers', '2']];
  const both = await Promise.all(options.map((one) => spawnServer({ MUSTER_DATA_DIR: data }, one)));
  expect(both.map(({ child, said }) => [child.exitCode, /muster:.*/.exec(said.err)?.[0]])).toEqual([
    [null, undefined],
    [null, undefined],
  ]);
  expect(both.filter(({ said }) => /9,890 people in space 1, [\d,]+ rows in/.test(said.err))).toHaveLength(1);
  const token = fs.readFileSync(join(data, 'demo-token'), 'utf8').trim();
  for (const server of both) {
    expect(server.said.out).toContain(`kept in ${join(data, 'demo-token')}`);
    const { body } = await server.ask(token, 'POST', '/graphql', { query: '{ contacts(first: 1) { totalCount } }' });
    expect(body.data.contacts.totalCount).toBeGreaterThan(9000);
  }
  await stop(both[0]!);
  await stop(both[1]!);
  expect(await findEmbedded(data)).toBeUndefined();
});
