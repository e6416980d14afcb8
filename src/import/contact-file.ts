// Files of contacts in a space: what they say, what an import would do, and the import of an uploaded one. Every door calls this.
import { setImmediate as immediate } from 'node:timers/promises';
import { readSpace } from '../data/access/space.ts';
import { findBadValues } from '../data/contact/check-values.ts';
import type { UpsertWrite } from '../data/contact/patch.ts';
import { type ContactBatchOptions, finishAuditedImport } from '../data/import/contacts.ts';
import {
  endFileImport,
  findRunningImport,
  ImportEnded,
  type ImportFile,
  isFileImportRunning,
  keepRefusedRows,
  readFileContent,
} from '../data/import/import-file.ts';
import { tablesOfContacts } from '../data/import/record-types.ts';
import { isStillPermitted } from '../data/noun/reach.ts';
import type { Database } from '../database/database.ts';
import { runAndRollBack, type Space } from '../database/space.ts';
import { limits } from '../limits/limits.ts';
import { type Fault, shortenFault } from '../problem.ts';
import { knownColumns } from './columns.ts';
import { FileError } from './file-error.ts';
import { readForms } from './form-answers.ts';
import { recognizeColumns } from './headings.ts';
import { type ReadOptions, readContactRows } from './read-contacts.ts';
import { createProgress, type ImportedFile, type Progress, type Row, type RowFields, readFileRows } from './rows.ts';
import { createContactWriting, runImport } from './run.ts';

const { tried, read, faults: maxFaults, shownRows, cellCharacters } = limits.import;

/** The rows of a file, as the forms and the country of the space mean them. */
export const readRowsForSpace = async (
  space: Space,
  file: ImportedFile,
  options: ReadOptions,
  progress: Progress,
): Promise<AsyncGenerator<Row<UpsertWrite>>> => {
  const country = options.country ?? (await readSpace(space))?.default_country ?? undefined;
  // A column may be called `constructor`.
  const map = options.map && Object.assign(Object.create(null), options.map);
  return readContactRows(file, { ...options, map, country, readForms: () => readForms(space) }, progress);
};

const describeRecord = ({ content: { columns, address, addedTags }, formAnswers }: UpsertWrite): object => ({
  ...columns,
  ...(address && { address }),
  ...(addedTags && { tags: addedTags.map((tag) => tag.name) }),
  ...(formAnswers.length > 0 && { answers: formAnswers.map(({ label, id, value }) => ({ form: label ?? id, value })) }),
});

/** How the first rows of a file are read, with their faults and what is left out of them. Nothing is compared with the contacts of a space. */
export async function* inspectContactRows(rows: AsyncIterable<Row<UpsertWrite>>) {
  let left = shownRows;
  for await (const { line, record, faults, remarks = [], inFile } of rows) {
    // An import takes a bad value of a contact that has it already.
    const bad = record
      ? findBadValues(record.content).map(({ path, ...fault }) => inFile({ ...fault, location: path.join('.') }))
      : [];
    yield { line, record: record && describeRecord(record), faults: [...faults, ...bad, ...remarks].map(shortenFault) };
    left--;
    if (left === 0) return;
  }
}

/** Rows that are read before other work gets a turn of the event loop. */
const rowsPerTurn = 50;

/** How many rows the file has, how its columns are named, what they mean, and the texts of its first cells. */
export const describeColumns = async (
  file: ImportedFile,
  options: ReadOptions,
): Promise<{ rows: number; columns: { name: string; field: string | null; values: string[] }[] }> => {
  const first: RowFields[] = [];
  let rows = 0;
  const progress = createProgress(() => {});
  for await (const { fields } of readFileRows(file, options, progress)) {
    rows++;
    if (rows > limits.import.rows)
      throw new FileError(`The file has more than ${limits.import.rows} rows: divide it into several files`);
    if (rows <= shownRows) first.push(fields);
    if (rows % rowsPerTurn === 0) await immediate();
  }
  const names = Object.keys(first[0] ?? {});
  if (names.length > limits.import.columns)
    throw new FileError(`The file has ${names.length} columns, and may have ${limits.import.columns}`);
  const fields = new Map(
    options.map
      ? Object.entries(options.map)
      : recognizeColumns(names, knownColumns).columns.map((one) => [one.column, one.known]),
  );
  return {
    rows,
    columns: names.map((name) => {
      const field = fields.get(name);
      const values = first.map((row) => String(row[name] ?? '').slice(0, cellCharacters));
      return { name, field: field === undefined || field === '-' ? null : field, values };
    }),
  };
};

