// What a process remembers of searches: how many contacts they concern.
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { createPerDatabase } from '../../database/per-database.ts';
import type { Expected } from '../../search/order.ts';

/** What is remembered of one search. */
export interface RememberedSearch {
  /** Whether they were gathered in vain whom it leads to: too many, or none that matches. */
  isWide: boolean;
  learnWide(): void;
  readonly expected: Expected | undefined;
  learnExpected(expected: Expected): void;
}

/** In milliseconds: what was expected or learnt so long ago may be true no more. */
const ttl = 600_000;

/** By space and words, which are hashed: they may be as long as a body. The sizes of spaces are forgotten sooner. */
export class SearchMemory {
  readonly #expected = new LRUCache<string, Expected>({ max: 10_000, ttl });
  readonly #wide = new LRUCache<string, true>({ max: 10_000, ttl });
  readonly #sizes = new LRUCache<number, number>({ max: 10_000, ttl: 60_000 });

  /** What is remembered of a search of a space in these words. */
  of(space: number, words: string): RememberedSearch {
    const key = `${space} ${hash('sha256', words, 'base64')}`;
    const expected = this.#expected;
    return {
      isWide: this.#wide.has(key),
      learnWide: () => void this.#wide.set(key, true),
      get expected() {
        return expected.get(key);
      },
      learnExpected: (found) => void expected.set(key, found),
    };
  }

  /** How many contacts a space has, about; what is not remembered is asked. */
  async sizeOf(space: number, ask: () => Promise<number>): Promise<number> {
    const size = this.#sizes.get(space) ?? (await ask());
    this.#sizes.set(space, size);
    return size;
  }
}

/** What this process remembers of the searches of a space's database. */
export const getSearchMemory = createPerDatabase(() => new SearchMemory());
