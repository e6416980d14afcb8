// Checks of the database of Muster: its schema, its rights, the health of its tables, its search rows, what should have been deleted, who can use it.
import { countWrongRows } from '../data/search/verify.ts';
import { listMigrations } from '../database/migrate.ts';
import { type Checks, fail, listNames, ok, warn } from './doctor-check.ts';

/** Rows from which on statistics and dead rows matter. */
const matters = 10_000;

/** Ages in transactions. PostgreSQL stops writes at two thousand million. */
const ages = { warn: 1_000_000_000, fail: 1_600_000_000 };

const countSearchRows = `
  select cast((select count(*) from contacts where deleted_at is null) as float) as contacts,
         cast((select count(*) from contact_search) as float) as rows`;

/** Checks that need the tables of Muster. */
export const contentChecks: Checks = {
  async privileges({ connection }) {
    const rows = await connection.rows<{ name: string }>(`select oid::regclass::text as name from pg_class
        where relkind in ('r', 'p') and relnamespace = quote_ident(current_schema())::regnamespace
          and not (has_table_privilege(oid, 'select') and has_table_privilege(oid, 'insert')
                   and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete'))
        order by 1`);
    const { role, schema } = await connection.row<{ role: string; schema: string }>(
      'select quote_ident(current_user) as role, quote_ident(current_schema()) as schema',
    );
    if (rows.length === 0) return ok(`The role ${role} may read and write all tables`);
    return fail(
      `The role ${role} lacks rights on ${listNames(rows.map(({ name }) => name))}`,
      `grant select, insert, update, delete on all tables in schema ${schema} to ${role};`,
    );
  },

  async indexes({ connection }) {
    const rows = await connection.rows<{
      name: string;
    }>(`select indexrelid::regclass::text as name from pg_index join pg_class c on c.oid = indrelid
        where relnamespace = quote_ident(current_schema())::regnamespace and not (indisvalid and indisready) order by 1`);
    if (rows.length === 0) return ok('All indexes are valid');
    return fail(
      `Not valid: ${listNames(rows.map(({ name }) => name))}`,
      `reindex index concurrently ${rows[0]!.name};`,
    );
  },

  async statistics({ connection }) {
    const rows = await connection.rows<{ name: string }>(
      `select relid::regclass::text as name from pg_stat_user_tables
        where schemaname = current_schema() and n_live_tup > $1
          and (coalesce(last_analyze, last_autoanalyze) is null or n_mod_since_analyze > n_live_tup / 2)
        order by n_live_tup desc`,
      [matters],
    );
    if (rows.length === 0) return ok('The planner has fresh statistics of all large tables');
    const names = rows.map(({ name }) => name);
    return warn(`Statistics are missing or old: ${listNames(names)}`, `analyze ${names.join(', ')};`);
  },

  async 'dead rows'({ connection }) {
    const rows = await connection.rows<{ name: string; share: number }>(
      `select relid::regclass::text as name, round(100.0 * n_dead_tup / greatest(n_live_tup + n_dead_tup, 1)) as share
         from pg_stat_user_tables
        where schemaname = current_schema() and n_dead_tup > $1 and n_dead_tup > n_live_tup / 2 order by n_dead_tup desc`,
      [matters],
    );
    if (rows.length === 0) return ok('No large table has many dead rows');
    return warn(
      `Dead rows: ${listNames(rows.map(({ name, share }) => `${name} ${share} %`))}`,
      `vacuum (analyze) ${rows.map(({ name }) => name).join(', ')}; a transaction that stays open keeps it from removing them`,
    );
  },

  async 'transaction ids'({ connection }) {
    const { age } = await connection.row<{ age: number }>(
      'select age(datfrozenxid) as age from pg_database where datname = current_database()',
    );
    const found = `The oldest transaction id is ${age.toLocaleString('en-US')} transactions old; PostgreSQL stops at 2,000,000,000`;
    const todo = 'vacuum freeze; and look for transactions that stay open, replication slots and prepared transactions';
    return age > ages.fail ? fail(found, todo) : age > ages.warn ? warn(found, todo) : ok(found);
  },

  async 'open transactions'({ connection }) {
    const rows = await connection.rows<{
      pid: number;
      minutes: number;
    }>(`select pid, round(extract(epoch from now() - xact_start) / 60) as minutes from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and xact_start < now() - interval '5 minutes'
          and backend_type = 'connection backend' order by xact_start`);
    const { waiting } = await connection.row<{
      waiting: number;
    }>(`select cast(count(*) as int) as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and state_change < now() - interval '10 seconds'`);
    if (rows.length === 0 && waiting === 0) return ok('No transaction stays open, and none waits long for a lock');
    const open = rows.map(({ pid, minutes }) => `process ${pid} since ${minutes} minutes`);
    return warn(
      [open.length > 0 && `Open transactions: ${listNames(open)}`, waiting > 0 && `${waiting} wait for a lock`]
        .filter(Boolean)
        .join('; '),
      rows.length > 0
        ? `If it is no backup and no import: select pg_terminate_backend(${rows[0]!.pid});`
        : "select pid, pg_blocking_pids(pid) from pg_stat_activity where wait_event_type = 'Lock';",
    );
  },

  async 'search rows'({ connection, url, deep }) {
    if (!deep) {
      const { contacts, rows } = await connection.row<{ contacts: number; rows: number }>(countSearchRows);
      return contacts === rows
        ? ok(`${rows} search rows for as many contacts; --deep compares their content`)
        : fail(`${contacts} contacts have ${rows} search rows`, 'muster search rebuild');
    }
    const { contacts, wrong } = await countWrongRows(url, { again: true });
    return wrong === 0
      ? ok(`The search rows of ${contacts} contacts are correct`)
      : fail(`${wrong} derived rows of ${contacts} contacts are wrong`, 'muster search verify --repair');
  },

  async sweep({ connection }) {
    const rows = await connection.rows<{ name: string; due: number }>(`select name, cast(due as int) as due from (
         select 'idempotency_keys' as name, count(*) as due from idempotency_keys where created_at < now() - interval '26 hours'
         union all select 'search_traversals', count(*) from search_traversals where read_at < now() - interval '2 hours'
         union all select 'tokens', count(*) from tokens
           where (expires_at is not null or revoked_at is not null) and least(expires_at, revoked_at) < now() - interval '31 days') due
        where due > 0`);
    if (rows.length === 0) return ok('Nothing that has expired is left');
    return warn(
      `Expired rows are left: ${rows.map(({ name, due }) => `${due} of ${name}`).join(', ')}`,
      'A serving process deletes them each minute: start one, and look in its log for "sweep"',
    );
  },

  async access({ connection }) {
    const { spaces, tokens } = await connection.row<{
      spaces: number;
      tokens: number;
    }>(`select cast((select count(*) from spaces where deleted_at is null) as int) as spaces,
              cast((select count(*) from tokens t join spaces s on s.id = t.group_id and s.deleted_at is null
                where t.revoked_at is null and (t.expires_at is null or t.expires_at > now())) as int) as tokens`);
    if (spaces === 0) return warn('There is no space yet', 'muster setup');
    if (tokens === 0)
      return warn('No token can be used: all are revoked or expired', 'muster token create --space 1 --user 1');
    return ok(`${tokens} tokens for ${spaces} spaces can be used`);
  },
};

