// Runs an import: writes rows in batches, concurrently where their order allows it, and records each batch.
import { setImmediate as immediate } from 'node:timers/promises';
import type { Unfollowed } from '../data/contact/keep-consent.ts';
import type { UpsertWrite } from '../data/contact/patch.ts';
import type { SavedRecord } from '../data/contact/save.ts';
import {
  type BatchPosition,
  type Begun,
  beginAuditedImport,
  type ContactBatchOptions,
  finishAuditedImport,
  importContactBatch,
} from '../data/import/contacts.ts';
import type { RefusedRow } from '../data/import/import-file.ts';
import { type RecordTypeName, recordTypes } from '../data/import/record-types.ts';
import { importRecords, type RecordOptions, type RecordWrite } from '../data/import/records.ts';
import type { Space } from '../database/space.ts';
import type { Fault, Problem } from '../problem.ts';
import { type Row, wholeRow } from './rows.ts';

/** A record that is written: what it says and is not followed, and another contact of its name. */
type Written = Pick<SavedRecord, 'id'> & Partial<Pick<SavedRecord, 'unfollowed' | 'namesake'>>;

/** The result of each record of a batch, in order, and how many were created and updated. */
interface BatchResult {
  results: (Written | { problem: Problem })[];
  created: number;
  updated: number;
}

/** Writes the batches of one record type. */
interface BatchWriter<Record> {
  recordType: string;
  /** The number of concurrent batches: more than one if no row depends on an earlier row. */
  maxConcurrent: number;
  /** Returns undefined when another process has written the batch. */
  write(records: Record[], position: Required<BatchPosition>): Promise<BatchResult | undefined>;
  /** Explains a problem that means more for this record than its message says. */
  explainProblem?(problem: Problem, record: Record): Fault | undefined;
}

/** Writes contacts. Upserts run in order, since a row may match the contact of an earlier row. */
export const createContactWriting = (
  space: Space,
  { consentSource, ...options }: ContactBatchOptions & { consentSource?: string | undefined },
): BatchWriter<UpsertWrite> => ({
  recordType: 'contacts',
  maxConcurrent: options.mode === 'create' ? 2 : 1,
  write: (records, position) =>
    importContactBatch(
      space,
      records.map((record) => ({ ...record, consentSource })),
      { ...position, ...options },
    ),
  explainProblem: ({ code }, { content }) =>
    code === 'conflict' && typeof content.columns.external_id === 'string'
      ? { location: 'external_id', message: 'belongs to another contact; --key external_id would match that contact' }
      : undefined,
});

/**
 * Writes records of one type. Notes run in order, since the last pinned note wins. Large batches run in order, since a batch waits for
 * the contact locks of another only as long as the lock timeout allows.
 */
export const createRecordWriting = (
  space: Space,
  name: RecordTypeName,
  { batch, ...options }: RecordOptions & { batch: number },
): BatchWriter<RecordWrite> => ({
  recordType: name,
  maxConcurrent: name === 'notes' || batch > 1000 ? 1 : 2,
  write: (records, position) => importRecords(space, recordTypes.get(name)!, records, { ...position, ...options }),
});

export interface RunOptions<Record> {
  name: string;
  fingerprint?: Buffer;
  by: number | null;
  batch: number;
  resume: boolean;
  writing: BatchWriter<Record>;
  /** An import that has begun elsewhere. */
  begun?: Begun;
  /** Called for the refused rows of each batch, in its transaction. Only imports of contacts call it. */
  onRefused?(tx: Space, refused: RefusedRow[]): Promise<void>;
  /** Called as soon as the import has an id. It also says whether the import was finished before. */
  onBegin?(begun: Begun): void;
  /** Called when the tables have grown tenfold. */
  onGrowth?(): Promise<void>;
}

/**
 * Counts created records, and calls `onGrowth` once there are 500, and each time when there are ten times as many: query plans for few rows are slow
 * for many.
 */
export const watchGrowth = (onGrowth: (() => Promise<void>) | undefined) => {
  let [all, next] = [0, 500];
  return async (created: number): Promise<void> => {
    all += created;
    if (all < next) return;
    next = all * 10;
    await onGrowth?.();
  };
};

/** A row that is written without a part of it. */
export type Remarked = Pick<Row<never>, 'line' | 'remarks'>;

/** The result of one batch. */
export interface Step {
  rows: number;
  created: number;
  updated: number;
  refused: RefusedRow[];
  remarked: Remarked[];
}

interface Batch<Record> {
  firstRow: number;
  rows: (Row<Record> & { record: Record })[];
  refused: RefusedRow[];
}

/** Rows that are read before other work gets a turn of the event loop. */
const rowsPerTurn = 20;

