// Formats tables as CSV for spreadsheets.
import { stringify } from 'csv-stringify/sync';

/** The columns of a table in order, and its target program. */
export interface TableOptions {
  /** All columns by default. */
  names?: readonly string[] | undefined;
  /** Semicolons for Excel in countries with decimal commas, and a byte order mark, without which Excel does not read UTF-8. */
  excel?: boolean | undefined;
}

/** Formats rows as CSV. The first rows get a head. */
export const formatCsvTable = (rows: unknown[][], names: readonly string[], first: boolean, excel = false): string =>
  (excel && first ? '\ufeff' : '') +
  stringify(rows, {
    header: first,
    columns: [...names],
    delimiter: excel ? ';' : ',',
    cast: { boolean: String },
    record_delimiter: '\r\n',
    // The library quotes only the newline that ends its own rows, but readers treat any newline as the end of a row.
    quoted_match: /[\r\n]/,
  });
