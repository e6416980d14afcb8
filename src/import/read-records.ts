// Makes of each row of a file of records what is written of it, or the list of its faults.
import type { GraphQLArgument } from 'graphql';
import { convertToColumns } from '../../schema/patch.ts';
import type { Naming, Way } from '../data/import/contact-reference.ts';
import { type RecordType, recordTypes } from '../data/import/record-types.ts';
import type { RecordWrite } from '../data/import/records.ts';
import type { FileContent } from '../data/interaction-write.ts';
import { read } from '../input/legacy-input.ts';
import type { Fault } from '../problem.ts';
import { createCellReaders, type DayOrder, ignoreCell, notePassedOver, type Put } from './columns.ts';
import { createRowType, listRecordColumns, type RecordTypeName, type WhoseIds } from './families.ts';
import {
  checkKnownColumns,
  createFaultLocator,
  createRowReader,
  type FileOptions,
  type Places,
  type Progress,
  type Row,
  type RowFields,
  readFileRows,
  wholeRow,
} from './rows.ts';

export interface RecordReadOptions extends FileOptions, WhoseIds {
  days: DayOrder;
}

/** What is done with a value of each column, by its name. Throws for a name that the family does not know. */
const putterBy = (name: RecordTypeName, { days }: RecordReadOptions) => {
  const columns = new Map(listRecordColumns(name).map((column) => [column.name, column]));
  const kinds = createCellReaders(days);
  return (known: string): Put => {
    if (known === '-') return ignoreCell;
    const column = columns.get(known);
    if (!column)
      throw new Error(`There is no column ${known}. There are ${[...columns.keys()].join(', ')}, and - for none`);
    return (record, text) => {
      record[known] = kinds[column.kind](text);
      return known;
    };
  };
};

/** Ids of other systems are texts or numbers. */
const keys = new Set(['id', 'contact_id', 'transaction_id', 'contact_external_id']);

/** NDJSON has the values themselves; what is a text where a time is meant, is read as in a cell. */
const valuesBy = (name: RecordTypeName, options: RecordReadOptions) => {
  const putter = putterBy(name, options);
  const puts = new Map(Object.entries(options.map ?? {}).map(([column, known]) => [column, putter(known)]));
  const times = listRecordColumns(name).filter(({ kind }) => kind === 'day' || kind === 'instant');
  const timed = new Map(times.map((column) => [column.name, putter(column.name)]));
  return (row: RowFields, faults: Fault[], places: Places): RowFields => {
    const record: RowFields = {};
    for (const [column, value] of Object.entries(row)) {
      const put = puts.get(column) ?? (typeof value === 'string' ? timed.get(column) : undefined);
      try {
        if (put && (typeof value === 'string' || typeof value === 'number')) {
          const place = put(record, String(value));
          if (place !== undefined) places.set(place, column);
        } else record[column] = keys.has(column) && typeof value === 'number' ? String(value) : value;
      } catch (error) {
        faults.push({ location: column, message: (error as Error).message, value });
      }
    }
    return record;
  };
};

const digits = new Map<string, number>();
/** How many digits the minor unit of a currency has: two of euros, none of yen. */
const minorDigits = (currency: string): number => {
  const known = digits.get(currency);
  if (known !== undefined) return known;
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
  digits.set(currency, maximumFractionDigits);
  return maximumFractionDigits;
};

/** An amount as it is spoken, in minor units: `99.90` of euros is 9990. */
const withAmount = ({ amount_decimal: said, ...record }: RowFields, faults: Fault[]): RowFields => {
  if (said === undefined || record.amount != null) return record;
  const currency = typeof record.currency === 'string' && /^[A-Z]{3}$/.test(record.currency) ? record.currency : 'EUR';
  const places = minorDigits(currency);
  const [, sign, whole, part = ''] = /^\s*([+-]?)(\d{1,12})(?:[.,](\d+))?\s*$/.exec(String(said)) ?? [];
  if (whole === undefined || part.length > places)
    faults.push({
      location: 'amount_decimal',
      message: `must be a number with at most ${places} decimals`,
      value: said,
    });
  const units = Number(`${sign === '-' ? '-' : ''}${whole ?? 0}${part.padEnd(places, '0').slice(0, places)}`);
  return { ...record, amount: units };
};

/** The first that a row has of what may name its contact. */
const namingOf = (
  { contact_id: id, contact_external_id: external, contact_mail: mail }: RowFields,
  { ids, contacts }: WhoseIds,
): Naming | undefined => {
  const given: [Way, unknown][] = [
    [ids ? 'id' : 'file', ids || contacts !== null ? id : undefined],
    ['external', external],
    ['mail', mail],
  ];
  const [way, key] = given.find(([, value]) => value != null && String(value).trim() !== '') ?? [];
  return way && { way, key: String(key) };
};

