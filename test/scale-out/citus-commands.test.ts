// The life of a database on a Citus cluster by its commands: distribute, cluster status, space move, also when they are killed.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { seedDatabase } from '../../src/commands/seed.ts';
import { Database } from '../../src/database/database.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { buildCommandLine, type Result } from '../harness/command-line.ts';
import { buildDatabaseUrl, runStatement } from '../harness/databases.ts';
import { runHere } from '../harness/run-here.ts';
import { waitUntil } from '../harness/waiting.ts';
import { dropOnCluster } from './cluster-databases.ts';
import { findMissingStatistics, removeStatistics } from './shard-statistics.ts';

// A move creates some fifty tables with their indexes, whatever they hold.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });
const reason = process.env.CITUS_URL ? undefined : 'no CITUS_URL: test/scale-out/citus.sh starts a cluster';
const workers = (process.env.CITUS_WORKERS ?? '').split(',');
const spaces = [1, 2, 3, 4];
const name = `muster_commands_${randomUUID().replaceAll('-', '')}`;
const { program, environment } = buildCommandLine(() => url);

let url: string;
let client: pg.Client;
let tables: string[];

const run = (line: string): Promise<Result> => runHere(url, line.split(' '));
const read = async (text: string, values: unknown[] = []): Promise<Json[]> => (await client.query(text, values)).rows;
const readLines = (text: string): Json[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Of each table by space, the number of its rows and a sum over their contents. */
const readContents = async (): Promise<Json> => {
  const contents: Json = {};
  for (const table of tables)
    [contents[table]] = await read(`select count(*)::int as rows, sum(hashtext(t::text)) as sum from ${table} t`);
  return contents;
};

const listPlaces = async (): Promise<Json[]> => {
  const { code, out } = await run('cluster status --spaces --json');
  expect(code).toBe(0);
  return readLines(out).filter((line) => 'space' in line);
};
const findPlace = async (space: number): Promise<Json> => (await listPlaces()).find((one) => one.space === space);
const nameOther = (node: string): string => workers.find((one) => one !== node)!;

/** Foreign keys and triggers of the shards that hold a space, on their node, with the names of the tables. */
const readShardRules = async (space: number): Promise<{ keys: string[]; triggers: string[] }> => {
  const shards = await read(
    `select d.logicalrelid::text || '_' || d.shardid as name, n.nodename || ':' || n.nodeport as node
       from pg_dist_shard own
       join pg_dist_partition led on led.logicalrelid = own.logicalrelid join pg_dist_partition t using (colocationid)
       join pg_dist_shard d on d.logicalrelid = t.logicalrelid and d.shardminvalue = own.shardminvalue
       join pg_dist_placement p on p.shardid = d.shardid join pg_dist_node n using (groupid)
      where own.shardid = get_shard_id_for_distribution_column('contacts', $1::bigint)`,
    [space],
  );
  expect(shards).toHaveLength(tables.length);
  const node = new URL(url);
  node.host = shards[0].node;
  const worker = new pg.Client(node.href);
  await worker.connect();
  try {
    await worker.query(`set citus.show_shards_for_app_name_prefixes = '*'`);
    const list = async (text: string): Promise<string[]> =>
      (await worker.query(text, [shards.map((shard) => shard.name)])).rows
        .map(({ rule }) => rule.replaceAll(/_\d{6,}\b/g, ''))
        .sort();
    return {
      keys: await list(
        `select c.conrelid::regclass || ' ' || pg_get_constraintdef(c.oid) as rule from pg_constraint c
          where c.contype = 'f' and c.convalidated and c.conrelid = any(cast($1::text[] as regclass[]))`,
      ),
      triggers: await list(
        `select pg_get_triggerdef(t.oid) as rule from pg_trigger t
          where not t.tgisinternal and t.tgenabled = 'O' and t.tgrelid = any(cast($1::text[] as regclass[]))`,
      ),
    };
  } finally {
    await worker.end();
  }
};

describe.skipIf(reason)(`commands on a Citus cluster${reason ? ` (left out: ${reason})` : ''}`, () => {
  let contents: Json;
  beforeAll(async () => {
    url = buildDatabaseUrl(inject('serverUrl'), name);
    await runStatement(inject('serverUrl'), `create database ${name}`);
    expect((await run('migrate')).code).toBe(0);
    await seedDatabase(url, { seed: 1, spaces: spaces.map((id) => ({ id, contacts: 40 })) });
    client = new pg.Client(url);
    await client.connect();
    const found = await read(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and obj_description(oid, 'pg_class') = 'Cluster: by space' order by 1`,
    );
    tables = found.map((table) => table.name);
    contents = await readContents();
    expect(contents.contacts.rows).toBeGreaterThan(100);
  });
  afterAll(async () => {
    await client?.end();
    await dropOnCluster(inject('serverUrl'), name);
  });

  it('distribute spreads the database, and has nothing to do after that', async () => {
    const line = `distribute --workers ${workers.join(',')}`;
    const plan = await run(`${line} --dry-run`);
    expect(plan.code).toBe(0);
    expect([...plan.out.matchAll(/create_distributed_table\('(\w+)'/g)].map(([, table]) => table).sort()).toEqual(
      tables,
    );
    expect(await read(`select 1 from pg_extension where extname = 'citus'`)).toEqual([]);

    const first = await run(line);
    expect([first.code, first.out]).toEqual([0, expect.stringMatching(/^distributed in [\d.]+ s\n$/)]);
    for (const node of workers) expect(first.err).toContain(`${node}, added`);
    expect(await readContents()).toEqual(contents);
    expect(await findMissingStatistics(client)).toEqual([]);
    // As if the command had been stopped before it gathered them.
    await removeStatistics(client);
    expect(await findMissingStatistics(client)).toHaveLength(1 + workers.length);
    const nothing = 'nothing to do: every table has its place\n';
    for (const again of [line, 'distribute']) expect(await run(again)).toMatchObject({ code: 0, out: nothing });
    expect(await findMissingStatistics(client)).toEqual([]);
    expect((await run('distribute --dry-run')).out).toBe(`-- ${nothing}`);
  });

  it('distribute lets the nodes hash the sets of a large search in memory', async () => {
    const plans = await read('select result from run_command_on_all_nodes($1)', [
      'explain (format json) select 1 from generate_series(1, 10) one where one not in (select generate_series(1, 400000))',
    ]);
    expect(plans).toHaveLength(1 + workers.length);
    for (const { result } of plans) expect(result).toContain('hashed SubPlan');
  });

  it('cluster status shows the nodes and the largest spaces', async () => {
    const { code, out } = await run('cluster status --json');
    const nodes = readLines(out);
    expect(code).toBe(0);
    const node = { active: true, reachable: true, bytes: expect.any(Number) };
    expect(nodes).toEqual([
      { ...node, node: new URL(url).host, role: 'coordinator', shards: 0, spaces: 0 },
      ...workers.map((one) => ({ ...node, node: one, role: 'worker', shards: 2, spaces: expect.any(Number) })),
    ]);
    expect(nodes[1].spaces + nodes[2].spaces).toBe(spaces.length);
    expect(nodes[1].bytes).toBeGreaterThan(1_000_000);

    const places = await listPlaces();
    expect(places.map(({ space }) => space).sort()).toEqual(spaces);
    for (const place of places) {
      const [{ count }] = await read('select count(*)::int from contacts where group_id = $1 and deleted_at is null', [
        place.space,
      ]);
      expect(place).toMatchObject({ contacts: count, alone: false, bytes: expect.any(Number) });
      expect(workers).toContain(place.node);
    }
    expect(places.map((one) => one.contacts)).toEqual(places.map((one) => one.contacts).sort((a, b) => b - a));
    const table = (await run('cluster status --spaces 2')).out;
    expect(table).toMatch(/^NODE +ROLE +STATE +ANSWERS +SHARDS +SIZE +SPACES\n/);
    expect(table).toMatch(/\n\nSPACE +NAME +NODE +SHARDS +CONTACTS +SIZE\n(.+\n){2}$/);
  });

  it('cluster status shows a node that is down as unreachable', async () => {
    const [host, port] = workers[0]!.split(':');
    const rename = (from: unknown, to: unknown) =>
      read('update pg_dist_node set nodeport = $3 where nodename = $1 and nodeport = $2', [host, from, to]);
    await rename(port, 1);
    try {
      const { code, out } = await run('cluster status --spaces --json');
      expect(code).toBe(0);
      const lines = readLines(out).filter(({ node }) => node === `${host}:1`);
      expect(lines[0]).toMatchObject({ role: 'worker', reachable: false, bytes: null, shards: 2 });
      for (const place of lines.slice(1)) expect(place).toMatchObject({ contacts: null, bytes: null });
      expect((await run('cluster status')).out).toMatch(/:1 +worker +active +unreachable +2 +- /);
    } finally {
      await rename(1, port);
    }
  });

  it('space move refuses a missing space, and a node that is no worker', async () => {
    expect(await run(`space move 99 --to ${workers[0]}`)).toMatchObject({
      code: 1,
      err: 'muster: There is no space 99\n',
    });
    for (const node of [new URL(url).host, 'db9:5432'])
      expect(await run(`space move 1 --to ${node}`)).toMatchObject({
        code: 1,
        err: `muster: ${node} is no active worker of the cluster. Its workers are ${workers.join(', ')}\n`,
      });
  });

  it('space move moves all rows, with foreign keys and triggers', async () => {
    const [space, from, to] = [3, (await findPlace(3)).node, nameOther((await findPlace(3)).node)];
    const before = await readShardRules(space);
    expect(before.keys.join('\n')).toContain('contacts FOREIGN KEY (group_id) REFERENCES spaces(id)');
    expect(before.triggers.join('\n')).toContain('contacts_update_published');

    const moved = await run(`space move ${space} --to ${to}`);
    expect([moved.code, moved.out]).toEqual([0, `space ${space} moved from ${from} to ${to}\n`]);
    expect(moved.err).toBe(
      `space ${space} gets shards of its own on ${from}\nthe shards of space ${space} move from ${from} to ${to}\nstatistics of the new shards are gathered\n`,
    );
    expect(await readContents()).toEqual(contents);
    expect(await findPlace(space)).toMatchObject({ node: to, alone: true });
    expect(await findMissingStatistics(client)).toEqual([]);
    const after = await readShardRules(space);
    expect(after.keys).toEqual(before.keys);
    // Citus leaves triggers with the event truncate out of the first shards, and creates them on those of a move.
    expect(before.triggers.filter((rule) => !after.triggers.includes(rule))).toEqual([]);
    await removeStatistics(client);
    expect(await run(`space move ${space} --to ${to}`)).toEqual({
      code: 0,
      out: `space ${space} is on ${to} already\n`,
      err: '',
    });
    expect(await findMissingStatistics(client)).toEqual([]);

    const refused = { code: '23503' };
    await expect(
      read('insert into contacts (group_id, id, user_contact_id) values ($1, 987654, 987654)', [space]),
    ).rejects.toMatchObject(refused);
    await expect(
      read(`insert into notes (group_id, contact_id, content) values ($1, 987654, 'x')`, [space]),
    ).rejects.toMatchObject(refused);
    await expect(read('delete from spaces where id = $1', [space])).rejects.toMatchObject(refused);
  });

  it('a moved space is written and read through both doors, and its changes are published', async () => {
    const database = new Database(url);
    try {
      const door = await openApp({}, undefined, { database, databaseUrl: url } as Door);
      const [{ user_id }] = await read(
        `select user_id from members join roles using (group_id) where group_id = 3 and role_id = roles.id and type = 'superadmin' limit 1`,
      );
      const token = await door.token(3, Number(user_id));
      const [{ id }] = await read(
        'select id from contacts where group_id = 3 and deleted_at is null order by id limit 1',
      );
      const countChanges = async (): Promise<number> =>
        (
          await read(
            'select (select count(*) from changes where group_id = 3) + (select count(*) from change_queue where group_id = 3) as n',
          )
        ).map(({ n }) => Number(n))[0]!;
      const changes = await countChanges();

      const written = await door.rest(
        'POST',
        `/v1/contacts/${id}/notes`,
        { content: 'After the move', pinned: false },
        token,
      );
      expect(written.status).toBe(201);
      const listed = await door.rest('GET', `/v1/contacts/${id}`, undefined, token);
      expect([listed.status, listed.body.id]).toEqual([200, Number(id)]);
      const notes = await door.graphql(
        'query ($id: ID!) { contact(id: $id) { notes { nodes { content } } } }',
        { id },
        token,
      );
      expect(notes.text).toContain('After the move');
      const created = await door.graphql(
        'mutation { createAction(input: { name: "Moved" }) { action { id name } } }',
        {},
        token,
      );
      expect(created.body).toMatchObject({ data: { createAction: { action: { name: 'Moved' } } } });
      const again = await door.graphql(
        'query ($id: ID!) { node(id: $id) { ... on Action { name } } }',
        { id: created.body.data.createAction.action.id },
        token,
      );
      expect(again.body).toEqual({ data: { node: { name: 'Moved' } } });
      expect(await countChanges()).toBeGreaterThan(changes);
    } finally {
      await database.close();
    }
  });

  it('space move goes on after a kill between its steps', async () => {
    contents = await readContents();
    const { node: from } = await findPlace(1);
    const to = nameOther(from);
    const child = spawn(process.execPath, [program, 'space', 'move', '1', '--to', to], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: environment({}) as NodeJS.ProcessEnv,
    });
    let said = '';
    child.stderr.on('data', (data) => (said += data));
    await waitUntil('it moves', () => said.includes('the shards of space 1 move'), 120_000);
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(await findPlace(1)).toMatchObject({ node: from, alone: true });
    expect(await readContents()).toEqual(contents);

    const { code, out, err } = await run(`space move 1 --to ${to}`);
    expect([code, out]).toEqual([0, `space 1 moved from ${from} to ${to}\n`]);
    const steps = `the shards of space 1 move from ${from} to ${to}\nstatistics of the new shards are gathered\n`;
    // The server may not have noticed yet that the other one is gone.
    expect(err.replace(/^another command that moves .+\n/, '')).toBe(steps);
    expect(await findPlace(1)).toMatchObject({ node: to, alone: true });
    expect(await readContents()).toEqual(contents);
  });
});
