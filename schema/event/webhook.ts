// Webhooks: where the changes of the space are sent, and the log of what was sent.
import { z } from 'zod';
import { findUrlFault } from '../../src/config/network-address.ts';
import type { Context } from '../../src/context.ts';
import { eventNames, invitationSent } from '../../src/data/event/events.ts';
import {
  createWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  updateWebhook,
  type WebhookRow,
  webhookColumns,
  webhookList,
} from '../../src/data/event/webhook.ts';
import { limitListLength } from '../../src/input/list-length.ts';
import { limits } from '../../src/limits/limits.ts';
import { createInvalidProblem } from '../../src/problem.ts';
import { refuseKeptSecrets } from '../access/token.ts';
import { findUser, User } from '../access/user.ts';
import { builder } from '../graph/builder.ts';
import { defineListConnection } from '../graph/list-connection.ts';
import { defineDeletion, defineMutation, defineRecordMutation, type InputBuilder } from '../graph/mutation.ts';
import { defineNodeFields, Node, requireId } from '../graph/node.ts';
import { defineColumnFields } from '../graph/noun.ts';
import { longText, nonBlank, refuseNullFields, shortText } from '../graph/validators.ts';
import { readFieldNames } from './change.ts';

/** `contact.updated` is `CONTACT_UPDATED`. */
const toConstant = (event: string): string => event.replace('.', '_').toUpperCase();

const WebhookEvent = builder.enumType('WebhookEvent', {
  description: 'What can be sent. In a message, `CONTACT_UPDATED` is the type `contact.updated`.',
  values: Object.fromEntries(
    eventNames.map((event) => [
      toConstant(event),
      {
        value: event,
        description:
          event === invitationSent
            ? 'A person was invited, or invited again. The message carries the secret that opens the space: the receiver sends it to them.'
            : `\`${event}\`, as in the change feed.`,
      },
    ]),
  ) as Record<string, { value: string; description: string }>,
});

export const Webhook = builder.objectRef<WebhookRow>('Webhook').implement({
  interfaces: [Node],
  description: 'An address to which changes are sent, in the form of Standard Webhooks.',
  fields: (t) => ({
    ...defineNodeFields(t, 'Webhook'),
    ...defineColumnFields(t, webhookColumns.columns),
    events: t.expose('events', { type: [WebhookEvent], description: 'What is sent.' }),
    isActive: t.boolean({
      description: 'Whether anything is sent.',
      resolve: ({ disabled_at }) => disabled_at === null,
    }),
    createdBy: t.field({
      type: User,
      nullable: true,
      description:
        'The user who created it. Muster sends only what this user and the last editor may both read. Null when the user has left the space.',
      resolve: ({ user_id }, _, context) => findUser(context, user_id),
    }),
    lastEditedBy: t.field({
      type: User,
      nullable: true,
      description: 'The user who changed it last; null when nobody has, or the user has left the space.',
      resolve: ({ editor_id }, _, context) => findUser(context, editor_id),
    }),
  }),
});

const { events: maxEvents } = limits.webhook;

const defineContentFields = <Required extends boolean>(t: InputBuilder, required: Required) => ({
  name: t.string({ required, validate: nonBlank, description: 'What it is for; not blank.' }),
  url: t.string({
    required,
    validate: longText.refine((text) => text.length <= 2048, 'must be at most 2048 characters'),
    description: 'Where messages are sent: an https address that is not of a private network.',
  }),
  events: t.field({
    type: [WebhookEvent],
    required,
    validate: limitListLength([1, maxEvents], 'events'),
    description: `What is sent, 1 to ${maxEvents}.`,
  }),
  fields: t.stringList({
    validate: limitListLength([0, maxEvents], 'fields', (list) => list.pipe(z.array(shortText))),
    description: 'Only updates of at least one of these fields, such as `email` or `tags`; none or null for any.',
  }),
  includesValues: t.boolean({
    description:
      'Whether messages have the values before and after. Without it they have ids and names of fields alone.',
  }),
});

interface SentContent {
  url?: string | null | undefined;
  fields?: string[] | null | undefined;
}

/** Throws 400 for an address that is not allowed, and for unknown fields. */
const checkContent = (
  { url, fields }: SentContent,
  { webhooks }: Context,
  schema: Parameters<typeof readFieldNames>[1],
): void => {
  readFieldNames(fields, schema, 'input.fields');
  const fault = url == null ? undefined : findUrlFault(url, webhooks ?? { allowsPrivate: false });
  if (fault) throw createInvalidProblem([{ location: 'input.url', message: fault, value: url }]);
};

defineMutation('createWebhook', {
  description:
    'Creates a webhook, which gets what changes from now on, as far as the caller may read it. The signing secret is shown only here.',
  input: (t) => defineContentFields(t, true),
  resolve: ({ includesValues, ...input }, context, { schema }) => {
    checkContent(input, context, schema);
    if (context.shared) throw refuseKeptSecrets('createWebhook');
    return createWebhook(context.space, { ...input, withValues: includesValues }, context.caller.userId);
  },
  audit: ({ row }) => ({ type: 'Webhook', ids: [row.id] }),
  payload: (t) => ({
    webhook: t.expose('row', { type: Webhook, description: 'The webhook.' }),
    secret: t.exposeString('secret', {
      description: 'The signing secret of its messages: `whsec_` and a key in base64. It is shown only here.',
    }),
  }),
});

defineRecordMutation('updateWebhook', {
  type: Webhook,
  description:
    'Updates the given fields of a webhook. One that is made active again gets what changes from then on. It has the rights that both its creator and its last editor have; who has fewer rights than it may not touch it.',
  input: (t) => ({
    id: t.field(requireId('Webhook')),
    ...defineContentFields(t, false),
    isActive: t.boolean({ description: 'Whether anything is sent.' }),
  }),
  validate: refuseNullFields('name', 'url', 'events', 'includesValues', 'isActive'),
  resolve: ({ id, includesValues, isActive, name, url, events, fields }, context, { schema }) => {
    checkContent({ url, fields }, context, schema);
    const patch = {
      ...(name != null && { name }),
      ...(url != null && { url }),
      ...(events != null && { events }),
      ...(fields !== undefined && { fields }),
      ...(includesValues != null && { withValues: includesValues }),
      ...(isActive != null && { active: isActive }),
    };
    return updateWebhook(context.space, id, patch, context.caller);
  },
});

defineDeletion('deleteWebhook', {
  type: 'Webhook',
  description: 'Deletes a webhook with the log of its deliveries; what waits is not sent.',
  remove: ({ space, caller }, id) => deleteWebhook(space, id, caller),
});

defineMutation('rotateWebhookSecret', {
  description: `Gives a webhook a new signing secret, which is shown only here. For ${limits.webhook.formerHours} hours messages are signed with both.`,
  input: (t) => ({ id: t.field(requireId('Webhook')) }),
  resolve: ({ id }, { space, caller, shared }) => {
    if (shared) throw refuseKeptSecrets('rotateWebhookSecret');
    return rotateWebhookSecret(space, id, caller);
  },
  audit: ({ row }) => ({ type: 'Webhook', ids: [row.id] }),
  payload: (t) => ({
    webhook: t.expose('row', { type: Webhook, description: 'The webhook.' }),
    secret: t.exposeString('secret', { description: 'The new signing secret. It is shown only here.' }),
  }),
});

defineListConnection({
  field: 'webhooks',
  type: Webhook,
  list: webhookList,
});
