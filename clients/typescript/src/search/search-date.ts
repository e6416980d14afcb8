// Dates of searches: a day, an instant, or a time relative to the request.

type Sign = '+' | '-';
type Floor = 'y' | 'M' | 'w' | 'd' | 'h';
type Unit = Floor | 'm' | 's';
type Day = `${number}-${number}-${number}`;

/** `now`, `now-18y`, `now-1y/M` (rounded down to the month), `now-1y+2M`. */
export type RelativeDate =
  | 'now'
  | `now/${Floor}`
  | `now${Sign}${number}${Unit}`
  | `now${Sign}${number}${Unit}/${Floor}`
  | `now${Sign}${number}${Unit}${Sign}${number}${Unit}`;

/** A date such as `2026-11-21`, a date-time of RFC 3339, or a relative date. */
export type SearchDate = Day | `${Day}T${string}` | RelativeDate;

const pattern = /^(\d{4}-\d{2}-\d{2}(T.+)?|now([+-]\d{1,6}[yMwdhms])*(\/[yMwdh])?)$/;

/** Reads a text from elsewhere, such as an input field, as a date. Throws a RangeError for any other text. */
export const readSearchDate = (text: string): SearchDate => {
  if (pattern.test(text)) return text as SearchDate;
  throw new RangeError(
    `${JSON.stringify(text)} is no date such as 2026-11-21, no date-time of RFC 3339, and not relative such as now-30d`,
  );
};
