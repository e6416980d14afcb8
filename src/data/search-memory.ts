// What a process remembers of searches: how many contacts they concern, and after which contact each page served ended.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Expected, Place } from '../search/order.ts';

export interface Remembered extends Expected {
  anchors: Anchors;
}

/** In milliseconds: what was expected or learnt so long ago may be true no more. */
const ttl = 600_000;

/** The places after which pages begin, by their number. Page 0 begins at the beginning; of very many the latest are kept. */
export class Anchors {
  readonly #places = new LRUCache<number, Place>({ max: 1000, ttl });

  learn(page: number, { part, key, id }: Place): void {
    this.#places.set(page, { part, key, id });
  }

  /** The nearest place known from which a page can be reached, and how many pages before it that is. */
  before(page: number): { after: Place | null; pages: number } {
    let nearest = 0;
    if (this.#places.has(page)) nearest = page;
    else for (const known of this.#places.keys()) if (known < page && known > nearest) nearest = known;
    const after = this.#places.get(nearest);
    return after ? { after, pages: page - nearest } : { after: null, pages: page };
  }
}

/** By space and words, which are hashed: they may be as long as a body. The sizes of spaces are forgotten sooner. */
export class SearchMemory {
  readonly #expected = new LRUCache<string, Expected>({ max: 1000, ttl });
  // A sync may take longer than any page of it is remembered.
  readonly #anchors = new LRUCache<string, Anchors>({ max: 1000, ttl, updateAgeOnGet: true });
  readonly #sizes = new LRUCache<number, number>({ max: 10_000, ttl: 60_000 });

  /** What is remembered of a search of a space in these words; what is not is asked of `size` and `expect`. */
  async of(
    space: number,
    words: string,
    { size, expect }: { size(): Promise<number>; expect(total: number): Promise<Expected> },
  ): Promise<Remembered> {
    const key = `${space} ${createHash('sha256').update(words).digest('base64')}`;
    let expected = this.#expected.get(key);
    if (!expected) {
      const total = this.#sizes.get(space) ?? (await size());
      this.#sizes.set(space, total);
      expected = await expect(total);
      this.#expected.set(key, expected);
    }
    const anchors = this.#anchors.get(key) ?? new Anchors();
    if (!this.#anchors.has(key)) this.#anchors.set(key, anchors);
    return { ...expected, anchors };
  }
}
