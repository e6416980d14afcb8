// Reads a file row by row, as they stand in it: CSV or NDJSON, compressed or not; and tells a file from any other.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { parse } from 'csv-parse';
import type { Fault } from '../problem.ts';
import { unmarked } from '../rest/formula.ts';
import type { Put } from './columns.ts';

export interface FileOptions {
  format: 'csv' | 'ndjson';
  encoding: 'utf8' | 'latin1';
  /** Column of the file → name that it is known by. Columns that are not in it are left out; without it all must be known. */
  map?: Record<string, string> | undefined;
}

/** A row of the file, counted from 1 (a head does not count): a record, or what is wrong with it. */
export interface Row<Record> {
  row: number;
  record?: Record;
  /** The id that it has in the file. */
  key?: string | null;
  faults: Fault[];
}

export type Fields = Record<string, unknown>;

/** Bytes of the file that were read so far. */
export interface Progress {
  bytes: number;
}

const contentOf = (file: string, { encoding }: FileOptions, progress: Progress): Readable => {
  const raw = createReadStream(file);
  raw.on('data', (chunk) => {
    progress.bytes += chunk.length;
  });
  // Whoever reads the last of them is told what went wrong in any.
  const content = file.endsWith('.gz') ? pipeline(raw, createGunzip(), () => {}) : raw;
  return content.on('error', () => {}).setEncoding(encoding);
};

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

/** The character between the columns: the one of these that the head has most of. */
const delimiterOf = async (file: string, options: FileOptions): Promise<string> => {
  const content = contentOf(file, options, { bytes: 0 });
  try {
    for await (const line of createInterface({ input: content })) {
      const counts = [',', ';', '\t', '|'].map((mark) => [mark, line.split(mark).length] as const);
      return counts.sort(([, one], [, other]) => other - one)[0]![0];
    }
    return ',';
  } finally {
    content.destroy();
  }
};

/** The rows as they stand in the file: by the name of the column. */
export async function* rowsOf(file: string, options: FileOptions, progress: Progress): AsyncGenerator<Fields | Error> {
  let rows = 0;
  try {
    for await (const row of rowsIn(file, options, progress)) {
      yield row;
      rows++;
    }
  } catch (error) {
    throw unreadable(file, error, rows);
  }
}

async function* rowsIn(file: string, options: FileOptions, progress: Progress): AsyncGenerator<Fields | Error> {
  if (options.format === 'csv') {
    const delimiter = await delimiterOf(file, options);
    yield* pipeline(
      contentOf(file, options, progress),
      parse({ bom: true, columns: true, delimiter, skip_empty_lines: true, relax_column_count: true }),
      () => {},
    );
    return;
  }
  for await (const line of createInterface({ input: contentOf(file, options, progress), crlfDelay: Infinity })) {
    if (line.trim() === '') continue;
    try {
      const value: unknown = JSON.parse(line);
      yield typeof value === 'object' && value !== null && !Array.isArray(value)
        ? (value as Fields)
        : new Error('must be a JSON object');
    } catch {
      yield new Error('must be JSON');
    }
  }
}

/** Holds the columns of a file to those that are known, and to the map. Throws for others, in words that say what to do. */
export const checkColumns = (
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

/** What is done with the cells of a row: each that says something is put into the record, or told as a fault. */
export const cellsBy =
  (puts: readonly (readonly [column: string, put: Put])[]) =>
  (row: Fields, faults: Fault[]): Fields => {
    const record: Fields = {};
    for (const [column, put] of puts) {
      const text = row[column];
      // An empty cell says nothing.
      if (typeof text !== 'string' || text.trim() === '') continue;
      try {
        put(record, unmarked(text));
      } catch (error) {
        faults.push({ location: column, message: (error as Error).message, value: text });
      }
    }
    return record;
  };

/** What a file is known by: its content, and all that decides how it is read. */
export const fingerprintOf = async (file: string, how: unknown): Promise<{ fingerprint: Buffer; size: number }> => {
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
