// The operand of a condition: what a client sent becomes a value of the attribute's kind, or a fault.
import { limits } from '../limits/limits.ts';
import type { ValueKind } from './attribute.ts';
import { countDecimals } from './currency.ts';
import {
  formatMicros,
  formatUtcDay,
  getDateSpan,
  type Period,
  parseDate,
  parseDay,
  parsePeriod,
  type RelativeDate,
  resolveRelativeDate,
} from './datetime.ts';
import { type Operator, operators } from './operators.ts';
import type { Place } from './places.ts';
import { readVisibleText, readText as text } from './visible-text.ts';

type Scalar = string | number | boolean;

/** A bound that depends on the instant of the request; undefined when it leaves the years that there are. */
type DeferredBound = (now: bigint) => string | undefined;
/** A bound as it is parsed, before the instant of the request is known. */
export type ParsedBound = string | number | DeferredBound;

/** The operand of a condition. Both bounds are included. Text is folded by the database, never here. */
export interface Operand<Bound = string | number> {
  /** Whether there is a value at all. */
  given: boolean;
  values: Scalar[];
  from?: Bound;
  to?: Bound;
  /** The bounds of an answer as instants, where they can be read so. The form decides whether they are compared so. */
  span?: { from?: Bound | undefined; to?: Bound | undefined };
  place?: Place;
  /** The currency of an amount, where it is not the euro. */
  currency?: string;
}

/** A relative date in an operand, and what to say of it when it leaves the years that there are. */
export interface RelativeOperand {
  name: string;
  value: unknown;
  message: string;
  date: RelativeDate;
}

/** Receives the findings of parsing an operand. */
export interface OperandReport {
  refuse(name: string, message: string, value?: unknown): undefined;
  addRelative(operand: RelativeOperand): void;
}

interface RangeBounds {
  from: ParsedBound;
  to: ParsedBound;
  relative?: RelativeDate;
}

/** Values of one list. */
export const { listValues: listLimit } = limits.search;

const wholeNumber = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
};

const readDecimal = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && /^-?\d{1,15}(\.\d{1,15})?$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
};

/** An amount as text or number, in minor units: those of euros are cents, and yen have no smaller ones. */
const readAmount = (value: unknown, decimals: number): number | undefined => {
  const found = /^(-?)(\d{1,14})(?:\.(\d{1,4}))?$/.exec(
    typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '',
  );
  const [, sign, whole, part = ''] = found ?? [];
  if (!found || part.length > decimals) return;
  const amount = Number(`${whole}${part.padEnd(decimals, '0')}`);
  return Number.isSafeInteger(amount) ? (sign ? -amount : amount) : undefined;
};

interface KindOfValue {
  read(value: unknown): Scalar | RangeBounds | undefined;
  want: string;
}

/** Amounts in a currency that a condition names. */
const describeAmounts = (currency: string): KindOfValue => {
  const decimals = countDecimals(currency);
  return {
    read: (value) => readAmount(value, decimals),
    want: `must be an amount in ${currency}, with at most ${decimals} decimals`,
  };
};

const genders = new Map(['M', 'F', 'O'].map((gender) => [gender, gender]));

const flags = new Map<unknown, boolean>([
  [true, true],
  [false, false],
  ['true', true],
  ['false', false],
  ['1', true],
  ['0', false],
  [1, true],
  [0, false],
]);

