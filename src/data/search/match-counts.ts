// The memory of a process for searches: how many contacts each was estimated to match.
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { createPerDatabase } from '../../database/space.ts';
import { createCacheKey } from '../../limits/cache-key.ts';
import type { MatchEstimate } from '../../search/page-plan.ts';

/** The memory of one search. */
export interface RememberedSearch {
  /** Whether gathering by its leading condition found too many contacts, or no match. */
  isGatheredInVain: boolean;
  rememberGatheredInVain(): void;
  readonly estimate: MatchEstimate | undefined;
  rememberEstimate(estimate: MatchEstimate): void;
}

/** In milliseconds: older entries may no longer be true. */
const ttl = 600_000;

/** Keyed by space and words. Words are hashed, because they may be as long as a body. Sizes of spaces expire sooner. */
class SearchMemory {
  readonly #estimates = new LRUCache<string, MatchEstimate>({ max: 10_000, ttl });
  readonly #gatheredInVain = new LRUCache<string, true>({ max: 10_000, ttl });
  readonly #sizes = new LRUCache<number, number>({ max: 10_000, ttl: 60_000 });

  /** The memory of a search in these words. */
  of(space: number, words: string): RememberedSearch {
    const key = createCacheKey(space, hash('sha256', words, 'base64'));
    const estimates = this.#estimates;
    return {
      isGatheredInVain: this.#gatheredInVain.has(key),
      rememberGatheredInVain: () => void this.#gatheredInVain.set(key, true),
      get estimate() {
        return estimates.get(key);
      },
      rememberEstimate: (estimate) => void estimates.set(key, estimate),
    };
  }

  /** How many contacts a space has, about: remembered, or read by `read`. */
  async readSize(space: number, read: () => Promise<number>): Promise<number> {
    const size = this.#sizes.get(space) ?? (await read());
    this.#sizes.set(space, size);
    return size;
  }
}

/** The memory of this process for the searches of a space's database. */
export const getSearchMemory = createPerDatabase(() => new SearchMemory());
