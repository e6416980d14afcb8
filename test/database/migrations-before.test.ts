// Databases of the former schema, which 23 files made: a complete one is adopted once, any other is refused and left unchanged.
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readSchema } from '../../codegen/schema-sql.ts';
import { listMigrations, migrateDatabase } from '../../src/database/migrate.ts';
import { bridgeOldMigrations, migrationsBefore } from '../../src/database/migrations-before.ts';
import { createDatabase } from '../harness/app.ts';

const before = Object.entries(migrationsBefore);
const names = listMigrations().map(({ name }) => name);
/** The files that came after the replacing ones, and what they create: a former database has none of it. */
const laterFiles = listMigrations()
  .filter(({ repeatable }) => !repeatable)
  .slice(6);
const laterNames = laterFiles.map(({ name }) => name);
const dropLater = [
  ...laterFiles
    .flatMap(({ sql }) => [...sql.matchAll(/^create (?:unlogged )?(index|table) (\w+)/gm)])
    .map(([, kind, name]) => `drop ${kind} if exists ${name} cascade`),
  ...laterFiles
    .flatMap(({ sql }) => [...sql.matchAll(/^alter table (\w+)([^;]*)/gm)])
    .flatMap(([, table, changes]) =>
      [...changes!.matchAll(/\badd column (\w+)/g)].map(
        ([, column]) => `alter table if exists ${table} drop column ${column}`,
      ),
    ),
  'drop schema pgboss cascade',
].join('; ');
/** Their statistics have names that they put together. */
const dropLaterStatistics = `do $$ declare one text; begin
  for one in select stxname from pg_statistic_ext where stxname ~ '_(mobile|phone)_end$' loop execute 'drop statistics ' || one; end loop; end $$`;
const broken = `create or replace function dialled(text) returns text language sql immutable as 'select null';
  create or replace function fold(text) returns text language sql immutable strict as 'select lower($1)'`;

/** Its tables are those of the old files. Its functions differ from the present ones, which shows when these are applied. */
const oldDatabase = async (migrations = before): Promise<{ url: string; client: pg.Client }> => {
  const url = await createDatabase('migrated');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(
    `with added as (insert into spaces (name) values ('One'), ('Other') returning id) insert into contacts (group_id) select id from added`,
  );
  await client.query(
    `${broken}; drop trigger members_come_and_go on members; ${dropLater}; ${dropLaterStatistics}; delete from schema_migrations`,
  );
  await client.query('insert into schema_migrations (name, checksum) select * from unnest($1::text[], $2::text[])', [
    migrations.map(([name]) => name),
    migrations.map(([, checksum]) => checksum),
  ]);
  return { url, client };
};

const recordedIn = async (client: pg.Client): Promise<[name: string, checksum: string][]> =>
  (await client.query('select name, checksum from schema_migrations order by name')).rows.map(({ name, checksum }) => [
    name,
    checksum,
  ]);
const contactsIn = async (client: pg.Client): Promise<unknown[]> =>
  (await client.query('select group_id, count(*), sum(version) from contacts group by 1 order by 1')).rows;

describe('a database that has all of them', () => {
  it('is adopted once, by one of many instances: it gets the present functions, and keeps its data', async () => {
    const { url, client } = await oldDatabase();
    const contacts = await contactsIn(client);
    const results = await Promise.all(Array.from({ length: 6 }, () => migrateDatabase(url)));
    expect(results.flat()).toEqual([...laterNames, 'functions.sql', 'jobs.sql', 'triggers.sql']);
    expect((await recordedIn(client)).map(([name]) => name)).toEqual(names);
    expect(await readSchema(url)).toEqual(await readSchema(await createDatabase('migrated')));
    expect(contacts.length).toBeGreaterThan(1);
    expect(await contactsIn(client)).toEqual(contacts);
    expect(await migrateDatabase(url)).toEqual([]);
  });

  it('is adopted by the next start when the first could not apply the functions', async () => {
    const { url, client } = await oldDatabase();
    await client.query(
      `drop function dialled; create function dialled(text) returns integer language sql as 'select 1'`,
    );
    await expect(migrateDatabase(url)).rejects.toThrow(/^Migration functions.sql failed: /);
    await client.query('drop function dialled');
    // The last numbered file shares the transaction of the functions.
    expect(await migrateDatabase(url)).toEqual([...laterNames.slice(-1), 'functions.sql', 'jobs.sql', 'triggers.sql']);
    expect(await readSchema(url)).toEqual(await readSchema(await createDatabase('migrated')));
  });
});

it('an adopted database still gets the files that came after the present ones', async () => {
  const { client } = await oldDatabase();
  const here = listMigrations().filter(({ repeatable }) => !repeatable);
  const later = { name: '0007_later.sql', sql: '', checksum: '0' };
  const done = await bridgeOldMigrations(client, [...here, later], new Map(before));
  expect([...done.keys()]).toEqual(here.slice(0, 6).map(({ name }) => name));
  expect((await recordedIn(client)).map(([name]) => name)).toEqual([...done.keys()]);
});

describe('any other is refused, and nothing is changed', () => {
  const refusal = async (migrations: [string, string][]): Promise<string> => {
    const { url, client } = await oldDatabase(migrations);
    const schema = await readSchema(url);
    const message = await migrateDatabase(url).then(
      () => 'nothing was refused',
      (error: Error) => error.message,
    );
    expect(await recordedIn(client)).toEqual(migrations.toSorted());
    expect(await readSchema(url)).toEqual(schema);
    return message;
  };

  it.each([
    ['the first alone', before.slice(0, 1), 1],
    ['all but the last', before.slice(0, -1), 22],
    ['all but one in the middle', before.filter(([name]) => name !== before[11]![0]), 22],
  ])('where there is %s', async (_, migrations, count) => {
    expect(await refusal(migrations)).toMatch(
      new RegExp(
        `^This database has ${count} of the 23 former migrations. Nothing was changed. ` +
          'Run `muster migrate` of commit \\w{7} first, then this version; or export its contacts and import them into a new database$',
      ),
    );
  });

  it('where one was changed', async () => {
    const migrations = before.map(([name, checksum]): [string, string] => [
      name,
      name === before[4]![0] ? '0' : checksum,
    ]);
    expect(await refusal(migrations)).toBe(
      'Migration 0005_search.sql was changed after it was applied to this database',
    );
  });

  it('where another version added one', async () => {
    expect(await refusal([...before, ['0024_of_another.sql', '0']])).toBe(
      'This database was migrated by another version of Muster (0024_of_another.sql)',
    );
  });
});
