// A streaming replica: its pools, how far it has come with what the primary wrote, and when it is passed by.
import type { Knex } from 'knex';
import { isPoolFull, isServersFault } from './driver-error.ts';
import { closePool, connectPool, endConnections, type Pooler } from './pool.ts';
import { runStatement } from './run-statement.ts';
import { indexOnlySettings, searchSettings } from './search-pool.ts';

/** Where statements of a server are run: most, those that may take long, and those that walk along an index for a moment. */
export interface Pools {
  quick: Knex;
  slow: Knex;
  walks: Knex;
}

/** Runs work that only reads on the pools where that is right for a request. */
export type Reader = <Result>(read: (pools: Pools) => Promise<Result>) => Promise<Result>;

export type ReplicaState = 'in use' | 'behind' | 'failed';

export interface ReplicaOptions {
  /** Of one server: a balancer over several would answer now from one, now from another that is less far. */
  url: string;
  pooler: Pooler;
  /** Connections, as of the primary. */
  sizes: { quick: number; slow: number };
  /** In seconds: how old what it answers may be, to those who have not written since. */
  maxLag: number;
  /** Told when the state changes, with the reason. */
  onState?: (state: ReplicaState, reason?: unknown) => void;
}

/** In milliseconds: how long what is known of its progress is thought true; how long it is left alone after a failure. */
const times = { known: 100, patience: 1000, rest: 5000 };

const progressSql = `select pg_is_in_recovery() as recovering, coalesce(cast(pg_last_wal_replay_lsn() - '0/0' as bigint), -1) as replayed`;
const identitySql = `select system_identifier || '/' || current_database() as id from pg_control_system()`;

/** Positions are bytes of the primary's log since its beginning. */
export class Replica {
  readonly pools: Pools;
  /** A connection of its own: asking how far it is does not wait behind what is read there. */
  readonly #watch: Knex;
  readonly #primary: Knex;
  readonly #options: ReplicaOptions;
  #state: ReplicaState = 'in use';
  #known: { replayed: number; until: number } = { replayed: -1, until: 0 };
  /** A position of the primary that it had not reached, and until when it must have. */
  #due: { position: number; until: number } | undefined;
  #asking: Promise<void> | undefined;
  #isOurs = false;
  #rest: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ReplicaOptions, primary: Knex) {
    const { url, pooler, sizes } = options;
    this.#options = options;
    this.#primary = primary;
    this.pools = {
      quick: connectPool(url, { size: sizes.quick, pooler }),
      slow: connectPool(url, { size: sizes.slow, settings: searchSettings, pooler }),
      walks: connectPool(url, { size: sizes.slow, settings: indexOnlySettings, pooler }),
    };
    this.#watch = connectPool(url, { size: 1, pooler });
  }

  /** Learns where the primary is now. */
  observe(position: number): void {
    if (this.#due || position <= this.#known.replayed) return;
    this.#due = { position, until: performance.now() + this.#options.maxLag * 1000 };
  }

  /** Whether it does well and has all up to this position. */
  async has(position: number): Promise<boolean> {
    if (this.#state === 'failed') return false;
    if (this.#known.replayed < position || this.#known.until < performance.now()) await this.#ask();
    return this.#state === 'in use' && this.#known.replayed >= position;
  }

  /** Passes it by for some seconds, until it answers again. */
  passBy(reason: unknown): void {
    if (this.#rest || this.#isClosed) return;
    this.#known = { replayed: -1, until: 0 };
    this.#isOurs = false;
    this.#due = undefined;
    this.#become('failed', reason);
    // Whoever reads there now reads on the primary instead, and a replica that comes back is asked over new connections.
    for (const knex of [...Object.values(this.pools), this.#watch]) endConnections(knex);
    this.#rest = setTimeout(() => {
      this.#rest = undefined;
      void this.#ask();
    }, times.rest).unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#rest);
    await Promise.all([...Object.values(this.pools), this.#watch].map(closePool));
  }

  /** Asks how far it is; whoever wants to know meanwhile waits for the same answer. */
  #ask(): Promise<void> {
    this.#asking ??= this.#look()
      .catch((error) => this.passBy(error))
      .finally(() => {
        this.#asking = undefined;
      });
    return this.#asking;
  }

  async #look(): Promise<void> {
    const answer = this.#watch.raw(progressSql).timeout(times.patience);
    const [{ recovering, replayed }] = (await answer).rows as [{ recovering: boolean; replayed: number }];
    if (!recovering) throw new Error('It is no replica, or no longer one');
    this.#isOurs ||= await this.#followsPrimary();
    if (!this.#isOurs) throw new Error('It is a replica of another database');
    // A read has failed while it was asked.
    if (this.#rest) return;
    const now = performance.now();
    this.#known = { replayed, until: now + times.known };
    if (this.#due && this.#due.position <= replayed) this.#due = undefined;
    this.#become(this.#due && this.#due.until < now ? 'behind' : 'in use');
  }

  /** A wrong address must not answer with the contacts of another installation. */
  async #followsPrimary(): Promise<boolean> {
    const [mine, its] = await Promise.all(
      [this.#primary, this.#watch].map((knex) => runStatement<{ id: string }>(knex, identitySql, [])),
    );
    return mine![0]!.id === its![0]!.id;
  }

  #become(state: ReplicaState, reason?: unknown): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#options.onState?.(state, reason);
  }
}

/**
 * Where one request reads that must see all up to `position`: on the replica as long as that has it and does well, then on the
 * primary, and from then on there, so that no later part of an answer is older than an earlier one.
 */
export const createReplicaReader = (onPrimary: Reader, replica: Replica, position: number): Reader => {
  let onReplica: Promise<boolean> | undefined;
  return async (read) => {
    onReplica ??= replica.has(position);
    if (!(await onReplica)) return onPrimary(read);
    try {
      return await read(replica.pools);
    } catch (error) {
      if (!isServersFault(error)) throw error;
      // That all our connections are busy says nothing of the server: the one that watches it would tell.
      if (!isPoolFull(error)) replica.passBy(error);
      onReplica = Promise.resolve(false);
      return onPrimary(read);
    }
  };
};
