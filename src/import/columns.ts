// Maps the columns of a file to the fields of a contact, and writes each cell to its field.

import { type FileColumn, fileColumns } from '../data/contact/columns.ts';
import { type FormKind, formKinds } from '../data/form/form.ts';
import {
  type CellKind,
  type CellNotes,
  type CellOptions,
  cleanText,
  createCellReaders,
  dropPlaceholder,
  splitMultiple,
} from './cells.ts';
import { contactTableColumns } from './csv-table.ts';
import { FileError } from './file-error.ts';
import { createAnswerReader, type ImportForm } from './form-answers.ts';
import { jsonLists, listInWords } from './headings.ts';
import { splitTags } from './tag-list.ts';

type CellRecord = Record<string, unknown>;

/** Reads one cell and writes its value to the record. Returns the paths of the value in the record. Throws an error that explains a bad text. */
export type CellWriter = (record: CellRecord, text: string, notes: CellNotes) => string | readonly string[] | undefined;

export const ignoreCell: CellWriter = () => undefined;

const listFieldsRead = (reads: FileColumn['reads']): string[] =>
  fileColumns.filter((column) => column.reads === reads && column.path.length === 1).map(({ name }) => name);
/** Ids belong to one space. They are read only when the user says that the file is from this space. */
export const foreignIds = [...listFieldsRead('id'), 'action_ids'];
/** Columns that an export writes and an import ignores. */
export const derived = [...listFieldsRead('nothing'), 'group_id', listInWords];

/** Notes which columns of a file are ignored: those of `derived`, and those of `foreign`, which have ids of another space. */
export const noteIgnoredColumns = (
  columns: readonly (readonly [column: string, known: string])[],
  { derived, foreign }: { derived: readonly string[]; foreign: readonly string[] },
  note: (text: string) => void,
): void => {
  const reasons: [names: readonly string[], reason: string][] = [
    [derived, 'an export writes them, an import does not'],
    [foreign, 'ids of another space; --ids says that they are of this one'],
  ];
  const ignored = reasons.flatMap(([names, reason]) => {
    const matching = columns.filter(([, known]) => names.includes(known)).map(([column]) => column);
    return matching.length > 0 ? [`${matching.join(', ')} (${reason})`] : [];
  });
  if (ignored.length > 0) note(`ignored columns: ${ignored.join('; ')}`);
};

/** The columns of an export, which need no map. */
export const knownColumns = [...Object.keys(contactTableColumns), 'group_id'];
/** Those that a person may fill in. */
export const writableColumns = knownColumns.filter((name) => ![...derived, ...foreignIds, ...jsonLists].includes(name));

/** Columns of texts that people write in several ways. */
const textKinds: Record<string, CellKind> = {
  external_id: 'key',
  gender: 'gender',
  mail: 'mail',
  phone: 'phone',
  mobile: 'phone',
  address_postalcode: 'key',
  address_citycode: 'key',
  address_latitude: 'decimal',
  address_longitude: 'decimal',
  address_score: 'decimal',
};
const kindsOfReads: Partial<Record<FileColumn['reads'], CellKind>> = {
  number: 'number',
  flag: 'flag',
  day: 'day',
  id: 'number',
};
const fieldKinds = new Map(
  fileColumns.map(({ name, reads }) => [name, textKinds[name] ?? kindsOfReads[reads] ?? 'text'] as const),
);

/** The list of an upsert that has the answers to each kind of form (decisions on spec §4.14). */
export const answerLists: Record<FormKind, string> = {
  consent: 'consents',
  level_of_support: 'status',
  survey: 'forms',
  custom_fields: 'custom_fields',
  tasks: 'actions',
  presence_status: 'name_presences',
};

/** Values of the file by column, and what is read instead. */
export type ValueMap = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface ColumnOptions extends CellOptions {
  /** Whether ids in the file are of this space. */
  ids: boolean;
  /** The forms of the space. Without them answers are read as they are written. */
  forms?: readonly ImportForm[] | undefined;
}

/** A writer that first replaces the values that --values names. */
export const replaceValues = (write: CellWriter, values: ValueMap[string] | undefined): CellWriter =>
  values === undefined
    ? write
    : (record, text, notes) => {
        const given = cleanText(text);
        const value = Object.hasOwn(values, given) ? values[given]! : text;
        return value === '' ? undefined : write(record, value, notes);
      };

/** The key of the numbers in the cells of phones behind the first ones, in the order of the cells. */
export const spareNumbers = Symbol('numbers');

