// A session of the tests' own beside those of the app: to hold locks, and to see who waits for them.
import pg from 'pg';
import { onTestFinished } from 'vitest';

/** Connects, until the test is over. That the server ends it is no failure. */
export const session = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
};

/** How many sessions of Muster wait for a lock. Within a transaction the answer would always be the first one. */
export const waiting = async (watch: pg.Client): Promise<number> =>
  (
    await watch.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'muster' and wait_event_type = 'Lock'`,
    )
  ).rowCount!;
