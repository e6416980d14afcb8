// The only way to the rows of a space. Every statement that passes here names the space; Knex itself stays private.
import type { Knex } from 'knex';
import type { BatchedQuery } from './batched-query.ts';
import { toDatabaseProblem } from './driver-error.ts';
import type { RunOnConnection } from './search-pool.ts';
import { type Rows, type Scoped, type Statement, scopeToSpace, type Values } from './statement.ts';

/** What a space shares with the others of its database. */
interface SpacePools {
  /** The database that all of them are in: what a process remembers of a space is kept by it. */
  database: object;
  /** Runs single statements: on a pool that is right for this request, or in its transaction. */
  run<Result>(work: (knex: Knex) => Promise<Result>): Promise<Result>;
  /** Where single statements run that a replica cannot answer. */
  primary: Knex;
  /** Where transactions begin, and savepoints within one. */
  writers: Knex;
  /** Runs a short walk; not there where a session has no settings of its own. */
  runIndexOnly?: (<Result>(work: (knex: Knex) => Promise<Result>) => Promise<Result>) | undefined;
  runSlow<Result>(work: (run: RunOnConnection) => Promise<Result>): Promise<Result>;
  /** Waits for a turn to take a connection. Who has one already takes none. */
  acquireSlot?: (() => Promise<() => void>) | undefined;
}

/** Runs a piece of work when it is its turn. */
type Serializer = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Whoever has a connection each to themselves need not wait. */
const runAtOnce: Serializer = (work) => work();

/** One after the other, in the order they came; that one fails is told to who asked for it, and keeps none from its turn. */
const createSerializer = (): Serializer => {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
};

export class Space implements Scoped {
  readonly #means: SpacePools;
  readonly #inTurn: Serializer;
  readonly id: number;

  constructor(id: number, means: SpacePools, inTurn: Serializer = runAtOnce) {
    this.id = id;
    this.#means = means;
    this.#inTurn = inTurn;
  }

  /** The same object for all spaces of a database, by which a process keeps what it remembers of them. */
  get database(): object {
    return this.#means.database;
  }

  /** For what may take long: `work` has a connection of the slow lane to itself. Throws 429 when the space asks too much at once. */
  runSlow<Result>(work: (rows: Rows) => Promise<Result>): Promise<Result> {
    return this.#means.runSlow((run) =>
      work(({ name, sql }, values = {}) => run(sql, { ...values, group: this.id }, name)),
    );
  }

  /** The rows of a statement that follows an index for a moment; undefined where that cannot be had. */
  async runIndexOnly<Row>(statement: Statement, values: Values): Promise<Row[] | undefined> {
    try {
      return await this.#means.runIndexOnly?.((knex) => scopeToSpace(knex, this.id).rows<Row>(statement, values));
    } catch (error) {
      throw toDatabaseProblem(error);
    }
  }

  /** The rows that a statement yields in this space. */
  rows<Row>(statement: Statement, values: Values = {}): Promise<Row[]> {
    return this.#connected(() => this.#means.run((knex) => scopeToSpace(knex, this.id).rows<Row>(statement, values)));
  }

  /** The same on the primary, for what a replica does not have. */
  async onPrimary<Row>(statement: Statement, values: Values): Promise<Row[]> {
    return this.#connected(() => scopeToSpace(this.#means.primary, this.id).rows<Row>(statement, values));
  }

  /** The answer to a question that requests of this space ask together. They share a connection, and need no turn for it. */
  async runBatched<Item, Answer>(question: BatchedQuery<Item, Answer>, item: Item): Promise<Answer> {
    try {
      return await this.#inTurn(() => this.#means.run((knex) => question.load(knex, this.id, item)));
    } catch (error) {
      throw toDatabaseProblem(error);
    }
  }

  /** Does what takes a connection, when its turn has come. */
  async #connected<Result>(work: () => Promise<Result>): Promise<Result> {
    const leave = await this.#means.acquireSlot?.();
    try {
      return await this.#inTurn(work);
    } catch (error) {
      throw toDatabaseProblem(error);
    } finally {
      leave?.();
    }
  }

  /** The first row that a statement yields in this space. */
  async row<Row>(statement: Statement, values: Values = {}): Promise<Row | undefined> {
    return (await this.rows<Row>(statement, values))[0];
  }

  /**
   * Runs `work` in one transaction: all of it is kept, or none. A transaction has one connection, so what `work` asks at once is
   * asked one after the other. A transaction within it takes its turn as a whole: until it ends, `work` asks only the space that
   * it is given, since the one around would wait for it.
   */
  async transaction<Result>(work: (space: Space) => Promise<Result>): Promise<Result> {
    return this.#connected(() =>
      this.#means.writers.transaction(async (transaction) => {
        const inTurn = createSerializer();
        const run: SpacePools['run'] = (work) => work(transaction);
        const means: SpacePools = {
          ...this.#means,
          run,
          primary: transaction,
          writers: transaction,
          acquireSlot: undefined,
        };
        try {
          return await work(new Space(this.id, means, inTurn));
        } finally {
          // When `work` gave up over one of several statements, the others end before the transaction does.
          await inTurn(async () => {});
        }
      }),
    );
  }
}
