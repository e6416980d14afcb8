// Queries that are batched across the requests of a space, as a DataLoader batches those of one request.
import { createBatcher } from './batcher.ts';
import { isValuesFault } from './driver-error.ts';
import type { Pool } from './pool.ts';
import type { Scoped } from './statement.ts';

/** In milliseconds: after this time the next batch no longer waits for the one under way. */
const overtakeAfterMs = 250;

/**
 * A query that one statement answers for many items. The first call runs immediately. Calls of the same space and pool that arrive
 * while it is running are batched into the next statement.
 */
export class BatchedQuery<Item, Answer> {
  readonly #load: (space: Scoped, items: Item[]) => Promise<Answer[]>;
  readonly #maxBatch: number;
  readonly #ofPools = new WeakMap<Pool, (group: number, item: Item) => Promise<Answer>>();

  /** Whether its statement stores changes. */
  readonly stores: boolean;

  /** `load` returns an answer for each of at most `maxBatch` items. */
  constructor(
    maxBatch: number,
    load: (space: Scoped, items: Item[]) => Promise<Answer[]>,
    { stores = false }: { stores?: boolean } = {},
  ) {
    this.stores = stores;
    this.#maxBatch = maxBatch;
    this.#load = load;
  }

  /** The answer for an item. Only Space calls this. */
  load(pool: Pool, group: number, item: Item): Promise<Answer> {
    const known = this.#ofPools.get(pool);
    if (known) return known(group, item);
    const fresh = createBatcher<number, Item, Answer>((group, items) => this.#loadItems(pool.scopeTo(group), items), {
      maxBatch: this.#maxBatch,
      overtakeAfterMs,
    });
    this.#ofPools.set(pool, fresh);
    return fresh(group, item);
  }

  async #loadItems(space: Scoped, items: Item[]): Promise<(Answer | Promise<Answer>)[]> {
    try {
      return await this.#load(space, items);
    } catch (error) {
      // One item made the statement fail for all of them.
      if (items.length === 1 || !isValuesFault(error)) throw error;
      return items.map(async (item) => (await this.#load(space, [item]))[0]!);
    }
  }
}
