// In charge of time in the seed: everything is told from one fixed instant, and written as PostgreSQL reads it.

/** 2026-11-21T00:00:00Z, in seconds. Nothing that has happened is later. */
export const reference = Date.UTC(2026, 10, 21) / 1000;
export const daySeconds = 86_400;

const pad = (n: number): string => (n < 10 ? `0${n}` : `${n}`);
const minutes = Array.from({ length: 1440 }, (_, m) => ` ${pad(Math.floor(m / 60))}:${pad(m % 60)}:`);
const seconds = Array.from({ length: 60 }, (_, s) => `${pad(s)}+00`);
const days: string[] = new Array(100_000);
/** Days before 1970 that can be told. */
const before = 40_000;

/** The date of a day counted from 1970-01-01. */
export const formatDate = (day: number): string => {
  const known = days[day + before];
  if (known !== undefined) return known;
  const text = new Date(day * daySeconds * 1000).toISOString().slice(0, 10);
  days[day + before] = text;
  return text;
};

export const countDays = (year: number, month: number, date: number): number =>
  Date.UTC(year, month - 1, date) / 1000 / daySeconds;

/** The instant of a whole number of seconds since 1970. */
export const formatInstant = (second: number): string => {
  const day = Math.floor(second / daySeconds);
  const rest = second - day * daySeconds;
  return formatDate(day) + (minutes[Math.floor(rest / 60)] as string) + (seconds[rest % 60] as string);
};

/** The same with microseconds, for the few columns where clients compare them. */
export const formatInstantWithMicros = (second: number, micros: number): string =>
  `${formatInstant(second).slice(0, -3)}.${String(micros).padStart(6, '0')}+00`;

/** The same instant, or the last second before the reference when that comes first. */
export const formatPastInstant = (second: number): string => formatInstant(Math.min(second, reference - 1));
