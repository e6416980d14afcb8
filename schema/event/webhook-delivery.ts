// Deliveries of webhooks: the log of what was sent, tests, and sending again.
import {
  addTestDelivery,
  type DeliveryRow,
  type DeliveryState,
  deliveryColumns,
  deliveryList,
  replayDeliveries,
} from '../../src/data/event/delivery.ts';
import { invitationSent } from '../../src/data/event/events.ts';
import { webhookList } from '../../src/data/event/webhook.ts';
import { formatGlobalId } from '../../src/input/global-id.ts';
import { limitListLength } from '../../src/input/list-length.ts';
import { limits } from '../../src/limits/limits.ts';
import { takeFirstRelated } from '../../src/plan/loader.ts';
import { builder, defineEnumValues } from '../graph/builder.ts';
import { defineListConnection } from '../graph/list-connection.ts';
import { defineMutation } from '../graph/mutation.ts';
import { acceptIds, defineNodeFields, Node, nameAnyRecord, requireId } from '../graph/node.ts';
import { defineColumnFields } from '../graph/noun.ts';
import { createLoaderByColumn } from '../graph/reference.ts';
import { Webhook } from './webhook.ts';

const webhookOf = createLoaderByColumn(webhookList.readByIds, 'id');

const DeliveryStateType = builder.enumType('WebhookDeliveryState', {
  description: 'What became of a delivery.',
  values: defineEnumValues<DeliveryState>({
    waiting: 'It is to be sent, for the first time or again.',
    delivered: 'The receiver has answered with a status from 200 to 299.',
    given_up: 'It is not tried any more.',
  }),
});

const WebhookDelivery = builder.objectRef<DeliveryRow>('WebhookDelivery').implement({
  interfaces: [Node],
  description: 'One message to one webhook, with what its last attempt came to.',
  fields: (t) => ({
    ...defineNodeFields(t, 'WebhookDelivery'),
    ...defineColumnFields(t, deliveryColumns.columns),
    webhook: t.field({
      type: Webhook,
      nullable: true,
      description: 'The webhook.',
      resolve: ({ webhook_id }, _, context) => takeFirstRelated(webhookOf(context, webhook_id)),
    }),
    recordId: t.id({
      nullable: true,
      description: 'The id of the record that it is about; null for a test.',
      resolve: ({ type, record_id, event }) =>
        record_id === null ? null : formatGlobalId(type ?? (event === invitationSent ? 'Invitation' : ''), record_id),
    }),
    contactId: t.id(nameAnyRecord('Contact', 'contact_id', 'The contact that the record belongs to, or is.')),
    state: t.expose('state', { type: DeliveryStateType, description: 'What became of it.' }),
    nextAttemptAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it is tried next at the earliest; null when it is not.',
      resolve: ({ state, next_attempt_at }) => (state === 'waiting' ? next_attempt_at : null),
    }),
  }),
});

defineMutation('testWebhook', {
  description: 'Sends a message of the type `webhook.tested` soon. Read what became of it from `webhookDelivery`.',
  input: (t) => ({ id: t.field(requireId('Webhook')) }),
  resolve: async ({ id }, { space, caller }) => ({ row: await addTestDelivery(space, id, caller) }),
  audit: ({ row }) => ({ type: 'WebhookDelivery', ids: [row.id] }),
  payload: (t) => ({ delivery: t.expose('row', { type: WebhookDelivery, description: 'The delivery.' }) }),
});

defineMutation('replayWebhookDeliveries', {
  description:
    'Sends deliveries again that are delivered or given up, with their former ids. Those that wait are left as they are. A message with a secret is sent once: invite the person again.',
  input: (t) => ({
    ids: t.field({
      ...acceptIds('WebhookDelivery'),
      required: true,
      validate: limitListLength([1, limits.webhook.replays], 'deliveries'),
      description: `Ids of deliveries, 1 to ${limits.webhook.replays}.`,
    }),
  }),
  resolve: async ({ ids }, { space, caller }) => ({ rows: await replayDeliveries(space, ids, caller) }),
  audit: ({ rows }) => ({ type: 'WebhookDelivery', ids: rows.map(({ id }) => id) }),
  payload: (t) => ({
    deliveries: t.expose('rows', { type: [WebhookDelivery], description: 'The deliveries that are sent again.' }),
  }),
});

defineListConnection({
  field: 'webhookDeliveries',
  type: WebhookDelivery,
  list: deliveryList,
  description:
    'What was sent to webhooks, and what waits, kept for `RETENTION_CHANGE_DAYS`. Those about interactions for superadmins are shown to them alone.',
  enums: { state: DeliveryStateType },
  seesAll: ({ caller }) => caller.roleType === 'superadmin',
});
