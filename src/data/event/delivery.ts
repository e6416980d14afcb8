// Deliveries of webhooks: made from the feed, claimed for attempts, with what the last attempt came to.
import type { Database } from '../../database/database.ts';
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { limits } from '../../limits/limits.ts';
import { type RoleType, roleTypes } from '../../permissions/permissions.ts';
import { createNotFoundProblem, Problem } from '../../problem.ts';
import { defineList } from '../noun/define-list.ts';
import { describeRecordColumns, type RowOf } from '../noun/noun.ts';
import type { Actor } from '../noun/reach.ts';
import { requireFound } from '../noun/references.ts';
import type { ChangeRow } from './change.ts';
import { invitationSent, webhookTested } from './events.ts';
import { findPublishedColumns } from './published.ts';
import {
  buildVisibility,
  mayGetSecret,
  ownerLeft,
  readableSql,
  readWebhookRights,
  requireReachOver,
  visibleSql,
} from './visibility.ts';
import { disableWebhook, type WebhookRow } from './webhook.ts';

export type DeliveryState = 'waiting' | 'delivered' | 'given_up';

export const deliveryColumns = describeRecordColumns({
  id: { kind: 'id' },
  webhook_id: { kind: 'id' },
  position: { kind: 'whole', nullable: true },
  event: { kind: 'code', description: 'Its type, such as `contact.updated`.' },
  type: { kind: 'code', nullable: true },
  record_id: { kind: 'id', nullable: true },
  contact_id: { kind: 'id', nullable: true },
  state: { kind: 'code' },
  attempts: { kind: 'whole', description: 'How often it was tried.' },
  next_attempt_at: { kind: 'instant' },
  delivered_at: { kind: 'instant', nullable: true, description: 'When it was delivered.' },
  status: { kind: 'whole', nullable: true, description: 'The HTTP status of the last answer.' },
  error: { kind: 'text', nullable: true, description: 'Why the last attempt got no whole answer.' },
  response: {
    kind: 'text',
    nullable: true,
    description: `The begin of the last answer's body, ${limits.webhook.responseBytes} bytes at most.`,
  },
  milliseconds: { kind: 'whole', nullable: true, description: 'How long the last attempt took.' },
  created_at: { kind: 'instant', description: 'When it was made.' },
});
export type DeliveryRow = RowOf<typeof deliveryColumns.columns> & { state: DeliveryState };

const inactive = defineStatement(
  'delivery.inactive_webhook',
  'select id from webhooks where group_id = :group and id = any(:ids) and disabled_at is not null order by id limit 1',
);

/** Throws 409 for a webhook that is disabled: what waits for it would not be sent, and be given up when it is active again. */
const requireActive = async (tx: Space, ids: readonly number[]): Promise<void> => {
  const found = await tx.row<{ id: number }>(inactive, { ids });
  if (found) throw new Problem('conflict', `Webhook ${found.id} is disabled: make it active first`);
};

const addTest = defineStatement(
  'delivery.add_test',
  `insert into webhook_deliveries as d (group_id, webhook_id, event)
   with found as materialized (select w.id from webhooks w where w.group_id = :group and w.id = :id)
   select :group, f.id, '${webhookTested}' from found f
   returning ${deliveryColumns.qualify('d')}`,
);

/** Adds a delivery without a change, which is sent soon. Throws 404 for a missing webhook, 403 for one that reaches further than the actor, 409 for one that is disabled. */
export const addTestDelivery = (space: Space, id: number, actor: Actor): Promise<DeliveryRow> =>
  space.transaction(async (tx) => {
    await requireReachOver(tx, [id], actor, 'test');
    await requireActive(tx, [id]);
    return requireFound('webhook', id, await tx.row<DeliveryRow>(addTest, { id }));
  });

const addInvitations = defineStatement(
  'delivery.add_invitations',
  `with added as (
     insert into webhook_deliveries (group_id, webhook_id, event, type, record_id)
     select :group, :webhook, '${invitationSent}', 'Invitation', s.id
       from webhooks w cross join unnest(cast(:ids as bigint[])) with ordinality s (id, place)
      where w.group_id = :group and w.id = :webhook order by s.place
     returning id, record_id)
   insert into webhook_secrets (group_id, delivery_id, secret)
   select :group, a.id, s.secret from added a join unnest(cast(:ids as bigint[]), cast(:secrets as text[])) s (id, secret) on s.id = a.record_id`,
);
const wantInvitations = defineStatement(
  'delivery.want_invitations',
  `select w.id from webhooks w where w.group_id = :group and w.disabled_at is null and '${invitationSent}' = any(w.events) order by w.id`,
);

