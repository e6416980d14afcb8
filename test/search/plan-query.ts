// Plans the queries of tests: a query of the contract at one instant, as the doors would plan it.
import { locateCentres } from '../../src/data/search/centres.ts';
import { createSearchPlan, type SearchPlan } from '../../src/data/search/search-plan.ts';
import type { Scoped } from '../../src/database/statement.ts';
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

/** The same with its places looked up in a space. */
export const planPlacedQuery = async (space: Scoped, query: unknown): Promise<SearchPlan> =>
  createSearchPlan(await locateCentres(space, resolveTestQuery(query)), now);

export const planTestQuery = (query: unknown): SearchPlan => createSearchPlan(resolveTestQuery(query), now);
