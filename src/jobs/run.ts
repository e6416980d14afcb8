// Runs jobs until it is stopped: finds work, takes leases on it, does it side by side, and measures what waits.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import { isMeasured, metrics } from '../telemetry/metrics.ts';
import { countWaiting, freeLease, type Lease, postponeWork, renewLease, takeLeases } from './leases.ts';
import { type FoundWork, findJobWork, type JobContext, type JobInput, type JobName, jobNames, jobs } from './table.ts';

/** No more deliveries are counted: it is clear by then that they pile up. */
const most = 10_000;

/** The order makes the planner read the index of waiting deliveries, not the table, even when its statistics are old. */
const dueDeliveries = `
  select cast(count(*) as int) as due from (
    select d.id from webhooks w join webhook_deliveries d on d.group_id = w.group_id and d.webhook_id = w.id
     where w.disabled_at is null and d.state = 'waiting' and d.next_attempt_at <= now()
     order by d.group_id, d.webhook_id, d.next_attempt_at limit ${most}) counted`;

/** Sets the gauges of waiting work, from the work that was found just now. They keep their values when the database does not answer. */
const measureWork = async (database: Database, found: ReadonlyMap<JobName, FoundWork>): Promise<void> => {
  const { jobPool } = database;
  for (const [name, work] of found)
    metrics.jobsWaiting.set({ queue: name }, await countWaiting(jobPool, name, [...work.keys()]));
  const [row] = await jobPool.run<{ due: number }>(dueDeliveries, {}, 'delivery.count_due');
  metrics.deliveriesWaiting.set(row!.due);
};

interface JobsOptions extends Pick<JobContext, 'delivery' | 'importFile'> {
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
/** In milliseconds: the pause before the round after a job, which may have made work for others. A round costs some statements, so constant writes must not cause one after the other. */
const wakePause = 100;
/** In milliseconds: how often waiting work is counted for the metrics. */
const measurePause = 10_000;
/** In milliseconds: how often a running job renews its lease, so that one failure does not lose it. */
const renewPause = 10_000;
/** In milliseconds: the pause after the database could not be reached. */
const failurePause = 5000;

class Runner {
  readonly #database: Database;
  readonly #options: Required<JobsOptions>;
  readonly #stopping = new AbortController();
  /** The jobs under way, each with its space. */
  readonly #running = new Map<JobName, Map<Promise<void>, number>>(jobNames.map((name) => [name, new Map()]));
  /** Aborts when a job has ended since the last pause. */
  #waking = new AbortController();
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
        () => this.#options.every,
        (error) => this.#report(error),
      );
      if (!signal.aborted) await this.#rest(pause);
    }
    await Promise.all([...this.#running.values()].flatMap((some) => [...some.keys()]));
  }

  async stop(over: Promise<void>): Promise<void> {
    this.#stopping.abort();
    this.#waking.abort();
    await over;
  }

  async #runRound(): Promise<void> {
    const found = new Map<JobName, FoundWork>();
    for (const name of jobNames) {
      const work = await findJobWork(name, this.#database);
      found.set(name, work);
      await this.#begin(name, work);
    }
    await this.#measure(found);
    this.#hasFailed = false;
  }

  /** Counts here, and not when the metrics are read: that then needs no database. */
  async #measure(found: ReadonlyMap<JobName, FoundWork>): Promise<void> {
    const now = performance.now();
    if (!isMeasured() || now < this.#nextMeasure) return;
    this.#nextMeasure = now + measurePause;
    await measureWork(this.#database, found);
  }

  /** Begins as much of the work as this process has room for. */
  async #begin(name: JobName, found: FoundWork): Promise<void> {
    const running = this.#running.get(name)!;
    const { concurrency, concurrencyOfSpace = concurrency } = jobs[name];
    const free = concurrency - running.size;
    if (found.size === 0 || free <= 0 || this.#stopping.signal.aborted) return;
    const busy = [...running.values()];
    const wanted = [...found].map(([key, { space }]) => ({
      key,
      room: concurrencyOfSpace - busy.filter((one) => one === space).length,
    }));
    for (const lease of await takeLeases(this.#database.jobPool, name, wanted, free)) {
      const input = found.get(lease.key)!;
      const work = this.#runJob(name, lease, input).finally(() => {
        running.delete(work);
        this.#waking.abort();
      });
      running.set(work, input.space!);
    }
  }

  async #runJob(name: JobName, lease: Lease, input: JobInput): Promise<void> {
    const { jobPool } = this.#database;
    const { delivery, importFile, onFailure } = this.#options;
    const { signal } = this.#stopping;
    const renewal = setInterval(() => {
      renewLease(jobPool, lease).catch((error) => this.#report(error));
    }, renewPause);
    try {
      await jobs[name].run({ database: this.#database, delivery, importFile, signal }, input);
      await freeLease(jobPool, lease);
    } catch (error) {
      if (!signal.aborted) onFailure(error, name);
      await postponeWork(jobPool, lease).catch((failure) => this.#report(failure));
    } finally {
      clearInterval(renewal);
    }
  }

  /** Pauses, or for a shorter time from when a job ends. */
  async #rest(pause: number): Promise<void> {
    const shortPause = Math.min(pause, wakePause);
    await sleep(pause, undefined, { signal: this.#waking.signal, ref: false })
      .catch(() => sleep(shortPause, undefined, { signal: this.#stopping.signal, ref: false }))
      .catch(() => {});
    this.#waking = new AbortController();
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

/** The addresses that webhooks may have, and the time of an attempt. */
export const readSenderOptions = (config: Config) => ({
  allowsPrivate: config.WEBHOOK_PRIVATE_ADDRESSES,
  timeoutMs: config.WEBHOOK_TIMEOUT_SECONDS * 1000,
});

/** In seconds: how long webhooks are tried. */
export const readDeliveryPolicy = (config: Config) => ({
  timeout: config.WEBHOOK_TIMEOUT_SECONDS,
  firstPause: config.WEBHOOK_RETRY_SECONDS,
  giveUpAfter: config.WEBHOOK_RETRY_DAYS * 86_400,
  disableAfter: config.WEBHOOK_DISABLE_DAYS * 86_400,
  invitationUrl: config.INVITATION_URL,
});
