// Reads JSON texts that PostgreSQL writes.
import { BatchedQuery } from '../../database/batcher.ts';
import { createJoiner } from '../../database/joined-rows.ts';
import { decodeRows, type EncodedColumn, type EncodedRows, encodeRowsSql } from '../../database/row-codec.ts';
import type { Space } from '../../database/space.ts';
import {
  prepareStatement,
  type RunStatement,
  type Scoped,
  type Statement,
  type Values,
} from '../../database/statement.ts';

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

/** A statement of JSON texts, and those of its values that do not change. */
export class JsonRead {
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

const join = createJoiner({
  noun: 'joined.json',
  send: (space, statement, values) => space.rows(statement, values),
  retries: false,
});

/** Runs a short read together with the others that the request makes in this tick. Throws 422 when the texts are larger than an answer may be. */
export const readJson = (space: Space, read: JsonRead, values: Values = {}): Promise<JsonRow[]> =>
  join(space, {
    statement: read.statement,
    values: { ...read.values, ...values },
    decode: (row) => decodeRows([row], columns) as JsonRow[],
    runAlone: () => read.runIn(space, values),
  });
