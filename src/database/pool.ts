// The pools of connections to PostgreSQL: their settings, how values are read, how a statement is sent.
import knexPackage, { type Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import { type Connection, endConnection, endWhenOverdue, readInSlices } from './connection.ts';
import { makeRoomForStatement } from './statement-cache.ts';

/** Timestamps and dates stay text (parsing them dominates wide reads); ids fit a number, by the CHECK on every id column. */
const parsers: Record<number, (text: string) => unknown> = {
  [pg.types.builtins.INT8]: Number,
  [pg.types.builtins.TIMESTAMPTZ]: String,
  [pg.types.builtins.DATE]: String,
  1016: (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)), // bigint[]
};
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => parsers[oid] ?? pg.types.getTypeParser(oid, format),
};

/** In milliseconds. A statement that outlives its client or its time is worth nothing to anybody. */
const sessionSettings = {
  timezone: 'UTC',
  statement_timeout: 5000,
  lock_timeout: 2000,
  idle_in_transaction_session_timeout: 10_000,
  client_connection_check_interval: 500,
  // Statements look up what they are given ids of: one plan, whatever the ids. Plans made for a list of a thousand are slower, and not better.
  plan_cache_mode: 'force_generic_plan',
  // Nor does any of them read a whole table: a plan that does, made while it was small, would be kept while it grows.
  enable_seqscan: 'off',
  jit: 'off',
};

/** In seconds and times: after how long a server notices that a client, or the network to it, is gone. */
const keepAlive = { tcp_keepalives_idle: 30, tcp_keepalives_interval: 10, tcp_keepalives_count: 3 };

/** In milliseconds: how much longer than the server we wait for a statement. */
const grace = 1000;

/** What is known of a pool beside what Knex knows. */
interface Pool {
  /** A connection to the server lasts no longer than a transaction. */
  isPooled: boolean;
  connections: Set<Connection>;
}

/** By the configuration of the pool, which its transactions share. */
const pools = new WeakMap<object, Pool>();

const poolOf = ({ client }: Knex): Pool => pools.get(client.config)!;

/**
 * Tells everybody who waits for a connection that none can be made. While one is in use they are not told: they may have it next.
 * The pool by itself knows only to tell the first of them at once, or all of them late.
 */
const failWaiting = (
  { pendingAcquires }: { pendingAcquires: { reject(error: Error): void }[] },
  error: Error,
): void => {
  for (const waiting of [...pendingAcquires]) waiting.reject(error);
};

/** Of the server. By default it is spoken to directly. */
export type Pooler = 'none' | 'transaction';

interface ConnectOptions {
  /** Connections at most. */
  size?: number;
  /** Settings of a session beside the usual ones. */
  settings?: Record<string, string | number>;
  pooler?: Pooler;
}

/**
 * Connects a pool. Nothing is opened until the first statement. Behind a pooler nothing is left in a session but the time zone,
 * which poolers keep apart for each client: its settings are the pooler's or the role's, and no statement has a name.
 */
export const connectPool = (url: string, { size = 10, settings = {}, pooler = 'none' }: ConnectOptions = {}): Knex => {
  const direct = pooler === 'none';
  const session = { ...sessionSettings, ...settings };
  const options = Object.entries({ ...keepAlive, ...session }).map(([name, value]) => `-c ${name}=${value}`);
  const connections = new Set<Connection>();
  const config: Knex.Config = {
    client: 'pg',
    // Knex would ask each first connection for it, without a limit of time.
    version: '15',
    connection: {
      connectionString: url,
      types,
      application_name: 'muster',
      connectionTimeoutMillis: 2000,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAlive.tcp_keepalives_idle * 1000,
      ...(direct && { options: options.join(' ') }),
    } as Knex.PgConnectionConfig,
    pool: {
      min: 0,
      max: size,
      // Whoever was let in waits for as long as a search may take: what was written must be answered.
      acquireTimeoutMillis: 10_000,
      idleTimeoutMillis: 30_000,
      createTimeoutMillis: 5000,
      propagateCreateError: false,
      afterCreate: (client: Connection, done: (error: Error | null, client: pg.Client) => void) => {
        connections.add(client);
        client.once('end', () => connections.delete(client));
        readInSlices(client);
        endWhenOverdue(client, Number(session.statement_timeout) + grace);
        if (direct) done(null, client);
        else client.query(`set timezone = 'UTC'`, (error) => done(error, client));
      },
    },
    asyncStackTraces: false,
    // It would say of each lost connection, in between the JSON of the log, what the request that loses it says as well.
    log: { warn() {} },
  };
  const knex = knexPackage(config);
  pools.set(knex.client.config, { isPooled: !direct, connections });
  const { pool } = knex.client;
  pool.on('createFail', (_: number, error: Error) => {
    if (pool.numUsed() === 0) failWaiting(pool, error);
  });
  return knex;
};

