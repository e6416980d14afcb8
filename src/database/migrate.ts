// Applies the SQL files that bring a database up to this version, in transactions, in one process at a time, while others read and write.
// Numbered files are applied once, in order, forward only. The files of functions and triggers are applied again when they change.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { openClient, useClient } from './open-client.ts';
import { locatePackageFile } from './package-file.ts';
import { isDistributed, placingSettings, planPlaces } from './places.ts';

export interface Migration {
  name: string;
  sql: string;
  checksum: string;
  /** Whether it is applied again when its text has changed. */
  repeatable: boolean;
}

/** The migrations of this version in order, numbered ones first. */
export const listMigrations = (): Migration[] => {
  const folder = locatePackageFile('migrations/');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => {
      const sql = readFileSync(new URL(name, folder), 'utf8');
      const checksum = createHash('sha256').update(sql).digest('hex');
      return { name, sql, checksum, repeatable: !/^\d/.test(name) };
    });
};

/** The key of the advisory lock: a random number, so that no other program uses it. */
export const migrationLock = 7_063_842_111;

export const createMigrationTable =
  'create table if not exists schema_migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now())';

/** The files that were applied to a database, in order; undefined when it is no database of Muster. */
export const readAppliedFiles = async (
  client: pg.Client,
): Promise<Pick<Migration, 'name' | 'checksum'>[] | undefined> => {
  const { rows } = await client.query(`select to_regclass('schema_migrations') is not null as there`);
  if (!rows[0].there) return undefined;
  return (await client.query('select name, checksum from schema_migrations order by name collate "C"')).rows;
};

interface MigrateOptions {
  /** Told the name of each file that was applied, and how many are still to be. */
  onApply?: (name: string, left: number) => void;
  /** Told what a migration waits for. */
  onWait?: (text: string) => void;
}

/**
 * Brings the database up to this version, and returns the names of the applied files. Many instances may call it at the same time: one works,
 * the others wait and find nothing left to do. Throws for a database that other migrations created.
 */
export const migrateDatabase = (url: string, options: MigrateOptions = {}): Promise<string[]> =>
  useClient(url, 'muster migrate', async (client) => {
    await requireServer(client);
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    // A database that takes no writes is used as it is: nothing is created where the table is there.
    const found = await readAppliedFiles(client);
    if (!found) await client.query(createMigrationTable);
    const done = new Map(found?.map(({ name, checksum }) => [name, checksum]));
    const here = listMigrations();
    refuseUnknownMigrations(here, done);
    const pending = here.filter(({ name, checksum, repeatable }) =>
      repeatable ? done.get(name) !== checksum : !done.has(name),
    );
    const applied: string[] = [];
    const onCluster = await isDistributed(client);
    for (const migrations of groupByTransaction(pending)) {
      await repeatWhileLocked(url, client, () => applyMigrations(client, migrations, onCluster), options.onWait);
      for (const { name } of migrations) {
        applied.push(name);
        options.onApply?.(name, pending.length - applied.length);
      }
    }
    return applied;
  });

/** Throws for a server that is too old, and for a database that cannot store or compare every text. None can be mended later. */
export const requireServer = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query("select cast(current_setting('server_version_num') as int) as version");
  if (rows[0].version < 150_000) throw new Error('Muster needs PostgreSQL 15 or newer');
  const { rows: texts } = await client.query(describeTexts);
  const fault = findTextFault(texts[0]);
  if (fault) throw new Error(`${fault}: ${textCure}`);
};

/** How a database stores and compares texts. */
export const describeTexts = `select current_setting('server_encoding') as encoding, lower('É') = 'é' as "knowsCase"`;

/** Why a database cannot store every text, or finds no name by another spelling of its letters. */
export const findTextFault = (texts: { encoding: string; knowsCase: boolean }): string | undefined => {
  if (texts.encoding !== 'UTF8') return `The encoding of the database is ${texts.encoding}, and Muster needs UTF8`;
  return texts.knowsCase ? undefined : 'The locale of the database knows no capital letters but A to Z';
};

/** `template1` has the encoding of the server. The locale must fit the new one. */
export const textCure = 'create another with "createdb --template template0 --encoding UTF8 --locale C.UTF-8 muster"';

