// What muster import does: a file of contacts, a file of records, and undoing either.
import type { Database } from '../data/database.ts';
import { type Begun, type Import, type ImportMode, readImport } from '../data/import.ts';
import { undoImport } from '../data/import-undo.ts';
import type { FamilyName } from '../data/record-family.ts';
import type { DayOrder } from '../import/columns.ts';
import type { FileOptions } from '../import/rows.ts';
import type { RunOptions, Step } from '../import/run.ts';
import { Problem } from '../problem.ts';
import { wholeNumber } from './arguments.ts';
import { openDatabase } from './database-url.ts';
import { explain } from './explain.ts';
import { count, follow } from './import-report.ts';
import { progressBar } from './progress-bar.ts';
import { Stopped, untilStopped } from './stopped.ts';

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

/** Tells what became of an import that broke off, and how to go on; a signal ends the process as it would have done by itself. */
const breakOff = (error: unknown, left: string): never => {
  const message = `${explain(error)}\n${left}`;
  if (!(error instanceof Stopped)) throw new Error(message, { cause: error });
  console.error(`muster: ${message}`);
  process.exit(error.exitCode);
};

interface Work {
  database: Database;
  how: FileOptions;
  progress: { bytes: number };
  source: Pick<RunOptions<never>, 'name' | 'fingerprint' | 'by' | 'batch' | 'resume' | 'onBegin'>;
}

/** Describes the rows of an import, totalled over all its runs. */
type DescribeRows = (done: Import) => string;

/** Reads a file by `steps`, told what decides how it is read, and tells what came of it. */
const importFile = async (
  file: string,
  options: FileImport,
  known: object,
  steps: (work: Work) => Promise<AsyncIterable<Step>>,
  describe: DescribeRows,
): Promise<void> => {
  const { space, user, batch, map, encoding, days, ids, faults, dryRun } = options;
  // Loaded here, since most commands do without the graph.
  const { fingerprintOf } = await import('../import/rows.ts');
  const how: FileOptions = { format: options.format ?? formatOf(file), encoding, map };
  const { fingerprint, size } = await fingerprintOf(file, { ...how, days, ids: ids ?? false, ...known, batch });
  const database = await openDatabase(space);
  const progress = { bytes: 0 };
  let begun: Begun | undefined;
  const onBegin = (one: Begun): void => {
    begun = one;
    if (one.done.size > 0 && !one.finished) console.error(`going on with import ${one.id}`);
  };
  const source = { name: file, fingerprint, by: user ?? null, batch, resume: options.resume ?? false, onBegin };
  try {
    const sum = await follow(await steps({ database, how, progress, source }), { size, progress, faults });
    if (sum.refused > 0) process.exitCode = 1;
    if (!begun) {
      const what = dryRun ? `read in ${sum.seconds} s, ${count(sum.refused)} with faults` : 'in the file';
      return console.log(`${count(sum.rows)} rows ${what}; nothing was written`);
    }
    const done = await readImport(database.space(space), begun.id);
    if (done.refused > 0) process.exitCode = 1;
    const { created, updated, unchanged, refused } = done;
    const when = begun.finished ? 'done already' : `in ${sum.seconds} s`;
    console.log(
      `import ${done.id}: ${count(created + updated + unchanged + refused)} rows ${when}, ${describe(done)}, ${count(refused)} rows left out`,
    );
  } catch (error) {
    if (!begun) breakOff(error, 'Nothing was written.');
    breakOff(
      error,
      `Import ${begun!.id} was cut off. The batches that it has written are kept. To go on with it, run the same command with --resume; to take it back: muster import undo ${begun!.id} --space ${space}`,
    );
  } finally {
    await database.close();
  }
};

export const importContacts = (file: string, options: ContactsOptions): Promise<void> => {
  const { space, mode, days, ids, dryRun } = options;
  const steps = async ({ database, how, progress, source }: Work): Promise<AsyncIterable<Step>> => {
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
  };
  return importFile(
    file,
    options,
    { mode },
    steps,
    ({ created, updated, unchanged }) =>
      `${count(created)} contacts created, ${count(updated)} updated, ${count(unchanged)} unchanged`,
  );
};

/** Throws when the import is not one of this family in the space. */
const checkImport = async (database: Database, space: number, id: number | undefined, family: string) => {
  if (id === undefined) return;
  const found = await readImport(database.space(space), id);
  if (found.family !== family) throw new Error(`The import ${id} is one of ${found.family}, not of ${family}`);
};

export const importRecordsOf = (name: FamilyName, file: string, options: RecordsOptions): Promise<void> => {
  const { space, days, ids = false, contacts = null, transactions = null, dryRun } = options;
  const whose = { ids, contacts, transactions };
  const steps = async ({ database, how, progress, source }: Work): Promise<AsyncIterable<Step>> => {
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
  };
  return importFile(
    file,
    options,
    { name, contacts, transactions },
    steps,
    ({ created }) => `${count(created)} ${name} created`,
  );
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
    try {
      for await (const step of untilStopped(undoImport(rows, id, user ?? null))) {
        for (const key of ['deleted', 'restored', 'left'] as const) sum[key] += step[key];
        bar.update(sum.deleted + sum.restored + sum.left, {});
      }
    } catch (error) {
      bar.stop();
      if (error instanceof Problem && error.code === 'conflict') throw error;
      breakOff(error, `Import ${id} is undone in part. To go on, run the same command again.`);
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
