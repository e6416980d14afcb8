// The schema can be distributed over the nodes of a Citus cluster by group_id: each table has a place, and keys, foreign keys and sequences allow it.
import { loadModule, parseSync } from 'libpg-query';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listMigrations, splitStatements } from '../../src/database/migrate.ts';
import { createDatabase } from '../harness/app.ts';

await loadModule();

/** Tables that every node has a whole copy of. */
const reference: Record<string, string> = {
  spaces: 'every tenant table refers to it; as many rows as spaces',
  users: 'a user may belong to several spaces',
  roles: 'the gate reads them before the node of a space is known',
  members: 'likewise; and a person asks for all their spaces',
  apps: 'the gate reads them before the node of a space is known',
  tokens: 'looked up by its hash, before any space is known',
  schema_migrations: 'of the installation',
};

/** Tables that stay on the coordinator. */
const local: Record<string, string> = { job_leases: 'instances that connect to it work on the jobs' };

/** The obstacles, and who removes them. */
const exceptions: Record<string, string> = {
  'contact_search: is partitioned': 'muster distribute makes it one table: a shard is what a partition was',
  'contact_emails: is partitioned': 'likewise',
};

/** Tables with the properties that Citus requires; partitions count with their table. */
const tablesSql = `
  select c.relname as name, c.relkind = 'p' as partitioned, obj_description(c.oid, 'pg_class') as place,
         exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'group_id' and not a.attisdropped) as tenant
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`;
const keysSql = `
  select c.relname as table, i.relname as name, x.indisprimary as primary,
         array(select a.attname::text from unnest(x.indkey[0:x.indnkeyatts - 1]) k join pg_attribute a on a.attrelid = c.oid and a.attnum = k) as columns
    from pg_index x join pg_class c on c.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
   where c.relnamespace = 'public'::regnamespace and not c.relispartition and (x.indisunique or x.indisexclusion)`;
const foreignSql = `
  select c.conname as name, c.conrelid::regclass::text as from, c.confrelid::regclass::text as to, concat(c.confdeltype, c.confupdtype) as actions,
         array(select a.attname::text from unnest(c.conkey) with ordinality k (n, place) join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.n order by place) as columns,
         array(select a.attname::text from unnest(c.confkey) with ordinality k (n, place) join pg_attribute a on a.attrelid = c.confrelid and a.attnum = k.n order by place) as targets
    from pg_constraint c where c.contype = 'f' and c.connamespace = 'public'::regnamespace and c.conparentid = 0`;
const sequencesSql = `
  select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type
    from pg_attribute a join pg_class c on c.oid = a.attrelid
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attidentity <> ''`;

/** All obstacles, one line each. */
const obstacles = async (client: pg.Client): Promise<string[]> => {
  const read = async (sql: string) => (await client.query(sql)).rows;
  const [tables, keys, foreign, sequences] = [
    await read(tablesSql),
    await read(keysSql),
    await read(foreignSql),
    await read(sequencesSql),
  ];
  const distributed = new Set<string>(
    tables.filter(({ name, tenant }) => tenant && !reference[name]).map(({ name }) => name),
  );
  const found: string[] = [];
  for (const { name, tenant, partitioned, place } of tables) {
    const due = local[name] ? 'on the coordinator' : reference[name] ? 'on all nodes' : 'by space';
    if (!tenant && due === 'by space') found.push(`${name}: has no group_id and is no reference table`);
    if (place !== `Cluster: ${due}`) found.push(`${name}: its comment does not say its place`);
    if (partitioned) found.push(`${name}: is partitioned`);
    if (distributed.has(name) && !keys.some((key) => key.table === name && key.primary))
      found.push(`${name}: has no primary key`);
  }
  for (const { table, name, columns } of keys)
    if (distributed.has(table) && !columns.includes('group_id')) found.push(`${table}: ${name} is without group_id`);
  for (const { from, to, name, columns, targets, actions } of foreign) {
    if (distributed.has(to) && !distributed.has(from))
      found.push(`${from}: ${name} leads from a reference table to ${to}`);
    if (!distributed.has(from) || !distributed.has(to)) continue;
    const place = columns.indexOf('group_id');
    if (place < 0 || targets.indexOf('group_id') !== place) found.push(`${from}: ${name} may leave the space`);
    if (/[nd]/.test(actions)) found.push(`${from}: ${name} would clear group_id`);
  }
  for (const { table, column, type } of sequences)
    if (type !== 'bigint') found.push(`${table}: ${column} counts in ${type}`);
  return found.sort();
};