/** The version that has a numbered migration which this one lacks. Ours replaced some, whose numbers they have. */
export const describeOtherVersion = (migration: string): string =>
  migration > listMigrations().findLast(({ repeatable }) => !repeatable)!.name
    ? `a newer version of Muster, with the migration ${migration}: use that version, or a later one`
    : `an early version of Muster, with the migration ${migration}, which this one cannot upgrade: export its contacts with that version`;

const refuseUnknownMigrations = (here: Migration[], done: Map<string, string>): void => {
  const changed = here.find(
    ({ name, checksum, repeatable }) => !repeatable && done.has(name) && done.get(name) !== checksum,
  );
  if (changed) throw new Error(`Migration ${changed.name} was changed after it was applied to this database`);
  const known = new Set(here.map(({ name }) => name));
  // An older version may have had a file that was applied again when it changed, and is gone.
  const unknown = [...done.keys()].find((name) => /^\d/.test(name) && !known.has(name));
  if (unknown) throw new Error(`This database is of ${describeOtherVersion(unknown)}`);
};

/**
 * Each numbered file has its own transaction. Repeatable files share that of the last numbered one, so that functions fit the tables before
 * other sessions see the change.
 */
const groupByTransaction = (pending: Migration[]): Migration[][] => {
  const numbered = pending.filter(({ repeatable }) => !repeatable);
  const last = [...numbered.slice(-1), ...pending.filter(({ repeatable }) => repeatable)];
  return [...numbered.slice(0, -1).map((one) => [one]), ...(last.length > 0 ? [last] : [])];
};

/**
 * In milliseconds: how long a migration waits for a lock while writers wait for those that it has, and how long they go on before it tries again. The
 * first is less than PostgreSQL waits before it looks for a deadlock and ends somebody's transaction.
 */
const tries = { waitMs: 500, pauseMs: 1500, lookMs: 100 };

