// Plans the queries of tests: a query of the contract at one instant, as the doors would plan it.
import { createSearchPlan, type SearchPlan } from '../../src/data/search/search-plan.ts';
import type { Fault } from '../../src/problem.ts';
import { findDateFaults, type Group, resolveQuery } from '../../src/search/parse.ts';
import { parseTree } from '../../src/search/parse-tree.ts';
import { micros } from './oracle-dates.ts';
import { now } from './pools.ts';
import { inlineTestSegments } from './segments.ts';

/** The faults of a query at the instant of the tests. */
export const findQueryFaults = (query: unknown): Fault[] => {
  const parsed = inlineTestSegments(parseTree(query, 'query'));
  return [...parsed.faults, ...findDateFaults(parsed, micros(now))];
};

/** A query without faults, at the instant of the tests. */
export const resolveTestQuery = (query: unknown): Group =>
  resolveQuery(inlineTestSegments(parseTree(query, 'query')), micros(now));

export const planTestQuery = (query: unknown): SearchPlan => createSearchPlan(resolveTestQuery(query), now);
