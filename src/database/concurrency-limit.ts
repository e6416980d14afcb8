// Limits concurrent work per key (a key) and in all. The rest waits in a queue that is bounded in length and time.
import type { Problem } from '../problem.ts';

interface SemaphoreOptions {
  /** Pieces of work of one key at once. */
  maxConcurrent: number;
  /** Pieces of work of all keys at once; unlimited without it. */
  maxTotal?: number;
  /** Pieces of one key at once that take longer than this, in milliseconds; as many as others without it. */
  long?: { from: number; max: number };
  /** Pieces of one key that may wait, and as many of those that take long. */
  maxQueue: number;
  /** How long one waits at most. */
  queueTimeoutMs: number;
  /** The error when the queue is full, or the wait is over. */
  refusal(): Problem;
  /** The error when the client goes away while it waits; the refusal without it. */
  abandonment?(): Problem;
}

interface KeyQueue {
  busy: number;
  /** How many of these take long. */
  long: number;
  /** In the order of their deadlines, by the clock of the process. */
  waiting: { begin: () => void; isLong: boolean; deadline: number }[];
}

interface Work {
  signal?: AbortSignal | undefined;
  /** The expected duration, in milliseconds. */
  expectedMs?: number;
}

/**
 * Waiting work begins in the order of its deadlines: short work overtakes long work, which still gets its turn. A deadline is so many times the expected
 * duration, and `longestDeadline` at most.
 */
const slowdown = 20;
/** In milliseconds; shorter than the longest wait. */
const longestDeadline = 4000;

export class KeyedSemaphore {
  readonly #options: SemaphoreOptions;
  readonly #maxTotal: number;
  readonly #long: { from: number; max: number };
  /** Keys with work under way or waiting, in round-robin order: the key that was served last comes last. */
  readonly #queues = new Map<number, KeyQueue>();
  #busy = 0;

  constructor(options: SemaphoreOptions) {
    this.#options = options;
    this.#maxTotal = options.maxTotal ?? Number.POSITIVE_INFINITY;
    this.#long = options.long ?? { from: Number.POSITIVE_INFINITY, max: 0 };
  }

  /** Waits until a piece of work may begin, and resolves to the function that ends it. Throws the refusal or the abandonment. */
  async acquire(key: number, { signal, expectedMs = 0 }: Work = {}): Promise<() => void> {
    const isLong = expectedMs > this.#long.from;
    const queue = this.#queues.get(key) ?? { busy: 0, long: 0, waiting: [] };
    this.#queues.set(key, queue);
    if (this.#hasRoom(queue, isLong) && this.#busy < this.#maxTotal) this.#begin(queue, isLong);
    else await this.#wait(key, queue, { signal, isLong, expectedMs });
    return () => this.#leave(key, queue, isLong);
  }

  #hasRoom({ busy, long }: KeyQueue, isLong: boolean): boolean {
    return busy < this.#options.maxConcurrent && !(isLong && long >= this.#long.max);
  }

  #begin(queue: KeyQueue, isLong: boolean): void {
    queue.busy++;
    if (isLong) queue.long++;
    this.#busy++;
  }

  #wait(
    key: number,
    queue: KeyQueue,
    { signal, isLong, expectedMs }: { signal: AbortSignal | undefined; isLong: boolean; expectedMs: number },
  ): Promise<void> {
    const { maxQueue, queueTimeoutMs, refusal, abandonment = refusal } = this.#options;
    // A signal tells nobody of its abort who listens after that.
    if (signal?.aborted) {
      this.#forget(key, queue);
      throw abandonment();
    }
    if (queue.waiting.filter((one) => one.isLong === isLong).length >= maxQueue) throw refusal();
    return new Promise<void>((resolve, reject) => {
      const leave = (reason: Problem): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        queue.waiting = queue.waiting.filter((one) => one.begin !== begin);
        this.#forget(key, queue);
        reject(reason);
      };
      const abort = (): void => leave(abandonment());
      const timer = setTimeout(() => leave(refusal()), queueTimeoutMs);
      const begin = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      signal?.addEventListener('abort', abort, { once: true });
      const deadline = performance.now() + Math.min(slowdown * expectedMs, longestDeadline);
      const place = queue.waiting.findLastIndex((one) => one.deadline <= deadline);
      queue.waiting.splice(place + 1, 0, { begin, isLong, deadline });
    });
  }

  /** Begins the piece with the earliest deadline of the next key that has room for one; that key then comes last. */
  #leave(key: number, queue: KeyQueue, wasLong: boolean): void {
    queue.busy--;
    if (wasLong) queue.long--;
    this.#busy--;
    for (const [nextKey, next] of this.#queues) {
      const piece = next.waiting.find(({ isLong }) => this.#hasRoom(next, isLong));
      if (!piece) continue;
      this.#begin(next, piece.isLong);
      next.waiting.splice(next.waiting.indexOf(piece), 1);
      this.#queues.delete(nextKey);
      this.#queues.set(nextKey, next);
      piece.begin();
      break;
    }
    this.#forget(key, queue);
  }

  #forget(key: number, { busy, waiting }: KeyQueue): void {
    if (busy === 0 && waiting.length === 0) this.#queues.delete(key);
  }
}