/** How a value of each kind is read, and how it must look. */
const kinds: Record<ValueKind, KindOfValue> = {
  text: {
    read: readVisibleText,
    want: 'must be a text that is not blank, at most 256 characters',
  },
  phone: {
    read: (value) => (/\p{Nd}/u.test(text(value) ?? '') ? text(value) : undefined),
    want: 'must be a text with a digit',
  },
  instant: {
    read: (value) => readDate(value, formatMicros),
    want: 'must be a date such as 2026-11-21, a date-time of RFC 3339, or relative such as now-30d',
  },
  day: {
    read: (value) => readSearchedDay(value),
    want: 'must be a date such as 2026-11-21, a date-time of RFC 3339, or relative such as now-18y',
  },
  cents: {
    read: (value) => readAmount(value, 2),
    want: 'must be an amount in euros such as "99.90", with at most two decimals',
  },
  whole: { read: wholeNumber, want: 'must be a whole number' },
  decimal: { read: readDecimal, want: 'must be a number such as 48.8566' },
  id: {
    read: (value) => ((wholeNumber(value) ?? -1) >= 0 ? wholeNumber(value) : undefined),
    want: 'must be an id: a whole number from 0 to 9007199254740991',
  },
  flag: { read: (value) => flags.get(value), want: 'must be true or false' },
  gender: {
    read: (value) => genders.get(text(value)?.trim().toUpperCase() ?? ''),
    want: 'must be M, F or O',
  },
  ageCategory: {
    read: (value) => ([0, 1, 2, 3, 4, 5, 6].includes(wholeNumber(value) ?? -1) ? wholeNumber(value) : undefined),
    want: 'must be a whole number from 0 to 6',
  },
  year: {
    read: (value) => (/^\d{4}$/.test(text(value) ?? '') && Number(value) > 0 ? Number(value) : undefined),
    want: 'must be a year such as "2026"',
  },
  validity: {
    read: (value) => (value === 'ongoing' || value === 'ended' ? value : undefined),
    want: 'must be ongoing or ended',
  },
  answer: {
    read: (value) => (typeof value === 'boolean' ? String(value) : readVisibleText(value)),
    want: 'must be a text that is not blank, at most 256 characters',
  },
  record: {
    read: () => undefined,
    want: 'must be conditions on one record: a list `$all` or `$at_least_one`',
  },
  circle: {
    read: () => undefined,
    want: 'must be `{ km, point: { latitude, longitude } }`, or the same with `contact_id` or `postal_code` in the place of `point`',
  },
  area: {
    read: () => undefined,
    want: 'must be `{ polygon }`: the coordinates of a GeoJSON polygon, such as `[[[2.2, 48.8], [2.4, 48.8], [2.4, 48.9], [2.2, 48.8]]]`',
  },
};

/** The form of a value of each kind, for the documentation. */
export const kindRows = Object.entries(kinds).map(([kind, { want }]) => ({ kind, want: want.replace('must be ', '') }));

const wholeDay = 86_400_000_000n;

const readDate = (value: unknown, format: (micros: bigint) => string, formatFrom = format): RangeBounds | undefined => {
  const date = typeof value === 'string' ? parseDate(value) : undefined;
  if (!date) return;
  if ('at' in date) {
    const { from, to } = getDateSpan(date);
    return { from: formatFrom(from), to: format(to) };
  }
  const defer =
    (print: (micros: bigint) => string): DeferredBound =>
    (now) => {
      const at = resolveRelativeDate(date, now);
      return at === undefined ? undefined : print(at);
    };
  return { from: defer(formatFrom), to: defer(format), relative: date };
};

/** A day is what is written. It begins at an instant, so "from a relative date on" means from the next midnight on. */
const readSearchedDay = (value: unknown): RangeBounds | undefined => {
  const day = typeof value === 'string' ? parseDay(value) : undefined;
  return day ? { from: day, to: day } : readDate(value, formatUtcDay, (from) => formatUtcDay(from + wholeDay - 1n));
};

const wantedPeriod =
  'must be this, previous or following day, week, month, quarter or year, such as this_year, or the last or next 1 to 9999 days, weeks, months or years, such as last_90_days';

/** The bounds of a span of time. The last days end with the day of the request, and the next days begin with it. */
const readPeriodBounds = ({ from, to, of }: Period, isDay: boolean): Pick<RangeBounds, 'from' | 'to'> => {
  const print = isDay ? formatUtcDay : formatMicros;
  const defer =
    (date: RelativeDate, shift: bigint): DeferredBound =>
    (now) => {
      const at = resolveRelativeDate(date, now);
      return at === undefined ? undefined : print(at + shift);
    };
  if (of === 'calendar') return { from: defer(from, 0n), to: defer(to, -1n) };
  return {
    from: defer(from, isDay && of === 'past' ? wholeDay : 0n),
    to: defer(to, isDay && of === 'future' ? -wholeDay : 0n),
  };
};

const resolveBound = (bound: ParsedBound | undefined, now: bigint): string | number | undefined =>
  typeof bound === 'function' ? bound(now) : bound;

/** Whether an operand depends on the instant of the request. */
export const isDeferred = ({ from, to, span }: Operand<ParsedBound>): boolean =>
  [from, to, span?.from, span?.to].some((bound) => typeof bound === 'function');

/** The operand at the instant of the request. Its relative dates must lie within the years that there are, except in an answer. */
export const resolveOperand = ({ from, to, span, ...rest }: Operand<ParsedBound>, now: bigint): Operand => ({
  ...rest,
  ...(from !== undefined && { from: resolveBound(from, now)! }),
  ...(to !== undefined && { to: resolveBound(to, now)! }),
  ...(span && { span: { from: resolveBound(span.from, now), to: resolveBound(span.to, now) } }),
});

