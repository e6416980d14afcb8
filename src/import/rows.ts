// Reads a CSV or NDJSON file row by row, compressed or not, and computes the fingerprint of a file.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { limits } from '../limits/limits.ts';
import { type Fault, Problem } from '../problem.ts';
import type { ValueMap } from './columns.ts';
import { splitCsvRows } from './csv-rows.ts';
import { countLines, detectLayout } from './csv-separators.ts';
import { decodeChunks, detectEncoding, type Encoded, type EncodingName, guessEncodingName } from './encoding.ts';
import { FileError } from './file-error.ts';
import { recognizeColumns } from './headings.ts';

/** A file by its path, or one whose content is elsewhere. */
export type ImportedFile = string | { name: string; read(): AsyncIterable<Buffer> };

export interface FileOptions extends Encoded {
  format: 'csv' | 'ndjson';
  /** Maps columns of the file to known names. Other columns are ignored. Without a map all columns must be known. */
  map?: Record<string, string> | undefined;
  /** The values that replace those of the file. */
  values?: ValueMap | undefined;
  /** The separator of cells; undefined to detect it. */
  delimiter?: string | undefined;
  /** The line of the names of columns; undefined for the first that is not blank. */
  headerLine?: number | undefined;
  /** Whether a cell with a fault is left out, rather than its row. */
  skipCells?: boolean | undefined;
  /** Whether columns of contacts that are unknown are ignored, rather than refused, when there is no map. */
  ignoresUnknown?: boolean | undefined;
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
  /** The parts left out of a row that is written, by the columns of the file. */
  remarks?: Fault[];
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
  /** The place within the head where the names of the columns begin. */
  namesAt: number;
  /** The separator of cells, as soon as it is known. */
  delimiter?: string;
  /** Whether the map is told also when it names each column as it is named already. */
  tellsMap?: boolean;
  /** Cells that were read otherwise than they are written, by kind. */
  counts: Map<string, number>;
  /** Reports something unusual in the file that is no fault. */
  note(text: string): void;
}

export const createProgress = (note: Progress['note']): Progress => ({
  bytes: 0,
  blank: 0,
  head: '',
  namesAt: 0,
  counts: new Map(),
  note,
});

const readChunks = (file: ImportedFile, progress?: Progress): Readable => {
  const isPath = typeof file === 'string';
  const raw = isPath ? createReadStream(file) : Readable.from(file.read(), { objectMode: false });
  raw.on('data', (chunk: Buffer) => {
    if (progress) progress.bytes += chunk.length;
  });
  // The last stream of the pipeline reports the errors of all of them.
  const content = isPath && file.endsWith('.gz') ? pipeline(raw, createGunzip(), () => {}) : raw;
  return content.on('error', () => {});
};
const readText = (file: ImportedFile, { encoding }: Encoded, progress?: Progress): AsyncGenerator<string> =>
  decodeChunks(readChunks(file, progress), encoding);

const { rowCharacters } = limits.value;
const rowTooLong = `its next row is longer than ${rowCharacters} characters; perhaps its lines end otherwise`;

const reasons: Record<string, string> = {
  Z_BUF_ERROR: 'its compressed content is incomplete',
  Z_DATA_ERROR: 'its compressed content is damaged',
  EISDIR: 'it is a folder',
  ENOENT: 'it does not exist',
  EACCES: 'you have no permission to read it',
};

/** Creates an error for a failed read that names the file. `rows` were read before. */
const createReadError = (file: ImportedFile, error: unknown, rows = 0): Error => {
  if (error instanceof Problem) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  const reason = reasons[code] ?? (code.startsWith('Z_') ? reasons.Z_DATA_ERROR : message);
  const where = rows > 0 ? ` after row ${rows}` : '';
  const name = typeof file === 'string' ? file : file.name;
  return new FileError(`${name} cannot be read${where}: ${reason}`, { cause: error });
};

/** Throws at a line that is longer than a row may be. */
async function* refuseLongLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const isEnd = (byte: number): boolean => byte === 0x0a || byte === 0x0d;
  let length = 0;
  for await (const chunk of chunks) {
    const first = chunk.findIndex(isEnd);
    if (length + (first < 0 ? chunk.length : first) > rowCharacters) throw new Error(rowTooLong);
    const last = Math.max(chunk.lastIndexOf(0x0a), chunk.lastIndexOf(0x0d));
    length = first < 0 ? length + chunk.length : chunk.length - last - 1;
    yield chunk;
  }
}

