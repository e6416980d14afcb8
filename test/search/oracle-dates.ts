// The meaning of a date in a query or an answer: an instant to the microsecond, or a whole UTC day (decisions §2 relative dates, §4 Dates).

/** Both ends included, in microseconds since 1970. An instant is a span of one microsecond. */
export interface Span {
  from: bigint;
  to: bigint;
}

/** The operand of a condition. */
export interface Asked {
  value?: unknown;
  from?: unknown;
  to?: unknown;
}

const dayLength = 86_400_000_000n;

interface Parts {
  year: number;
  month: number;
  day: number;
  /** Microseconds since midnight. */
  time: bigint;
}

const daysIn = (year: number, month: number): number => {
  const last = new Date(0);
  last.setUTCFullYear(year, month, 0);
  return last.getUTCDate();
};

const toMicros = ({ year, month, day, time }: Parts): bigint => {
  const date = new Date(0);
  // Date.UTC takes the years 0 to 99 for those of the last century.
  date.setUTCFullYear(year, month - 1, day);
  return BigInt(date.getTime()) * 1000n + time;
};

const floorDiv = (value: bigint, by: bigint): bigint => {
  const quotient = value / by;
  return value % by < 0n ? quotient - 1n : quotient;
};

const toParts = (micros: bigint): Parts => {
  const days = floorDiv(micros, dayLength);
  const date = new Date(Number(days) * 86_400_000);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    time: micros - days * dayLength,
  };
};

const shape = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d))?$/;

/** A date (YYYY-MM-DD) or an RFC 3339 date-time; undefined when the text is neither, or names a day that never was. */
export const readDate = (text: string): Span | undefined => {
  const match = shape.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as number[];
  if (year! < 1 || month! < 1 || month! > 12 || day! < 1 || day! > daysIn(year!, month!)) return undefined;
  const midnight = toMicros({ year: year!, month: month!, day: day!, time: 0n });
  if (match[4] === undefined) return { from: midnight, to: midnight + dayLength - 1n };
  if (hour! > 23 || minute! > 59 || second! > 59) return undefined;
  const fraction = BigInt((match[7] ?? '').padEnd(6, '0').slice(0, 6));
  const zone = match[8]!;
  const offset =
    zone === 'Z' ? 0 : (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4))) * (zone[0] === '-' ? -1 : 1);
  const at = midnight + BigInt((hour! * 60 + minute! - offset) * 60 + second!) * 1_000_000n + fraction;
  return { from: at, to: at };
};

const memory = new Map<string, bigint>();

/** An instant or a date as the database keeps it; a date is its midnight. */
export const parseMicros = (text: string): bigint => {
  let at = memory.get(text);
  if (at === undefined) {
    at = readDate(text)?.from;
    if (at === undefined) throw new Error(`No date: ${text}`);
    memory.set(text, at);
  }
  return at;
};

const second = 1_000_000n;
const lengths: Record<string, bigint> = {
  w: 7n * dayLength,
  d: dayLength,
  h: 3600n * second,
  m: 60n * second,
  s: second,
};

const addMonths = (at: bigint, count: number): bigint => {
  const parts = toParts(at);
  const months = parts.year * 12 + parts.month - 1 + count;
  const year = Math.floor(months / 12);
  const month = (months % 12) + 1;
  return toMicros({ year, month, day: Math.min(parts.day, daysIn(year, month)), time: parts.time });
};

const roundDown = (at: bigint, unit: string): bigint => {
  if (unit === 'h') return floorDiv(at, lengths.h!) * lengths.h!;
  const parts = { ...toParts(at), time: 0n };
  if (unit === 'd') return toMicros(parts);
  if (unit === 'M') return toMicros({ ...parts, day: 1 });
  if (unit === 'y') return toMicros({ ...parts, month: 1, day: 1 });
  const midnight = toMicros(parts);
  // 1970 began on a Thursday; weeks begin on Monday.
  const weekday = (Number(floorDiv(midnight, dayLength)) + 3) % 7;
  return midnight - BigInt((weekday + 7) % 7) * dayLength;
};

