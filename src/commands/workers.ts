// Runs several worker processes on one port: starts them, replaces those that die, stops them all, and adds up their metrics.
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { AggregatorRegistry, type Registry } from 'prom-client';
import type { LogLines } from '../telemetry/log.ts';
import { type MetricSnapshot, metrics, readMetrics } from '../telemetry/metrics.ts';

const ask = 'muster:read metrics';
const answer = 'muster:metrics';

interface Answer {
  type: typeof answer;
  snapshot: MetricSnapshot;
}

/** In milliseconds: a worker that is busy for longer is counted with what it told last. */
const patienceMs = 1000;

const addUp = (snapshots: MetricSnapshot[]): Registry => AggregatorRegistry.aggregate(snapshots);

/** Answers the primary process. For a worker. */
export const tellMetrics = (): void => {
  process.on('message', async (message: { type?: string }) => {
    if (message.type !== ask) return;
    const snapshot = await readMetrics();
    // The primary process may have ended meanwhile.
    if (process.connected) process.send!({ type: answer, snapshot } satisfies Answer, undefined, undefined, () => {});
  });
};

/** Gauges describe a process that runs; what a worker has counted stays true when it ends. */
const isCount = ({ type, aggregator }: MetricSnapshot[number]): boolean =>
  ['counter', 'histogram'].includes(String(type)) && aggregator === 'sum';

/**
 * Collects the metrics of all workers. Counts of those that ended stay in the sum: otherwise it would fall, and Prometheus would take that for a restart and
 * count all again.
 */
export class WorkerMetrics {
  readonly #latest = new Map<number, MetricSnapshot>();
  readonly #waiting = new Map<number, () => void>();
  #ended: MetricSnapshot = [];
  #reading: Promise<string> | undefined;

  constructor() {
    cluster.on('message', ({ id }, message: Answer) => {
      if (message.type !== answer) return;
      this.#latest.set(id, message.snapshot);
      this.#waiting.get(id)?.();
    });
    cluster.on('exit', ({ id }) => {
      this.#waiting.get(id)?.();
      void this.#keepCounts(id);
    });
  }

  /** The sum of all workers and this process, in the text format of Prometheus. Concurrent reads share one sum. */
  read(): Promise<string> {
    this.#reading ??= this.#addUp().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #addUp(): Promise<string> {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected()) as Worker[];
    await Promise.all(workers.map((worker) => this.#ask(worker)));
    metrics.workers.set(this.#latest.size);
    return addUp([await readMetrics(), this.#ended, ...this.#latest.values()]).metrics();
  }

  async #ask(worker: Worker): Promise<void> {
    const answered = new Promise<void>((resolve) => this.#waiting.set(worker.id, resolve));
    worker.send({ type: ask }, () => {});
    await Promise.race([answered, sleep(patienceMs, undefined, { ref: false })]);
    this.#waiting.delete(worker.id);
  }

  async #keepCounts(id: number): Promise<void> {
    const last = this.#latest.get(id);
    if (!last) return;
    this.#latest.delete(id);
    const kept = addUp([this.#ended, last.filter(isCount)]);
    this.#ended = (await kept.getMetricsAsJSON()) as unknown as MetricSnapshot;
  }
}

/** A server in this process, or several worker processes. */
export interface Listening {
  url: string;
  /** Rejects when it cannot continue: workers die as soon as they start, again and again. */
  failed?: Promise<never>;
  /** Refuses new connections, finishes its requests, and ends. */
  stop(): Promise<void>;
}

/** In milliseconds: pauses before a worker is replaced. They double until workers live longer than `calm`. */
const pauses = { first: 100, longest: 10_000, calm: 30_000 };
/** Replacements in a row that may die before they listen. */
const maxReplacements = 5;
/** In milliseconds: how long a worker may take to exit after its drain time. */
const graceMs = 1500;

let stopping = false;

/** Drains and ends all workers, also while others of them start. */
export const stopWorkers = async (drainSeconds: number): Promise<void> => {
  stopping = true;
  const all = Object.values(cluster.workers ?? {}) as Worker[];
  await Promise.all(all.map((worker) => stopWorker(worker, drainSeconds * 1000 + graceMs)));
};

/**
 * Starts `count` workers, which run this program with `env` added to the environment. The first one starts alone, so that
 * an error in the settings is printed once. Throws when it does not listen.
 */
export const startWorkerProcesses = async (
  count: number,
  env: Record<string, string | number>,
  { log, lines, drainSeconds }: { log: Logger; lines: LogLines; drainSeconds: number },
): Promise<Listening> => {
  // Workers print through this process. If they shared a pipe, any of them could make it blocking for all.
  cluster.setupPrimary({ stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  let giveUp: (error: Error) => void;
  const failed = new Promise<never>((_, reject) => {
    giveUp = reject;
  });
  failed.catch(() => {});

  /** Starts a worker and returns its URL once it listens. `pause` is the wait before it is replaced. */
  const launch = async (pause: number): Promise<string> => {
    const worker = cluster.fork(env);
    forward(worker.process.stdout!, (text) => lines.write(text));
    forward(worker.process.stderr!, (text) => process.stderr.write(text));
    const startedAt = performance.now();
    const url = await new Promise<string>((resolve, reject) => {
      // A worker may say other things before it listens.
      worker.on('message', ({ url }: { url?: string }) => url && resolve(url));
      worker.once('exit', () => reject(new Error('A worker ended before it listened')));
    });
    worker.once('exit', (code, signal) => {
      if (stopping) return;
      metrics.workersEnded.inc();
      log.error({ worker: worker.id, code, signal }, 'worker ended');
      void replace(performance.now() - startedAt > pauses.calm ? pauses.first : pause);
    });
    return url;
  };

  const replace = async (first: number): Promise<void> => {
    let pause = first;
    for (let failures = 1; ; failures++) {
      await sleep(pause);
      if (stopping) return;
      pause = Math.min(pause * 2, pauses.longest);
      try {
        await launch(pause);
        return;
      } catch (error) {
        if (failures === maxReplacements) return giveUp(error as Error);
      }
    }
  };

  // Workers must not outlive this process, which hands them their connections.
  process.on('exit', () => {
    for (const worker of Object.values(cluster.workers ?? {})) worker!.process.kill('SIGKILL');
  });
  try {
    const url = await launch(pauses.first);
    await Promise.all(Array.from({ length: count - 1 }, () => launch(pauses.first)));
    return { url, failed, stop: () => stopWorkers(drainSeconds) };
  } catch (error) {
    await stopWorkers(drainSeconds);
    throw error;
  }
};

/** Forwards whole lines. */
const forward = (from: Readable, write: (text: string) => void): void => {
  let rest = '';
  from.setEncoding('utf8');
  from.on('data', (text: string) => {
    const end = text.lastIndexOf('\n') + 1;
    if (end > 0) write(rest + text.slice(0, end));
    rest = end > 0 ? text.slice(end) : rest + text;
  });
};

const stopWorker = async (worker: Worker, timeoutMs: number): Promise<void> => {
  // The event comes after all output of the worker.
  const gone = once(worker.process, 'close');
  worker.process.kill('SIGTERM');
  const timer = setTimeout(() => worker.process.kill('SIGKILL'), timeoutMs);
  await gone;
  clearTimeout(timer);
};
