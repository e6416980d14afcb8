// Converts each row of a file of contacts to the input of an upsert, or to a list of faults.
import type { GraphQLInputType } from 'graphql';
import { convertToUpsertWrite } from '../../schema/contact/contact-content.ts';
import { ContactUpsertInput } from '../../schema/contact/contact-write.ts';
import { shortText } from '../../schema/graph/validators.ts';
import { schema } from '../../schema/index.ts';
import type { SentTwice } from '../context.ts';
import { findBadValues } from '../data/contact/check-values.ts';
import { fileColumns } from '../data/contact/columns.ts';
import type { UpsertWrite } from '../data/contact/patch.ts';
import type { FormKind } from '../data/form/form.ts';
import { read } from '../input/legacy-input.ts';
import type { Fault } from '../problem.ts';
import { isPlaceholder } from './cells.ts';
import {
  answerLists,
  type CellWriter,
  type ColumnOptions,
  derived,
  findColumnWriter,
  foreignIds,
  keepFirstValue,
  knownColumns,
  noteIgnoredColumns,
} from './columns.ts';
import type { ImportForm } from './form-answers.ts';
import { type RecognizedColumn, recognizeColumns } from './headings.ts';
import { readNationalNumbers } from './national-numbers.ts';
import {
  checkKnownColumns,
  createFaultLocator,
  createObjectReader,
  createRowNotes,
  createRowReader,
  describeMap,
  type Places,
  readRows,
} from './row-reader.ts';
import { type FileOptions, type ImportedFile, type Progress, type Row, type RowFields, wholeRow } from './rows.ts';

export interface ReadOptions extends Omit<ColumnOptions, 'forms'>, FileOptions {
  /** The country of contacts without one. */
  country?: string | undefined;
  /** Whether a row is imported already: it is not read again. */
  isDone?(row: number): boolean;
  /** Reads the forms of the space, for a file with answers. */
  readForms?: (() => Promise<ImportForm[]>) | undefined;
}

interface ExportedAnswer {
  form?: { kind: FormKind; label: string };
  refvalue?: { label: string; value?: string };
  data?: string;
  date?: string;
}

/** Whether two lists have the same answers. Other fields of the answers may differ. */
const haveSameAnswers = (one: unknown, other: unknown): boolean => {
  const serialize = (list: unknown): string | undefined =>
    Array.isArray(list) ? JSON.stringify(list.map((answer) => [answer?.id, answer?.data, answer?.date])) : undefined;
  return one !== undefined && serialize(one) === serialize(other);
};

/** Converts exported answers to answers by label, which mean the same in any space. */
const convertAnswersToLabels = (record: RowFields): RowFields => {
  if (record.formdatas === undefined && record.custom_fields === undefined) return record;
  const { formdatas, custom_fields, ...result } = record;
  // An export writes custom fields twice. Only one of the two lists names the forms.
  if (haveSameAnswers(custom_fields, record.customfields)) delete result.customfields;
  for (const [name, list] of Object.entries({ formdatas, custom_fields })) {
    if (!Array.isArray(list)) {
      if (list !== undefined) result[name] = list;
      continue;
    }
    const unlabelled: unknown[] = [];
    for (const answer of list as ExportedAnswer[]) {
      if (!answer?.form?.label || !answer.refvalue) {
        unlabelled.push(answer);
        continue;
      }
      const { form, refvalue, data, date } = answer;
      const target = answerLists[form.kind] ?? 'forms';
      const value = refvalue.value ?? data ?? '';
      result[target] = [...((result[target] as unknown[] | undefined) ?? []), { label: form.label, value, date }];
    }
    if (unlabelled.length > 0) result[name] = [...((result[name] as unknown[] | undefined) ?? []), ...unlabelled];
  }
  return result;
};

type RowReader = ReturnType<typeof createRowReader>;

/** The columns of a file that are read: those of the map in its order, else those that are recognized. Throws for unknown columns. */
const findMeanings = (columns: string[], options: ReadOptions, progress: Progress): RecognizedColumn[] => {
  const { map, ignoresUnknown } = options;
  const { columns: recognized, source } = recognizeColumns(columns, knownColumns);
  const known = new Map(recognized.map((one) => [one.column, one.known]));
  checkKnownColumns(columns, options, {
    noun: 'contact',
    findName: (column) => known.get(column) ?? (source || ignoresUnknown ? '-' : undefined),
  });
  const read = map
    ? Object.entries(map).flatMap(([column, name]) =>
        name === '-' ? [] : [{ column, known: name, rank: 0, address: 0 }],
      )
    : recognized;
  if (progress.tellsMap || (!map && recognized.some(({ column, known: name }) => column !== name))) {
    const reason = map ? 'the map says' : source ? `those of ${source}` : 'known headings';
    const pairs = read.filter((one) => !derived.includes(one.known)).map((one) => [one.column, one.known] as const);
    progress.note(`columns are read as ${reason}: ${describeMap(pairs)}`);
  }
  const others = columns.filter((column) => !map && !known.has(column));
  if (others.length > 0) progress.note(`ignored columns: ${others.join(', ')} (contacts have none of this kind)`);
  return read;
};

/** Creates the reader of CSV rows. Throws for unknown columns. */
const createCsvReader = (meanings: RecognizedColumn[], options: ColumnOptions & FileOptions): RowReader => {
  const several = (known: string): boolean =>
    known !== 'tags' && !known.startsWith('form:') && meanings.filter((one) => one.known === known).length > 1;
  const writers = meanings.map(({ column, known, address }): [string, CellWriter] => {
    const write = findColumnWriter(known, options, address);
    return [column, several(known) ? keepFirstValue(known, write) : write];
  });
  return createRowReader(writers, options.values);
};

