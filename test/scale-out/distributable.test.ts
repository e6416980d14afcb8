// The schema could be distributed over many servers by group_id, as Citus does: keys, foreign keys and sequences allow it, except for the obstacles
// listed here.
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newDatabase } from '../harness/app.ts';

/** Tables that every server would have a whole copy of. */
const reference: Record<string, string> = {
  spaces: 'every tenant table refers to it; as many rows as spaces',
  users: 'a user may belong to several spaces',
  tokens: 'looked up by its hash, before any space is known',
  schema_migrations: 'of the installation',
};

/** The obstacles, and their remedies. */
const exceptions: Record<string, string> = {
  'tokens: tokens_group_id_user_id_fkey leads from a reference table to members':
    'the foreign key goes: enter_gate joins members anyway, so a token without its member opens nothing',
  'contact_search: is partitioned': 'a shard is what a partition was: the same table, without partitions',
  'contact_emails: is partitioned': 'likewise',
  'contacts: has a trigger':
    'it goes: only a contact that is deleted for good needs it, which no statement does; who does so by hand rebuilds the search rows; and what links a contact to its user moves teams itself',
  'audit_log: has a trigger': 'it stays on the shards: it refuses changes of lines, whatever node they come from',
  'members: has a trigger': 'it goes: what writes members moves the teams that show them',
  'roles: has a trigger': 'likewise',
  'users: has a trigger': 'likewise, for the teams of every space that a user is in, shard by shard',
};

/** Tables with the properties that Citus requires; partitions count with their table. */
const tablesSql = `
  select c.relname as name, c.relkind = 'p' as partitioned,
         exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'group_id' and not a.attisdropped) as tenant,
         exists (select from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal and t.tgname !~ '_published$') as triggered
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
  for (const { name, tenant, partitioned, triggered } of tables) {
    if (!tenant && !reference[name]) found.push(`${name}: has no group_id and is no reference table`);
    if (partitioned) found.push(`${name}: is partitioned`);
    if (triggered) found.push(`${name}: has a trigger`);
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
  client = new pg.Client(await newDatabase());
  await client.connect();
});
afterAll(() => client.end());

describe('the schema', () => {
  it('could be distributed by group_id, except for the listed obstacles', async () => {
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
      create function nothing() returns trigger language plpgsql as 'begin return new; end';
      create trigger busy before insert on worse for each row execute function nothing();
    `);
    try {
      const known = new Set(Object.keys(exceptions));
      expect((await obstacles(client)).filter((line) => !known.has(line))).toEqual([
        'bad: bad_mail_key is without group_id',
        'bad: bad_pkey is without group_id',
        'bad: id counts in integer',
        'loose: has no group_id and is no reference table',
        'users: users_bad_id_fkey leads from a reference table to bad',
        'worse: has a trigger',
        'worse: has no primary key',
        'worse: worse_bad_id_fkey may leave the space',
        'worse: worse_other_bad_id_fkey may leave the space',
        'worse: worse_other_bad_id_fkey would clear group_id',
      ]);
    } finally {
      await client.query('rollback');
    }
  });
});
