// Writes records of one type as NDJSON or CSV, which an import of the same type reads, or opt-outs of deleted people.
import { printDateTime } from '../../schema/graph/scalars.ts';
import { type ExportedName, readRecordPages } from '../data/import/export-page.ts';
import type { Space } from '../database/space.ts';
import type { Values } from '../database/statement.ts';
import { formatCsvTable, markFormulaText, type TableOptions } from './csv-table.ts';
import { createExcelPrinter, type ExcelKind } from './excel.ts';
import { listRecordColumns } from './record-columns.ts';
import type { FileOptions } from './rows.ts';

const listColumns = (name: ExportedName): { name: string; kind: string }[] =>
  name === 'suppressions'
    ? [
        { name: 'digest', kind: 'text' },
        { name: 'created_at', kind: 'instant' },
      ]
    : listRecordColumns(name);

export const listWrittenColumns = (name: ExportedName): string[] =>
  listColumns(name)
    .map((column) => column.name)
    .filter((column) => column !== 'amount_decimal');

/** Yields the text of an export page by page, with the number of records of each page. Memory holds one page at a time. */
export async function* writeRecordsAsText(
  space: Space,
  name: ExportedName,
  format: FileOptions['format'],
  { names = listWrittenColumns(name), excel }: TableOptions,
): AsyncGenerator<{ text: string; count: number }> {
  const kinds = new Map(listColumns(name).map((column) => [column.name, column.kind]));
  const print = (row: Values, column: string): unknown => {
    const value = row[column];
    return value && kinds.get(column) === 'instant' ? printDateTime(value as string) : value;
  };
  const printForExcel = excel && createExcelPrinter(excel);
  const formatCell = (value: unknown, column: string): unknown => {
    // An import reads lists of records as JSON alone.
    if (typeof value === 'object' && value !== null) return JSON.stringify(value);
    const cell = printForExcel ? printForExcel(value, kinds.get(column) as ExcelKind) : value;
    return typeof cell === 'string' ? markFormulaText(cell) : cell;
  };
  const formatLines = (rows: Values[]): string =>
    rows
      .map((row) => `${JSON.stringify(Object.fromEntries(names.map((column) => [column, print(row, column)])))}\n`)
      .join('');
  const formatTable = (rows: Values[], header: boolean): string =>
    formatCsvTable(
      rows.map((row) => names.map((column) => formatCell(print(row, column), column))),
      names,
      header,
      excel,
    );
  let first = true;
  for await (const page of readRecordPages(space, name)) {
    yield { text: format === 'csv' ? formatTable(page, first) : formatLines(page), count: page.length };
    first = false;
  }
}
