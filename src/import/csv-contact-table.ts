// The columns of contacts in CSV, for exports and imports, and the CSV text of contacts.
import { type FileColumn, fileColumns } from '../data/contact/columns.ts';
import { formatCsvTable, markFormulaText, type TableOptions } from './csv-table.ts';

export type ContactFields = Record<string, unknown>;

/** A format of an export. Only the first page has a head. */
export interface ExportFormat {
  type: string;
  write(contacts: ContactFields[], first: boolean): string;
}

const lists = ['tags', 'action_ids', 'formdatas', 'custom_fields'];
const isDerived = ({ reads }: FileColumn): boolean => reads === 'nothing';

/** Columns of a CSV, each with its path in a contact. Lists are JSON, except tags, which are names. An import reads the same columns. */
export const contactTableColumns: Record<string, string[]> = Object.fromEntries([
  ...fileColumns.filter((column) => !isDerived(column)).map(({ name, path }) => [name, path]),
  ...lists.map((name) => [name, [name]]),
  ...fileColumns.filter(isDerived).map(({ name, path }) => [name, path]),
]);

const readPath = (contact: ContactFields, path: string[]): unknown => {
  // biome-ignore lint/suspicious/noExplicitAny: a path into JSON of any shape
  const value = path.reduce((at: any, step) => at?.[step], contact);
  if (path[0] === 'tags') return (value as { name: string }[]).map(({ name }) => name).join('; ');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
};
const formatCell = (value: unknown): unknown => (typeof value === 'string' ? markFormulaText(value) : value);

/** Creates the CSV format of contacts. */
export const createCsvFormat = ({ names = Object.keys(contactTableColumns), excel }: TableOptions): ExportFormat => {
  const paths = names.map((name) => contactTableColumns[name]!);
  return {
    type: 'text/csv; charset=utf-8; header=present',
    write: (contacts, first) =>
      formatCsvTable(
        contacts.map((contact) => paths.map((path) => formatCell(readPath(contact, path)))),
        names,
        first,
        excel,
      ),
  };
};
