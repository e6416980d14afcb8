// The database as a whole: what is asked of it before, or apart from, any space.
import type { Knex } from 'knex';
import { Problem } from '../problem.ts';
import type { RoleType } from '../role-type.ts';
import { KeyedSemaphore } from './concurrency-limit.ts';
import { toDatabaseProblem } from './driver-error.ts';
import { closePool, connectPool, type Pooler } from './pool.ts';
import { createReplicaReader, type Reader, Replica, type ReplicaOptions } from './replica.ts';
import { findMissingSettings, runStatement, runStatementSoon } from './run-statement.ts';
import { indexOnlySettings, SearchPool, type SearchPoolOptions } from './search-pool.ts';
import { Space } from './space.ts';

/** A token, by its hash, and what a request of it costs. */
export interface GateRequest {
  hash: Buffer;
  cost: number;
}

/** The shape of a space's bucket (spec §8): how many tokens it holds, and how many flow in per second. */
export interface BucketShape {
  capacity: number;
  refill: number;
}

/** What the gate learns of a token: its caller, whether the bucket held enough, and what it holds now. */
export interface GateRow {
  tokenId: number;
  userId: number;
  groupId: number;
  roleId: number;
  roleType: RoleType;
  admitted: boolean;
  tokens: number;
  /** How far in the log of the primary the writes of the token reach; 0 when there are none, or no replica to be behind. */
  wroteAt: number;
}

/** The bucket of this space is in somebody else's hands, and nothing was taken. */
export interface BusyBucket {
  groupId: number;
  admitted: null;
}

const enterGateSql = (extra: string): string => `
  select cast(place as int) as place, token_id as "tokenId", user_id as "userId", group_id as "groupId", role_id as "roleId",
         role_type as "roleType", admitted, tokens, ${extra}
    from enter_gate($1, $2, $3, $4, $5)`;
const enterGateOnPrimary = enterGateSql('0 as "wroteAt"');
const enterGateWithReplica = enterGateSql(
  `coalesce(cast(wrote_at_lsn - '0/0' as bigint), 0) as "wroteAt", cast(pg_current_wal_lsn() - '0/0' as bigint) as position`,
);
/** Where the next record would be: all that is committed lies before, flushed or not. */
const markSql = 'update tokens set wrote_at_lsn = pg_current_wal_insert_lsn() where id = $1';

interface DatabaseOptions {
  poolSize?: number;
  searchPool?: SearchPoolOptions;
  pooler?: Pooler;
  /** Where what only reads may be read; of its options those that are not the same as the primary's. */
  replica?: Pick<ReplicaOptions, 'url' | 'maxLag' | 'onState'>;
}

/** Of one request. */
interface SpaceOptions {
  /** Aborts when the client is gone: what would take long is given up then. */
  signal?: () => AbortSignal;
  /** For a request that only reads: the position up to which it must see everything. Without it, it may write. */
  readsAfter?: number | undefined;
}

const createBusyProblem = (): Problem =>
  new Problem('unavailable', 'Too much is being read or written at this moment; try again soon', {
    headers: { 'Retry-After': '1' },
  });

export class Database {
  /** For this folder and for tests that count or watch statements; nothing else may speak to the database past a Space. */
  readonly knex: Knex;
  /** For writing: a writer that waits for a lock takes no connection from readers or from the gate. */
  readonly writers: Knex;
  readonly searchPool: SearchPool;
  readonly indexOnlyPool: Knex;
  /** Share out the connections of each pool: a space never has all of them, and one of the readers' is left for the gate. Spaces take turns. */
  readonly #reads: KeyedSemaphore;
  readonly #writes: KeyedSemaphore;
  readonly #replica: Replica | undefined;
  readonly #onPrimary: Reader;
  readonly #pooler: Pooler;

