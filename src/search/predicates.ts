// Predicates in SQL: a positive operator applied to an expression that holds a value of some kind.
import type { ValueKind } from './attribute.ts';
import type { JoinStrategy } from './join-strategy.ts';
import type { Operand } from './operand.ts';
import type { Operator } from './operators.ts';

/** Binds the values of a statement: each yields the placeholder that stands for it. */
export interface Binder {
  /** How rows beside the search row are reached. */
  join: JoinStrategy;
  /** Whether matches are to be counted: by whole tables rather than contact by contact. */
  counting: boolean;
  /** Chooses between the same condition over a table of its own and over the search row. */
  chooseSource(overTable: string, overRow: string): string;
  value(value: unknown): string;
  /** Marks SQL that is made of bound values alone. */
  constant(sql: string): string;
  /** The one instant of the request. */
  now(): string;
  /** Whether an instant is that of the request, or after it. */
  isToCome(instant: unknown): boolean;
  /** Records that PostgreSQL has no statistics for a condition. */
  noteMissingStatistics(): void;
  /** A short list of ids that is read before the search: the planner then knows which ids there are, and how many. */
  lookup(sql: string): string;
  /** How many ids a lookup found; infinite until it is read. */
  size(ids: string): number;
}

type Predicate = (x: string, operator: Operator, operand: Operand, binder: Binder) => string;

const highestCharacter = String.fromCodePoint(0x10ffff);

/** A bound text as a LIKE pattern that finds it alone. */
export const escapeWildcards = (text: string): string =>
  `replace(replace(replace(${text}, '\\', '\\\\'), '%', '\\%'), '_', '\\_')`;
const buildContainsPattern = (text: string): string => `'%' || ${escapeWildcards(text)} || '%'`;

/** Whether a text begins with this one. */
const beginsWith = (x: string, text: string, { value, constant }: Binder): string =>
  `(${x} >= ${constant(text)} and ${x} < ${constant(`${text} || ${value(highestCharacter)}`)})`;

/** Compares text that is folded on both sides. The expression has the collation "C". */
const compareFolded: Predicate = (x, operator, { values }, binder) => {
  const { value, constant } = binder;
  const text = `fold(${value(values[0])})`;
  switch (operator) {
    case 'eql':
      return `${x} = ${constant(text)}`;
    case 'any_of':
      return `${x} in (${values.map((one) => constant(`fold(${value(one)})`)).join(', ')})`;
    case 'start_with':
      return beginsWith(x, text, binder);
    case 'contains':
      return `${x} like ${constant(buildContainsPattern(text))}`;
    default:
      throw new Error(`text has no ${operator}`);
  }
};

/** The same for a text with an index of its trigrams, which answers LIKE alone. */
export const compareByTrigrams: Predicate = (x, operator, operand, binder) => {
  if (operator !== 'start_with') return compareFolded(x, operator, operand, binder);
  const text = `fold(${binder.value(operand.values[0])})`;
  return `${x} like ${binder.constant(`${escapeWildcards(text)} || '%'`)}`;
};

const plus = /^\P{Nd}*[+＋]/u;
const isDigit = (point: number): boolean => /\p{Nd}/u.test(String.fromCodePoint(point));

/** The value of a digit of any script: Unicode has each script's ten in a row, and several such rows may adjoin. */
const readDigit = (digit: string): number => {
  const point = digit.codePointAt(0)!;
  let first = point;
  while (isDigit(first - 1)) first--;
  return (point - first) % 10;
};

/** Two zeros are the other way to write a plus. */
const beginsWithZeros = (text: string): boolean =>
  /^\P{Nd}*0\P{Nd}*0\P{Nd}*\p{Nd}/u.test(text.replace(/\p{Nd}/gu, (digit) => String(readDigit(digit))));

