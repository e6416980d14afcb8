// Tells the metrics how much work waits: that of each job, and the due deliveries of webhooks.
import type { Database } from '../database/database.ts';
import { metrics } from '../telemetry/metrics.ts';
import { countWaiting } from './leases.ts';
import type { FoundWork, JobName } from './table.ts';

/** No more deliveries are counted: it is clear by then that they pile up. */
const most = 10_000;

/** The order makes the planner read the index of waiting deliveries, not the table, even when its statistics are old. */
const dueDeliveries = `
  select cast(count(*) as int) as due from (
    select d.id from webhooks w join webhook_deliveries d on d.group_id = w.group_id and d.webhook_id = w.id
     where w.disabled_at is null and d.state = 'waiting' and d.next_attempt_at <= now()
     order by d.group_id, d.webhook_id, d.next_attempt_at limit ${most}) counted`;

/** Sets the gauges of waiting work, from the work that was found just now. They keep their values when the database does not answer. */
export const measureWork = async (database: Database, found: ReadonlyMap<JobName, FoundWork>): Promise<void> => {
  const { jobPool } = database;
  for (const [name, work] of found)
    metrics.jobsWaiting.set({ queue: name }, await countWaiting(jobPool, name, [...work.keys()]));
  const [row] = await jobPool.run<{ due: number }>(dueDeliveries, {}, 'delivery.count_due');
  metrics.deliveriesWaiting.set(row!.due);
};
