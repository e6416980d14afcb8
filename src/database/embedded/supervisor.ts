// In charge of keeping the embedded PostgreSQL running while it is used: started again when it dies, given up when that is no use.
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Postmaster } from './server-process.ts';

/** A session on the server that runs. It ends when the server does. */
export interface Held {
  server: Postmaster;
  client: pg.Client;
}

/** What happens to the server: each is told once. */
export type EmbeddedEvent =
  | { event: 'ended'; log: string[] }
  | { event: 'failed'; failures: number; reason: string }
  | { event: 'restarted'; pid: number; ms: number };

/** In milliseconds: the pause after the first failure, doubled with each one more; a server that lives longer than `calm` is well. */
export const pauses = { first: 500, longest: 10_000, calm: 30_000 };
/** Failures in a row: starts that fail, and servers that die before they are well. */
export const maxFailures = 5;

export interface WatchOptions {
  report(event: EmbeddedEvent): void;
  pauses?: typeof pauses;
}

/** The operations that the watch needs. Each stops when its signal aborts. */
interface Server {
  /** Another session on this very server, once it gives one; undefined when it has ended. */
  reenter(held: Held, signal: AbortSignal): Promise<pg.Client | undefined>;
  /** Starts it anew, or finds that somebody else has. Without it, a server that has ended is left alone. */
  restart?(signal: AbortSignal): Promise<Held>;
  /** The last lines of its log. */
  lastLines(): string[];
}

export class Supervisor {
  /** Rejects when the server cannot be kept running. */
  readonly failed: Promise<never>;
  readonly #server: Server;
  readonly #options: Required<WatchOptions>;
  readonly #ending = new AbortController();
  #giveUp: (error: Error) => void = () => {};
  #held: Held;
  #startedAt = performance.now();
  #failures = 0;
  #work: Promise<void> = Promise.resolve();

  constructor(first: Held, server: Server, options: WatchOptions = { report: () => {} }) {
    this.#server = server;
    this.#options = { pauses, ...options };
    this.#held = first;
    this.failed = new Promise((_, reject) => {
      this.#giveUp = reject;
    });
    this.failed.catch(() => {});
    this.#hold(first);
  }

  /** Ends the watch, and resolves to the session that was held last. */
  async end(): Promise<Held> {
    this.#ending.abort();
    await this.#work;
    return this.#held;
  }

  #hold(held: Held): void {
    this.#held = held;
    let isOver = false;
    const recover = (): void => {
      if (isOver) return;
      isOver = true;
      this.#work = this.#recover().catch((error) => {
        if (!this.#ending.signal.aborted) this.#giveUp(error);
      });
    };
    held.client.once('end', recover);
    // One that has ended already says so no more.
    held.client.query('select').catch(recover);
  }

  async #recover(): Promise<void> {
    const { signal } = this.#ending;
    signal.throwIfAborted();
    // All sessions end when a process of the server crashes; the server then goes on by itself.
    const client = await this.#server.reenter(this.#held, signal);
    if (client) return this.#hold({ ...this.#held, client });
    if (!this.#server.restart) return;
    const { report } = this.#options;
    const endedAt = performance.now();
    report({ event: 'ended', log: this.#server.lastLines() });
    if (endedAt - this.#startedAt > this.#options.pauses.calm) this.#failures = 0;
    else this.#countFailure(new Error('it ended soon after its start'));
    for (;;) {
      await sleep(this.#pause(), undefined, { signal });
      try {
        const held = await this.#server.restart(signal);
        this.#startedAt = performance.now();
        report({ event: 'restarted', pid: held.server.pid, ms: Math.round(this.#startedAt - endedAt) });
        return this.#hold(held);
      } catch (error) {
        signal.throwIfAborted();
        this.#countFailure(error as Error);
      }
    }
  }

  #pause(): number {
    const { first, longest } = this.#options.pauses;
    return this.#failures === 0 ? 0 : Math.min(first * 2 ** (this.#failures - 1), longest);
  }

  #countFailure(error: Error): void {
    this.#failures++;
    this.#options.report({ event: 'failed', failures: this.#failures, reason: error.message });
    if (this.#failures >= maxFailures)
      throw new Error(`The embedded PostgreSQL cannot be kept running: ${error.message}`, { cause: error });
  }
}
