// Records when tokens were last used, and what each caller spends. Requests do not wait for it, and do not fail with it.
import { LRUCache } from 'lru-cache';
import { recordSpending } from '../data/access/spending.ts';
import type { Database } from '../database/database.ts';

/** In milliseconds: a use of the same token within this time is not recorded. */
const precision = 60_000;
/** How many tokens' last uses are remembered, and how many callers' spending. */
const maxRecent = 10_000;

interface Use {
  tokenId: number;
  userId: number;
  groupId: number;
}

export class TokenUses {
  readonly #database: Database;
  /** Tokens whose use was noted a short time ago. */
  readonly #recent = new LRUCache<number, true>({ max: maxRecent, ttl: precision, ttlResolution: 1000 });
  #unwritten = new Set<number>();
  /** The points that the callers of each space have spent since the last call. */
  #spent = new Map<number, Map<number, number>>();
  #spenders = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Notes a use and what it cost, to be written soon. */
  note({ tokenId, userId, groupId }: Use, cost: number): void {
    if (cost > 0) this.#add(groupId, userId, cost);
    if (this.#recent.has(tokenId)) return;
    this.#recent.set(tokenId, true);
    this.#unwritten.add(tokenId);
  }

  #add(groupId: number, userId: number, cost: number): void {
    const ofSpace = this.#spent.get(groupId) ?? new Map<number, number>();
    const known = ofSpace.get(userId);
    if (known === undefined && this.#spenders++ >= maxRecent) return;
    this.#spent.set(groupId, ofSpace.set(userId, (known ?? 0) + cost));
  }

  /** Writes the uses since the last call. It never rejects: uses that cannot be written are kept for the next call. */
  async write(): Promise<void> {
    await Promise.all([this.#writeUses(), this.#writeSpending()]);
  }

  async #writeUses(): Promise<void> {
    const ids = this.#unwritten;
    if (ids.size === 0) return;
    this.#unwritten = new Set();
    await this.#database.recordTokenUses([...ids]).catch(() => {
      for (const id of ids) if (this.#unwritten.size < maxRecent) this.#unwritten.add(id);
    });
  }

  /** One space after the other, so that it takes one connection. */
  async #writeSpending(): Promise<void> {
    const spent = this.#spent;
    this.#spent = new Map();
    this.#spenders = 0;
    for (const [groupId, callers] of spent)
      await recordSpending(this.#database.space(groupId), callers).catch(() => {
        for (const [userId, cost] of callers) this.#add(groupId, userId, cost);
      });
  }
}
