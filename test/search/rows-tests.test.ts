// Conditions on the rows of one table read the table once, however many they are and however they are grouped.
import { expect, it } from 'vitest';
import { compileSearch } from '../../src/search/compile.ts';
import type { Group } from '../../src/search/parse.ts';
import { resolveTestQuery } from './plan-query.ts';

const street = (nth: number, ope = 'start_with') => ({
  $condition: { attr: 'address.street', ope, value: `street ${nth}` },
});
const payment = (nth: number) => ({
  $condition: { attr: 'transactions.code_campaign', ope: 'eql', value: `campaign ${nth}` },
});
const hundred = <One>(make: (nth: number) => One): One[] => Array.from({ length: 100 }, (_, nth) => make(nth));

it.each([
  ['alternatives', [{ $at_least_one: hundred((nth) => street(nth)) }], 'addresses'],
  ['conditions that must all hold', [{ $all: hundred((nth) => street(nth)) }], 'addresses'],
  ['negations', [{ $all: hundred((nth) => street(nth, 'not_start_with')) }], 'addresses'],
  ['groups of one condition', hundred((nth) => ({ $all: [street(nth)] })), 'addresses'],
  ['alternatives among records', [{ $at_least_one: hundred(payment) }], 'transactions'],
])('a hundred %s', (_, groups, table) => {
  for (const purpose of ['find', 'probe'] as const) {
    const query = resolveTestQuery({ $at_least_one: groups } as never) as Group;
    const { sql, values } = compileSearch(query, '2026-11-26', purpose).build();
    expect(sql.match(new RegExp(`from ${table} `, 'g'))).toHaveLength(1);
    expect(Object.keys(values).length).toBeGreaterThanOrEqual(100);
    // Each column is folded once for a row; each value is folded once for the statement.
    expect((sql.match(/fold_inline\(/g) ?? []).length).toBeLessThanOrEqual(1);
  }
});