/**
 * Detects the encoding of a file. It reads the whole file, so that no row is written of a file in another encoding, or with a line that
 * cannot be read.
 */
export const readFileEncoding = async (file: ImportedFile, name: EncodingName): Promise<Encoded> => {
  try {
    return await detectEncoding(refuseLongLines(readChunks(file)), name);
  } catch (error) {
    throw createReadError(file, error);
  }
};

/** Finds how a CSV file is built, as far as nobody says so. A title above the head is skipped. */
export const guessFileOptions = async (
  file: ImportedFile,
  given: { encoding?: EncodingName | undefined; delimiter?: string | undefined; headerLine?: number | undefined },
): Promise<FileOptions> => {
  const name = given.encoding ?? (await guessEncodingName(readChunks(file)));
  const encoded = await readFileEncoding(file, name);
  const { delimiter, title } = await detectLayout(readText(file, encoded), given.delimiter);
  return { format: 'csv', ...encoded, delimiter, headerLine: given.headerLine ?? title?.head };
};

/** A raw row: its values by column, or a fault of the whole row. */
export interface RawRow extends Pick<Row<never>, 'line' | 'text'> {
  fields: RowFields;
  fault?: string;
}

/** Reads the raw rows of a file without blank ones. */
export async function* readFileRows(
  file: ImportedFile,
  options: FileOptions,
  progress: Progress,
): AsyncGenerator<RawRow> {
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

/** The names of the columns. A column without a name is ignored. */
const readColumnNames = (head: readonly string[], { map }: FileOptions, progress: Progress): string[] => {
  const names = head.map((name) => name.trim());
  const { columns, source } = recognizeColumns(names, []);
  const isRead = (name: string): boolean =>
    map ? (map[name] ?? '-') !== '-' : source === undefined || columns.some(({ column }) => column === name);
  const seen = new Set<string>();
  const twice = names.find((name) => {
    const isSecond = seen.has(name);
    seen.add(name);
    return isSecond && name !== '' && isRead(name);
  });
  if (twice !== undefined) throw new Error(`it has two columns named ${twice}: rename one of them`);
  const nameless = names.flatMap((name, index) => (name === '' ? [index + 1] : []));
  if (nameless.length > 0) progress.note(`ignored columns without a name: column ${nameless.join(', ')}`);
  return names;
};

/** Reads the rows below the head of a CSV file. */
async function* readTable(file: ImportedFile, options: FileOptions, progress: Progress): AsyncGenerator<RawRow> {
  const { headerLine } = options;
  const layout = await detectLayout(readText(file, options), options.delimiter);
  const { delimiter, lineEnd, title } = layout;
  progress.delimiter = delimiter;
  if (title && headerLine === undefined)
    throw new Error(
      `line ${title.line} looks like a title: it has one cell, and most rows below it have several. --header-line ${title.head} says that the names of columns are there`,
    );
  let names: string[] | undefined;
  let line = 1;
  const most = { characters: rowCharacters, message: rowTooLong };
  for await (const { cells, text: raw, fault } of splitCsvRows(readText(file, options, progress), layout, most)) {
    const text = raw.endsWith(layout.newline) ? raw : raw + lineEnd;
    const first = line;
    line += raw.includes('"') ? countLines(text) : 1;
    if (!names && (first < (headerLine ?? 1) || (first === 1 && layout.namesSeparator))) progress.head += text;
    else if (cells.every((cell) => cell.trim() === '')) {
      if (names) progress.blank++;
    } else if (!names) {
      if (fault !== undefined) throw new Error(`its head ${fault}`);
      names = readColumnNames(cells, options, progress);
      progress.namesAt = progress.head.length;
      progress.head += text;
    } else {
      // A column may be called `__proto__`.
      const fields: RowFields = Object.create(null);
      for (const [index, name] of names.entries()) if (name !== '') fields[name] = cells[index] ?? '';
      const isLong = cells.length > names.length && cells.slice(names.length).some((cell) => cell.trim() !== '');
      const long = isLong ? `has ${cells.length} cells, but the head has ${names.length}` : undefined;
      const bad = fault ?? long;
      yield { line: first, text, fields, ...(bad !== undefined && { fault: bad }) };
    }
  }
  if (!names && headerLine !== undefined) throw new Error(`it has no names of columns from line ${headerLine} on`);
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
