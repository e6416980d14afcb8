// Limits concurrent work per key (a key) and in all. The rest waits in a queue that is bounded in length and time.
import type { Problem } from '../problem.ts';

interface SemaphoreOptions {
  /** Pieces of work of one key at once. */
  maxConcurrent: number;
  /** Pieces of work of all keys at once; unlimited without it. */
  maxTotal?: number;
  /** Pieces of one key that may wait. */
  maxQueue: number;
  /** How long one waits at most. */
  queueTimeoutMs: number;
  /** The error when the queue is full, or the wait is over. */
  refusal(): Problem;
  /** The error when the client goes away while it waits. */
  abandonment(): Problem;
}

interface KeyQueue {
  busy: number;
  waiting: (() => void)[];
}

export class KeyedSemaphore {
  readonly #options: SemaphoreOptions;
  readonly #maxTotal: number;
  /** Keys with work under way or waiting, in round-robin order: the key that was served last comes last. */
  readonly #queues = new Map<number, KeyQueue>();
  #busy = 0;

  constructor(options: SemaphoreOptions) {
    this.#options = options;
    this.#maxTotal = options.maxTotal ?? Number.POSITIVE_INFINITY;
  }

  /** Waits until a piece of work may begin, and resolves to the function that ends it. Throws the refusal or the abandonment. */
  async acquire(key: number, signal?: AbortSignal): Promise<() => void> {
    const queue = this.#queues.get(key) ?? { busy: 0, waiting: [] };
    this.#queues.set(key, queue);
    if (queue.busy < this.#options.maxConcurrent && this.#busy < this.#maxTotal) this.#begin(queue);
    else await this.#wait(key, queue, signal);
    return () => this.#leave(key, queue);
  }

  #begin(queue: KeyQueue): void {
    queue.busy++;
    this.#busy++;
  }

  #wait(key: number, queue: KeyQueue, signal: AbortSignal | undefined): Promise<void> {
    const { maxQueue, queueTimeoutMs, refusal, abandonment } = this.#options;
    if (queue.waiting.length >= maxQueue) throw refusal();
    return new Promise<void>((resolve, reject) => {
      const leave = (reason: Problem): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        queue.waiting = queue.waiting.filter((one) => one !== begin);
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
      queue.waiting.push(begin);
    });
  }

  /** Lets the longest-waiting piece of the next key begin that has room; that key then comes last. */
  #leave(key: number, queue: KeyQueue): void {
    queue.busy--;
    this.#busy--;
    for (const [nextKey, next] of this.#queues) {
      if (next.waiting.length === 0 || next.busy >= this.#options.maxConcurrent) continue;
      this.#begin(next);
      this.#queues.delete(nextKey);
      this.#queues.set(nextKey, next);
      next.waiting.shift()!();
      break;
    }
    this.#forget(key, queue);
  }

  #forget(key: number, { busy, waiting }: KeyQueue): void {
    if (busy === 0 && waiting.length === 0) this.#queues.delete(key);
  }
}