  constructor(url: string, options: DatabaseOptions = {}) {
    const { poolSize = 10, searchPool: search = { size: 4, perSpace: 2 }, pooler = 'none', replica } = options;
    const writers = Math.max(1, Math.floor(poolSize / 2));
    const quick = Math.max(1, poolSize - writers);
    this.knex = connectPool(url, { size: quick, pooler });
    this.writers = connectPool(url, { size: writers, pooler });
    this.searchPool = new SearchPool(url, search, pooler);
    this.indexOnlyPool = connectPool(url, { size: search.size, settings: indexOnlySettings, pooler });
    this.#pooler = pooler;
    this.#replica = replica && new Replica({ ...replica, pooler, sizes: { quick, slow: search.size } }, this.knex);
    this.#onPrimary = (read) => read({ quick: this.knex, slow: this.searchPool.knex, walks: this.indexOnlyPool });
    const inQueue = { maxQueue: 1000, refusal: createBusyProblem, abandonment: createBusyProblem };
    const [most, all] = [Math.max(1, quick - 2), Math.max(1, quick - 1)];
    this.#reads = new KeyedSemaphore({ ...inQueue, queueTimeoutMs: 5000, maxConcurrent: most, maxTotal: all });
    this.#writes = new KeyedSemaphore({
      ...inQueue,
      queueTimeoutMs: 10_000,
      maxConcurrent: Math.max(1, writers - 1),
      maxTotal: writers,
    });
  }

  /** All of them, for tests that watch statements. */
  get pools(): Knex[] {
    return [this.knex, this.writers, this.searchPool.knex, this.indexOnlyPool];
  }

  space(id: number, { signal, readsAfter }: SpaceOptions = {}): Space {
    const onlyReads = readsAfter !== undefined;
    const read =
      this.#replica && onlyReads ? createReplicaReader(this.#onPrimary, this.#replica, readsAfter) : this.#onPrimary;
    return new Space(id, {
      database: this,
      run: onlyReads ? (work) => read(({ quick }) => work(quick)) : (work) => work(this.writers),
      primary: this.knex,
      writers: this.writers,
      runIndexOnly: this.#pooler === 'none' ? (work) => read(({ walks }) => work(walks)) : undefined,
      runSlow: (work) => this.searchPool.run(id, signal?.(), work, (slowly) => read(({ slow }) => slowly(slow))),
      acquireSlot: () => (onlyReads ? this.#reads : this.#writes).acquire(id),
    });
  }

  /**
   * Resolves tokens and takes these costs from the buckets of their spaces, each that is still held there, in one statement. An answer
   * for each, in their order; none for a bad token. It waits for nobody who has a bucket in hand.
   */
  enterGate(requests: readonly GateRequest[], shape: BucketShape): Promise<(GateRow | BusyBucket | undefined)[]> {
    return this.#gate(requests, shape, false);
  }

  /** The same for requests of one space: they wait until its bucket is theirs, or is made. */
  enterGateInTurn(requests: readonly GateRequest[], shape: BucketShape): Promise<(GateRow | undefined)[]> {
    return this.#gate(requests, shape, true);
  }

  /**
   * Marks a token as having written up to now: from here on no process reads for it on a replica that is not as far. To be called
   * when what it wrote is committed, before it is answered. Throws 503 when that cannot be kept.
   */
  async markWritten(tokenId: number): Promise<void> {
    if (this.#replica) await this.#rows('mark', markSql, [tokenId]);
  }

  /** What a pooler, or the role of its connections, should have set for every session, and has not: as `name = value`. */
  missingSettings(): Promise<string[]> {
    return findMissingSettings(this.knex);
  }

  /** Whether no space was ever created here. */
  async isEmpty(): Promise<boolean> {
    return !(await this.#rows<{ any: boolean }>('empty', 'select exists (select from spaces) as any', []))[0]!.any;
  }

  /**
   * Gathers statistics of tables, each with its columns in brackets where not all of them count. A caller that fills small tables
   * must ask for it now and then: plans made for few rows, those of foreign keys among them, are kept until somebody does.
   */
  async gatherStatistics(tables: readonly string[]): Promise<void> {
    const list = tables.join(', ');
    await this.#rows(`analyze ${list}`, `analyze ${list}`, []);
  }

  /** Whether there is such a space. */
  async hasSpace(id: number): Promise<boolean> {
    const sql = 'select exists (select from spaces where id = $1 and deleted_at is null) as there';
    return (await this.#rows<{ there: boolean }>('space', sql, [id]))[0]!.there;
  }

  /** Whether there is such a user, in whatever space. */
  async hasUser(id: number): Promise<boolean> {
    const sql = 'select exists (select from users where id = $1 and deleted_at is null) as there';
    return (await this.#rows<{ there: boolean }>('user', sql, [id]))[0]!.there;
  }

  async close(): Promise<void> {
    await Promise.all([...this.pools.map(closePool), this.#replica?.close()]);
  }

  async #gate<Row>(
    requests: readonly GateRequest[],
    { capacity, refill }: BucketShape,
    waits: boolean,
  ): Promise<(Row | undefined)[]> {
    const sql = this.#replica ? enterGateWithReplica : enterGateOnPrimary;
    const values = [requests.map(({ hash }) => hash), requests.map(({ cost }) => cost), capacity, refill, waits];
    const rows = await this.#rows<Row & { place: number; position?: number }>('gate', sql, values, runStatementSoon);
    const answers: (Row | undefined)[] = requests.map(() => undefined);
    for (const { place, position = 0, ...row } of rows) {
      this.#replica?.observe(position);
      answers[place - 1] = row as Row;
    }
    return answers;
  }

  async #rows<Row>(name: string, sql: string, values: Knex.RawBinding[], by = runStatement): Promise<Row[]> {
    try {
      return await by<Row>(this.knex, sql, values, name);
    } catch (error) {
      throw toDatabaseProblem(error);
    }
  }
}