/** Groups rows into batches of equal size, faulty rows included: an import is continued by the first row of each batch. */
async function* groupIntoBatches<Record>(
  rows: AsyncIterable<Row<Record>> | Iterable<Row<Record>>,
  size: number,
): AsyncGenerator<Batch<Record>> {
  let batch: Batch<Record> | undefined;
  for await (const one of rows) {
    const { row, record } = one;
    batch ??= { firstRow: row, rows: [], refused: [] };
    if (record) batch.rows.push({ ...one, record });
    else batch.refused.push(one);
    // The previous batch is being written: its next statement starts only after the event loop has read the last result.
    if (row % rowsPerTurn === 0) await immediate();
    if (row - batch.firstRow + 1 < size) continue;
    yield batch;
    batch = undefined;
  }
  if (batch) yield batch;
}

const unfollowedRemarks: Record<Unfollowed, Fault> = {
  black_list: {
    location: 'black_list',
    message: 'stays true: whoever opted out is opted in by --lift-opt-outs, or by a user',
  },
  consents: { location: 'consents', message: 'has a later answer than this one, which is left out' },
};

const listRemarks = ({ unfollowed = [], namesake }: Written): Fault[] => [
  ...unfollowed.map((one) => unfollowedRemarks[one]),
  ...(namesake === undefined
    ? []
    : [{ location: 'mail', message: `is not that of contact ${namesake}, of the same name: a possible duplicate` }]),
];

/** The rows that could not be read, and those that the database refused. */
const listRefused = <Record>(
  { rows, refused }: Batch<Record>,
  results: readonly BatchResult['results'][number][],
  { explainProblem }: BatchWriter<Record>,
): RefusedRow[] => {
  const more = results.flatMap((one, index): RefusedRow[] => {
    if (!('problem' in one)) return [];
    const { problem } = one;
    const { record, inFile, ...row } = rows[index]!;
    const own = explainProblem?.(problem, record);
    const faults = own ? [own] : (problem.errors ?? [{ location: wholeRow, message: problem.message }]);
    return [{ ...row, faults: faults.map(inFile) }];
  });
  return [...refused, ...more].sort((one, other) => one.row - other.row);
};

const createStep = <Record>(
  batch: Batch<Record>,
  result: BatchResult | undefined,
  writing: BatchWriter<Record>,
): Step => {
  const { rows, refused } = batch;
  const all = rows.length + refused.length;
  if (!result) return { rows: all, created: 0, updated: 0, refused, remarked: [] };
  return {
    rows: all,
    created: result.created,
    updated: result.updated,
    refused: listRefused(batch, result.results, writing),
    remarked: rows.flatMap(({ line, inFile, remarks = [] }, index): Remarked[] => {
      const one = result.results[index]!;
      if ('problem' in one) return [];
      const told = [...remarks, ...listRemarks(one).map(inFile)];
      return told.length > 0 ? [{ line, remarks: told }] : [];
    }),
  };
};

/**
 * Writes all rows, and yields after each batch. With `resume` it continues an interrupted import of the same content and skips the batches
 * that it has written.
 */
export async function* runImport<Record>(
  space: Space,
  rows: AsyncIterable<Row<Record>> | Iterable<Row<Record>>,
  { by, batch: size, resume, onGrowth, onBegin, onRefused, writing, begun: elsewhere, ...source }: RunOptions<Record>,
): AsyncGenerator<Step> {
  let begun: Begun | undefined;
  const write = async (batch: Batch<Record>, { id, done }: Begun): Promise<Step> => {
    const { firstRow, rows: readable, refused } = batch;
    if (done.has(firstRow)) return createStep(batch, undefined, writing);
    const position: Required<BatchPosition> = {
      id,
      firstRow,
      refused: refused.length,
      keys: readable.map(({ key }) => key ?? null),
      settle: async (tx, results) => onRefused?.(tx, listRefused(batch, results, writing)),
    };
    const records = readable.map(({ record }) => record);
    return createStep(batch, await writing.write(records, position), writing);
  };
  const running: Promise<Step>[] = [];
  const countCreated = watchGrowth(onGrowth);
  const next = async (): Promise<Step> => {
    const step = await running.shift()!;
    await countCreated(step.created);
    return step;
  };
  try {
    for await (const batch of groupIntoBatches(rows, size)) {
      // A file that cannot be read at all leaves no trace.
      if (!begun) {
        begun = elsewhere ?? (await beginAuditedImport(space, { ...source, by, family: writing.recordType }, resume));
        onBegin?.(begun);
      }
      if (begun.finished) return;
      if (running.length >= writing.maxConcurrent) yield await next();
      const writes = write(batch, begun);
      // The loop awaits it later. Until then a rejection must not count as unhandled.
      writes.catch(() => {});
      running.push(writes);
    }
    while (begun && running.length > 0) yield await next();
  } finally {
    await Promise.allSettled(running);
  }
  if (begun) await finishAuditedImport(space, begun.id, by);
}
