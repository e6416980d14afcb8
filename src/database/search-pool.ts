// Statements that may take long: a pool of their own, so that nothing else waits for them; few at once in a space; gone when their client is.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { Problem } from '../problem.ts';
import { KeyedSemaphore } from './concurrency-limit.ts';
import { toDatabaseProblem } from './driver-error.ts';
import { acquireConnection, discardConnection, releaseConnection } from './knex-internals.ts';
import { connectPool, isPooled, type Pooler } from './pool.ts';
import { sendStatement } from './run-statement.ts';

export interface SearchPoolOptions {
  /** Connections. */
  size: number;
  /** How many pieces of work a space may have under way; fewer than connections, so that no space has them all. */
  perSpace: number;
}

/** In milliseconds: how long work waits for its turn. */
const queueTimeoutMs = 5000;
/** Pieces of work of one space that may wait. */
const maxQueue = 50;
/** In milliseconds: after so long the server has noticed that a connection was cut. */
const notice = 600;

/**
 * Searches read much and return little: memory for sorts, and more for sets of ids, which are gathered again and again where
 * they are not expected to fit; plans for what is asked, which are not compiled.
 */
export const searchSettings = {
  statement_timeout: 10_000,
  work_mem: '64MB',
  hash_mem_multiplier: 8,
  enable_seqscan: 'on',
  plan_cache_mode: 'force_custom_plan',
  parallel_tuple_cost: 0.01,
};

/**
 * For walks that are short: one plan for all, in which nothing is possible but to follow indexes, so that it cannot be a bad one
 * for some. Whoever trusts estimates here would sort a stretch of which a page is the beginning.
 */
export const indexOnlySettings = {
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_sort: 'off',
  enable_incremental_sort: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
};

/** Runs a text, prepared under its name if it has one, with the values it binds by name. */
export type RunOnConnection = <Row>(
  sql: string,
  values: Record<string, unknown>,
  name?: string | null,
) => Promise<Row[]>;

/** Runs work on a pool for slow statements. */
export type OnSearchPool = <Result>(work: (slow: Knex) => Promise<Result>) => Promise<Result>;

export class SearchPool {
  /** For this folder and for tests that watch statements. */
  readonly knex: Knex;
  readonly #turns: KeyedSemaphore;

  constructor(url: string, { size, perSpace }: SearchPoolOptions, pooler: Pooler) {
    this.knex = connectPool(url, { size, settings: searchSettings, pooler });
    this.#turns = new KeyedSemaphore({
      maxConcurrent: perSpace,
      maxQueue: maxQueue,
      queueTimeoutMs: queueTimeoutMs,
      refusal: createTooManyProblem,
      abandonment: createAbandonedProblem,
    });
  }

  /**
   * Gives `work` one connection for all its statements, of the pool that `on` picks. When `signal` aborts, the connection is cut:
   * the server notices within half a second and ends the statement; until then it counts as under way, or whoever asks and leaves,
   * again and again, would keep the server at any number of them. Throws 429 when too much of the space is under way or waiting already.
   */
  async run<Result>(
    space: number,
    signal: AbortSignal | undefined,
    work: (run: RunOnConnection) => Promise<Result>,
    on: OnSearchPool,
  ): Promise<Result> {
    const leave = await this.#turns.acquire(space, signal);
    try {
      return await on((knex) => runOnOneConnection(knex, signal, work));
    } catch (error) {
      throw toDatabaseProblem(error);
    } finally {
      leave();
    }
  }
}

/** Does work on one connection of a pool, which is cut when `signal` aborts. */
const runOnOneConnection = async <Result>(
  knex: Knex,
  signal: AbortSignal | undefined,
  work: (run: RunOnConnection) => Promise<Result>,
): Promise<Result> => {
  try {
    const connection = await acquireConnection(knex);
    let isCut = false;
    const cut = (): void => {
      isCut = true;
      connection.connection.stream.destroy();
      discardConnection(connection, createAbandonedProblem());
    };
    const ask: RunOnConnection = (sql, values, name) => sendStatement(knex, connection, sql, values, name);
    signal?.addEventListener('abort', cut, { once: true });
    try {
      if (signal?.aborted) throw createAbandonedProblem();
      return await (isPooled(knex) ? runWithLocalSettings(ask, work) : work(ask));
    } finally {
      signal?.removeEventListener('abort', cut);
      if (isCut) await sleep(notice);
      await releaseConnection(knex, connection);
    }
  } catch (error) {
    throw signal?.aborted ? createAbandonedProblem(error) : error;
  }
};

/** Behind a pooler the settings of the lane last as long as a transaction. */
const runWithLocalSettings = async <Result>(
  ask: RunOnConnection,
  work: (run: RunOnConnection) => Promise<Result>,
): Promise<Result> => {
  await ask('begin', {});
  try {
    const lists = [Object.keys(searchSettings), Object.values(searchSettings).map(String)];
    await ask(
      'select set_config(name, value, true) from unnest(cast(:names as text[]), cast(:values as text[])) s (name, value)',
      {
        names: lists[0],
        values: lists[1],
      },
    );
    return await work(ask);
  } finally {
    // On a connection that was cut there is nothing to end.
    await ask('rollback', {}).catch(() => {});
  }
};

const createTooManyProblem = (): Problem =>
  new Problem('too-many-searches', 'The space has too many searches under way; try again when one is done', {
    headers: { 'Retry-After': '1' },
  });

/** Nobody reads it any more. */
const createAbandonedProblem = (cause?: unknown): Problem =>
  new Problem('timeout', 'The client went away before the answer', cause instanceof Error ? { cause } : {});
