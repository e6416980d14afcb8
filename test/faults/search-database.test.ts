// The database fails a search: it cancels it, drops its connection, or goes away. The client is told to retry, and a retry succeeds.
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDemoPlan } from '../../packages/demo-data/index.ts';
import { startEmbedded } from '../../packages/embedded-server/server.ts';
import { seedDatabase } from '../../src/commands/seed.ts';
import { migrateDatabase } from '../../src/database/migrate.ts';
import { openSession } from '../harness/session.ts';
import { waitUntil } from '../harness/waiting.ts';
import { countRunning, createSlowDatabase, expectRetryable, serveDatabase, slowness } from './search-server.ts';

vi.setConfig({ testTimeout: 60_000 });

let databaseUrl: string;
beforeAll(async () => {
  databaseUrl = await createSlowDatabase();
});

it('a search that takes too long is cancelled, and the next one works', async () => {
  const { doors } = await serveDatabase(databaseUrl);
  const watch = await openSession(databaseUrl);
  const [found, graph] = await Promise.all([doors.search('slow'), doors.searchContacts('slow')]);
  expectRetryable(found, [503, 'timeout']);
  expect(graph.body.errors[0].extensions).toMatchObject({ code: 'timeout', status: 503 });
  // PostgreSQL sends the error shortly before it marks the session as idle.
  await waitUntil('none is at work', async () => (await countRunning(watch)) === 0, 2000);
  expect((await doors.search('nobody')).status).toBe(200);
});

describe('the database', () => {
  it('may drop the connections of searches', async () => {
    const { doors } = await serveDatabase(databaseUrl);
    const watch = await openSession(databaseUrl);
    const asked = [doors.search('slow'), doors.kpi('slow')];
    await waitUntil('they are at work', async () => (await countRunning(watch)) === 2);
    await watch.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'muster'`,
    );
    for (const answer of await Promise.all(asked)) expectRetryable(answer, [503, 'unavailable']);
    await waitUntil('searches succeed again', async () => (await doors.search('nobody')).status === 200);
  });

  it('may go away during a search, and come back', async () => {
    const data = fs.mkdtempSync(join(tmpdir(), 'muster-search-'));
    onTestFinished(() => fs.rmSync(data, { recursive: true, force: true }));
    const settings = { fsync: 'off', shared_buffers: '16MB' };
    let postgres = await startEmbedded(data, { settings });
    onTestFinished(() => postgres.stop());
    await migrateDatabase(postgres.url);
    await seedDatabase(postgres.url, createDemoPlan(5, 1));
    const watch = await openSession(postgres.url);
    await watch.query(slowness);
    const { doors } = await serveDatabase(postgres.url);
    const asked = [doors.search('slow'), doors.search('slow'), doors.kpi('slow')];
    await waitUntil('they are at work', async () => (await countRunning(watch)) === 2);
    await postgres.stop();
    for (const answer of await Promise.all(asked)) expectRetryable(answer, [503, 'unavailable']);
    expectRetryable(await doors.search('nobody'), [503, 'unavailable']);
    postgres = await startEmbedded(data, { settings });
    await waitUntil('searches succeed again', async () => (await doors.search('nobody')).status === 200);
  });
});
