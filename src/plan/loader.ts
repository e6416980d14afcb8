// Batched reading of what hangs on many records: one statement per relation and request (or mutation), whatever the number of records.
import { setImmediate as nextTurn } from 'node:timers/promises';
import DataLoader from 'dataloader';
import type { Context } from '../context.ts';

/** The rows of a relation: at once when they are here already. A promise for each of thousands would cost more than the rows. */
type Related<Row> = Row[] | Promise<Row[]>;

/** How many records one piece has. */
const recordsOfPiece = 200;

/** For each request: when the last piece of its long list is completed. */
const lastTurns = new WeakMap<Context, Promise<void>>();

/** Completes a long list piece by piece; other requests run in between. Relations are still read once, after the last piece. */
export const completeInTurns = <Row>(context: Context, rows: readonly Row[]): readonly (Row | Promise<Row>)[] => {
  if (rows.length <= recordsOfPiece) return rows;
  let turn = Promise.resolve();
  const items = rows.map((row, index) => {
    if (index < recordsOfPiece) return row;
    if (index % recordsOfPiece === 0) turn = turn.then(() => nextTurn());
    return turn.then(() => row);
  });
  lastTurns.set(context, turn);
  return items;
};

/** Delays the batch of a loader until all its keys are known. */
const delayBatch = (context: Context) => (dispatch: () => void) => {
  const { pace } = context;
  if (pace) pace.whenIdle(dispatch);
  else Promise.resolve(lastTurns.get(context)).then(() => process.nextTick(dispatch));
};

interface Reading<Row> {
  /** How many mutations had begun: rows that were read before a write are not shown after it. */
  writes: number;
  here: Map<number, Row[]>;
  loader: DataLoader<number, Row[]>;
}

/** Reads, for a request, the rows that belong to each key; `keyOf` says to which key a row belongs. Every mutation of a document reads anew. */
export const createRelationLoader = <Row>(
  read: (context: Context, keys: readonly number[]) => Promise<Row[]>,
  keyOf: (row: Row) => number,
) => {
  const readings = new WeakMap<Context, Reading<Row>>();
  const grouped = async (context: Context, keys: readonly number[]): Promise<Map<number, Row[]>> => {
    const groups = new Map<number, Row[]>();
    for (const key of keys) groups.set(key, []);
    for (const row of await read(context, keys)) groups.get(keyOf(row))?.push(row);
    return groups;
  };
  const readingOf = (context: Context): Reading<Row> => {
    const { writes = 0 } = context;
    const known = readings.get(context);
    if (known?.writes === writes) return known;
    const batch = async (keys: readonly number[]): Promise<Row[][]> => {
      const groups = await grouped(context, keys);
      return keys.map((key) => groups.get(key)!);
    };
    const loader = new DataLoader(batch, { maxBatchSize: 1000, batchScheduleFn: delayBatch(context) });
    const reading = { writes, here: new Map(), loader };
    readings.set(context, reading);
    return reading;
  };
  const load = (context: Context, key: number): Related<Row> => {
    const { here, loader } = readingOf(context);
    return here.get(key) ?? loader.load(key);
  };
  /** Hands over rows that came along with their record, so that they are not read again. */
  const prime = (context: Context, key: number, rows: Row[]): void => {
    readingOf(context).here.set(key, rows);
  };
  /** Reads the rows of all these keys now, so that each is there when it is asked for. */
  const bring = async (context: Context, keys: readonly number[]): Promise<void> => {
    for (const [key, rows] of await grouped(context, keys)) prime(context, key, rows);
  };
  return Object.assign(load, { prime, bring });
};

/** Applies a function to the rows of a relation, once they are read. */
export const mapRelated = <Row, Result>(
  rows: Related<Row>,
  change: (rows: Row[]) => Result,
): Result | Promise<Result> => (Array.isArray(rows) ? change(rows) : rows.then(change));

/** The first of the rows, or null. */
export const takeFirstRelated = <Row>(rows: Related<Row>): Row | null | Promise<Row | null> =>
  mapRelated(rows, ([row]) => row ?? null);
