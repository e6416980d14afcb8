// Converts each row of a file of contacts to the input of an upsert, or to a list of faults.
import type { GraphQLInputType } from 'graphql';
import { convertToUpsertWrite } from '../../schema/contact/contact-content.ts';
import { ContactUpsertInput } from '../../schema/contact/contact-write.ts';
import { shortText } from '../../schema/graph/validators.ts';
import { schema } from '../../schema/index.ts';
import type { SentTwice } from '../context.ts';
import type { UpsertWrite } from '../data/contact/patch.ts';
import type { FormKind } from '../data/form/form.ts';
import { read } from '../input/legacy-input.ts';
import type { Fault } from '../problem.ts';
import {
  answerLists,
  type ColumnOptions,
  derived,
  findColumnWriter,
  foreignIds,
  knownColumns,
  noteIgnoredColumns,
} from './columns.ts';
import {
  checkKnownColumns,
  createFaultLocator,
  createRowReader,
  type FileOptions,
  type Places,
  type Progress,
  type Row,
  type RowFields,
  readFileRows,
  wholeRow,
} from './rows.ts';

interface ReadOptions extends ColumnOptions, FileOptions {}

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
  const { formdatas, custom_fields, ...rest } = record;
  const result: RowFields = { ...rest };
  // An export writes custom fields twice. Only one of the two lists names the forms.
  if (haveSameAnswers(custom_fields, record.customfields)) delete result.customfields;
  const unlabelled: Record<string, unknown[]> = { formdatas: [], custom_fields: [] };
  for (const [name, list] of Object.entries({ formdatas, custom_fields })) {
    if (!Array.isArray(list)) {
      if (list !== undefined) result[name] = list;
      continue;
    }
    for (const answer of list as ExportedAnswer[]) {
      if (!answer?.form?.label || !answer.refvalue) {
        unlabelled[name]!.push(answer);
        continue;
      }
      const { form, refvalue, data, date } = answer;
      const target = answerLists[form.kind] ?? 'forms';
      const value = refvalue.value ?? data ?? '';
      result[target] = [...((result[target] as unknown[] | undefined) ?? []), { label: form.label, value, date }];
    }
    if (unlabelled[name]!.length > 0)
      result[name] = [...((result[name] as unknown[] | undefined) ?? []), ...unlabelled[name]!];
  }
  return result;
};

type RowReader = (row: RowFields, faults: Fault[], places: Places) => RowFields;

/** Creates the reader of CSV rows. Throws for unknown columns. */
const createCsvReader = (columns: string[], options: ReadOptions): RowReader => {
  const { map } = options;
  const isKnown = (column: string): boolean => knownColumns.includes(column) || column.startsWith('form:');
  checkKnownColumns(columns, options, { noun: 'contact', isKnown, example: 'surname' });
  return createRowReader(
    columns.map((column) => [column, findColumnWriter(map ? (map[column] ?? '-') : column, options)]),
  );
};

const idFields = ['id', 'user_contact_id', 'action_ids', 'actions_ids'];

/** Creates the reader of NDJSON rows. Fields of an export need no map; the map names the others. */
const createNdjsonReader = (options: ReadOptions): RowReader => {
  const writers = new Map(
    Object.entries(options.map ?? {}).map(([name, known]) => [name, findColumnWriter(known, options)]),
  );
  return (row, faults, places) => {
    const record: RowFields = {};
    for (const [name, value] of Object.entries(row)) {
      const write = writers.get(name);
      try {
        if (write && (typeof value === 'string' || typeof value === 'number')) {
          const place = write(record, String(value));
          if (place !== undefined) places.set(place, name);
        } else if (options.ids || !idFields.includes(name)) record[name] = value;
      } catch (error) {
        faults.push({ location: name, message: (error as Error).message, value });
      }
    }
    return record;
  };
};

/** The column of the rows' ids. Files of records may refer to these ids. */
const findKeyColumn = ({ map, format }: ReadOptions): string | undefined =>
  Object.keys(map ?? {}).find((name) => map![name] === 'id') ?? (map && format === 'csv' ? undefined : 'id');

const readKey = (value: unknown): string | null => {
  const key = typeof value === 'number' ? String(value) : value;
  return typeof key === 'string' && key.trim() !== '' && shortText.safeParse(key).success ? key.trim() : null;
};

/** Reads the rows of a file, each as a record to upsert or with its faults. Throws for an unreadable file and for unknown columns. */
export async function* readContactRows(
  file: string,
  options: ReadOptions,
  progress: Progress,
): AsyncGenerator<Row<UpsertWrite>> {
  const type = schema.getType(ContactUpsertInput.name) as GraphQLInputType;
  const argument = { ...schema.getMutationType()!.getFields().upsertContact!.args[0]!, type };
  let readRow: RowReader | undefined;
  const keyColumn = findKeyColumn(options);
  let row = 0;
  for await (const { fields, fault, ...place } of readFileRows(file, options, progress)) {
    const places: Places = new Map();
    const findAnswerColumn = (): string | undefined => places.get('formdatas') ?? places.get('custom_fields');
    const inFile = createFaultLocator(fields, places, (at) => (answerPath.test(at) ? findAnswerColumn() : undefined));
    const at = { ...place, row: ++row, inFile };
    // Faults of the columns are reported before faults of rows.
    if (fault === undefined || options.format === 'csv')
      readRow ??= createRowReaderFor(Object.keys(fields), options, progress);
    if (!readRow || fault !== undefined) {
      yield { ...at, faults: [{ location: wholeRow, message: fault! }] };
      continue;
    }
    const [faults, found]: [Fault[], Fault[]] = [[], []];
    const value = convertAnswersToLabels(readRow(fields, faults, places));
    const twice: SentTwice[] = [];
    const input = read({ argument, location: '', value }, found, { parsed: true, twice });
    faults.push(...found.map(inFile));
    if (faults.length > 0) yield { ...at, faults };
    else {
      const key = keyColumn === undefined ? null : readKey(fields[keyColumn]);
      yield { ...at, record: convertToUpsertWrite(input as never, '', twice), key, faults };
    }
  }
}

/** The paths of answers in a record. */
const answerPath = new RegExp(`^(${Object.values(answerLists).join('|')})\\b`);

/** Creates the reader of rows from the columns of the first one. */
const createRowReaderFor = (columns: string[], options: ReadOptions, { note }: Progress): RowReader => {
  const { map, format, ids } = options;
  const findKnownName = (column: string): string => map?.[column] ?? (map && format === 'csv' ? '-' : column);
  const readRow = format === 'csv' ? createCsvReader(columns, options) : createNdjsonReader(options);
  const known = columns.map((column) => [column, findKnownName(column)] as const);
  noteIgnoredColumns(known, { derived, foreign: ids ? [] : foreignIds }, note);
  return readRow;
};
