// The job queue: pg-boss over our own connections. A job points to rows that have work to do; it has no data of its own, so that a lost queue loses nothing.
import PgBoss from 'pg-boss';
import type { Database } from '../database/database.ts';

/** In seconds: how often the jobs of killed processes are looked for, and how long jobs that ended are kept for a look. */
const upkeep = { everySeconds: 15, keptSeconds: 3600 };

/** A job that a worker has taken. */
export interface TakenJob {
  id: string;
  input: JobInput;
}

/** The ids that a job is about. */
export type JobInput = Readonly<Record<string, number>>;

export interface JobQueue {
  /** Adds a job, unless one with the same input waits already. */
  send(name: string, input: JobInput): Promise<void>;
  /** Takes waiting jobs. Another process gets them again when they have not ended within a minute. */
  take(name: string, most: number): Promise<TakenJob[]>;
  /** How many jobs have not begun, those that are to run again included. */
  countWaiting(name: string): Promise<number>;
  complete(name: string, id: string): Promise<void>;
  /** Lets it run again after a pause, a few times. */
  fail(name: string, id: string, reason: unknown): Promise<void>;
  close(): Promise<void>;
}

/** Opens the queue. Its tables are a migration. Throws when they are of another version of pg-boss. */
export const openJobQueue = async (database: Database, onError: (error: unknown) => void): Promise<JobQueue> => {
  const boss = new PgBoss({
    db: {
      executeSql: async (text: string, values: unknown[] = []) => ({
        rows: await database.jobPool.runLibraryText(text, values),
      }),
    },
    migrate: false,
    schedule: false,
    maintenanceIntervalSeconds: upkeep.everySeconds,
    archiveCompletedAfterSeconds: upkeep.keptSeconds,
    deleteAfterSeconds: upkeep.keptSeconds,
  });
  boss.on('error', onError);
  await boss.start();
  return {
    send: async (name, input) => {
      await boss.send(name, input, { singletonKey: Object.values(input).join('/') });
    },
    take: async (name, most) =>
      (await boss.fetch<JobInput>(name, { batchSize: most, priority: false })).map(({ id, data }) => ({
        id,
        input: data,
      })),
    countWaiting: (name) => boss.getQueueSize(name),
    complete: (name, id) => boss.complete(name, id),
    fail: (name, id, reason) =>
      boss.fail(name, id, { message: reason instanceof Error ? reason.name : String(reason) }),
    close: () => boss.stop({ graceful: false, close: false }),
  };
};
