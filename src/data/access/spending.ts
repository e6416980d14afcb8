// Spending: counts what each caller of a space takes of its bucket, by minutes of the last day.
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { limits } from '../../limits/limits.ts';

export interface SpendingRow {
  /** The number of a user or of an app. */
  caller_id: number;
  last_minute: number;
  last_hour: number;
  last_day: number;
}

/** In one order, so that processes that write at the same time wait for each other, and not in a circle. */
const record = defineStatement(
  'spending.record',
  `insert into spending as s (group_id, caller_id, minute, tokens)
   select :group, c.id, date_trunc('minute', now()), c.tokens
     from unnest(cast(:ids as bigint[]), cast(:tokens as double precision[])) c (id, tokens) order by c.id
   on conflict (group_id, caller_id, minute) do update set tokens = s.tokens + excluded.tokens`,
);
const read = defineStatement(
  'spending.read',
  `select s.caller_id,
          coalesce(sum(s.tokens) filter (where s.minute >= date_trunc('minute', now()) - interval '1 minute'), 0) as last_minute,
          coalesce(sum(s.tokens) filter (where s.minute > now() - interval '1 hour'), 0) as last_hour,
          sum(s.tokens) as last_day
     from spending s where s.group_id = :group and s.minute > now() - interval '1 day'
    group by s.caller_id order by last_hour desc, last_day desc, s.caller_id limit ${limits.list.page}`,
);

/** Adds what callers have spent, to the present minute. */
export const recordSpending = async (space: Space, spent: ReadonlyMap<number, number>): Promise<void> => {
  await space.rows(record, { ids: [...spent.keys()], tokens: [...spent.values()] });
};

/** Reads what callers spent; first those who spent most in the last hour. */
export const readSpending = (space: Space): Promise<SpendingRow[]> => space.rows(read);
