// Migrations beside others: they wait for the locks of an open transaction without making writers wait, and end nobody's write.
import pg from 'pg';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { createMigrationTable, listMigrations, migrateDatabase, runMigrations } from '../../src/database/migrate.ts';
import { createDatabase, type Door, openApp } from '../harness/app.ts';
import { waitUntil } from '../harness/waiting.ts';

vi.setConfig({ testTimeout: 60_000 });

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const repeatable = listMigrations()
  .filter((one) => one.repeatable)
  .map(({ name }) => name);

/** As after an upgrade that changed the functions and the triggers. */
const makePending = () =>
  door.sql('update schema_migrations set checksum = ? where name = any(?)', ['another', repeatable]);

interface Write {
  status: number;
  ms: number;
}

/** Writes one after the other, in some places at once, until it is stopped. */
const keepWriting = (places: number) => {
  const writes: Write[] = [];
  let goesOn = true;
  const work = Array.from({ length: places }, async (_, place) => {
    for (let turn = 0; goesOn; turn++) {
      const since = performance.now();
      const surname = `Writer ${place}`;
      const { status, body } = await door.rest('POST', '/contacts', {
        data: { contact: { surname, tags: [{ name: `Tag ${turn % 5}` }], address: { city: 'Lyon' } } },
      });
      writes.push({ status, ms: performance.now() - since });
      const { id } = body.data?.contact ?? {};
      if (turn % 3 === 0) await door.rest('POST', `/v1/contacts/${id}/notes`, { content: 'x', pinned: false });
      if (turn % 4 === 0) await door.rest('DELETE', `/contacts/${id}`);
    }
  });
  const stop = async (): Promise<Write[]> => {
    goesOn = false;
    await Promise.all(work);
    return writes;
  };
  return { writes, stop };
};

const connect = async (url: string, name: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url, application_name: name });
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
};

const begin = async (sql: string, name: string): Promise<pg.Client> => {
  const client = await connect(door.databaseUrl, name);
  await client.query(`begin; ${sql}`);
  return client;
};

it('a migration beside an open transaction tells what it waits for, and writers go on', async () => {
  const open = await begin(`update notes set content = content where id = (select min(id) from notes)`, 'somebody');
  await makePending();
  const told: string[] = [];
  let applied: string[] | undefined;
  const migrating = migrateDatabase(door.databaseUrl, { onWait: (text) => told.push(text) }).then((names) => {
    applied = names;
  });
  const { writes, stop } = keepWriting(2);
  await waitUntil('it tells', () => told.length > 0);
  const before = writes.length;
  await waitUntil('writers go on', () => writes.length > before + 40, 20_000);
  expect(applied).toBe(undefined);
  await open.query('commit');
  await migrating;
  expect(applied).toEqual(repeatable);
  const written = await stop();
  expect(new Set(written.map(({ status }) => status))).toEqual(new Set([200]));
  expect(Math.max(...written.map(({ ms }) => ms))).toBeLessThan(2000);
  expect(told).toEqual([
    expect.stringMatching(/^waiting for process \d+ \(somebody, idle in transaction\) that holds notes, since 20.*Z$/),
  ]);
});

it('a numbered migration beside an open transaction lets others read', async () => {
  const url = await createDatabase('empty');
  const [client, reader] = [await connect(url, 'test'), await connect(url, 'reader')];
  const until = listMigrations().findIndex(({ name }) => name === '0028_folding.sql');
  await client.query(createMigrationTable);
  await runMigrations(client, listMigrations().slice(0, until));
  await reader.query('begin; select from contact_search');
  const told: string[] = [];
  const migrating = migrateDatabase(url, { onWait: (text) => told.push(text) });
  const times: number[] = [];
  await waitUntil('it tells', async () => {
    const since = performance.now();
    await client.query('select from contact_search');
    times.push(performance.now() - since);
    return told.length > 0;
  });
  expect(told).toEqual([expect.stringContaining('(reader, idle in transaction) that holds contact_search, since ')]);
  expect(Math.max(...times)).toBeLessThan(1500);
  await reader.query('commit');
  expect((await migrating)[0]).toBe('0028_folding.sql');
});

it('functions and triggers that are applied again beside many writers fail none of them', async () => {
  const { stop } = keepWriting(8);
  for (let time = 0; time < 20; time++) {
    await makePending();
    expect(await migrateDatabase(door.databaseUrl)).toEqual(repeatable);
  }
  const writes = await stop();
  expect(writes.length).toBeGreaterThan(8);
  expect(new Set(writes.map(({ status }) => status))).toEqual(new Set([200]));
});

it('a writer who has what the migration waits for, and wants what it has, is not ended', async () => {
  await makePending();
  const writer = await begin('update tags set name = name where id = (select min(id) from tags)', 'writer');
  const migrating = migrateDatabase(door.databaseUrl);
  await waitUntil(
    'it waits with locks of its own',
    async () => (await door.sql(`select from pg_locks where relation = 'tags'::regclass and not granted`)).length > 0,
  );
  // It has locked the contacts before.
  await writer.query('update contacts set version = version where id = (select min(id) from contacts)');
  await writer.query('commit');
  expect(await migrating).toEqual(repeatable);
});
