// Pools of connections to PostgreSQL: the settings of their sessions, how values are parsed, how they are closed.
import knexPackage, { type Knex } from 'knex';
import pg from 'pg';
import { metrics, secondsSince } from '../telemetry/metrics.ts';
import { type Connection, endConnection, readInSlices, tcpKeepAlive } from './connection.ts';
import { failWaitersWhenUnreachable, getPoolKey, readPoolCounts, watchAcquiring } from './knex-internals.ts';
import { endWhenOverdue } from './overdue.ts';

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

/** In milliseconds. The answer to a statement that outlives its client or its time is useless. */
export const sessionSettings = {
  timezone: 'UTC',
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

/** Citus finds the node by the space, so a cluster plans statements for their values. */
const planForCluster = `select set_config('plan_cache_mode', 'auto', false) from pg_extension where extname = 'citus'`;

/** In seconds, and a count of probes: how soon a server notices that a client, or the network to it, is gone. */
const keepAlive = { tcp_keepalives_idle: 30, tcp_keepalives_interval: 10, tcp_keepalives_count: 3 };

/** In milliseconds: how much longer than the server's own limit we wait for a statement. */
const grace = 1000;

/** The name of a pool in metrics and traces. */
export interface PoolName {
  server: 'primary' | 'replica';
  pool: 'readers' | 'writers' | 'searches' | 'index-scans' | 'jobs';
}

/** Facts about a pool that Knex does not keep. */
interface Pool {
  name: PoolName | undefined;
  /** Whether a pooler may change the server connection after each transaction. */
  isPooled: boolean;
  connections: Set<Connection>;
}

/** By the key that a pool shares with its transactions. */
const pools = new WeakMap<object, Pool>();

const poolOf = (knex: Knex): Pool => pools.get(getPoolKey(knex))!;

/** The pooler before the server: none, or one that pools by transaction. */
export type Pooler = 'none' | 'transaction';

interface ConnectOptions {
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

/**
 * Connects a pool. Nothing is opened before the first statement. Behind a pooler, sessions keep nothing but the time zone, which poolers
 * track per client: other settings are the pooler's or the role's, and no statement is prepared.
 */
export const connectPool = (
  url: string,
  { size = 10, settings = {}, pooler = 'none', acquireTimeout = 10_000, name }: ConnectOptions = {},
): Knex => {
  const direct = pooler === 'none';
  const session = { ...sessionSettings, ...settings };
  const options = Object.entries({ ...keepAlive, ...session }).map(([name, value]) => `-c ${name}=${value}`);
  const connections = new Set<Connection>();
  const config: Knex.Config = {
    client: 'pg',
    // Otherwise Knex asks the server for its version, without a time-out.
    version: '15',
    connection: {
      connectionString: url,
      types,
      application_name: 'muster',
      connectionTimeoutMillis: 2000,
      ...tcpKeepAlive,
      ...(direct && { options: options.join(' ') }),
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
        client.query(direct ? planForCluster : `set timezone = 'UTC'`, (error) => done(error, client));
      },
    },
    asyncStackTraces: false,
    // Knex would print every lost connection between the JSON lines of the log. The request that loses it logs it as well.
    log: { warn() {} },
  };
  const knex = knexPackage(config);
  pools.set(getPoolKey(knex), { name, isPooled: !direct, connections });
  failWaitersWhenUnreachable(knex);
  if (name) watchAcquiring(knex, (since) => metrics.poolWait.observe(name, secondsSince(since)));
  return knex;
};

/** The name of a pool, also of a transaction on it. */
export const getPoolName = (knex: Knex): PoolName | undefined => poolOf(knex).name;

/** Sets the gauges of a pool. */
export const reportPool = (knex: Knex): void => {
  const name = getPoolName(knex);
  if (!name) return;
  const { waiting, ...counts } = readPoolCounts(knex);
  for (const [state, count] of Object.entries(counts)) metrics.poolConnections.set({ ...name, state }, count);
  metrics.poolWaiting.set(name, waiting);
};

export const isPooled = (knex: Knex): boolean => poolOf(knex).isPooled;

/** Ends all connections of a pool at once. The pool goes on with new ones. */
export const endConnections = (knex: Knex): void => {
  for (const connection of poolOf(knex).connections) endConnection(connection);
};

/** How long closing waits for statements under way, and then for connections to end. */
const closing = { queriesMs: 1000, connectionsMs: 200 };

/** Closes a pool for good, in little more than a second even when the server does not answer. */
export const closePool = (knex: Knex): Promise<void> =>
  new Promise((resolve, reject) => {
    let timer = setTimeout(() => {
      endConnections(knex);
      timer = setTimeout(resolve, closing.connectionsMs);
    }, closing.queriesMs);
    const end = (): void => clearTimeout(timer);
    knex.destroy().then(resolve, reject).finally(end);
  });
