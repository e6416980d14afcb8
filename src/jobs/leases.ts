// Leases on work: one process at a time has what a job's key names, and work that failed waits. Work is found elsewhere, so a lost lease loses nothing.
import type { Pool } from '../database/pool.ts';
import { createCacheKey } from '../limits/cache-key.ts';

/** In seconds: how long a lease lasts, and so how long the work of a killed process waits. A process that works for longer renews it. */
const leaseSeconds = 30;

/** `holder` is of this lease alone: who has lost it does not touch the next one. */
export type Lease = Record<'name' | 'key' | 'holder', string>;

/**
 * Each space has one turn before any has two. Within a turn chance picks the work, so that none waits forever, and processes seldom want the same.
 * Rows are locked in the order of their keys, so that two processes never wait for each other in a circle.
 */
const take = `
  insert into job_leases as l (name, key, holder, until)
  select :name, p.key, gen_random_uuid(), now() + interval '${leaseSeconds} s'
    from (select t.key
            from (select w.key, w.room, row_number() over (partition by split_part(w.key, '/', 1) order by random()) as turn
                    from unnest(cast(:keys as text[]), cast(:rooms as int[])) w (key, room)
                   where not exists (select 1 from job_leases o where o.name = :name and o.key = w.key and o.until > now())) t
           where t.turn <= t.room order by t.turn, random() limit :most) p
   order by p.key
  on conflict (name, key) do update set holder = excluded.holder, until = excluded.until where l.until <= now()
  returning l.name, l.key, l.holder`;

const ours = 'name = :name and key = :key and holder = cast(:holder as uuid)';
const renew = `update job_leases set until = now() + interval '${leaseSeconds} s' where ${ours}`;
/** It also forgets work that failed and was not found for an hour. */
const free = `delete from job_leases where ${ours} or until < now() - interval '1 hour'`;
/** The pause doubles from a second to about a minute. */
const postpone = `
  update job_leases set holder = null, failures = failures + 1, until = now() + make_interval(secs => 2 ^ least(failures, 6)) where ${ours}`;

const waiting = `
  select cast(count(*) as int) as count from unnest(cast(:keys as text[])) w (key)
   where not exists (select 1 from job_leases l where l.name = :name and l.key = w.key and l.holder is not null and l.until > now())`;

/** Work that a process would take, and how much of its space at most. The key begins with the space. */
export interface WantedWork {
  key: string;
  room: number;
}

/** Takes leases on some of the work of a job: what nobody has, and what does not wait after a failure. */
export const takeLeases = (pool: Pool, name: string, wanted: readonly WantedWork[], most: number): Promise<Lease[]> => {
  const keys = wanted.map(({ key }) => key);
  const rooms = wanted.map(({ room }) => room);
  return pool.run(take, { name, keys, rooms, most }, 'job.take');
};

export const renewLease = (pool: Pool, lease: Lease): Promise<unknown> => pool.run(renew, lease, 'job.renew');

/** Gives a lease back when the work is done. */
export const freeLease = (pool: Pool, lease: Lease): Promise<unknown> => pool.run(free, lease, 'job.free');

/** Gives a lease back when the work failed: nobody takes it before a pause is over, which grows with each failure in a row. */
export const postponeWork = (pool: Pool, lease: Lease): Promise<unknown> => pool.run(postpone, lease, 'job.postpone');

/** How much of this work nobody does now. */
export const countWaiting = async (pool: Pool, name: string, keys: string[]): Promise<number> =>
  (await pool.run<{ count: number }>(waiting, { name, keys }, 'job.count_waiting'))[0]!.count;

const all = 'select name, key, holder is not null and until > now() as held, failures from job_leases';

/** All leases by job and key: whether a process holds the lease now, and how often the work has failed in a row. */
export const listLeases = async (pool: Pool): Promise<Map<string, { held: boolean; failures: number }>> => {
  const rows = await pool.run<{ name: string; key: string; held: boolean; failures: number }>(all, {}, 'job.leases');
  return new Map(rows.map(({ name, key, ...lease }) => [createCacheKey(name, key), lease]));
};
