// Statements of texts that clients think of: so many of the latest are prepared, here and on each connection.
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Texts of clients that are prepared, of so many characters at most: each connection keeps their plans in the server's memory. */
export const mostPassing = { texts: 200, characters: 10_000 };

const mark = '~';

/** The name of a text that a client made. It tells such from our own, which are few, and stay. */
export const passingName = (noun: string, sql: string): string => mark + textName(noun, sql);

export const textName = (noun: string, sql: string): string =>
  `${noun}.${hash('sha256', sql, 'base64url').slice(0, 22)}`;

/** What of a connection of the driver is used here. */
interface Driver {
  connection: {
    parsedStatements: Record<string, string>;
    submittedNamedStatements: Record<string, string>;
    close(message: { type: 'S'; name: string }): void;
  };
}

const ofConnections = new WeakMap<object, LRUCache<string, true>>();

const namesOf = (client: object): LRUCache<string, true> => {
  const known = ofConnections.get(client);
  if (known) return known;
  const { connection } = client as Driver;
  const fresh = new LRUCache<string, true>({
    max: mostPassing.texts,
    dispose: (_, name) => {
      // The server reads this before the statement that is sent next, and answers nothing that anybody waits for.
      connection.close({ type: 'S', name });
      delete connection.parsedStatements[name];
      delete connection.submittedNamedStatements[name];
    },
  });
  ofConnections.set(client, fresh);
  return fresh;
};

/** To be called before a statement is sent under its name: the one that a connection has not used for longest makes room for it. */
export const makeRoom = (client: object, name: string): void => {
  if (!name.startsWith(mark)) return;
  const names = namesOf(client);
  if (!names.get(name)) names.set(name, true);
};
