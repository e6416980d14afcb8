// Writes records of a family as the text of a file, NDJSON or CSV, which an import of the same family takes.
import { printDateTime } from '../../schema/time.ts';
import { markFormulaText } from '../csv/formula.ts';
import { formatCsvTable, type TableOptions } from '../csv/table.ts';
import { readRecordPages } from '../data/import/export-page.ts';
import type { RecordTypeName } from '../data/import/record-types.ts';
import type { Space } from '../database/space.ts';
import type { Values } from '../database/statement.ts';
import { listRecordColumns } from './families.ts';

export type FileFormat = 'ndjson' | 'csv';

/** The names of the columns of a family that are written. */
export const listWrittenColumns = (name: RecordTypeName): string[] =>
  listRecordColumns(name)
    .map((column) => column.name)
    .filter((column) => column !== 'amount_decimal');

/** The text of an export piece by piece, no more than one page of which is held, and how many records are in each piece. */
export async function* writeRecordsAsText(
  space: Space,
  name: RecordTypeName,
  format: FileFormat,
  { names = listWrittenColumns(name), excel }: TableOptions = {},
): AsyncGenerator<{ text: string; records: number }> {
  const kinds = new Map(listRecordColumns(name).map((column) => [column.name, column.kind]));
  const print = names.map((column): [string, (value: unknown) => unknown] => [
    column,
    kinds.get(column) === 'instant' ? (value) => value && printDateTime(value as string) : (value) => value,
  ]);
  const inCell = (value: unknown): unknown => {
    if (typeof value === 'object' && value !== null) return JSON.stringify(value);
    return typeof value === 'string' ? markFormulaText(value) : value;
  };
  const lines = (rows: Values[]): string =>
    rows
      .map(
        (row) => `${JSON.stringify(Object.fromEntries(print.map(([column, show]) => [column, show(row[column])])))}\n`,
      )
      .join('');
  const table = (rows: Values[], header: boolean): string =>
    formatCsvTable(
      rows.map((row) => print.map(([column, show]) => inCell(show(row[column])))),
      names,
      header,
      excel,
    );
  let first = true;
  for await (const page of readRecordPages(space, name)) {
    yield { text: format === 'csv' ? table(page, first) : lines(page), records: page.length };
    first = false;
  }
}
