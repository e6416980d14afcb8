// Muster through a PgBouncer in transaction mode: it relies on no session state, and leaves none.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createDemoPlan } from '../../packages/demo-data/index.ts';
import { seedDatabase } from '../../src/commands/seed.ts';
import { readConfig } from '../../src/config/config.ts';
import { Database } from '../../src/database/database.ts';
import { migrateDatabase } from '../../src/database/migrate.ts';
import { defineStatement } from '../../src/database/statement.ts';
import { findFreePort } from '../harness/free-port.ts';
import { runHere } from '../harness/run-here.ts';
import { createToken, type Serving, spawnServer } from '../harness/serving.ts';
import { waitUntil } from '../harness/waiting.ts';
import {
  createServerFolder,
  launchServer,
  logMissing,
  missing,
  pgbouncer,
  type Server,
  startPrimary,
  waitForServer,
} from './cluster.ts';

const reason = missing ?? (pgbouncer ? undefined : 'no pgbouncer on this machine');

/** A pooler in front of a server, with few connections to it; returns its address. */
const startPooler = async (server: Server, connections: number): Promise<string> => {
  const [folder, port] = [createServerFolder(), await findFreePort()];
  const [config, users, log] = ['pgbouncer.ini', 'users.txt', 'pgbouncer.log'].map((name) => join(folder, name));
  writeFileSync(users!, '"muster" ""\n', { mode: 0o644 });
  writeFileSync(
    config!,
    `[databases]
muster = host=127.0.0.1 port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 500
`,
    { mode: 0o644 },
  );
  const url = `postgres://muster@127.0.0.1:${port}/muster`;
  await waitForServer(url, launchServer(join(pgbouncer!, 'pgbouncer'), [config!], log!), log!);
  return url;
};

/** These settings are those of docs/operations.md. */
const roleSettings = `
  alter role muster set statement_timeout = '5s';
  alter role muster set lock_timeout = '2s';
  alter role muster set idle_in_transaction_session_timeout = '10s';
  alter role muster set client_connection_check_interval = '500ms';
  alter role muster set jit = off`;

const settingsNow = defineStatement(
  null,
  `select current_setting('timezone') as timezone, current_setting('statement_timeout') as patience,
          current_setting('work_mem') as memory, cast(:group as bigint) as space`,
);
interface Settings {
  timezone: string;
  patience: string;
  memory: string;
}

