// What muster import does: a file of contacts, a file of records, and undoing either.
import type { Database } from '../data/database.ts';
import { type ImportMode, readImport } from '../data/import.ts';
import { undoImport } from '../data/import-undo.ts';
import type { FamilyName } from '../data/record-family.ts';
import type { DayOrder } from '../import/columns.ts';
import type { FileOptions } from '../import/rows.ts';
import type { Step } from '../import/run.ts';
import { wholeNumber } from './arguments.ts';
import { openDatabase } from './database-url.ts';
import { count, follow, type Sum } from './import-report.ts';
import { progressBar } from './progress-bar.ts';

interface FileImport {
  space: number;
  user?: number;
  format?: 'csv' | 'ndjson';
  encoding: 'utf8' | 'latin1';
  map?: Record<string, string>;
  days: DayOrder;
  ids?: true;
  batch: number;
  dryRun?: true;
  resume?: true;
  faults?: string;
}

export interface ContactsOptions extends FileImport {
  mode: ImportMode;
}

export interface RecordsOptions extends FileImport {
  contacts?: number;
  transactions?: number;
}

const formatOf = (file: string): 'csv' | 'ndjson' => (/\.(nd)?jsonl?(\.gz)?$/i.test(file) ? 'ndjson' : 'csv');

/** Reads a file by `steps`, told what decides how it is read, and tells what came of it. */
const importFile = async (
  file: string,
  options: FileImport,
  known: object,
  steps: (work: {
    database: Database;
    how: FileOptions;
    progress: { bytes: number };
    source: { name: string; fingerprint: Buffer; by: number | null; batch: number; resume: boolean };
  }) => Promise<AsyncIterable<Step & { id?: number }>>,
): Promise<Sum> => {
  const { space, user, batch, map, encoding, days, ids } = options;
  // Loaded here, since most commands do without the graph.
  const { fingerprintOf } = await import('../import/rows.ts');
  const how: FileOptions = { format: options.format ?? formatOf(file), encoding, map };
  const { fingerprint, size } = await fingerprintOf(file, { ...how, days, ids: ids ?? false, ...known, batch });
  const database = await openDatabase(space);
  const progress = { bytes: 0 };
  const source = { name: file, fingerprint, by: user ?? null, batch, resume: options.resume ?? false };
  try {
    const sum = await follow(await steps({ database, how, progress, source }), {
      size,
      progress,
      faults: options.faults,
    });
    if (sum.refused > 0) process.exitCode = 1;
    if (options.dryRun)
      console.log(
        `${count(sum.rows)} rows read in ${sum.seconds} s, ${count(sum.refused)} with faults; nothing was written`,
      );
    return sum;
  } finally {
    await database.close();
  }
};

const said = ({ id, rows, seconds }: Sum): string => `import ${id}: ${count(rows)} rows in ${seconds} s`;

export const importContacts = async (file: string, options: ContactsOptions): Promise<void> => {
  const { space, mode, days, ids, dryRun } = options;
  const sum = await importFile(file, options, { mode }, async ({ database, how, progress, source }) => {
    const [{ readRows }, { runImport, contactsInto }] = await Promise.all([
      import('../import/read.ts'),
      import('../import/run.ts'),
    ]);
    const rows = readRows(file, { ...how, days, ids: ids ?? false }, progress);
    const read = async function* () {
      for await (const { row, faults } of rows)
        yield { rows: 1, created: 0, updated: 0, refused: faults.length > 0 ? [{ row, faults }] : [] };
    };
    if (dryRun) return read();
    const writing = contactsInto(database.space(space), { mode, by: source.by });
    const grown = () => database.gatherStatistics();
    return runImport(database.space(space), rows, { ...source, writing, grown });
  });
  if (!dryRun)
    console.log(
      `${said(sum)}, ${count(sum.created)} contacts created, ${count(sum.updated)} updated, ${count(sum.refused)} rows left out`,
    );
};

/** Throws when the import is not one of this family in the space. */
const checkImport = async (database: Database, space: number, id: number | undefined, family: string) => {
  if (id === undefined) return;
  const found = await readImport(database.space(space), id);
  if (found.family !== family) throw new Error(`The import ${id} is one of ${found.family}, not of ${family}`);
};

export const importRecordsOf = async (name: FamilyName, file: string, options: RecordsOptions): Promise<void> => {
  const { space, days, ids = false, contacts = null, transactions = null, dryRun } = options;
  const whose = { ids, contacts, transactions };
  const sum = await importFile(file, options, { name, contacts, transactions }, async (work) => {
    const { database, how, progress, source } = work;
    await checkImport(database, space, options.contacts, 'contacts');
    await checkImport(database, space, options.transactions, 'transactions');
    const [{ readRecords }, { rehearse, runImport, recordsInto }] = await Promise.all([
      import('../import/read-records.ts'),
      import('../import/run.ts'),
    ]);
    const rows = readRecords(file, name, { ...how, ...whose, days }, progress);
    const { by, batch } = source;
    if (dryRun) return rehearse(database.space(space), name, rows, { by, batch, contacts, transactions });
    const writing = recordsInto(database.space(space), name, { by, batch, contacts, transactions });
    const grown = () => database.gatherStatistics(name);
    return runImport(database.space(space), rows, { ...source, writing, grown });
  });
  if (!dryRun) console.log(`${said(sum)}, ${count(sum.created)} ${name} created, ${count(sum.refused)} rows left out`);
};

export const undo = async (text: string, { space, user }: { space: number; user?: number }): Promise<void> => {
  const id = wholeNumber(0, Number.MAX_SAFE_INTEGER)(text);
  const database = await openDatabase(space);
  try {
    const rows = database.space(space);
    const { created, updated, family } = await readImport(rows, id);
    const bar = await progressBar(`{bar} {percentage}% | {value} of {total} ${family} | {eta_formatted} left`);
    bar.start(created + updated, {});
    const sum = { deleted: 0, restored: 0, left: 0 };
    for await (const step of undoImport(rows, id, user ?? null)) {
      for (const key of ['deleted', 'restored', 'left'] as const) sum[key] += step[key];
      bar.update(sum.deleted + sum.restored + sum.left, {});
    }
    bar.stop();
    const restored = family === 'contacts' ? `, ${count(sum.restored)} as they were before` : '';
    console.log(
      `import ${id} undone: ${count(sum.deleted)} ${family} deleted${restored}, ${count(sum.left)} left as somebody has changed them since`,
    );
  } finally {
    await database.close();
  }
};
