// The database as a whole: its pools, its spaces, and statements that belong to no space.
import { createUnknownOutcomeProblem, Problem } from '../problem.ts';
import { KeyedSemaphore } from './concurrency-limit.ts';
import { convertToDatabaseProblem } from './driver-error.ts';
import {
  type BucketShape,
  type BusyBucket,
  enterGateOnPrimary,
  enterGateWithReplica,
  type GateRequest,
  type GateRow,
  markSql,
  openSessionSql,
  recordUsesSql,
  type SessionRequest,
  type SessionRow,
  type SubjectStored,
} from './gate.ts';
import { listMigrations } from './migrate.ts';
import { type ConnectOptions, Pool, type Pooler, type PoolName, sessionSettings } from './pool.ts';
import { createReplicaReader, type Reader, Replica, type ReplicaOptions } from './replica.ts';
import { indexOnlySettings, SearchPool, type SearchPoolOptions } from './search-pool.ts';
import { Space } from './space.ts';
import { nameStatementText } from './statement.ts';

/**
 * Whether the gate can write what a valid token needs, and which migrations are applied. A session that may not write is refused a number, and so
 * its pool forgets it.
 */
const readySql = `
  select case when current_setting('transaction_read_only') = 'on' then nextval(pg_get_serial_sequence('spaces', 'id')) is null else true end
         and has_table_privilege('tokens', 'update')
         and has_table_privilege('rate_buckets', 'insert') and has_table_privilege('rate_buckets', 'update')
         and has_table_privilege('app_buckets', 'insert') and has_table_privilege('app_buckets', 'update')
         and not exists (select unnest(cast($1 as text[])) except select name from schema_migrations) as can`;
let neededMigrations: string[] | undefined;

interface DatabaseOptions {
  poolSize?: number;
  searchPool?: SearchPoolOptions;
  pooler?: Pooler;
  /** In milliseconds: the limit of a statement that is no search; that of a wait for a lock is half of it. By default, those of requests apply. */
  statementTimeout?: number;
  /** In milliseconds: how long a statement waits for a connection. */
  acquireTimeout?: number;
  /** The replica for read-only requests; its other options are the primary's. */
  replica?: Pick<ReplicaOptions, 'url' | 'maxLag' | 'onState'>;
}

/** Options of one request. */
interface SpaceOptions {
  /** Aborts when the client is gone: a search is given up then. */
  signal?: () => AbortSignal;
  /** For a read-only request: the log position up to which it must see everything. A request without it may write. */
  readsAfter?: number | undefined;
}

/** Connections for jobs, of each process. */
export const jobConnections = 2;

const createBusyProblem = (): Problem =>
  new Problem('unavailable', 'Too much is being read or written at this moment; try again soon', {
    headers: { 'Retry-After': '1' },
  });

export class Database {
  /** For the gate, requests that only read, and the operator's commands. Data of a space is reached through a Space. */
  readonly readers: Pool;
  /** For writers: one that waits for a lock takes no connection from readers or from the gate. */
  readonly writers: Pool;
  readonly searchPool: SearchPool;
  readonly indexOnlyPool: Pool;
  /** For finding work and its leases, so that jobs and requests do not wait for each other's connections. */
  readonly jobPool: Pool;
  /** Share the connections of each pool among spaces: no space takes all of them, and one reader is left for the gate. */
  readonly #reads: KeyedSemaphore;
  readonly #writes: KeyedSemaphore;
  readonly #replica: Replica | undefined;
  readonly #onPrimary: Reader;
  readonly #pooler: Pooler;
  #isCluster = false;