describe.skipIf(logMissing('pgbouncer', reason))('through a PgBouncer in transaction mode', { timeout: 60_000 }, () => {
  let server: Server;
  let pooled: string;
  const open = (url: string, pooler: 'none' | 'transaction' = 'transaction'): Database => {
    const database = new Database(url, { pooler });
    onTestFinished(() => database.close());
    return database;
  };

  /** What the doctor says of the pooler. */
  const findPooler = async (): Promise<{ status: string; todo: string }> => {
    const env = { DATABASE_POOLER: 'transaction', DATABASE_DIRECT_URL: server.url('muster') };
    const { findings } = JSON.parse((await runHere(pooled, ['doctor', '--json'], env)).out);
    return findings.find(({ name }: { name: string }) => name === 'pooler');
  };

  beforeAll(async () => {
    server = await startPrimary();
    await server.sql(`alter database muster set timezone = 'America/New_York'`);
    await migrateDatabase(server.url('muster'));
    await seedDatabase(server.url('muster'), createDemoPlan(60, 5));
    pooled = await startPooler(server, 4);
  }, 120_000);

  it('the settings that its sessions lack are listed, and none once the role has them', async () => {
    expect((await open(pooled).missingSettings()).sort()).toEqual([
      'client_connection_check_interval = 500',
      'idle_in_transaction_session_timeout = 10000',
      'jit = off',
      'lock_timeout = 2000',
      'statement_timeout = 5000',
    ]);
    const { todo } = await findPooler();
    for (const cure of [todo, roleSettings]) {
      await server.sql(`alter role muster reset all; ${cure}`);
      pooled = await startPooler(server, 4);
      expect(await open(pooled).missingSettings()).toEqual([]);
    }
  });

  it('settings that a pooler keeps for each client are right, whatever the database says', async () => {
    await server.sql(
      `alter database muster set datestyle = 'SQL, DMY'; alter database muster set standard_conforming_strings = off`,
    );
    pooled = await startPooler(server, 4);
    const sql = `select cast(timestamptz '2026-11-26 17:07:54+01' as text) as instant, 'a\\b' as text, cast(:group as bigint) as space`;
    const rows = await open(pooled).space(1).rows(defineStatement(null, sql));
    expect(rows).toEqual([{ instant: '2026-11-26 16:07:54+00', text: 'a\\b', space: 1 }]);
  });

  it('a database with other settings that answers depend on is refused, with what mends it', async () => {
    await server.sql(
      `alter database muster set array_nulls = off; alter role muster set extra_float_digits = -15; alter database muster set synchronous_commit = off`,
    );
    pooled = await startPooler(server, 4);
    const refusal = open(pooled).space(1).rows(settingsNow);
    await expect(refusal).rejects.toMatchObject({ code: 'unavailable', status: 503 });
    const { message } = await refusal.catch((problem) => problem.originalError);
    expect(message).toContain('(extra_float_digits = -15, array_nulls = off, synchronous_commit = off)');
    const { status, todo } = await findPooler();
    expect([status, message]).toEqual(['fail', expect.stringContaining(todo)]);
    await expect(open(pooled).missingSettings()).rejects.toThrow(message);

    await server.sql(todo);
    pooled = await startPooler(server, 4);
    expect(await open(pooled).missingSettings()).toEqual([]);
  });

  it('an instance without the setting for it cannot connect', async () => {
    const error = await open(pooled, 'none')
      .space(1)
      .rows(settingsNow)
      .catch((problem) => problem.originalError);
    expect(String(error)).toContain('unsupported startup parameter: options');
  });

  it('searches have their settings, and leave none of them behind', async () => {
    const alone = open(await startPooler(server, 1)).space(1);
    const quick = (): Promise<Settings | undefined> => alone.row<Settings>(settingsNow);
    const before = await quick();
    expect(before).toMatchObject({ timezone: 'UTC', patience: '5s' });
    const [slow] = await alone.runSlow((rows) => rows<Settings>(settingsNow));
    expect(slow).toMatchObject({ timezone: 'UTC', patience: '10s', memory: '64MB' });
    await expect(alone.runSlow(async () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await quick()).toEqual(before);
  });

  it('a client that disconnects cancels the search', async () => {
    const database = open(pooled);
    const leaving = new AbortController();
    const searching = `select from pg_stat_activity where state = 'active' and query like '%pg_sleep(30)%' and pid <> pg_backend_pid()`;
    const slow = defineStatement(null, 'select pg_sleep(30), cast(:group as bigint)');
    const answer = database
      .space(1, { signal: () => leaving.signal })
      .runSlow((rows) => rows(slow))
      .catch((error) => error.code);
    await waitUntil('it is at work', async () => (await server.sql(searching)).length === 1);
    leaving.abort();
    await waitUntil('no search is running', async () => (await server.sql(searching)).length === 0, 3000);
    expect(await answer).toBe('timeout');
  });

  it('forty clients work at once, each with their own data', async () => {
    const serving = await spawnServer({
      DATABASE_URL: pooled,
      DATABASE_DIRECT_URL: server.url('muster'),
      DATABASE_POOLER: 'transaction',
      WORKERS: '2',
      POOL_SIZE: '40',
      SEARCH_POOL_SIZE: '10',
      SEARCHES_PER_SPACE: '10',
    });
    expect(serving.logged().filter(({ missing }) => missing)).toEqual([]);
    const tokens = await Promise.all([1, 2, 3, 4].map(() => createToken(server.url('muster'))));
    await Promise.all(Array.from({ length: 40 }, (_, number) => flow(serving, tokens[number % 4]!, number)));
    await evaluateSegment(serving, tokens[0]!);
    serving.child.kill('SIGTERM');
    expect(await serving.ended).toBe(0);
  });

  it('the setting is refused without a direct connection', () => {
    const given = { DATABASE_URL: pooled, DATABASE_POOLER: 'transaction' };
    expect(() => readConfig(given)).toThrow(/DATABASE_POOLER needs .*DATABASE_DIRECT_URL/);
    expect(readConfig({ ...given, DATABASE_DIRECT_URL: server.url('muster') }).DATABASE_POOLER).toBe('transaction');
  });
});

/** Has a segment evaluated, which is a job. */
const evaluateSegment = async ({ ask }: Serving, token: string): Promise<void> => {
  const graphql = async (query: string) => (await ask(token, 'POST', '/graphql', { query })).body.data;
  const { createSegment } = await graphql(
    'mutation { createSegment(input: { name: "Pooled", query: { firstName: { equals: "Pat" } }, isWatched: true }) { segment { id } } }',
  );
  const query = `{ segment(id: "${createSegment.segment.id}") { evaluatedAt } }`;
  await waitUntil('it is evaluated', async () => (await graphql(query)).segment.evaluatedAt);
};

/** A client's work: teams, contacts, notes, searches, a write under a key; all of it is checked. */
const flow = async ({ ask }: Serving, token: string, number: number): Promise<void> => {
  const name = `Flow ${number}`;
  const graphql = async (query: string) => {
    const { body } = await ask(token, 'POST', '/graphql', { query });
    expect(body.errors?.[0]).toBe(undefined);
    return body.data;
  };
  const made = await ask(token, 'POST', '/teams', { data: { team: { name, users: [{ id: 1 }] } } });
  expect(made.status).toBe(200);
  const { id } = made.body.data.team;
  const changed = await ask(token, 'PATCH', '/teams', {
    data: { team: { id, name: `${name} more`, users: [{ id: 1 }], address: { city: 'Lyon' } } },
  });
  expect(changed.status).toBe(200);
  expect((await ask(token, 'GET', `/teams/${id}`)).body.data.team).toMatchObject({ name: `${name} more` });
  const { upsertContact } = await graphql(
    `mutation { upsertContact(input: { lastName: "${name}", firstName: "Pat", tags: [{ name: "Pooled" }] }) { contact { id: databaseId } } }`,
  );
  const contact = upsertContact.contact.id;
  await graphql(
    `mutation { createNote(input: { contactId: ${contact}, content: "${name}", pinned: true }) { note { id: databaseId } } }`,
  );
  const found = await graphql(
    `{ searchContacts(query: { lastName: { equals: "${name}" } }) {
         totalCount nodes { id: databaseId createdAt tags { name } notes { nodes { content } } } } }`,
  );
  expect(found.searchContacts).toMatchObject({
    totalCount: 1,
    nodes: [{ id: contact, tags: [{ name: 'Pooled' }], notes: { nodes: [{ content: name }] } }],
  });
  expect(Math.abs(Date.parse(found.searchContacts.nodes[0].createdAt) - Date.now())).toBeLessThan(60_000);
  expect((await ask(token, 'DELETE', `/teams/${id}`)).status).toBe(200);
  expect((await ask(token, 'GET', `/teams/${id}`)).status).toBe(404);
};
