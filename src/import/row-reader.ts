// Reads the cells of a row to a record, and tells faults by the columns of the file.

import { isRounded } from '../input/input-value.ts';
import type { Fault } from '../problem.ts';
import type { CellNotes } from './cells.ts';
import { type CellWriter, replaceValues, type ValueMap } from './columns.ts';
import { unmarkFormulaText } from './csv-table.ts';
import { FileError } from './file-error.ts';
import {
  type FileOptions,
  type ImportedFile,
  type Progress,
  type Row,
  type RowFields,
  readFileRows,
  wholeRow,
} from './rows.ts';

/** A map for the command line, which a user can copy and complete. */
export const describeMap = (pairs: readonly (readonly [column: string, known: string])[]): string => {
  const isPlain = pairs.every(([column, known]) => !/[,='"{]/.test(column) && !/[,=']/.test(known));
  const map = isPlain
    ? pairs.map(([column, known]) => `${column}=${known}`).join(',')
    : JSON.stringify(Object.fromEntries(pairs)).replaceAll("'", "'\\''");
  return `--map '${map}'`;
};

/** Throws for columns that are unknown, and for columns of the options that the file lacks. The error says what to do. */
export const checkKnownColumns = (
  columns: string[],
  { map, values }: FileOptions,
  { noun, findName }: { noun: string; findName: (column: string) => string | undefined },
): void => {
  const unknown = columns.filter((column) => !map && findName(column) === undefined);
  if (unknown.length > 0) {
    const pairs = columns.map((column): [string, string] => [column, findName(column) ?? '-']);
    throw new FileError(
      `Unknown columns for a ${noun}: ${unknown.join(', ')}. Name them with --map, or ignore them with -: a map names all columns that are read, such as ${describeMap(pairs)}`,
    );
  }
  for (const [option, named] of Object.entries({ map, values })) {
    const missing = Object.keys(named ?? {}).filter((column) => !columns.includes(column));
    if (missing.length > 0)
      throw new FileError(
        `--${option} names columns that the file lacks: ${missing.join(', ')}. It has ${columns.join(', ')}`,
      );
  }
};

/** The column of the file for each path in a record. */
export type Places = Map<string, string>;

/** The faults of a row, the parts left out of it, and the kinds of its cells that are read otherwise than they are written. */
export interface RowNotes {
  faults: Fault[];
  remarks: Fault[];
  counts: string[];
}

export const createRowNotes = (): RowNotes => ({ faults: [], remarks: [], counts: [] });

/** Writes a cell to a record, and notes where its values are, if that is wanted. A cell with a fault has no value. */
export const createCellWriting = () => {
  let [location, value]: [string, unknown] = ['', undefined];
  let row = createRowNotes();
  const notes: CellNotes = {
    remark: (message) => row.remarks.push({ location, message, value }),
    count: (kind) => row.counts.push(kind),
  };
  return (
    write: CellWriter,
    [column, text]: readonly [column: string, text: string],
    [record, places]: readonly [record: RowFields, places: Places | undefined],
    found: RowNotes,
  ): void => {
    [location, value, row] = [column, text, found];
    try {
      const paths = write(record, text, notes);
      if (!places) return;
      if (typeof paths === 'string') places.set(paths, column);
      else for (const path of paths ?? []) places.set(path, column);
    } catch (error) {
      found.faults.push({ location: column, message: (error as Error).message, value: text });
    }
  };
};

/** Creates the reader of CSV rows. Each cell that is not empty becomes a value of the record or a fault. */
export const createRowReader = (
  writers: readonly (readonly [column: string, write: CellWriter])[],
  values?: ValueMap,
) => {
  const writeCell = createCellWriting();
  const replacing = writers.map(([column, write]) => [column, replaceValues(write, values?.[column])] as const);
  return (row: RowFields, found: RowNotes, places?: Places): RowFields => {
    const record: RowFields = {};
    const target = [record, places] as const;
    for (const [column, write] of replacing) {
      const text = row[column];
      if (typeof text === 'string' && text.trim() !== '')
        writeCell(write, [column, unmarkFormulaText(text)], target, found);
    }
    return record;
  };
};

/**
 * Creates the reader of NDJSON rows, which have typed values. Texts and numbers of columns that the options name are read as cells, and so are texts of
 * `textWriters`. `keep` writes any other value. A number with too many digits is a fault there, and in the columns `keys`, which tell records apart.
 */
