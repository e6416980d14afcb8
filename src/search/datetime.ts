// Dates: dates and date-times of RFC 3339, and the relative dates of a search (decisions on spec §4.13), in microseconds.

const second = 1_000_000n;
const day = 86_400n * second;

const relativeDate = /^now((?:[+-]\d{1,6}[yMwdhms])*)(?:\/([yMwdh]))?$/;
const dateOnly = /^(\d{4})-(\d{2})-(\d{2})$/;
const dateTime = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

const lastDay = (year: number, month: number): number =>
  new Date(Date.UTC(2000 + (((year % 400) + 400) % 400), month, 0)).getUTCDate();

const micros = (year: number, month: number, date: number, clock = 0): bigint => {
  const instant = new Date(0);
  instant.setUTCFullYear(year, month - 1, date);
  return BigInt(instant.getTime() + clock) * 1000n;
};

const earliest = micros(1, 1, 1);
const latest = micros(10_000, 1, 1);

/** Microseconds since 1970 as text of RFC 3339. */
export const formatMicros = (value: bigint): string => {
  const part = ((value % second) + second) % second;
  const text = new Date(Number((value - part) / 1000n)).toISOString();
  return `${text.slice(0, 19)}.${String(part).padStart(6, '0')}Z`;
};

const addMonths = (value: bigint, count: number): bigint => {
  const instant = new Date(Number(value / 1000n) - (value % 1000n < 0n ? 1 : 0));
  const index = instant.getUTCFullYear() * 12 + instant.getUTCMonth() + count;
  const [year, month] = [Math.floor(index / 12), (((index % 12) + 12) % 12) + 1];
  // Beyond some hundred thousand years there is no Date to compute with.
  if (year < 1 || year > 9999) return year < 1 ? earliest - 1n : latest;
  const start = micros(year, month, Math.min(instant.getUTCDate(), lastDay(year, month)));
  return start + (((value % day) + day) % day);
};

const unitMicros: Record<string, bigint> = { w: 7n * day, d: day, h: 3600n * second, m: 60n * second, s: second };

const floorTo = (value: bigint, unit: string): bigint => {
  const start = value - (((value % day) + day) % day);
  const at = new Date(Number(start / 1000n));
  if (unit === 'h') return value - (((value % unitMicros.h!) + unitMicros.h!) % unitMicros.h!);
  if (unit === 'd') return start;
  // Weeks begin on Monday.
  if (unit === 'w') return start - BigInt((at.getUTCDay() + 6) % 7) * day;
  const month = at.getUTCMonth();
  return micros(at.getUTCFullYear(), unit === 'M' ? month + 1 : unit === 'q' ? month - (month % 3) + 1 : 1, 1);
};

/** A date relative to the instant of the request, such as `now-30d/d`: steps from it, then a unit to round down to. */
export interface RelativeDate {
  steps: { count: number; unit: string }[];
  floor: string | undefined;
}

const parseRelativeDate = (text: string): RelativeDate | undefined => {
  const found = relativeDate.exec(text);
  if (!found) return;
  const steps = [...found[1]!.matchAll(/([+-]\d+)([yMwdhms])/g)].map(([, count, unit]) => ({
    count: Number(count),
    unit: unit!,
  }));
  return { steps, floor: found[2] };
};

/** The instant of a relative date; undefined when it leaves the years 1 to 9999. */
export const resolveRelativeDate = ({ steps, floor }: RelativeDate, now: bigint): bigint | undefined => {
  let value = now;
  for (const { count, unit } of steps) {
    value =
      unit === 'y' || unit === 'M'
        ? addMonths(value, unit === 'y' ? count * 12 : count)
        : value + BigInt(count) * unitMicros[unit]!;
    if (value < earliest || value >= latest) return;
  }
  return floor ? floorTo(value, floor) : value;
};

/** A span of time relative to the instant of the request: from one relative date to another. */
export interface Period {
  from: RelativeDate;
  to: RelativeDate;
  /** A day, week, month, quarter or year of the calendar ends before `to`; any other is as long before or after the request. */
  of: 'calendar' | 'past' | 'future';
}

