// A clock for the gate that stands still: what a bucket holds then depends on no machine's speed.
import type { Door } from '../harness/app.ts';

export interface Clock {
  /** Puts it forward, or back, by so many seconds. */
  advance(seconds: number): Promise<unknown>;
  /** Sets what the bucket of a space holds now. */
  fill(tokens: number, space?: number): Promise<unknown>;
}

/** Has `enter_gate` read a clock of ours in place of the database's. */
export const stopClock = async (door: Door): Promise<Clock> => {
  await door.sql('create schema stopped');
  await door.sql('create table stopped.clock as select clock_timestamp() as at');
  await door.sql(
    `create function stopped.clock_timestamp() returns timestamptz language sql volatile as 'select at from stopped.clock'`,
  );
  await door.sql('alter function enter_gate set search_path = stopped, public, pg_catalog');
  return {
    advance: (seconds) => door.sql('update stopped.clock set at = at + make_interval(secs => ?)', [seconds]),
    fill: (tokens, space = 1) =>
      door.sql(
        `insert into rate_buckets values (?, ?, stopped.clock_timestamp())
         on conflict (group_id) do update set tokens = excluded.tokens, refilled_at = excluded.refilled_at`,
        [space, tokens],
      ),
  };
};
