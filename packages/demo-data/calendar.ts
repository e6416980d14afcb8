// Dates and times of the seed, relative to a fixed time, in the format of PostgreSQL.

/** 2026-11-21T00:00:00Z, in seconds. No past event is later. */
export const reference = Date.UTC(2026, 10, 21) / 1000;
export const daySeconds = 86_400;

const pad = (n: number): string => (n < 10 ? `0${n}` : `${n}`);
const minutes = Array.from({ length: 1440 }, (_, m) => ` ${pad(Math.floor(m / 60))}:${pad(m % 60)}:`);
const seconds = Array.from({ length: 60 }, (_, s) => `${pad(s)}+00`);
const days: string[] = new Array(100_000);
/** The number of supported days before 1970. */
const before = 40_000;

/** Formats a day, counted from 1970-01-01. */
export const formatDate = (day: number): string => {
  days[day + before] ??= new Date(day * daySeconds * 1000).toISOString().slice(0, 10);
  return days[day + before]!;
};

export const countDays = (year: number, month: number, date: number): number =>
  Date.UTC(year, month - 1, date) / 1000 / daySeconds;

/** Formats a time, in whole seconds since 1970. */
export const formatInstant = (second: number): string => {
  const day = Math.floor(second / daySeconds);
  const rest = second - day * daySeconds;
  return formatDate(day) + (minutes[Math.floor(rest / 60)] as string) + (seconds[rest % 60] as string);
};

/** Formats a time with microseconds, for the few columns in which clients compare them. */
export const formatInstantWithMicros = (second: number, micros: number): string =>
  `${formatInstant(second).slice(0, -3)}.${String(micros).padStart(6, '0')}+00`;

/** Formats a time, but never one after the last second before the reference. */
export const formatPastInstant = (second: number): string => formatInstant(Math.min(second, reference - 1));
