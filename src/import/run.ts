// Runs an import: rows in batches, so many at once as their order allows, each batch with its trace.
import type { UpsertWrite } from '../data/contact-upsert.ts';
import { type BatchResult, beginImport, finishImport, type ImportMode, importBatch } from '../data/import.ts';
import type { Space } from '../data/space.ts';
import type { Fault } from '../problem.ts';
import type { Row } from './read.ts';

export interface RunOptions {
  name: string;
  fingerprint: Buffer;
  mode: ImportMode;
  by: number | null;
  batch: number;
  resume: boolean;
  /** Called when there are about so many times as many rows as before: plans for few rows are no plans for many. */
  grown?(): Promise<void>;
}

/** Rows after which the tables have grown: 500, and ten times as many each time. */
const firstGrowth = 500;

/** Rows that were left out, with their faults. */
export interface Refused {
  row: number;
  faults: Fault[];
}

/** How far an import has come. */
export interface Step {
  rows: number;
  created: number;
  updated: number;
  refused: Refused[];
}

interface Batch {
  firstRow: number;
  records: { row: number; record: UpsertWrite }[];
  refused: Refused[];
}

/** Rows in batches of the same size each time, whatever is wrong with some: where a batch begins is how it is known again. */
async function* batchesOf(rows: AsyncIterable<Row>, size: number): AsyncGenerator<Batch> {
  let batch: Batch | undefined;
  for await (const { row, record, faults } of rows) {
    batch ??= { firstRow: row, records: [], refused: [] };
    if (record) batch.records.push({ row, record });
    else batch.refused.push({ row, faults });
    if (row - batch.firstRow + 1 < size) continue;
    yield batch;
    batch = undefined;
  }
  if (batch) yield batch;
}

/** What came of a batch, with the rows that the database refused among those that could not be read. */
const stepOf = ({ records, refused }: Batch, result: BatchResult | undefined): Step => {
  const rows = records.length + refused.length;
  if (!result) return { rows, created: 0, updated: 0, refused };
  const more = result.results.flatMap((one, index): Refused[] => {
    if (!('problem' in one)) return [];
    const { message, errors } = one.problem;
    const faults = errors?.map((fault) => ({ ...fault, location: fault.location.replace(/^\./, '') }));
    return [{ row: records[index]!.row, faults: faults ?? [{ location: 'row', message }] }];
  });
  return { rows, created: result.created, updated: result.updated, refused: [...refused, ...more] };
};

/**
 * Writes all rows; yields after each batch. With `resume` it goes on with an import of the same content that was cut off: its
 * batches are read past. Rows that are created go two batches at once; an upsert may mean a row before it, so these go in order.
 */
export async function* runImport(
  space: Space,
  rows: AsyncIterable<Row>,
  { mode, by, batch: size, resume, grown, ...source }: RunOptions,
): AsyncGenerator<Step & { id: number }> {
  let begun: { id: number; done: Set<number> } | undefined;
  const write = async (batch: Batch, { id, done }: NonNullable<typeof begun>): Promise<Step> => {
    if (done.has(batch.firstRow)) return stepOf(batch, undefined);
    const records = batch.records.map(({ record }) => record);
    const options = { id, firstRow: batch.firstRow, mode, by, refused: batch.refused.length };
    return stepOf(batch, await importBatch(space, records, options));
  };
  const atOnce = mode === 'create' ? 2 : 1;
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
      begun ??= await beginImport(space, { ...source, by }, resume);
      if (running.length >= atOnce) yield { id: begun.id, ...(await next()) };
      running.push(write(batch, begun));
    }
    while (begun && running.length > 0) yield { id: begun.id, ...(await next()) };
  } finally {
    await Promise.allSettled(running);
  }
  if (begun) await finishImport(space, begun.id);
}
