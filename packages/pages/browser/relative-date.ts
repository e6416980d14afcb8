// Relative dates of the search language, such as `now-30d`: a number of units before or after the moment of the request.

export const dateUnits = ['d', 'w', 'M', 'y'] as const;
export type DateUnit = (typeof dateUnits)[number];

/** `now-30d` as a person chooses it. */
interface RelativeDate {
  count: number;
  unit: DateUnit;
  direction: 'ago' | 'ahead';
}

/** Reads a relative date of one step; undefined for any other text, which is edited as it is. */
export const readRelativeDate = (text: string): RelativeDate | undefined => {
  if (text === 'now') return { count: 0, unit: 'd', direction: 'ago' };
  const [, sign, count, unit] = /^now([+-])(\d{1,6})([dwMy])$/.exec(text) ?? [];
  return sign ? { count: Number(count), unit: unit as DateUnit, direction: sign === '-' ? 'ago' : 'ahead' } : undefined;
};

export const writeRelativeDate = ({ count, unit, direction }: RelativeDate): string =>
  `now${direction === 'ago' ? '-' : '+'}${count}${unit}`;

/** The day that it means today, in UTC: months and years end with their last day. Empty beyond the years 1 to 9999, which no day of a search has. */
export const resolveDay = ({ count, unit, direction }: RelativeDate, now: Date): string => {
  const steps = direction === 'ago' ? -count : count;
  const day = new Date(now);
  if (unit === 'd' || unit === 'w') day.setUTCDate(day.getUTCDate() + steps * (unit === 'w' ? 7 : 1));
  else {
    const date = day.getUTCDate();
    day.setUTCMonth(day.getUTCMonth() + steps * (unit === 'y' ? 12 : 1) + 1, 0);
    day.setUTCDate(Math.min(date, day.getUTCDate()));
  }
  const year = day.getUTCFullYear();
  return year >= 1 && year <= 9999 ? day.toISOString().slice(0, 10) : '';
};
