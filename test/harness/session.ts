// A database session beside those of the app: it locks rows, and counts the sessions that wait.
import pg from 'pg';
import { onTestFinished } from 'vitest';

/** Connects until the test is over. It is no failure when the server ends it. */
export const session = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
};

/** How many sessions of Muster wait for a lock. Within a transaction it would always return its first result. */
export const waiting = async (watch: pg.Client): Promise<number> =>
  (
    await watch.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'muster' and wait_event_type = 'Lock'`,
    )
  ).rowCount!;
