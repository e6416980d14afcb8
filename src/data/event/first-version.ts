// The values of changes that were stored before messages had version 2: they are sent as they were then.
import { addressTable, getFieldName } from '../contact/columns.ts';
import { getPublishedField, type Reader } from './published.ts';

type Row = Readonly<Record<string, unknown>>;
type Values = Row | null;

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

const toCamelCase = (column: string): string => column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

const convertPart = (part: string, rows: unknown): unknown => {
  if (!Array.isArray(rows)) return rows;
  const converted = rows.map((row: Row) =>
    Object.fromEntries(
      Object.entries(row).map(([column, value]) => [
        column in addressTable ? getFieldName(column) : toCamelCase(column),
        value,
      ]),
    ),
  );
  return part === 'address' ? (converted[0] ?? null) : converted;
};

/** The values of a change as a message of version 1 has them, for a reader. */
export const describeFirstValues = (
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
