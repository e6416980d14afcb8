// Large operations take turns: what they hold in memory is large, and the slices of all of them together hold the event loop.
import { Turns } from '../database/concurrency-limit.ts';
import { Pace } from '../pace.ts';
import { Problem } from '../problem.ts';

/** Operations that may yield more records than this are paced. */
const pacedFrom = 1000;
/** Large operations of this process at once, and of one space; how many more of each wait, and for how many milliseconds. */
const ofProcess = { atOnce: 2, waiting: 200, patience: 10_000 };
const ofSpace = { atOnce: 1, waiting: 20, patience: 10_000 };

const refuse = (): Problem =>
  new Problem('too-many-large-operations', 'Too many large operations are under way; ask again when one is done', {
    headers: { 'Retry-After': '1' },
  });

export class LargeOperations {
  readonly #all = new Turns({ ...ofProcess, refusal: refuse, abandonment: refuse });
  readonly #spaces = new Turns({ ...ofSpace, refusal: refuse, abandonment: refuse });

  /** The pace of an operation that may yield so many records; undefined for a small one. */
  paceOf(nodes: number, space: number, signal: () => AbortSignal): Pace | undefined {
    return nodes > pacedFrom ? new Pace(() => this.#enter(space, signal())) : undefined;
  }

  async #enter(space: number, signal: AbortSignal): Promise<() => void> {
    const leaveSpace = await this.#spaces.take(space, signal);
    try {
      const leaveAll = await this.#all.take(0, signal);
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
