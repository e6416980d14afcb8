// Prints text and rows for people: escaped for a terminal, as an aligned table, or as a JSON object on each line for other programs.

/** Control characters of C0 and C1 except tab and newline, and marks that change the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it must match control characters
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

export const escapeForTerminal = (text: string): string =>
  text.replace(controls, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** In characters: longer cells are cut off. */
const maxCell = 40;

const formatCell = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return '-';
  const text = escapeForTerminal(Array.isArray(value) ? value.join(' ') : String(value)).replace(/\s+/g, ' ');
  const characters = [...text];
  return characters.length > maxCell ? `${characters.slice(0, maxCell - 1).join('')}…` : text;
};

/** The width of a text in a terminal, where most characters take one column. */
const measure = (text: string): number => [...text].length;

/** Columns by their titles, with the value of each in a row. */
type Columns<Row> = Record<string, (row: Row) => unknown>;

/** Aligned columns under their titles. Values cannot control the terminal. */
export const formatTable = <Row>(rows: readonly Row[], columns: Columns<Row>): string => {
  const titles = Object.keys(columns);
  const cells = rows.map((row) => titles.map((title) => formatCell(columns[title]!(row))));
  const widths = titles.map((title, index) => Math.max(title.length, ...cells.map((line) => measure(line[index]!))));
  const formatLine = (line: readonly string[]): string =>
    line
      .map((cell, index) => cell + ' '.repeat(widths[index]! - measure(cell)))
      .join('  ')
      .trimEnd();
  return [titles, ...cells].map(formatLine).join('\n');
};

/** Prints rows on stdout. Without rows, a table says so on stderr. */
export const printRows = <Row>(rows: readonly Row[], columns: Columns<Row>, json = false): void => {
  if (json) for (const row of rows) console.log(JSON.stringify(row));
  else if (rows.length === 0) console.error('none');
  else console.log(formatTable(rows, columns));
};

/** `2026-11-23 14:05`, in UTC. */
export const formatMinute = (instant: string | null): string | undefined => instant?.slice(0, 16).replace('T', ' ');

/** `12,345`. */
export const formatCount = (number: number): string => number.toLocaleString('en-US');
