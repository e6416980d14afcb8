// The memory of a process for searches: how many contacts each was estimated to match, and how long it took.
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { takesLong } from '../../database/search-pool.ts';
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
  /** In milliseconds: how long it took the last time. It is infinite where there was no last time and it may take long, and undefined where nothing is known. */
  expectDuration(request: SearchRequest): number | undefined;
  rememberDuration(request: SearchRequest, ms: number): void;
}

/** Requests of a search differ in how long they take: by their kind, and by how many contacts they read or count at most. */
export interface SearchRequest {
  kind: 'page' | 'deep page' | 'ceiling' | 'count';
  limit: number | null;
}

/** In milliseconds: older entries may no longer be true. */
const ttl = 600_000;

/** Counting more contacts may take long. */
const quicklyCounted = 25_000;

/** Keyed by space and words. Words are hashed, because they may be as long as a body. */
class SearchMemory {
  readonly #estimates = new LRUCache<string, MatchEstimate>({ max: 10_000, ttl });
  readonly #gatheredInVain = new LRUCache<string, true>({ max: 10_000, ttl });
  readonly #durations = new LRUCache<string, number>({ max: 10_000, ttl });

  /** The memory of a search in these words. */
  of(space: number, words: string): RememberedSearch {
    const key = createCacheKey(space, hash('sha256', words, 'base64'));
    const [estimates, durations] = [this.#estimates, this.#durations];
    return {
      isGatheredInVain: this.#gatheredInVain.has(key),
      rememberGatheredInVain: () => void this.#gatheredInVain.set(key, true),
      get estimate() {
        return estimates.get(key);
      },
      rememberEstimate: (estimate) => void estimates.set(key, estimate),
      expectDuration: ({ kind, limit }) => {
        const took = durations.get(createCacheKey(key, kind, limit));
        if (took !== undefined || kind !== 'count') return took;
        return (estimates.get(key)?.matches ?? takesLong) > quicklyCounted ? takesLong : undefined;
      },
      rememberDuration: ({ kind, limit }, ms) => void durations.set(createCacheKey(key, kind, limit), ms),
    };
  }
}

/** The memory of this process for the searches of a space's database. */
export const getSearchMemory = createPerDatabase(() => new SearchMemory());