export const isPooled = (knex: Knex): boolean => poolOf(knex).isPooled;

/** Ends all connections of a pool at once, whatever they are at. It goes on with new ones. */
export const endConnections = (knex: Knex): void => {
  for (const connection of poolOf(knex).connections) endConnection(connection);
};

/** In milliseconds: how long a pool that is closed waits for what is under way, and then for its connections to end. */
const closing = { patience: 1000, rest: 200 };

/** Closes a pool for good, in little more than a second also when the server does not answer. */
export const closePool = (knex: Knex): Promise<void> =>
  new Promise((resolve, reject) => {
    let timer = setTimeout(() => {
      endConnections(knex);
      timer = setTimeout(resolve, closing.rest);
    }, closing.patience);
    const end = (): void => clearTimeout(timer);
    knex.destroy().then(resolve, reject).finally(end);
  });

/** A text as the driver has it: its values by number, and their names in that order. */
interface Numbered {
  text: string;
  names: string[];
}

/** More than there are texts of our own and texts of clients that are prepared. */
const numberedOnce = new LRUCache<string, Numbered>({ max: 1000 });

/** Knex could do it, anew with each request. Texts that have a name are few, and remembered. */
const numberedOf = (sql: string, isNamed: boolean): Numbered => {
  const known = numberedOnce.get(sql);
  if (known) return known;
  const names: string[] = [];
  const text = sql.replace(/(?<![:\w]):([A-Za-z]\w*)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  if (isNamed) numberedOnce.set(sql, { text, names });
  return { text, names };
};

/** `values` by the names in `sql`, or in the order of its numbers. Under its `name` it is prepared where names last. */
type Text = [sql: string, values: Readonly<Record<string, unknown>> | readonly unknown[], name?: string | null];

/**
 * The rows of a text sent over a connection of the pool. Errors are the driver's. A builder of Knex would do the same with
 * listeners and a runner around it, which costs as much as the driver itself.
 */
export const sendStatement = async <Row>(
  knex: Knex,
  connection: object,
  ...[sql, values, name = null]: Text
): Promise<Row[]> => {
  const isNamed = name !== null && !isPooled(knex);
  const { text, names } = Array.isArray(values) ? { text: sql, names: undefined } : numberedOf(sql, isNamed);
  if (isNamed) makeRoomForStatement(connection, name);
  const bindings = names ? names.map((name) => (values as Record<string, unknown>)[name]) : values;
  const { response } = await knex.client.query(connection, {
    sql: text,
    bindings,
    ...(isNamed && { options: { name } }),
  });
  return response.rows;
};

/** The same over any connection of the pool; in a transaction over its own. */
export const runStatement = async <Row>(knex: Knex, ...text: Text): Promise<Row[]> => {
  const connection = await knex.client.acquireConnection();
  try {
    return await sendStatement<Row>(knex, connection, ...text);
  } finally {
    knex.client.releaseConnection(connection);
  }
};

/** In milliseconds: how long a request that is not let in yet waits for a connection, and then for its answer. */
const soon = { connection: 2000, answer: 3000 };

const acquireSoon = async (knex: Knex): Promise<Connection> => {
  const coming: Promise<Connection> = knex.client.acquireConnection();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('Timeout acquiring a connection')), soon.connection);
  });
  try {
    return await Promise.race([coming, late]);
  } catch (error) {
    // One that comes after all goes back.
    coming.then((connection) => knex.client.releaseConnection(connection)).catch(() => {});
    throw error;
  } finally {
    clearTimeout(timer);
  }
};

/** The same at the door: whoever is not let in yet is soon told that there is no connection to be had, or no answer. */
export const runStatementSoon = async <Row>(knex: Knex, ...text: Text): Promise<Row[]> => {
  const connection = await acquireSoon(knex);
  const timer = setTimeout(endConnection, soon.answer, connection);
  try {
    return await sendStatement<Row>(knex, connection, ...text);
  } finally {
    clearTimeout(timer);
    knex.client.releaseConnection(connection);
  }
};

/** What a pooler, or the role of its connections, should have set and has not, as `name = value`. */
export const findMissingSettings = async (knex: Knex): Promise<string[]> => {
  const { timezone, ...due } = sessionSettings;
  const rows = await runStatement<{ name: string }>(
    knex,
    `select name from pg_settings where name = any(:names) and setting in ('0', '')`,
    { names: Object.keys(due) },
  );
  return rows.map(({ name }) => `${name} = ${due[name as keyof typeof due]}`);
};
