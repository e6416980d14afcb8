// Pools of connections to PostgreSQL: the settings of their sessions, how values are read, how statements run, how pools are closed.
import knexPackage, { type Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import { metrics, secondsSince } from '../telemetry/metrics.ts';
import { isTracing, traceStatement } from '../telemetry/tracing.ts';
import {
  type Connection,
  discardConnection,
  endConnection,
  endOverdueConnection,
  endWhenOverdue,
  makeRoomForStatement,
  readInSlices,
  tcpKeepAlive,
} from './connection.ts';
import { isReadOnly } from './driver-error.ts';
import { applySettings } from './session-settings.ts';
import type { Scoped } from './statement.ts';

/** Timestamps and dates stay text, since parsing them dominates wide reads. Ids fit a number, by the CHECK on every id column. */
const parsers: Record<number, (text: string) => unknown> = {
  [pg.types.builtins.INT8]: Number,
  [pg.types.builtins.TIMESTAMPTZ]: String,
  [pg.types.builtins.DATE]: String,
  1016: (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)), // bigint[]
};
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => parsers[oid] ?? pg.types.getTypeParser(oid, format),
};

/** Limits, in milliseconds, and plans. The answer to a statement that outlives its client or its time is useless. */
export const sessionSettings = {
  statement_timeout: 5000,
  lock_timeout: 2000,
  idle_in_transaction_session_timeout: 10_000,
  client_connection_check_interval: 500,
  // Statements look rows up by ids, so one plan serves all values. Planning for a list of a thousand ids is slower, and the plan no better.
  plan_cache_mode: 'force_generic_plan',
  // No statement reads a whole table. A plan that does, made while the table was small, would be kept while it grows.
  enable_seqscan: 'off',
  jit: 'off',
};

/** In seconds, and a count of probes: how soon a server notices that a client, or the network to it, is gone. */
const keepAlive = { tcp_keepalives_idle: 30, tcp_keepalives_interval: 10, tcp_keepalives_count: 3 };

/** In milliseconds: how much longer than the server's own limit we wait for a statement. */
const grace = 1000;

/** The name of a pool in metrics and traces. */
export interface PoolName {
  server: 'primary' | 'replica';
  pool: 'readers' | 'writers' | 'searches' | 'index-scans' | 'jobs';
}

/** The pooler before the server: none, or one that pools by transaction. */
export type Pooler = 'none' | 'transaction';

export interface ConnectOptions {
  /** Connections at most. */
  size?: number;
  /** Settings of a session beside the usual ones. */
  settings?: Record<string, string | number>;
  pooler?: Pooler;
  /** In milliseconds. An admitted request waits as long as a search may take, since a write that was done must be answered. */
  acquireTimeout?: number | undefined;
  /** A pool without a name is not measured. */
  name?: PoolName;
}

interface Waiter {
  reject(error: Error): void;
}

/**
 * The private interface of Knex that is used, and why: its public one takes more CPU, and for a transaction more than twice as much (decision 2).
 * test/database/pool.test.ts fails when a new Knex changes any of it.
 */
interface KnexClient {
  acquireConnection(): Promise<Connection>;
  releaseConnection(connection: Connection): Promise<void>;
  emit(event: 'query', sent: { sql: string; bindings: readonly unknown[] }): void;
  pool: {
    on(event: 'createRequest' | 'createSuccess', listener: (eventId: number) => void): void;
    on(event: 'createFail', listener: (eventId: number, error: Error) => void): void;
    max: number;
    numUsed(): number;
    numFree(): number;
    numPendingAcquires(): number;
    pendingAcquires: Iterable<Waiter>;
  };
}

/**
 * Fails the callers that wait for a connection when none can be made. While one is in use they wait on: they may have it next. The
 * pool itself fails only the first of them at once, and the others after `acquireTimeoutMillis`. For a caller that came later, another connection is made.
 */