/** Reads the operand of a condition from `value`, or `from` and `to`, and reports what is wrong with it. */
export const parseOperand = (
  kind: ValueKind,
  operator: Operator,
  sent: Record<string, unknown>,
  report: OperandReport,
  currency?: string,
): Operand<ParsedBound> => {
  const described = kind === 'cents' && currency ? describeAmounts(currency) : kinds[kind];
  return { ...readOperand(kind, described, operator, sent, report), ...(currency && { currency }) };
};

const readOperand = (
  kind: ValueKind,
  { read, want }: KindOfValue,
  operator: Operator,
  sent: Record<string, unknown>,
  { refuse, addRelative }: OperandReport,
): Operand<ParsedBound> => {
  const nothing: Operand<ParsedBound> = { given: false, values: [] };
  const one = (name: string): Scalar | RangeBounds | undefined => {
    const value = sent[name];
    if (value === undefined || value === null) return refuse(name, 'is required');
    const found = read(value);
    if (typeof found === 'object' && found.relative) addRelative({ name, value, message: want, date: found.relative });
    return found ?? refuse(name, want, value);
  };
  const ends = (value: Scalar | RangeBounds): RangeBounds =>
    typeof value === 'object' ? value : { from: value as number, to: value as number };
  const instants = (value: unknown): RangeBounds | undefined => readDate(value, formatMicros);
  switch (operators[operator].takes) {
    case 'nothing':
    case 'conditions':
    case 'place':
      return nothing;
    case 'period': {
      const { value } = sent;
      const period = typeof value === 'string' ? parsePeriod(value) : undefined;
      const message = value === undefined || value === null ? 'is required' : wantedPeriod;
      if (!period) return refuse('value', message, value ?? undefined) ?? nothing;
      // Only the end that is not now may leave the years that there are.
      const date = period.of === 'future' ? period.to : period.from;
      addRelative({ name: 'value', value, message: wantedPeriod, date });
      return { given: true, values: [], ...readPeriodBounds(period, kind === 'day') };
    }
    case 'list': {
      const given = sent.value;
      const list = typeof given === 'string' ? given.split(',').map((item) => item.trim()) : given;
      if (!Array.isArray(list))
        return refuse('value', list === undefined ? 'is required' : 'must be an array', list) ?? nothing;
      if (list.length === 0 || list.length > listLimit)
        return refuse('value', `must be 1 to ${listLimit} values`, list.length) ?? nothing;
      const values = list.map((item, index) => read(item) ?? refuse(`value[${index}]`, want, item));
      return { given: true, values: values as (string | number)[] };
    }
    case 'range': {
      if (operator === 'period') return readPeriod(sent, refuse) ?? nothing;
      const [from, to] = [one('from'), one('to')];
      if (from === undefined || to === undefined) return nothing;
      return {
        given: true,
        values: [],
        from: ends(from).from,
        to: ends(to).to,
        ...(kind === 'answer' && { span: { from: instants(from)?.from, to: instants(to)?.to } }),
      };
    }
    case 'value': {
      // Presence of the reference values alone (spec §4.13, form attributes, rule 2).
      if (
        kind === 'answer' &&
        (operator === 'eql' || operator === 'not_eql') &&
        (sent.value === undefined || sent.value === null)
      )
        return nothing;
      const value = one('value');
      if (value === undefined) return nothing;
      const { from, to } = ends(value);
      if (operator === 'lte')
        return { given: true, values: [], to, ...(kind === 'answer' && { span: { to: instants(to)?.to } }) };
      if (operator === 'gte')
        return { given: true, values: [], from, ...(kind === 'answer' && { span: { from: instants(from)?.from } }) };
      return typeof value === 'object' ? { given: true, values: [], from, to } : { given: true, values: [value] };
    }
  }
};

/** Whether it is a day of some year, `MM-DD`: 2000 had all of them. */
const isDayOfYear = (value: unknown): value is string =>
  typeof value === 'string' && value.length === 5 && parseDay(`2000-${value}`) !== undefined;

const readPeriod = (sent: Record<string, unknown>, refuse: OperandReport['refuse']): Operand | undefined => {
  const [from, to, more] = typeof sent.value === 'string' ? sent.value.split('/') : [sent.from, sent.to];
  if (isDayOfYear(from) && isDayOfYear(to) && more === undefined) return { given: true, values: [], from, to };
  if (sent.value !== undefined && sent.value !== null)
    return refuse('value', 'must be a part of the year such as 12-15/01-15, of days that exist', sent.value);
  const name = isDayOfYear(from) ? 'to' : 'from';
  return refuse(name, 'must be a day of the year such as 12-15, one that exists', sent[name]);
};
