// Slow searches on a listening server: they end with their client, few run at once per space, and no other request waits.
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { countWaiting, openSession } from '../harness/session.ts';
import { waitUntil } from '../harness/waiting.ts';
import {
  countRunning,
  createSlowDatabase,
  expectRetryable,
  type Serving,
  serveDatabase,
  startClients,
} from './search-server.ts';

vi.setConfig({ testTimeout: 60_000 });

let databaseUrl: string;
let server: Serving;
let watch: pg.Client;
beforeAll(async () => {
  databaseUrl = await createSlowDatabase();
});
beforeEach(async () => {
  server = await serveDatabase(databaseUrl);
  watch = await openSession(databaseUrl);
});

type Doors = Serving['doors'];
const waitUntilRunning = (count: number) =>
  waitUntil(`${count} are at work`, async () => (await countRunning(watch)) === count);
/** Searches of these spaces. */
const startSlowSearches = (spaces: number[], name = 'slow', door: keyof Doors = 'search') =>
  startClients(spaces.map((space) => (signal) => server.doors[door](name, { space, signal })));

describe('clients that disconnect cancel their searches', () => {
  // Counts and explanations take long: each space runs one at once.
  it.each([
    ['search', 4],
    ['kpi', 2],
    ['searchContacts', 4],
    ['explainSearch', 2],
  ] as const)('by %s', async (door, running) => {
    const { leave } = startSlowSearches([1, 1, 1, 1, 2, 2], 'slow', door);
    await waitUntilRunning(running);
    await sleep(100);
    expect(await leave()).toEqual(Array(6).fill('gone'));
    await waitUntil('none is at work', async () => (await countRunning(watch)) === 0, 3000);
    const after = await Promise.all([1, 1, 1, 2, 2, 2].map((space) => server.doors[door]('nobody', { space })));
    expect(after.map(({ status, body }) => [status, body.errors])).toEqual(after.map(() => [200, undefined]));
    expect(await countRunning(watch)).toBe(0);
  });

  it('one after the other: never do more run than permitted', async () => {
    const seen: number[] = [];
    for (let round = 0; round < 40; round++) {
      const { leave } = startSlowSearches([1, 1]);
      await sleep(15);
      await leave();
      seen.push(await countRunning(watch));
    }
    // Some leeway for the moment between two polls of the server.
    expect(Math.max(...seen)).toBeLessThanOrEqual(4);
    expect((await server.doors.search('nobody')).status).toBe(200);
  });

  it('while they are queued, and the next one in the queue starts', async () => {
    const first = startSlowSearches([1, 1]);
    await waitUntilRunning(2);
    const second = startSlowSearches([1, 1, 1]);
    await sleep(100);
    const waiting = server.doors.search('nobody');
    await sleep(100);
    await second.leave();
    await first.leave();
    expect((await waiting).status).toBe(200);
    await waitUntilRunning(0);
  });

  it('while they are still at the gate: nothing is started for them', async () => {
    const holder = await openSession(databaseUrl);
    await server.doors.search('nobody');
    await holder.query('begin');
    await holder.query('select from rate_buckets where group_id = 1 for update');
    const { leave } = startSlowSearches([1, 1]);
    // One gate statement serves both requests.
    await waitUntil('they wait', async () => (await countWaiting(watch)) === 1);
    await leave();
    // The server notices it a moment later.
    await sleep(200);
    await holder.query('rollback');
    for (let round = 0; round < 5; round++, await sleep(50)) expect(await countRunning(watch)).toBe(0);
    expect((await server.doors.search('nobody')).status).toBe(200);
  });
});

describe('while a space runs as many searches as permitted', () => {
  it('its next ones are queued; other spaces and reads by id are not', async () => {
    const { answers } = startSlowSearches([1, 1], 'slow1');
    await waitUntilRunning(2);
    const order: string[] = [];
    const waiting = server.doors.search('nobody').finally(() => order.push('waiting'));
    const busy = answers.finally(() => order.push('busy'));
    const oldest = 'select min(id) as id from contacts where group_id = 1 and deleted_at is null';
    const [{ id }] = (await watch.query(oldest)).rows;
    for (let round = 0; round < 5; round++) {
      const answers = [
        await server.ask(`/contacts/${id}`),
        await server.doors.search('nobody', { space: 2 }),
        await server.doors.kpi('nobody', { space: 3 }),
      ];
      expect([answers.map(({ status }) => status), order]).toEqual([[200, 200, 200], []]);
    }
    expect((await waiting).status).toBe(200);
    expect(await busy).toEqual([200, 200]);
  });

  it('a page finds room beside counts that take long', async () => {
    const { leave } = startSlowSearches([1, 1, 1], 'slow', 'kpi');
    await waitUntilRunning(1);
    await sleep(100);
    expect((await server.doors.search('nobody')).status).toBe(200);
    expect(await countRunning(watch)).toBe(1);
    await leave();
  });

  it('a search that waits too long is told to retry, and so is one beyond the length of the queue', async () => {
    startSlowSearches([1, 1]);
    await waitUntilRunning(2);
    const order: number[] = [];
    const startMany = (length: number) => Array.from({ length }, () => server.doors.search('nobody'));
    // A job may be in the queue as well.
    const waiting = startMany(45);
    const graph = server.doors.searchContacts('nobody');
    for (const one of [...waiting, graph]) void one.then(({ status }) => order.push(status));
    await sleep(1000);
    const more = startMany(10);
    const oneMore = await Promise.race(more);
    expect(order).toEqual([]);
    expectRetryable(oneMore, [429, 'too-many-searches']);
    expect(oneMore.headers.get('x-ratelimit-cost')).toBe('1');
    expect((await server.doors.search('nobody', { space: 2 })).status).toBe(200);
    for (const answer of await Promise.all([...waiting, ...more])) expectRetryable(answer, [429, 'too-many-searches']);
    const { errors } = (await graph).body;
    expect(errors[0].extensions).toMatchObject({ code: 'too-many-searches', status: 429 });
    expect(await countRunning(watch)).toBe(2);
  });
});
