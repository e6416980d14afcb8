// A database session beside those of the app: it locks rows, and counts the sessions that wait.
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';

/** Connects until the test is over. It is no failure when the server ends it. */
export const openSession = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
};

const waitingHere = `select a.pid from pg_stat_activity a where a.datname = current_database() and a.wait_event_type = 'Lock'`;
/**
 * Lists the sessions of this database that wait for a lock, on all nodes of a cluster: all, or those of an application. Within a transaction it
 * always has its first result.
 */
export const buildWaitingSql = (application?: string): string => {
  const sql = inject('onCluster')
    ? `select distinct w.waiting_gpid as pid from citus_lock_waits w
         join citus_stat_activity a on a.global_pid = w.waiting_gpid and a.datname = current_database()`
    : waitingHere;
  return application ? `${sql} and a.application_name = '${application}'` : sql;
};

/** How many sessions wait for a lock. */
export const countWaiting = async (watch: pg.Client): Promise<number> =>
  (await watch.query(buildWaitingSql())).rowCount!;
/** The same in the database of a server that has its own, on no cluster. */
export const countWaitingInEmbedded = async (watch: pg.Client): Promise<number> =>
  (await watch.query(waitingHere)).rowCount!;
