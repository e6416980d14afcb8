// Records when tokens were last used. Requests do not wait for it, and do not fail with it.
import { LRUCache } from 'lru-cache';
import type { Database } from '../database/database.ts';

/** In milliseconds: a use of the same token within this time is not recorded. */
const precision = 60_000;
/** How many tokens' last uses are remembered. */
const maxRecent = 10_000;

export class TokenUses {
  readonly #database: Database;
  /** Tokens whose use was noted a short time ago. */
  readonly #recent = new LRUCache<number, true>({ max: maxRecent, ttl: precision, ttlResolution: 1000 });
  #unwritten = new Set<number>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Notes a use, to be written soon. */
  note(tokenId: number): void {
    if (this.#recent.has(tokenId)) return;
    this.#recent.set(tokenId, true);
    this.#unwritten.add(tokenId);
  }

  /** Writes the uses since the last call. It never rejects: uses that cannot be written are kept for the next call. */
  async write(): Promise<void> {
    const ids = this.#unwritten;
    if (ids.size === 0) return;
    this.#unwritten = new Set();
    await this.#database.recordTokenUses([...ids]).catch(() => {
      for (const id of ids) if (this.#unwritten.size < maxRecent) this.#unwritten.add(id);
    });
  }
}
