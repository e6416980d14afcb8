// Runs an import: rows in batches, so many at once as their order allows, each batch with its trace.
import { setImmediate as immediate } from 'node:timers/promises';
import type { UpsertWrite } from '../data/contact/patch.ts';
import type { MatchKey } from '../data/contact/upsert.ts';
import { type Begun, beginImport, finishImport, type ImportMode, importContactBatch } from '../data/import/contacts.ts';
import { type RecordTypeName, recordTypes } from '../data/import/record-types.ts';
import { importRecords, type RecordOptions, type RecordWrite } from '../data/import/records.ts';
import type { Space } from '../database/space.ts';
import type { Fault, Problem } from '../problem.ts';
import { type Row, wholeRow } from './rows.ts';

/** What became of the records of a batch, each at its place, and how many were created, updated and refused in all. */
interface Done {
  results: ({ id: number } | { problem: Problem })[];
  created: number;
  updated: number;
}

/** Where a batch begins, and of which import it is. */
interface At {
  id: number;
  firstRow: number;
  refused: number;
  /** The id of each record in its file. */
  keys: (string | null)[];
}

/** How the records of a batch are written; undefined when somebody else has done it. */
export interface Writing<Record> {
  family: string;
  /** Batches that are written at once: more than one where no row depends on a row before it. */
  atOnce: number;
  write(records: Record[], at: At): Promise<Done | undefined>;
  /** What is wrong with a record, where a problem means more than it says. */
  faultIn?(problem: Problem, record: Record): Fault | undefined;
}

/** Contacts; an upsert may mean a row before it, so these go in order. */
export const createContactWriting = (
  space: Space,
  { mode, by, key }: { mode: ImportMode; by: number | null; key: MatchKey | null },
): Writing<UpsertWrite> => ({
  family: 'contacts',
  atOnce: mode === 'create' ? 2 : 1,
  write: (records, at) => importContactBatch(space, records, { ...at, mode, by, key }),
  faultIn: ({ code }, { content }) =>
    code === 'conflict' && typeof content.columns.external_id === 'string'
      ? { location: 'external_id', message: 'is that of another contact; --key external_id would mean that one' }
      : undefined,
});

/**
 * Records of a family. Of notes the last one that pins itself is pinned, so these go in order; and so do large batches, since one
 * waits for the contacts of another for as long as the database lets it, and no longer.
 */
export const createRecordWriting = (
  space: Space,
  name: RecordTypeName,
  { batch, ...options }: RecordOptions & { batch: number },
): Writing<RecordWrite> => ({
  family: name,
  atOnce: name === 'notes' || batch > 1000 ? 1 : 2,
  write: (records, at) => importRecords(space, recordTypes.get(name)!, records, { ...at, ...options }),
});

export interface RunOptions<Record> {
  name: string;
  fingerprint: Buffer;
  by: number | null;
  batch: number;
  resume: boolean;
  writing: Writing<Record>;
  /** Called with its id as soon as it has one, and whether all of it was done before. */
  onBegin?(begun: Begun): void;
  /** Called when there are about so many times as many rows as before: plans for few rows are no plans for many. */
  grown?(): Promise<void>;
}

/** Rows after which the tables have grown: 500, and ten times as many each time. */
const firstGrowth = 500;

/** Rows that were left out, with their faults by the columns of the file. */
export type Refused = Pick<Row<never>, 'row' | 'line' | 'text' | 'faults'>;

/** How far an import has come. */
export interface Step {
  rows: number;
  created: number;
  updated: number;
  refused: Refused[];
}

interface Batch<Record> {
  firstRow: number;
  rows: (Row<Record> & { record: Record })[];
  refused: Refused[];
}

/** Rows that are read in one go. */
const turn = 20;

/** Rows in batches of the same size each time, whatever is wrong with some: where a batch begins is how it is known again. */
async function* batchesOf<Record>(rows: AsyncIterable<Row<Record>>, size: number): AsyncGenerator<Batch<Record>> {
  let batch: Batch<Record> | undefined;
  for await (const one of rows) {
    const { row, record } = one;
    batch ??= { firstRow: row, rows: [], refused: [] };
    if (record) batch.rows.push({ ...one, record });
    else batch.refused.push(one);
    // The batch before is being written: its statements follow one another no sooner than they are heard of.
    if (row % turn === 0) await immediate();
    if (row - batch.firstRow + 1 < size) continue;
    yield batch;
    batch = undefined;
  }
  if (batch) yield batch;
}

/** What came of a batch, with the rows that the database refused among those that could not be read. */
const stepOf = <Record>(
  { rows, refused }: Batch<Record>,
  result: Done | undefined,
  { faultIn }: Writing<Record>,
): Step => {
  const all = rows.length + refused.length;
  if (!result) return { rows: all, created: 0, updated: 0, refused };
  const more = result.results.flatMap((one, index): Refused[] => {
    if (!('problem' in one)) return [];
    const { problem } = one;
    const { record, inFile, ...row } = rows[index]!;
    const own = faultIn?.(problem, record);
    const faults = own ? [own] : (problem.errors ?? [{ location: wholeRow, message: problem.message }]);
    return [{ ...row, faults: faults.map(inFile) }];
  });
  return {
    rows: all,
    created: result.created,
    updated: result.updated,
    refused: [...refused, ...more].sort((one, other) => one.row - other.row),
  };
};

/**
 * Writes all rows; yields after each batch. With `resume` it goes on with an import of the same content that was cut off: its
 * batches are read past.
 */
export async function* runImport<Record>(
  space: Space,
  rows: AsyncIterable<Row<Record>>,
  { by, batch: size, resume, grown, onBegin, writing, ...source }: RunOptions<Record>,
): AsyncGenerator<Step & { id: number }> {
  let begun: Begun | undefined;
  const write = async (batch: Batch<Record>, { id, done }: Begun): Promise<Step> => {
    const { firstRow, rows: good, refused } = batch;
    if (done.has(firstRow)) return stepOf(batch, undefined, writing);
    const at = { id, firstRow, refused: refused.length, keys: good.map(({ key }) => key ?? null) };
    const given = good.map(({ record }) => record);
    return stepOf(batch, await writing.write(given, at), writing);
  };
  const running: Promise<Step>[] = [];
  let [written, growth] = [0, firstGrowth];
  const next = async (): Promise<Step> => {
    const step = await running.shift()!;
    written += step.created;
    if (written < growth) return step;
    growth = written * 10;
    await grown?.();
    return step;
  };
  try {
    for await (const batch of batchesOf(rows, size)) {
      // A file that cannot be read at all leaves no trace.
      if (!begun) {
        begun = await beginImport(space, { ...source, by, family: writing.family }, resume);
        onBegin?.(begun);
      }
      if (begun.finished) return;
      if (running.length >= writing.atOnce) yield { id: begun.id, ...(await next()) };
      const writes = write(batch, begun);
      // Its failure is heard of when it is its turn: until then nobody may take it for one that nobody minds.
      writes.catch(() => {});
      running.push(writes);
    }
    while (begun && running.length > 0) yield { id: begun.id, ...(await next()) };
  } finally {
    await Promise.allSettled(running);
  }
  if (begun) await finishImport(space, begun.id);
}
