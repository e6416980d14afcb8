// Reads a CSV or NDJSON file row by row, compressed or not, and computes the fingerprint of a file.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { parse } from 'csv-parse';
import { limits } from '../limits/limits.ts';
import type { Fault } from '../problem.ts';
import type { CellWriter } from './columns.ts';
import { detectSeparators } from './csv-separators.ts';
import { unmarkFormulaText } from './csv-table.ts';
import { decodeChunks, detectEncoding, type Encoded, type EncodingName } from './encoding.ts';

export interface FileOptions extends Encoded {
  format: 'csv' | 'ndjson';
  /** Maps columns of the file to known names. Other columns are ignored. Without a map all columns must be known. */
  map?: Record<string, string> | undefined;
}

/** A row of the file: a record, or its faults. */
export interface Row<Record> {
  /** Counted from 1, without the head and blank rows. An import identifies its batches by it. */
  row: number;
  /** The first line of the row in the file. */
  line: number;
  /** The unchanged text of the row. */
  text: string;
  record?: Record;
  /** Its id in the file. */
  key?: string | null;
  /** Their locations are columns of the file. */
  faults: Fault[];
  /** Moves a later fault to its column of the file. */
  inFile: (fault: Fault) => Fault;
}

export type RowFields = Record<string, unknown>;

/** The progress of reading a file. */
export interface Progress {
  /** Bytes read. */
  bytes: number;
  /** Blank rows that were skipped. */
  blank: number;
  /** The text of the head. It is empty before the head is read, and for files without one. */
  head: string;
  /** Reports something unusual in the file that is no fault. */
  note(text: string): void;
}

const readChunks = (file: string, progress?: Progress): Readable => {
  const raw = createReadStream(file);
  raw.on('data', (chunk) => {
    if (progress) progress.bytes += chunk.length;
  });
  // The last stream of the pipeline reports the errors of all of them.
  const content = file.endsWith('.gz') ? pipeline(raw, createGunzip(), () => {}) : raw;
  return content.on('error', () => {});
};
const readText = (file: string, { encoding }: Encoded, progress?: Progress): AsyncGenerator<string> =>
  decodeChunks(readChunks(file, progress), encoding);

const { rowCharacters } = limits.value;
const rowTooLong = `its next row is longer than ${rowCharacters} characters; perhaps a quote is not closed, or its lines end otherwise`;

const reasons: Record<string, string> = {
  Z_BUF_ERROR: 'its compressed content is incomplete',
  Z_DATA_ERROR: 'its compressed content is damaged',
  EISDIR: 'it is a folder',
  ENOENT: 'it does not exist',
  EACCES: 'you have no permission to read it',
  CSV_MAX_RECORD_SIZE: rowTooLong,
};

/** Creates an error for a failed read that names the file. `rows` were read before. */
const createReadError = (file: string, error: unknown, rows = 0): Error => {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const reason = reasons[code] ?? (code.startsWith('Z_') ? reasons.Z_DATA_ERROR : message);
  const where = rows > 0 ? ` after row ${rows}` : '';
  return new Error(`${file} cannot be read${where}: ${reason}`, { cause: error });
};

/** Detects the encoding of a file. It reads the whole file, so that no row of a file in another encoding is written. */
export const readFileEncoding = async (file: string, name: EncodingName): Promise<Encoded> => {
  try {
    return await detectEncoding(readChunks(file), name);
  } catch (error) {
    throw createReadError(file, error);
  }
};

/** A raw row: its values by column, or a fault of the whole row. */
export interface RawRow extends Pick<Row<never>, 'line' | 'text'> {
  fields: RowFields;
  fault?: string;
}

/** Reads the raw rows of a file without blank ones. */
export async function* readFileRows(file: string, options: FileOptions, progress: Progress): AsyncGenerator<RawRow> {
  let rows = 0;
  try {
    for await (const row of options.format === 'csv'
      ? readTable(file, options, progress)
      : readObjects(readText(file, options, progress), progress)) {
      yield row;
      rows++;
    }
  } catch (error) {
    throw createReadError(file, error, rows);
  }
}

const newlines = /\r\n|\n|\r/g;

/** Parses CSV rows, each with its first line and its text. */
async function* parseCsv(file: string, options: FileOptions, progress: Progress) {
  const { delimiter, newline } = await detectSeparators(readText(file, options));
  let line = 1;
  const rows = pipeline(
    Readable.from(readText(file, options, progress)),
    parse({
      delimiter,
      record_delimiter: newline,
      relax_column_count: true,
      raw: true,
      max_record_size: rowCharacters,
    }),
    () => {},
  );
  for await (const { record, raw } of rows as AsyncIterable<{ record: string[]; raw: string }>) {
    // The parser keeps the first of two newline characters. The last row may have no newline.
    const content = raw.endsWith(newline[0]!) ? raw.slice(0, raw.lastIndexOf(newline[0]!)) : raw;
    yield { record, line, text: content + newline, isBlank: record.every((cell) => cell.trim() === '') };
    line += (content.match(newlines)?.length ?? 0) + 1;
  }
}

