// Converts each row of a file of records to the record to write, or to a list of faults.
import type { GraphQLArgument } from 'graphql';
import type { FileContent } from '../data/contact/interaction-write.ts';
import type { Naming, Way } from '../data/import/contact-reference.ts';
import { type RecordType, type RecordTypeName, recordTypes } from '../data/import/record-types.ts';
import type { RecordWrite } from '../data/import/records.ts';
import { read as readInput } from '../input/legacy-input.ts';
import { convertToColumns } from '../input/snake-case.ts';
import type { Fault } from '../problem.ts';
import { countDecimals } from '../search/currency.ts';
import { type CellNotes, type CellOptions, cleanText, createCellReaders, dropPlaceholder } from './cells.ts';
import { type CellWriter, ignoreCell, noteIgnoredColumns } from './columns.ts';
import { usualComingYears } from './days.ts';
import { recognizeRecordColumns } from './headings.ts';
import { createRowType, type IdOrigin, listRecordColumns } from './record-columns.ts';
import {
  checkKnownColumns,
  createFaultLocator,
  createObjectReader,
  createRowNotes,
  createRowReader,
  describeMap,
  type Places,
  readRows,
} from './row-reader.ts';
import { type FileOptions, type Progress, type Row, type RowFields, wholeRow } from './rows.ts';

interface RecordReadOptions extends FileOptions, IdOrigin, CellOptions {}

/** Columns of ids. Ids of other systems may be strings or numbers. */
const idColumns = new Set(['id', 'contact_id', 'transaction_id', 'contact_external_id']);

/** Creates a function that finds the writer of a column by its name. It throws for a name that the record type does not have. */
const createWriterFinder = (name: RecordTypeName, options: RecordReadOptions) => {
  const columns = new Map(listRecordColumns(name).map((column) => [column.name, column]));
  const readers = createCellReaders({ ...options, comingYears: usualComingYears });
  return (known: string): CellWriter => {
    if (known === '-') return ignoreCell;
    const column = columns.get(known);
    if (!column)
      throw new Error(
        `There is no column ${known}. The columns are ${[...columns.keys()].join(', ')}, and - to ignore a column`,
      );
    const read: (text: string, notes: CellNotes) => unknown = readers[known === 'contact_mail' ? 'mail' : column.kind];
    return (record, text, notes) => {
      // Texts of records, such as notes, are kept to the letter, and one that each record has is no placeholder.
      const isText = column.kind === 'text' && known !== 'contact_mail' && !idColumns.has(known);
      const written = isText ? text : cleanText(text);
      const given = options.keepPlaceholders || (isText && column.required) ? written : dropPlaceholder(written, notes);
      if (given === '') return undefined;
      record[known] = read(given, notes);
      return known;
    };
  };
};

/** Creates the reader of NDJSON rows. Times are strings and are read as in a cell. */
const createNdjsonReader = (name: RecordTypeName, options: RecordReadOptions) => {
  const findWriter = createWriterFinder(name, options);
  const times = listRecordColumns(name).filter(({ kind }) => kind === 'day' || kind === 'instant');
  const timeWriters = new Map(times.map((column) => [column.name, findWriter(column.name)]));
  const keep = (record: RowFields, column: string, value: unknown): void => {
    record[column] = idColumns.has(column) && typeof value === 'number' ? String(value) : value;
  };
  return createObjectReader(options, findWriter, keep, { keys: idColumns, textWriters: timeWriters });
};

/** Converts a decimal amount to minor units: `99.90` euros become 9990. */
const convertDecimalAmount = ({ amount_decimal: decimal, ...record }: RowFields, faults: Fault[]): RowFields => {
  if (decimal === undefined || record.amount != null) return record;
  const currency = typeof record.currency === 'string' && /^[A-Z]{3}$/.test(record.currency) ? record.currency : 'EUR';
  const places = countDecimals(currency);
  const unsigned = String(decimal)
    .trim()
    .replace(currency === 'EUR' ? /(?:€|EUR)$/ : '', '');
  const bare = unsigned.replaceAll(/(?<=\d)[ \u00a0\u202f](?=\d{3})/g, '');
  const [, sign, whole, part = ''] = /^\s*([+-]?)(\d{1,12})(?:[.,](\d+))?\s*$/.exec(bare) ?? [];
  if (whole === undefined || part.length > places)
    faults.push({
      location: 'amount_decimal',
      message: `must be a number with at most ${places} decimals, and at most 12 digits before them`,
      value: decimal,
    });
  const units = Number(`${sign === '-' ? '-' : ''}${whole ?? 0}${part.padEnd(places, '0').slice(0, places)}`);
  return { ...record, amount: units };
};

/** Finds the contact reference of a row: the first that it has of id, external id and mail. */
const findContactReference = (
  { contact_id: id, contact_external_id: external, contact_mail: mail }: RowFields,
  { ids, contacts }: IdOrigin,
): Naming | undefined => {
  const given: [Way, unknown][] = [
    [ids ? 'id' : 'file', ids || contacts !== null ? id : undefined],
    ['external', external],
    ['mail', mail],
  ];
  const [way, key] = given.find(([, value]) => value != null && String(value).trim() !== '') ?? [];
  return way && { way, key: String(key) };
};

