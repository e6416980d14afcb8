// What a list should yield, computed from plain rows without SQL: which records match, in which order, and which of them a page has.
import type { FieldType, ListField } from '../../../src/data/noun/fields.ts';
import type { Position } from '../../../src/data/noun/order.ts';
import type { PageArguments } from '../../../src/data/noun/page.ts';
import type { Total } from '../../../src/data/noun/totals.ts';
import { foldText as foldLetters } from '../../search/oracle-text.ts';

export type Value = string | number | boolean | null;
/** A record by the names of fields. */
export type Plain = { id: number } & Record<string, Value>;
export type Fields = Record<string, ListField>;
export type PlainFilter = Record<string, Record<string, Value | Value[]> | null>;

export interface PlainOrder {
  field: string;
  direction: 'asc' | 'desc';
}

/** Marks that the dictionary replaces, beside letters. */
const marks: Record<string, string> = { '’': "'", '–': '-', '«': '<<', '»': '>>', '…': '...', '°': 'deg' };
const fold = (text: string): string => foldLetters(text.replace(/[’–«»…°]/g, (mark) => marks[mark]!));

/** The value of an operand as the database writes it: instants have an offset, and no zeros at their end. */
const normalize = (value: Value, type: FieldType): Value =>
  type === 'instant' && typeof value === 'string'
    ? value
        .replace('T', ' ')
        .replace(/(\.\d*?)0*Z$/, (_, digits: string) => `${digits === '.' ? '' : digits}Z`)
        .replace(/Z$/, '+00')
    : value;

const compareValues = (one: Value, other: Value): number => (one === other ? 0 : one! < other! ? -1 : 1);

const operators: Record<string, (value: Value, operand: Value) => boolean> = {
  equals: (value, operand) => value === operand,
  gt: (value, operand) => compareValues(value, operand) > 0,
  gte: (value, operand) => compareValues(value, operand) >= 0,
  lt: (value, operand) => compareValues(value, operand) < 0,
  lte: (value, operand) => compareValues(value, operand) <= 0,
  contains: (value, operand) => fold(value as string).includes(fold(operand as string)),
  startsWith: (value, operand) => fold(value as string).startsWith(fold(operand as string)),
};

export const matchesFilter = (record: Plain, filter: PlainFilter, fields: Fields): boolean =>
  Object.entries(filter).every(([name, condition]) =>
    Object.entries(condition ?? {}).every(([operator, operand]) => {
      const value = record[name]!;
      const { type } = fields[name]!;
      if (operator === 'exists') return (value !== null) === operand;
      if (value === null) return false;
      if (operator === 'in') return (operand as Value[]).some((one) => one === value);
      return operators[operator]!(value, normalize(operand as Value, type));
    }),
  );

/** The value by which a record is ordered. */
const keyOf = (record: Plain, field: string, fields: Fields): Value => {
  const value = record[field]!;
  return fields[field]!.type === 'text' && value !== null ? fold(value as string) : value;
};

export const computePosition = (record: Plain, { field }: PlainOrder, fields: Fields): Position => {
  const key = field === 'id' ? null : keyOf(record, field, fields);
  return { key: key === null ? null : String(key), id: record.id };
};

/** Compares two records in an order: those without a value come last. */
export const compareRecords = (one: Plain, other: Plain, { field, direction }: PlainOrder, fields: Fields): number => {
  const [a, b] = [keyOf(one, field, fields), keyOf(other, field, fields)];
  if ((a === null) !== (b === null)) return a === null ? 1 : -1;
  const ascending = compareValues(a, b) || one.id - other.id;
  return direction === 'asc' ? ascending : -ascending;
};

/** The page of a sorted list. A bound is a record, which need not be in the list. */
export const slicePage = (
  sorted: Plain[],
  compare: (one: Plain, other: Plain) => number,
  { first, last, after, before }: Pick<PageArguments, 'first' | 'last'> & { after?: Plain; before?: Plain },
) => {
  const within = sorted.filter((one) => (!after || compare(one, after) > 0) && (!before || compare(one, before) < 0));
  const page = first != null ? within.slice(0, first) : within.slice(Math.max(0, within.length - last!));
  const [start, end] = [page[0], page.at(-1)];
  // An empty page stands directly after its first bound, or directly before its second one.
  const isBefore = (one: Plain): boolean =>
    start
      ? compare(one, start) < 0
      : first != null
        ? !!after && compare(one, after) <= 0
        : !before || compare(one, before) < 0;
  const isAfter = (one: Plain): boolean =>
    end
      ? compare(one, end) > 0
      : first != null
        ? !after || compare(one, after) > 0
        : !!before && compare(one, before) >= 0;
  return {
    ids: page.map(({ id }) => id),
    hasPreviousPage: sorted.some(isBefore),
    hasNextPage: sorted.some(isAfter),
  };
};

const keyLengths: Record<string, number> = { YEAR: 4, MONTH: 7, DAY: 10 };

/** Totals by period or field, and by currency. */
export const sumUp = (
  records: Plain[],
  { groupBy, of, hasAmounts }: { groupBy: string; of?: string; hasAmounts: boolean },
): Total[] => {
  const totals = new Map<string, Total>();
  for (const record of records) {
    const length = keyLengths[groupBy];
    const value = record[length ? of! : groupBy]!;
    const key = value === null ? null : length ? String(value).slice(0, length) : String(value);
    const currency = hasAmounts ? (record.currency as string) : null;
    const total = totals.get(JSON.stringify([key, currency])) ?? {
      key,
      currency,
      count: 0,
      sum: hasAmounts ? 0 : null,
    };
    total.count++;
    if (hasAmounts) total.sum! += record.amount as number;
    totals.set(JSON.stringify([key, currency]), total);
  }
  const byKey = (one: string | null, other: string | null): number =>
    one === null || other === null ? Number(one === null) - Number(other === null) : compareValues(one, other);
  return [...totals.values()].sort(
    (one, other) => byKey(one.key, other.key) || compareValues(one.currency, other.currency),
  );
};
