// The types of records that the change feed has, and their fields as the graph has them. Triggers (migrations/triggers.sql) publish columns; a test compares both.
import { contactTable, getFieldName } from '../contact/columns.ts';
import { formatAuthorId } from '../noun/author.ts';
import { convertToCamelCase } from '../noun/crud.ts';

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

const toSnakeCase = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The field of the graph for a column or a part of a published record. */
export const getPublishedField = (type: string, column: string): string => {
  if (type === 'Contact') return getFieldName(column);
  const renamed: Readonly<Record<string, string>> = renamedFields[type as PublishedType] ?? {};
  return renamed[column] ?? convertToCamelCase(column);
};

/** The fields that an update changed: an amount has its currency. */
export const getPublishedFields = (type: string, columns: readonly string[]): string[] => [
  ...new Set(columns.map((column) => (column === 'currency' ? 'amount' : getPublishedField(type, column)))),
];

/** The parts of records: lists of rows with the type of their ids, if the graph has one. An address has one row at most. */
const partsOf: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  Contact: { address: null, tags: 'Tag', actions: 'Action', answers: 'Answer' },
  Interaction: { files: 'File' },
  Form: { options: 'FormOption' },
  Team: { address: null, users: 'User' },
  Invitation: { teams: 'Team' },
  Import: { counts: null },
};

/** The names of columns of parts that are not just written in camelCase. */
const renamedInParts: Readonly<Record<string, string>> = {
  form_ref_id: 'optionId',
  data: 'text',
  date: 'answeredAt',
  owner_id: 'addedById',
};

/** The types of records whose ids a column or a part has. */
const referencedTypes: Readonly<Record<string, string>> = {
  contact_id: 'Contact',
  user_id: 'User',
  author_id: 'User',
  owner_id: 'User',
  user_contact_id: 'User',
  invited_by: 'User',
  role_id: 'Role',
  teams: 'Team',
  campaign_id: 'Campaign',
  template_id: 'Template',
  transaction_id: 'Transaction',
  status_id: 'TransactionStatus',
  donation_price_id: 'DonationPrice',
  membership_price_id: 'MembershipPrice',
  membership_price_group_id: 'MembershipPriceGroup',
  form_id: 'Form',
  form_ref_id: 'FormOption',
};

/** Columns whose values are names of an enum of the graph. */
const enums: Readonly<Record<string, readonly string[]>> = { Form: ['kind', 'type'], Role: ['type'] };

/** Columns that are no content of a record, beside those that the database leaves out. */
const hiddenColumns: ReadonlySet<string> = new Set(['deleted_at', 'merged_into', 'currency']);

/** The columns of instants; a day has no time. */
const instantColumn = /_at$|_date$|^date$|^last_sent$/;

export type Row = Readonly<Record<string, unknown>>;
export type Values = Row | null;

/** An instant in UTC, whatever the time zone of the session that wrote it. */
const convertInstant = (text: string): string =>
  text.replace(/^(.+?)(\.\d+)?([+-]\d\d:\d\d)$/, (_, second: string, fraction = '', offset: string) =>
    offset === '+00:00'
      ? `${second}${fraction}Z`
      : `${new Date(second + offset).toISOString().slice(0, 19)}${fraction}Z`,
  );

const convertValue = (type: string, column: string, value: unknown): unknown => {
  if (column === 'clicked_urls') return value ?? [];
  if (value === null) return null;
  const referenced = referencedTypes[column];
  if (referenced === 'User') return formatAuthorId(Number(value));
  if (referenced) return `${referenced}:${value}`;
  if (enums[type]?.includes(column)) return String(value).toUpperCase();
  return typeof value === 'string' && value.includes('T') && instantColumn.test(column) ? convertInstant(value) : value;
};

/** A reader of values: the types of records that they may read, and how the query of a segment is written as clients send it. */
export interface Reader {
  types: readonly string[];
  writeQuery(query: unknown): unknown;
}