const calendarPeriod = /^(this|previous|following)_(day|week|month|quarter|year)$/;
const lastingPeriod = /^(last|next)_([1-9]\d{0,3})_(day|week|month|year)s?$/;
/** The step of each unit of the calendar, and the unit to round down to. */
const calendarUnits: Record<string, { count: number; unit: string; floor: string }> = {
  day: { count: 1, unit: 'd', floor: 'd' },
  week: { count: 1, unit: 'w', floor: 'w' },
  month: { count: 1, unit: 'M', floor: 'M' },
  quarter: { count: 3, unit: 'M', floor: 'q' },
  year: { count: 1, unit: 'y', floor: 'y' },
};
const turns: Record<string, number> = { previous: -1, this: 0, following: 1 };

/** Reads a period such as `this_year`, `previous_month`, `last_90_days`. */
export const parsePeriod = (text: string): Period | undefined => {
  const [, turn, name] = calendarPeriod.exec(text) ?? [];
  if (turn !== undefined) {
    const { count, unit, floor } = calendarUnits[name!]!;
    const at = (times: number): RelativeDate => ({ steps: [{ count: count * times, unit }], floor });
    return { from: at(turns[turn]!), to: at(turns[turn]! + 1), of: 'calendar' };
  }
  const [, side, count, unit] = lastingPeriod.exec(text) ?? [];
  if (side === undefined) return undefined;
  const now: RelativeDate = { steps: [], floor: undefined };
  const at = (times: number): RelativeDate => ({
    steps: [{ count: times, unit: calendarUnits[unit!]!.unit }],
    floor: undefined,
  });
  return side === 'last'
    ? { from: at(-Number(count)), to: now, of: 'past' }
    : { from: now, to: at(Number(count)), of: 'future' };
};

/** An instant in microseconds, and whether the text named its whole day. */
interface AbsoluteDate {
  at: bigint;
  whole: boolean;
}

/** Reads a date, which is its midnight, or a date-time of RFC 3339. */
export const parseAbsoluteDate = (text: string): AbsoluteDate | undefined => {
  const found = dateOnly.exec(text) ?? dateTime.exec(text);
  if (!found) return;
  const [year, month, date] = [Number(found[1]), Number(found[2]), Number(found[3])];
  if (year < 1 || month < 1 || month > 12 || date < 1 || date > lastDay(year, month)) return;
  if (found[4] === undefined) return { at: micros(year, month, date), whole: true };
  const [hour, minute, seconds] = [Number(found[4]), Number(found[5]), Number(found[6])];
  const [aheadHours, aheadMinutes] = [Number(found[9] ?? 0), Number(found[10] ?? 0)];
  if (hour > 23 || minute > 59 || seconds > 59 || aheadHours > 23 || aheadMinutes > 59) return;
  const ahead = (aheadHours * 60 + aheadMinutes) * (found[8] === '-' ? -1 : 1);
  const clock = ((hour * 60 + minute - ahead) * 60 + seconds) * 1000;
  const at = micros(year, month, date, clock) + BigInt((found[7] ?? '').slice(0, 6).padEnd(6, '0'));
  return at < earliest || at >= latest ? undefined : { at, whole: false };
};

/** The day of a date or a date-time as it is written, whatever its offset: a day has no zone. */
export const parseDay = (text: string): string | undefined => (parseAbsoluteDate(text) ? text.slice(0, 10) : undefined);

/** Reads a date, a date-time or a relative date. Reading looks at no clock: `resolveRelativeDate` takes the instant of the request. */
export const parseDate = (text: string): AbsoluteDate | RelativeDate | undefined =>
  parseAbsoluteDate(text) ?? parseRelativeDate(text);

/** The first and the last instant of an absolute date: those of its UTC day for a date alone. */
export const getDateSpan = ({ at, whole }: AbsoluteDate): { from: bigint; to: bigint } => ({
  from: at,
  to: whole ? at + day - 1n : at,
});

/** The UTC day of an instant. */
export const formatUtcDay = (value: bigint): string => formatMicros(value).slice(0, 10);

/** This instant. */
export const getCurrentMicros = (): bigint => BigInt(Date.now()) * 1000n;