/** The names of the columns. A column without a name is ignored. */
const readColumnNames = (head: readonly string[], { map }: FileOptions, progress: Progress): string[] => {
  const names = head.map((name) => name.trim());
  const seen = new Set<string>();
  const twice = names.find((name) => {
    const isSecond = seen.has(name);
    seen.add(name);
    return isSecond && name !== '' && (!map || (map[name] ?? '-') !== '-');
  });
  if (twice !== undefined) throw new Error(`it has two columns named ${twice}: rename one of them`);
  const nameless = names.flatMap((name, index) => (name === '' ? [index + 1] : []));
  if (nameless.length > 0) progress.note(`ignored columns without a name: column ${nameless.join(', ')}`);
  return names;
};

async function* readTable(file: string, options: FileOptions, progress: Progress): AsyncGenerator<RawRow> {
  let names: string[] | undefined;
  for await (const { record, line, text, isBlank } of parseCsv(file, options, progress)) {
    if (isBlank) {
      if (names) progress.blank++;
    } else if (!names) {
      names = readColumnNames(record, options, progress);
      progress.head = text;
    } else {
      const named = names.flatMap((name, index) => (name === '' ? [] : [[name, record[index] ?? '']]));
      const isLong = record.slice(names.length).some((cell) => cell.trim() !== '');
      const fault = `has ${record.length} cells, but the head has ${names.length}`;
      yield { line, text, fields: Object.fromEntries(named), ...(isLong && { fault }) };
    }
  }
}

/** Splits text at line feeds only: JSON may contain other newlines unescaped. */
async function* splitLines(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of text) {
    const [first = '', ...others] = piece.split('\n');
    rest += first;
    if (rest.length > rowCharacters) throw new Error(rowTooLong);
    const last = others.pop();
    if (last === undefined) continue;
    yield rest;
    yield* others;
    rest = last;
  }
  if (rest !== '') yield rest;
}

async function* readObjects(content: AsyncIterable<string>, progress: Progress): AsyncGenerator<RawRow> {
  let line = 0;
  for await (const one of splitLines(content)) {
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

/** Throws for columns that are unknown, and for columns of the map that the file lacks. The error says what to do. */
export const checkKnownColumns = (
  columns: string[],
  { map }: FileOptions,
  { noun, isKnown, example }: { noun: string; isKnown: (column: string) => boolean; example: string },
): void => {
  const unknown = columns.filter((column) => !map && !isKnown(column));
  if (unknown.length > 0)
    throw new Error(
      `Unknown columns for a ${noun}: ${unknown.join(', ')}. Name them with --map, such as --map "${unknown[0]}=${example}", or ignore them with --map "${unknown[0]}=-"`,
    );
  const missing = Object.keys(map ?? {}).filter((column) => !columns.includes(column));
  if (missing.length > 0)
    throw new Error(`--map names columns that the file lacks: ${missing.join(', ')}. It has ${columns.join(', ')}`);
};

/** The column of the file for each path in a record. */
export type Places = Map<string, string>;

/** Creates the reader of CSV rows. Each cell that is not empty becomes a value of the record or a fault. */
export const createRowReader =
  (writers: readonly (readonly [column: string, write: CellWriter])[]) =>
  (row: RowFields, faults: Fault[], places: Places): RowFields => {
    const record: RowFields = {};
    for (const [column, write] of writers) {
      const text = row[column];
      if (typeof text !== 'string' || text.trim() === '') continue;
      try {
        const place = write(record, unmarkFormulaText(text));
        if (place !== undefined) places.set(place, column);
      } catch (error) {
        faults.push({ location: column, message: (error as Error).message, value: text });
      }
    }
    return record;
  };

/**
 * Moves a fault of a record to its column of the file, with the value of that cell. `otherwise` finds the column of a path that no cell
 * has written.
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
/** The location of a fault of the whole row. */
export const wholeRow = 'row';

/** Computes the fingerprint of a file: of its content and of all options that decide how it is read. */
export const computeFileFingerprint = async (
  file: string,
  options: unknown,
): Promise<{ fingerprint: Buffer; size: number }> => {
  const hash = createHash('sha256').update(JSON.stringify(options));
  const handle = await open(file).catch((error) => {
    throw createReadError(file, error);
  });
  try {
    for await (const chunk of handle.createReadStream({ autoClose: false })) hash.update(chunk);
    return { fingerprint: hash.digest(), size: (await handle.stat()).size };
  } catch (error) {
    throw createReadError(file, error);
  } finally {
    await handle.close();
  }
};
