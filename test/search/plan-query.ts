// Plans the queries of tests: a query of the contract at one instant, as the doors would plan it.
import { createSearchPlan, type SearchPlan } from '../../src/data/search/search-plan.ts';
import type { Fault } from '../../src/problem.ts';
import { findDateFaults, type Group, resolveQuery } from '../../src/search/parse.ts';
import { parseTree } from '../../src/search/parse-tree.ts';
import { parseMicros } from './oracle-dates.ts';
import { now } from './pools.ts';
import { expandTestSegments } from './segments.ts';

/** The faults of a query at the instant of the tests. */
export const findQueryFaults = (query: unknown): Fault[] => {
  const parsed = expandTestSegments(parseTree(query, 'query'));
  return [...parsed.faults, ...findDateFaults(parsed, parseMicros(now))];
};

/** A query without faults, at the instant of the tests. */
export const resolveTestQuery = (query: unknown): Group =>
  resolveQuery(expandTestSegments(parseTree(query, 'query')), parseMicros(now));

export const planTestQuery = (query: unknown): SearchPlan => createSearchPlan(resolveTestQuery(query), now);
