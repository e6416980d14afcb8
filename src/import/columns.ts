// How the text of a cell is read, by the kind of its column; and which column of a file is which part of a contact.
import { contactTableColumns } from '../csv/contact-table.ts';
import { type FileColumn, fileColumns } from '../data/contact/columns.ts';
import { type FormKind, formKinds } from '../data/form.ts';

/** How days are written: year, month, day in this order. */
export const dayOrders = ['ymd', 'dmy', 'mdy'] as const;
export type DayOrder = (typeof dayOrders)[number];

type CellRecord = Record<string, unknown>;

/** What is read from one cell, and put into the record; yields where it stands then. Throws with what is wrong with the text. */
export type Put = (record: CellRecord, text: string) => string | undefined;

/** What is done with a column that says nothing. */
export const ignoreCell: Put = () => undefined;

const namesOf = (reads: FileColumn['reads']): string[] =>
  fileColumns.filter((column) => column.reads === reads && column.path.length === 1).map(({ name }) => name);
const texts = namesOf('text');
const numbers = namesOf('number');
const flags = namesOf('flag');
const dates = namesOf('day');
const lists = ['formdatas', 'custom_fields'];
/** Ids are of one space: they count only where the file is known to be of this one. */
const ids = namesOf('id');
const idLists = ['action_ids'];
export const foreignIds = [...ids, ...idLists];
/** Of an export, what is not written. */
export const derived = [...namesOf('nothing'), 'group_id'];

/** Tells by name which columns of a file an export writes and an import does not: those of `derived`, and of `foreign`, whose ids are not of this space. */
export const notePassedOver = (
  columns: readonly (readonly [column: string, known: string])[],
  { derived, foreign }: { derived: readonly string[]; foreign: readonly string[] },
  note: (text: string) => void,
): void => {
  const those = (names: readonly string[], why: string): string[] => {
    const some = columns.filter(([, known]) => names.includes(known)).map(([column]) => column);
    return some.length > 0 ? [`${some.join(', ')} (${why})`] : [];
  };
  const said = [
    ...those(derived, 'told by an export, not written by an import'),
    ...those(foreign, 'ids of another space, unless --ids says that they are of this one'),
  ];
  if (said.length > 0) note(`passed over: ${said.join('; ')}`);
};

/** Columns that need no map: those of an export. */
export const knownColumns = [...Object.keys(contactTableColumns), 'group_id'];

const yes = ['true', '1', 'yes', 'y', 'oui', 'x'];
const no = ['false', '0', 'no', 'n', 'non'];
const flag = (text: string): boolean => {
  const word = text.trim().toLowerCase();
  if (!yes.includes(word) && !no.includes(word)) throw new Error('must be true or false');
  return yes.includes(word);
};
const number = (text: string): number => {
  if (!/^\s*-?\d{1,15}\s*$/.test(text)) throw new Error('must be a whole number');
  return Number(text);
};
const json = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('must be JSON');
  }
};

/** A day as YYYY-MM-DD, whatever stands between its parts; what already begins with the year is left as it is. */
const day =
  (order: DayOrder) =>
  (text: string): string => {
    const parts = /^\s*(\d{1,2})[./ -](\d{1,2})[./ -](\d{4})\s*$/.exec(text)?.slice(1);
    if (!parts || order === 'ymd') return text.trim();
    const [month, date] = order === 'dmy' ? [parts[1]!, parts[0]!] : [parts[0]!, parts[1]!];
    return `${parts[2]}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`;
  };

/** An instant; of a day alone, its midnight in UTC. */
const instant =
  (order: DayOrder) =>
  (text: string): string => {
    const said = day(order)(text);
    return /^\d{4}-\d{2}-\d{2}$/.test(said) ? `${said}T00:00:00Z` : said;
  };

/** Each kind of column, with what its text says. Throws with what is wrong with the text. */
export const createCellReaders = (days: DayOrder) => ({
  text: (text: string) => text,
  number,
  flag,
  json,
  day: day(days),
  instant: instant(days),
});
export type CellKind = keyof ReturnType<typeof createCellReaders>;

const field =
  (name: string, read: (text: string) => unknown = (text) => text): Put =>
  (record, text) => {
    record[name] = read(text);
    return name;
  };
const partOf =
  (part: string): Put =>
  (record, text) => {
    record.address = { ...(record.address as CellRecord | undefined), [part]: text };
    return `address.${part}`;
  };
/** An answer to the form of a kind with a label: `form:consent:Newsletter`. */
const answerTo =
  (kind: FormKind, label: string): Put =>
  (record, text) => {
    const list = listOf[kind];
    const before = (record[list] as unknown[] | undefined) ?? [];
    record[list] = [...before, { label, value: text }];
    return `${list}[${before.length}]`;
  };

/** The list of an upsert in which answers to a kind of form stand (decisions on spec §4.14). */
export const listOf: Record<FormKind, string> = {
  consent: 'consents',
  level_of_support: 'status',
  survey: 'forms',
  custom_fields: 'custom_fields',
  tasks: 'actions',
  presence_status: 'name_presences',
};

export interface ColumnOptions {
  days: DayOrder;
  /** Whether ids in the file are of this space. */
  ids: boolean;
}

/** What is done with a cell of the column that a contact knows by this name. Throws for a name that it does not know. */
export const findColumnWriter = (name: string, { days, ids: same }: ColumnOptions): Put => {
  const [form, kind, ...label] = name.split(':');
  if (form === 'form' && formKinds.includes(kind as FormKind) && label.length > 0)
    return answerTo(kind as FormKind, label.join(':'));
  if (name === '-' || derived.includes(name)) return ignoreCell;
  if (ids.includes(name)) return same ? field(name, number) : ignoreCell;
  if (idLists.includes(name)) return same ? field(name, json) : ignoreCell;
  if (texts.includes(name)) return field(name);
  if (dates.includes(name)) return field(name, day(days));
  if (numbers.includes(name)) return field(name, number);
  if (flags.includes(name)) return field(name, flag);
  if (name === 'tags') return field(name, (text) => text.split(/\s*;\s*/).filter(Boolean));
  if (lists.includes(name)) return field(name, json);
  const [whole, part] = Object.hasOwn(contactTableColumns, name) ? contactTableColumns[name]! : [];
  if (whole === 'address') return partOf(part!);
  throw new Error(
    `There is no column ${name}. There are ${knownColumns.join(', ')}, form:<kind>:<label> with a kind of ${formKinds.join(', ')}, and - for none`,
  );
};
