// Persisted documents: finds the text of a document that a request names by its SHA-256, before the request is priced.
import { hash as digest } from 'node:crypto';
import { limits } from '../limits/limits.ts';
import { createInvalidProblem, Problem } from '../problem.ts';
import type { SentDocument } from './parameters.ts';

/** The documents that an operator allows. */
export interface TrustedDocuments {
  /** Whether no other document is executed. */
  only: boolean;
  texts: ReadonlyMap<string, string>;
}

/** The SHA-256 of a text in UTF-8, in hexadecimal digits. */
export const hashDocument = (text: string): string => digest('sha256', text, 'hex');

const createOnlyProblem = (): Problem =>
  new Problem('PERSISTED_QUERY_ONLY', 'This server executes only its trusted documents, and this text is none of them');

const { persistedBytes: maxBytes } = limits.document;
/** In bytes, estimated: what a text takes in memory beside its characters. */
const perText = 500;
const sizeOf = (text: string): number => perText + 2 * text.length;

/** The texts of a space by their hashes, the one that was not used for the longest time first. */
interface Shelf {
  bytes: number;
  texts: Map<string, string>;
}

/**
 * The texts that clients sent with their hashes. Each space has its own, so that none learns what another sends. When all of them
 * together are too large, the space with the most forgets: no space can push out the texts of one that has fewer.
 */
export class SentTexts {
  readonly #shelves = new Map<number, Shelf>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get(space: number, hash: string): string | undefined {
    const texts = this.#shelves.get(space)?.texts;
    const text = texts?.get(hash);
    if (text !== undefined) {
      texts!.delete(hash);
      texts!.set(hash, text);
    }
    return text;
  }

  add(space: number, hash: string, text: string): void {
    const shelf = this.#shelves.get(space) ?? { bytes: 0, texts: new Map() };
    if (shelf.texts.has(hash)) return;
    this.#shelves.set(space, shelf);
    // A copy, since a part of a long URL would keep all of it in memory.
    shelf.texts.set(hash, Buffer.from(text).toString());
    this.#grow(shelf, sizeOf(text));
    while (this.#bytes > maxBytes) this.#forgetOne();
  }

  #grow(shelf: Shelf, by: number): void {
    shelf.bytes += by;
    this.#bytes += by;
  }

  #forgetOne(): void {
    let [space, largest] = this.#shelves.entries().next().value!;
    for (const [other, shelf] of this.#shelves) if (shelf.bytes > largest.bytes) [space, largest] = [other, shelf];
    const [hash, text] = largest.texts.entries().next().value!;
    largest.texts.delete(hash);
    this.#grow(largest, -sizeOf(text));
    if (largest.texts.size === 0) this.#shelves.delete(space);
  }
}

export class PersistedDocuments {
  readonly #trusted: TrustedDocuments | undefined;
  readonly #sent = new SentTexts();

  constructor(trusted: TrustedDocuments | undefined) {
    this.#trusted = trusted;
  }

  /**
   * The text that a request sends or names. Throws PERSISTED_QUERY_NOT_FOUND for an unknown hash, 400 for a hash that is not the text's, and
   * PERSISTED_QUERY_ONLY for a text that is not trusted where others are not executed.
   */
  findText({ query, hash, hashPlace }: SentDocument, space: number): string {
    if (query === null) {
      const text = this.#trusted?.texts.get(hash!) ?? this.#sent.get(space, hash!);
      if (text !== undefined) return text;
      // The message is part of Apollo's protocol: clients that get it send the text with its hash.
      throw new Problem('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
    }
    const only = this.#trusted?.only === true;
    // A text that is too long is refused for that, and not hashed.
    const isTooLong = query.length > limits.document.characters;
    if (only && isTooLong) throw createOnlyProblem();
    if (isTooLong || (hash === null && !only)) return query;
    const actual = hashDocument(query);
    if (hash !== null && hash !== actual)
      throw createInvalidProblem([{ location: hashPlace, message: 'is not the SHA-256 of query', value: hash }]);
    if (only && !this.#trusted!.texts.has(actual)) throw createOnlyProblem();
    return query;
  }

  /** Remembers a text that came with its hash. It must be a valid document that was paid for: nothing else is worth the memory. */
  remember({ query, hash }: SentDocument, space: number): void {
    if (query === null || hash === null || this.#trusted?.texts.has(hash)) return;
    // Half a surrogate pair has no UTF-8: texts that differ by it have one hash.
    if (!query.isWellFormed()) return;
    this.#sent.add(space, hash, query);
  }
}
