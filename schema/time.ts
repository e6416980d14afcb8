// Times as text: RFC 3339 in, PostgreSQL's own text out, microseconds kept. User text never reaches a cast of the database.

const form = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;
const dayForm = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Whether this day is in the calendar, years 0001 to 9999. */
const isDay = (year: number, month: number, day: number): boolean =>
  year >= 1 &&
  month >= 1 &&
  month <= 12 &&
  day >= 1 &&
  day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();

/** The instant that an RFC 3339 text names, in UTC with up to six digits of a second; undefined when it names none. */
export const parseDateTime = (text: string): string | undefined => {
  const found = form.exec(text);
  if (!found) return;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const [fraction = '', sign, offsetHour = '0', offsetMinute = '0'] = found.slice(7);
  if (!isDay(year, month, day) || hour > 23 || minute > 59 || second > 59 || +offsetHour > 23 || +offsetMinute > 59)
    return;
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * (sign === '-' ? -1 : 1);
  const instant = new Date(0);
  instant.setUTCFullYear(year, month - 1, day);
  instant.setUTCHours(hour, minute - offset, second);
  if (instant.getUTCFullYear() < 1 || instant.getUTCFullYear() > 9999) return;
  const micros = fraction.slice(0, 6).replace(/0+$/, '');
  return `${instant.toISOString().slice(0, 19)}${micros && `.${micros}`}Z`;
};

/** The day that a date, or a date-time in UTC, names; undefined when it names none. */
export const parseDate = (text: string): string | undefined => {
  const found = dayForm.exec(text);
  if (!found) return parseDateTime(text)?.slice(0, 10);
  const [year, month, day] = found.slice(1).map(Number) as [number, number, number];
  return isDay(year, month, day) ? text : undefined;
};

/** PostgreSQL's text of a timestamp in UTC, of a column (`2026-11-21 02:56:41.1+00`) or in JSON (`…T…+00:00`), as RFC 3339. */
export const printDateTime = (text: string): string =>
  `${text.slice(0, 10)}T${text.slice(11).replace(/\+00(:00)?$/, '')}Z`;