let client: pg.Client;
beforeAll(async () => {
  client = new pg.Client(await createDatabase('migrated'));
  await client.connect();
});
afterAll(() => client.end());

describe('the schema', () => {
  it('can be distributed by group_id, except for the listed obstacles', async () => {
    expect(await obstacles(client)).toEqual(Object.keys(exceptions).sort());
  });

  it('has all listed reference tables', async () => {
    const { rows } = await client.query(tablesSql);
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(reference)));
    expect(rows.filter(({ tenant }) => tenant).length).toBeGreaterThan(35);
  });

  it('has all obstacles of added bad tables found', async () => {
    await client.query(`begin;
      create table loose (id bigint primary key);
      create table bad (group_id bigint not null references spaces, id integer generated by default as identity primary key, mail text unique,
        unique (group_id, id), unique (id, group_id));
      create table worse (group_id bigint not null, bad_id integer references bad, other bigint,
        foreign key (other, bad_id) references bad (group_id, id) on delete set null);
      alter table users add column bad_id integer references bad;
    `);
    try {
      const known = new Set(Object.keys(exceptions));
      expect((await obstacles(client)).filter((line) => !known.has(line))).toEqual([
        'bad: bad_mail_key is without group_id',
        'bad: bad_pkey is without group_id',
        'bad: id counts in integer',
        'bad: its comment does not say its place',
        'loose: has no group_id and is no reference table',
        'loose: its comment does not say its place',
        'users: users_bad_id_fkey leads from a reference table to bad',
        'worse: has no primary key',
        'worse: its comment does not say its place',
        'worse: worse_bad_id_fkey may leave the space',
        'worse: worse_other_bad_id_fkey may leave the space',
        'worse: worse_other_bad_id_fkey would clear group_id',
      ]);
    } finally {
      await client.query('rollback');
    }
  });
});

it('functions in SQL read no table: a node would inline them after Citus has planned the statement, and read its empty table', async () => {
  const { rows } = await client.query(
    `select p.proname as name, p.prosrc as body from pg_proc p join pg_language l on l.oid = p.prolang
      where p.pronamespace = 'public'::regnamespace and l.lanname = 'sql' and not exists (select from pg_depend where objid = p.oid and deptype = 'e')`,
  );
  const tables = (await client.query(tablesSql)).rows.map(({ name }) => name);
  const readers = rows.filter(({ body }) =>
    tables.some((table) => new RegExp(`\\b(from|join)\\s+${table}\\b`).test(body)),
  );
  expect(rows.length).toBeGreaterThan(5);
  expect(readers.map(({ name }) => name)).toEqual([]);
});

describe('migrations', () => {
  it('are split into the statements that PostgreSQL reads in them', () => {
    const bare = (text: string): string =>
      text
        .replaceAll(/--[^\n]*/g, '')
        .replaceAll(/\s+/g, ' ')
        .trim();
    for (const { name, sql } of listMigrations()) {
      const bytes = Buffer.from(sql);
      const parsed = (parseSync(sql) as { stmts: { stmt_location?: number; stmt_len?: number }[] }).stmts.map(
        ({ stmt_location = 0, stmt_len }) =>
          bytes.subarray(stmt_location, stmt_len ? stmt_location + stmt_len : undefined),
      );
      expect(splitStatements(sql).map(bare), name).toEqual(
        parsed.map((one) => bare(one.toString().replace(/;\s*$/, ''))),
      );
    }
  });

  it('after the places of tables name no partition, since a cluster has none', () => {
    const later = listMigrations().filter(({ name }) => /^\d/.test(name) && name > '0020');
    expect(later.length).toBeGreaterThan(0);
    for (const { name, sql } of later) expect(sql, name).not.toMatch(/contact_(search|emails)_\d/);
  });
});
