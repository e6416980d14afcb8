// The sweep: deletes expired rows of all spaces in small batches; one process sweeps at a time.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../database/database.ts';
import type { BucketShape } from '../../database/gate.ts';
import type { Pool } from '../../database/pool.ts';
import { limits } from '../../limits/limits.ts';
import { type RetentionCounts, type RetentionPeriods, runRetention } from './retention.ts';

/** Rows of a space that one statement deletes at most: it takes some milliseconds, and holds its locks no longer. Spaces are found by as many rows. */
export const batchSize = 1000;
/** The approximate time between two sweeps of a process, in milliseconds. */
const usualPause = 60_000;
/** The time between two runs of retention of a process, in milliseconds. */
const retentionPause = 3_600_000;
/** The longest time of one sweep, in milliseconds. The next sweep deletes the rest. */
const maxSweepMs = 20_000;
/** An arbitrary number that no other advisory lock is likely to use. */
const lock = 7_063_842_112;

interface Expiry {
  /** The condition of an expired row. */
  due: string;
  /** The rest of its key, after the space. */
  key: string[];
  /** A statement about the deleted rows, `removed`. */
  settle?: string;
}

/** By table of the spaces; rows that another transaction has locked are skipped. */
const expiries = {
  idempotency_keys: { due: `created_at <= now() - interval '24 hours'`, key: ['user_id', 'key'] },
  search_traversals: {
    due: `read_at <= now() - make_interval(mins => ${limits.search.traversalMinutes})`,
    key: ['token_id', 'search', 'traversal'],
  },
  // Expired tokens admit no one, and their owners have been told so for a month.
  tokens: {
    due: `(expires_at is not null or revoked_at is not null) and least(expires_at, revoked_at) <= now() - interval '30 days'`,
    key: ['id'],
  },
  // A full bucket is the same as none: the gate creates a full one. Buckets of spaces that are used now and then stay.
  rate_buckets: {
    due: `refilled_at <= now() - interval '1 hour'
       and tokens + extract(epoch from now() - refilled_at) * cast(:refill as double precision) >= cast(:capacity as double precision)`,
    key: [],
  },
  // An app that has not called for a day has its whole share.
  app_buckets: { due: `refilled_at <= now() - interval '1 day'`, key: ['app_id'] },
  // One that has not come whole is of a request that broke off. An import under way ends: nobody could go on with it.
  import_files: {
    due: `created_at <= now() - make_interval(hours => case when size is null then 1 else ${limits.import.hours} end)`,
    key: ['id'],
    settle:
      'update imports i set finished_at = now() from removed r where i.group_id = :space and i.id = r.id and i.finished_at is null',
  },
  spending: { due: `minute <= now() - interval '1 day'`, key: ['caller_id', 'minute'] },
} satisfies Record<string, Expiry>;
type ExpiredTable = keyof typeof expiries;
export const expiredTables = Object.keys(expiries) as ExpiredTable[];

const findSpacesSql = (table: ExpiredTable): string =>
  `select distinct d.group_id as space from (select group_id from ${table} where ${expiries[table].due} limit ${batchSize}) d`;
/** The lock lasts as long as the statement, since a pooler may give the next statement another session. */
const deleteSql = (table: ExpiredTable): string => {
  const { key: rest, settle }: Expiry = expiries[table];
  const key = ['group_id', ...rest].join(', ');
  return `
    with turn as materialized (select pg_try_advisory_xact_lock(${lock}) as mine),
    removed as (
      delete from ${table} r where r.group_id = :space and (${key}) in (
        select ${key} from ${table} where group_id = :space and ${expiries[table].due} and (select mine from turn)
         limit ${batchSize} for update skip locked)
      returning ${key})${settle ? `, settled as (${settle})` : ''}
    select (select mine from turn) as mine, (select count(*) from removed) as deleted`;
};

interface SweepOptions {
  /** Deletes buckets that would be full again. */
  shape: BucketShape;
  signal?: AbortSignal;
}

/**
 * Deletes expired rows; yields how many of each kind. Undefined when another process is sweeping. Ends early, between two batches, when its
 * time is over or `signal` aborts. Throws when a statement fails; rows deleted before stay deleted.
 */
export const deleteExpiredRows = async (
  pool: Pool,
  { shape, signal }: SweepOptions,
): Promise<Record<ExpiredTable, number> | undefined> => {
  const deleted = Object.fromEntries(expiredTables.map((kind) => [kind, 0])) as Record<ExpiredTable, number>;
  const end = performance.now() + maxSweepMs;
  for (const table of expiredTables)
    for (let isMore = true; isMore; ) {
      const before = deleted[table];
      const found = await pool.run<{ space: number }>(findSpacesSql(table), { ...shape }, `sweep.find_${table}`);
      for (const { space } of found) {
        if (signal?.aborted || performance.now() > end) return deleted;
        const values = { ...shape, space };
        const [batch] = await pool.run<{ mine: boolean; deleted: number }>(deleteSql(table), values, `sweep.${table}`);
        if (!batch!.mine) return undefined;
        deleted[table] += batch!.deleted;
      }
      isMore = deleted[table] - before >= batchSize;
    }
  return deleted;
};

interface KeepSweptOptions {
  shape: BucketShape;
  /** The retention job runs once an hour, the first time with the first sweep. */
  retention?: RetentionPeriods;
  onRetention?(deleted: RetentionCounts): void;
  /** In milliseconds. */
  every?: number;
  /** Called for the first of several failures in a row. */
  onFailure(error: unknown): void;
}

/** Sweeps periodically until it is stopped. Processes that started together do not sweep together. */
export const sweepExpiredRows = (
  database: Database,
  { shape, retention, onRetention, every = usualPause, onFailure }: KeepSweptOptions,
): { stop(): Promise<void> } => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const repeat = async (): Promise<void> => {
    for (let [failed, nextRetention] = [false, 0]; ; ) {
      await sleep(every * (0.75 + Math.random() / 2), undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      try {
        await deleteExpiredRows(database.readers, { shape, signal });
        if (retention && performance.now() >= nextRetention) {
          nextRetention = performance.now() + retentionPause;
          const counts: RetentionCounts = {};
          await runRetention(database, retention, { signal, counts }).finally(() => {
            if (Object.keys(counts).length > 0) onRetention?.(counts);
          });
        }
        failed = false;
      } catch (error) {
        if (!failed && !signal.aborted) onFailure(error);
        failed = true;
      }
    }
  };
  const over = repeat();
  return {
    stop() {
      stopping.abort();
      return over;
    },
  };
};
