// Searches of the tests of laws: a database that holds a population and can be searched, its pages by any strategy, ids as sets.

import {
  type CountSide,
  countFoundContacts,
  countUpTo,
  type FoundContact,
  findContacts,
  type LimitedCount,
  type Start,
} from '../../src/data/search/find.ts';
import { Database } from '../../src/database/database.ts';
import { migrateDatabase } from '../../src/database/migrate.ts';
import type { Space } from '../../src/database/space.ts';
import type { PageStrategy } from '../../src/search/page-plan.ts';
import { type Order, type SortName, sortNames } from '../../src/search/sort.ts';
import { createDatabase } from '../harness/app.ts';
import { analyzeSql } from '../harness/statistics.ts';
import { allCells } from './cells.ts';
import { drawCondition } from './generate.ts';
import { loadPopulation } from './load.ts';
import type { AdvancedSearch, Condition, Group, Query } from './oracle.ts';
import { planPlacedQuery } from './plan-query.ts';
import type { Chance } from './random.ts';
import type { Population } from './rows.ts';

/** With the rows that search derives. The caller closes it. */
export const createSearchDatabase = async (people: Population): Promise<Database> => {
  const url = await createDatabase('empty');
  await migrateDatabase(url);
  const database = new Database(url);
  const sql = async (text: string): Promise<never[]> => (await database.readers.knex.raw(text)).rows;
  await loadPopulation(sql, people);
  for (const { id } of people.tables.spaces)
    for (const derived of ['search', 'emails'])
      await sql(`select refresh_${derived}(${id}, array(select id from contacts where group_id = ${id}))`);
  await sql(analyzeSql);
  return database;
};

/** What a scan counts, and finds before; undefined is what is planned. */
export const sides: (CountSide | undefined)[] = [undefined, 'matching', 'failing'];
export const strategies: PageStrategy[] = ['bounded scan', 'unbounded scan', 'scan from the end', 'sort'];
export const byId: Order = { sort: null, ascending: true };
export const orders: Order[] = [
  byId,
  ...sortNames.flatMap((sort: SortName) => [true, false].map((ascending) => ({ sort, ascending }))),
];
export const nameOf = ({ sort, ascending }: Order): string => `${sort ?? 'id'} ${ascending ? 'up' : 'down'}`;

export interface Asked {
  order?: Order;
  start?: Start;
  limit?: number;
  /** Undefined: the planned one. */
  strategy?: PageStrategy | undefined;
  side?: CountSide | undefined;
  words?: string;
}

export const findPage = async (
  space: Space,
  query: Query | undefined,
  { order = byId, start = { after: null }, limit = 1000, strategy, side, words = '' }: Asked = {},
): Promise<FoundContact[]> =>
  findContacts(
    space,
    { plan: await planPlacedQuery(space, query), order, words },
    { start, limit, ...(strategy && { strategy }), ...(side && { side }) },
  );

/** A page of an order, whose query is two conditions, all or one of which must hold; the first is on the sort attribute. */
export const drawOrderedPair = (
  { sort, ascending }: Order,
  draw: Chance,
  holds: '$all' | '$at_least_one' = '$at_least_one',
): AdvancedSearch & { query: Query } => {
  const sortAttribute = sort === 'city' ? 'address.city' : (sort ?? 'id');
  const cells = [draw.pick(allCells.filter(({ attr }) => attr === sortAttribute)), draw.pick(allCells)];
  const pair = buildGroup(
    cells.map((cell) => drawCondition(draw, cell)),
    holds,
  );
  return {
    per_page: 1 + draw.whole(6),
    ...(sort && { sort_attr: sort, sort_asc: ascending }),
    query: { $all: [pair] },
  };
};

/** Counts the contacts that match, or those that fail, or as planned. */
export const countMatches = async (space: Space, query: Query, side?: CountSide): Promise<number> =>
  countFoundContacts(
    space,
    { plan: await planPlacedQuery(space, query), order: byId, words: JSON.stringify(query) },
    side,
  );

/** Counts up to a ceiling, which is sought among `rowBudget` contacts first. */
export const countMatchesUpTo = async (
  space: Space,
  query: Query,
  { ceiling, rowBudget }: { ceiling: number; rowBudget: number },
): Promise<LimitedCount> =>
  countUpTo(
    space,
    { plan: await planPlacedQuery(space, query), order: byId, words: JSON.stringify(query) },
    ceiling,
    rowBudget,
  );

let asked = 0;

/** The contacts that are found, by each strategy in turn, and by the planned one. */
export const findIds = async (space: Space, query: Query | undefined): Promise<Set<number>> => {
  const strategy = [...strategies, undefined][asked++ % (strategies.length + 1)];
  const side = sides[asked % sides.length];
  return new Set((await findPage(space, query, { strategy, side, words: `${asked}` })).map(({ id }) => id));
};

/** The sequence of all pages: by number, after some other pages were requested, or each after the last contact of the page before. */
export const readAllPages = async (
  space: Space,
  query: Query | undefined,
  asked: Asked,
  { numbered, before = [] }: { numbered: boolean; before?: number[] },
): Promise<number[]> => {
  for (const number of before) await findPage(space, query, { ...asked, start: { page: number, token: 1 } });
  const ids: number[] = [];
  let after: FoundContact | null = null;
  for (let number = 0; ; number++) {
    const start: Start = numbered ? { page: number, token: 1 } : { after };
    const rows: FoundContact[] = await findPage(space, query, { ...asked, start });
    if (rows.length === 0) return ids;
    ids.push(...rows.map(({ id }) => id));
    after = rows.at(-1)!;
  }
};

export const buildGroup = (conditions: Condition[], key: '$all' | '$at_least_one' = '$all'): Group =>
  ({ [key]: conditions.map(($condition) => ({ $condition })) }) as Group;
export const buildQuery = (condition: Condition): Query => ({ $all: [buildGroup([condition])] });

export const joinSets = (...sets: Set<number>[]): Set<number> => new Set(sets.flatMap((set) => [...set]));
export const intersectSets = (first: Set<number>, ...others: Set<number>[]): Set<number> =>
  new Set([...first].filter((id) => others.every((other) => other.has(id))));
export const sortIds = (ids: Iterable<number>): number[] => [...ids].sort((one, other) => one - other);
