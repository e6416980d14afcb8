// Dates that are relative to today, as the page edits them, and the days that they mean.
import { describe, expect, it } from 'vitest';
import { readRelativeDate, resolveDay, writeRelativeDate } from '../../packages/pages/browser/relative-date.ts';

describe('relative dates', () => {
  it.each([
    ['now-30d', '2026-01-30'],
    ['now-2w', '2026-02-15'],
    ['now-1M', '2026-02-01'],
    ['now+1y', '2027-03-01'],
    ['now-0y', '2026-03-01'],
  ])('%s is edited as what it is, and means %s', (text, day) => {
    const date = readRelativeDate(text)!;
    expect(writeRelativeDate(date)).toBe(text);
    expect(resolveDay(date, new Date('2026-03-01T12:00:00Z'))).toBe(day);
  });

  it('end with the month: a month before the last of March is the last of February', () => {
    expect(resolveDay(readRelativeDate('now-1M')!, new Date('2026-03-31T23:59:59Z'))).toBe('2026-02-28');
    expect(resolveDay(readRelativeDate('now-1y')!, new Date('2028-02-29T00:00:00Z'))).toBe('2027-02-28');
  });

  it.each([
    ['now-1930y', '0096-03-01'],
    ['now-2026y', ''],
    ['now+7973y', '9999-03-01'],
    ['now+7974y', ''],
    ['now-999999y', ''],
    ['now+999999w', ''],
  ])('%s is the day %j, as far as there is one', (text, day) => {
    expect(resolveDay(readRelativeDate(text)!, new Date('2026-03-01T12:00:00Z'))).toBe(day);
  });

  it.each(['now-1y/y', 'now-1d-2h', 'tomorrow', '2026-01-01', ''])('%j is edited as text', (text) => {
    expect(readRelativeDate(text)).toBeUndefined();
  });
});