/** The key of the address of a record that its parts are read of, when it is not the first one of the file. */
const addressRead = Symbol('address');

/**
 * Finds the writer of the contact column with this name. Throws for an unknown name. A file may have several addresses: the first that has
 * a value in a row is read.
 */
export const findColumnWriter = (name: string, options: ColumnOptions, address = 0): CellWriter => {
  const { ids: keepsIds, keepPlaceholders, forms } = options;
  const readers = createCellReaders(options);
  const createReader =
    (read: (text: string, notes: CellNotes) => unknown) =>
    (text: string, notes: CellNotes): unknown => {
      const clean = cleanText(text);
      const given = keepPlaceholders ? clean : dropPlaceholder(clean, notes);
      return given === '' ? undefined : read(given, notes);
    };
  const writeField = (kind: CellKind): CellWriter => {
    const read = createReader(readers[kind]);
    return (record, text, notes) => {
      const value = read(text, notes);
      if (value === undefined) return undefined;
      record[name] = value;
      return name;
    };
  };
  /** Reads the first of several numbers, and keeps the others aside. */
  const writePhone = (): CellWriter => {
    const write = writeField('phone');
    return (record, text, notes) => {
      const [first = '', ...others] = splitMultiple(text);
      const marked: { [spareNumbers]?: string[] } = record;
      if (others.length > 0) marked[spareNumbers] = [...(marked[spareNumbers] ?? []), ...others];
      return write(record, first, notes);
    };
  };
  /** Adds the answers to the form of a kind and label, such as `form:consent:Newsletter`. */
  const writeAnswers = (kind: FormKind, label: string): CellWriter => {
    const list = answerLists[kind];
    const read = createReader(createAnswerReader(kind, label, forms, options));
    return (record, text, notes) => {
      const values = (read(text, notes) ?? []) as string[];
      const before = (record[list] as unknown[] | undefined) ?? [];
      record[list] = [...before, ...values.map((value) => ({ label, value }))];
      return values.map((_, index) => `${list}[${before.length + index}]`);
    };
  };
  const writeAddressPart = (part: string): CellWriter => {
    const read = createReader(readers[fieldKinds.get(name)!]);
    return (record, text, notes) => {
      const value = read(text, notes);
      if (value === undefined) return undefined;
      if (address > 0) {
        const marked: { [addressRead]?: number } = record;
        if (record.address !== undefined && marked[addressRead] !== address) {
          notes.remark('is of a second address, which is left out');
          return undefined;
        }
        marked[addressRead] = address;
      }
      record.address = { ...(record.address as CellRecord | undefined), [part]: value };
      return `address.${part}`;
    };
  };
  const [form, kind, ...label] = name.split(':');
  if (form === 'form' && formKinds.includes(kind as FormKind) && label.length > 0)
    return writeAnswers(kind as FormKind, label.join(':'));
  if (name === '-' || derived.includes(name) || (foreignIds.includes(name) && !keepsIds)) return ignoreCell;
  if (jsonLists.includes(name)) return writeField('json');
  if (name === 'tags') {
    const read = createReader(splitTags);
    return (record, text, notes) => {
      const tags = read(text, notes);
      if (tags === undefined) return undefined;
      record.tags = [...((record.tags as unknown[] | undefined) ?? []), ...(tags as string[])];
      return name;
    };
  }
  const [whole, part] = Object.hasOwn(contactTableColumns, name) ? contactTableColumns[name]! : [];
  if (whole === 'address') return writeAddressPart(part!);
  const fieldKind = fieldKinds.get(name);
  if (fieldKind === 'phone') return writePhone();
  if (fieldKind) return writeField(fieldKind);
  throw new FileError(
    `There is no column ${name}. The columns are ${knownColumns.join(', ')}, form:<kind>:<label> with a kind of ${formKinds.join(', ')}, and - to ignore a column`,
  );
};

/** A writer of one of several columns that mean the same: the first with a value is read, and another value is told. */
export const keepFirstValue = (known: string, write: CellWriter): CellWriter => {
  const [whole, part] = known.startsWith('address_') ? contactTableColumns[known]! : [known];
  return (record, text, notes) => {
    const before = record[whole!];
    const first = part === undefined ? before : (before as CellRecord | undefined)?.[part];
    if (first === undefined) return write(record, text, notes);
    if (cleanText(text) !== String(first))
      notes.remark(`is a second ${known}, which is left out: the first is ${first}`);
    return undefined;
  };
};
