// Restores a backup into an empty database or a scratch one, in one transaction: an interrupted restore leaves the database as it was.

import { createHash } from 'node:crypto';
import { finished } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { isValuesFault } from '../driver-error.ts';
import { forgetPositionsSql } from '../gate.ts';
import {
  createMigrationTable,
  listMigrations,
  type Migration,
  migrationLock,
  requireServer,
  runMigrations,
} from '../migrate.ts';
import { useClient } from '../open-client.ts';
import {
  findFilledTables,
  putObstaclesAside,
  quoteNames,
  readTables,
  type StoredTable,
  type StoredTables,
  setSequences,
} from './catalogue.ts';
import { type BackupReader, DamagedBackup, type Manifest, type TableContent, type Trailer } from './format.ts';
import { matchMigrations, readAppliedMigrations } from './session.ts';
import { buildCopyQuery } from './write.ts';

/** The comment by which a scratch database that was left behind is known, so that no other database is ever dropped. */
const mark = 'scratch database of muster restore --verify';

/** The address of another database of the same server, as the driver reads it: it leaves `%40` and its like encoded, and the path of `socket:` is a folder. */
export const changeDatabase = (url: string, name: string): string => {
  const changed = new URL(url);
  if (changed.protocol === 'socket:') changed.searchParams.set('db', name);
  else changed.pathname = `/${encodeURI(name)}`;
  return changed.href;
};

/** Drops the scratch database of a verification that was killed. Throws when another database has its name. */
const dropLeftOver = async (admin: pg.Client, name: string): Promise<void> => {
  const { rows } = await admin.query(
    `select shobj_description(oid, 'pg_database') as comment from pg_database where datname = $1`,
    [name],
  );
  if (rows.length === 0) return;
  if (rows[0].comment !== mark)
    throw new Error(`The database ${name} exists: it would be the scratch database. Rename or drop it`);
  await admin.query(`drop database ${pg.escapeIdentifier(name)} with (force)`);
};

/** Runs work in a new, empty database of the same owner. Its role must be allowed to create databases. */
export const useScratchDatabase = <Result>(
  { url, adminUrl }: { url: string; adminUrl: string },
  work: (url: string) => Promise<Result>,
): Promise<Result> =>
  useClient(adminUrl, 'muster restore', async (admin) => {
    const { rows } = await admin.query('select current_database() as database');
    const name = `${rows[0].database.slice(0, 48)}_muster_verify`;
    const key = createHash('sha256').update(name).digest().readInt32BE();
    const { rows: lock } = await admin.query('select pg_try_advisory_lock($1) as free', [key]);
    if (!lock[0].free) throw new Error('Another verification is under way on this server');
    await dropLeftOver(admin, name);
    const quoted = pg.escapeIdentifier(name);
    const owner = decodeURIComponent(new URL(url).username);
    const create = (locale: string) =>
      admin.query(
        `create database ${quoted} template template0 encoding 'UTF8' ${locale} ${owner ? `owner ${pg.escapeIdentifier(owner)}` : ''}`,
      );
    await create("locale 'C.UTF-8'")
      // A machine without that locale: the server's own may do.
      .catch((error) => (['42809', '22023'].includes(error.code) ? create('') : Promise.reject(error)))
      .catch((error) => {
        if (error.code !== '42501') throw error;
        throw new Error(
          'The role of DATABASE_URL may not create databases: name one that may, or restore into a new database of your own',
          { cause: error },
        );
      });
    try {
      await admin.query(`comment on database ${quoted} is ${pg.escapeLiteral(mark)}`);
      return await work(changeDatabase(url, name));
    } finally {
      await admin.query(`drop database ${quoted} with (force)`);
    }
  });

interface RestoreOptions {
  /** Tables that are derived from the others. They are emptied, and then filled by `derive`. */
  derived: readonly string[];
  derive(client: pg.Client): Promise<void>;
  /** Reads all rows once more after they were loaded, and compares their digests. */
  readsAgain?: boolean;
  onStep?(step: 'rows' | 'indexes' | 'reading again' | 'search rows' | 'statistics', table?: string): void;
}

export interface Restored {
  manifest: Manifest;
  /** By table. */
  tables: Record<string, TableContent>;
}

/** Throws unless the database is empty, and no newer than the backup. Returns the migrations that the backup has and the database lacks. */
const findMissingMigrations = async (
  client: pg.Client,
  manifest: Manifest,
  derived: readonly string[],
): Promise<Migration[]> => {
  const wanted = matchMigrations(manifest.migrations, 'The backup');
  const applied = await readAppliedMigrations(client);
  if (!applied) {
    await client.query(createMigrationTable);
    return wanted;
  }
  const done = matchMigrations(applied, 'This database');
  const { kept } = await readTables(client, done, derived);
  const names = kept.map(({ name }) => name);
  if (names.length > 0) await client.query(`lock table ${quoteNames(names)} in access exclusive mode`);
  const filled = await findFilledTables(client, names);
  if (filled.length > 0) throw new DatabaseNotEmpty(filled);
  if (done.length > wanted.length)
    throw new Error(
      `The database is empty, but has a later schema (${done.at(-1)!.name}) than the backup: restore into a new database. The restore migrates it afterwards`,
    );
  return wanted.slice(done.length);
};

export class DatabaseNotEmpty extends Error {
  constructor(tables: string[]) {
    super(`The database has data (${tables.slice(0, 5).join(', ')}${tables.length > 5 ? ', …' : ''})`);
  }
}