const convertAddress = (type: string, { id: _, team_id: __, ...row }: Row): Row => {
  const entries = Object.entries(row).map(([column, value]) => [
    // The address of a team says whether it is invalid, and not why.
    type === 'Team' && column === 'invalid' ? column : getFieldName(column),
    value !== null && (column === 'latitude' || column === 'longitude') ? Number(value) : value,
  ]);
  return Object.fromEntries(type === 'Contact' ? [...entries, ['invalid', row.invalid !== null]] : entries);
};

/** A part of a record: null for no address, else the rows of a list. */
const convertPart = (
  type: string,
  part: string,
  { rows, hides }: { rows: readonly Row[]; hides: (column: string) => boolean },
): unknown => {
  if (part === 'address') return rows[0] ? convertAddress(type, rows[0]) : null;
  const rowType = partsOf[type]![part];
  return rows.map(({ id, ...row }) => ({
    ...(rowType ? { id: `${rowType}:${id}` } : { firstRow: id }),
    ...Object.fromEntries(
      Object.entries(row).flatMap(([column, value]) =>
        hides(column) ? [] : [[renamedInParts[column] ?? convertToCamelCase(column), convertValue('', column, value)]],
      ),
    ),
  }));
};

/** Values of a record as the graph shows them, without ids of records that the reader may not read. */
const convertValues = (type: string, values: Row, { types, writeQuery }: Reader): Record<string, unknown> => {
  const parts = partsOf[type] ?? {};
  // The contact is named beside the values, too.
  const hides = (column: string): boolean => {
    const referenced = column === 'contact_id' ? undefined : referencedTypes[column];
    return publishedTypes.some((one) => one === referenced) && !types.includes(referenced!);
  };
  const shown = Object.entries(values).filter(
    ([column]) => !hides(column) && !hiddenColumns.has(column) && !(type === 'Contact' && column === 'user_id'),
  );
  return Object.fromEntries(
    shown.map(([column, value]) => [
      getPublishedField(type, column),
      column in parts
        ? convertPart(type, column, { rows: (value ?? []) as Row[], hides })
        : column === 'amount'
          ? { amount: value, currency: values.currency }
          : column === 'query'
            ? writeQuery(value)
            : convertValue(type, column, value),
    ]),
  );
};

interface Change {
  type: string;
  operation: string;
  before: Values;
  after: Values;
}

/** The values of a change as messages show them to a reader; null when the outbox held none. A record that is there anew has all its parts. */
export const describeValues = (
  { type, operation, before, after }: Change,
  reader: Reader,
): { before: Values; after: Values } => {
  const missing =
    operation === 'updated' ? {} : Object.fromEntries(Object.keys(partsOf[type] ?? {}).map((part) => [part, null]));
  return {
    before: before && convertValues(type, before, reader),
    after: after && convertValues(type, { ...missing, ...after }, reader),
  };
};

/** Columns and parts of records that the graph has no field of the same name for. */
export const ungraphedParts: readonly string[] = [
  'counts',
  'mergedInto',
  'acceptedAt',
  'invitedBy',
  'membershipPriceGroupId',
  'userId',
];

const columnsByField = [
  ...Object.keys(contactTable).map((column) => [column, getFieldName(column)]),
  ...publishedTypes.flatMap((type) => Object.entries<string>(renamedFields[type])),
];

/** Columns and parts that are shown by another field. */
const columnsBehind: Readonly<Record<string, readonly string[]>> = {
  amount: ['currency'],
  customFields: ['answers'],
  leaders: ['users'],
  group: ['membership_price_group_id'],
};

/** The columns and parts that a field of the graph can mean, in any type: `email` is `mail` of a contact, `author` is the column of `authorId`. */
export const findPublishedColumns = (field: string): string[] => [
  ...(columnsBehind[field] ?? []),
  ...[field, `${field}Id`].flatMap((one) => [
    toSnakeCase(one),
    ...columnsByField.flatMap(([column, name]) => (name === one ? [column!] : [])),
  ]),
];
