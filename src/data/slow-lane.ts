// Statements that may take long: a pool of their own, so that nothing else waits for them; few at once in a space; gone when their client is.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { Problem } from '../problem.ts';
import { connect, databaseProblem } from './knex.ts';

export interface SlowLaneOptions {
  /** Connections. */
  size: number;
  /** How many pieces of work a space may have under way; fewer than connections, so that no space has them all. */
  perSpace: number;
}

/** In milliseconds: how long work waits for its turn. */
const patience = 5000;
/** Pieces of work of one space that may wait. */
const queue = 50;
/** In milliseconds: after so long the server has noticed that a connection was cut. */
const notice = 600;

/**
 * Searches read much and return little: memory for sorts, and more for sets of ids, which are gathered again and again where
 * they are not expected to fit; no compiling of plans.
 */
const settings = {
  statement_timeout: 10_000,
  work_mem: '64MB',
  hash_mem_multiplier: 8,
  jit: 'off',
  parallel_tuple_cost: 0.01,
};

/** Runs a text with the values it binds by name. */
export type Run = <Row>(sql: string, values: Record<string, unknown>) => Promise<Row[]>;

interface Turns {
  busy: number;
  waiting: (() => void)[];
}

export class SlowLane {
  /** For this folder and for tests that watch statements. */
  readonly knex: Knex;
  readonly #perSpace: number;
  readonly #turns = new Map<number, Turns>();

  constructor(url: string, { size, perSpace }: SlowLaneOptions) {
    this.knex = connect(url, size, settings);
    this.#perSpace = perSpace;
  }

  /**
   * Gives `work` one connection for all its statements. When `signal` aborts, the connection is cut: the server notices within
   * half a second and ends the statement; until then it counts as under way, or whoever asks and leaves, again and again, would
   * keep the server at any number of them. Throws 429 when too much of the space is under way or waiting already.
   */
  async run<Result>(
    space: number,
    signal: AbortSignal | undefined,
    work: (run: Run) => Promise<Result>,
  ): Promise<Result> {
    await this.#enter(space, signal);
    try {
      const connection = await this.knex.client.acquireConnection();
      let isCut = false;
      const cut = (): void => {
        isCut = true;
        connection.connection.stream.destroy();
        // The pool would learn of it only with the next turn of the event loop, and might hand it on before.
        connection.__knex__disposed = abandoned();
      };
      signal?.addEventListener('abort', cut, { once: true });
      try {
        if (signal?.aborted) throw abandoned();
        return await work(async (sql, values) => {
          const result = await this.knex.raw(sql, values as Knex.ValueDict).connection(connection);
          return result.rows;
        });
      } finally {
        signal?.removeEventListener('abort', cut);
        if (isCut) await sleep(notice);
        await this.knex.client.releaseConnection(connection);
      }
    } catch (error) {
      throw signal?.aborted ? abandoned(error) : databaseProblem(error);
    } finally {
      this.#leave(space);
    }
  }

  close(): Promise<void> {
    return this.knex.destroy();
  }

  async #enter(space: number, signal: AbortSignal | undefined): Promise<void> {
    const turns = this.#turns.get(space) ?? { busy: 0, waiting: [] };
    this.#turns.set(space, turns);
    if (turns.busy < this.#perSpace) {
      turns.busy++;
      return;
    }
    if (turns.waiting.length >= queue) throw tooMany();
    await new Promise<void>((resolve, reject) => {
      const leave = (reason: Problem): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        turns.waiting = turns.waiting.filter((one) => one !== turn);
        reject(reason);
      };
      const abort = (): void => leave(abandoned());
      const timer = setTimeout(() => leave(tooMany()), patience);
      const turn = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      signal?.addEventListener('abort', abort, { once: true });
      turns.waiting.push(turn);
    });
  }

  /** Hands the turn to whoever waits longest. */
  #leave(space: number): void {
    const turns = this.#turns.get(space)!;
    const next = turns.waiting.shift();
    if (next) next();
    else if (--turns.busy === 0) this.#turns.delete(space);
  }
}

const tooMany = (): Problem =>
  new Problem('too-many-searches', 'The space has too many searches under way; try again when one is done', {
    headers: { 'Retry-After': '1' },
  });

/** Nobody reads it any more. */
const abandoned = (cause?: unknown): Problem =>
  new Problem('timeout', 'The client went away before the answer', cause instanceof Error ? { cause } : {});