/**
 * Has the secrets of these invitations sent to the webhooks that ask for them and reach as far as the role that is offered. They are kept until
 * then, apart from everything else.
 */
export const addInvitationDeliveries = async (
  tx: Space,
  invitations: readonly { id: number; secret: string; roleType: RoleType }[],
): Promise<void> => {
  const wanting = await tx.rows<{ id: number }>(wantInvitations);
  if (wanting.length === 0) return;
  const ids = wanting.map(({ id }) => id);
  for (const [webhook, rights] of await readWebhookRights(tx, ids)) {
    const sent = invitations.filter(({ roleType }) => mayGetSecret(rights, roleType));
    if (sent.length === 0) continue;
    await tx.rows(addInvitations, {
      webhook,
      ids: sent.map(({ id }) => id),
      secrets: sent.map(({ secret }) => secret),
    });
  }
};

/** The condition that a delivery `r` is for everybody who sees webhooks. */
const openSql = `(r.type is distinct from 'Interaction' or exists (
       select 1 from interactions i where i.group_id = :group and i.id = r.record_id and not i.only_super_admin))`;

const replay = defineStatement(
  'delivery.replay',
  `update webhook_deliveries d set state = 'waiting', attempts = 0, next_attempt_at = now(), delivered_at = null, created_at = d.created_at
    where d.group_id = :group and d.id = any(:ids) and d.state <> 'waiting' and d.event <> '${invitationSent}'
      and (d.position is null or exists (select 1 from changes c where c.group_id = :group and c.position = d.position))
   returning ${deliveryColumns.qualify('d')}`,
);
const readStates = defineStatement(
  'delivery.states',
  `select r.id, r.webhook_id, r.state, r.event from webhook_deliveries r where r.group_id = :group and r.id = any(:ids) and (:all or ${openSql})`,
);

/**
 * Sends deliveries again that are delivered or given up; those that wait are left as they are. Throws 404 for one that is missing, or hidden from
 * the actor, 403 for one of a webhook that reaches further than they do, 409 for one of a disabled webhook, or whose secret or change is no longer kept.
 */
export const replayDeliveries = (space: Space, ids: readonly number[], actor: Actor): Promise<DeliveryRow[]> =>
  space.transaction(async (tx) => {
    const found = await tx.rows<Pick<DeliveryRow, 'id' | 'webhook_id' | 'state' | 'event'>>(readStates, {
      ids,
      all: actor.roleType === 'superadmin',
    });
    const missing = ids.find((id) => !found.some((row) => row.id === id));
    if (missing !== undefined) throw createNotFoundProblem('delivery', missing);
    const webhooks = [...new Set(found.map((row) => row.webhook_id))];
    await requireReachOver(tx, webhooks, actor, 'repeat deliveries of');
    await requireActive(tx, webhooks);
    const rows = await tx.rows<DeliveryRow>(replay, { ids });
    const left = found.find(({ id, state }) => state !== 'waiting' && !rows.some((row) => row.id === id));
    if (left)
      throw new Problem(
        'conflict',
        left.event === invitationSent
          ? `The secret of delivery ${left.id} is no longer kept: invite the person again`
          : `The change of delivery ${left.id} is no longer kept`,
      );
    return rows;
  });

/** A delivery that is claimed for one attempt, with all that its message needs. */
export interface ClaimedDelivery {
  id: number;
  event: string;
  position: number | null;
  record_id: number | null;
  attempts: number;
  created_at: string;
  /** In seconds, by the clock of the database: that of a process may be days ahead. */
  age: number;
  /** Null when it is no longer kept. */
  change: (ChangeRow & { epoch: string; version: number }) | null;
  /** Types of records that the webhook may read. */
  types: readonly string[];
  /** The invitation with its secret; null when it is no longer kept or pending, or the secret opens nothing, since a later one was made or the role was raised. */
  invitation: { email: string; mobilePhone: string | null; roleId: number; secret: string; expiresAt: string } | null;
  /** Whether the webhook may be sent it now. */
  is_allowed: boolean;
  /** Whether the webhook asks for its event now, and for a field that it changed. */
  is_wanted: boolean;
  url: string;
  with_values: boolean;
  secrets: string[];
}

const claim = defineStatement(
  'delivery.claim',
  `select d.id, d.attempts
     from webhooks w
    cross join lateral claim_deliveries(:group, w.id, ${limits.webhook.concurrentOfWebhook}, ${limits.webhook.concurrentOfSpace}, make_interval(secs => cast(:lease as double precision))) d
    where w.group_id = :group and w.id = :id and w.disabled_at is null order by d.id`,
);
/** Whether the record of a change `s` was hidden or shown after it. */
const buildHiddenOrShownSql = (column: string, more = ''): string => `exists (
       select 1 from changes l
        where l.group_id = :group and l.position > s.position and l.type = s.type and l.record_id = s.record_id and '${column}' = any(l.fields)${more})`;