/** How rows become contacts. */
type Writing = Required<Pick<ContactBatchOptions, 'mode' | 'liftsOptOuts'>>;

/**
 * Tells what an import would do. The first rows are read, and the first of these are written in a transaction that is rolled back: others wait for its
 * locks, so it is short.
 */
export const tryContactRows = async (
  space: Space,
  rows: AsyncIterable<Row<UpsertWrite>>,
  writing: Writing,
  by: number,
) => {
  /** Faults of refused rows, and remarks on the others, each with its place in the file: the first ones. */
  const told: Record<'faults' | 'remarks', (Fault & { line: number })[]> = { faults: [], remarks: [] };
  const trial = { read: 0, tried: 0, created: 0, updated: 0, unchanged: 0, refused: 0, ...told };
  const tell = (list: 'faults' | 'remarks', line: number, found: readonly Fault[] = []): void => {
    trial[list].push(
      ...found.slice(0, maxFaults - trial[list].length).map((fault) => ({ line, ...shortenFault(fault) })),
    );
  };
  const first: Row<UpsertWrite>[] = [];
  const later: Row<UpsertWrite>[] = [];
  for await (const row of rows) {
    trial.read++;
    if (first.length < tried) first.push(row);
    else if (!row.record) {
      trial.refused++;
      if (later.length < maxFaults) later.push(row);
    }
    if (trial.read % rowsPerTurn === 0) await immediate();
    if (trial.read === read) break;
  }
  trial.tried = first.length;
  const source = { name: 'dry run', by, batch: tried, resume: false };
  await runAndRollBack(space, async (tx) => {
    for await (const step of runImport(tx, first, {
      ...source,
      writing: createContactWriting(tx, { ...writing, by }),
    })) {
      trial.created += step.created;
      trial.updated += step.updated;
      trial.refused += step.refused.length;
      trial.unchanged += step.rows - step.created - step.updated - step.refused.length;
      for (const { line, faults } of step.refused) tell('faults', line, faults);
      for (const { line, remarks } of step.remarked) tell('remarks', line, remarks);
    }
  });
  for (const { line, faults } of later) tell('faults', line, faults);
  return trial;
};

/** An uploaded file, as the readers of files take it. */
export const openImportFile = (space: Space, file: ImportFile): ImportedFile => ({
  name: file.name,
  read: () => readFileContent(space, file),
});

/** Rows of a batch: few, since those who stop or erase wait for the end of one. */
const batchSize = 500;

/** Goes on with the import of an uploaded file until it is done, `signal` aborts, or whoever began it may not import any more. Each batch is a transaction, so a process that is killed leaves none half done. */
export const continueFileImport = async (
  database: Database,
  { space: spaceId, file: id }: { space: number; file: number },
  signal: AbortSignal,
): Promise<void> => {
  const space = database.space(spaceId);
  const found = await findRunningImport(space, id);
  if (!found) return;
  const { file, begun } = found;
  const { mode, liftsOptOuts, ...options } = file.options as ReadOptions & Writing;
  let failure: string | null = null;
  try {
    const source = openImportFile(space, file);
    const isDone = (row: number): boolean => begun.done.has(row - ((row - 1) % batchSize));
    const progress = createProgress(() => {});
    const rows = await readRowsForSpace(space, source, { ...options, isDone }, progress);
    const running = runImport(space, rows, {
      name: file.name,
      by: file.user_id,
      batch: batchSize,
      resume: true,
      begun,
      writing: createContactWriting(space, { mode, liftsOptOuts, by: file.user_id }),
      onGrowth: () => database.gatherStatistics(tablesOfContacts),
      onRefused: async (tx, refused) => {
        await keepRefusedRows(tx, id, refused);
        if (!(await isStillPermitted(tx, file.user_id, 'imports.write')))
          throw new FileError('Whoever began the import may no longer import contacts');
      },
    });
    for await (const _ of running) if (signal.aborted) return;
  } catch (error) {
    // When it has ended meanwhile, its content is gone.
    if (error instanceof ImportEnded || !(await isFileImportRunning(space, id))) return;
    if (!(error instanceof FileError)) throw error;
    failure = error.message;
  }
  // Together, so that a process that is killed meanwhile leaves no import that ended without its failure.
  await space.transaction(async (tx) => {
    if (failure !== null) await finishAuditedImport(tx, id, file.user_id);
    await endFileImport(tx, id, failure);
  });
};
