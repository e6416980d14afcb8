// Reads a file row by row, as they stand in it: CSV or NDJSON, compressed or not; and tells a file from any other.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { parse } from 'csv-parse';
import { unmarkFormulaText } from '../csv/formula.ts';
import type { Fault } from '../problem.ts';
import type { Put } from './columns.ts';
import { decodeChunks, detectEncoding, type Encoded, type EncodingName } from './encoding.ts';

export interface FileOptions extends Encoded {
  format: 'csv' | 'ndjson';
  /** Column of the file → name that it is known by. Columns that are not in it are left out; without it all must be known. */
  map?: Record<string, string> | undefined;
}

/** A row of the file: a record, or what is wrong with it. */
export interface Row<Record> {
  /** Counted from 1, without the head and blank rows: an import knows its batches by it. */
  row: number;
  /** The line of the file that it begins on. */
  line: number;
  /** As it stands in the file. */
  text: string;
  record?: Record;
  /** The id that it has in the file. */
  key?: string | null;
  /** Their locations are columns of the file. */
  faults: Fault[];
  /** Puts a fault that was found later at the column of the file that it is of. */
  inFile: (fault: Fault) => Fault;
}

export type RowFields = Record<string, unknown>;

/** What is known of a file so far, while it is read. */
export interface Progress {
  /** Bytes read. */
  bytes: number;
  /** Blank rows passed over. */
  blank: number;
  /** The text of the head; empty before it was read, and where there is none. */
  head: string;
  /** Tells of what is unusual in the file, but no fault. */
  note(text: string): void;
}

const chunksOf = (file: string, progress?: Progress): Readable => {
  const raw = createReadStream(file);
  raw.on('data', (chunk) => {
    if (progress) progress.bytes += chunk.length;
  });
  // Whoever reads the last of them is told what went wrong in any.
  const content = file.endsWith('.gz') ? pipeline(raw, createGunzip(), () => {}) : raw;
  return content.on('error', () => {});
};
const textOf = (file: string, { encoding }: Encoded, progress?: Progress): AsyncGenerator<string> =>
  decodeChunks(chunksOf(file, progress), encoding);

const reasons: Record<string, string> = {
  Z_BUF_ERROR: 'its compressed content is cut off',
  Z_DATA_ERROR: 'its compressed content is damaged',
  EISDIR: 'it is a folder',
  ENOENT: 'it is not there',
  EACCES: 'it may not be read',
};

/** A failure to read a file in words that name it. `rows` were read before. */
const unreadable = (file: string, error: unknown, rows = 0): Error => {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const reason = reasons[code] ?? (code.startsWith('Z_') ? reasons.Z_DATA_ERROR : message);
  const where = rows > 0 ? ` beyond row ${rows}` : '';
  return new Error(`${file} cannot be read${where}: ${reason}`, { cause: error });
};

/** What a file is encoded in. Reads all of it, so that nothing is written of one that turns out to be something else. */
export const readFileEncoding = async (file: string, name: EncodingName): Promise<Encoded> => {
  try {
    return await detectEncoding(chunksOf(file), name);
  } catch (error) {
    throw unreadable(file, error);
  }
};

/** What stands between columns and between rows. */
interface Marks {
  delimiter: string;
  newline: string;
}

/** In characters: a head that is longer is taken for one without an end. */
const longestHead = 1_000_000;

/** Between columns stands the one of four characters that the head has most of, outside quotes; between rows what ends the head. */
const marksOf = async (text: AsyncIterable<string>): Promise<Marks> => {
  let start = '';
  for await (const piece of text) {
    start += piece;
    // A newline at the very end may be the first half of one.
    if (/[^\s;,|][^\r\n]*(\r\n|\n|\r.)/.test(bare(start)) || start.length > longestHead) break;
  }
  const [, head = '', newline = '\n'] = /^[\s;,|]*([^\r\n]*)(\r\n|\n|\r)?/.exec(bare(start)) ?? [];
  const counts = [',', ';', '\t', '|'].map((mark) => [mark, head.split(mark).length] as const);
  return { delimiter: counts.sort(([, one], [, other]) => other - one)[0]![0], newline };
};
/** Without what is quoted; of a quote that is not closed yet nothing is known. */
const bare = (text: string): string => text.replace(/"[^"]*("|$)/g, 'q');

/** A row as it stands in the file: by the names of its columns, or with what is wrong with it as a whole. */
export interface RawRow extends Pick<Row<never>, 'line' | 'text'> {
  fields: RowFields;
  fault?: string;
}

/** The rows as they stand in the file, but for blank ones. */
export async function* readFileRows(file: string, options: FileOptions, progress: Progress): AsyncGenerator<RawRow> {
  let rows = 0;
  try {
    for await (const row of options.format === 'csv'
      ? table(file, options, progress)
      : objects(textOf(file, options, progress), progress)) {
      yield row;
      rows++;
    }
  } catch (error) {
    throw unreadable(file, error, rows);
  }
}

const newlines = /\r\n|\n|\r/g;

/** The rows of a parser, each with the line that it begins on, and its text. */
async function* cells(file: string, options: FileOptions, progress: Progress) {
  const { delimiter, newline } = await marksOf(textOf(file, options));
  let line = 1;
  const rows = pipeline(
    Readable.from(textOf(file, options, progress)),
    parse({ delimiter, record_delimiter: newline, relax_column_count: true, raw: true }),
    () => {},
  );
  for await (const { record, raw } of rows as AsyncIterable<{ record: string[]; raw: string }>) {
    // Of a newline of two characters the parser keeps the first; the last row may have none.
    const content = raw.endsWith(newline[0]!) ? raw.slice(0, raw.lastIndexOf(newline[0]!)) : raw;
    yield { record, line, text: content + newline, isBlank: record.every((cell) => cell.trim() === '') };
    line += (content.match(newlines)?.length ?? 0) + 1;
  }
}

/** The names of columns. Those without one can be named by nobody. */
const namesOf = (head: readonly string[], { map }: FileOptions, progress: Progress): string[] => {
  const names = head.map((name) => name.trim());
  const twice = names.find(
    (name, index) => name !== '' && names.indexOf(name) !== index && (!map || (map[name] ?? '-') !== '-'),
  );
  if (twice !== undefined) throw new Error(`it has two columns that are called ${twice}: rename one of them`);
  const nameless = names.flatMap((name, index) => (name === '' ? [index + 1] : []));
  if (nameless.length > 0) progress.note(`passed over, since it has no head: column ${nameless.join(', ')}`);
  return names;
};

async function* table(file: string, options: FileOptions, progress: Progress): AsyncGenerator<RawRow> {
  let names: string[] | undefined;
  for await (const { record, line, text, isBlank } of cells(file, options, progress)) {
    if (isBlank) {
      if (names) progress.blank++;
    } else if (!names) {
      names = namesOf(record, options, progress);
      progress.head = text;
    } else {
      const named = names.flatMap((name, index) => (name === '' ? [] : [[name, record[index] ?? '']]));
      const isLong = record.slice(names.length).some((cell) => cell.trim() !== '');
      const fault = `has ${record.length} cells, but the head has ${names.length}`;
      yield { line, text, fields: Object.fromEntries(named), ...(isLong && { fault }) };
    }
  }
}

/** Lines end with a line feed alone: other ends of lines may stand in JSON as they are. */
async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of text) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest !== '') yield rest;
}

