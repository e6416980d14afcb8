// What a process remembers of searches: how many contacts they concern, and after which contact each page served ended.
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Expected, Place } from '../search/order.ts';

/** What is remembered of one search. */
export interface Remembered {
  anchors: Anchors;
  /** Whether they were gathered in vain whom it leads to: too many, or none that matches. */
  isWide: boolean;
  learnWide(): void;
  readonly expected: Expected | undefined;
  learnExpected(expected: Expected): void;
}

/** In milliseconds: what was expected or learnt so long ago may be true no more. */
const ttl = 600_000;

/** Places of one search. */
const most = 1000;

/** The places after which pages begin, by their number. Page 0 begins at the beginning; of very many the latest are kept. Most searches have none. */
export class Anchors {
  readonly #places = new Map<number, { place: Place; until: number }>();

  learn(page: number, { part, key, id }: Place): void {
    this.#places.delete(page);
    this.#places.set(page, { place: { part, key, id }, until: performance.now() + ttl });
    if (this.#places.size > most) this.#places.delete(this.#places.keys().next().value!);
  }

  /** The nearest place known from which a page can be reached, and how many pages before it that is. */
  before(page: number): { after: Place | null; pages: number } {
    let nearest = 0;
    if (this.#at(page)) nearest = page;
    else
      for (const known of this.#places.keys()) if (known < page && known > nearest && this.#at(known)) nearest = known;
    const after = this.#at(nearest);
    return after ? { after, pages: page - nearest } : { after: null, pages: page };
  }

  #at(page: number): Place | undefined {
    const known = this.#places.get(page);
    return known && known.until > performance.now() ? known.place : undefined;
  }
}

/** By space and words, which are hashed: they may be as long as a body. The sizes of spaces are forgotten sooner. */
export class SearchMemory {
  readonly #expected = new LRUCache<string, Expected>({ max: 10_000, ttl });
  readonly #wide = new LRUCache<string, true>({ max: 10_000, ttl });
  // A sync may take longer than any page of it is remembered.
  readonly #anchors = new LRUCache<string, Anchors>({ max: 1000, ttl, updateAgeOnGet: true });
  readonly #sizes = new LRUCache<number, number>({ max: 10_000, ttl: 60_000 });

  /** What is remembered of a search of a space in these words. */
  of(space: number, words: string): Remembered {
    const key = `${space} ${hash('sha256', words, 'base64')}`;
    const expected = this.#expected;
    return {
      anchors: this.#anchorsOf(key),
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

  #anchorsOf(key: string): Anchors {
    const anchors = this.#anchors.get(key) ?? new Anchors();
    if (!this.#anchors.has(key)) this.#anchors.set(key, anchors);
    return anchors;
  }
}
