// All of Knex's private interface that is used, and why: its public one costs a fifth more CPU per statement (decision 2).
// test/database/knex-internals.test.ts fails when a new Knex changes any of it.
import type { Knex } from 'knex';
import type { Connection } from './connection.ts';

interface Client {
  config: object;
  acquireConnection(): Promise<Connection>;
  releaseConnection(connection: Connection): Promise<void>;
  query(
    connection: Connection,
    query: { sql: string; bindings: readonly unknown[]; options?: { name: string } },
  ): Promise<{ response: { rows: unknown[] } }>;
  pool: {
    on(event: 'createFail', listener: (eventId: number, error: Error) => void): void;
    max: number;
    numUsed(): number;
    numFree(): number;
    numPendingAcquires(): number;
    pendingAcquires: Iterable<{ reject(error: Error): void }>;
  };
}

const getClient = ({ client }: Knex): Client => client;

/** An object that a pool shares with its transactions, and with no other pool. */
export const getPoolKey = (knex: Knex): object => getClient(knex).config;

/** A connection of the pool; in a transaction, its own. */
export const acquireConnection = (knex: Knex): Promise<Connection> => getClient(knex).acquireConnection();

export const releaseConnection = (knex: Knex, connection: Connection): Promise<void> =>
  getClient(knex).releaseConnection(connection);

/** Calls `onTaken` with the time, of `performance.now()`, at which each request for a connection of the pool began, when it is over. */
export const watchAcquiring = (knex: Knex, onTaken: (since: number) => void): void => {
  const client = getClient(knex);
  const acquire = client.acquireConnection;
  client.acquireConnection = async function (this: Client) {
    const since = performance.now();
    try {
      return await acquire.call(this);
    } finally {
      onTaken(since);
    }
  };
};

/** How many connections a pool has, and how many callers wait for one. */
export const readPoolCounts = (knex: Knex): { used: number; free: number; size: number; waiting: number } => {
  const { pool } = getClient(knex);
  return { used: pool.numUsed(), free: pool.numFree(), size: pool.max, waiting: pool.numPendingAcquires() };
};

/** The rows of a text whose values are numbered (`$1`), prepared under its name if it has one. Errors are the driver's. */
export const queryConnection = async <Row>(
  knex: Knex,
  connection: Connection,
  { sql, bindings, name }: { sql: string; bindings: readonly unknown[]; name?: string | undefined },
): Promise<Row[]> => {
  const query = { sql, bindings, ...(name !== undefined && { options: { name } }) };
  return (await getClient(knex).query(connection, query)).response.rows as Row[];
};

/** Keeps the pool from handing a broken connection on. The pool itself would notice only in the next turn of the event loop. */
export const discardConnection = (connection: Connection, reason: Error): void =>
  void Object.assign(connection, { __knex__disposed: reason });

/**
 * Fails every caller that waits for a connection when none can be made. While one is in use they wait on: they may have it next. The
 * pool itself fails only the first of them at once, and the others after `acquireTimeoutMillis`.
 */
export const failWaitersWhenUnreachable = (knex: Knex): void => {
  const { pool } = getClient(knex);
  pool.on('createFail', (_, error) => {
    if (pool.numUsed() === 0) for (const waiter of [...pool.pendingAcquires]) waiter.reject(error);
  });
};
