// Statements without an answer in time: their connections are ended, and those that were probably lost with them are not used again.
import { type Connection, endConnection, NoAnswer } from './connection.ts';
import { discardConnection } from './knex-internals.ts';

/** What is known of a connection without asking its server. Times are of `performance.now()`. */
interface Liveness {
  /** Those to the same server, with itself. */
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

const findPeers = (server: string): Set<Connection> => {
  const known = connectionsByServer.get(server) ?? new Set();
  connectionsByServer.set(server, known);
  return known;
};

/**
 * Ends the connection when a statement is not answered within `ms`, and those to the same `server` that are likely to be lost with it. The server keeps to
 * its own limit of time, but only while it runs, and while the network carries what it says.
 */
export const endWhenOverdue = (client: Connection, server: string, ms: number): void => {
  const now = performance.now();
  const times = { sentAt: now, answeredAt: now };
  const liveness: Liveness = { peers: findPeers(server), underWay: 0, isInTransaction: false, ...times };
  liveness.peers.add(client);
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
    liveness.answeredAt = performance.now();
    liveness.isInTransaction = status !== 'I';
  });
  client.connection.once('end', () => {
    clearTimeout(timer);
    liveness.peers.delete(client);
    if (liveness.peers.size === 0) connectionsByServer.delete(server);
  });
};

/**
 * Ends a connection whose statement is not answered in time. What lost it has probably lost others: those to the same server that have had no answer since
 * that statement was sent are not used again, as each would cost a request its whole time. One with a transaction is left to the request that has it.
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
