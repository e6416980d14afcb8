// Counts the statements of a page, with a server in this process.
import { pino } from 'pino';
import { readConfig } from '../../src/config/config.ts';
import { startServer } from '../../src/server/server.ts';
import { limitless } from '../harness/process.ts';
import { type Ask, createAsker } from './service.ts';

export interface Watched {
  asker(token: string): Ask;
  /** Runs the work and returns the number of its statements, those of the gate included. */
  count(work: () => Promise<unknown>): Promise<number>;
  stop(): Promise<void>;
}

export const startWatched = async (databaseUrl: string): Promise<Watched> => {
  const config = readConfig({ ...limitless, PORT: '0', DRAIN_SECONDS: '0' });
  const { url, database, stop } = await startServer(config, databaseUrl, pino({ level: 'silent' }));
  let statements = 0;
  for (const { knex } of database.pools) knex.on('query', () => statements++);
  return {
    asker: (token) => createAsker(Number(new URL(url).port), token),
    async count(work) {
      statements = 0;
      await work();
      return statements;
    },
    stop,
  };
};
