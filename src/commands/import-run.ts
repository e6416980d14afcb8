// Runs muster import: imports a file of contacts or of records, undoes an import, lists imports.
import { basename, isAbsolute, resolve } from 'node:path';
import { printDateTime } from '../../schema/graph/scalars.ts';
import type { MatchKey } from '../data/contact/upsert.ts';
import { type Begun, type Import, type ImportMode, listImports, readImport } from '../data/import/contacts.ts';
import { listAnalyzedTables, type RecordTypeName, tablesOfContacts } from '../data/import/record-types.ts';
import { undoImport } from '../data/import/undo.ts';
import { describeCommand } from '../data/noun/audit.ts';
import { runAndRollBack, type Space } from '../database/space.ts';
import type { ValueMap } from '../import/columns.ts';
import type { DayOrder } from '../import/days.ts';
import type { EncodingName } from '../import/encoding.ts';
import type { Progress } from '../import/rows.ts';
import type { RunOptions, Step } from '../import/run.ts';
import { Problem } from '../problem.ts';
import { type FileFormat, findFileFormat, parseId } from './arguments.ts';
import { workInSpace } from './database-url.ts';
import { explainCommandError } from './error-message.ts';
import { followImportSteps } from './import-report.ts';
import { createProgressBar, printNotice } from './progress-bar.ts';
import { runUntilStopped, StoppedBySignal } from './stopped.ts';
import { formatCount, formatMinute, printRows } from './table.ts';

/** Options that decide how a file is read. */
export interface ReadingOptions {
  format?: FileFormat;
  encoding: EncodingName;
  map?: Record<string, string>;
  values?: ValueMap;
  delimiter?: string;
  headerLine?: number;
  days: DayOrder;
  dates?: 'excel';
  ids?: true;
  country?: string;
  keepPlaceholders?: true;
  skipCells?: true;
}

interface FileImport extends ReadingOptions {
  space: number;
  user?: number;
  batch: number;
  dryRun?: true;
  resume?: true;
  faults?: string;
  rejects?: string;
}

export interface ContactsOptions extends FileImport {
  mode: ImportMode;
  key?: MatchKey;
  liftOptOuts?: true;
  consentSource?: string;
}

export interface RecordsOptions extends FileImport {
  contacts?: number;
  transactions?: number;
}

/** Explains an interrupted import and how to continue. After a signal the process exits with the code of that signal. */
const failInterrupted = (error: unknown, advice: string): never => {
  const message = `${explainCommandError(error)}\n${advice}`;
  if (!(error instanceof StoppedBySignal)) throw new Error(message, { cause: error });
  console.error(`muster: ${message}`);
  process.exit(error.exitCode);
};

interface ImportTask {
  space: Space;
  how: Awaited<ReturnType<typeof readFileOptions>>;
  progress: Progress;
  source: Pick<RunOptions<never>, 'name' | 'fingerprint' | 'by' | 'batch' | 'resume' | 'onBegin'>;
  /** Gathers statistics. A dry run does nothing: other sessions cannot see its rows. */
  gather(tables: readonly string[]): Promise<void>;
}

/** Throws when two options name the same file. */
const checkPaths = (...paths: (string | undefined)[]): void => {
  const named = paths.flatMap((path) => (path === undefined ? [] : [resolve(path)]));
  const twice = named.find((path, index) => named.indexOf(path) !== index);
  if (twice)
    throw new Error(
      `${twice} is named twice: the file to import, --faults and --rejects must be three different files`,
    );
};

/** The options of a file with its encoding, which is checked. */
export const readFileOptions = async (file: string, options: ReadingOptions) => {
  const { readFileEncoding } = await import('../import/rows.ts');
  const { map, values, delimiter, headerLine, days, dates, country, keepPlaceholders, skipCells } = options;
  return {
    format: options.format ?? findFileFormat(file) ?? 'csv',
    ...(await readFileEncoding(file, options.encoding)),
    ...{ map, values, delimiter, headerLine, days, dates, country, keepPlaceholders, skipCells },
  };
};

