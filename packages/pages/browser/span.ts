// Spans of time that move with today, such as this year or the last 90 days: the contract's word `last_90_days`, the graph's `{ last: { days: 90 } }`, and how people say them.
import type { Language } from '../language.ts';
import type { DateUnit } from './relative-date.ts';

type SpanUnit = 'day' | 'week' | 'month' | 'year';

/** The units of spans, as dates name them. */
export const spanUnits: [SpanUnit, DateUnit][] = [
  ['day', 'd'],
  ['week', 'w'],
  ['month', 'M'],
  ['year', 'y'],
];

/** Spans of the calendar as people say them. */
const calendarNames: Record<string, Record<Language, string>> = {
  this_day: { en: 'today', fr: 'aujourd’hui' },
  previous_day: { en: 'yesterday', fr: 'hier' },
  following_day: { en: 'tomorrow', fr: 'demain' },
  this_week: { en: 'this week', fr: 'cette semaine' },
  previous_week: { en: 'last week', fr: 'la semaine dernière' },
  following_week: { en: 'next week', fr: 'la semaine prochaine' },
  this_month: { en: 'this month', fr: 'ce mois-ci' },
  previous_month: { en: 'last month', fr: 'le mois dernier' },
  following_month: { en: 'next month', fr: 'le mois prochain' },
  this_quarter: { en: 'this quarter', fr: 'ce trimestre' },
  previous_quarter: { en: 'last quarter', fr: 'le trimestre dernier' },
  following_quarter: { en: 'next quarter', fr: 'le trimestre prochain' },
  this_year: { en: 'this year', fr: 'cette année' },
  previous_year: { en: 'last year', fr: 'l’année dernière' },
  following_year: { en: 'next year', fr: 'l’année prochaine' },
};
export const calendarSpans = Object.keys(calendarNames);

export const firstSpans = [
  'this_day',
  'this_week',
  'this_month',
  'this_year',
  'previous_year',
  'last_30_days',
  'last_90_days',
  'last_365_days',
];

/** A number of units before or after now. */
interface CountedSpan {
  side: 'last' | 'next';
  count: number;
  unit: SpanUnit;
}

/** Undefined for a span of the calendar, and for a text that is no span. */
export const readCountedSpan = (text: string): CountedSpan | undefined => {
  const [, side, count, unit] = /^(last|next)_([1-9]\d{0,3})_(day|week|month|year)s?$/.exec(text) ?? [];
  return side ? { side: side as CountedSpan['side'], count: Number(count), unit: unit as SpanUnit } : undefined;
};

export const writeCountedSpan = ({ side, count, unit }: CountedSpan): string => `${side}_${count}_${unit}s`;

export const isSpan = (text: string): boolean => Object.hasOwn(calendarNames, text) || !!readCountedSpan(text);

/** The span in the graph. */
export const writeSpan = (text: string): { [side: string]: string | { [unit: string]: number } } => {
  const counted = readCountedSpan(text);
  if (counted) return { [counted.side]: { [`${counted.unit}s`]: counted.count } };
  const [turn, unit] = text.split('_') as [string, string];
  return { [turn]: unit.toUpperCase() };
};

/** The contract's word for a span of the graph; undefined for what is none. */
export const readSpan = (value: unknown): string | undefined => {
  const [[side, of] = []] = Object.entries(value ?? {});
  const [[unit, count] = []] = typeof of === 'object' ? Object.entries(of ?? {}) : [];
  const text = unit ? `${side}_${count}_${unit}` : `${side}_${of}`.toLowerCase();
  return isSpan(text) && JSON.stringify(writeSpan(text)) === JSON.stringify(value) ? text : undefined;
};

const sayCounted: Record<Language, (span: CountedSpan) => string> = {
  en: ({ side, count, unit }) => (count === 1 ? `in the ${side} ${unit}` : `in the ${side} ${count} ${unit}s`),
  fr: ({ side, count, unit }) => {
    const isFeminine = unit === 'week' || unit === 'year';
    const [one, many] = {
      day: ['jour', 'jours'],
      week: ['semaine', 'semaines'],
      month: ['mois', 'mois'],
      year: ['année', 'années'],
    }[unit] as [string, string];
    const [dernier, prochain] = isFeminine ? ['dernière', 'prochaine'] : ['dernier', 'prochain'];
    const which = side === 'last' ? dernier : prochain;
    return count === 1 ? `dans ${isFeminine ? 'la' : 'le'} ${which} ${one}` : `dans les ${count} ${which}s ${many}`;
  },
};

/** The words for a span: `in the last 90 days`. */
export const saySpan = (text: string, language: Language): string => {
  const counted = readCountedSpan(text);
  return counted ? sayCounted[language](counted) : (calendarNames[text]?.[language] ?? text);
};
