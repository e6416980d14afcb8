// Prepared statements whose texts depend on what clients ask: the latest are kept, on each connection.
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** How many such texts are prepared, and how long each may be. Every connection keeps their plans in the server's memory. */
export const maxClientTexts = { texts: 200, characters: 10_000 };

const mark = '~';

/** The name of a text that a client caused. It is told from those of our own texts, which are few and stay. */
export const nameClientStatement = (noun: string, sql: string): string => mark + nameStatementText(noun, sql);

export const nameStatementText = (noun: string, sql: string): string =>
  `${noun}.${hash('sha256', sql, 'base64url').slice(0, 22)}`;

/** The part of the driver's connection that is used here. */
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
    max: maxClientTexts.texts,
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

/** Called before a statement is sent under its name: the one that the connection has not used for longest makes room for it. */
export const makeRoomForStatement = (client: object, name: string): void => {
  if (!name.startsWith(mark)) return;
  const names = namesOf(client);
  if (!names.get(name)) names.set(name, true);
};
