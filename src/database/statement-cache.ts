// Prepared statements whose texts depend on what clients ask: each connection keeps the ones it used last.
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/**
 * Clients can send unlimited distinct queries. Each prepared statement takes memory of each connection, in proportion to its length. These limits cap
 * the number of statements, their total length, and the length of one.
 */
export const maxClientTexts = { texts: 200, characters: 2_000_000, charactersOfOne: 100_000 };

const mark = '~';

/** The name of a text that depends on a client's request. A mark tells it from our own texts, which are few and stay prepared. */
export const nameClientStatement = (noun: string, sql: string): string => mark + nameStatementText(noun, sql);

export const nameStatementText = (noun: string, sql: string): string =>
  `${noun}.${hash('sha256', sql, 'base64url').slice(0, 22)}`;

/** The part of pg's private interface that is used here. */
interface DriverConnection {
  connection: {
    parsedStatements: Record<string, string>;
    submittedNamedStatements: Record<string, string>;
    close(message: { type: 'S'; name: string }): void;
  };
}

/** The lengths of the texts of each connection, by their names. */
const namesByConnection = new WeakMap<object, LRUCache<string, number>>();

const getNamesOfConnection = (client: object): LRUCache<string, number> => {
  const known = namesByConnection.get(client);
  if (known) return known;
  const { connection } = client as DriverConnection;
  const fresh = new LRUCache<string, number>({
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
  namesByConnection.set(client, fresh);
  return fresh;
};

/** Call it before a statement is sent under its name: the least recently used one of the connection makes room for it. */
export const makeRoomForStatement = (client: object, name: string, { length }: string): void => {
  if (!name.startsWith(mark)) return;
  const names = getNamesOfConnection(client);
  if (!names.get(name)) names.set(name, length);
};