  constructor(url: string, options: DatabaseOptions = {}) {
    const { poolSize = 10, searchPool: search = { size: 4, perSpace: 2 }, pooler = 'none', replica } = options;
    const { statementTimeout } = options;
    const settings = statementTimeout
      ? { statement_timeout: statementTimeout, lock_timeout: statementTimeout / 2 }
      : undefined;
    const writers = Math.max(1, Math.floor(poolSize / 2));
    const quick = Math.max(1, poolSize - writers);
    const { acquireTimeout } = options;
    const connect = (pool: PoolName['pool'], size: number, settings: ConnectOptions['settings'] = {}): Pool =>
      Pool.connect(url, { size, settings, pooler, acquireTimeout, name: { server: 'primary', pool } });
    this.readers = connect('readers', quick, settings);
    this.writers = connect('writers', writers, settings);
    this.searchPool = new SearchPool(url, search, pooler);
    this.indexOnlyPool = connect('index-scans', search.size, indexOnlySettings);
    this.jobPool = connect('jobs', jobConnections);
    this.#pooler = pooler;
    this.#replica = replica && new Replica({ ...replica, pooler, sizes: { quick, slow: search.size } }, this.readers);
    this.#onPrimary = (read) =>
      read({ quick: this.readers, search: this.searchPool.pool, indexOnly: this.indexOnlyPool });
    const inQueue = { maxQueue: 1000, refusal: createBusyProblem };
    const [most, all] = [Math.max(1, quick - 2), Math.max(1, quick - 1)];
    this.#reads = new KeyedSemaphore({ ...inQueue, queueTimeoutMs: 5000, maxConcurrent: most, maxTotal: all });
    this.#writes = new KeyedSemaphore({
      ...inQueue,
      queueTimeoutMs: 10_000,
      maxConcurrent: Math.max(1, writers - 1),
      maxTotal: writers,
    });
  }

  /** All pools, for tests that watch statements. */
  get pools(): Pool[] {
    return [this.readers, this.writers, this.searchPool.pool, this.indexOnlyPool, this.jobPool];
  }

  /** How many connections requests and jobs use to read, write or search. */
  get used(): number {
    return this.pools.reduce((sum, pool) => sum + (pool === this.jobPool ? 0 : pool.used), 0);
  }

  /** Whether it is distributed over several servers, so that a statement should be about one space. It is known after a valid token was resolved. */
  get isCluster(): boolean {
    return this.#isCluster;
  }

  report(): void {
    for (const pool of this.pools) pool.report();
    this.#replica?.report();
  }

  space(id: number, { signal, readsAfter }: SpaceOptions = {}): Space {
    const onlyReads = readsAfter !== undefined;
    const read =
      this.#replica && onlyReads ? createReplicaReader(this.#onPrimary, this.#replica, readsAfter) : this.#onPrimary;
    return new Space(id, {
      database: this,
      run: onlyReads ? (work) => read(({ quick }) => work(quick)) : (work) => work(this.writers),
      primary: this.readers,
      writers: this.writers,
      runIndexOnly: this.#pooler === 'none' ? (work) => read(({ indexOnly }) => work(indexOnly)) : undefined,
      runSlow: (work, expectedMs) =>
        this.searchPool.run(id, { expectedMs, signal: signal?.() }, work, (runOnPool) =>
          read(({ search }) => runOnPool(search)),
        ),
      runOnSearchPool: (work) => read(({ search }) => work(search)),
      acquireSlot: () => (onlyReads ? this.#reads : this.#writes).acquire(id),
      joined: undefined,
    });
  }

  /**
   * Resolves tokens, and takes each cost from the bucket of the token's space if it holds enough, in one statement. Returns an answer for each
   * request, in order; undefined for a bad token. It does not wait for a bucket that another process holds.
   */
  enterGate(requests: readonly GateRequest[], shape: BucketShape): Promise<(GateRow | BusyBucket | undefined)[]> {
    return this.#gate(requests, shape, false);
  }

  /** The same for requests of one space: the statement waits for the bucket, and makes it where there is none. */
  enterGateInTurn(requests: readonly GateRequest[], shape: BucketShape): Promise<(GateRow | undefined)[]> {
    return this.#gate(requests, shape, true);
  }

  /** Opens or prolongs the session of a person for a space; undefined when no user is meant. */
  async openSession(request: SessionRequest): Promise<SessionRow | undefined> {
    const { issuer, subject, mail, space, scope, issuedAt, expiresAt } = request;
    const values = [issuer, subject, mail, space, scope, issuedAt, expiresAt];
    const open = async () =>
      (await this.#rows<SessionRow | SubjectStored>('session', openSessionSql, values, 'runSoon'))[0];
    const first = await open();
    const row = first?.choices === null ? await open() : first;
    return row?.choices ? row : undefined;
  }

  async recordTokenUses(ids: readonly number[]): Promise<void> {
    await this.#rows('token_uses', recordUsesSql, [ids]);
  }

  /**
   * Records that a token has written up to now: from here on, no process reads for it on a replica that lags behind. Call it after the
   * commit and before the answer. Throws 503 when it cannot be recorded: whoever asked cannot tell whether the write was done. It `isRepeatable` when they sent a key.
   */
  async markWritten(tokenId: number, isRepeatable = false): Promise<void> {
    if (!this.#replica) return;
    await this.#rows('mark', markSql, [tokenId]).catch((error) => {
      throw createUnknownOutcomeProblem(error, isRepeatable);
    });
  }

  /** Records the position for a token that has changed nothing, but has seen what is there now. */
  async markSeen(tokenId: number): Promise<void> {
    if (this.#replica) await this.#rows('mark', markSql, [tokenId]);
  }

  /** Whether the database takes the writes of the gate, and has all migrations of this version. It throws without a table or the right to read it. */
  async canServe(): Promise<boolean> {
    neededMigrations ??= listMigrations().flatMap(({ name, repeatable }) => (repeatable ? [] : [name]));
    return (await this.#rows<{ can: boolean }>('ready', readySql, [neededMigrations], 'runSoon'))[0]!.can;
  }

  /** Limits and plans that a pooler, or the role of its connections, should have set and has not, as `name = value`. Throws for settings that answers depend on. */
  async missingSettings(): Promise<string[]> {
    const sql = `select name from pg_settings where name = any($1) and (setting in ('0', '') or name = 'jit' and setting = 'on')`;
    const rows = await this.readers.run<{ name: keyof typeof sessionSettings }>(sql, [Object.keys(sessionSettings)]);
    return rows.map(({ name }) => `${name} = ${sessionSettings[name]}`);
  }

  /** Whether the database has no space, deleted ones included. */
  async isEmpty(): Promise<boolean> {
    return !(await this.#rows<{ any: boolean }>('empty', 'select exists (select 1 from spaces) as any', []))[0]!.any;
  }

  /**
   * Gathers statistics of tables, each with its columns in brackets where not all of them count. A caller that fills small tables
   * must ask for it now and then: plans made for few rows, those of foreign keys among them, are kept until somebody does.
   */
  async gatherStatistics(tables: readonly string[]): Promise<void> {
    const list = tables.join(', ');
    await this.#rows(nameStatementText('analyze', list), `analyze ${list}`, []);
  }

  /** The ids of all spaces, deleted ones too. */
  async listSpaces(): Promise<number[]> {
    return (await this.#rows<{ id: number }>('spaces', 'select id from spaces order by id', [])).map(({ id }) => id);
  }

  async hasSpace(id: number, mayBeDeleted = false): Promise<boolean> {
    const sql = 'select exists (select 1 from spaces where id = $1 and (deleted_at is null or $2)) as there';
    return (await this.#rows<{ there: boolean }>('space', sql, [id, mayBeDeleted]))[0]!.there;
  }

  /** Whether there is such a user, in any space. */
  async hasUser(id: number): Promise<boolean> {
    const sql = 'select exists (select 1 from users where id = $1 and deleted_at is null) as there';
    return (await this.#rows<{ there: boolean }>('user', sql, [id]))[0]!.there;
  }

  async close(): Promise<void> {
    await Promise.all([...this.pools.map((pool) => pool.close()), this.#replica?.close()]);
  }

  async #gate<Row>(
    requests: readonly GateRequest[],
    { capacity, refill }: BucketShape,
    waits: boolean,
  ): Promise<(Row | undefined)[]> {
    const sql = this.#replica ? enterGateWithReplica : enterGateOnPrimary;
    const values = [requests.map(({ hash }) => hash), requests.map(({ cost }) => cost), capacity, refill, waits];
    type Found = Row & { place: number; onCluster: boolean; position?: number };
    const rows = await this.#rows<Found>('gate', sql, values, 'runSoon');
    const answers: (Row | undefined)[] = requests.map(() => undefined);
    for (const row of rows) {
      this.#isCluster = row.onCluster;
      this.#replica?.observe(row.position ?? 0);
      answers[row.place - 1] = row;
    }
    return answers;
  }

  async #rows<Row>(
    name: string,
    sql: string,
    values: readonly unknown[],
    how: 'run' | 'runSoon' = 'run',
  ): Promise<Row[]> {
    try {
      return await this.readers[how]<Row>(sql, values, name);
    } catch (error) {
      throw convertToDatabaseProblem(error);
    }
  }
}
