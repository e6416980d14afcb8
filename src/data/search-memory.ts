// What a process remembers of searches: how many contacts they concern, and after which contact each page served ended.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Expected, Place } from '../search/order.ts';

export interface Remembered extends Expected {
  anchors: Anchors;
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
  // A sync may take longer than any page of it is remembered.
  readonly #anchors = new LRUCache<string, Anchors>({ max: 1000, ttl, updateAgeOnGet: true });
  readonly #sizes = new LRUCache<number, number>({ max: 10_000, ttl: 60_000 });

  /** What is remembered of a search of a space in these words, if it is. */
  known(space: number, words: string): Remembered | undefined {
    const key = keyOf(space, words);
    const expected = this.#expected.get(key);
    return expected && { ...expected, anchors: this.#anchorsOf(key) };
  }

  /** The same; what is not remembered is asked of `size` and `expect`. */
  async of(
    space: number,
    words: string,
    { size, expect }: { size(): Promise<number>; expect(total: number): Promise<Expected> },
  ): Promise<Remembered> {
    const known = this.known(space, words);
    if (known) return known;
    const total = this.#sizes.get(space) ?? (await size());
    this.#sizes.set(space, total);
    const expected = await expect(total);
    const key = keyOf(space, words);
    this.#expected.set(key, expected);
    return { ...expected, anchors: this.#anchorsOf(key) };
  }

  #anchorsOf(key: string): Anchors {
    const anchors = this.#anchors.get(key) ?? new Anchors();
    if (!this.#anchors.has(key)) this.#anchors.set(key, anchors);
    return anchors;
  }
}

const keyOf = (space: number, words: string): string =>
  `${space} ${createHash('sha256').update(words).digest('base64')}`;
