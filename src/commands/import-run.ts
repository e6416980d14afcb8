// Runs muster import: imports a file of contacts or of records, undoes an import, lists imports.
import { basename, isAbsolute, resolve } from 'node:path';
import { printDateTime } from '../../schema/graph/scalars.ts';
import type { UpsertWrite } from '../data/contact/patch.ts';
import type { MatchKey } from '../data/contact/upsert.ts';
import { type Begun, type Import, type ImportMode, listImports, readImport } from '../data/import/contacts.ts';
import { type RecordTypeName, tablesOfContacts } from '../data/import/record-types.ts';
import type { RecordWrite } from '../data/import/records.ts';
import { undoImport } from '../data/import/undo.ts';
import { describeCommand } from '../data/noun/audit.ts';
import { runAndRollBack, type Space } from '../database/space.ts';
import type { DayOrder } from '../import/days.ts';
import type { Encoded, EncodingName } from '../import/encoding.ts';
import type { ReadOptions } from '../import/read-contacts.ts';
import type { Progress, Row } from '../import/rows.ts';
import type { RunOptions } from '../import/run.ts';
import { Problem } from '../problem.ts';
import { findFileFormat, parseId } from './arguments.ts';
import { workInSpace } from './database-url.ts';
import { explainCommandError } from './error-message.ts';
import { followImportSteps } from './import-report.ts';
import { printNotice, showProgress } from './progress-bar.ts';
import { runUntilStopped, StoppedBySignal } from './stopped.ts';
import { formatCount, formatMinute, printRows } from './table.ts';

/** Options that decide how a file is read. */
export interface ReadingOptions extends Partial<Omit<ReadOptions, keyof Encoded | 'days'>> {
  encoding: EncodingName;
  days: DayOrder;
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

/** Opens a file for a space: its rows, how they are written, and the tables that grow with them. */
type OpenFile<Record> = (
  space: Space,
  how: Awaited<ReturnType<typeof readFileOptions>>,
  progress: Progress,
) => Promise<Pick<RunOptions<Record>, 'writing'> & { rows: AsyncIterable<Row<Record>>; tables: readonly string[] }>;

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

/** Imports a file and prints the result. `describe` tells the counts of all its runs. `settings` are the further options that decide how the file is read. */
const importFile = async <Record>(
  file: string,
  options: FileImport,
  settings: object,
  open: OpenFile<Record>,
  describe: (done: Import) => string,
): Promise<void> => {
  const { space, user, batch, ids, faults, rejects, dryRun } = options;
  checkPaths(file, faults, rejects);
  // Imported on demand, since most commands do not need the graph.
  const [{ createProgress, computeFileFingerprint }, { runImport }] = await Promise.all([
    import('../import/rows.ts'),
    import('../import/run.ts'),
  ]);
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
    const run = async (within: Space): Promise<void> => {
      const { rows, writing, tables } = await open(within, how, progress);
      // Other sessions cannot see the rows of a dry run.
      const onGrowth = dryRun ? undefined : () => database.gatherStatistics(tables);
      const running = runImport(within, rows, { ...source, writing, onGrowth });
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
      // Somebody has undone it meanwhile: there is nothing to go on with.
      if (begun && error instanceof Problem && error.code === 'conflict') throw error;
      const advice =
        !begun || dryRun
          ? 'Nothing was written.'
          : `Import ${begun.id} was interrupted. The batches that it has written are kept. To continue, run the same command with --resume. To undo it: muster import undo ${begun.id} --space ${space}`;
      failInterrupted(error, advice);
    }
  });
};

export const importContacts = (file: string, options: ContactsOptions): Promise<void> => {
  const { mode, user: by = null, ids = false, key, liftOptOuts, consentSource } = options;
  const open: OpenFile<UpsertWrite> = async (space, how, progress) => {
    const [{ readRowsForSpace }, { createContactWriting }] = await Promise.all([
      import('../import/contact-file.ts'),
      import('../import/run.ts'),
    ]);
    return {
      rows: await readRowsForSpace(space, file, { ...how, ids }, progress),
      writing: createContactWriting(space, { mode, by, key, liftsOptOuts: liftOptOuts ?? false, consentSource }),
      tables: tablesOfContacts,
    };
  };
  return importFile(
    file,
    options,
    { mode, key, liftOptOuts, consentSource },
    open,
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
  const { ids = false, user: by = null, batch, contacts = null, transactions = null } = options;
  const open: OpenFile<RecordWrite> = async (space, how, progress) => {
    await checkImport(space, options.contacts, 'contacts');
    await checkImport(space, options.transactions, 'transactions');
    const [{ readRecordRows }, { createRecordWriting }] = await Promise.all([
      import('../import/read-records.ts'),
      import('../import/run.ts'),
    ]);
    return {
      rows: readRecordRows(file, name, { ...how, ids, contacts, transactions }, progress),
      writing: createRecordWriting(space, name, { by, batch, contacts, transactions }),
      tables: [name, 'import_records', 'import_keys'],
    };
  };
  return importFile(
    file,
    options,
    { name, contacts, transactions },
    open,
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
    const format = `{bar} {percentage}% | {value} of {total} ${recordType} | {eta_formatted} left`;
    const steps = undoImport(rows, id, user ?? null, describeCommand('undoImport', user));
    const sum = { deleted: 0, restored: 0, left: 0 };
    await showProgress(format, async (bar) => {
      bar.start(created + updated, 0);
      for await (const step of runUntilStopped(steps)) {
        for (const key of ['deleted', 'restored', 'left'] as const) sum[key] += step[key];
        bar.update(sum.deleted + sum.restored + sum.left);
      }
    }).catch((error) => {
      if (error instanceof Problem && error.code === 'conflict') throw error;
      failInterrupted(error, `Import ${id} is only partly undone. To continue, run the same command again.`);
    });
    const restored = recordType.startsWith('contact') ? `, ${formatCount(sum.restored)} restored` : '';
    console.log(
      `import ${id} undone: ${formatCount(sum.deleted)} ${recordType} deleted${restored}, ${formatCount(sum.left)} kept because they were changed since`,
    );
  });
};

const describeState = ({ finished_at, undone_at }: Pick<Import, 'finished_at' | 'undone_at'>): string =>
  undone_at ? 'undone' : finished_at ? 'finished' : 'not finished';

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
    const rows = items.map(({ id, family, name, created_at, created, updated, unchanged, refused, ...times }) => {
      const [begun, state] = [printDateTime(created_at), describeState(times)];
      return { id, family, name, begun, state, created, updated, unchanged, refused };
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
