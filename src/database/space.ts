// The only way to the rows of a space. Every statement names the space; pools stay private.
import { getOrMake } from '../limits/cache-key.ts';
import type { BatchedQuery } from './batcher.ts';
import { convertToDatabaseProblem, isDeadlock } from './driver-error.ts';
import type { Pool, RunText } from './pool.ts';
import { countUse, isSentOften, type RunStatement, type Scoped, type Statement, type Values } from './statement.ts';

/** The pools of a database, as one request may use them. */
interface SpacePools {
  /** The database itself: a process keeps what it remembers of a space by this object. */
  database: object;
  /** Runs single statements: on the pool for this request, or in its transaction. */
  run<Result>(work: (pool: Pool) => Promise<Result>): Promise<Result>;
  /** For single statements that a replica cannot answer. */
  primary: Pool;
  /** For transactions, and savepoints within one. */
  writers: Pool;
  /** Runs a short index scan; absent behind a pooler, where sessions have no settings of their own. */
  runIndexOnly?: (<Result>(work: (pool: Pool) => Promise<Result>) => Promise<Result>) | undefined;
  runSlow<Result>(work: (run: RunText) => Promise<Result>, expectedMs: number | undefined): Promise<Result>;
  runOnSearchPool<Result>(work: (pool: Pool) => Promise<Result>): Promise<Result>;
  /** In a transaction that those within it join; a failure of one of these is kept. */
  joined?: { failure?: unknown } | undefined;
  /** Waits for permission to take a connection; absent in a transaction, which has one. */
  acquireSlot?: (() => Promise<() => void>) | undefined;
}

/** A text that changes rows, by itself and not by a function. */
const changesRows = /\b(insert into|update|delete from)\b/;

/** Runs work at once, or after work before it. */
type Serializer = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** How often a transaction is begun, at most, until PostgreSQL does not end it because of a deadlock. */
const maxAttempts = 3;

/** Runs work in order of arrival, one piece after the other. A failure goes to its own caller and does not stop the others. */
const createSerializer = (): Serializer => {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
};

/** Searches of one request at once. Those of other requests come in between, and never wait for all those of a long list. */
const maxSearches = 2;

/** Runs so many pieces of work at once, and the others in order of arrival. */
const createLimiter = (free: number): Serializer => {
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((begin) => waiting.push(begin));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
};

export class Space implements Scoped {
  readonly #limitSearches = createLimiter(maxSearches);
  readonly #pools: SpacePools;
  readonly #serialize: Serializer;
  readonly id: number;

  /** Statements with a connection each need not wait for each other: they have no serializer. */
  constructor(id: number, pools: SpacePools, serialize: Serializer = (work) => work()) {
    this.id = id;
    this.#pools = pools;
    this.#serialize = serialize;
  }

  /** The same object for all spaces of a database: the key of what a process remembers of them. */
  get database(): object {
    return this.#pools.database;
  }

  /**
   * Runs searches on one connection of the search pool. Among waiting searches, those with a shorter `expectedMs` go first. One plan
   * serves all values of a statement that is sent often, where `plansOnce` says so. Throws 429 when the space runs too many at once.
   */
  runSlow<Result>(
    work: (rows: RunStatement) => Promise<Result>,
    { expectedMs, plansOnce = () => false }: { expectedMs?: number | undefined; plansOnce?: () => boolean } = {},
  ): Promise<Result> {
    const group = this.id;
    const runWith = (run: RunText) =>
      work((statement, values = {}) => {
        const { name, sql } = statement;
        countUse(statement);
        return run(sql, values, name, { group, plansOnce: isSentOften(statement) && plansOnce() });
      });
    return this.#limitSearches(() => this.#pools.runSlow(runWith, expectedMs));
  }

  /** The same space for long reading beside other requests: each statement runs on the connections of searches, one after the other. */
  onSearchPool(): Space {
    const { runOnSearchPool, ...pools } = this.#pools;
    return new Space(
      this.id,
      { ...pools, runOnSearchPool, run: runOnSearchPool, acquireSlot: undefined },
      createSerializer(),
    );
  }

  /** The rows of a short index scan; undefined behind a pooler, which cannot run one. */
  async runIndexOnly<Row>(statement: Statement, values: Values): Promise<Row[] | undefined> {
    try {
      return await this.#pools.runIndexOnly?.((pool) => pool.scopeTo(this.id).rows<Row>(statement, values));
    } catch (error) {
      throw convertToDatabaseProblem(error);
    }
  }

