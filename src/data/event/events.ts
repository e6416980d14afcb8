// The names of events, and the bodies of messages: a change as Standard Webhooks wants it, in the form in which it was stored.

import { addressTable, getFieldName } from '../contact/columns.ts';
import { convertToCamelCase } from '../noun/crud.ts';
import { type ChangeRow, listOperations } from './change.ts';
import {
  describeValues,
  getPublishedField,
  getPublishedFields,
  type PublishedType,
  publishedTypes,
  type Reader,
  type Row,
  type Values,
} from './published.ts';

const referencedTypes: Readonly<Record<string, string>> = {
  user_id: 'User',
  author_id: 'User',
  user_contact_id: 'User',
  invited_by: 'User',
  role_id: 'Role',
  teams: 'Team',
  campaign_id: 'Campaign',
  template_id: 'Template',
};

const convertPart = (part: string, rows: unknown): unknown => {
  if (!Array.isArray(rows)) return rows;
  const converted = rows.map((row: Row) =>
    Object.fromEntries(
      Object.entries(row).map(([column, value]) => [
        column in addressTable ? getFieldName(column) : convertToCamelCase(column),
        value,
      ]),
    ),
  );
  return part === 'address' ? (converted[0] ?? null) : converted;
};

/** The values of a change as a message of version 1 has them, for a reader. */
const describeFirstValues = (
  { type, before, after }: { type: string; before: Values; after: Values },
  { types }: Pick<Reader, 'types'>,
): { before: Values; after: Values } => {
  const hides = (column: string): boolean =>
    column === 'deleted_at' ||
    (type === 'Contact' && column === 'user_id') ||
    (column in referencedTypes && !types.includes(referencedTypes[column]!));
  const convert = (values: Values): Values =>
    values &&
    Object.fromEntries(
      Object.entries(values)
        .filter(([column]) => !hides(column))
        .map(([column, value]) => [getPublishedField(type, column), convertPart(column, value)]),
    );
  return { before: convert(before), after: convert(after) };
};

/** `MembershipPrice` is `membership_price`. */
const toEventNoun = (type: string): string => type.replace(/(?<=[a-z])[A-Z]/g, '_$&').toLowerCase();

/** A person was invited, or invited again. It alone carries a secret, which opens the space, and is sent to webhooks that name it. */
export const invitationSent = 'invitation.sent';
/** The event of a test. */
export const webhookTested = 'webhook.tested';

/** The name of a change: `contact.updated`. */
export const nameEvent = (type: string, operation: string): string => `${toEventNoun(type)}.${operation}`;

/** Every event that a webhook can ask for. */
export const eventNames: readonly string[] = [
  ...publishedTypes.flatMap((type) => listOperations(type).map((operation) => nameEvent(type, operation))),
  invitationSent,
];

const typesByNoun = new Map(publishedTypes.map((type) => [toEventNoun(type), type] as const));

/** The types and operations of events, as pairs of columns; other events are left out. */
export const splitEvents = (events: readonly string[]): { type: PublishedType; operation: string }[] =>
  events.flatMap((event) => {
    const [noun, operation] = event.split('.') as [string, string];
    const type = typesByNoun.get(noun);
    return type && event !== invitationSent ? [{ type, operation }] : [];
  });

/** The data of a message about a change, with its cursor in the feed. Values are there if the webhook asks for them, as whoever reads them may see them. */
export const describeChange = (
  change: ChangeRow & { epoch: string; version: number },
  withValues: boolean,
  reader: Reader,
) => {
  const { version, type, record_id, contact_id, fields, position, epoch } = change;
  // The form of the values: 2, or 1 for a change that was stored before there was another.
  const isFirst = version === 1;
  const values = withValues && (isFirst ? describeFirstValues : describeValues)(change, reader);
  return {
    version,
    id: `${type}:${record_id}`,
    type,
    contactId: contact_id === null ? null : `Contact:${contact_id}`,
    fields: isFirst ? fields.map((column) => getPublishedField(type, column)) : getPublishedFields(type, fields),
    ...(values || { before: null, after: null }),
    cursor: Buffer.from(JSON.stringify(['changes', epoch, position])).toString('base64url'),
  };
};

/** The body of a message. */
export const formatMessage = (event: string, at: Date, data: object): string =>
  JSON.stringify({ type: event, timestamp: at.toISOString(), data });
