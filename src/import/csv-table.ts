// Formats tables as CSV for spreadsheets, contacts among them. It marks text in cells that a spreadsheet would run as a formula, and removes the mark.
import { stringify } from 'csv-stringify/sync';
import { columnNames } from '../../packages/pages/column-names.ts';
import type { Language } from '../../packages/pages/language.ts';
import { type FileColumn, fileColumns } from '../data/contact/columns.ts';
import { createExcelPrinter, type ExcelKind, sheets } from './excel.ts';
import { jsonLists } from './headings.ts';
import { joinTags } from './tag-list.ts';

/** The columns of a table in order, and its target program. */
export interface TableOptions {
  /** All columns by default. */
  names?: readonly string[] | undefined;
  /** The language of Excel, when the table is for Excel and not for programs. */
  excel?: Language | undefined;
}

/** Formats rows as CSV. The first rows get a head, and for Excel a byte order mark, without which it does not read UTF-8. */
export const formatCsvTable = (rows: unknown[][], heads: readonly string[], first: boolean, excel?: Language): string =>
  (excel && first ? '\ufeff' : '') +
  stringify(rows, {
    header: first,
    columns: [...heads],
    delimiter: excel ? sheets[excel].separator : ',',
    cast: { boolean: String },
    record_delimiter: '\r\n',
    // The library quotes only the newline that ends its own rows, but readers treat any newline as the end of a row.
    quoted_match: /[\r\n]/,
  });

/** The beginning of a formula, also after white space, which some programs skip. Marked text is marked again, so that an import restores it exactly. */
const formula = /^'*\s*[=+\-@＝＋－＠\t\r\n]/;
const markedFormula = /^''*\s*[=+\-@＝＋－＠\t\r\n]/;

/**
 * A sign followed only by characters of phone numbers and amounts. Such text cannot contain a function, a cell reference or a command. At
 * worst a spreadsheet adds the numbers.
 */
const harmless = /^(?:[ \u00a0\u202f]*\+)?[\d \u00a0\u202f.()/-]*$/;

/** Marks text that a spreadsheet would run. The values come from people who filled in forms. */
export const markFormulaText = (text: string): string =>
  formula.test(text) && !harmless.test(text) ? `'${text}` : text;

export const unmarkFormulaText = (text: string): string => (markedFormula.test(text) ? text.slice(1) : text);

export type ContactFields = Record<string, unknown>;

/** A format of an export. Only the first page has a head. */
export interface ExportFormat {
  type: string;
  write(contacts: ContactFields[], first: boolean): string;
}

const isDerived = ({ reads }: FileColumn): boolean => reads === 'nothing';

/** Columns of a CSV, each with its path in a contact. Lists are JSON, except tags, which are names. An import reads the same columns. */
export const contactTableColumns: Record<string, string[]> = Object.fromEntries([
  ...fileColumns.filter((column) => !isDerived(column)).map(({ name, path }) => [name, path]),
  ...['tags', ...jsonLists].map((name) => [name, [name]]),
  ...fileColumns.filter(isDerived).map(({ name, path }) => [name, path]),
]);

const readPath = (contact: ContactFields, path: string[]): unknown => {
  // biome-ignore lint/suspicious/noExplicitAny: a path into JSON of any shape
  const value = path.reduce((at: any, step) => at?.[step], contact);
  return path[0] === 'tags' ? joinTags(value) : value;
};
const formatText = (value: unknown): unknown => (typeof value === 'string' ? markFormulaText(value) : value);
const formatCell = (value: unknown): unknown =>
  formatText(typeof value === 'object' && value !== null ? JSON.stringify(value) : value);

/** The columns that people read otherwise than programs. */
const excelKinds = new Map<string, ExcelKind>([
  ...fileColumns.flatMap(({ name, reads }): [string, ExcelKind][] =>
    reads === 'day' ? [[name, 'day']] : reads === 'nothing' ? [[name, 'instant']] : [],
  ),
  ['phone', 'phone'],
  ['mobile', 'phone'],
  ['gender', 'gender'],
]);

/** Creates the CSV format of contacts. */
export const createCsvFormat = ({ names = Object.keys(contactTableColumns), excel }: TableOptions): ExportFormat => {
  const columns = names.map((name) => ({ path: contactTableColumns[name]!, kind: excelKinds.get(name) ?? 'other' }));
  const print = excel && createExcelPrinter(excel);
  return {
    type: 'text/csv; charset=utf-8; header=present',
    write: (contacts, first) =>
      formatCsvTable(
        contacts.map((contact) =>
          columns.map(({ path, kind }) => {
            const value = readPath(contact, path);
            if (!print) return formatCell(value);
            const text = print(value, kind);
            // A number with a minus is no formula.
            return typeof value === 'number' ? text : formatText(text);
          }),
        ),
        excel ? names.map((name) => columnNames[name]![excel]) : names,
        first,
        excel,
      ),
  };
};