/** Files of records refer to the ids of this one. */
const keys = new Set(['id']);
const idFields = ['id', 'user_contact_id', 'action_ids', 'actions_ids'];

const readKey = (value: unknown): string | null => {
  const key = typeof value === 'number' ? String(value) : value;
  return typeof key === 'string' && key.trim() !== '' && shortText.safeParse(key).success ? key.trim() : null;
};

/** The paths of columns in a contact of the contract, by those in the graph. */
const contractPaths: ReadonlyMap<string, string> = new Map(
  fileColumns.map(({ field, path }) => [field, path.join('.')]),
);

/** The oldest age that is no typing error. */
const oldestAge = 150;

/** The first day that somebody can be born on who is not older than people become. */
const findOldestDay = (): string => {
  const today = new Date().toISOString().slice(0, 10);
  return `${String(Number(today.slice(0, 4)) - oldestAge).padStart(4, '0')}${today.slice(4)}`;
};

/** Reads the rows of a file, each as a record to upsert or with its faults. Throws for an unreadable file and for unknown columns. */
export const readContactRows = (
  file: ImportedFile,
  options: ReadOptions,
  progress: Progress,
): AsyncGenerator<Row<UpsertWrite>> => {
  const type = schema.getType(ContactUpsertInput.name) as GraphQLInputType;
  const argument = { ...schema.getMutationType()!.getFields().upsertContact!.args[0]!, type };
  const { country, format } = options;
  const oldestDay = findOldestDay();
  return readRows(file, options, progress, async (columns) => {
    const { readRow, keyColumn } = await createContactReader(columns, options, progress);
    return (cells, place) => {
      let locate: ReturnType<typeof createFaultLocator> | undefined;
      const inFile = (found: Fault): Fault => {
        locate ??= createContactLocator(cells, readRow);
        return locate(found);
      };
      const [notes, later] = [createRowNotes(), createRowNotes()];
      const record = readRow(cells, notes);
      if (format === 'csv') readNationalNumbers(record, country, later);
      const twice: SentTwice[] = [];
      const value = convertAnswersToLabels(record);
      const input = read({ argument, location: '', value }, later.faults, { parsed: true, twice });
      const born = (input as RowFields | undefined)?.birthDate;
      if (typeof born === 'string' && born < oldestDay) {
        const message = `is more than ${oldestAge} years ago; it is written`;
        later.remarks.push({ location: 'birthdate', message, value: born });
      }
      // A row whose only values are faulty is not also reported as empty.
      const found = later.faults
        .map(inFile)
        .filter(({ location }) => notes.faults.length === 0 || location !== wholeRow);
      const faults = [...notes.faults, ...found];
      const convert = (): UpsertWrite => convertToUpsertWrite((input ?? {}) as never, '', twice);
      // Other rows are checked when they are compared with their contact, which may have a bad value already.
      if (faults.length > 0 || options.skipCells)
        for (const { path, message, value } of findBadValues(convert().content))
          faults.push(inFile({ location: path.join('.'), message, value }));
      const remarks = [...notes.remarks, ...later.remarks.map(inFile)];
      const counts = [...notes.counts, ...later.counts];
      const at = { ...place, inFile, faults, remarks, counts };
      if (faults.length > 0) return at;
      const key = keyColumn === undefined ? null : readKey(cells[keyColumn]);
      // Two rows without an id are not one contact for files of records.
      const isNone = format === 'csv' && !options.keepPlaceholders && key !== null && isPlaceholder(key);
      return { ...at, record: convert(), key: isNone ? null : key };
    };
  });
};

/** The paths of answers in a record. */
const answerPath = new RegExp(`^(${Object.values(answerLists).join('|')})\\b`);

/** Creates the locator of faults of a row, which is read once more for the places of its values: most rows have no fault. */
const createContactLocator = (cells: RowFields, readRow: RowReader) => {
  const places: Places = new Map();
  readRow(cells, createRowNotes(), places);
  const answers = places.get('formdatas') ?? places.get('custom_fields');
  return createFaultLocator(cells, places, {
    otherwise: (at) => (answerPath.test(at) ? answers : undefined),
    contractPaths,
  });
};

/** Creates the reader of rows from the columns of the first one. `keyColumn` has the rows' ids: files of records may refer to these. */
const createContactReader = async (columns: string[], options: ReadOptions, progress: Progress) => {
  const { map, format, ids, readForms, delimiter = progress.delimiter } = options;
  const isCsv = format === 'csv';
  const meanings = isCsv
    ? findMeanings(columns, options, progress)
    : columns.map((column) => ({ column, known: map?.[column] ?? column, rank: 0, address: 0 }));
  const hasAnswers = [...Object.values(map ?? {}), ...meanings.map(({ known }) => known)].some((known) =>
    known.startsWith('form:'),
  );
  const how = {
    ...options,
    // A file whose cells are separated by commas has points in its decimals.
    decimalComma: isCsv && delimiter !== ',',
    forms: hasAnswers ? await readForms?.() : undefined,
  };
  const keep = (record: RowFields, name: string, value: unknown): void => {
    if (ids || !idFields.includes(name)) record[name] = value;
  };
  // Fields of an export need no map in NDJSON; the map names the others.
  const readRow = isCsv
    ? createCsvReader(meanings, how)
    : createObjectReader(how, (name) => findColumnWriter(name, how), keep, { keys });
  const known = meanings.map((one) => [one.column, one.known] as const);
  noteIgnoredColumns(known, { derived, foreign: ids ? [] : foreignIds }, progress.note);
  return { readRow, keyColumn: meanings.find((one) => one.known === 'id')?.column };
};
