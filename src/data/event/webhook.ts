// Webhooks of a space: where its changes are sent, what of them, how messages are signed, and whether that works.

import { createHmac, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { lockSpace } from '../../database/lock-on-node.ts';
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { limits } from '../../limits/limits.ts';
import { Problem } from '../../problem.ts';
import { defineList } from '../noun/define-list.ts';
import { describeRecordColumns, type RowOf } from '../noun/noun.ts';
import type { Actor } from '../noun/reach.ts';
import { requireFound } from '../noun/references.ts';
import { assignPositions } from './change.ts';
import { requireReachOver } from './visibility.ts';

const prefix = 'whsec_';

/** Makes a secret: 256 random bits. */
export const generateWebhookSecret = (): string => `${prefix}${randomBytes(32).toString('base64')}`;

export interface Message {
  /** The same for every attempt, so that a receiver can tell a repetition. */
  id: string;
  body: string;
}

/** The headers of one attempt. `seconds` is its time. */
export const signMessage = (
  { id, body }: Message,
  secrets: readonly string[],
  seconds: number,
): Record<string, string> => ({
  'webhook-id': id,
  'webhook-timestamp': String(seconds),
  'webhook-signature': secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(prefix.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
    })
    .join(' '),
});

export const webhookColumns = describeRecordColumns({
  id: { kind: 'id' },
  name: { kind: 'text', description: 'What it is for.' },
  url: { kind: 'text', description: 'Where messages are sent, by POST.' },
  events: { kind: 'texts' },
  // The names of fields of the graph.
  fields: {
    kind: 'texts',
    nullable: true,
    description: 'Only updates of at least one of these fields are sent; null for any. Other events are sent always.',
  },
  with_values: {
    kind: 'flag',
    field: 'includesValues',
    description: 'Whether messages have the values before and after, and not only the names of fields.',
  },
  user_id: { kind: 'id' },
  // The user who changed it last; null when nobody has.
  editor_id: { kind: 'id', nullable: true },
  former_until: {
    kind: 'instant',
    nullable: true,
    field: 'formerSecretUntil',
    description: 'Until when messages are also signed with the secret before the last rotation.',
  },
  disabled_at: { kind: 'instant', nullable: true, description: 'When it was disabled.' },
  disabled_reason: { kind: 'text', nullable: true, description: 'Why it was disabled.' },
  failing_since: {
    kind: 'instant',
    nullable: true,
    description: 'When the first attempt failed since the last success; null while it works.',
  },
  last_success_at: {
    kind: 'instant',
    nullable: true,
    description: 'When a message was last delivered, give or take ten seconds.',
  },
  created_at: { kind: 'instant', description: 'When it was created.' },
  updated_at: { kind: 'instant', description: 'When it was last changed.' },
});
export type WebhookRow = RowOf<typeof webhookColumns.columns>;

/** The content of a webhook as its owner writes it. */
interface WebhookContent {
  name: string;
  url: string;
  events: readonly string[];
  fields?: readonly string[] | null | undefined;
  withValues?: boolean | null | undefined;
}

/** Why all webhooks of a restored database are disabled. One of these goes on where it was. */
const restored = 'the database was restored from a backup';

const columns = webhookColumns.list;
const returned = webhookColumns.qualify('w');

const count = defineStatement('webhook.count', 'select count(*) as count from webhooks where group_id = :group');
const create = defineStatement(
  'webhook.create',
  `insert into webhooks as w (group_id, name, url, events, fields, with_values, secret, user_id, position)
   values (:group, :name, :url, :events, :fields, :withValues, :secret, :userId, :position) returning ${returned}`,
);
const update = defineStatement(
  'webhook.update',
  `update webhooks w set name = :name, url = :url, events = :events, fields = :fields, with_values = :withValues, editor_id = :by, updated_at = now(),
          disabled_at = case when :active then null else coalesce(w.disabled_at, t.now) end,
          disabled_reason = case when :active then null else coalesce(w.disabled_reason, 'by a user') end,
          failing_since = case when :active and w.disabled_at is not null then null else w.failing_since end,
          position = case when :active and w.disabled_reason is distinct from '${restored}' and w.disabled_at is not null then :position else w.position end
     from (select now() as now) t
    where w.group_id = :group and w.id = :id
      and (w.name, w.url, w.events, w.fields, w.with_values, w.disabled_at is null) is distinct from (:name, :url, cast(:events as text[]), cast(:fields as text[]), :withValues, :active)
   returning ${returned}`,
);
/** Deliveries that waited before are not sent later: the receiver has read the feed. The secrets of their invitations are no longer needed. */
const giveUpWaiting = defineStatement(
  'webhook.give_up_waiting',
  `with given_up as (
     update webhook_deliveries d set state = 'given_up', locked_until = null, error = 'the webhook was disabled'
      where d.group_id = :group and d.webhook_id = :id and d.state = 'waiting' returning d.id)
   delete from webhook_secrets s using given_up g where s.group_id = :group and s.delivery_id = g.id`,
);
const remove = defineStatement(
  'webhook.delete',
  'delete from webhooks where group_id = :group and id = :id returning id',
);
const rotate = defineStatement(
  'webhook.rotate',
  `update webhooks w set former_secret = w.secret, former_until = now() + make_interval(hours => ${limits.webhook.formerHours}), secret = :secret, updated_at = now()
    where w.group_id = :group and w.id = :id returning ${returned}`,
);
const byIdLocked = defineStatement(
  'webhook.by_id_locked',
  `select ${columns} from webhooks where group_id = :group and id = :id for no key update`,
);
/** The outbox holds values only while somebody gets them, or may go on to get them. */
const setValues = defineStatement(
  'webhook.set_values',
  `update change_feeds f set keeps_values = w.wanted
     from (select exists (select 1 from webhooks where group_id = :group and with_values and (disabled_at is null or disabled_reason = '${restored}')) as wanted) w
    where f.group_id = :group and f.keeps_values <> w.wanted`,
);
const disable = defineStatement(
  'webhook.disable',
  `update webhooks w set disabled_at = now(), disabled_reason = :reason, updated_at = now()
    where w.group_id = :group and w.id = :id and w.disabled_at is null and w.url = coalesce(cast(:url as text), w.url)`,
);

