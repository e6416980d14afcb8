// Splits the text of a CSV file into rows. A broken quote costs its own row, never those after it.

/** The separators of cells and rows of a file, and the number of cells that most of its rows have. */
export interface CsvShape {
  delimiter: string;
  /** The character that ends a row: a line feed, which may follow a carriage return, or a carriage return alone. */
  newline: '\n' | '\r';
  width: number;
}

export interface CsvRow {
  cells: string[];
  /** The unchanged text of the row with the end of its line, which the last row may lack. */
  text: string;
  fault?: string;
}

/** The cells of a row, and the place where the next row begins. */
type SplitRow = Pick<CsvRow, 'cells'> & { next: number };

const unclosed = 'has a quote that is not closed';
/** In characters. A quoted cell of several lines that is longer has a quote that is not closed. */
const maxQuotedLines = 1_000_000;

interface Piece {
  text: string;
  /** Whether the file ends with this text. */
  isEnd: boolean;
}

/** Finds where the line ends that begins at a position: before its newline, and after it; undefined when the text ends first. */
const findLineEnd = (text: string, from: number, newline: string): { end: number; next: number } | undefined => {
  const at = text.indexOf(newline, from);
  if (at < 0) return undefined;
  const end = newline === '\n' && at > from && text.charCodeAt(at - 1) === 13 ? at - 1 : at;
  return { end, next: at + 1 };
};

type Ending = 'cell' | 'row' | 'more' | 'text';

/** Tells what follows a quote that may close a cell: the end of the cell, that of the row, more text to read, or the rest of the cell. */
const findEnding = ({ text, isEnd }: Piece, quote: number, { delimiter, newline }: CsvShape): [Ending, number] => {
  let at = quote + 1;
  while (text[at] === ' ' && delimiter !== ' ') at++;
  if (text.startsWith(delimiter, at)) return ['cell', at + delimiter.length];
  if (newline === '\n' && text[at] === '\r') at++;
  if (text[at] === newline) return ['row', at + 1];
  if (at >= text.length) return isEnd ? ['row', at] : ['more', at];
  return ['text', at];
};

/** Splits a row with quotes. It returns `more` when the row may go on after the text, and undefined when a quote is not closed. */
const splitQuotedRow = (piece: Piece, start: number, shape: CsvShape): SplitRow | 'more' | undefined => {
  const { text, isEnd } = piece;
  const { delimiter, newline } = shape;
  const cells: string[] = [];
  let at = start;
  for (;;) {
    if (text[at] !== '"') {
      const line = findLineEnd(text, at, newline);
      if (!line && !isEnd) return 'more';
      const rowEnd = line?.end ?? text.length;
      const cellEnd = text.indexOf(delimiter, at);
      if (cellEnd < 0 || cellEnd >= rowEnd) {
        cells.push(text.slice(at, rowEnd));
        return { cells, next: line?.next ?? text.length };
      }
      cells.push(text.slice(at, cellEnd));
      at = cellEnd + delimiter.length;
      continue;
    }
    let from = at + 1;
    for (;;) {
      const quote = text.indexOf('"', from);
      const isLong = (quote < 0 ? text.length : quote) - at > maxQuotedLines;
      if ((isLong && text.includes(newline, at)) || (quote < 0 && isEnd)) return undefined;
      if (quote < 0) return 'more';
      if (text[quote + 1] === '"') {
        from = quote + 2;
        continue;
      }
      const [ending, next] = findEnding(piece, quote, shape);
      if (ending === 'more') return 'more';
      if (ending === 'text') {
        // A quote within one line is text. After a newline it is more likely the quote of another row.
        const lineEnd = text.indexOf(newline, at);
        if (lineEnd >= 0 && lineEnd < quote) return undefined;
        from = quote + 1;
        continue;
      }
      cells.push(text.slice(at + 1, quote).replaceAll('""', '"'));
      if (ending === 'row') return { cells, next };
      at = next;
      break;
    }
  }
};

/** Splits the row that begins at a position; undefined when it may go on after the text. */
const splitRow = (piece: Piece, start: number, shape: CsvShape): (CsvRow & SplitRow) | undefined => {
  const { text, isEnd } = piece;
  const line = findLineEnd(text, start, shape.newline) ?? (isEnd ? { end: text.length, next: text.length } : undefined);
  const plain = line && text.slice(start, line.end);
  if (plain !== undefined && !plain.includes('"'))
    return { cells: plain.split(shape.delimiter), text: text.slice(start, line!.next), next: line!.next };
  const split = splitQuotedRow(piece, start, shape);
  if (split === 'more') return undefined;
  if (split && (!line || split.next <= line.next)) return { ...split, text: text.slice(start, split.next) };
  if (!line) return undefined;
  const first = plain!.split(shape.delimiter);
  // A row of several lines that lacks cells, and whose first line alone has all of them, has swallowed other rows.
  if (split && !(split.cells.length !== shape.width && first.length === shape.width))
    return { ...split, text: text.slice(start, split.next) };
  return { cells: first, text: text.slice(start, line.next), next: line.next, fault: unclosed };
};

/** Splits text into rows. Throws when a row has more characters than this. */
export async function* splitCsvRows(
  pieces: AsyncIterable<string>,
  shape: CsvShape,
  { characters, message }: { characters: number; message: string },
): AsyncGenerator<CsvRow> {
  let text = '';
  let at = 0;
  // A row that goes on after the text is split again only when the text is twice as long.
  let wanted = 0;
  for await (const piece of pieces) {
    text = text.slice(at) + piece;
    at = 0;
    if (text.length < wanted) continue;
    const known = { text, isEnd: false };
    for (let row = splitRow(known, at, shape); row; row = splitRow(known, at, shape)) {
      at = row.next;
      yield row;
    }
    const length = text.length - at;
    if (length > characters) throw new Error(message);
    wanted = at === 0 ? Math.min(2 * length, characters + 1) : 0;
  }
  while (at < text.length) {
    const row = splitRow({ text, isEnd: true }, at, shape)!;
    at = row.next;
    yield row;
  }
}

/** Splits the first rows of a text, of which more may follow. */
export const splitFirstRows = (piece: Piece, shape: CsvShape, most: number): CsvRow[] => {
  const rows: CsvRow[] = [];
  for (let at = 0; at < piece.text.length && rows.length < most; ) {
    const row = splitRow(piece, at, shape);
    if (!row) break;
    rows.push(row);
    at = row.next;
  }
  return rows;
};
