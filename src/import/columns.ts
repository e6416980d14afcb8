// Reads the text of a cell by the kind of its column, and maps the columns of a file to the fields of a contact.

import { type FileColumn, fileColumns } from '../data/contact/columns.ts';
import { type FormKind, formKinds } from '../data/form/form.ts';
import { contactTableColumns } from './csv-contact-table.ts';

/** The order of year, month and day in a date. */
export const dayOrders = ['ymd', 'dmy', 'mdy'] as const;
export type DayOrder = (typeof dayOrders)[number];

type CellRecord = Record<string, unknown>;

/** Reads one cell and writes its value to the record. Returns the path of the value in the record. Throws an error that explains a bad text. */
export type CellWriter = (record: CellRecord, text: string) => string | undefined;

/** The writer of a column that is ignored. */
export const ignoreCell: CellWriter = () => undefined;

const listFieldsRead = (reads: FileColumn['reads']): string[] =>
  fileColumns.filter((column) => column.reads === reads && column.path.length === 1).map(({ name }) => name);
const textFields = listFieldsRead('text');
const numberFields = listFieldsRead('number');
const flagFields = listFieldsRead('flag');
const dateFields = listFieldsRead('day');
const listFields = ['formdatas', 'custom_fields'];
/** Ids belong to one space. They are read only when the user says that the file is from this space. */
const idFields = listFieldsRead('id');
const idListFields = ['action_ids'];
export const foreignIds = [...idFields, ...idListFields];
/** Columns that an export writes and an import ignores. */
export const derived = [...listFieldsRead('nothing'), 'group_id'];

/** Notes which columns of a file are ignored: those of `derived`, and those of `foreign`, which have ids of another space. */
export const noteIgnoredColumns = (
  columns: readonly (readonly [column: string, known: string])[],
  { derived, foreign }: { derived: readonly string[]; foreign: readonly string[] },
  note: (text: string) => void,
): void => {
  const describeColumns = (names: readonly string[], reason: string): string[] => {
    const matching = columns.filter(([, known]) => names.includes(known)).map(([column]) => column);
    return matching.length > 0 ? [`${matching.join(', ')} (${reason})`] : [];
  };
  const ignored = [
    ...describeColumns(derived, 'an export writes them, an import does not'),
    ...describeColumns(foreign, 'ids of another space; --ids says that they are of this one'),
  ];
  if (ignored.length > 0) note(`ignored columns: ${ignored.join('; ')}`);
};

/** The columns of an export, which need no map. */
export const knownColumns = [...Object.keys(contactTableColumns), 'group_id'];

const trueWords = ['true', '1', 'yes', 'y', 'oui', 'x'];
const falseWords = ['false', '0', 'no', 'n', 'non'];
const readFlag = (text: string): boolean => {
  const word = text.trim().toLowerCase();
  if (!trueWords.includes(word) && !falseWords.includes(word)) throw new Error('must be true or false');
  return trueWords.includes(word);
};
const readNumber = (text: string): number => {
  if (!/^\s*-?\d{1,15}\s*$/.test(text)) throw new Error('must be a whole number');
  return Number(text);
};
const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('must be JSON');
  }
};

/** Reads a date as YYYY-MM-DD, with any separator. A date that begins with the year is returned unchanged. */
const createDayReader =
  (order: DayOrder) =>
  (text: string): string => {
    const parts = /^\s*(\d{1,2})[./ -](\d{1,2})[./ -](\d{4})\s*$/.exec(text)?.slice(1);
    if (!parts || order === 'ymd') return text.trim();
    const [month, date] = order === 'dmy' ? [parts[1]!, parts[0]!] : [parts[0]!, parts[1]!];
    return `${parts[2]}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`;
  };

/** Reads a date-time. A date alone means its midnight in UTC. */
const createInstantReader =
  (order: DayOrder) =>
  (text: string): string => {
    const value = createDayReader(order)(text);
    return /^\d{4}-\d{2}-\d{2}$/.test(value) ? `${value}T00:00:00Z` : value;
  };

/** The reader of each kind of column. A reader throws an error that explains a bad text. */
export const createCellReaders = (days: DayOrder) => ({
  text: (text: string) => text,
  number: readNumber,
  flag: readFlag,
  json: readJson,
  day: createDayReader(days),
  instant: createInstantReader(days),
});
export type CellKind = keyof ReturnType<typeof createCellReaders>;

const writeField =
  (name: string, read: (text: string) => unknown = (text) => text): CellWriter =>
  (record, text) => {
    record[name] = read(text);
    return name;
  };
const writeAddressPart =
  (part: string): CellWriter =>
  (record, text) => {
    record.address = { ...(record.address as CellRecord | undefined), [part]: text };
    return `address.${part}`;
  };
/** Adds an answer to the form of a kind and label, such as `form:consent:Newsletter`. */
const writeAnswer =
  (kind: FormKind, label: string): CellWriter =>
  (record, text) => {
    const list = answerLists[kind];
    const before = (record[list] as unknown[] | undefined) ?? [];
    record[list] = [...before, { label, value: text }];
    return `${list}[${before.length}]`;
  };

/** The list of an upsert that has the answers to each kind of form (decisions on spec §4.14). */
export const answerLists: Record<FormKind, string> = {
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

const splitTags = (text: string): string[] =>
  text
    .split(';')
    .map((tag) => tag.trim())
    .filter(Boolean);

/** Finds the writer of the contact column with this name. Throws for an unknown name. */
export const findColumnWriter = (name: string, { days, ids: keepsIds }: ColumnOptions): CellWriter => {
  const [form, kind, ...label] = name.split(':');
  if (form === 'form' && formKinds.includes(kind as FormKind) && label.length > 0)
    return writeAnswer(kind as FormKind, label.join(':'));
  if (name === '-' || derived.includes(name)) return ignoreCell;
  if (idFields.includes(name)) return keepsIds ? writeField(name, readNumber) : ignoreCell;
  if (idListFields.includes(name)) return keepsIds ? writeField(name, readJson) : ignoreCell;
  if (textFields.includes(name)) return writeField(name);
  if (dateFields.includes(name)) return writeField(name, createDayReader(days));
  if (numberFields.includes(name)) return writeField(name, readNumber);
  if (flagFields.includes(name)) return writeField(name, readFlag);
  if (name === 'tags') return writeField(name, (text) => splitTags(text));
  if (listFields.includes(name)) return writeField(name, readJson);
  const [whole, part] = Object.hasOwn(contactTableColumns, name) ? contactTableColumns[name]! : [];
  if (whole === 'address') return writeAddressPart(part!);
  throw new Error(
    `There is no column ${name}. The columns are ${knownColumns.join(', ')}, form:<kind>:<label> with a kind of ${formKinds.join(', ')}, and - to ignore a column`,
  );
};
