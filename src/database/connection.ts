// One connection to PostgreSQL: its results are read in slices, it keeps a bounded number of prepared statements, and it ends when a statement is not answered in time.
import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import { getOrMake } from '../limits/cache-key.ts';
import { limits } from '../limits/limits.ts';
import { runAfterOthers } from '../limits/pace.ts';
import { clientMark, maxClientTexts } from './statement.ts';

/** A client of the driver, with the parts of its private interface that are used here. */
export type Connection = pg.Client & {
  connection: EventEmitter & {
    stream: Socket;
    parsedStatements: Record<string, string>;
    submittedNamedStatements: Record<string, string>;
    close(message: { type: 'S'; name: string }): void;
  };
};

export class ResultTooLarge extends Error {}

/** The server or the network did not answer: whether the statement was carried out is unknown. */
export class NoAnswer extends Error {
  constructor() {
    super('Connection terminated: a statement was not answered in time');
  }
}

/** In milliseconds: how long rows are read before other requests get their turn. */
const sliceMs = 2;

/** In bytes: a larger result is read on only after other requests are answered. */
const largeFrom = 512 * 1024;

/** When reading began in this turn of the event loop, from any connection. */
let readingSince: number | undefined;

/**
 * Reads results in slices. Node reads up to 2 MiB from a socket in one turn, and parsing that many rows blocks the event loop. A result
 * above `limits.request.resultBytes` closes its connection, so that it cannot fill the memory.
 */
export const readInSlices = ({ connection }: Connection): void => {
  const { stream } = connection;
  let bytes = 0;
  connection.on('dataRow', ({ length }: { length: number }) => {
    bytes += length;
    if (bytes > limits.request.resultBytes) stream.destroy(new ResultTooLarge());
  });
  connection.on('readyForQuery', () => {
    bytes = 0;
  });
  stream.prependListener('data', () => {
    if (readingSince !== undefined) return;
    readingSince = performance.now();
    setImmediate(() => {
      readingSince = undefined;
    });
  });
  stream.on('data', () => {
    if (readingSince === undefined || performance.now() - readingSince < sliceMs) return;
    stream.pause();
    const resume = (): void => void stream.resume();
    if (bytes > largeFrom) runAfterOthers(resume);
    else setImmediate(resume);
  });
};

/** Options of every connection: it finds out that the network to the server is gone, also while it waits. */
export const tcpKeepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 30_000 };

/** Ends a connection at once. Its pool makes another one. */
export const endConnection = ({ connection }: Connection): void => void connection.stream.destroy(new NoAnswer());

/** Keeps the pool, which reads this field, from handing a broken connection on. The pool itself would notice only in the next turn of the event loop. */
export const discardConnection = (connection: Connection, reason: Error): void =>
  void Object.assign(connection, { __knex__disposed: reason });

/** The lengths of the texts of each connection that clients' requests made, by their names. */
const namesByConnection = new WeakMap<Connection, LRUCache<string, number>>();

const createNames = ({ connection }: Connection): LRUCache<string, number> =>
  new LRUCache({
    max: maxClientTexts.texts,
    maxSize: maxClientTexts.characters,
    sizeCalculation: (length) => length,
    dispose: (_, name) => {
      // The server reads this before the next statement. Nobody waits for its reply.
      connection.close({ type: 'S', name });
      delete connection.parsedStatements[name];
      delete connection.submittedNamedStatements[name];
    },
  });

/** Call it before a statement is sent under its name: the least recently used one of the connection makes room for it. */
export const makeRoomForStatement = (client: Connection, name: string, { length }: string): void => {
  if (!name.startsWith(clientMark)) return;
  const names = getOrMake(namesByConnection, client, () => createNames(client));
  if (!names.get(name)) names.set(name, length);
};

/** The state of a connection, as the process knows it without asking the server. Times are of `performance.now()`. */
interface Liveness {
  /** All connections to the same server, this one included. */
  peers: Set<Connection>;
  /** How many statements have no answer yet, and when the last one was sent. */
  underWay: number;
  sentAt: number;
  answeredAt: number;
  isInTransaction: boolean;
}

const livenessOf = new WeakMap<Connection, Liveness>();
/** The connections of this process by the address of their server, of all pools. */
const connectionsByServer = new Map<string, Set<Connection>>();

/**
 * Ends the connection when a statement is not answered within `ms`, and those to the same `server` that are likely to be lost with it. The server keeps to
 * its own limit of time, but only while it runs, and while the network carries what it says.
 */
export const endWhenOverdue = (client: Connection, server: string, ms: number): void => {
  const now = performance.now();
  const times = { sentAt: now, answeredAt: now };
  const peers = getOrMake(connectionsByServer, server, () => new Set());
  const liveness: Liveness = { peers, underWay: 0, isInTransaction: false, ...times };
  peers.add(client);
  livenessOf.set(client, liveness);
  const timer = setTimeout(() => liveness.underWay > 0 && endOverdueConnection(client), ms).unref();
  const query = client.query as (...args: unknown[]) => unknown;
  Object.assign(client, {
    query: (...args: unknown[]) => {
      liveness.underWay++;
      liveness.sentAt = performance.now();
      timer.refresh();
      return query.apply(client, args);
    },
  });
  client.connection.on('readyForQuery', ({ status }: { status: string }) => {
    liveness.underWay--;
    // Those that were sent together with it have their time from now.
    if (liveness.underWay > 0) timer.refresh();
    liveness.answeredAt = performance.now();
    liveness.isInTransaction = status !== 'I';
  });
  client.connection.once('end', () => {
    clearTimeout(timer);
    peers.delete(client);
    if (peers.size === 0) connectionsByServer.delete(server);
  });
};

/**
 * Ends a connection whose statement is not answered in time. The same failure has probably broken other connections to the server: those without an answer since
 * that statement was sent are not used again, because each would cost a request its whole time-out. A connection with a transaction is left to its request.
 */
export const endOverdueConnection = (client: Connection): void => {
  const overdue = livenessOf.get(client);
  endConnection(client);
  for (const peer of overdue?.peers ?? []) {
    const { underWay, answeredAt, isInTransaction } = livenessOf.get(peer)!;
    if (peer === client || answeredAt >= overdue!.sentAt || underWay > 0) continue;
    discardConnection(peer, new NoAnswer());
    if (!isInTransaction) endConnection(peer);
  }
};