const whoMissing = ({ ids, contacts }: WhoseIds): Fault => ({
  location: wholeRow,
  message: `must name its contact: by ${ids || contacts !== null ? 'contact_id, ' : ''}contact_external_id or contact_mail${
    ids || contacts !== null ? '' : ', or by contact_id with --ids or --contacts'
  }`,
});

/** Columns of ids that count only where it is known whose they are. */
const foreignOf = ({ label, columns }: RecordType, { ids, contacts, transactions }: WhoseIds): string[] => [
  ...(ids || contacts !== null ? [] : ['contact_id']),
  ...('transaction_id' in columns && !ids && transactions === null ? ['transaction_id'] : []),
  ...(label && !ids ? [label.column] : []),
];

/** The rows of a file of records, each as what is to be written or with its faults. Throws for a file that cannot be read, or columns that nobody knows. */
export async function* readRecordRows(
  file: string,
  name: RecordTypeName,
  options: RecordReadOptions,
  progress: Progress,
): AsyncGenerator<Row<RecordWrite>> {
  const family = recordTypes.get(name)!;
  const type = createRowType(name, options);
  const argument = { name: 'row', type, extensions: {} } as GraphQLArgument;
  const labels = Object.keys(family.label?.texts ?? {});
  const known = new Set(listRecordColumns(name).map((column) => column.name));
  const writable = Object.keys(family.columns).filter((column) => column !== 'user_id');
  const knownAs = (column: string): string =>
    options.map?.[column] ?? (options.map && options.format === 'csv' ? '-' : column);
  const cellsOf = (columns: string[]) => {
    checkKnownColumns(columns, options, {
      whose: family.noun,
      isKnown: (column) => known.has(column) || column === 'group_id',
      example: 'contact_mail',
    });
    const putter = putterBy(name, options);
    return createRowReader(
      columns.filter((column) => knownAs(column) !== 'group_id').map((column) => [column, putter(knownAs(column))]),
    );
  };
  /** By what a column is known: a fault may be of one that says nothing. */
  const heads: Places = new Map();
  const begin = (columns: string[]) => {
    const cells = options.format === 'csv' ? cellsOf(columns) : valuesBy(name, options);
    const derived = ['group_id', 'user_id', ...family.shown, ...(name === 'transactions' ? [] : ['id'])];
    const named = columns.map((column) => [column, knownAs(column)] as const);
    for (const [column, knownName] of named) if (knownName !== '-') heads.set(knownName, column);
    notePassedOver(named, { derived, foreign: foreignOf(family, options) }, progress.note);
    return cells;
  };
  let cells: ReturnType<typeof begin> | undefined;
  let row = 0;
  for await (const { fields, fault, ...place } of readFileRows(file, options, progress)) {
    row++;
    // What is wrong with the columns is heard of before anything else.
    if (fault === undefined || options.format === 'csv') cells ??= begin(Object.keys(fields));
    if (!cells || fault !== undefined) {
      yield { ...place, row, inFile: (one) => one, faults: [{ location: wholeRow, message: fault! }] };
      continue;
    }
    const places: Places = new Map(heads);
    const at = { ...place, row, inFile: createFaultLocator(fields, places) };
    const [faults, found]: [Fault[], Fault[]] = [[], []];
    const value = withAmount(cells(fields, faults, places), found);
    const input = convertToColumns(
      (read({ argument, location: '', value }, found, { parsed: true }) ?? {}) as object,
    ) as RowFields;
    const contact = namingOf(input, options);
    if (!contact && found.length + faults.length === 0) found.push(whoMissing(options));
    if (!contact || found.length + faults.length > 0) {
      // What cannot be read is not missing as well.
      const others = found.map(at.inFile).filter(({ location }) => faults.every((one) => one.location !== location));
      yield { ...at, faults: [...faults, ...others] };
      continue;
    }
    const columns = Object.fromEntries(
      writable.flatMap((one) => (input[one] === undefined ? [] : [[one, input[one]]])),
    );
    const byId = family.label && columns[family.label.column] != null;
    const named = byId ? [] : labels.flatMap((one) => (input[one] == null ? [] : [[one, input[one]]]));
    const transaction = options.ids ? null : ((columns.transaction_id as string | undefined) ?? null);
    if (!options.ids) delete columns.transaction_id;
    yield {
      ...at,
      faults,
      record: {
        ...{ contact, columns, labels: Object.fromEntries(named), transaction },
        ...{ files: (input.files as FileContent[] | undefined) ?? [], key: (input.id as string | undefined) ?? null },
      },
    };
  }
}