/** The interaction of a merged contact has its changes with two contacts. */
const ofItsContacts = ` and l.contact_id in (s.contact_id, (select n.contact_id from interactions n where n.group_id = :group and n.id = s.record_id))`;
const [limitedInteraction, limitedTeam] = [
  `s.type = 'Interaction' and not :seesAllInteractions`,
  `s.type = 'Team' and not :seesAllTeams`,
];
/** A message omits the values of a record that is hidden now, or was hidden at the change: it may have been, where it was hidden or shown later. */
const hiddenValuesSql = `case
     when not (${readableSql}) or ${limitedInteraction} and ${buildHiddenOrShownSql('only_super_admin', ofItsContacts)}
       or ${limitedTeam} and ${buildHiddenOrShownSql('private')} then '{"before": null, "after": null}'::jsonb
     when ${limitedInteraction} and 'only_super_admin' = any(s.fields) or ${limitedTeam} and 'private' = any(s.fields) then '{"before": null}'::jsonb
     else '{}'::jsonb end`;
const readClaimed = defineStatement(
  'delivery.claimed',
  `select d.id, d.event, d.position, d.record_id, d.attempts, d.created_at, cast(extract(epoch from now() - d.created_at) as double precision) as age, w.url, w.with_values,
          case when w.former_until > now() then array[w.secret, w.former_secret] else array[w.secret] end as secrets,
          case when s.position is not null then to_jsonb(s) || ${hiddenValuesSql} || jsonb_build_object('epoch', f.epoch) end as change,
          case when i.id is not null then coalesce(o.type = any(cast(:roleTypes as text[])), false) when s.position is not null then coalesce(${visibleSql}, false) else true end as is_allowed,
          d.event = '${webhookTested}' or d.event = any(w.events) as is_wanted, w.fields,
          case when k.secret is not null and i.id is not null then jsonb_build_object('email', i.email, 'mobilePhone', i.mobile_phone, 'roleId', i.role_id,
            'secret', k.secret, 'expiresAt', i.expires_at) end as invitation
     from unnest(cast(:ids as bigint[]), cast(:attempts as int[])) t (id, attempts)
     join webhook_deliveries d on d.group_id = :group and d.id = t.id and d.attempts = t.attempts and d.state = 'waiting'
     join webhooks w on w.group_id = :group and w.id = d.webhook_id and w.disabled_at is null
     left join change_feeds f on f.group_id = :group
     left join changes s on s.group_id = :group and s.position = d.position
     left join webhook_secrets k on k.group_id = :group and k.delivery_id = d.id
     left join invitations i on d.event = '${invitationSent}' and i.group_id = :group and i.id = d.record_id and i.deleted_at is null and i.user_id is null
      and i.secret_hash = sha256(convert_to(k.secret, 'UTF8'))
     left join roles o on o.group_id = i.group_id and o.id = i.role_id
    where d.group_id = :group order by d.id`,
);

/**
 * Claims due deliveries of a webhook for this many seconds, and looks then at what they are about, and what the webhook may be sent. One that
 * reaches nowhere any more is disabled.
 */
export const claimDeliveries = async (space: Space, id: number, lease: number): Promise<ClaimedDelivery[]> => {
  const claimed = await space.rows<Pick<ClaimedDelivery, 'id' | 'attempts'>>(claim, { id, lease });
  if (claimed.length === 0) return [];
  const rights = (await readWebhookRights(space, [id])).get(id);
  if (!rights) {
    await disableWebhook(space, id, ownerLeft);
    return [];
  }
  const visibility = buildVisibility(rights);
  const found = await space.rows<Omit<ClaimedDelivery, 'types'> & Pick<WebhookRow, 'fields'>>(readClaimed, {
    ids: claimed.map((one) => one.id),
    attempts: claimed.map(({ attempts }) => attempts),
    roleTypes: roleTypes.filter((type) => mayGetSecret(rights, type)),
    ...visibility,
  });
  // Invitations alone name teams. Some of these may be private.
  const types = visibility.types.filter((type) => type !== 'Team' || visibility.seesAllTeams);
  const asksForFields = ({ change, fields }: (typeof found)[number]): boolean =>
    !fields ||
    change?.operation !== 'updated' ||
    fields.flatMap(findPublishedColumns).some((one) => change.fields.includes(one));
  return found.map((one) => ({ ...one, types, is_wanted: one.is_wanted && asksForFields(one) }));
};

