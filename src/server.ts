// A server's life: migrate, listen, drain when told to stop.

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { Logger } from 'pino';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { Database } from './data/database.ts';

export interface RunningServer {
  url: string;
  database: Database;
  /** Refuses new connections, lets requests under way finish (for `DRAIN_SECONDS` at most), then closes the pool. */
  stop(): Promise<void>;
}

/** Header and idle limits against clients that hold connections without using them. */
const httpOptions = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16 * 1024,
};

/** Listens on `HOST`:`PORT`. Throws an Error in plain words when the port is taken or forbidden. */
export const startServer = async (config: Config, databaseUrl: string, log: Logger): Promise<RunningServer> => {
  const database = new Database(databaseUrl, config.POOL_SIZE);
  let accepting = true;
  const app = createApp({ database, config, log, accepting: () => accepting });
  const server = createAdaptorServer({ fetch: app.fetch, serverOptions: httpOptions }) as Server;
  server.maxConnections = 2_000;
  server.maxRequestsPerSocket = 0;
  await listen(server, config).catch(async (error) => {
    await database.close();
    throw error;
  });
  const { port, family, address } = server.address() as AddressInfo;
  const host = family === 'IPv6' ? `[${address}]` : address;
  return {
    url: `http://${address === '0.0.0.0' || address === '::' ? 'localhost' : host}:${port}`,
    database,
    async stop() {
      accepting = false;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const patience = setTimeout(() => server.closeAllConnections(), config.DRAIN_SECONDS * 1000);
      await closed;
      clearTimeout(patience);
      await database.close();
    },
  };
};

const listen = (server: Server, { HOST, PORT }: Config): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === 'EADDRINUSE' ? 'is in use; set PORT to another' : `cannot be used: ${error.message}`;
      reject(new Error(`Port ${PORT} on ${HOST} ${reason}`));
    });
    server.listen(PORT, HOST, resolve);
  });
