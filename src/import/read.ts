// Reads a file row by row, and makes of each row the record that an upsert takes, or the list of its faults.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { parse } from 'csv-parse';
import type { GraphQLInputType } from 'graphql';
import { UpsertContactInput, upsertOf } from '../../schema/contact-input.ts';
import { schema } from '../../schema/index.ts';
import type { UpsertWrite } from '../data/contact-upsert.ts';
import type { FormKind } from '../data/form.ts';
import type { Fault } from '../problem.ts';
import { read } from '../rest/wire.ts';
import { type ColumnOptions, knownColumns, listOf, putterOf } from './columns.ts';

export interface ReadOptions extends ColumnOptions {
  format: 'csv' | 'ndjson';
  encoding: 'utf8' | 'latin1';
  /** Column of the file → name that a contact knows it by. Columns that are not in it are left out; without it all must be known. */
  map?: Record<string, string> | undefined;
}

/** A row of the file, counted from 1 (a head does not count): a record, or what is wrong with it. */
export interface Row {
  row: number;
  record?: UpsertWrite;
  faults: Fault[];
}

type Fields = Record<string, unknown>;

/** Bytes of the file that were read so far. */
export interface Progress {
  bytes: number;
}

const contentOf = (file: string, { encoding }: ReadOptions, progress: Progress): Readable => {
  const raw = createReadStream(file);
  raw.on('data', (chunk) => {
    progress.bytes += chunk.length;
  });
  const content = file.endsWith('.gz') ? raw.pipe(createGunzip()) : raw;
  raw.on('error', (error) => content.destroy(error));
  return content.setEncoding(encoding);
};

/** The character between the columns: the one of these that the head has most of. */
const delimiterOf = async (file: string, options: ReadOptions): Promise<string> => {
  for await (const line of createInterface({ input: contentOf(file, options, { bytes: 0 }) })) {
    const counts = [',', ';', '\t', '|'].map((mark) => [mark, line.split(mark).length] as const);
    return counts.sort(([, one], [, other]) => other - one)[0]![0];
  }
  return ',';
};

/** The rows as they stand in the file: by the name of the column. */
async function* rowsOf(file: string, options: ReadOptions, progress: Progress): AsyncGenerator<Fields | Error> {
  if (options.format === 'csv') {
    const delimiter = await delimiterOf(file, options);
    const parser = contentOf(file, options, progress).pipe(
      parse({ bom: true, columns: true, delimiter, skip_empty_lines: true, relax_column_count: true }),
    );
    yield* parser;
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

/** An export marks as text what a spreadsheet would take for a formula. */
const unmarked = (text: string): string => (/^'[=+\-@\t\r]/.test(text) ? text.slice(1) : text);

interface ExportedAnswer {
  form?: { kind: FormKind; label: string };
  refvalue?: { label: string; value?: string };
  data?: string;
  date?: string;
}

/** Answers as an export has them name their form and its value by their labels: so they mean the same in any space. */
const namedAnswers = (record: Fields): Fields => {
  const { formdatas, custom_fields, ...rest } = record;
  const result: Fields = { ...rest };
  const stay: Record<string, unknown[]> = { formdatas: [], custom_fields: [] };
  for (const [name, list] of Object.entries({ formdatas, custom_fields })) {
    if (!Array.isArray(list)) {
      if (list !== undefined) result[name] = list;
      continue;
    }
    for (const answer of list as ExportedAnswer[]) {
      if (!answer?.form?.label || !answer.refvalue) {
        stay[name]!.push(answer);
        continue;
      }
      const { form, refvalue, data, date } = answer;
      const target = listOf[form.kind] ?? 'forms';
      const value = refvalue.value ?? data ?? '';
      result[target] = [...((result[target] as unknown[] | undefined) ?? []), { label: form.label, value, date }];
    }
    if (stay[name]!.length > 0) result[name] = [...((result[name] as unknown[] | undefined) ?? []), ...stay[name]!];
  }
  return result;
};

type Cells = (row: Fields, faults: Fault[]) => Fields;

/** Makes of the cells of a row the fields of a record. Throws for columns that nobody knows. */
const cellsBy = (columns: string[], options: ReadOptions): Cells => {
  const { map } = options;
  const unknown = columns.filter((column) => !map && !knownColumns.includes(column) && !column.startsWith('form:'));
  if (unknown.length > 0)
    throw new Error(
      `Columns that no contact has: ${unknown.join(', ')}. Say what they are with --map, such as --map "${unknown[0]}=surname", or leave them out with --map "${unknown[0]}=-"`,
    );
  const missing = Object.keys(map ?? {}).filter((column) => !columns.includes(column));
  if (missing.length > 0)
    throw new Error(`--map names columns that the file lacks: ${missing.join(', ')}. It has ${columns.join(', ')}`);
  const puts = columns.map((column) => [column, putterOf(map ? (map[column] ?? '-') : column, options)] as const);
  return (row, faults) => {
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
};

const idFields = ['id', 'user_contact_id', 'action_ids', 'actions_ids'];

/** NDJSON has the fields of an export by themselves; the map says of others what they are, as of columns. */
const fieldsBy = (options: ReadOptions): Cells => {
  const puts = new Map(Object.entries(options.map ?? {}).map(([name, known]) => [name, putterOf(known, options)]));
  return (row, faults) => {
    const record: Fields = {};
    for (const [name, value] of Object.entries(row)) {
      const put = puts.get(name);
      try {
        if (put && (typeof value === 'string' || typeof value === 'number')) put(record, String(value));
        else if (options.ids || !idFields.includes(name)) record[name] = value;
      } catch (error) {
        faults.push({ location: name, message: (error as Error).message, value });
      }
    }
    return record;
  };
};

/** The rows of a file, each as a record to upsert or with its faults. Throws for a file that cannot be read, or columns that nobody knows. */
export async function* readRows(file: string, options: ReadOptions, progress: Progress): AsyncGenerator<Row> {
  const type = schema.getType(UpsertContactInput.name) as GraphQLInputType;
  const argument = { ...schema.getMutationType()!.getFields().upsertContact!.args[0]!, type };
  let cells: Cells | undefined;
  let row = 0;
  for await (const raw of rowsOf(file, options, progress)) {
    row++;
    if (raw instanceof Error) {
      yield { row, faults: [{ location: 'row', message: raw.message }] };
      continue;
    }
    cells ??= options.format === 'csv' ? cellsBy(Object.keys(raw), options) : fieldsBy(options);
    const faults: Fault[] = [];
    const value = namedAnswers(cells(raw, faults));
    const input = read({ argument, location: '', value }, faults, true);
    const placed = faults.map((fault) => ({ ...fault, location: fault.location.replace(/^\./, '') || 'row' }));
    if (faults.length > 0) yield { row, faults: placed };
    else yield { row, record: upsertOf(input as never, ''), faults };
  }
}

/** What a file is known by: its content, and all that decides how it is read. */
export const fingerprintOf = async (file: string, how: unknown): Promise<{ fingerprint: Buffer; size: number }> => {
  const hash = createHash('sha256').update(JSON.stringify(how));
  const handle = await open(file);
  try {
    for await (const chunk of handle.createReadStream({ autoClose: false })) hash.update(chunk);
    return { fingerprint: hash.digest(), size: (await handle.stat()).size };
  } finally {
    await handle.close();
  }
};
