// Follows the feeds of spaces: one look at each feed that somebody follows, twice a second in a process. Nothing is held for a follower who is slow: they read on where they are.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../database/database.ts';
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { type ChangeFilter, type ChangeRow, type FeedPosition, readChanges } from './change.ts';

/** In milliseconds: how often a feed is looked at. */
const pause = 500;
/** Changes that a follower reads at once. */
const readAtOnce = 100;

/** Whether there is something after a position, with or without a position of its own yet. */
const look = defineStatement(
  'change.look',
  `select coalesce((select f.position from change_feeds f where f.group_id = :group), 0) as position,
          exists (select 1 from change_queue q where q.group_id = :group) as waiting`,
);

/** The watch of one feed. */
interface Watch {
  position: number;
  /** Whether changes without a position were seen: whoever reads gives them one. */
  isWaiting: boolean;
  followers: Set<() => void>;
}

/** A change with the epoch of its feed. */
export type FollowedChange = ChangeRow & Pick<FeedPosition, 'epoch'>;

export class ChangeFollower {
  readonly #database: Database;
  readonly #watches = new Map<number, Watch>();
  readonly #closing = new AbortController();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Aborts when the process is to stop: streams end then. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /** Ends all that follow, without an error. */
  close(): void {
    this.#closing.abort();
  }

  /** Yields the changes after a position, those to come too, until `signal` aborts. Throws 410 `changes-gone`, and problems of the database. */
  async *follow(
    space: Space,
    { after, filter, signal }: { after: FeedPosition; filter: ChangeFilter; signal: AbortSignal },
  ): AsyncGenerator<FollowedChange> {
    let at = after;
    while (!signal.aborted) {
      const page = await readChanges(space, { after: at, first: readAtOnce, filter });
      for (const row of page.rows) {
        yield { ...row, epoch: page.end.epoch };
        if (signal.aborted) return;
      }
      at = page.end;
      if (!page.hasMore) await this.#wait(space.id, at.position, signal);
    }
  }

  /** Waits until the feed has something after a position, or `signal` aborts. */
  async #wait(space: number, position: number, signal: AbortSignal): Promise<void> {
    const watch = this.#watches.get(space) ?? this.#begin(space);
    if (watch.position > position) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        if (!signal.aborted && watch.position <= position && !watch.isWaiting) return;
        watch.followers.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      watch.followers.add(wake);
      signal.addEventListener('abort', wake);
      if (signal.aborted) wake();
    });
  }

  #begin(space: number): Watch {
    const watch: Watch = { position: 0, isWaiting: false, followers: new Set() };
    this.#watches.set(space, watch);
    void this.#poll(space, watch);
    return watch;
  }

  /** Looks at a feed as long as somebody follows it. While the database is away it goes on: whoever reads then learns of that. */
  async #poll(space: number, watch: Watch): Promise<void> {
    for (let idle = 0; idle < 2; ) {
      await sleep(pause, undefined, { ref: false });
      if (watch.followers.size === 0) {
        idle++;
        continue;
      }
      idle = 0;
      const [found] = await this.#database
        .space(space, { readsAfter: Number.MAX_SAFE_INTEGER })
        .onPrimary<{ position: number; waiting: boolean }>(look, {})
        .catch(() => []);
      if (!found) continue;
      Object.assign(watch, { position: found.position, isWaiting: found.waiting });
      for (const wake of [...watch.followers]) wake();
    }
    this.#watches.delete(space);
  }
}
