// Reads days and instants as spreadsheets and people write them.

/** The order of year, month and day in a date. */
export const dayOrders = ['ymd', 'dmy', 'mdy'] as const;
export type DayOrder = (typeof dayOrders)[number];

export interface DayOptions {
  days: DayOrder;
  /** Whether a number is a day as Excel counts days. */
  dates?: 'excel' | undefined;
  /** How many years ahead of now a year of two digits may be; none for what is past, such as a birth. */
  comingYears?: number;
}

/** For days that may come, such as the end of a membership. */
export const usualComingYears = 20;

/** The beginnings of the names of months in French, English and German, without accents. */
const monthNames = 'jan,fev feb,mar mrz,avr apr,mai may,juin jun,juil jul,aou aug,sep,oct okt,nov,dec dez'
  .split(',')
  .map((starts) => starts.split(' '));

/** The number of a month, 0 for a name that is none. */
const findMonth = (name: string): number => {
  const folded = name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return monthNames.findIndex((starts) => starts.some((start) => folded.startsWith(start))) + 1;
};

const numbers = /^(\d{1,4})([./ -])(\d{1,2})\2(\d{1,4})(?:[ Tt](.+))?$/;
const named = /^(\d{1,2})(?:\. ?|[ -])([\p{L}\p{M}]{3,12})(?:\.?[ -]|\.)(\d{2}|\d{4})(?: (.+))?$/u;
const clock = /^(\d{1,2}):(\d{2})(?::(\d{2})(\.\d+)?)?(?: ?([AaPp])\.?[Mm]\.?)?(Z|z|[+-]\d{2}:?\d{2})?$/;
const serial = /^(\d{1,7})(?:[.,](\d{1,12}))?$/;

const writeDay = (year: number, month: number, date: number): string | undefined => {
  const day = new Date(0);
  day.setUTCFullYear(year, month - 1, date);
  const exists = month > 0 && year > 0 && year < 10_000 && day.getUTCMonth() === month - 1 && day.getUTCDate() === date;
  return exists ? day.toISOString().slice(0, 10) : undefined;
};

/** Creates the writer of days with years of two digits: they lie in the hundred years that end now, or `comingYears` ahead of now. */
const createShortDayWriter =
  (comingYears: number): typeof writeDay =>
  (year, month, date) => {
    const last = new Date();
    last.setUTCFullYear(last.getUTCFullYear() + comingYears);
    const century = Math.floor(last.getUTCFullYear() / 100) * 100;
    const day = writeDay(century + year, month, date);
    const isWithin = day !== undefined && day <= last.toISOString().slice(0, 10);
    return isWithin ? day : writeDay(century - 100 + year, month, date);
  };

/** Reads the time of a day: midnight for no text, undefined for a text that is no time. */
const readClock = (text: string | undefined): { time: string; zone: string } | undefined => {
  if (text === undefined) return { time: '00:00:00', zone: 'Z' };
  const [, hour, minute, second = '00', fraction = '', half, zone = 'Z'] = clock.exec(text) ?? [];
  if (hour === undefined) return undefined;
  const hours = half ? (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0) : Number(hour);
  if (hours > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  return { time: `${String(hours).padStart(2, '0')}:${minute}:${second}${fraction}`, zone };
};

/** Finds year, month and date of three numbers by the order. A number of four digits is the year. */
const orderNumbers = (
  [first, second, third]: [string, string, string],
  order: DayOrder,
  writeShortDay: typeof writeDay,
): string | undefined => {
  const [a, b, c] = [Number(first), Number(second), Number(third)];
  if (first.length === 4) return third.length <= 2 ? writeDay(a, b, c) : undefined;
  if (order === 'ymd' || first.length > 2 || third.length === 1 || third.length === 3) return undefined;
  const write = third.length === 2 ? writeShortDay : writeDay;
  return order === 'dmy' ? write(c, b, a) : write(c, a, b);
};

const readMoment = (text: string, { days, dates, comingYears = 0 }: DayOptions) => {
  const writeShortDay = createShortDayWriter(comingYears);
  const [, first, , second, third, after] = numbers.exec(text) ?? [];
  const [, date, month, year, afterName] = first === undefined ? (named.exec(text) ?? []) : [];
  const at = readClock(after ?? afterName);
  if (!at) return undefined;
  if (first !== undefined || date !== undefined) {
    const write = year?.length === 2 ? writeShortDay : writeDay;
    const day = first
      ? orderNumbers([first, second!, third!], days, writeShortDay)
      : write(Number(year), findMonth(month!), Number(date));
    return day === undefined ? undefined : { day, ...at };
  }
  const [, whole, part = '0'] = (dates === 'excel' && serial.exec(text)) || [];
  if (whole === undefined || Number(whole) < 1) return undefined;
  const moment = new Date(Date.UTC(1899, 11, 30) + Math.round(Number(`${whole}.${part}`) * 86_400) * 1000);
  if (Number.isNaN(moment.getTime()) || moment.getUTCFullYear() > 9999) return undefined;
  const [day, time] = moment.toISOString().split('T') as [string, string];
  return { day, time: time.slice(0, 8), zone: 'Z' };
};

/** Says what a day must be, and which option would read this one. */
const createDayError = (text: string, options: DayOptions, what: string): Error => {
  const examples: Record<DayOrder, string> = {
    ymd: '2026-11-21',
    dmy: '21/11/2026 or 2026-11-21',
    mdy: '11/21/2026 or 2026-11-21',
  };
  const orders = dayOrders.filter((days) => readMoment(text, { ...options, days }) !== undefined);
  const isSerial = options.dates !== 'excel' && /^\d{4,5}$/.test(text) && !/^(1[89]|20)\d\d$/.test(text);
  const advice =
    orders.length > 0
      ? `; ${orders.map((days) => `--days ${days}`).join(' or ')} would read it`
      : isSerial
        ? '; --dates excel would read it as a day that Excel counts'
        : '';
  const order = options.days === 'ymd' ? '' : ` with --days ${options.days}`;
  return new Error(`must be ${what} such as ${examples[options.days]}${order}, years 0001 to 9999${advice}`);
};

const plainDay = /^\d{4}-\d{2}-\d{2}$/;

/** Creates the reader of days. A day with a time is the day that is written, whatever its zone. */
export const createDayReader =
  (options: DayOptions) =>
  (text: string): string => {
    if (plainDay.test(text)) return text;
    const moment = readMoment(text, options);
    if (!moment) throw createDayError(text, options, 'a date');
    return moment.day;
  };

/** Creates the reader of instants. A date alone means its midnight in UTC. */
export const createInstantReader =
  (options: DayOptions) =>
  (text: string): string => {
    if (plainDay.test(text)) return `${text}T00:00:00Z`;
    const moment = readMoment(text, options);
    if (!moment) throw createDayError(text, options, 'a date-time of RFC 3339, or a date');
    const zone = /^[+-]\d{4}$/.test(moment.zone) ? `${moment.zone.slice(0, 3)}:${moment.zone.slice(3)}` : moment.zone;
    return `${moment.day}T${moment.time}${zone.toUpperCase()}`;
  };