async function* objects(content: AsyncIterable<string>, progress: Progress): AsyncGenerator<RawRow> {
  let line = 0;
  for await (const one of linesOf(content)) {
    line++;
    if (one.trim() === '') {
      progress.blank++;
      continue;
    }
    const row = { line, text: `${one}\n`, fields: {} };
    try {
      const value: unknown = JSON.parse(one);
      const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
      yield isObject ? { ...row, fields: value as RowFields } : { ...row, fault: 'must be a JSON object' };
    } catch {
      yield { ...row, fault: 'must be JSON' };
    }
  }
}

/** Holds the columns of a file to those that are known, and to the map. Throws for others, in words that say what to do. */
export const checkKnownColumns = (
  columns: string[],
  { map }: FileOptions,
  { whose, isKnown, example }: { whose: string; isKnown: (column: string) => boolean; example: string },
): void => {
  const unknown = columns.filter((column) => !map && !isKnown(column));
  if (unknown.length > 0)
    throw new Error(
      `Columns that no ${whose} has: ${unknown.join(', ')}. Say what they are with --map, such as --map "${unknown[0]}=${example}", or leave them out with --map "${unknown[0]}=-"`,
    );
  const missing = Object.keys(map ?? {}).filter((column) => !columns.includes(column));
  if (missing.length > 0)
    throw new Error(`--map names columns that the file lacks: ${missing.join(', ')}. It has ${columns.join(', ')}`);
};

/** Where the values of a row stand in its record, each with the column of the file that they are from. */
export type Places = Map<string, string>;

/** What is done with the cells of a row: each that says something is put into the record, or told as a fault. */
export const createRowReader =
  (puts: readonly (readonly [column: string, put: Put])[]) =>
  (row: RowFields, faults: Fault[], places: Places): RowFields => {
    const record: RowFields = {};
    for (const [column, put] of puts) {
      const text = row[column];
      // An empty cell says nothing.
      if (typeof text !== 'string' || text.trim() === '') continue;
      try {
        const place = put(record, unmarkFormulaText(text));
        if (place !== undefined) places.set(place, column);
      } catch (error) {
        faults.push({ location: column, message: (error as Error).message, value: text });
      }
    }
    return record;
  };

/**
 * Puts a fault of a record at the column of its file, with the value that stands there. `otherwise` is the column that may be meant
 * by a place where none was put.
 */
export const createFaultLocator =
  (fields: RowFields, places: Places, otherwise: (place: string) => string | undefined = () => undefined) =>
  (fault: Fault): Fault => {
    const place = fault.location.replace(/^\./, '').replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    let known = place;
    while (known !== '' && !places.has(known)) known = known.replace(/(^|\.|\[)[^.[]*$/, '');
    const column = places.get(known) ?? otherwise(place);
    if (column === undefined) return { ...fault, location: place || wholeRow };
    const within = known === '' ? '' : place.slice(known.length);
    if (within.startsWith('[')) return { ...fault, location: column + within };
    const { [column]: value = fault.value } = fields;
    return { ...fault, location: column, value };
  };
/** Where a fault is that is of no single column. */
export const wholeRow = 'row';

/** What a file is known by: its content, and all that decides how it is read. */
export const computeFileFingerprint = async (
  file: string,
  how: unknown,
): Promise<{ fingerprint: Buffer; size: number }> => {
  const hash = createHash('sha256').update(JSON.stringify(how));
  const handle = await open(file).catch((error) => {
    throw unreadable(file, error);
  });
  try {
    for await (const chunk of handle.createReadStream({ autoClose: false })) hash.update(chunk);
    return { fingerprint: hash.digest(), size: (await handle.stat()).size };
  } catch (error) {
    throw unreadable(file, error);
  } finally {
    await handle.close();
  }
};