/** Imports a file with `steps` and prints the result. `describe` tells the counts of all its runs. `settings` are the further options that decide how the file is read. */
const importFile = async (
  file: string,
  options: FileImport,
  settings: object,
  steps: (task: ImportTask) => Promise<AsyncIterable<Step>>,
  describe: (done: Import) => string,
): Promise<void> => {
  const { space, user, batch, ids, faults, rejects, dryRun } = options;
  checkPaths(file, faults, rejects);
  // Imported on demand, since most commands do not need the graph.
  const { createProgress, computeFileFingerprint } = await import('../import/rows.ts');
  const how = await readFileOptions(file, options);
  const { fingerprint, size } = await computeFileFingerprint(file, { ...how, ids: ids ?? false, ...settings, batch });
  const progress = createProgress(printNotice);
  let begun: Begun | undefined;
  const onBegin = (one: Begun): void => {
    begun = one;
    if (one.finished || dryRun) return;
    printNotice(options.resume ? `continuing import ${one.id}` : `import ${one.id} begins`);
  };
  const source = { name: file, fingerprint, by: user ?? null, batch, resume: options.resume ?? false, onBegin };
  await workInSpace({ space, user }, async (own, database) => {
    const gather = async (tables: readonly string[]) => (dryRun ? undefined : database.gatherStatistics(tables));
    const run = async (within: Space): Promise<void> => {
      const running = await steps({ space: within, how, progress, source, gather });
      const sum = await followImportSteps(running, { size, progress, how, faults, rejects });
      const counts = [
        ...(progress.blank > 0 ? [['blank rows skipped', progress.blank] as const] : []),
        ...progress.counts,
      ];
      const blank = counts.map(([kind, count]) => `, ${formatCount(count)} ${kind}`).join('');
      if (!begun) return console.log(`0 rows in the file${blank}; nothing was written`);
      const done = await readImport(within, begun.id);
      if (done.refused > 0) process.exitCode = 1;
      const { created, updated, unchanged, refused } = done;
      const when = begun.finished ? 'finished before' : `in ${sum.seconds} s`;
      const what = dryRun ? 'dry run, nothing was written' : `import ${done.id}`;
      console.log(
        `${what}: ${formatCount(created + updated + unchanged + refused)} rows ${when}, ${describe(done)}, ${formatCount(refused)} rows rejected${blank}`,
      );
    };
    try {
      await (dryRun ? runAndRollBack(own, run) : run(own));
    } catch (error) {
      if (!begun || dryRun) failInterrupted(error, 'Nothing was written.');
      failInterrupted(
        error,
        `Import ${begun!.id} was interrupted. The batches that it has written are kept. To continue, run the same command with --resume. To undo it: muster import undo ${begun!.id} --space ${space}`,
      );
    }
  });
};

export const importContacts = (file: string, options: ContactsOptions): Promise<void> => {
  const { mode, ids, key, liftOptOuts, consentSource } = options;
  const steps = async ({ space, how, progress, source, gather }: ImportTask): Promise<AsyncIterable<Step>> => {
    const [{ readRowsForSpace }, { runImport, createContactWriting }] = await Promise.all([
      import('../import/contact-file.ts'),
      import('../import/run.ts'),
    ]);
    const rows = await readRowsForSpace(space, file, { ...how, ids: ids ?? false }, progress);
    const writing = createContactWriting(space, {
      mode,
      by: source.by,
      key,
      liftsOptOuts: liftOptOuts ?? false,
      consentSource,
    });
    return runImport(space, rows, { ...source, writing, onGrowth: () => gather(tablesOfContacts) });
  };
  return importFile(
    file,
    options,
    { mode, key, liftOptOuts, consentSource },
    steps,
    ({ created, updated, unchanged }) =>
      `${formatCount(created)} contacts created, ${formatCount(updated)} updated, ${formatCount(unchanged)} unchanged`,
  );
};

/** Throws when the space has no such import of this record type. */
const checkImport = async (space: Space, id: number | undefined, recordType: string) => {
  if (id === undefined) return;
  const found = await readImport(space, id);
  if (found.family !== recordType)
    throw new Error(`Import ${id} is an import of ${found.family}, not of ${recordType}`);
  if (found.purged_at)
    throw new Error(
      `Import ${id} has no ids of its file any more: they have been deleted, as RETENTION_IMPORT_DAYS says. Name contacts by their external id, mail or id`,
    );
};

