// Spans of time of the segment builder: to the contract's word, to the graph and back, and how people say them.
import { describe, expect, it } from 'vitest';
import type { Json } from '../../packages/pages/browser/graph-query.ts';
import {
  calendarSpans,
  firstSpans,
  isSpan,
  readCountedSpan,
  readSpan,
  saySpan,
  writeCountedSpan,
  writeSpan,
} from '../../packages/pages/browser/span.ts';
import { parsePeriod } from '../../src/search/datetime.ts';

describe('a span', () => {
  it.each<[word: string, graph: Json, en: string, fr: string]>([
    ['this_day', { this: 'DAY' }, 'today', 'aujourd’hui'],
    ['previous_day', { previous: 'DAY' }, 'yesterday', 'hier'],
    ['following_day', { following: 'DAY' }, 'tomorrow', 'demain'],
    ['this_week', { this: 'WEEK' }, 'this week', 'cette semaine'],
    ['previous_week', { previous: 'WEEK' }, 'last week', 'la semaine dernière'],
    ['following_week', { following: 'WEEK' }, 'next week', 'la semaine prochaine'],
    ['this_month', { this: 'MONTH' }, 'this month', 'ce mois-ci'],
    ['previous_month', { previous: 'MONTH' }, 'last month', 'le mois dernier'],
    ['following_month', { following: 'MONTH' }, 'next month', 'le mois prochain'],
    ['this_quarter', { this: 'QUARTER' }, 'this quarter', 'ce trimestre'],
    ['previous_quarter', { previous: 'QUARTER' }, 'last quarter', 'le trimestre dernier'],
    ['following_quarter', { following: 'QUARTER' }, 'next quarter', 'le trimestre prochain'],
    ['this_year', { this: 'YEAR' }, 'this year', 'cette année'],
    ['previous_year', { previous: 'YEAR' }, 'last year', 'l’année dernière'],
    ['following_year', { following: 'YEAR' }, 'next year', 'l’année prochaine'],
    ['last_30_days', { last: { days: 30 } }, 'in the last 30 days', 'dans les 30 derniers jours'],
    ['last_365_days', { last: { days: 365 } }, 'in the last 365 days', 'dans les 365 derniers jours'],
    ['last_1_days', { last: { days: 1 } }, 'in the last day', 'dans le dernier jour'],
    ['last_4_weeks', { last: { weeks: 4 } }, 'in the last 4 weeks', 'dans les 4 dernières semaines'],
    ['last_1_months', { last: { months: 1 } }, 'in the last month', 'dans le dernier mois'],
    ['last_1_years', { last: { years: 1 } }, 'in the last year', 'dans la dernière année'],
    ['next_1_weeks', { next: { weeks: 1 } }, 'in the next week', 'dans la prochaine semaine'],
    ['next_6_months', { next: { months: 6 } }, 'in the next 6 months', 'dans les 6 prochains mois'],
    ['next_2_years', { next: { years: 2 } }, 'in the next 2 years', 'dans les 2 prochaines années'],
  ])('%s is %j: %s, %s', (word, graph, en, fr) => {
    expect([writeSpan(word), readSpan(graph)]).toEqual([graph, word]);
    expect((['en', 'fr'] as const).map((language) => saySpan(word, language))).toEqual([en, fr]);
    const counted = readCountedSpan(word);
    if (counted) expect(writeCountedSpan(counted)).toBe(word);
  });

  it('of each that is offered is one that the server reads', () => {
    expect([...calendarSpans, ...firstSpans].filter((one) => !parsePeriod(one) || !isSpan(one))).toEqual([]);
  });

  it.each([
    '',
    'this',
    'this_decade',
    'last_0_days',
    'last_10000_days',
    'last_-1_days',
    'next_1_quarters',
    'toString',
  ])('%j is none', (text) => {
    expect(isSpan(text)).toBe(false);
  });

  it.each<[Json]>([
    [null],
    ['this_year'],
    [{}],
    [{ this: 'year' }],
    [{ this: 'YEAR', previous: 'YEAR' }],
    [{ last: { days: '90' } }],
    [{ last: { days: 1.5 } }],
    [{ last: 'DAYS' }],
    [[]],
  ])('%j is none in the graph', (value) => {
    expect(readSpan(value)).toBeUndefined();
  });
});