const failWaitersWhenUnreachable = ({ pool }: KnexClient): void => {
  const waitersOf = new Map<number, Waiter[]>();
  pool.on('createRequest', (id) => waitersOf.set(id, [...pool.pendingAcquires]));
  pool.on('createSuccess', (id) => waitersOf.delete(id));
  pool.on('createFail', (id, error) => {
    if (pool.numUsed() === 0) for (const waiter of waitersOf.get(id) ?? []) waiter.reject(error);
    waitersOf.delete(id);
  });
};

/** Measures how long callers wait for a connection, transactions too. */
const measureWaiting = (client: KnexClient, name: PoolName): void => {
  const acquire = client.acquireConnection;
  client.acquireConnection = async function (this: KnexClient) {
    const since = performance.now();
    try {
      return await acquire.call(this);
    } finally {
      metrics.poolWait.observe(name, secondsSince(since));
    }
  };
};

/** A text as the driver takes it: its values are numbered, and `names` has them in that order. */
interface NumberedText {
  text: string;
  names: string[];
}

/** There are fewer texts of our own and prepared texts of clients than this. */
const numberedTexts = new LRUCache<string, NumberedText>({ max: 1000 });

/** Knex would do this anew for each request. Texts with a name are few, and are remembered. */
const numberValues = (sql: string, isNamed: boolean): NumberedText => {
  const known = numberedTexts.get(sql);
  if (known) return known;
  const names: string[] = [];
  const text = sql.replace(/(?<![:\w]):([A-Za-z]\w*)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  if (isNamed) numberedTexts.set(sql, { text, names });
  return { text, names };
};

/** How a text is sent. */
interface Sending {
  /** The value of `:group`, whatever the values say. */
  group?: number;
  /** Whether one plan serves all its values, although sessions of the pool plan for each of them. */
  plansOnce?: boolean | undefined;
}

/** `values` by the names in `sql` (`:id`), or in the order of its numbers (`$1`). A text with a `name` is prepared, unless a pooler shares its connection. */
export type Text = [
  sql: string,
  values: Readonly<Record<string, unknown>> | readonly unknown[],
  name?: string | null,
  sending?: Sending,
];

const asUsual: Sending = {};

export type RunText = <Row>(...text: Text) => Promise<Row[]>;

const transactionTexts = { begin: 'begin', commit: 'commit', rollback: ['rollback'] };
/** The newest savepoint of a name hides older ones, until it is released. */
const savepointTexts = {
  begin: 'savepoint part',
  commit: 'release savepoint part',
  rollback: ['rollback to savepoint part', 'release savepoint part'],
};

/** How long a request that is not admitted yet waits for a connection, and then for its answer. */
const soon = { connectionMs: 2000, answerMs: 3000 };

/** How long closing waits for statements under way, and then for connections to end. */
const closing = { queriesMs: 1000, connectionsMs: 200 };

/** Connections that plan a prepared statement once for all values, although the sessions of their pool plan for each of them. */
const planningOnce = new WeakSet<Connection>();

/** A pool, or a transaction on one of its connections. Errors of statements are the driver's. */
export class Pool {
  readonly name: PoolName | undefined;
  /** Whether a pooler may change the server connection after each transaction. */
  readonly isPooled: boolean;
  /** For tests, which watch statements and write what no verb writes, and for the replica, whose one statement has a time-out of its own. */
  readonly knex: Knex;
  readonly #client: KnexClient;
  readonly #connections: Set<Connection>;
  /** The connection of a transaction, which has no other. */
  readonly #own: Connection | undefined;

  private constructor(
    knex: Knex,
    name: PoolName | undefined,
    isPooled: boolean,
    connections: Set<Connection>,
    own?: Connection,
  ) {
    this.knex = knex;
    this.#client = knex.client;
    this.name = name;
    this.isPooled = isPooled;
    this.#connections = connections;
    this.#own = own;
  }

  /**
   * Connects a pool. Nothing is opened before the first statement. Behind a pooler, limits and plans are those of the role, and no statement is prepared.
   * Each connection makes sure of the settings that answers depend on, in the one statement that it begins with.
   */
  static connect(url: string, options: ConnectOptions = {}): Pool {
    const { size = 10, settings = {}, pooler = 'none', acquireTimeout = 10_000, name } = options;
    const direct = pooler === 'none';
    const session = { ...sessionSettings, ...settings };
    const parameters = Object.entries({ ...keepAlive, ...session }).map(([setting, value]) => `-c ${setting}=${value}`);
    const connections = new Set<Connection>();
    const config: Knex.Config = {
      client: 'pg',
      // Otherwise Knex asks the server for its version, without a time-out.
      version: '15',
      connection: {
        connectionString: url,
        types,
        application_name: 'muster',
        // A statement is sent although the one before it has no answer yet.
        pipeline: true,
        connectionTimeoutMillis: 2000,
        ...tcpKeepAlive,
        ...(direct && { options: parameters.join(' ') }),
      } as Knex.PgConnectionConfig,
      pool: {
        min: 0,
        max: size,
        acquireTimeoutMillis: acquireTimeout,
        idleTimeoutMillis: 30_000,
        createTimeoutMillis: 5000,
        propagateCreateError: false,
        afterCreate: (client: Connection, done: (error: Error | null, client: pg.Client) => void) => {
          connections.add(client);
          client.once('end', () => connections.delete(client));
          readInSlices(client);
          endWhenOverdue(client, url, Number(session.statement_timeout) + grace);
          applySettings(client, session, !direct).then(
            () => done(null, client),
            (error) => {
              // Knex forgets it.
              endConnection(client);
              done(error, client);
            },
          );
        },
      },
      asyncStackTraces: false,
      // Knex would print every lost connection between the JSON lines of the log. The request that loses it logs it as well.
      log: { warn() {} },
    };
    const knex = knexPackage(config);
    failWaitersWhenUnreachable(knex.client);
    if (name) measureWaiting(knex.client, name);
    return new Pool(knex, name, !direct, connections);
  }

  get isTransaction(): boolean {
    return this.#own !== undefined;
  }

  /** The rows of a text, over any connection; in a transaction over its own. */
  run<Row>(...text: Text): Promise<Row[]> {
    return this.#hold((connection) => this.#send<Row>(connection, ...text));
  }

  /** Runs the statements of a space: their group is bound. */
  scopeTo(group: number): Scoped {
    const sending = { group };
    return { rows: ({ name, sql }, values = {}) => this.run(sql, values, name, sending) };
  }

  /** The same for the gate: a request that is not admitted yet soon fails when there is no connection, or no answer. */
  async runSoon<Row>(...text: Text): Promise<Row[]> {
    const connection = await this.#acquireSoon();
    const timer = setTimeout(endOverdueConnection, soon.answerMs, connection);
    try {
      return await this.#send<Row>(connection, ...text);
    } finally {
      clearTimeout(timer);
      this.#client.releaseConnection(connection);
    }
  }

  /** Gives `work` one connection for all its statements. `cut` ends it at once, for a reason; the server then ends the statement. */
  async useConnection<Result>(work: (run: RunText, cut: (reason: Error) => void) => Promise<Result>): Promise<Result> {
    return this.#hold((connection) => {
      const cut = (reason: Error): void => {
        connection.connection.stream.destroy();
        discardConnection(connection, reason);
      };
      return work((...text) => this.#send(connection, ...text), cut);
    });
  }

  /**
   * Runs work in a transaction, or in a savepoint of this one. Its first statement is sent right behind the one that begins it, which only a lost
   * connection makes fail. Throws when `work` ends well although PostgreSQL has refused one of its statements, since nothing is stored then.
   */
  transaction<Result>(work: (transaction: Pool) => Promise<Result>): Promise<Result> {
    const { begin, commit, rollback } = this.#own ? savepointTexts : transactionTexts;
    return this.#hold(async (connection) => {
      const send = (sql: string) => this.#query(connection, sql, []);
      const begun = send(begin);
      begun.catch(() => {});
      let result: Result;
      try {
        result = await work(new Pool(this.knex, this.name, this.isPooled, this.#connections, connection));
        await begun;
      } catch (error) {
        // A connection that is still in a transaction must not be used again.
        await Promise.all(rollback.map(send)).catch((reason: Error) => discardConnection(connection, reason));
        throw error;
      }
      if ((await send(commit)).command === 'ROLLBACK')
        throw new Error('A statement of the transaction failed, so nothing of it was stored');
      return result;
    });
  }

  get used(): number {
    return this.#client.pool.numUsed();
  }

  report(): void {
    if (!this.name) return;
    const { pool } = this.#client;
    const counts = { used: pool.numUsed(), free: pool.numFree(), size: pool.max };
    for (const [state, count] of Object.entries(counts)) metrics.poolConnections.set({ ...this.name, state }, count);
    metrics.poolWaiting.set(this.name, pool.numPendingAcquires());
  }

  /** Ends all connections at once. The pool goes on with new ones. */
  endConnections(): void {
    for (const connection of this.#connections) endConnection(connection);
  }

  /** Closes the pool for good, in little more than a second even when the server does not answer. */
  close(): Promise<void> {
    return new Promise((resolve, reject) => {
      let timer = setTimeout(() => {
        this.endConnections();
        timer = setTimeout(resolve, closing.connectionsMs);
      }, closing.queriesMs);
      const end = (): void => clearTimeout(timer);
      this.knex.destroy().then(resolve, reject).finally(end);
    });
  }

  /** Gives `work` a connection, or that of the transaction. */
  async #hold<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    if (this.#own) return work(this.#own);
    const connection = await this.#client.acquireConnection();
    try {
      return await work(connection);
    } finally {
      this.#client.releaseConnection(connection);
    }
  }

  /** Sent ahead of the next statement, which fails as well where this fails: when the connection is lost. */
  #setPlanning(connection: Connection, once: boolean): void {
    const sql = `set plan_cache_mode = force_${once ? 'generic' : 'custom'}_plan`;
    this.#query(connection, sql, []).catch(() => {});
    if (once) planningOnce.add(connection);
    else planningOnce.delete(connection);
  }

  async #acquireSoon(): Promise<Connection> {
    const coming = this.#client.acquireConnection();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('Timeout acquiring a connection')), soon.connectionMs);
    });
    try {
      return await Promise.race([coming, late]);
    } catch (error) {
      // A connection that comes after all goes back to the pool.
      coming.then((connection) => this.#client.releaseConnection(connection)).catch(() => {});
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Hands a query of the driver to its connection. Knex, or the driver if it is given a text and a name, copies it several times. */
  #query(connection: Connection, text: string, values: unknown[], name?: string): Promise<pg.QueryResult> {
    this.#client.emit('query', { sql: text, bindings: values });
    return new Promise((resolve, reject) => {
      const query = new pg.Query(text, values);
      const callback = (error: Error | null, result: pg.QueryResult) => {
        if (!error) return resolve(result);
        // A session that may not write stays so after the database takes writes again: new ones ask anew.
        if (isReadOnly(error)) for (const one of this.#connections) discardConnection(one, error);
        reject(error);
      };
      connection.query(Object.assign(query, { name, callback }));
    });
  }

  async #send<Row>(connection: Connection, ...[sql, values, name = null, sending = asUsual]: Text): Promise<Row[]> {
    const { group, plansOnce = false } = sending;
    const isNamed = name !== null && !this.isPooled;
    const { text, names } = Array.isArray(values) ? { text: sql, names: undefined } : numberValues(sql, isNamed);
    if (isNamed) makeRoomForStatement(connection, name, text);
    const once = isNamed && plansOnce;
    if (planningOnce.has(connection) !== once) this.#setPlanning(connection, once);
    const named = values as Record<string, unknown>;
    const bound = names?.map((one) => (one === 'group' && group !== undefined ? group : named[one]));
    const run = () => this.#query(connection, text, bound ?? (values as unknown[]), isNamed ? name : undefined);
    const since = performance.now();
    try {
      const { rows } = await (isTracing() ? traceStatement(name, this.name, run) : run());
      return rows as Row[];
    } finally {
      if (this.name) metrics.statements.observe(this.name, secondsSince(since));
    }
  }
}
