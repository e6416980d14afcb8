// Decides what a merge keeps of the values of contacts that are one person, and tells what it drops.
import {
  type AddressColumn,
  addressColumnNames,
  type ContactColumn,
  contactColumnNames,
  contactFlags,
} from './columns.ts';
import type { AddressParts, ColumnValue, ColumnValues } from './patch.ts';
import type { StoredContact } from './stored-contact.ts';

/** A value that the survivor does not take over: the place of it, and what the survivor has there; an empty text where it has nothing. */
export interface Conflict {
  /** The contact whose value is dropped. */
  contact_id: number;
  field: string;
  kept: string;
  dropped: string;
}

interface MergedContact extends Pick<StoredContact, 'columns' | 'address'> {
  id: number;
}

const hasValue = (value: ColumnValue | undefined): boolean => value !== null && value !== undefined && value !== '';
const format = (value: ColumnValue | undefined): string => String(value ?? '');

const fields = contactColumnNames.filter((column) => !contactFlags.includes(column));
/** The flags of numbers, each with the column of the number that it is about. */
const numberOf: Partial<Record<ContactColumn, ContactColumn>> = { phone_invalid: 'phone', mobile_invalid: 'mobile' };

/** Parts that follow from the others, such as coordinates: a difference in them does not make two addresses. */
const derivedParts: ReadonlySet<AddressColumn> = new Set<AddressColumn>([
  'citycode',
  'latitude',
  'longitude',
  'location',
  'score',
  'polling_station',
  'invalid',
]);
const ownParts = addressColumnNames.filter((part) => !derivedParts.has(part));

const foldPart = (value: ColumnValue | undefined): string =>
  format(value)
    .normalize('NFD')
    .replace(/\p{M}|[^\p{L}\p{N}]/gu, '')
    .toLowerCase();

const contradicts = (one: AddressParts, other: AddressParts): boolean =>
  ownParts.some(
    (part) => hasValue(one[part]) && hasValue(other[part]) && foldPart(one[part]) !== foldPart(other[part]),
  );

/** The conflicts of one contact: its values that differ from what is kept. */
const listConflicts = <Column extends string>(
  id: number,
  columns: readonly Column[],
  kept: Partial<Record<Column, ColumnValue>>,
  own: Partial<Record<Column, ColumnValue>>,
): Conflict[] =>
  columns.flatMap((field) =>
    hasValue(own[field]) && format(own[field]) !== format(kept[field])
      ? [{ contact_id: id, field, kept: format(kept[field]), dropped: format(own[field]) }]
      : [],
  );

/** Each empty part is filled by the first address that has it, of those that do not contradict what is kept so far. */
const combineAddresses = (contacts: readonly MergedContact[]): AddressParts | null => {
  let kept: AddressParts | null = null;
  for (const { address } of contacts) {
    if (!address || (kept && contradicts(kept, address))) continue;
    const before: AddressParts = kept ?? {};
    kept = Object.fromEntries(
      addressColumnNames.map((part) => [part, hasValue(before[part]) ? before[part] : (address[part] ?? null)]),
    );
  }
  return kept;
};

/**
 * Combines the survivor, which comes first, with the others in the order of their precedence. Each empty field is filled by the first contact that has
 * a value; whoever opted out stays so; the flag of a number goes with the number.
 */
export const combineContacts = (
  contacts: readonly MergedContact[],
): { columns: ColumnValues; address: AddressParts | null; conflicts: Conflict[] } => {
  const columns: ColumnValues = {};
  for (const column of fields)
    columns[column] = contacts.map((one) => one.columns[column]).find(hasValue) ?? contacts[0]!.columns[column] ?? null;
  for (const flag of contactFlags as readonly ContactColumn[]) {
    const number = numberOf[flag];
    const concerned = number
      ? contacts.filter((one) => format(one.columns[number]) === format(columns[number]))
      : contacts;
    columns[flag] = concerned.some((one) => one.columns[flag] === true);
  }
  const address = combineAddresses(contacts);
  const conflicts = contacts
    .slice(1)
    .flatMap((one) => [
      ...listConflicts(one.id, fields, columns, one.columns as ColumnValues),
      ...listConflicts(one.id, addressColumnNames, address ?? {}, one.address ?? {}),
    ]);
  return { columns, address, conflicts };
};
