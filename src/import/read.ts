// Makes of each row of a file of contacts the record that an upsert takes, or the list of its faults.
import type { GraphQLInputType } from 'graphql';
import { UpsertContactInput, upsertOf } from '../../schema/contact-input.ts';
import { schema } from '../../schema/index.ts';
import { line } from '../../schema/text.ts';
import type { UpsertWrite } from '../data/contact-upsert.ts';
import type { FormKind } from '../data/form.ts';
import type { Fault } from '../problem.ts';
import { read } from '../rest/wire.ts';
import { type ColumnOptions, knownColumns, listOf, putterOf } from './columns.ts';
import { cellsBy, checkColumns, type Fields, type FileOptions, type Progress, type Row, rowsOf } from './rows.ts';

export interface ReadOptions extends ColumnOptions, FileOptions {}

interface ExportedAnswer {
  form?: { kind: FormKind; label: string };
  refvalue?: { label: string; value?: string };
  data?: string;
  date?: string;
}

/** Answers as an export has them name their form and its value by their labels: so they mean the same in any space. */
const namedAnswers = (record: Fields): Fields => {
  const { formdatas, custom_fields, ...rest } = record;
  const result: Fields = { ...rest };
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

type Cells = (row: Fields, faults: Fault[]) => Fields;

/** Makes of the cells of a row the fields of a record. Throws for columns that nobody knows. */
const cellsOf = (columns: string[], options: ReadOptions): Cells => {
  const { map } = options;
  const isKnown = (column: string): boolean => knownColumns.includes(column) || column.startsWith('form:');
  checkColumns(columns, options, { whose: 'contact', isKnown, example: 'surname' });
  return cellsBy(columns.map((column) => [column, putterOf(map ? (map[column] ?? '-') : column, options)]));
};

const idFields = ['id', 'user_contact_id', 'action_ids', 'actions_ids'];

/** NDJSON has the fields of an export by themselves; the map says of others what they are, as of columns. */
const fieldsBy = (options: ReadOptions): Cells => {
  const puts = new Map(Object.entries(options.map ?? {}).map(([name, known]) => [name, putterOf(known, options)]));
  return (row, faults) => {
    const record: Fields = {};
    for (const [name, value] of Object.entries(row)) {
      const put = puts.get(name);
      try {
        if (put && (typeof value === 'string' || typeof value === 'number')) put(record, String(value));
        else if (options.ids || !idFields.includes(name)) record[name] = value;
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
export async function* readRows(
  file: string,
  options: ReadOptions,
  progress: Progress,
): AsyncGenerator<Row<UpsertWrite>> {
  const type = schema.getType(UpsertContactInput.name) as GraphQLInputType;
  const argument = { ...schema.getMutationType()!.getFields().upsertContact!.args[0]!, type };
  let cells: Cells | undefined;
  const keyColumn = keyColumnOf(options);
  let row = 0;
  for await (const raw of rowsOf(file, options, progress)) {
    row++;
    if (raw instanceof Error) {
      yield { row, faults: [{ location: 'row', message: raw.message }] };
      continue;
    }
    cells ??= options.format === 'csv' ? cellsOf(Object.keys(raw), options) : fieldsBy(options);
    const faults: Fault[] = [];
    const value = namedAnswers(cells(raw, faults));
    const input = read({ argument, location: '', value }, faults, true);
    const placed = faults.map((fault) => ({ ...fault, location: fault.location.replace(/^\./, '') || 'row' }));
    if (faults.length > 0) yield { row, faults: placed };
    else
      yield {
        row,
        record: upsertOf(input as never, ''),
        key: keyColumn === undefined ? null : keyIn(raw[keyColumn]),
        faults,
      };
  }
}