/** Checks after whose failure there are no tables to check. */
export const schemaChecks: Checks = {
  async extensions({ connection }) {
    const rows = await connection.rows<{
      name: string;
      available: boolean;
    }>(`select name, exists (select 1 from pg_available_extensions a where a.name = needed.name) as available
         from unnest(array['unaccent', 'pg_trgm']) needed (name)
        where not exists (select 1 from pg_extension where extname = name)`);
    if (rows.length === 0) return ok('unaccent and pg_trgm are installed');
    const absent = rows.filter(({ available }) => !available).map(({ name }) => name);
    if (absent.length > 0)
      return fail(
        `The server has no files of ${absent.join(' and ')}`,
        'Install the contrib package of PostgreSQL, then run: muster migrate',
      );
    return fail(`${rows.map(({ name }) => name).join(' and ')} is not installed`, 'muster migrate');
  },

  async migrations({ connection }) {
    const { there } = await connection.row<{ there: boolean }>(
      `select to_regclass('schema_migrations') is not null as there`,
    );
    if (!there) return fail('The database has no tables of Muster', 'muster migrate');
    const rows = await connection.rows<{ name: string; checksum: string }>(
      'select name, checksum from schema_migrations',
    );
    const done = new Map(rows.map(({ name, checksum }) => [name, checksum]));
    const here = listMigrations();
    const names = new Set(here.map(({ name }) => name));
    const unknown = [...done.keys()].filter((name) => !names.has(name));
    if (unknown.length > 0)
      return fail(
        `The database has migrations that this version does not know: ${listNames(unknown)}`,
        'Run the version of Muster that applied them',
      );
    const changed = here.filter(
      ({ name, checksum, repeatable }) => !repeatable && (done.get(name) ?? checksum) !== checksum,
    );
    if (changed.length > 0)
      return fail(
        `Applied migrations differ from those of this version: ${listNames(changed.map(({ name }) => name))}`,
        'Install Muster anew: a file of migrations/ was edited',
      );
    const pending = here.filter(({ name, checksum }) => done.get(name) !== checksum).map(({ name }) => name);
    if (pending.length > 0) return fail(`Not applied: ${listNames(pending)}`, 'muster migrate');
    return ok(`All ${here.length} files of migrations are applied`);
  },
};
