// Migrations: concurrent, interrupted, changed afterwards or made by another version; and functions that are applied again.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { writeMigrationChecksums } from '../../codegen/migration-checksums.ts';
import { readSchema } from '../../codegen/schema-sql.ts';
import { explainCommandError } from '../../src/commands/error-message.ts';
import { createMigrationTable, listMigrations, migrateDatabase, runMigrations } from '../../src/database/migrate.ts';
import { createDatabase } from '../harness/app.ts';
import { runStatement } from '../harness/databases.ts';
import { waitUntil } from '../harness/waiting.ts';

const here = listMigrations();
const names = here.map(({ name }) => name);
const numbered = here.filter(({ repeatable }) => !repeatable).map(({ name }) => name);

const connected = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url, application_name: `test ${randomUUID()}` });
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
};

const appliedIn = async (client: pg.Client): Promise<string[]> =>
  (await client.query('select name from schema_migrations order by applied_at, name')).rows.map(({ name }) => name);

it('a role that owns nothing, and has the rights that the guide names, applies all of them', async () => {
  const [url, role] = [new URL(await createDatabase('empty')), `guest_${randomUUID().slice(0, 8)}`];
  const admin = Object.assign(new URL(inject('adminUrl')), { pathname: url.pathname }).href;
  const guide = readFileSync('docs/operations.md', 'utf8').match(/(?<=`)grant create on [^`]*(?=…`)/g)!;
  const grants = guide.map((text) => text.replace('database muster', `database ${url.pathname.slice(1)}`) + role);
  await runStatement(admin, [`create role ${role} login password 'guest'`, ...grants].join('; '));
  onTestFinished(() => runStatement(admin, `drop owned by ${role} cascade; drop role ${role}`));
  expect(await migrateDatabase(Object.assign(url, { username: role, password: 'guest' }).href)).toEqual(names);
});

describe('many concurrent instances', () => {
  it('apply every migration once, in order, and all of them continue', async () => {
    const url = await createDatabase('empty');
    const told: string[] = [];
    const results = await Promise.all(
      Array.from({ length: 8 }, () => migrateDatabase(url, { onApply: (name) => told.push(name) })),
    );
    expect(results.flat()).toEqual(names);
    expect(told).toEqual(names);
    expect(await appliedIn(await connected(url))).toEqual(names);
  });

  it('find nothing to do in an up-to-date database', async () => {
    expect(await migrateDatabase(await createDatabase())).toEqual([]);
  });

  it('find nothing to do where nothing may be created', async () => {
    const url = await createDatabase();
    const name = new URL(url).pathname.slice(1);
    await (await connected(url)).query(`alter database ${name} set default_transaction_read_only = on`);
    expect(await migrateDatabase(url)).toEqual([]);
  });
});

describe('an interrupted migration', () => {
  it('leaves nothing behind, fails with its name, and the next run continues from there', async () => {
    const url = await createDatabase('empty');
    const other = await connected(url);
    // A transaction in progress uses the name, so the second migration has to wait for it.
    await other.query('begin');
    await other.query('create table teams ()');
    const watch = await connected(url);
    const running = migrateDatabase(url).then(() => 'done', explainCommandError);
    const waiting = `select pid from pg_stat_activity where datname = current_database()
       and application_name = 'muster migrate' and wait_event_type = 'Lock'`;
    // It waits for short times.
    const end = `select pg_terminate_backend(pid) from (${waiting}) waiting`;
    await waitUntil('a migration that waits is ended', async () => (await watch.query(end)).rowCount);
    expect(await running).toMatch(
      new RegExp(`^The database cannot be reached \\(Migration ${names[1]} failed: .*\\)\\. Is it running`),
    );
    await other.query('rollback');

    expect(await appliedIn(watch)).toEqual(names.slice(0, 1));
    expect((await watch.query(`select to_regclass('teams') as teams`)).rows).toEqual([{ teams: null }]);
    expect(await migrateDatabase(url)).toEqual(names.slice(1));
    expect(await readSchema(url)).toEqual(await readSchema(await createDatabase('migrated')));
  });

  it('leaves no table without its functions: both are applied with the last numbered file, or neither', async () => {
    const url = await createDatabase('empty');
    const client = await connected(url);
    await client.query(`create function dialled(text) returns integer language sql as 'select 1'`);
    await expect(migrateDatabase(url)).rejects.toThrow(/^Migration functions.sql failed: cannot change return type/);
    expect(await appliedIn(client)).toEqual(numbered.slice(0, -1));
    await client.query('drop function dialled');
    expect(await migrateDatabase(url)).toEqual([...numbered.slice(-1), 'functions.sql', 'triggers.sql']);
    expect(await readSchema(url)).toEqual(await readSchema(await createDatabase('migrated')));
  });

  it('while others wait: the next one in the queue does the work', async () => {
    const url = await createDatabase('empty');
    const other = await connected(url);
    await other.query('begin');
    await other.query('create table teams ()');
    const running = Array.from({ length: 4 }, () =>
      migrateDatabase(url).then(
        (applied) => applied,
        () => 'failed' as const,
      ),
    );
    const watch = await connected(url);
    // One of the four waits for the table, and three for that one.
    const waiting = (type: string) => `select pid from pg_stat_activity where datname = current_database()
       and application_name = 'muster migrate' and wait_event_type = 'Lock' and wait_event ${type} 'advisory'`;
    await waitUntil('three wait for one', async () => (await watch.query(waiting('='))).rowCount === 3);
    const end = `select pg_terminate_backend(pid) from (${waiting('<>')}) waiting`;
    await waitUntil('one that waits for the table is ended', async () => (await watch.query(end)).rowCount === 1);
    await other.query('rollback');
    const results = await Promise.all(running);
    expect(results.filter((result) => result === 'failed')).toHaveLength(1);
    expect(results.flat().filter((name) => name !== 'failed')).toEqual(names.slice(1));
    expect(await appliedIn(watch)).toEqual(names);
  });
});

describe('a database of unknown state', () => {
  const refusal = async (sql: string): Promise<[message: string, changed: boolean]> => {
    const url = await createDatabase();
    const client = await connected(url);
    await client.query(sql);
    const before = await readSchema(url);
    const message = await migrateDatabase(url).then(
      () => 'nothing was refused',
      (error: Error) => error.message,
    );
    return [message, before !== (await readSchema(url))];
  };

  it('is refused when an applied migration was changed since', async () => {
    const sql = `update schema_migrations set checksum = 'another' where name = '${names[1]}'`;
    expect(await refusal(sql)).toEqual([
      `Migration ${names[1]} was changed after it was applied to this database`,
      false,
    ]);
  });

  it.each([
    ['9999_from_the_future.sql', 'a newer version of Muster, with the migration'],
    ['0001_spaces_and_people.sql', 'an early version of Muster, with the migration'],
  ])('is refused when it has %s: it is of %s', async (name, version) => {
    const sql = `insert into schema_migrations (name, checksum) values ('${name}', '')`;
    expect(await refusal(sql)).toEqual([expect.stringContaining(`This database is of ${version} ${name}`), false]);
  });

  it('is refused when it has tables of another program by the same names, and left unchanged', async () => {
    const url = await createDatabase('empty');
    const client = await connected(url);
    await client.query('create table spaces (theirs text)');
    await expect(migrateDatabase(url)).rejects.toThrow(/^Migration .* failed: .*spaces/);
    const { rows } = await client.query(
      `select column_name from information_schema.columns where table_name = 'spaces'`,
    );
    expect(rows).toEqual([{ column_name: 'theirs' }]);
    expect(await appliedIn(client)).toEqual(numbered.slice(0, 1));
    expect((await client.query(`select to_regclass('members') as members`)).rows).toEqual([{ members: null }]);
  });
});

it('a database with the queue of jobs of former versions loses it', async () => {
  const url = await createDatabase('empty');
  const client = await connected(url);
  await client.query(createMigrationTable);
  const until = numbered.indexOf('0026_job_leases.sql');
  await runMigrations(client, here.slice(0, until));
  await client.query(`insert into schema_migrations (name, checksum) values ('jobs.sql', 'x')`);
  expect(await migrateDatabase(url)).toEqual(names.slice(until));
  expect(await appliedIn(client)).toEqual(names);
  expect((await client.query(`select to_regnamespace('pgboss') as queue`)).rows).toEqual([{ queue: null }]);
  expect(await readSchema(url)).toEqual(await readSchema(await createDatabase('migrated')));
});

describe('the checksums of landed migrations', () => {
  const [first, second] = here.filter(({ repeatable }) => !repeatable);
  const written = writeMigrationChecksums('', [first!]);

  it('get a line for a new migration', () => {
    expect(writeMigrationChecksums(written, [first!, second!])).toBe(
      `${written}${second!.checksum}  ${second!.name}\n`,
    );
  });

  it('leave out the files that are applied again when they change', () => {
    expect(writeMigrationChecksums(written, [first!, { ...second!, repeatable: true }])).toBe(written);
  });

  it.each([
    ['changed', { ...first!, checksum: 'another' }],
    ['removed', { ...first!, name: '0001_another_name.sql' }],
  ])('refuse one that was %s', (what, now) => {
    expect(() => writeMigrationChecksums(written, [now])).toThrow(`migration ${first!.name} was ${what}`);
  });
});

describe('functions and triggers', () => {
  it('are applied again only when their text has changed', async () => {
    const url = await createDatabase();
    const client = await connected(url);
    const whole = await readSchema(url);
    for (const [file, damage] of [
      [
        'functions.sql',
        `create or replace function dialled(text) returns text language sql immutable as 'select null'`,
      ],
      ['triggers.sql', 'drop trigger contacts_forgotten on contacts'],
    ] as const) {
      await client.query(damage);
      const damaged = await readSchema(url);
      expect(damaged).not.toEqual(whole);
      expect(await migrateDatabase(url)).toEqual([]);
      expect(await readSchema(url)).toEqual(damaged);

      await client.query(`update schema_migrations set checksum = 'another' where name = $1`, [file]);
      const results = await Promise.all(Array.from({ length: 4 }, () => migrateDatabase(url)));
      expect(results.flat()).toEqual([file]);
      expect(await readSchema(url)).toEqual(whole);
      expect(await migrateDatabase(url)).toEqual([]);
    }
  });

  it('replace those of earlier versions that had other arguments or results', async () => {
    const url = await createDatabase();
    const client = await connected(url);
    const whole = await readSchema(url);
    await client.query(`
      drop function join_values, ensure_account;
      create function join_values(befores jsonb[], afters jsonb[], out before jsonb, out after jsonb) language sql as 'select befores[1], afters[1]';
      create function ensure_account(address text, first_name text, last_name text) returns bigint language sql as 'select 1';
      create function delete_old_audit_lines(before timestamptz, most int) returns int language sql as 'select 1';
      update schema_migrations set checksum = 'another' where name = 'functions.sql'`);
    expect(await migrateDatabase(url)).toEqual(['functions.sql']);
    expect(await readSchema(url)).toEqual(whole);
  });

  it('are each in one of the files, and the database has no others', async () => {
    const written = here.flatMap(({ sql }) =>
      [...sql.matchAll(/^ *create or replace (?:function|trigger) (\w+)/gm)].map(([, name]) => name!),
    );
    const client = await connected(await createDatabase('migrated'));
    const { rows } = await client.query(
      `select proname as name from pg_proc p where pronamespace = 'public'::regnamespace
          and not exists (select from pg_depend where objid = p.oid and deptype = 'e')
       union all select tgname from pg_trigger where not tgisinternal
          and not exists (select from pg_depend where objid = tgrelid and deptype = 'e')`,
    );
    expect(written.length).toBeGreaterThan(25);
    // A numbered file may replace a function of an earlier one.
    expect([...new Set(written)].sort()).toEqual(rows.map(({ name }) => name).toSorted());
  });
});

it('text is folded alike wherever the extension is, and whatever the search path', async () => {
  const url = await createDatabase('empty');
  const client = await connected(url);
  await client.query('create schema elsewhere; create extension unaccent schema elsewhere');
  expect(await migrateDatabase(url)).toEqual(names);
  await client.query(`set search_path = ''`);
  const text = ' \t\n\v\f\r\u00a0\u2028\u2029\u202f\u3000\ufeff';
  const { rows } = await client.query('select public.fold($1) as fold, public.fold_inline($1) as inline', [
    `${text}Élan  Vital${text}`,
  ]);
  expect(rows).toEqual([{ fold: 'elan vital', inline: 'elan vital' }]);
});