/** The tables of the backup in the database. Throws when they are not the same. */
const matchTables = ({ kept }: StoredTables, { tables }: Manifest): Map<string, StoredTable> => {
  const known = new Map(kept.map((table) => [table.name, table]));
  const isSame = ({ name, columns }: Manifest['tables'][number]): boolean =>
    columns.toSorted().join() === known.get(name)?.columns.toSorted().join();
  if (tables.length !== known.size || !tables.every(isSame))
    throw new DamagedBackup('its tables are not those of its migrations');
  return new Map(tables.map(({ name, columns }) => [name, { ...known.get(name)!, columns }]));
};

/** Loads the rows of all tables, and returns what was loaded of each. */
const loadTables = async (
  client: pg.Client,
  { pieces }: BackupReader,
  tables: ReadonlyMap<string, StoredTable>,
  onTable: (name: string) => void,
): Promise<Record<string, TableContent>> => {
  const contents: Record<string, TableContent> = {};
  for (const name of tables.keys()) contents[name] = { rows: 0, bytes: 0, sha256: createHash('sha256').digest('hex') };
  let open: { name: string; add(text: Buffer): Promise<void>; close(): Promise<TableContent> } | undefined;
  const finish = async (): Promise<void> => {
    if (open) contents[open.name] = await open.close();
  };
  for await (const { table, text } of pieces) {
    if (open?.name !== table) {
      await finish();
      const found = tables.get(table);
      if (!found || contents[table]!.bytes > 0) throw new DamagedBackup(`it has rows of ${table} where none should be`);
      onTable(table);
      open = openTable(client, found);
    }
    await open.add(text);
  }
  await finish();
  return contents;
};

const openTable = (client: pg.Client, { name, columns }: StoredTable) => {
  const stream = client.query(copyFrom(`copy ${quoteNames([name])} (${quoteNames(columns)}) from stdin`));
  const hash = createHash('sha256');
  let bytes = 0;
  const done = finished(stream);
  // The next piece reports it.
  done.catch(() => {});
  return {
    name,
    add: async (text: Buffer): Promise<void> => {
      hash.update(text);
      bytes += text.length;
      await Promise.race([
        new Promise<void>((resolve, reject) => stream.write(text, (error) => (error ? reject(error) : resolve()))),
        done,
      ]);
    },
    close: async (): Promise<TableContent> => {
      stream.end();
      await done;
      return { rows: stream.rowCount, bytes, sha256: hash.digest('hex') };
    },
  };
};

/** Throws when what was read is not what was written. */
const compareContents = (read: Record<string, TableContent>, { tables }: Trailer, where: string): void => {
  const wrong = Object.keys(read).filter(
    (name) => read[name]!.rows !== tables[name]?.rows || read[name]!.sha256 !== tables[name]?.sha256,
  );
  if (wrong.length > 0) throw new DamagedBackup(`${where} of ${wrong.join(', ')} are not those that were written`);
};

const readTablesAgain = async (
  client: pg.Client,
  tables: Iterable<StoredTable>,
): Promise<Record<string, TableContent>> => {
  const contents: Record<string, TableContent> = {};
  for (const table of tables) {
    const stream = client.query(copyTo(buildCopyQuery(table)));
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      hash.update(chunk);
      bytes += chunk.length;
    }
    contents[table.name] = { rows: stream.rowCount, bytes, sha256: hash.digest('hex') };
  }
  return contents;
};

/** Runs work whose statements fail only when the rows are not those that were written. */
const blameBackup = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    if (!isValuesFault(error)) throw error;
    throw new DamagedBackup('the database refuses its rows', error);
  }
};

/** Restores a backup. Throws when the database has data, and when the backup is damaged; then nothing was changed. */
export const restoreBackup = async (
  client: pg.Client,
  backup: BackupReader,
  options: RestoreOptions,
): Promise<Restored> => {
  const { manifest } = backup;
  const { derived, onStep = () => {} } = options;
  await requireServer(client);
  await client.query('begin');
  // Servers that start meanwhile wait for this lock before they migrate.
  await client.query('select pg_advisory_xact_lock($1)', [migrationLock]);
  await client.query("set local maintenance_work_mem = '256MB'; set local synchronous_commit = on");
  const missing = await findMissingMigrations(client, manifest, derived);
  await runMigrations(client, missing);
  const stored = await readTables(client, listMigrations(), derived);
  const tables = matchTables(stored, manifest);
  const restoreObstacles = await putObstaclesAside(client, [...tables.keys()]);
  // The tables that are kept have no rows, but perhaps space that an interrupted restore has used.
  await client.query(`truncate ${quoteNames([...tables.keys(), ...stored.emptied])}`);
  const contents = await blameBackup(() => loadTables(client, backup, tables, (table) => onStep('rows', table)));
  const trailer = backup.readTrailer();
  compareContents(contents, trailer, 'the rows');
  if (options.readsAgain) {
    onStep('reading again');
    compareContents(await readTablesAgain(client, tables.values()), trailer, 'the restored rows');
  }
  onStep('indexes');
  await blameBackup(restoreObstacles);
  await setSequences(client, trailer.sequences);
  const applied = new Set(manifest.migrations.map(({ name }) => name));
  await runMigrations(
    client,
    listMigrations().filter(({ name }) => !applied.has(name)),
  );
  const now = await readTables(client, listMigrations(), derived);
  onStep('statistics');
  await client.query(`analyze ${quoteNames(now.kept.map(({ name }) => name))}`);
  onStep('search rows');
  await options.derive(client);
  await client.query(forgetPositionsSql);
  await client.query('commit');
  // Again, and of all: PostgreSQL counts the rows of a transaction as changes after the statistics that it made itself, and may do so a second later,
  // unless it is told to. Autovacuum does what is left when this is stopped.
  const names = quoteNames([...now.kept.map(({ name }) => name), ...now.emptied]);
  for (const sql of ['select pg_stat_force_next_flush()', `analyze ${names}`]) await client.query(sql).catch(() => {});
  return { manifest, tables: contents };
};
