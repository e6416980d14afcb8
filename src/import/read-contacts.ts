// Makes of each row of a file of contacts the record that an upsert takes, or the list of its faults.
import type { GraphQLInputType } from 'graphql';
import { convertToUpsertWrite } from '../../schema/contact-content.ts';
import { UpsertContactInput } from '../../schema/contact-input.ts';
import { schema } from '../../schema/index.ts';
import { line } from '../../schema/text.ts';
import type { SentTwice } from '../context.ts';
import type { UpsertWrite } from '../data/contact/patch.ts';
import type { FormKind } from '../data/form.ts';
import { read } from '../input/legacy-input.ts';
import type { Fault } from '../problem.ts';
import {
  type ColumnOptions,
  derived,
  findColumnWriter,
  foreignIds,
  knownColumns,
  listOf,
  notePassedOver,
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

export interface ReadOptions extends ColumnOptions, FileOptions {}

interface ExportedAnswer {
  form?: { kind: FormKind; label: string };
  refvalue?: { label: string; value?: string };
  data?: string;
  date?: string;
}

/** Whether two lists have the same answers, whatever else is said of them. */
const sayAlike = (one: unknown, other: unknown): boolean => {
  const saying = (list: unknown): string | undefined =>
    Array.isArray(list) ? JSON.stringify(list.map((answer) => [answer?.id, answer?.data, answer?.date])) : undefined;
  return one !== undefined && saying(one) === saying(other);
};

/** Answers as an export has them name their form and its value by their labels: so they mean the same in any space. */
const namedAnswers = (record: RowFields): RowFields => {
  const { formdatas, custom_fields, ...rest } = record;
  const result: RowFields = { ...rest };
  // An export has custom fields under two names, of which one names their forms.
  if (sayAlike(custom_fields, record.customfields)) delete result.customfields;
  const stay: Record<string, unknown[]> = { formdatas: [], custom_fields: [] };
  for (const [name, list] of Object.entries({ formdatas, custom_fields })) {
    if (!Array.isArray(list)) {
      if (list !== undefined) result[name] = list;
      continue;
    }
    for (const answer of list as ExportedAnswer[]) {
      if (!answer?.form?.label || !answer.refvalue) {
        stay[name]!.push(answer);
        continue;
      }
      const { form, refvalue, data, date } = answer;
      const target = listOf[form.kind] ?? 'forms';
      const value = refvalue.value ?? data ?? '';
      result[target] = [...((result[target] as unknown[] | undefined) ?? []), { label: form.label, value, date }];
    }
    if (stay[name]!.length > 0) result[name] = [...((result[name] as unknown[] | undefined) ?? []), ...stay[name]!];
  }
  return result;
};

type Cells = (row: RowFields, faults: Fault[], places: Places) => RowFields;

/** Makes of the cells of a row the fields of a record. Throws for columns that nobody knows. */
const cellsOf = (columns: string[], options: ReadOptions): Cells => {
  const { map } = options;
  const isKnown = (column: string): boolean => knownColumns.includes(column) || column.startsWith('form:');
  checkKnownColumns(columns, options, { whose: 'contact', isKnown, example: 'surname' });
  return createRowReader(
    columns.map((column) => [column, findColumnWriter(map ? (map[column] ?? '-') : column, options)]),
  );
};

const idFields = ['id', 'user_contact_id', 'action_ids', 'actions_ids'];

/** NDJSON has the fields of an export by themselves; the map says of others what they are, as of columns. */
const fieldsBy = (options: ReadOptions): Cells => {
  const puts = new Map(
    Object.entries(options.map ?? {}).map(([name, known]) => [name, findColumnWriter(known, options)]),
  );
  return (row, faults, places) => {
    const record: RowFields = {};
    for (const [name, value] of Object.entries(row)) {
      const put = puts.get(name);
      try {
        if (put && (typeof value === 'string' || typeof value === 'number')) {
          const place = put(record, String(value));
          if (place !== undefined) places.set(place, name);
        } else if (options.ids || !idFields.includes(name)) record[name] = value;
      } catch (error) {
        faults.push({ location: name, message: (error as Error).message, value });
      }
    }
    return record;
  };
};

/** The column in which rows have their ids, by which files of records may name them. */
const keyColumnOf = ({ map, format }: ReadOptions): string | undefined =>
  Object.keys(map ?? {}).find((name) => map![name] === 'id') ?? (map && format === 'csv' ? undefined : 'id');

const keyIn = (value: unknown): string | null => {
  const key = typeof value === 'number' ? String(value) : value;
  return typeof key === 'string' && key.trim() !== '' && line.safeParse(key).success ? key.trim() : null;
};

/** The rows of a file, each as a record to upsert or with its faults. Throws for a file that cannot be read, or columns that nobody knows. */
export async function* readContactRows(
  file: string,
  options: ReadOptions,
  progress: Progress,
): AsyncGenerator<Row<UpsertWrite>> {
  const type = schema.getType(UpsertContactInput.name) as GraphQLInputType;
  const argument = { ...schema.getMutationType()!.getFields().upsertContact!.args[0]!, type };
  let cells: Cells | undefined;
  const keyColumn = keyColumnOf(options);
  let row = 0;
  for await (const { fields, fault, ...place } of readFileRows(file, options, progress)) {
    const places: Places = new Map();
    const answers = (): string | undefined => places.get('formdatas') ?? places.get('custom_fields');
    const inFile = createFaultLocator(fields, places, (at) => (lists.test(at) ? answers() : undefined));
    const at = { ...place, row: ++row, inFile };
    // What is wrong with the columns is heard of before anything else.
    if (fault === undefined || options.format === 'csv') cells ??= begin(Object.keys(fields), options, progress);
    if (!cells || fault !== undefined) {
      yield { ...at, faults: [{ location: wholeRow, message: fault! }] };
      continue;
    }
    const [faults, found]: [Fault[], Fault[]] = [[], []];
    const value = namedAnswers(cells(fields, faults, places));
    const twice: SentTwice[] = [];
    const input = read({ argument, location: '', value }, found, { parsed: true, twice });
    faults.push(...found.map(inFile));
    if (faults.length > 0) yield { ...at, faults };
    else {
      const key = keyColumn === undefined ? null : keyIn(fields[keyColumn]);
      yield { ...at, record: convertToUpsertWrite(input as never, '', twice), key, faults };
    }
  }
}

/** Where answers stand in a record, whichever column they are from. */
const lists = new RegExp(`^(${Object.values(listOf).join('|')})\\b`);

/** Learns from the first row what the columns are. */
const begin = (columns: string[], options: ReadOptions, { note }: Progress): Cells => {
  const { map, format, ids } = options;
  const knownAs = (column: string): string => map?.[column] ?? (map && format === 'csv' ? '-' : column);
  const cells = format === 'csv' ? cellsOf(columns, options) : fieldsBy(options);
  const known = columns.map((column) => [column, knownAs(column)] as const);
  notePassedOver(known, { derived, foreign: ids ? [] : foreignIds }, note);
  return cells;
};
