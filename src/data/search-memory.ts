// What a process remembers of searches: how many contacts they concern, and after which contact each page served ended.
import { LRUCache } from 'lru-cache';
import type { Expected, Place } from '../search/order.ts';

export interface Remembered extends Expected {
  anchors: Anchors;
}

/** Pages remembered of one search. */
const most = 5000;

/** The places after which pages begin, by their number. Page 0 begins at the beginning. */
export class Anchors {
  readonly #places = new Map<number, Place>();

  learn(page: number, { part, key, id }: Place): void {
    if (this.#places.size < most || this.#places.has(page)) this.#places.set(page, { part, key, id });
  }

  /** The nearest place known from which a page can be reached, and how many pages before it that is. */
  before(page: number): { after: Place | null; pages: number } {
    const own = this.#places.get(page);
    if (own) return { after: own, pages: 0 };
    let nearest = 0;
    for (const known of this.#places.keys()) if (known < page && known > nearest) nearest = known;
    return { after: this.#places.get(nearest) ?? null, pages: page - nearest };
  }
}

/** Forgets what nobody asked for in ten minutes; the sizes of spaces after one. */
export class SearchMemory {
  readonly #searches = new LRUCache<string, Remembered>({ max: 1000, ttl: 600_000, updateAgeOnGet: true });
  readonly #sizes = new LRUCache<number, number>({ max: 10_000, ttl: 60_000 });

  /** What is remembered of a search of a space in these words; what is not is asked of `size` and `expect`. */
  async of(
    space: number,
    words: string,
    { size, expect }: { size(): Promise<number>; expect(total: number): Promise<Expected> },
  ): Promise<Remembered> {
    const key = `${space} ${words}`;
    const known = this.#searches.get(key);
    if (known) return known;
    const total = this.#sizes.get(space) ?? (await size());
    this.#sizes.set(space, total);
    const remembered = { ...(await expect(total)), anchors: new Anchors() };
    this.#searches.set(key, remembered);
    return remembered;
  }
}