/** Compares phones: a number with a calling code as a whole, any other by the digits that are dialled within the country. A part of a number may be of either. */
const comparePhone: Predicate = (x, operator, { values }, binder) => {
  const { value, constant } = binder;
  const national = `${x}_national`;
  const sent = String(values[0]);
  const [hasPlus, hasZeros] = [plus.test(sent), beginsWithZeros(sent)];
  const digits = `dialled(${value(values[0])})`;
  const contains = (text: string): string => `${x} like ${constant(buildContainsPattern(text))}`;
  switch (operator) {
    case 'eql':
      if (hasPlus || hasZeros) return `${x} = ${constant(digits)}`;
      return `${national} = any(cast(${constant(`national_forms(${digits})`)} as text[]))`;
    case 'start_with':
      if (hasPlus || hasZeros) return beginsWith(x, digits, binder);
      return `(${beginsWith(national, digits, binder)} or ${beginsWith(x, `'+' || ${digits}`, binder)})`;
    case 'contains': {
      if (hasPlus) return contains(digits);
      const written = hasZeros ? `replace(${digits}, '+', '00')` : digits;
      // Digits that do not begin with the trunk are in the whole number as well, which has an index for its parts.
      const parts = [contains(written), beginsWith(national, written, binder), ...(hasZeros ? [contains(digits)] : [])];
      return `(${parts.join(' or ')})`;
    }
    default:
      throw new Error(`a phone has no ${operator}`);
  }
};

/** Compares numbers, days and instants: with one value, or with bounds that are both included. */
const compareOrdered =
  (type: string): Predicate =>
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

/** Whether `r`, a membership, is active in one of these years; a membership without an end is active for ever. */
const isActiveInYear: Predicate = (r, _operator, { values, from, to }, { value }) => {
  const [first, last] = [values[0] ?? from, values[0] ?? to];
  // With the years in the wrong order, a membership of many years would be found.
  if (first !== undefined && last !== undefined && first > last) return 'false';
  const parts = [
    ...(last === undefined ? [] : [`${r}.start_date <= make_date(cast(${value(last)} as integer), 12, 31)`]),
    ...(first === undefined
      ? []
      : [`coalesce(${r}.end_date, 'infinity') >= make_date(cast(${value(first)} as integer), 1, 1)`]),
  ];
  return `(${parts.join(' and ')})`;
};

/** The predicate of each kind of value. */
export const predicates: Record<ValueKind, Predicate> = {
  text: compareFolded,
  phone: comparePhone,
  instant: compareOrdered('timestamptz'),
  day: (x, operator, operand, binder) => {
    if (operator !== 'period') return compareOrdered('date')(x, operator, operand, binder);
    // As an index has it: 229 is 29 February.
    const day = `cast(extract(month from ${x}) * 100 + extract(day from ${x}) as smallint)`;
    const read = (one: unknown): number => Number(String(one).replace('-', ''));
    const [from, to] = [read(operand.from), read(operand.to)];
    const [first, last] = [from, to].map((one) => `cast(${binder.value(one)} as smallint)`);
    return `(${day} >= ${first} ${from <= to ? 'and' : 'or'} ${day} <= ${last})`;
  },
  cents: compareOrdered('bigint'),
  whole: compareOrdered('bigint'),
  decimal: compareOrdered('double precision'),
  id: compareOrdered('bigint'),
  flag: compareOrdered('boolean'),
  gender: compareOrdered('"char"'),
  ageCategory: compareOrdered('smallint'),
  year: isActiveInYear,
  validity: (r, _operator, { values }, { now }) => {
    const instant = `cast(${now()} as timestamptz)`;
    return values[0] === 'ended'
      ? `${r}.end_date < ${instant}`
      : `(coalesce(${r}.start_date <= ${instant}, true) and coalesce(${r}.end_date >= ${instant}, true))`;
  },
  answer: () => {
    throw new Error('answers are compared by the type of their form');
  },
  record: () => {
    throw new Error('a record is no value');
  },
  circle: () => {
    throw new Error('a circle is no value');
  },
  area: () => {
    throw new Error('an area is no value');
  },
};

/** The expression to compare: text is folded, however it is stored. */
export const foldForComparison = (kind: ValueKind, x: string): string =>
  kind === 'text' ? `fold_inline(${x}) collate "C"` : x;

/** Whether there is a value: a text that begins with a letter or digit of ASCII is one without being folded. */
export const isFilledSql = (kind: ValueKind, x: string): string =>
  kind === 'text'
    ? `(${x} is not null and (${x} collate "C" between '!' and '~' or fold_inline(${x}) <> ''))`
    : `${x} is not null`;
