// What a process remembers of a search: how long it takes, by all that this depends on.
import { expect, it } from 'vitest';
import { getSearchMemory } from '../../src/data/search/match-counts.ts';
import { takesLong } from '../../src/database/search-pool.ts';
import type { Space } from '../../src/database/space.ts';

it('a search is expected to take what it took, in its own space, words, kind and limit', () => {
  const memory = getSearchMemory({ database: {} } as Space);
  const page = { kind: 'page', limit: 50 } as const;
  const search = memory.of(1, 'a');
  expect(search.expectDuration(page)).toBeUndefined();
  search.rememberDuration(page, 900);
  expect(memory.of(1, 'a').expectDuration(page)).toBe(900);
  expect(search.expectDuration({ kind: 'page', limit: 1000 })).toBeUndefined();
  expect(search.expectDuration({ kind: 'deep page', limit: 50 })).toBeUndefined();
  expect(memory.of(2, 'a').expectDuration(page)).toBeUndefined();
  expect(memory.of(1, 'b').expectDuration(page)).toBeUndefined();
  search.rememberDuration(page, 10);
  expect(search.expectDuration(page)).toBe(10);
});

it('a count may take long until it is known how many contacts match, or how long it took', () => {
  const search = getSearchMemory({ database: {} } as Space).of(1, 'a');
  const count = { kind: 'count', limit: null } as const;
  expect(search.expectDuration(count)).toBe(takesLong);
  search.rememberEstimate({ matches: 10, total: 1_000_000, inRange: 1_000_000 });
  expect(search.expectDuration(count)).toBeUndefined();
  search.rememberEstimate({ matches: 900_000, total: 1_000_000, inRange: 1_000_000 });
  expect(search.expectDuration(count)).toBe(takesLong);
  search.rememberDuration(count, 80);
  expect(search.expectDuration(count)).toBe(80);
});
