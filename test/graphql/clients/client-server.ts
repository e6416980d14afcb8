// The server that client libraries are tested against: it listens on a port, and the requests that it answers can be counted.
import { pino } from 'pino';
import { readConfig } from '../../../src/config/config.ts';
import { createAccessToken } from '../../../src/gate/token.ts';
import { startServer } from '../../../src/server/server.ts';
import { createDatabase, type Json } from '../../harness/app.ts';
import { cleanUpAfterFile } from '../../harness/cleanup.ts';

export interface ClientServer {
  /** The address of the graph. */
  url: string;
  headers: { Authorization: string };
  /** The global `fetch`, which keeps the status of each answer. */
  fetch: typeof fetch;
  /** Statuses of the answers since the last call. */
  takeStatuses(): number[];
  databaseUrl: string;
  /** Runs any SQL directly in the database, and returns the rows. */
  sql(text: string, values?: unknown[]): Promise<Json[]>;
}

const servers: { stop(): Promise<void> }[] = [];
cleanUpAfterFile(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

/** Starts a server on a database of its own. It runs until the tests of the file are over. */
export const startClientServer = async (bucket: { capacity?: number; refill?: number } = {}): Promise<ClientServer> => {
  const { capacity = 1_000_000, refill = 1_000 } = bucket;
  const databaseUrl = await createDatabase();
  const settings = { PORT: '0', HOST: '127.0.0.1', DRAIN_SECONDS: '0' };
  const config = readConfig({ ...settings, BUCKET_CAPACITY: String(capacity), BUCKET_REFILL: String(refill) });
  const server = await startServer(config, databaseUrl, pino({ level: 'silent' }));
  servers.push(server);
  const { database } = server;
  const statuses: number[] = [];
  return {
    url: `${server.url}/graphql`,
    headers: { Authorization: `Bearer ${await createAccessToken(database, 1, 1)}` },
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      statuses.push(response.status);
      return response;
    },
    takeStatuses: () => statuses.splice(0),
    databaseUrl,
    sql: async (text, values = []) => (await database.readers.knex.raw(text, values as never)).rows,
  };
};
