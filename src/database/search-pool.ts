// The pool for searches, which may take long: nothing else waits for them, a space runs few at once, and they end when their client leaves.
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../problem.ts';
import { KeyedSemaphore } from './concurrency-limit.ts';
import { convertToDatabaseProblem } from './driver-error.ts';
import { Pool, type Pooler, type RunText } from './pool.ts';

export interface SearchPoolOptions {
  /** Connections. */
  size: number;
  /** Searches of one space at once; fewer than connections, so that no space takes them all. */
  perSpace: number;
}

/** How long a search waits for its turn. */
const queueTimeoutMs = 5000;
/** Searches of one space that may wait. */
const maxQueue = 50;
/** In milliseconds: searches that take longer leave room for the others of their space. */
const longDuration = 250;
/** The duration that is expected of a search that may take any time. */
export const takesLong = Number.POSITIVE_INFINITY;
/** In milliseconds: the duration that is expected where nothing is known. */
const usualDuration = 50;
/** In milliseconds: after this time the server has noticed that a connection was cut. */
const notice = 600;

/**
 * Searches read much and return little. They need memory for sorts, and more for sets of ids, which are built again and again where they are
 * not expected to fit; and plans for their values. Memory holds most of what they read, and any page of it costs the same. A search gets no
 * parallel workers while two are at work in the server: one alone has them, and several leave the processors to writes and short searches.
 */
export const searchSettings = {
  statement_timeout: 10_000,
  work_mem: '64MB',
  hash_mem_multiplier: 8,
  enable_seqscan: 'on',
  random_page_cost: 1.1,
  plan_cache_mode: 'force_custom_plan',
  parallel_tuple_cost: 0.01,
  max_parallel_workers: 2,
};

/**
 * For short index scans: the one plan for all values can only follow indexes, so it is never a bad one. A planner that trusts its estimates
 * would sort a whole range to return its first page.
 */
export const indexOnlySettings = {
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_sort: 'off',
  enable_incremental_sort: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  // A parallel plan expects other numbers of rows. Before PostgreSQL 18 one with a sort is chosen for that, where each row costs a sort more.
  max_parallel_workers_per_gather: 0,
};

/** Runs work on a search pool, the primary's or a replica's. */
export type OnSearchPool = <Result>(work: (slow: Pool) => Promise<Result>) => Promise<Result>;

export class SearchPool {
  readonly pool: Pool;
  readonly #semaphore: KeyedSemaphore;

  constructor(url: string, { size, perSpace }: SearchPoolOptions, pooler: Pooler) {
    this.pool = Pool.connect(url, {
      size,
      settings: searchSettings,
      pooler,
      name: { server: 'primary', pool: 'searches' },
    });
    this.#semaphore = new KeyedSemaphore({
      maxConcurrent: perSpace,
      long: { from: longDuration, max: Math.max(1, perSpace - 1) },
      maxQueue,
      queueTimeoutMs,
      refusal: createTooManyProblem,
      abandonment: createAbandonedProblem,
    });
  }

  /**
   * Gives `work` one connection for all its statements, of the pool that `on` picks. When `signal` aborts, the connection is cut: the server
   * notices within half a second and ends the statement. Until then the search counts as under way; otherwise a client that asks and leaves
   * again and again could keep any number of searches running. Throws 429 when too many searches of the space run or wait already.
   */
  async run<Result>(
    space: number,
    { signal, expectedMs = usualDuration }: { signal: AbortSignal | undefined; expectedMs?: number | undefined },
    work: (run: RunText) => Promise<Result>,
    on: OnSearchPool,
  ): Promise<Result> {
    const leave = await this.#semaphore.acquire(space, { signal, expectedMs });
    try {
      return await on((pool) => runUntilAborted(pool, signal, work));
    } catch (error) {
      throw convertToDatabaseProblem(error);
    } finally {
      leave();
    }
  }
}

/** Does work on one connection of a pool, which is cut when `signal` aborts. */
const runUntilAborted = async <Result>(
  pool: Pool,
  signal: AbortSignal | undefined,
  work: (run: RunText) => Promise<Result>,
): Promise<Result> => {
  try {
    return await pool.useConnection(async (run, cut) => {
      let isCut = false;
      const onAbort = (): void => {
        isCut = true;
        cut(createAbandonedProblem());
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      try {
        if (signal?.aborted) throw createAbandonedProblem();
        return await (pool.isPooled ? runWithLocalSettings(run, work) : work(run));
      } finally {
        signal?.removeEventListener('abort', onAbort);
        if (isCut) await sleep(notice);
      }
    });
  } catch (error) {
    throw signal?.aborted ? createAbandonedProblem(error) : error;
  }
};

/** Behind a pooler, settings last as long as a transaction. */
const runWithLocalSettings = async <Result>(ask: RunText, work: (run: RunText) => Promise<Result>): Promise<Result> => {
  await ask('begin', {});
  try {
    await ask(
      'select set_config(name, value, true) from unnest(cast(:names as text[]), cast(:values as text[])) s (name, value)',
      { names: Object.keys(searchSettings), values: Object.values(searchSettings).map(String) },
    );
    return await work(ask);
  } finally {
    // A connection that was cut has nothing to roll back.
    await ask('rollback', {}).catch(() => {});
  }
};

const createTooManyProblem = (): Problem =>
  new Problem('too-many-searches', 'The space has too many searches under way; try again when one is done', {
    headers: { 'Retry-After': '1' },
  });

/** Nobody reads this error any more. */
export const createAbandonedProblem = (cause?: unknown): Problem =>
  new Problem('timeout', 'The client went away before the answer', cause instanceof Error ? { cause } : {});
