// Batched reading of what hangs on many records: one statement per relation and request, whatever the number of records.
import DataLoader from 'dataloader';
import type { Context } from '../src/context.ts';

/** Reads, for a request, the rows that belong to each key; `keyOf` says to which key a row belongs. */
export const related = <Row>(
  read: (context: Context, keys: readonly number[]) => Promise<Row[]>,
  keyOf: (row: Row) => number,
) => {
  const loaders = new WeakMap<Context, DataLoader<number, Row[]>>();
  const loaderOf = (context: Context): DataLoader<number, Row[]> => {
    const known = loaders.get(context);
    if (known) return known;
    const loader = new DataLoader<number, Row[]>(
      async (keys) => {
        const groups = new Map<number, Row[]>(keys.map((key) => [key, []]));
        for (const row of await read(context, keys)) groups.get(keyOf(row))?.push(row);
        return keys.map((key) => groups.get(key)!);
      },
      { maxBatchSize: 1000 },
    );
    loaders.set(context, loader);
    return loader;
  };
  const load = (context: Context, key: number): Promise<Row[]> => loaderOf(context).load(key);
  /** Hands over rows that came along with their record, so that they are not read again. */
  const prime = (context: Context, key: number, rows: Row[]): unknown => loaderOf(context).prime(key, rows);
  return Object.assign(load, { prime });
};

/** The first of the rows, or null. */
export const first = async <Row>(rows: Promise<Row[]>): Promise<Row | null> => (await rows)[0] ?? null;
