// What requests of one space ask together, by one statement: as a DataLoader does for one request, across those that are under way.
import type { Knex } from 'knex';
import { createBatcher } from './batcher.ts';
import { isValuesFault } from './driver-error.ts';
import { type Scoped, scopeToSpace } from './statement.ts';

/** In milliseconds: after so long a question is asked for others beside the one that is not answered yet. */
const overtakeAfter = 250;

/**
 * A question that is asked for many at once. Whoever comes alone asks at once, and waits for nobody; whoever comes while it is
 * being asked for others of their space, by the same pool, asks next, with all who came meanwhile.
 */
export class BatchedQuery<Item, Answer> {
  readonly #ask: (space: Scoped, items: Item[]) => Promise<Answer[]>;
  readonly #most: number;
  readonly #ofPools = new WeakMap<Knex, (group: number, item: Item) => Promise<Answer>>();

  /** `ask` gives an answer for each of the items, of which there are `most` at most. */
  constructor(most: number, ask: (space: Scoped, items: Item[]) => Promise<Answer[]>) {
    this.#most = most;
    this.#ask = ask;
  }

  /** The answer for an item. Only a Space may ask. */
  load(knex: Knex, group: number, item: Item): Promise<Answer> {
    const known = this.#ofPools.get(knex);
    if (known) return known(group, item);
    const fresh = createBatcher<number, Item, Answer>(
      (group, items) => this.#askFor(scopeToSpace(knex, group), items),
      {
        maxBatch: this.#most,
        overtakeAfterMs: overtakeAfter,
      },
    );
    this.#ofPools.set(knex, fresh);
    return fresh(group, item);
  }

  async #askFor(space: Scoped, items: Item[]): Promise<(Answer | Promise<Answer>)[]> {
    try {
      return await this.#ask(space, items);
    } catch (error) {
      // It failed for all because of what one of them brought.
      if (items.length === 1 || !isValuesFault(error)) throw error;
      return items.map(async (item) => (await this.#ask(space, [item]))[0]!);
    }
  }
}