export const importRecordsOf = (name: RecordTypeName, file: string, options: RecordsOptions): Promise<void> => {
  const { ids = false, contacts = null, transactions = null } = options;
  const whose = { ids, contacts, transactions };
  const steps = async ({ space, how, progress, source, gather }: ImportTask): Promise<AsyncIterable<Step>> => {
    await checkImport(space, options.contacts, 'contacts');
    await checkImport(space, options.transactions, 'transactions');
    const [{ readRecordRows }, { runImport, createRecordWriting }] = await Promise.all([
      import('../import/read-records.ts'),
      import('../import/run.ts'),
    ]);
    const rows = readRecordRows(file, name, { ...how, ...whose }, progress);
    const writing = createRecordWriting(space, name, { by: source.by, batch: source.batch, contacts, transactions });
    return runImport(space, rows, { ...source, writing, onGrowth: () => gather(listAnalyzedTables(name)) });
  };
  return importFile(
    file,
    options,
    { name, contacts, transactions },
    steps,
    ({ created }) => `${formatCount(created)} ${name} created`,
  );
};

export const undoImportById = async (
  text: string,
  { space, user }: { space: number; user?: number },
): Promise<void> => {
  const id = parseId(text);
  await workInSpace({ space, user }, async (rows) => {
    const { created, updated, family: recordType } = await readImport(rows, id);
    const bar = await createProgressBar(
      `{bar} {percentage}% | {value} of {total} ${recordType} | {eta_formatted} left`,
    );
    bar.start(created + updated, 0);
    const sum = { deleted: 0, restored: 0, left: 0 };
    try {
      for await (const step of runUntilStopped(
        undoImport(rows, id, user ?? null, describeCommand('undoImport', user)),
      )) {
        for (const key of ['deleted', 'restored', 'left'] as const) sum[key] += step[key];
        bar.update(sum.deleted + sum.restored + sum.left);
      }
    } catch (error) {
      bar.stop();
      if (error instanceof Problem && error.code === 'conflict') throw error;
      failInterrupted(error, `Import ${id} is only partly undone. To continue, run the same command again.`);
    }
    bar.stop();
    const restored = recordType.startsWith('contact') ? `, ${formatCount(sum.restored)} restored` : '';
    console.log(
      `import ${id} undone: ${formatCount(sum.deleted)} ${recordType} deleted${restored}, ${formatCount(sum.left)} kept because they were changed since`,
    );
  });
};

const describeState = ({ finished_at, undone_at }: Import): string =>
  undone_at ? 'undone' : finished_at ? 'finished' : 'not finished';

/** Prints the latest imports of a space. */
export const listSpaceImports = ({
  space: id,
  limit,
  json,
}: {
  space: number;
  limit: number;
  json?: true;
}): Promise<void> =>
  workInSpace({ space: id }, async (space) => {
    const { items, total } = await listImports(space, { limit, offset: 0 });
    const rows = items.map((one) => {
      const { id, family, name, created_at, created, updated, unchanged, refused } = one;
      return {
        id,
        family,
        name,
        begun: printDateTime(created_at),
        state: describeState(one),
        created,
        updated,
        unchanged,
        refused,
      };
    });
    printRows(
      rows,
      {
        IMPORT: ({ id }) => id,
        RECORDS: ({ family }) => family,
        FILE: ({ name }) => (isAbsolute(name) ? basename(name) : name),
        BEGUN: ({ begun }) => formatMinute(begun),
        STATE: ({ state }) => state,
        CREATED: ({ created }) => created,
        UPDATED: ({ updated }) => updated,
        UNCHANGED: ({ unchanged }) => unchanged,
        REFUSED: ({ refused }) => refused,
      },
      json,
    );
    if (total > items.length)
      console.error(`the latest ${formatCount(items.length)} of ${formatCount(total)}; use --limit for more`);
  });
