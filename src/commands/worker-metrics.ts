// The metrics of an instance with several workers: each tells its own when asked, and the primary process adds them up.
import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { AggregatorRegistry, type Registry } from 'prom-client';
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