/** A date of a query: absolute, or relative to the one `now` of the request. */
export const parseSpan = (value: unknown, now: bigint): Span => {
  if (typeof value !== 'string') throw new Error(`No date: ${JSON.stringify(value)}`);
  const relative = /^now((?:[+-]\d+[yMwdhms])*)(?:\/([dwMyh]))?$/.exec(value);
  if (!relative) {
    const span = readDate(value);
    if (!span) throw new Error(`No date: ${value}`);
    return span;
  }
  let at = now;
  for (const [, sign, count, unit] of relative[1]!.matchAll(/([+-])(\d+)([yMwdhms])/g)) {
    const signed = Number(sign + count!);
    if (unit === 'y') at = addMonths(at, signed * 12);
    else if (unit === 'M') at = addMonths(at, signed);
    else at += BigInt(signed) * lengths[unit!]!;
  }
  if (relative[2]) at = roundDown(at, relative[2]);
  return { from: at, to: at };
};

/** The number of a unit of the calendar in the order of time; weeks begin on Monday, and 1970 began on a Thursday. */
const numberUnits: Record<string, (at: bigint) => bigint> = {
  day: (at) => floorDiv(at, dayLength),
  week: (at) => floorDiv(floorDiv(at, dayLength) + 3n, 7n),
  month: (at) => BigInt(toParts(at).year * 12 + toParts(at).month),
  quarter: (at) => BigInt(toParts(at).year * 4 + Math.ceil(toParts(at).month / 3)),
  year: (at) => BigInt(toParts(at).year),
};

/** Whether a date falls in a span of time: in the unit before, of or after that of the request; or in as long before or after it. */
const compilePeriodTest = (value: unknown, now: bigint, isDay: boolean): ((of: bigint) => boolean) => {
  const [side, ...rest] = String(value).split('_') as [string, ...string[]];
  if (rest.length === 1) {
    const number = numberUnits[rest[0]!]!;
    const wanted = number(now) + { previous: -1n, this: 0n, following: 1n }[side]!;
    return (at) => number(at) === wanted;
  }
  const count = Number(rest[0]) * (side === 'last' ? -1 : 1);
  const unit = rest[1]!.replace(/s$/, '');
  const end =
    unit === 'month' || unit === 'year'
      ? addMonths(now, count * (unit === 'year' ? 12 : 1))
      : now + BigInt(count) * lengths[unit[0]!]!;
  const [from, to] = side === 'last' ? [end, now] : [now, end];
  if (!isDay) return (at) => from <= at && at <= to;
  const number = numberUnits.day!;
  // As many days, with that of the request among them, and not the last one on the other side.
  return (at) =>
    side === 'last'
      ? number(from) < number(at) && number(at) <= number(to)
      : number(from) <= number(at) && number(at) < number(to);
};

/** A date alone is the whole of its day: lte includes it, gte starts with it, eql is any instant of it (decisions §4, Dates). */
export const compileMomentTest = (ope: string, asked: Asked, now: bigint): ((of: bigint) => boolean) => {
  if (ope === 'within') return compilePeriodTest(asked.value, now, false);
  if (ope === 'range') {
    const [{ from }, { to }] = [parseSpan(asked.from, now), parseSpan(asked.to, now)];
    return (at) => from <= at && at <= to;
  }
  const { from, to } = parseSpan(asked.value, now);
  if (ope === 'eql') return (at) => from <= at && at <= to;
  if (ope === 'lte') return (at) => at <= to;
  if (ope === 'gte') return (at) => at >= from;
  throw new Error(`No ${ope} on dates`);
};

/** A day has no zone: a date-time stands for the day that is written in it (decisions §3). A relative date stays an instant. */
export const compileDayTest = (ope: string, asked: Asked, now: bigint): ((of: bigint) => boolean) => {
  if (ope === 'within') return compilePeriodTest(asked.value, now, true);
  const cut = (value: unknown): unknown =>
    typeof value === 'string' && value.includes('T') ? value.slice(0, 10) : value;
  return compileMomentTest(ope, { value: cut(asked.value), from: cut(asked.from), to: cut(asked.to) }, now);
};

/** Month and day of a birthdate, `MM-DD`, whose alphabetical order is that of the calendar. */
export const extractBirthday = (date: string): string => date.slice(5);

/** A part of the year: `MM-DD/MM-DD`, or from and to; it may wrap over New Year. */
export const isInPeriod = (day: string, condition: Asked): boolean => {
  const [from, to] =
    typeof condition.value === 'string' ? condition.value.split('/') : [String(condition.from), String(condition.to)];
  if (!/^\d\d-\d\d$/.test(from!) || !/^\d\d-\d\d$/.test(to!))
    throw new Error(`No period: ${JSON.stringify(condition)}`);
  return from! <= to! ? from! <= day && day <= to! : from! <= day || day <= to!;
};