/** The result of an attempt. */
export interface AttemptResult {
  state: DeliveryState;
  /** In seconds; for a delivery that goes on waiting. */
  pause: number;
  status: number | null;
  error: string | null;
  response: string | null;
  milliseconds: number;
}

/**
 * The receiver's answer may repeat the message: it is not stored when the contact was erased meanwhile. The lock waits for an erasure under way.
 * The times are computed before the updates, as a cluster wants it. There a condition of values alone, like `is_over`, would leave out the statement.
 */
const record = defineStatement(
  'delivery.record',
  `with clock as materialized (
     select now() as at, now() - interval '10 seconds' as before, now() + make_interval(secs => cast(:pause as double precision)) as next,
            cast(:state as text) <> 'waiting' as is_over, cast(:succeeded as boolean) as succeeded, cast(:failed as boolean) as failed),
   subject as materialized (
     select c.id from contacts c
      where c.group_id = :group and c.id = (select d.contact_id from webhook_deliveries d where d.group_id = :group and d.id = :id)
      order by c.id for key share),
   recorded as (
     update webhook_deliveries d set locked_until = null, state = :state, status = :status, milliseconds = :milliseconds,
            error = case when d.contact_id is null or exists (select 1 from subject) then cast(:error as text) end,
            response = case when d.contact_id is null or exists (select 1 from subject) then cast(:response as text) end,
            delivered_at = case when :state = 'delivered' then clock.at end,
            next_attempt_at = clock.next
       from clock
      where d.group_id = :group and d.id = :id and d.attempts = :attempts and d.state = 'waiting' returning d.webhook_id),
   forgotten as (
     delete from webhook_secrets s using clock where s.group_id = :group and s.delivery_id = :id and clock.is_over)
   update webhooks w
      set failing_since = case when clock.succeeded then null else coalesce(w.failing_since, clock.at) end,
          last_success_at = case when clock.succeeded then clock.at else w.last_success_at end
     from recorded r cross join clock
    where w.group_id = :group and w.id = r.webhook_id
      and (clock.succeeded and (w.failing_since is not null or w.last_success_at is null or w.last_success_at < clock.before)
           or clock.failed and w.failing_since is null)`,
);

/** Stores what an attempt came to, unless the delivery was claimed again meanwhile. A message that was not sent is no failure of the receiver. */
export const recordAttempt = async (
  space: Space,
  { id, attempts }: Pick<ClaimedDelivery, 'id' | 'attempts'>,
  { wasSent, ...result }: AttemptResult & { wasSent: boolean },
): Promise<void> => {
  const succeeded = result.state === 'delivered';
  await space.rows(record, { id, attempts, ...result, succeeded, failed: wasSent && !succeeded });
};

const failingFor = defineStatement(
  'delivery.failing_for',
  `select w.id from webhooks w where w.group_id = :group and w.id = :id and w.disabled_at is null
      and w.failing_since < now() - make_interval(secs => cast(:seconds as double precision))`,
);

/** Stops a webhook that has had no success for this long. */
export const disableWhenFailing = async (space: Space, id: number, seconds: number): Promise<void> => {
  if (!(await space.row(failingFor, { id, seconds }))) return;
  await disableWebhook(space, id, `no success for ${Math.round(seconds / 86_400)} days`);
};

const due = `
  select w.group_id as space, w.id as webhook from webhooks w
   where w.disabled_at is null and exists (
     select 1 from webhook_deliveries d
      where d.group_id = w.group_id and d.webhook_id = w.id and d.state = 'waiting' and d.next_attempt_at <= now()
        and (d.locked_until is null or d.locked_until <= now()))
   order by w.group_id, w.id`;

/** The webhooks with deliveries that can be sent. */
export const findDueWebhooks = (database: Database): Promise<{ space: number; webhook: number }[]> =>
  database.jobPool.run(due, {}, 'delivery.due');

export const deliveryList = defineList<DeliveryRow>()({
  noun: 'webhook delivery',
  from: 'webhook_deliveries r',
  scoped: ['r'],
  columns: deliveryColumns.qualify('r'),
  restricted: openSql,
  fields: deliveryColumns.listFields([
    'id',
    'webhook_id',
    'event',
    'state',
    'contact_id',
    'status',
    'attempts',
    'created_at',
    'delivered_at',
  ]),
  orders: ['id', 'createdAt'],
  indexed: ['id', 'createdAt'],
  groups: ['webhookId', 'event', 'state'],
});
