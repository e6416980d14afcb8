// Tells the metrics how much work waits: the jobs of each queue, and the due deliveries of webhooks.
import type { Database } from '../database/database.ts';
import { metrics } from '../telemetry/metrics.ts';
import type { JobQueue } from './queue.ts';
import { jobNames } from './table.ts';

/** No more deliveries are counted: it is clear by then that they pile up. */
const most = 10_000;

/** The order makes the planner read the index of waiting deliveries, not the table, even when its statistics are old. */
const dueDeliveries = `
  select cast(count(*) as int) as due from (
    select d.id from webhooks w join webhook_deliveries d on d.group_id = w.group_id and d.webhook_id = w.id
     where w.disabled_at is null and d.state = 'waiting' and d.next_attempt_at <= now()
     order by d.group_id, d.webhook_id, d.next_attempt_at limit ${most}) counted`;

/** Sets the gauges of waiting work. They keep their values when the database does not answer. */
export const measureWork = async (database: Database, queue: JobQueue): Promise<void> => {
  for (const name of jobNames) metrics.jobsWaiting.set({ queue: name }, await queue.countWaiting(name));
  const [row] = await database.jobPool.run<{ due: number }>(dueDeliveries, {}, 'delivery.count_due');
  metrics.deliveriesWaiting.set(row!.due);
};
