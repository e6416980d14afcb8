// Makes the deliveries of webhooks for the changes that have positions.
import type { Database } from '../../database/database.ts';
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { limits } from '../../limits/limits.ts';
import { findSpaces } from './change.ts';
import { nameEvent, splitEvents } from './events.ts';
import { findPublishedColumns } from './published.ts';
import { buildVisibility, ownerLeft, readWebhookRights, visibleSql } from './visibility.ts';
import { disableWebhook } from './webhook.ts';

/** Changes that one statement makes deliveries of. */
const madeAtOnce = 5000;
const lockWebhook = defineStatement(
  'delivery.lock_webhook',
  `select w.events, w.fields, w.position, f.position as until, f.first_position > w.position + 1 as is_late,
          (select count(*) from (select 1 from webhook_deliveries d where d.group_id = :group and d.webhook_id = :id and d.state = 'waiting' limit ${limits.webhook.waiting}) x) as waiting
     from webhooks w join change_feeds f on f.group_id = :group
    where w.group_id = :group and w.id = :id and w.disabled_at is null and w.position < f.position
      for no key update of w`,
);
const make = defineStatement(
  'delivery.make',
  `with moved as (
     update webhooks set position = :until where group_id = :group and id = :id)
   insert into webhook_deliveries (group_id, webhook_id, position, event, type, record_id, contact_id)
   select :group, :id, s.position, w.event, s.type, s.record_id, s.contact_id
     from changes s
     join unnest(cast(:eventTypes as text[]), cast(:operations as text[]), cast(:events as text[])) w (type, operation, event)
       on w.type = s.type and w.operation = s.operation
    where s.group_id = :group and s.position > :from and s.position <= :until and ${visibleSql}
      and (cast(:columns as text[]) is null or s.operation <> 'updated' or s.fields && cast(:columns as text[]))
    order by s.position`,
);
const active = defineStatement(
  'delivery.active_webhooks',
  `select w.id from webhooks w join change_feeds f on f.group_id = :group
    where w.group_id = :group and w.disabled_at is null and w.position < f.position order by w.id`,
);

/** Makes the deliveries of one webhook for the next changes; resolves to whether there are more. */
const makeSome = (space: Space, id: number): Promise<boolean> =>
  space.transaction(async (tx) => {
    const found = await tx.row<{
      events: string[];
      fields: string[] | null;
      position: number;
      until: number;
      is_late: boolean;
      waiting: number;
    }>(lockWebhook, { id });
    if (!found) return false;
    const rights = (await readWebhookRights(tx, [id])).get(id);
    const reason = !rights
      ? ownerLeft
      : found.is_late
        ? 'its next changes are no longer kept'
        : `${limits.webhook.waiting} deliveries were waiting`;
    if (!rights || found.is_late || found.waiting >= limits.webhook.waiting) {
      await disableWebhook(tx, id, reason);
      return false;
    }
    const events = splitEvents(found.events);
    const until = Math.min(found.until, found.position + madeAtOnce);
    await tx.rows(make, {
      id,
      from: found.position,
      until,
      eventTypes: events.map(({ type }) => type),
      operations: events.map(({ operation }) => operation),
      events: events.map(({ type, operation }) => nameEvent(type, operation)),
      columns: found.fields?.flatMap(findPublishedColumns) ?? null,
      ...buildVisibility(
        rights,
        events.map(({ type }) => type),
      ),
    });
    return until < found.until;
  });

/** Makes the deliveries of all webhooks of a space for the changes that have positions. */
export const makeDeliveries = async (space: Space): Promise<void> => {
  for (const { id } of await space.rows<{ id: number }>(active))
    for (let isMore = true; isMore; ) isMore = await makeSome(space, id);
};

const behind = `
  select distinct w.group_id from webhooks w join change_feeds f on f.group_id = w.group_id
   where w.disabled_at is null and w.position < f.position order by w.group_id`;

/** The spaces with changes of which deliveries are to be made. */
export const findSpacesBehind = (database: Database): Promise<number[]> =>
  findSpaces(database, behind, 'delivery.behind');
