// SQL injection would reach the database of Muster, and no more: its role on the embedded PostgreSQL is no superuser, in old clusters too.
import fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDemoPlan } from '../../packages/demo-data/index.ts';
import { owner, superuser } from '../../packages/embedded-server/owner-role.ts';
import { findEmbedded } from '../../packages/embedded-server/server.ts';
import { seedDatabase } from '../../src/commands/seed.ts';
import { tablesOfContacts } from '../../src/data/import/record-types.ts';
import { Database } from '../../src/database/database.ts';
import { migrateDatabase } from '../../src/database/migrate.ts';
import { createTempFolder, isRoot, queryDatabase, startCluster } from './clusters.ts';

/** Objects in the schema public that have another owner, apart from extensions, and the kinds of objects that exist. */
const owners = `
  with objects (class, id, kind, role) as (
    select 'pg_class'::regclass, oid, 'class ' || relkind::text, relowner from pg_class where relnamespace = 'public'::regnamespace
    union all select 'pg_proc'::regclass, oid, 'routine', proowner from pg_proc where pronamespace = 'public'::regnamespace
    union all select 'pg_type'::regclass, oid, 'type ' || typtype::text, typowner from pg_type where typnamespace = 'public'::regnamespace
    union all select 'pg_statistic_ext'::regclass, oid, 'statistics', stxowner from pg_statistic_ext where stxnamespace = 'public'::regnamespace
  )
  select kind, count(*)::int as there, count(*) filter (where role <> '${owner}'::regrole)::int as strange from objects
   where not exists (select from pg_depend where classid = class and objid = id and deptype = 'e')
   group by kind order by kind`;

const rights = `select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls, current_user as name from pg_roles where rolname = current_user`;
const none = { rolsuper: false, rolcreaterole: false, rolcreatedb: false, rolreplication: false, rolbypassrls: false };

/** All that Muster needs from a database when it serves and when it migrates. */
const use = async (url: string): Promise<void> => {
  const database = new Database(url, { poolSize: 2 });
  try {
    await database.gatherStatistics(tablesOfContacts);
    expect(await database.missingSettings()).toEqual([]);
    expect(await database.hasSpace(1)).toBe(true);
    expect(
      (await database.readers.knex.raw('select count(*)::int as n from search_rows(1, array[1, 2, 3])')).rows,
    ).toHaveLength(1);
  } finally {
    await database.close();
  }
  // Migrations do this.
  await queryDatabase(
    url,
    `begin; alter table contacts add column extra text; create index on contacts (extra);
     create or replace function email_rows(space bigint, contacts bigint[]) returns setof contact_emails language sql stable as 'select * from contact_emails';
     drop statistics answers_refs; truncate rate_buckets; rollback`,
  );
};

test('the role of Muster can neither read files, nor run programs, nor create roles and databases', async () => {
  const server = await startCluster(createTempFolder());
  try {
    await migrateDatabase(server.url);
    await seedDatabase(server.url, createDemoPlan(5, 1));
    expect(await queryDatabase(server.url, rights)).toEqual([{ ...none, name: owner }]);
    for (const text of [
      `copy contacts to program 'id'`,
      `select pg_read_file('pg_hba.conf')`,
      `select lo_import('/etc/passwd')`,
      'create role another superuser',
      `alter role ${owner} superuser`,
      `alter role ${superuser} password 'known'`,
      'create database another',
      `set role ${superuser}`,
      `alter system set log_statement = 'all'`,
      `set log_min_messages = 'debug1'`,
      'select rolpassword from pg_authid',
    ])
      await expect(queryDatabase(server.url, text), text).rejects.toMatchObject({ code: '42501' });
    expect((await queryDatabase(server.url, owners)).filter(({ strange }) => strange > 0)).toEqual([]);
    await use(server.url);
  } finally {
    await server.stop();
  }
});

