// Keeps the embedded PostgreSQL running: restarts it when it dies, and gives up after repeated failures.
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Postmaster } from './server-process.ts';

/** A session on the running server. It ends with the server. */
export interface ServerSession {
  server: Postmaster;
  client: pg.Client;
}

/** Events of the server. Each is reported once. */
export type EmbeddedEvent =
  | { event: 'ended'; log: string[] }
  | { event: 'failed'; failures: number; reason: string }
  | { event: 'restarted'; pid: number; ms: number };

/** In milliseconds. The pause after the first failure doubles with each further failure. A server that runs longer than `calm` is healthy. */
export const pauses = { first: 500, longest: 10_000, calm: 30_000 };
/** The limit of consecutive failures: failed starts, and servers that die before they are healthy. */
export const maxFailures = 5;

export interface WatchOptions {
  report(event: EmbeddedEvent): void;
  pauses?: typeof pauses;
}

/** The operations that the supervisor needs. Each stops when its signal aborts. */
interface Server {
  /** Opens another session on the same server. Returns undefined when the server has ended. */
  reenter(session: ServerSession, signal: AbortSignal): Promise<pg.Client | undefined>;
  /** Restarts the server, or attaches to it if another process has. Without this function, an ended server is left alone. */
  restart?(signal: AbortSignal): Promise<ServerSession>;
  /** Reads the last lines of the server's log. */
  lastLines(): string[];
}

export class Supervisor {
  /** Rejects when the server cannot be kept running. */
  readonly failed: Promise<never>;
  readonly #server: Server;
  readonly #options: Required<WatchOptions>;
  readonly #ending = new AbortController();
  #giveUp: (error: Error) => void = () => {};
  #session: ServerSession;
  #startedAt = performance.now();
  #failures = 0;
  #work: Promise<void> = Promise.resolve();

  constructor(first: ServerSession, server: Server, options: WatchOptions = { report: () => {} }) {
    this.#server = server;
    this.#options = { pauses, ...options };
    this.#session = first;
    this.failed = new Promise((_, reject) => {
      this.#giveUp = reject;
    });
    this.failed.catch(() => {});
    this.#watchSession(first);
  }

  /** Stops watching, and resolves to the last session. */
  async end(): Promise<ServerSession> {
    this.#ending.abort();
    await this.#work;
    return this.#session;
  }

  #watchSession(session: ServerSession): void {
    this.#session = session;
    let isOver = false;
    const recover = (): void => {
      if (isOver) return;
      isOver = true;
      this.#work = this.#recover().catch((error) => {
        if (!this.#ending.signal.aborted) this.#giveUp(error);
      });
    };
    session.client.once('end', recover);
    // A client that has ended already emits no event.
    session.client.query('select').catch(recover);
  }

  async #recover(): Promise<void> {
    const { signal } = this.#ending;
    signal.throwIfAborted();
    // When a backend crashes, all sessions end and the server recovers by itself.
    const client = await this.#server.reenter(this.#session, signal);
    if (client) return this.#watchSession({ ...this.#session, client });
    if (!this.#server.restart) return;
    const { report } = this.#options;
    const endedAt = performance.now();
    report({ event: 'ended', log: this.#server.lastLines() });
    if (endedAt - this.#startedAt > this.#options.pauses.calm) this.#failures = 0;
    else this.#countFailure(new Error('it ended soon after its start'));
    for (;;) {
      await sleep(this.#pause(), undefined, { signal });
      try {
        const session = await this.#server.restart(signal);
        this.#startedAt = performance.now();
        report({ event: 'restarted', pid: session.server.pid, ms: Math.round(this.#startedAt - endedAt) });
        return this.#watchSession(session);
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
