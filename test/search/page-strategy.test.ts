// Which strategy a page begins with, by its place among the matches.
import { expect, it } from 'vitest';
import { choosePageStrategy } from '../../src/search/page-plan.ts';

const choose = (offset: number, matches: number, lacksStatistics = false) =>
  choosePageStrategy(
    { limit: 50, after: null, offset },
    { matches, total: 1_000_000, inRange: 1_000_000 },
    lacksStatistics,
  );

it.each([
  ['the first page of many matches', 0, 900_000, 'bounded scan'],
  ['a page before the middle', 300_000, 900_000, 'unbounded scan'],
  ['a page that two thirds of the matches come before', 600_050, 900_000, 'scan from the end'],
  ['the same, where all contacts match', 700_000, 1_000_000, 'scan from the end'],
  ['one that is not deep, at the end of the matches', 9000, 10_000, 'sort'],
  ['one that is deep, at the end of few matches', 90_000, 100_000, 'sort'],
])('%s is read by its strategy', (_, offset, matches, strategy) => {
  expect(choose(offset, matches).first).toBe(strategy);
});

it('a number of matches that is a guess decides only where they are counted all the same', () => {
  expect(choose(300_000, 600_000, true).first).toBe('sort');
  expect(choose(300_000, 900_000, true).first).toBe('unbounded scan');
  expect(choose(600_050, 900_000, true).first).toBe('scan from the end');
});

it.each([
  ['50 contacts', 100, 5, 'bounded scan'],
  ['110 contacts', 100, 11, 'sort'],
  ['98 contacts', 500, 49, 'bounded scan'],
  ['102 contacts', 500, 51, 'sort'],
])('in a space of 1,000, a page for which a scan would test %s is read by its strategy', (_, matches, limit, strategy) => {
  const choice = choosePageStrategy({ limit, after: null, offset: 0 }, { matches, total: 1000, inRange: 1000 }, false);
  expect(choice.first).toBe(strategy);
});
