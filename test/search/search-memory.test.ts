// What a process remembers of a search: whether it takes long, by all that this depends on.
import { expect, it } from 'vitest';
import { getSearchMemory } from '../../src/data/search/match-counts.ts';
import type { Space } from '../../src/database/space.ts';

it('a search takes long in its own space, words, kind and limit, until it ended sooner', () => {
  const memory = getSearchMemory({ database: {} } as Space);
  const page = { kind: 'page', limit: 50 } as const;
  const search = memory.of(1, 'a');
  expect(search.isLong(page)).toBe(false);
  search.rememberDuration(page, 900);
  expect(memory.of(1, 'a').isLong(page)).toBe(true);
  expect(search.isLong({ kind: 'page', limit: 1000 })).toBe(false);
  expect(search.isLong({ kind: 'deep page', limit: 50 })).toBe(false);
  expect(memory.of(2, 'a').isLong(page)).toBe(false);
  expect(memory.of(1, 'b').isLong(page)).toBe(false);
  search.rememberDuration(page, 10);
  expect(search.isLong(page)).toBe(false);
});

it('a count may take long until it is known how many contacts match, or how long it took', () => {
  const search = getSearchMemory({ database: {} } as Space).of(1, 'a');
  const count = { kind: 'count', limit: null } as const;
  expect(search.isLong(count)).toBe(true);
  search.rememberEstimate({ matches: 10, total: 1_000_000, inRange: 1_000_000 });
  expect(search.isLong(count)).toBe(false);
  search.rememberEstimate({ matches: 900_000, total: 1_000_000, inRange: 1_000_000 });
  expect(search.isLong(count)).toBe(true);
  search.rememberDuration(count, 80);
  expect(search.isLong(count)).toBe(false);
});
