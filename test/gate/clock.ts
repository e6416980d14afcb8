// A stopped clock for the gate: the content of a bucket does not depend on the speed of the machine.
import type { Door } from '../harness/app.ts';

export interface Clock {
  /** Moves it forward, or back, by so many seconds. */
  advance(seconds: number): Promise<unknown>;
  /** Sets the current content of the bucket of a space. */
  fill(tokens: number, space?: number): Promise<unknown>;
}

/** Makes `enter_gate` read a clock of the test instead of that of the database. */
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