test('a cluster of an earlier version, owned by the superuser, is given to the owner with all its objects', async () => {
  const folder = createTempFolder();
  const old = await startCluster(folder);
  const asSuperuser = async (database: string) => (await findEmbedded(folder, database, superuser))!;
  // An earlier version created it so: without the role, and with a database of the superuser, who migrated it.
  await queryDatabase(await asSuperuser('postgres'), 'drop database muster with (force)');
  await queryDatabase(await asSuperuser('postgres'), 'create database muster');
  await migrateDatabase(await asSuperuser('muster'));
  await seedDatabase(await asSuperuser('muster'), createDemoPlan(20, 1));
  await queryDatabase(
    await asSuperuser('muster'),
    `create type mood as enum ('good'); create domain odd as int check (value % 2 = 1); create sequence lone; create schema "own Schema";
     create materialized view "own Schema"."Some View" as select 1 as one; create procedure nothing() language sql as ''`,
  );
  const [before] = await queryDatabase(
    await asSuperuser('muster'),
    'select md5(string_agg(c::text, id::text)) as all from contacts c',
  );
  await old.stop();
  fs.rmSync(join(folder, 'pg-owner-password'));

  for (const attached of [false, true]) {
    const server = await startCluster(folder);
    const other = attached ? await startCluster(folder) : undefined;
    expect(await queryDatabase(server.url, rights)).toEqual([{ ...none, name: owner }]);
    const found = await queryDatabase(server.url, owners);
    expect(found.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['class S', 'class p', 'class r', 'class v', 'routine', 'statistics', 'type d', 'type e']),
    );
    expect(found.filter(({ strange }) => strange > 0)).toEqual([]);
    expect(
      await queryDatabase(
        server.url,
        `select nspowner::regrole::text as name from pg_namespace where nspname = 'own Schema'`,
      ),
    ).toEqual([{ name: owner }]);
    await queryDatabase(server.url, 'refresh materialized view "own Schema"."Some View"');
    expect(await queryDatabase(server.url, 'select md5(string_agg(c::text, id::text)) as all from contacts c')).toEqual(
      [before],
    );
    expect(await migrateDatabase(server.url)).toEqual([]);
    await use(server.url);
    await other?.stop();
    await server.stop();
  }
});

test('an interrupted change of owners leaves all as it was, and the next start completes it', async () => {
  const folder = createTempFolder();
  const first = await startCluster(folder);
  const admin = (await findEmbedded(folder, 'muster', superuser))!;
  await queryDatabase(admin, `create table kept as select 42 as answer; alter database muster owner to ${superuser}`);
  // A crash leaves this: the role exists, may not log in, and does not own what it should.
  await queryDatabase(admin, `alter role ${owner} nologin createdb password null`);
  await first.stop();
  fs.rmSync(join(folder, 'pg-owner-password'));
  const again = await startCluster(folder);
  expect(await queryDatabase(again.url, rights)).toEqual([{ ...none, name: owner }]);
  await queryDatabase(again.url, 'alter table kept add more int');
  expect(await queryDatabase(again.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  await again.stop();
});

test('the files in the data folder are for its owner alone, whatever the umask', async () => {
  const folder = join(createTempFolder(), 'new', 'data');
  const before = process.umask(0);
  try {
    const server = await startCluster(folder);
    const modeOf = (name: string) => fs.statSync(join(folder, name)).mode & 0o777;
    // When run as root, the OS user of PostgreSQL can pass through it, and nobody else.
    expect(modeOf('')).toBe(isRoot ? 0o710 : 0o700);
    expect(modeOf('pg')).toBe(0o700);
    for (const name of ['pg-password', 'pg-owner-password', 'pg-port', 'pg.log'])
      expect([name, modeOf(name)]).toEqual([name, 0o600]);
    await server.stop();
    fs.chmodSync(join(folder, 'pg.log'), 0o644);
    await (await startCluster(folder)).stop();
    expect(modeOf('pg.log')).toBe(0o600);
  } finally {
    process.umask(before);
  }
});
