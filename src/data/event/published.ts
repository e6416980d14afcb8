// The types of records that the change feed has, and the names of their fields in the graph. Triggers (migrations/triggers.sql) publish columns; a test compares both.
import { addressTable, contactTable, getFieldName } from '../contact/columns.ts';

/** The types of the graph whose records are published, with the names of columns and parts that are not just written in camelCase. */
const renamedFields = {
  Contact: {},
  Note: { user_id: 'authorId' },
  Interaction: { user_id: 'authorId' },
  Transaction: {},
  Donation: {},
  Membership: {},
  Sanction: {},
  Email: { user_id: 'sentById' },
  Tag: {},
  Action: {},
  Form: {},
  Team: {},
  Role: {},
  User: {},
  Invitation: { user_id: 'acceptedById', last_sent: 'lastSentAt' },
  Campaign: {},
  Template: {},
  MembershipPriceGroup: {},
  MembershipPrice: {},
  DonationPrice: {},
  TransactionStatus: {},
  Import: {},
  Segment: {},
} as const satisfies Record<string, Readonly<Record<string, string>>>;

export type PublishedType = keyof typeof renamedFields;
export const publishedTypes = Object.keys(renamedFields) as PublishedType[];

/** `status_id` is `statusId`. */
const toCamelCase = (column: string): string => column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

const toSnakeCase = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The field of the graph for a column or a part of a published record. */
export const getPublishedField = (type: string, column: string): string => {
  if (type === 'Contact') return getFieldName(column);
  const renamed: Readonly<Record<string, string>> = renamedFields[type as PublishedType] ?? {};
  return renamed[column] ?? toCamelCase(column);
};

/** A part of an object, written as the graph names its fields. The address of a contact is one object; other parts are lists. */
const convertPart = (part: string, rows: unknown): unknown => {
  if (!Array.isArray(rows)) return rows;
  const converted = rows.map((row: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(row).map(([column, value]) => [
        column in addressTable ? getFieldName(column) : toCamelCase(column),
        value,
      ]),
    ),
  );
  return part === 'address' ? (converted[0] ?? null) : converted;
};

/** Columns that are no content of a record, beside those that the database leaves out. */
const hiddenColumns: ReadonlySet<string> = new Set(['deleted_at']);

/** Values of a change by the fields of the graph; null when the outbox held none. */
export const convertPublishedValues = (
  type: string,
  values: Readonly<Record<string, unknown>> | null,
): Record<string, unknown> | null => {
  if (!values) return null;
  const shown = Object.entries(values).filter(
    ([column]) => !hiddenColumns.has(column) && !(type === 'Contact' && column === 'user_id'),
  );
  return Object.fromEntries(
    shown.map(([column, value]) => [getPublishedField(type, column), convertPart(column, value)]),
  );
};

/** The types of records whose ids a column or a part has, where they can need another permission than the record itself. */
const referencedTypes: Readonly<Record<string, PublishedType>> = {
  user_id: 'User',
  author_id: 'User',
  user_contact_id: 'User',
  invited_by: 'User',
  role_id: 'Role',
  teams: 'Team',
  campaign_id: 'Campaign',
  template_id: 'Template',
};

type Values = Readonly<Record<string, unknown>> | null;

/** The values of a change without ids of records that somebody who reads these types may not read. */
export const hideReferences = <Change extends { before: Values; after: Values }>(
  change: Change,
  types: readonly string[],
): Change => {
  const hide = (values: Values): Values =>
    values &&
    Object.fromEntries(
      Object.entries(values).filter(
        ([column]) => !(column in referencedTypes) || types.includes(referencedTypes[column]!),
      ),
    );
  return { ...change, before: hide(change.before), after: hide(change.after) };
};

/** Parts of records that the graph has no field for. */
export const ungraphedParts: readonly string[] = ['counts', 'mergedInto', 'accountId'];

const invert = (names: Readonly<Record<string, string>>): [field: string, column: string][] =>
  Object.entries(names).map(([column, field]) => [field, column]);
const columnsByField = [
  ...Object.keys(contactTable).map((column): [string, string] => [getFieldName(column), column]),
  ...publishedTypes.flatMap((type) => invert(renamedFields[type])),
];

/** The columns and parts that a field of the graph can mean, in any type: `email` is `mail` of a contact. */
export const findPublishedColumns = (field: string): string[] => [
  toSnakeCase(field),
  ...columnsByField.flatMap(([name, column]) => (name === field ? [column] : [])),
];
