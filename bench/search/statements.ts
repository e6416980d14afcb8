// Counts and records the statements of a search, with a server in this process.
import { pino } from 'pino';
import { readConfig } from '../../src/config/config.ts';
import { startServer } from '../../src/server/server.ts';
import { limitless } from '../harness/process.ts';
import { type Ask, createAsker } from './service.ts';

export interface Watched {
  asker(token: string): Ask;
  /** Runs the work and returns the number of its statements, those of the gate included. */
  count(work: () => Promise<unknown>): Promise<number>;
  /** Runs the work and returns its statements. */
  record(work: () => Promise<unknown>): Promise<Sent[]>;
  stop(): Promise<void>;
}

interface Sent {
  sql: string;
  bindings: unknown[];
}

export const startWatched = async (databaseUrl: string): Promise<Watched> => {
  const config = readConfig({ ...limitless, PORT: '0', DRAIN_SECONDS: '0' });
  const { url, database, stop } = await startServer(config, databaseUrl, pino({ level: 'silent' }));
  let sent: Sent[] = [];
  for (const { knex } of database.pools) knex.on('query', (query: Sent) => sent.push(query));
  const record = async (work: () => Promise<unknown>): Promise<Sent[]> => {
    sent = [];
    await work();
    return sent;
  };
  return {
    asker: (token) => createAsker(Number(new URL(url).port), token),
    count: async (work) => (await record(work)).length,
    record,
    stop,
  };
};