const applyMigrations = async (client: pg.Client, migrations: Migration[], onCluster: boolean): Promise<void> => {
  try {
    await client.query(`begin; set local lock_timeout = ${tries.waitMs}`);
    if (onCluster) for (const setting of placingSettings) await client.query(setting);
    else await lockChangedTables(client, migrations);
    await runMigrations(client, migrations, onCluster);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
};

/** The statements that lock a table, with its name. */
const changedTables =
  /^(alter table|create or replace trigger \w+\s+(?:before|after) [\w ,]*? on|drop trigger if exists \w+ on) (\w+)/gm;

/**
 * Locks the tables that the files alter, and then those whose triggers they replace, in the order of the files, which is that of writers. All at
 * once, so that writers wait for the work itself, and never for a lock that comes late.
 */
const lockChangedTables = async (client: pg.Client, migrations: readonly Migration[]): Promise<void> => {
  const found = migrations.flatMap(({ sql }) => [...sql.matchAll(changedTables)]);
  const altered = new Set(found.flatMap(([, verb, name]) => (verb === 'alter table' ? [name!] : [])));
  const others = new Set(found.flatMap(([, , name]) => (altered.has(name!) ? [] : [name!])));
  await client.query(`set local statement_timeout = ${tries.waitMs}`);
  for (const [names, mode] of [
    [altered, 'access exclusive'],
    [others, 'share row exclusive'],
  ] as const) {
    const { rows } = await client.query(
      'select quote_ident(name) as name from unnest(cast($1 as text[])) with ordinality t (name, place) where to_regclass(name) is not null order by place',
      [[...names]],
    );
    if (rows.length > 0) await client.query(`lock table ${rows.map(({ name }) => name).join(', ')} in ${mode} mode`);
  }
  await client.query('set local statement_timeout = 0');
};

/** SQLSTATE of a lock that did not come in time, the last one that of all locks together. */
const lockFailures = /^(55P03|40P01|57014)$/;

/** Repeats work from its beginning while others hold what it needs. In between, those who wait for it go on. */
const repeatWhileLocked = async (
  url: string,
  client: pg.Client,
  work: () => Promise<void>,
  onWait: (text: string) => void = () => {},
): Promise<void> => {
  let watch: Awaited<ReturnType<typeof watchBlockers>> | undefined;
  try {
    for (let told = ''; ; await sleep(tries.pauseMs)) {
      try {
        return await work();
      } catch (error) {
        const { code = '' } = error as { code?: string };
        if (!lockFailures.test(code)) throw error;
      }
      watch ??= await watchBlockers(url, client);
      if (watch.found !== told) onWait(watch.found);
      told = watch.found;
    }
  } finally {
    await watch?.close();
  }
};

/** Those who hold what the session `$1` waits for, the oldest transaction first. */
const blockersSql = `
  select a.pid, concat_ws(', ', nullif(a.application_name, ''), a.state) as program, a.xact_start as since,
         (select string_agg(distinct cast(cast(l.relation as regclass) as text), ', ') from pg_locks l
           where l.pid = a.pid and l.granted and l.relation in (select w.relation from pg_locks w where w.pid = $1 and not w.granted)) as tables
    from pg_stat_activity a
   where a.pid = any(pg_blocking_pids($1)) order by a.xact_start limit 3`;

/** Looks, over a connection of its own, what another session waits for. */
const watchBlockers = async (url: string, watched: pg.Client) => {
  const { rows } = await watched.query('select pg_backend_pid() as pid');
  const client = await openClient(url, 'muster migrate');
  const watch = {
    /** The text of the last look. */
    found: '',
    close: async (): Promise<void> => {
      clearInterval(timer);
      await client.end().catch(() => {});
    },
  };
  const look = async (): Promise<void> => {
    const { rows: blockers } = await client.query(blockersSql, [rows[0].pid]);
    const texts = blockers.map(
      ({ pid, program, since, tables }) =>
        `process ${pid} (${program}) that holds ${tables ?? 'rows'}, since ${since?.toISOString() ?? 'an unknown time'}`,
    );
    if (texts.length > 0) watch.found = `waiting for ${texts.join(', and ')}`;
  };
  const timer = setInterval(() => look().catch(() => {}), tries.lookMs);
  return watch;
};

/** Throws for a database that lacks migrations of this version. */
export const requireMigrated = async (client: pg.Client): Promise<void> => {
  const done = await readAppliedFiles(client);
  const lacking = listMigrations().find(
    ({ name, checksum }) => !done?.some((one) => one.name === name && one.checksum === checksum),
  );
  if (lacking)
    throw new Error(`The database lacks migration ${lacking.name} of this version: run "muster migrate" first`);
};

/**
 * Runs files in the transaction of the caller. On a cluster statement by statement, since Citus sends each to the nodes; tables that a numbered
 * file creates get their places before the functions and triggers that use them.
 */
export const runMigrations = async (
  client: pg.Client,
  migrations: readonly Migration[],
  onCluster = false,
): Promise<void> => {
  for (const { name, sql, checksum, repeatable } of migrations) {
    try {
      for (const statement of onCluster ? splitStatements(sql) : [sql]) await client.query(statement);
      if (onCluster && !repeatable) for (const step of await planPlaces(client)) await client.query(step.sql);
      await client.query(
        `insert into schema_migrations (name, checksum) values ($1, $2)
           on conflict (name) do update set checksum = excluded.checksum, applied_at = excluded.applied_at`,
        [name, checksum],
      );
    } catch (error) {
      // It keeps its code, by which a command gives advice.
      throw Object.assign(error as Error, { message: `Migration ${name} failed: ${(error as Error).message}` });
    }
  }
};

/** The openings of parts in which a semicolon ends no statement: comments, strings, names, and bodies between dollar quotes. */
const openings = /--|\/\*|'|"|\$\w*\$|;/g;
/** Their endings. All other parts end as they begin. */
const endings: Record<string, string> = { '--': '\n', '/*': '*/' };

/** The statements of a script, without the semicolons between them. Parts with comments alone are left out. */
export const splitStatements = (script: string): string[] => {
  const statements: string[] = [];
  let start = 0;
  let isComment = true;
  const add = (end: number): void => {
    if (!isComment) statements.push(script.slice(start, end).trim());
    start = end + 1;
    isComment = true;
  };
  for (let read = 0; read < script.length; ) {
    openings.lastIndex = read;
    const { 0: mark, index } = openings.exec(script) ?? { 0: ';', index: script.length };
    const inside = index + mark.length;
    if (script.slice(read, index).trim() !== '' || !(mark === ';' || mark in endings)) isComment = false;
    if (mark === ';') add(index);
    const ending = endings[mark] ?? mark;
    const end = mark === ';' ? index : script.indexOf(ending, inside);
    read = end < 0 ? script.length : end + ending.length;
  }
  add(script.length);
  return statements;
};
