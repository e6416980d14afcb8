// muster distribute, cluster status and space move, as far as they need no cluster: what they print and refuse. test/scale-out/ has the rest.
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { parseNode } from '../../src/commands/distribute.ts';
import { type Door, openApp } from '../harness/app.ts';
import { buildCommandLine } from '../harness/command-line.ts';
import { runHere } from '../harness/run-here.ts';

vi.setConfig({ testTimeout: 120_000 });

let door: Door;
const { folder, muster } = buildCommandLine(() => door.databaseUrl);
beforeAll(async () => {
  door = await openApp();
});
const run = (line: string) => runHere(door.databaseUrl, line.split(' '));

it.each([
  ['distribute --help', ['--workers', '--dry-run', 'DATABASE_URL', 'Citus', 'space move']],
  ['cluster --help', ['status', 'muster distribute']],
  ['cluster status --help', ['--spaces', '--json', 'unreachable']],
  ['space move --help', ['<id>', '--to', 'cluster status']],
])('%s needs no database and names what there is', async (line, mentioned) => {
  const { code, out, err } = await muster(line, { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' });
  expect([code, err]).toEqual([0, '']);
  for (const part of mentioned) expect(out).toContain(part);
});

describe('wrong usage exits with 2, and names the value and what is allowed', () => {
  it.each([
    ['distribute --workers db1', '"db1" must be HOST:PORT, such as db1:5432'],
    ['distribute --workers db1:5432,db2:0', '"db2:0" must be HOST:PORT, such as db1:5432, with a port from 1 to 65535'],
    ['distribute --workers db1:65536', '"db1:65536" must be HOST:PORT'],
    ['distribute --workers db1:5432,', '"" must be HOST:PORT'],
    ['distribute --workers postgres://db1:5432', '"postgres://db1:5432" must be HOST:PORT'],
    ['distribute --workers db1:5432,db2:5432,db1:5432', 'db1:5432 must be named once'],
    ['distribute db1:5432', 'too many arguments'],
    ['cluster', 'cluster [options] [command]'],
    ['cluster status --spaces none', 'must be a whole number from 1'],
    ['space move 1', "required option '--to <host:port>' not specified"],
    ['space move 1 --to db1', '"db1" must be HOST:PORT'],
    ['space move one --to db1:5432', 'must be a whole number'],
  ])('%s', async (line, message) => {
    const { code, out, err } = await run(line);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
    expect(err).toContain('Usage: muster');
  });

  it('while names and addresses of all sorts are nodes', () => {
    expect(parseNode('db-1.example.test:5432')).toEqual({ host: 'db-1.example.test', port: 5432 });
    expect(parseNode(' 10.0.0.7:65535 ')).toEqual({ host: '10.0.0.7', port: 65_535 });
  });
});

it('distribute refuses the embedded database, and says where to go', async () => {
  const env = { DATABASE_URL: undefined, MUSTER_DATA_DIR: join(folder, 'nowhere') };
  for (const line of ['distribute', 'distribute --dry-run --workers db1:5432']) {
    const { code, out, err } = await muster(line, env);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(
      /^muster: The embedded database cannot be distributed: set DATABASE_URL to the coordinator .+\n$/,
    );
  }
});

describe('a database that is on no cluster', () => {
  /** All relations, their triggers, and the settings of the database. */
  const readCatalogue = async () => [
    await door.sql(
      `select oid::text, relname, relkind from pg_class where relnamespace = 'public'::regnamespace order by oid`,
    ),
    await door.sql('select oid::text, tgname from pg_trigger where not tgisinternal order by oid'),
    await door.sql('select extname from pg_extension order by 1'),
    await door.sql(
      'select setconfig from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase where datname = current_database()',
    ),
  ];

  it('distribute --dry-run prints a statement for every table, and changes nothing', async () => {
    const before = await readCatalogue();
    const { code, out, err } = await run('distribute --dry-run --workers db1:5432,db2:5432');
    expect([code, err]).toEqual([0, '']);
    const tables = await door.sql(
      `select relname as name, obj_description(oid, 'pg_class') as place from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`,
    );
    const planned = (place: string, call: RegExp): void => {
      const due = tables.filter((table) => table.place === place).map(({ name }) => name);
      expect([...out.matchAll(call)].map(([, name]) => name).sort()).toEqual(due);
      expect(due.length).toBeGreaterThan(5);
    };
    planned('Cluster: by space', /^-- \w+, by space\nselect create_distributed_table\('(\w+)', 'group_id', .+\);$/gm);
    planned('Cluster: on all nodes', /^-- \w+, a copy on every node\nselect create_reference_table\('(\w+)'\);$/gm);
    for (const node of ['db1:5432', 'db2:5432']) expect(out).toContain(`-- ${node} gets the database`);
    expect(await readCatalogue()).toEqual(before);
  });

  it('distribute without workers says how to name them', async () => {
    const { code, out, err } = await run('distribute');
    expect([code, out]).toEqual([1, '']);
    expect(err).toBe('muster: This database has no extension citus: name the workers with --workers\n');
  });

  it('distribute with workers says what the server lacks', async () => {
    const { code, out, err } = await run('distribute --workers 127.0.0.1:1');
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^muster: Citus cannot be installed on the coordinator: .+shared_preload_libraries/);
  });

  it.each([
    'cluster status',
    'cluster status --spaces --json',
    'space move 1 --to 127.0.0.1:1',
  ])('%s names the way', async (line) => {
    const { code, out, err } = await run(line);
    expect([code, out]).toEqual([1, '']);
    expect(err).toBe('muster: This database is not distributed over a cluster: run "muster distribute" first\n');
  });
});
