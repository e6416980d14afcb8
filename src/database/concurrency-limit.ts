// Turns: of the work of one space only so much is under way at once, and of all spaces together; the rest waits, some of it, for some time.
import type { Problem } from '../problem.ts';

interface SemaphoreOptions {
  /** Pieces of work of one space at once. */
  maxConcurrent: number;
  /** Pieces of work of all spaces at once. */
  maxTotal?: number;
  /** Pieces of one space that may wait. */
  maxQueue: number;
  /** In milliseconds: how long one waits. */
  queueTimeoutMs: number;
  /** What a piece is told for which there is no room, or no time. */
  refusal(): Problem;
  /** What a piece is told whose client went away while it waited. */
  abandonment(): Problem;
}

interface KeyQueue {
  busy: number;
  waiting: (() => void)[];
}

export class KeyedSemaphore {
  readonly #options: SemaphoreOptions;
  readonly #inAll: number;
  /** Those with work under way or waiting; the one whose turn came last is the last. */
  readonly #lines = new Map<number, KeyQueue>();
  #busy = 0;

  constructor(options: SemaphoreOptions) {
    this.#options = options;
    this.#inAll = options.maxTotal ?? Number.POSITIVE_INFINITY;
  }

  /** Waits for the turn of a piece of work; the turn ends when what this resolves to is called. Throws the refusal. */
  async acquire(space: number, signal?: AbortSignal): Promise<() => void> {
    const line = this.#lines.get(space) ?? { busy: 0, waiting: [] };
    this.#lines.set(space, line);
    if (line.busy < this.#options.maxConcurrent && this.#busy < this.#inAll) this.#begin(line);
    else await this.#wait(space, line, signal);
    return () => this.#leave(space, line);
  }

  #begin(line: KeyQueue): void {
    line.busy++;
    this.#busy++;
  }

  #wait(space: number, line: KeyQueue, signal: AbortSignal | undefined): Promise<void> {
    const { maxQueue: waiting, queueTimeoutMs: patience, refusal, abandonment } = this.#options;
    if (line.waiting.length >= waiting) throw refusal();
    return new Promise<void>((resolve, reject) => {
      const leave = (reason: Problem): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        line.waiting = line.waiting.filter((one) => one !== turn);
        this.#forget(space, line);
        reject(reason);
      };
      const abort = (): void => leave(abandonment());
      const timer = setTimeout(() => leave(refusal()), patience);
      const turn = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      signal?.addEventListener('abort', abort, { once: true });
      line.waiting.push(turn);
    });
  }

  /** Hands the turn to whoever waits longest in the next line that may have one; that line is then the last. */
  #leave(space: number, line: KeyQueue): void {
    line.busy--;
    this.#busy--;
    for (const [key, next] of this.#lines) {
      if (next.waiting.length === 0 || next.busy >= this.#options.maxConcurrent) continue;
      this.#begin(next);
      this.#lines.delete(key);
      this.#lines.set(key, next);
      next.waiting.shift()!();
      break;
    }
    this.#forget(space, line);
  }

  #forget(space: number, { busy, waiting }: KeyQueue): void {
    if (busy === 0 && waiting.length === 0) this.#lines.delete(space);
  }
}
