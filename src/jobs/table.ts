// THE table of jobs: what each one does, how many run at once in a process, and how work for it is found.
import { assignPositions, findSpacesWithChanges } from '../data/event/change.ts';
import { findDueWebhooks } from '../data/event/delivery.ts';
import { findSpacesBehind, makeDeliveries } from '../data/event/make-deliveries.ts';
import { continueContactChange, findContactChanges } from '../data/import/contact-change.ts';
import { findFileImports } from '../data/import/import-file.ts';
import { findSpacesToRederive, rederiveSearch } from '../data/search/rederive.ts';
import { evaluateSegments, findSpacesToEvaluate } from '../data/segment/segment-evaluation.ts';
import type { Database } from '../database/database.ts';
import { type DeliveryPolicy, deliverWebhook } from './deliver-webhook.ts';

/** The ids that a job is about. */
export type JobInput = Readonly<Record<string, number>>;
/** Work by the key of its lease. */
export type FoundWork = ReadonlyMap<string, JobInput>;

/** The means of a job. */
export interface JobContext {
  database: Database;
  delivery: DeliveryPolicy;
  /** Goes on with the import of an uploaded file until it is done, or `signal` aborts. */
  importFile(database: Database, of: { space: number; file: number }, signal: AbortSignal): Promise<void>;
  /** Aborts when the process is to stop: a job then ends soon, and its rows wait for the next one. */
  signal: AbortSignal;
}

interface Job {
  /** How many run at once in a process, and how many of one space; as many where this is left out. */
  concurrency: number;
  concurrencyOfSpace?: number;
  run(context: JobContext, input: JobInput): Promise<void>;
  /** Finds work, once a second in every process. One of the processes that find the same work takes it. */
  find(database: Database): Promise<JobInput[]>;
}

/** In milliseconds: a job that has worked for so long ends, so that other work has its turn. Work that is left is found again. */
const jobTime = 40_000;

const defineJobs = <Name extends string>(table: Record<Name, Job>): Record<Name, Job> => table;

export const jobs = defineJobs({
  /** Gives positions to the changes of a space, and tells those who work on them. */
  'publish-changes': {
    concurrency: 2,
    find: async (database) => {
      const spaces = [...(await findSpacesWithChanges(database)), ...(await findSpacesBehind(database))];
      return [...new Set(spaces)].map((space) => ({ space }));
    },
    run: async ({ database }, { space: id }) => {
      const space = database.space(id!);
      await assignPositions(space);
      await makeDeliveries(space);
    },
  },
  /** Sends the due deliveries of a webhook. */
  'deliver-webhook': {
    concurrency: 10,
    // Receivers of one space that hang leave room for the others.
    concurrencyOfSpace: 7,
    find: async (database) => (await findDueWebhooks(database)).map(({ space, webhook }) => ({ space, webhook })),
    run: ({ database, delivery, signal }, { space, webhook }) =>
      deliverWebhook(database.space(space!), webhook!, delivery, signal),
  },
  /** Derives the search rows of a space again, after the rules of comparison or its country have changed. */
  'rederive-search': {
    concurrency: 1,
    find: async (database) => (await findSpacesToRederive(database)).map((space) => ({ space })),
    run: ({ database, signal }, { space }) =>
      rederiveSearch(database.space(space!), AbortSignal.any([signal, AbortSignal.timeout(jobTime)])),
  },
  /** Changes the contacts of a change that are still to be changed. */
  'change-contacts': {
    concurrency: 1,
    find: findContactChanges,
    run: ({ database, signal }, { space, change }) =>
      continueContactChange(
        database.space(space!),
        change!,
        AbortSignal.any([signal, AbortSignal.timeout(jobTime)]),
        // One connection is its own.
        () => database.used <= 1,
      ),
  },
  /** Imports the rest of an uploaded file. */
  'import-file': {
    concurrency: 1,
    find: findFileImports,
    run: ({ database, importFile, signal }, { space, file }) =>
      importFile(database, { space: space!, file: file! }, AbortSignal.any([signal, AbortSignal.timeout(jobTime)])),
  },
  /** Finds who entered and who left the watched segments of a space. */
  'evaluate-segments': {
    concurrency: 1,
    find: async (database) => (await findSpacesToEvaluate(database)).map((space) => ({ space })),
    run: async ({ database, signal }, { space }) => {
      await evaluateSegments(database.space(space!), AbortSignal.any([signal, AbortSignal.timeout(jobTime)]));
    },
  },
});

export type JobName = keyof typeof jobs;
export const jobNames = Object.keys(jobs) as JobName[];

/** Finds the work of a job. */
export const findJobWork = async (name: JobName, database: Database): Promise<FoundWork> =>
  new Map((await jobs[name].find(database)).map((input) => [Object.values(input).join('/'), input]));