const createMissingContactFault = ({ ids, contacts }: IdOrigin): Fault => ({
  location: wholeRow,
  message:
    ids || contacts !== null
      ? 'must name its contact: by contact_id, contact_external_id or contact_mail'
      : 'must name its contact: by contact_external_id or contact_mail, or by contact_id with --ids or --contacts',
});

/** The columns of ids that are ignored, since the origin of the ids is unknown. */
const listForeignColumns = ({ label, columns }: RecordType, { ids, contacts, transactions }: IdOrigin): string[] => [
  ...(ids || contacts !== null ? [] : ['contact_id']),
  ...('transaction_id' in columns && !ids && transactions === null ? ['transaction_id'] : []),
  ...(label && !ids ? [label.column] : []),
];

/** Reads the rows of a file, each as a record to write or with its faults. Throws for an unreadable file and for unknown columns. */
export const readRecordRows = (
  file: string,
  name: RecordTypeName,
  options: RecordReadOptions,
  progress: Progress,
): AsyncGenerator<Row<RecordWrite>> => {
  const recordType = recordTypes.get(name)!;
  const type = createRowType(name, options);
  const argument = { name: 'row', type, extensions: {} } as GraphQLArgument;
  const labels = Object.keys(recordType.label?.texts ?? {});
  const known = listRecordColumns(name);
  const names = [...known.map((column) => column.name), 'group_id'];
  const read = known.filter(({ says }) => says !== undefined).map((column) => column.name);
  const writable = Object.keys(recordType.columns).filter((column) => column !== 'user_id');
  const nameCsvColumns = (columns: string[]): [column: string, known: string][] => {
    const recognized = recognizeRecordColumns(columns, { names, read });
    checkKnownColumns(columns, options, { noun: recordType.noun, findName: (column) => recognized.get(column) });
    if (options.map) return columns.map((column) => [column, options.map![column] ?? '-']);
    const named = columns.map((column): [string, string] => [column, recognized.get(column)!]);
    if (named.some(([column, knownName]) => knownName !== column))
      progress.note(`columns are read as known headings: ${describeMap(named)}`);
    return named;
  };
  const createCsvReader = (named: readonly [column: string, known: string][]) => {
    const findWriter = createWriterFinder(name, options);
    const written = named.filter(([, knownName]) => knownName !== 'group_id');
    return createRowReader(
      written.map(([column, knownName]) => [column, findWriter(knownName)]),
      options.values,
    );
  };
  return readRows(file, options, progress, (columns) => {
    const isCsv = options.format === 'csv';
    const named = isCsv
      ? nameCsvColumns(columns)
      : columns.map((column): [string, string] => [column, options.map?.[column] ?? column]);
    const readRow = isCsv ? createCsvReader(named) : createNdjsonReader(name, options);
    /** The column of each known name: a fault may concern a column without a value in this row. */
    const columnsByName = named.flatMap(([column, knownName]): [string, string][] =>
      knownName === '-' ? [] : [[knownName, column]],
    );
    const derived = ['group_id', 'user_id', ...recordType.shown, ...(name === 'transactions' ? [] : ['id'])];
    noteIgnoredColumns(named, { derived, foreign: listForeignColumns(recordType, options) }, progress.note);
    return (cells, place) => {
      const places: Places = new Map(columnsByName);
      const at = { ...place, inFile: createFaultLocator(cells, places) };
      const notes = createRowNotes();
      const { faults } = notes;
      const found: Fault[] = [];
      const value = convertDecimalAmount(readRow(cells, notes, places), found);
      const input = convertToColumns(
        (readInput({ argument, location: '', value }, found, { parsed: true }) ?? {}) as object,
      ) as RowFields;
      const contact = findContactReference(input, options);
      if (!contact && found.length + faults.length === 0) found.push(createMissingContactFault(options));
      if (!contact || found.length + faults.length > 0) {
        // A value that cannot be read is not also reported as missing.
        const others = found.map(at.inFile).filter(({ location }) => faults.every((one) => one.location !== location));
        return { ...at, ...notes, faults: [...faults, ...others] };
      }
      const columns = Object.fromEntries(
        writable.flatMap((one) => (input[one] === undefined ? [] : [[one, input[one]]])),
      );
      const byId = recordType.label && columns[recordType.label.column] != null;
      const named = byId ? [] : labels.flatMap((one) => (input[one] == null ? [] : [[one, input[one]]]));
      const transaction = options.ids ? null : ((columns.transaction_id as string | undefined) ?? null);
      if (!options.ids) delete columns.transaction_id;
      const record = {
        contact,
        columns,
        labels: Object.fromEntries(named),
        transaction,
        files: (input.files as FileContent[] | undefined) ?? [],
        key: (input.id as string | undefined) ?? null,
      };
      return { ...at, ...notes, record };
    };
  });
};
