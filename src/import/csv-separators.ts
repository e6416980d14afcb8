// Detects how a CSV file is built from its first rows: what separates its cells and rows, and whether a title stands above its head.
import { type CsvRow, type CsvShape, splitFirstRows } from './csv-rows.ts';
import { isKnownHeading } from './headings.ts';

export interface CsvLayout extends CsvShape {
  /** The end of its first line: it is added to a last row without one. */
  lineEnd: string;
  /** Whether the first line only names the separator, as Excel writes and reads it: `sep=;`. */
  namesSeparator: boolean;
  /** The first line, when it looks like a title, and the line that looks like the head. */
  title: { line: number; head: number } | undefined;
}

/** In characters. As much of the file is looked at, or more when its first line is longer. */
const startLength = 65_536;
const maxStartLength = 1_000_000;
const maxRows = 50;
const marks = [',', ';', '\t', '|'];

const separatorLine = /^"?sep=([^"\r\n])"?(?=[\r\n])/i;

const readStart = async (text: AsyncIterable<string>): Promise<{ text: string; isEnd: boolean }> => {
  let start = '';
  for await (const piece of text) {
    start += piece;
    if (start.length > maxStartLength || (start.length > startLength && /[\r\n]/.test(start)))
      return { text: start, isEnd: false };
  }
  return { text: start, isEnd: true };
};

/** Removes quoted text, also after a quote that is not closed yet. */
const removeQuotedText = (text: string): string => text.replace(/"[^"]*("|$)/g, 'q');

const findMostFrequent = (numbers: readonly number[]): { value: number; share: number } => {
  const counts = new Map<number, number>();
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1);
  const [value = 1, times = 0] = [...counts].sort(([, one], [, other]) => other - one)[0] ?? [];
  return { value, share: times / Math.max(numbers.length, 1) };
};

const countNamed = ({ cells }: CsvRow): number => cells.filter((cell) => cell.trim() !== '').length;

/** Splits the first rows at a mark. The best mark gives the rows one width, then cells that do not begin with a space, then known headings. */
const tryMark = (delimiter: string, newline: CsvShape['newline'], start: { text: string; isEnd: boolean }) => {
  const found = splitFirstRows(start, { delimiter, newline, width: 0 }, maxRows).filter((row) => countNamed(row) > 0);
  const rows = found.map(({ cells }) => cells);
  const { value: width, share } = findMostFrequent(rows.map((cells) => cells.length));
  const [head = []] = rows;
  const spaced = rows.flat().filter((cell) => /^[ \u00a0]\S/.test(cell)).length;
  const evenness = width > 1 ? share + (head.length === width ? 1 : 0) : 0;
  return { delimiter, width, score: [evenness, -spaced, head.filter(isKnownHeading).length, head.length] };
};

const compareScores = (one: readonly number[], other: readonly number[]): number => {
  const at = one.findIndex((number, index) => number !== other[index]);
  return at < 0 ? 0 : other[at]! - one[at]!;
};

/** A title is a first row of one cell, above rows of which most have several. A known heading is a title only if the row below it has known headings too. */
const findTitle = (rows: readonly CsvRow[]): CsvLayout['title'] => {
  let next = 1;
  const numbered = rows.map((row) => {
    const line = next;
    next += countLines(row.text);
    return { line, named: countNamed(row), isHead: row.cells.some(isKnownHeading) };
  });
  const [first, ...others] = numbered.filter(({ named }) => named > 0);
  if (first?.named !== 1) return undefined;
  const several = others.filter(({ named }) => named > 1);
  const isTitle = several.length > others.length / 2 && (!first.isHead || several[0]!.isHead);
  return isTitle ? { line: first.line, head: several[0]!.line } : undefined;
};

const newlines = /\r\n|\n|\r/g;
/** The lines of a text that ends with one. */
export const countLines = (text: string): number => text.match(newlines)?.length ?? 0;

/** Detects the layout of a file. A named delimiter decides, then that of a line `sep=;`. */
export const detectLayout = async (pieces: AsyncIterable<string>, named?: string): Promise<CsvLayout> => {
  const start = await readStart(pieces);
  const [separator, inFile] = separatorLine.exec(start.text) ?? [];
  const bare = removeQuotedText(start.text.slice(separator?.length ?? 0));
  const newline = bare.includes('\n') || !bare.includes('\r') ? '\n' : '\r';
  const rest =
    separator === undefined
      ? start
      : { ...start, text: start.text.slice(start.text.indexOf(newline, separator.length) + 1) };
  const given = named ?? inFile;
  const tried = (given === undefined ? marks : [given]).map((mark) => tryMark(mark, newline, rest));
  const { delimiter, width } = tried.sort((one, other) => compareScores(one.score, other.score))[0]!;
  const shape = { delimiter, newline, width } as const;
  return {
    ...shape,
    lineEnd: /\r\n|\n|\r/.exec(bare)?.[0] ?? '\n',
    namesSeparator: separator !== undefined,
    title: separator === undefined ? findTitle(splitFirstRows(start, shape, maxRows)) : undefined,
  };
};
