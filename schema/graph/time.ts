// Times as text: RFC 3339 in, PostgreSQL's own text out, microseconds kept. User text never reaches a cast of the database.
import { formatMicros, formatUtcDay, parseAbsoluteDate } from '../../src/search/datetime.ts';

/** The instant that an RFC 3339 text names, in UTC with six digits of a second; undefined when it names none. */
export const parseDateTime = (text: string): string | undefined => {
  const moment = parseAbsoluteDate(text);
  return moment && !moment.whole ? formatMicros(moment.at) : undefined;
};

/** The day that a date, or a date-time in UTC, names; undefined when it names none. */
export const parseDate = (text: string): string | undefined => {
  const moment = parseAbsoluteDate(text);
  return moment && formatUtcDay(moment.at);
};

/** PostgreSQL's text of a timestamp in UTC, of a column (`2026-11-21 02:56:41.1+00`) or in JSON (`…T…+00:00`), as RFC 3339. */
export const printDateTime = (text: string): string =>
  `${text.slice(0, 10)}T${text.slice(11).replace(/\+00(:00)?$/, '')}Z`;
