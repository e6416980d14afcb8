// Tables as CSV text that spreadsheets open.
import { stringify } from 'csv-stringify/sync';

/** How a table is written: its columns in this order, and the program that opens it. */
export interface TableOptions {
  /** All columns when it is left out. */
  names?: readonly string[] | undefined;
  /** For Excel where commas are decimal: semicolons, and a byte order mark, without which Excel does not read UTF-8. */
  excel?: boolean | undefined;
}

/** The text of a table's rows, with a head when they are the first. */
export const formatCsvTable = (rows: unknown[][], names: readonly string[], first: boolean, excel = false): string =>
  (excel && first ? '\ufeff' : '') +
  stringify(rows, {
    header: first,
    columns: [...names],
    delimiter: excel ? ';' : ',',
    cast: { boolean: String },
    record_delimiter: '\r\n',
    // The library quotes only the newline that ends its own rows, but readers take any newline for the end of a row.
    quoted_match: /[\r\n]/,
  });
