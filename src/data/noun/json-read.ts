// Reads JSON texts that PostgreSQL writes. One statement joins the reads that a request makes in the same tick.
import { LRUCache } from 'lru-cache';
import { BatchedQuery } from '../../database/batcher.ts';
import { decodeRows, type EncodedColumn, type EncodedRows, encodeRowsSql } from '../../database/row-codec.ts';
import type { Space } from '../../database/space.ts';
import {
  maxClientTexts,
  prepareStatement,
  type RunStatement,
  type Scoped,
  type Statement,
  type Values,
} from '../../database/statement.ts';
import { createCacheKey } from '../../limits/cache-key.ts';

const columns: EncodedColumn[] = [
  { name: 'id', sql: 'written.id' },
  { name: 'json', sql: 'written.json' },
];

/** A text with the id of its record; `''` stands for null. */
type JsonRow = [id: string, json: string];

/** Records that concurrent requests ask for by id, and that one statement reads. */
const maxBatchedIds = 20;

/** The values of a read of one record. Rows of a list may depend on the others. */
interface OneId extends Values {
  ids: readonly [number];
}

const isOneId = (values: Values): values is OneId => Array.isArray(values.ids) && values.ids.length === 1;

let readCount = 0;

/** A statement of JSON texts, and those of its values that do not change. */
export class JsonRead {
  /** No other read has the number. */
  readonly number = ++readCount;
  readonly statement: Statement;
  readonly values: Values;
  readonly #ofOneId = new BatchedQuery<OneId, JsonRow[]>(maxBatchedIds, (space, asked) =>
    this.#runTogether(space, asked),
  );

  /** `sql` selects the columns `id` and `json`. Throws if it does not mention the space. */
  constructor(noun: string, sql: string, values: Values) {
    this.statement = prepareStatement(`${noun}.json`, encodeRowsSql(columns, `from (${sql}) written`));
    this.values = values;
  }

  /** Throws 422 when the texts are larger than an answer may be. */
  async run(rows: RunStatement, values: Values = {}): Promise<JsonRow[]> {
    return decodeRows(await rows<EncodedRows>(this.statement, { ...this.values, ...values }), columns) as JsonRow[];
  }

  /** Runs in the space of a request. The read of one record shares its statement with those of other requests. */
  runIn(space: Space, values: Values): Promise<JsonRow[]> {
    if (isOneId(values)) return space.runBatched(this.#ofOneId, values);
    return this.run((...sent) => space.rows(...sent), values);
  }

  /** Requests with equal values besides the id share a statement. */
  async #runTogether(space: Scoped, asked: readonly OneId[]): Promise<JsonRow[][]> {
    const keys = asked.map((one) => JSON.stringify({ ...one, ids: null }));
    const found = new Map<string, Map<string, JsonRow>>();
    for (const key of new Set(keys)) {
      const alike = asked.filter((_, index) => keys[index] === key);
      const values = { ...alike[0]!, ids: [...new Set(alike.map(({ ids }) => ids[0]))] };
      const rows = await this.run((...sent) => space.rows(...sent), values);
      found.set(key, new Map(rows.map((row) => [row[0], row])));
    }
    return asked.map(({ ids }, index) => {
      const row = found.get(keys[index]!)!.get(String(ids[0]));
      return row ? [row] : [];
    });
  }
}

interface Waiting {
  read: JsonRead;
  values: Values;
  resolve(rows: JsonRow[]): void;
  reject(error: unknown): void;
}

const waitingOf = new WeakMap<Space, Waiting[]>();

/** By the numbers of their reads. */
const joinedStatements = new LRUCache<string, Statement>({
  max: maxClientTexts.texts,
  maxSize: maxClientTexts.characters,
  sizeCalculation: ({ sql }) => sql.length,
});

/** Prefixes the name of a value with the place of its read. */
const nameValue = (place: number, name: string): string => (name === 'group' ? name : `r${place}_${name}`);

const joinStatements = (reads: readonly JsonRead[]): Statement => {
  const key = createCacheKey(...reads.map(({ number }) => number));
  const known = joinedStatements.get(key);
  if (known) return known;
  const parts = reads.map(({ statement: { sql } }, place) => {
    const named = sql.replaceAll(/(?<![:\w]):([A-Za-z]\w*)/g, (_, name: string) => `:${nameValue(place, name)}`);
    return `select ${place} as place, part.* from (${named}) part`;
  });
  const joined = prepareStatement('joined.json', parts.join(' union all '));
  joinedStatements.set(key, joined);
  return joined;
};

const runJoined = async (space: Space, waiting: readonly Waiting[]): Promise<void> => {
  try {
    const [only] = waiting;
    if (waiting.length === 1) return only!.resolve(await only!.read.runIn(space, only!.values));
    const values: Values = {};
    waiting.forEach((one, place) => {
      for (const [name, value] of Object.entries({ ...one.read.values, ...one.values }))
        values[nameValue(place, name)] = value;
    });
    const statement = joinStatements(waiting.map(({ read }) => read));
    const found = new Map(
      (await space.rows<EncodedRows & { place: number }>(statement, values)).map((row) => [Number(row.place), row]),
    );
    waiting.forEach(({ resolve, reject }, place) => {
      try {
        resolve(decodeRows([found.get(place)!], columns) as JsonRow[]);
      } catch (error) {
        reject(error);
      }
    });
  } catch (error) {
    for (const { reject } of waiting) reject(error);
  }
};

/** Keeps each joined statement short enough to be prepared. PostgreSQL plans an unprepared one each time. */
const splitByLength = (waiting: readonly Waiting[]): Waiting[][] => {
  const groups: Waiting[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const one of waiting) {
    // Names of values become longer.
    const own = one.read.statement.sql.length * 1.1;
    length += own;
    if (length > maxClientTexts.charactersOfOne) {
      groups.push([]);
      length = own;
    }
    groups.at(-1)!.push(one);
  }
  return groups;
};

/** Runs a short read together with the others that the request makes in this tick. Throws 422 when the texts are larger than an answer may be. */
export const readJson = (space: Space, read: JsonRead, values: Values = {}): Promise<JsonRow[]> =>
  new Promise((resolve, reject) => {
    const own = { read, values, resolve, reject };
    const waiting = waitingOf.get(space);
    if (waiting) {
      waiting.push(own);
      return;
    }
    const first: Waiting[] = [own];
    waitingOf.set(space, first);
    const run = (): void => {
      waitingOf.delete(space);
      // Equal sets of reads share a statement, whatever their order.
      first.sort((one, other) => one.read.number - other.read.number);
      for (const group of splitByLength(first)) runJoined(space, group);
    };
    // Loaders send at the next tick what they have collected.
    process.nextTick(() => process.nextTick(run));
  });
