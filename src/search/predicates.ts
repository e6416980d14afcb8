// What a positive operator asks of an expression that holds a value of each kind, as SQL.
import type { ValueKind } from './attribute.ts';
import type { Reach } from './join-strategy.ts';
import type { Operand } from './operand.ts';
import type { Operator } from './operators.ts';

/** Takes values out of the text of a statement: each yields the placeholder that stands for it. */
export interface Binder {
  /** How what is beside the search row is reached. */
  reach: Reach;
  /** Whether many are to be counted: by whole tables rather than contact by contact. */
  counting: boolean;
  /** Whether of the search row nothing should be read but whose it is, where there is another way. */
  rowless: boolean;
  value(value: unknown): string;
  /** What is made of values alone. */
  constant(sql: string): string;
  /** The one instant of the request. */
  now(): string;
  /** Says that no statistics tell how many match. */
  guess(): void;
  /** Ids that a small list holds, read before the search: the planner then knows how many there are, and which. */
  lookup(sql: string): string;
  /** How many ids a lookup found; endless while it is not read. */
  size(ids: string): number;
}

export type Test = (x: string, operator: Operator, operand: Operand, binder: Binder) => string;

const highest = String.fromCodePoint(0x10ffff);

/** A pattern of LIKE in which the bound text stands for itself. */
const within = (text: string): string =>
  `'%' || replace(replace(replace(${text}, '\\', '\\\\'), '%', '\\%'), '_', '\\_') || '%'`;

/** Text that is folded on both sides by `fold`, a function of SQL. The expression is of collation "C". */
const folded =
  (fold: string): Test =>
  (x, operator, { values }, { value, constant }) => {
    const text = `${fold}(${value(values[0])})`;
    switch (operator) {
      case 'eql':
        return `${x} = ${constant(text)}`;
      case 'any_of':
        return `${x} in (${values.map((one) => constant(`${fold}(${value(one)})`)).join(', ')})`;
      case 'start_with':
        return `(${x} >= ${constant(text)} and ${x} < ${constant(`${text} || ${value(highest)}`)})`;
      case 'contains':
        return `${x} like ${constant(within(text))}`;
      default:
        throw new Error(`text has no ${operator}`);
    }
  };

/** Numbers and moments: one value, or bounds that are closed at both ends. */
const ordered =
  (type: string): Test =>
  (x, operator, { values, from, to }, { value }) => {
    const cast = (one: unknown): string => `cast(${value(one)} as ${type})`;
    if (operator === 'any_of') return `${x} in (${values.map(cast).join(', ')})`;
    if (values.length > 0) return `${x} = ${cast(values[0])}`;
    const parts = [
      ...(from === undefined ? [] : [`${x} >= ${cast(from)}`]),
      ...(to === undefined ? [] : [`${x} <= ${cast(to)}`]),
    ];
    return parts.length > 1 ? `(${parts.join(' and ')})` : parts[0]!;
  };

/** The last moment of a year that `r`, a membership, may still be active in; one without an end is active for ever. */
const year: Test = (r, _operator, { values, from, to }, { value }) => {
  const [first, last] = [values[0] ?? from, values[0] ?? to];
  // A membership of many years would be found between two years in the wrong order.
  if (first !== undefined && last !== undefined && first > last) return 'false';
  const parts = [
    ...(last === undefined ? [] : [`${r}.start_date <= make_date(cast(${value(last)} as integer), 12, 31)`]),
    ...(first === undefined
      ? []
      : [`coalesce(${r}.end_date, 'infinity') >= make_date(cast(${value(first)} as integer), 1, 1)`]),
  ];
  return `(${parts.join(' and ')})`;
};

export const tests: Record<ValueKind, Test> = {
  text: folded('fold'),
  phone: folded('dialled'),
  instant: ordered('timestamptz'),
  day: (x, operator, operand, binder) => {
    if (operator !== 'period') return ordered('date')(x, operator, operand, binder);
    binder.guess();
    const [from, to] = [binder.value(operand.from), binder.value(operand.to)];
    const day = `to_char(${x}, 'MM-DD')`;
    return `(${day} >= ${from} ${(operand.from as string) <= (operand.to as string) ? 'and' : 'or'} ${day} <= ${to})`;
  },
  cents: ordered('bigint'),
  whole: ordered('bigint'),
  id: ordered('bigint'),
  flag: ordered('boolean'),
  gender: ordered('"char"'),
  ageCategory: ordered('smallint'),
  year,
  validity: (r, _operator, { values }, { now }) => {
    const instant = `cast(${now()} as timestamptz)`;
    return values[0] === 'ended'
      ? `${r}.end_date < ${instant}`
      : `(coalesce(${r}.start_date <= ${instant}, true) and coalesce(${r}.end_date >= ${instant}, true))`;
  },
  answer: () => {
    throw new Error('answers are compiled by their form');
  },
};

/** Text is compared folded, whatever it is stored as. */
export const foldForComparison = (kind: ValueKind, x: string): string =>
  kind === 'text' ? `fold_inline(${x}) collate "C"` : x;

/** Whether there is a value. */
export const isFilledSql = (kind: ValueKind, x: string): string =>
  kind === 'text' ? `coalesce(fold_inline(${x}), '') <> ''` : `${x} is not null`;
