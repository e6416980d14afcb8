// A streaming replica: its pools, how far it has replayed the primary's log, and when the primary answers in its place.
import { metrics, secondsSince } from '../telemetry/metrics.ts';
import { isPoolFull, isServersFault } from './driver-error.ts';
import { type ConnectOptions, Pool, type Pooler, type PoolName } from './pool.ts';
import { indexOnlySettings, searchSettings } from './search-pool.ts';

/** The pools of a server: for most statements, for those that may take long, and for short index scans. */
interface ServerPools {
  quick: Pool;
  search: Pool;
  indexOnly: Pool;
}

/** Runs read-only work on the pools that a request may read from. */
export type Reader = <Result>(read: (pools: ServerPools) => Promise<Result>) => Promise<Result>;

export type ReplicaState = 'in use' | 'behind' | 'failed';

export interface ReplicaOptions {
  /** The address of one server. A balancer over several would answer now from one, now from another that lags behind it. */
  url: string;
  pooler: Pooler;
  /** Connections, as many as the primary's pools have. */
  sizes: { quick: number; slow: number };
  /** In seconds: how stale an answer may be for a caller who has not written since. */
  maxLag: number;
  /** Told when the state changes, with the reason. */
  onState?: (state: ReplicaState, reason?: unknown) => void;
}

/** In milliseconds: how long a progress report is believed, how long one is waited for, and how long a failed replica is not asked. */
const timesMs = { progress: 100, answer: 1000, rest: 5000 };

const progressSql = `select pg_is_in_recovery() as recovering, coalesce(cast(pg_last_wal_replay_lsn() - '0/0' as bigint), -1) as replayed`;
const identitySql = `select system_identifier || '/' || current_database() as id from pg_control_system()`;

/** Positions are bytes of the primary's log since its beginning. */
export class Replica {
  readonly pools: ServerPools;
  /** A connection of its own, so that asking for its progress does not wait behind reads. */
  readonly #watch: Pool;
  readonly #primary: Pool;
  readonly #options: ReplicaOptions;
  #state: ReplicaState = 'in use';
  #known: { replayed: number; until: number } = { replayed: -1, until: 0 };
  /** A position of the primary that it had not reached yet, and by when it must have. */
  #due: { position: number; until: number } | undefined;
  #asking: Promise<void> | undefined;
  #isOurs = false;
  #rest: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ReplicaOptions, primary: Pool) {
    const { url, pooler, sizes } = options;
    this.#options = options;
    this.#primary = primary;
    const connect = (pool: PoolName['pool'], size: number, settings: ConnectOptions['settings'] = {}): Pool =>
      Pool.connect(url, { size, settings, pooler, name: { server: 'replica', pool } });
    this.pools = {
      quick: connect('readers', sizes.quick),
      search: connect('searches', sizes.slow, searchSettings),
      indexOnly: connect('index-scans', sizes.slow, indexOnlySettings),
    };
    this.#watch = Pool.connect(url, { size: 1, pooler });
  }

  /** Tells it the primary's present position. */
  observe(position: number): void {
    if (this.#due || position <= this.#known.replayed) return;
    this.#due = { position, until: performance.now() + this.#options.maxLag * 1000 };
  }

  /** Whether it is in use and has replayed the log up to this position. */
  async hasReplayed(position: number): Promise<boolean> {
    if (this.#state === 'failed') return false;
    if (this.#known.replayed < position || this.#known.until < performance.now()) await this.#ask();
    return this.#state === 'in use' && this.#known.replayed >= position;
  }

  /** Sets its gauges. A position that is due was noticed `maxLag` before its time. */
  report(): void {
    for (const pool of Object.values(this.pools)) pool.report();
    const noticed = this.#due && this.#due.until - this.#options.maxLag * 1000;
    metrics.replicaInUse.set({ server: 'replica' }, this.#state === 'in use' ? 1 : 0);
    metrics.replicaBehind.set({ server: 'replica' }, noticed === undefined ? 0 : secondsSince(noticed));
  }

  /** Takes it out of use for some seconds, and then until it answers again. */
  takeOutOfUse(reason: unknown): void {
    if (this.#rest || this.#isClosed) return;
    this.#known = { replayed: -1, until: 0 };
    this.#isOurs = false;
    this.#due = undefined;
    this.#become('failed', reason);
    // Reads under way fail over to the primary, and a replica that comes back is asked over new connections.
    for (const pool of [...Object.values(this.pools), this.#watch]) pool.endConnections();
    this.#rest = setTimeout(() => {
      this.#rest = undefined;
      void this.#ask();
    }, timesMs.rest).unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#rest);
    await Promise.all([...Object.values(this.pools), this.#watch].map((pool) => pool.close()));
  }

  /** Asks for its progress; callers that ask meanwhile share the answer. */
  #ask(): Promise<void> {
    this.#asking ??= this.#look()
      .catch((error) => this.takeOutOfUse(error))
      .finally(() => {
        this.#asking = undefined;
      });
    return this.#asking;
  }

  async #look(): Promise<void> {
    const answer = this.#watch.knex.raw(progressSql).timeout(timesMs.answer);
    const [{ recovering, replayed }] = (await answer).rows as [{ recovering: boolean; replayed: number }];
    if (!recovering) throw new Error('It is no replica, or no longer one');
    this.#isOurs ||= await this.#followsPrimary();
    if (!this.#isOurs) throw new Error('It is a replica of another database');
    // A read failed in the meantime.
    if (this.#rest) return;
    const now = performance.now();
    this.#known = { replayed, until: now + timesMs.progress };
    if (this.#due && this.#due.position <= replayed) this.#due = undefined;
    this.#become(this.#due && this.#due.until < now ? 'behind' : 'in use');
  }

  /** A wrong address must not answer with the contacts of another installation. */
  async #followsPrimary(): Promise<boolean> {
    const [mine, its] = await Promise.all(
      [this.#primary, this.#watch].map((pool) => pool.run<{ id: string }>(identitySql, [])),
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
 * The reader of one request that must see all writes up to `position`: the replica, as long as it is in use and has replayed them, then the
 * primary, and from then on there, so that no later part of an answer is older than an earlier one.
 */
export const createReplicaReader = (onPrimary: Reader, replica: Replica, position: number): Reader => {
  let onReplica: Promise<boolean> | undefined;
  return async (read) => {
    onReplica ??= replica.hasReplayed(position);
    if (!(await onReplica)) return onPrimary(read);
    try {
      return await read(replica.pools);
    } catch (error) {
      if (!isServersFault(error)) throw error;
      // Busy connections say nothing about the server; the watching connection finds out when it fails.
      if (!isPoolFull(error)) replica.takeOutOfUse(error);
      onReplica = Promise.resolve(false);
      return onPrimary(read);
    }
  };
};