  rows<Row>(statement: Statement, values: Values = {}): Promise<Row[]> {
    return this.#connected(
      () =>
        this.#repeatAfterDeadlocks(() => this.#pools.run((pool) => pool.scopeTo(this.id).rows<Row>(statement, values))),
      (): boolean => this.#commitsEach && changesRows.test(statement.sql),
    );
  }

  /** The rows of a statement on the primary, for tables that a replica lacks. */
  async onPrimary<Row>(statement: Statement, values: Values): Promise<Row[]> {
    return this.#connected(() => this.#pools.primary.scopeTo(this.id).rows<Row>(statement, values));
  }

  /** The answer of a batched query. The batch shares a connection, so that no request waits for one of its own. */
  async runBatched<Item, Answer>(question: BatchedQuery<Item, Answer>, item: Item): Promise<Answer> {
    try {
      return await this.#serialize(() =>
        this.#repeatAfterDeadlocks(() => this.#pools.run((pool) => question.load(pool, this.id, item))),
      );
    } catch (error) {
      throw convertToDatabaseProblem(error, { stores: question.stores && this.#commitsEach });
    }
  }

  /** Whether each statement is a transaction of its own. */
  get #commitsEach(): boolean {
    return !this.#pools.writers.isTransaction;
  }

  /** Runs work that is a transaction, and again after a deadlock. A part of another transaction is not repeated: that one has ended, too. */
  async #repeatAfterDeadlocks<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let left = this.#commitsEach ? maxAttempts : 1; ; left--)
      try {
        return await work();
      } catch (error) {
        if (left <= 1 || !isDeadlock(error)) throw error;
      }
  }

  /** Runs work that takes a connection, once it may have one. */
  async #connected<Result>(work: () => Promise<Result>, mayHaveStored = () => false): Promise<Result> {
    const leave = await this.#pools.acquireSlot?.();
    try {
      return await this.#serialize(work);
    } catch (error) {
      throw convertToDatabaseProblem(error, { stores: mayHaveStored() });
    } finally {
      leave?.();
    }
  }

  async row<Row>(statement: Statement, values: Values = {}): Promise<Row | undefined> {
    return (await this.rows<Row>(statement, values))[0];
  }

  /**
   * Runs `work` in one transaction, and keeps all of it or nothing. A transaction has one connection, so concurrent statements of `work` run
   * one after the other. A transaction within it runs as a whole: until it ends, its `work` may use only the space that it is given,
   * since statements of the outer one wait for it. With `joins`, transactions within it are parts of it, without savepoints: when one fails, all
   * of it does, even if `work` goes on. Throws a problem whose outcome is unknown when the answer to the commit is lost. With `repeats`, `work` is done
   * again, in a new transaction, when PostgreSQL has ended one that others waited for in a circle; one within another is not.
   */
  async transaction<Result>(
    work: (space: Space) => Promise<Result>,
    { joins = false, repeats = false } = {},
  ): Promise<Result> {
    let isCommitting = false;
    const run = () =>
      this.#begin(async (transaction) => {
        isCommitting = false;
        const serialize = createSerializer();
        const joined: SpacePools['joined'] = joins ? {} : undefined;
        const pools: SpacePools = {
          ...this.#pools,
          run: (work) => work(transaction),
          primary: transaction,
          writers: transaction,
          acquireSlot: undefined,
          joined,
        };
        try {
          const result = await work(new Space(this.id, pools, serialize));
          if (joined && 'failure' in joined) throw joined.failure;
          isCommitting = this.#commitsEach;
          return result;
        } finally {
          // If one of several statements made `work` fail, the others still end before the transaction does.
          await serialize(async () => {});
        }
      });
    return this.#connected(
      () => (repeats ? this.#repeatAfterDeadlocks(run) : run()),
      () => isCommitting,
    );
  }

  /** Begins a transaction or a savepoint, or takes part in the transaction that is to be joined. */
  async #begin<Result>(work: (transaction: Pool) => Promise<Result>): Promise<Result> {
    const { joined, writers } = this.#pools;
    if (!joined) return writers.transaction(work);
    try {
      return await work(writers);
    } catch (error) {
      joined.failure = error;
      throw error;
    }
  }
}

/** Returns a function that gives the memory of a space's database; `create` makes it when it is first asked for. */
export const createPerDatabase = <Memory>(create: () => Memory): ((space: Space) => Memory) => {
  const memories = new WeakMap<object, Memory>();
  return ({ database }) => getOrMake(memories, database, create);
};

/** Rolls the transaction back once its outcome is known. */
class DryRunEnded extends Error {}

/** Runs `work` in one transaction, rolls it back, and returns its result. Its locks are held until then. */
export const runAndRollBack = async <Result>(space: Space, work: (tx: Space) => Promise<Result>): Promise<Result> => {
  let outcome: { result: Result } | undefined;
  try {
    await space.transaction(async (tx) => {
      outcome = { result: await work(tx) };
      throw new DryRunEnded();
    });
  } catch (error) {
    if (!(error instanceof DryRunEnded)) throw error;
  }
  return outcome!.result;
};
