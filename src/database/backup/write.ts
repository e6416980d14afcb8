// Writes a backup: all rows of one moment, while the database serves.
import { createHash } from 'node:crypto';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { quoteNames, readSequences, readTables, type StoredTable } from './catalogue.ts';
import {
  digestText,
  formatPartName,
  formatVersion,
  type Manifest,
  manifestName,
  type TableContent,
  type Trailer,
  trailerName,
} from './format.ts';
import { matchMigrations, readAppliedMigrations } from './session.ts';
import { formatTarEntry, tarEnd } from './tar.ts';

/** In bytes: the size from which a part of a table is written. */
const partSize = 1024 * 1024;

export interface BackupOptions {
  /** The version of Muster, for the manifest. */
  version: string;
  /** Tables that are derived from the others, and left out. */
  derived: readonly string[];
  /** Reports the size of what is read so far, of `total` bytes. */
  onProgress?(progress: { table: string; done: number; total: number }): void;
  /** Reports tables that are not Muster's, and left out. */
  onForeign?(names: string[]): void;
}

export const buildCopyQuery = ({ name, columns, isPartitioned }: Omit<StoredTable, 'isLogged' | 'size'>): string =>
  isPartitioned
    ? `copy (select ${quoteNames(columns)} from ${quoteNames([name])}) to stdout`
    : `copy ${quoteNames([name])} (${quoteNames(columns)}) to stdout`;

/**
 * Begins a transaction that sees one moment. The tables are locked before its snapshot is taken, against changes of the schema alone: a
 * table that is rewritten later would look empty to an older snapshot.
 */
const beginSnapshot = async (client: pg.Client, { derived, onForeign }: BackupOptions) => {
  const readState = async () => {
    const applied = await readAppliedMigrations(client);
    if (!applied?.length) throw new Error('This is no database of Muster: there is nothing to back up');
    const migrations = matchMigrations(applied, 'This database');
    return { migrations, ...(await readTables(client, migrations, derived)) };
  };
  const before = await readState();
  await client.query('begin transaction isolation level repeatable read, read only');
  await client.query(
    `lock table schema_migrations, ${quoteNames(before.kept.map(({ name }) => name))} in access share mode`,
  );
  const state = await readState();
  const shapeOf = ({ kept }: typeof state): string => JSON.stringify(kept.map(({ name, columns }) => [name, columns]));
  if (shapeOf(state) !== shapeOf(before)) throw new Error('The schema changed just now: try again');
  if (state.foreign.length > 0) onForeign?.(state.foreign);
  return state;
};

/** Yields the archive, which is not compressed. */
export async function* writeBackup(client: pg.Client, options: BackupOptions): AsyncGenerator<Buffer> {
  const { kept, migrations } = await beginSnapshot(client, options);
  const now = new Date();
  const { rows: server } = await client.query(
    "select split_part(current_setting('server_version'), ' ', 1) as version",
  );
  const manifest: Manifest = {
    format: 'muster-backup',
    formatVersion,
    muster: options.version,
    createdAt: now.toISOString(),
    postgresql: server[0].version,
    migrations: migrations.map(({ name, checksum }) => ({ name, checksum })),
    tables: kept.map(({ name, columns }) => ({ name, columns })),
  };
  const formatJson = (value: object): Buffer => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
  const manifestText = formatJson(manifest);
  yield formatTarEntry(manifestName, manifestText, now);
  const total = kept.reduce((sum, { size }) => sum + size, 0);
  const contents: Record<string, TableContent> = {};
  let before = 0;
  for (const table of kept) {
    const { name, size } = table;
    const report = (bytes: number): void =>
      options.onProgress?.({ table: name, done: before + Math.min(bytes, size), total });
    report(0);
    contents[name] = yield* writeTable(client, table, now, report);
    before += size;
  }
  const sequences = await readSequences(
    client,
    kept.map(({ name }) => name),
  );
  await client.query('commit');
  const trailer: Trailer = { manifest: digestText(manifestText), tables: contents, sequences };
  yield formatTarEntry(trailerName, formatJson(trailer), now);
  yield tarEnd;
}

async function* writeTable(
  client: pg.Client,
  table: StoredTable,
  now: Date,
  report: (bytes: number) => void,
): AsyncGenerator<Buffer, TableContent> {
  const stream = client.query(copyTo(buildCopyQuery(table)));
  const hash = createHash('sha256');
  let [waiting, length, bytes, part]: [Buffer[], number, number, number] = [[], 0, 0, 0];
  const takePart = (): Buffer => {
    const text = Buffer.concat(waiting);
    [waiting, length, part] = [[], 0, part + 1];
    return formatTarEntry(formatPartName(table.name, part), text, now);
  };
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    hash.update(chunk);
    waiting.push(chunk);
    length += chunk.length;
    bytes += chunk.length;
    if (length < partSize) continue;
    report(bytes);
    yield takePart();
  }
  if (length > 0) yield takePart();
  return { rows: stream.rowCount, bytes, sha256: hash.digest('hex') };
}
