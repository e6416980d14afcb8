// Runs jobs until it is stopped: finds work, takes jobs from the queue, and runs them side by side.
import type { Database } from '../database/database.ts';
import { isMeasured } from '../telemetry/metrics.ts';
import type { DeliveryPolicy } from './deliver-webhook.ts';
import { measureWork } from './measure.ts';
import { type JobInput, type JobQueue, openJobQueue, type TakenJob } from './queue.ts';
import { type JobContext, type JobName, jobNames, jobs } from './table.ts';

interface JobsOptions {
  delivery: DeliveryPolicy;
  /** Called for the first of several failures in a row, and for each job that failed. */
  onFailure(error: unknown, job?: JobName): void;
  /** In milliseconds: how often work is looked for. */
  every?: number;
}

export interface RunningJobs {
  /** Ends jobs under way soon; what is left of their work is found again. */
  stop(): Promise<void>;
}

/** In milliseconds: how often work is looked for. */
const usualPause = 1000;
/** In milliseconds: the pause before a round that a job asks for. A round costs some statements, so constant writes must not cause one after the other. */
const wakePause = 100;
/** In milliseconds: how often waiting work is counted for the metrics. */
const measurePause = 10_000;
/** In milliseconds: the pause after the database could not be reached. */
const failurePause = 5000;

class Runner {
  readonly #database: Database;
  readonly #options: Required<JobsOptions>;
  readonly #stopping = new AbortController();
  readonly #running = new Map<JobName, Set<Promise<void>>>(jobNames.map((name) => [name, new Set()]));
  #queue: JobQueue | undefined;
  /** Whether a job has asked for a round since the last one began. */
  #isWoken = false;
  /** Ends the present pause in so many milliseconds at the latest. */
  #shortenPause: ((ms: number) => void) | undefined;
  #hasFailed = false;
  /** When waiting work is counted next, by `performance.now()`. */
  #nextMeasure = 0;

  constructor(database: Database, options: JobsOptions) {
    this.#database = database;
    this.#options = { every: usualPause, ...options };
  }

  async run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const pause = await this.#runRound().then(
        (isMore) => (isMore ? 0 : this.#options.every),
        (error) => this.#report(error),
      );
      if (pause > 0 && !signal.aborted) await this.#rest(pause);
    }
    await Promise.all([...this.#running.values()].flatMap((some) => [...some]));
    await this.#queue?.close();
  }

  async stop(over: Promise<void>): Promise<void> {
    this.#stopping.abort();
    this.#shortenPause?.(0);
    await over;
  }

  /** Looks for work and begins jobs. Resolves to whether more jobs may be waiting that this process has room for. */
  async #runRound(): Promise<boolean> {
    this.#queue ??= await openJobQueue(this.#database, (error) => this.#report(error));
    for (const name of jobNames)
      for (const input of (await jobs[name].find?.(this.#database)) ?? []) await this.#queue.send(name, input);
    let isMore = false;
    for (const name of jobNames) isMore = (await this.#begin(name, this.#queue)) || isMore;
    await this.#measure(this.#queue);
    this.#hasFailed = false;
    return isMore;
  }

  /** Counts here, and not when the metrics are read: that then needs no database. */
  async #measure(queue: JobQueue): Promise<void> {
    const now = performance.now();
    if (!isMeasured() || now < this.#nextMeasure) return;
    this.#nextMeasure = now + measurePause;
    await measureWork(this.#database, queue);
  }

  async #begin(name: JobName, queue: JobQueue): Promise<boolean> {
    const running = this.#running.get(name)!;
    const free = jobs[name].concurrency - running.size;
    if (free <= 0 || this.#stopping.signal.aborted) return false;
    const taken = await queue.take(name, free);
    for (const job of taken) {
      const work = this.#runJob(name, job, queue).finally(() => {
        running.delete(work);
        this.#wake();
      });
      running.add(work);
    }
    return taken.length === free && taken.length < jobs[name].concurrency;
  }

  async #runJob(name: JobName, { id, input }: TakenJob, queue: JobQueue): Promise<void> {
    const context: JobContext = {
      database: this.#database,
      delivery: this.#options.delivery,
      signal: this.#stopping.signal,
      send: async (other: JobName, about: JobInput) => {
        await queue.send(other, about);
        this.#wake();
      },
    };
    try {
      await jobs[name].run(context, input);
      await queue.complete(name, id);
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#options.onFailure(error, name);
      await queue.fail(name, id, error).catch((failure) => this.#report(failure));
    }
  }

  /** Asks for a round soon. */
  #wake(): void {
    if (this.#isWoken) return;
    this.#isWoken = true;
    this.#shortenPause?.(wakePause);
  }

  async #rest(pause: number): Promise<void> {
    await new Promise<void>((resolve) => {
      let timer = setTimeout(resolve, pause).unref();
      this.#shortenPause = (ms) => {
        clearTimeout(timer);
        timer = setTimeout(resolve, Math.min(pause, ms));
      };
      if (this.#isWoken) this.#shortenPause(wakePause);
    });
    this.#shortenPause = undefined;
    this.#isWoken = false;
  }

  /** Reports the first of several failures, and yields the pause after it. */
  #report(error: unknown): number {
    if (!this.#hasFailed && !this.#stopping.signal.aborted) this.#options.onFailure(error);
    this.#hasFailed = true;
    return failurePause;
  }
}

/** Runs jobs in this process until it is stopped. It waits for a database that is away. */
export const runJobs = (database: Database, options: JobsOptions): RunningJobs => {
  const runner = new Runner(database, options);
  const over = runner.run();
  return { stop: () => runner.stop(over) };
};