const bind = ({ fields = null, withValues, ...content }: WebhookContent) => ({
  ...content,
  fields: fields?.length ? fields : null,
  withValues: withValues ?? false,
});

/** Creates a webhook that gets what changes from now on; its secret is shown only here. Throws 409 for a space with too many. */
export const createWebhook = (
  space: Space,
  content: WebhookContent,
  userId: number,
): Promise<{ row: WebhookRow; secret: string }> =>
  space.transaction(async (tx) => {
    // One after the other, so that their number is bounded.
    await tx.rows(lockSpace);
    if ((await tx.row<{ count: number }>(count))!.count >= limits.webhook.webhooks)
      throw new Problem('conflict', `The space has ${limits.webhook.webhooks} webhooks: delete one of them first`);
    const secret = generateWebhookSecret();
    const { position } = await assignPositions(tx);
    const row = (await tx.row<WebhookRow>(create, { ...bind(content), secret, userId, position }))!;
    await tx.rows(setValues);
    return { row, secret };
  });

/** The user of the space who edits a webhook. */
type Editor = Actor & { userId: number };

/** A part of a webhook's content, and whether it is to be active. */
type WebhookPatch = Partial<WebhookContent> & { active?: boolean | null | undefined };

/**
 * Updates the given fields. One that becomes active again gets what changes from then on. Throws 404 when it is missing, 403 when it reaches
 * further than the actor.
 */
export const updateWebhook = (space: Space, id: number, patch: WebhookPatch, actor: Editor): Promise<WebhookRow> =>
  space.transaction(async (tx) => {
    await requireReachOver(tx, [id], actor, 'change');
    const known = requireFound('webhook', id, await tx.row<WebhookRow>(byIdLocked, { id }));
    const { active = known.disabled_at === null, ...content } = patch;
    const { position } = await assignPositions(tx);
    const values = bind({
      name: content.name ?? known.name,
      url: content.url ?? known.url,
      events: content.events ?? known.events,
      fields: content.fields === undefined ? known.fields : content.fields,
      withValues: content.withValues ?? known.with_values,
    });
    const row = await tx.row<WebhookRow>(update, { id, ...values, active, position, by: actor.userId });
    if (active && known.disabled_at !== null && known.disabled_reason !== restored)
      await tx.rows(giveUpWaiting, { id });
    await tx.rows(setValues);
    return row ?? known;
  });

/** Deletes a webhook with its deliveries. Throws 404 when it is missing, 403 when it reaches further than the actor. */
export const deleteWebhook = (space: Space, id: number, actor: Actor): Promise<number> =>
  space.transaction(async (tx) => {
    await requireReachOver(tx, [id], actor, 'delete');
    requireFound('webhook', id, await tx.row(remove, { id }));
    await tx.rows(setValues);
    return id;
  });

/**
 * Gives a webhook a new secret, which is shown only here. Messages are signed with the former one too for some hours. Throws 404 when it is
 * missing, 403 when it reaches further than the actor.
 */
export const rotateWebhookSecret = (
  space: Space,
  id: number,
  actor: Actor,
): Promise<{ row: WebhookRow; secret: string }> =>
  space.transaction(async (tx) => {
    await requireReachOver(tx, [id], actor, 'renew the secret of');
    const secret = generateWebhookSecret();
    return { row: requireFound('webhook', id, await tx.row<WebhookRow>(rotate, { id, secret })), secret };
  });

/** Stops a webhook for this reason, unless it has another address than `url` by now. */
export const disableWebhook = async (
  space: Space,
  id: number,
  reason: string,
  url: string | null = null,
): Promise<void> => {
  await space.transaction(async (tx) => {
    await tx.rows(disable, { id, reason, url });
    await tx.rows(setValues);
  });
};

/** Disables all webhooks, and returns how many they were: a copy of a database must not write to the receivers of the original. */
export const pauseRestoredWebhooks = async (client: pg.Client): Promise<number> => {
  const { rowCount } = await client.query(
    'update webhooks set disabled_at = now(), disabled_reason = $1 where disabled_at is null',
    [restored],
  );
  return rowCount!;
};

export const webhookList = defineList<WebhookRow>()({
  noun: 'webhook',
  from: 'webhooks r',
  scoped: ['r'],
  columns: webhookColumns.qualify('r'),
  fields: webhookColumns.listFields(['id', 'name', 'url', 'created_at', 'disabled_at', 'failing_since']),
  orders: ['id', 'name', 'createdAt'],
  isShort: true,
});
