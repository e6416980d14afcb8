// Large operations take turns: what they hold in memory is large, and the slices of all of them together hold the event loop.
import { KeyedSemaphore } from '../database/concurrency-limit.ts';
import { Pace } from '../limits/pace.ts';
import { Problem } from '../problem.ts';

/** Operations that may yield more records than this are paced. */
const pacedFrom = 1000;
/** Large operations of this process at once, and of one space; how many more of each wait, and for how many milliseconds. */
const ofProcess = { maxConcurrent: 2, maxQueue: 200, queueTimeoutMs: 10_000 };
const ofSpace = { maxConcurrent: 1, maxQueue: 20, queueTimeoutMs: 10_000 };

const createTooManyProblem = (): Problem =>
  new Problem('too-many-large-operations', 'Too many large operations are under way; ask again when one is done', {
    headers: { 'Retry-After': '1' },
  });

export class LargeOperations {
  readonly #all = new KeyedSemaphore({
    ...ofProcess,
    refusal: createTooManyProblem,
    abandonment: createTooManyProblem,
  });
  readonly #spaces = new KeyedSemaphore({
    ...ofSpace,
    refusal: createTooManyProblem,
    abandonment: createTooManyProblem,
  });

  /** The pace of an operation that may yield so many records; undefined for a small one. */
  paceOf(nodes: number, space: number, signal: () => AbortSignal): Pace | undefined {
    return nodes > pacedFrom ? new Pace(() => this.#enter(space, signal())) : undefined;
  }

  async #enter(space: number, signal: AbortSignal): Promise<() => void> {
    const leaveSpace = await this.#spaces.acquire(space, signal);
    try {
      const leaveAll = await this.#all.acquire(0, signal);
      return () => {
        leaveAll();
        leaveSpace();
      };
    } catch (error) {
      leaveSpace();
      throw error;
    }
  }
}