export const createObjectReader = (
  { map, values = {} }: FileOptions,
  findWriter: (known: string) => CellWriter,
  keep: (record: RowFields, column: string, value: unknown) => void,
  { keys, textWriters }: { keys: ReadonlySet<string>; textWriters?: ReadonlyMap<string, CellWriter> },
) => {
  const own = Object.fromEntries(Object.keys(values).map((name) => [name, name]));
  const writers = new Map(
    Object.entries({ ...own, ...map }).map(([column, known]) => [
      column,
      replaceValues(findWriter(known), values[column]),
    ]),
  );
  const isRead = (column: string): boolean => (map?.[column] === undefined ? keys.has(column) : map[column] !== '-');
  const writeCell = createCellWriting();
  return (row: RowFields, found: RowNotes, places?: Places): RowFields => {
    const record: RowFields = {};
    for (const [column, value] of Object.entries(row)) {
      const write = writers.get(column) ?? (typeof value === 'string' ? textWriters?.get(column) : undefined);
      if (isRounded(value) && isRead(column))
        found.faults.push({
          location: column,
          message: 'has more digits than a number can hold: write it as a text',
          value,
        });
      else if (write && (typeof value === 'string' || typeof value === 'number'))
        writeCell(write, [column, String(value)], [record, places], found);
      else keep(record, column, value);
    }
    return record;
  };
};

type ReadRow<Record> = (cells: RowFields, at: Pick<Row<never>, 'row' | 'line' | 'text'>) => Row<Record> & RowNotes;

/**
 * Reads the rows of a file, each as a record or with its faults, and counts the cells that are read otherwise than they are written. `createReader` makes
 * the reader of the columns of the first row. Throws for an unreadable file.
 */
export async function* readRows<Record>(
  file: ImportedFile,
  options: FileOptions & { isDone?(row: number): boolean },
  progress: Progress,
  createReader: (columns: string[]) => ReadRow<Record> | Promise<ReadRow<Record>>,
): AsyncGenerator<Row<Record>> {
  const { counts } = progress;
  let read: ReadRow<Record> | undefined;
  let row = 0;
  for await (const { fields, fault, ...place } of readFileRows(file, options, progress)) {
    row++;
    // Faults of the columns are reported before faults of rows.
    if (fault === undefined || options.format === 'csv') read ??= await createReader(Object.keys(fields));
    const at = { ...place, row };
    if (!read || fault !== undefined)
      yield { ...at, inFile: (one) => one, faults: [{ location: wholeRow, message: fault! }] };
    else if (options.isDone?.(row)) yield { ...at, inFile: (one) => one, faults: [] };
    else {
      const readCells = read;
      const found = readWithoutFaultyCells(fields, options, (cells) => readCells(cells, at));
      for (const kind of found.counts) counts.set(kind, (counts.get(kind) ?? 0) + 1);
      yield found;
    }
  }
}

/** Reads a row, without its faulty cells when these are to be left out. */
const readWithoutFaultyCells = <Result extends RowNotes>(
  fields: RowFields,
  { skipCells }: FileOptions,
  read: (fields: RowFields) => Result,
): Result => {
  const whole = read(fields);
  if (!skipCells || whole.faults.length === 0) return whole;
  const faulty = new Set(whole.faults.map(({ location }) => findFaultyColumn(location, fields)));
  if (faulty.has(undefined)) return whole;
  const rest = read(Object.fromEntries(Object.entries(fields).filter(([column]) => !faulty.has(column))));
  if (rest.faults.length > 0) return whole;
  const left = whole.faults.map((fault) => ({ ...fault, message: `${fault.message}: the cell is left out` }));
  return { ...rest, remarks: [...rest.remarks, ...left] };
};
const findFaultyColumn = (location: string, fields: RowFields): string | undefined =>
  Object.hasOwn(fields, location)
    ? location
    : Object.keys(fields).find((column) => location.startsWith(`${column}[`) || location.startsWith(`${column}.`));

interface LocatorOptions {
  /** The column of a place that no cell was read into. */
  otherwise?: (place: string) => string | undefined;
  /** The paths of the contract, by those of the graph, where they are other words. */
  contractPaths?: ReadonlyMap<string, string>;
}

/**
 * Moves a fault of a record to its column of the file, with the value of that cell. `otherwise` finds the column of a path that no cell
 * has written.
 */
export const createFaultLocator =
  (fields: RowFields, places: Places, { otherwise, contractPaths }: LocatorOptions = {}) =>
  (fault: Fault): Fault => {
    const path = fault.location.replace(/^\./, '');
    const place = contractPaths?.get(path) ?? path.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    let known = place;
    while (known !== '' && !places.has(known)) known = known.replace(/(^|\.|\[)[^.[]*$/, '');
    const column = places.get(known) ?? otherwise?.(place);
    if (column === undefined) return { ...fault, location: place || wholeRow };
    const within = known === '' ? '' : place.slice(known.length);
    if (within.startsWith('[')) return { ...fault, location: column + within };
    const { [column]: value = fault.value } = fields;
    return { ...fault, location: column, value };
  };
