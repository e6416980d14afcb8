// Contact search: the page of contacts that a query finds, and how many there are in all.

import { explainStatement } from '../../database/explained-plan.ts';
import { createJoiner } from '../../database/joined-rows.ts';
import {
  decodeRows,
  type EncodedColumn,
  type EncodedRows,
  encodeRowsSql,
  selectColumnsSql,
} from '../../database/row-codec.ts';
import type { Space } from '../../database/space.ts';
import {
  defineStatement,
  prepareStatement,
  type RunStatement,
  type Statement,
  type Values,
} from '../../database/statement.ts';
import type { Where } from '../../search/compile.ts';
import { bindOrderValues } from '../../search/nearest.ts';
import {
  bindPageValues,
  buildCeilingSql,
  buildGatherSql,
  buildMatchesSql,
  buildPageSql,
  buildProbedCeilingSql,
  buildTotalSql,
  choosePageStrategy,
  computeCeilingBudget,
  computeShortBudget,
  countFailing,
  countMatching,
  type DeepPage,
  deepOffset,
  isFoundSooner,
  isSmallSpace,
  type MatchEstimate,
  matchesMany,
  matchesNearlyAll,
  type Page,
  type PageStrategy,
  type StrategyChoice,
} from '../../search/page-plan.ts';
import { comparePositions, listOrderBounds, type Order, type SortPosition, type Span } from '../../search/sort.ts';
import type { ContactJsonQuery, ContactPieces, ContactText } from '../contact/json.ts';
import { type ContactRelation, type ContactWith, selectContactColumns } from '../contact/read.ts';
import { findSpaceSize, isPlannedOnce, readSpaceSize } from '../noun/space-size.ts';
import { getSearchMemory, type RememberedSearch, type SearchRequest } from './match-counts.ts';
import { measureSearch } from './measure.ts';
import { createEstimator } from './sample.ts';
import type { BoundCondition, BoundPlan, SearchPlan } from './search-plan.ts';
import { computePageOffset, type NumberedPage, openNumberedPage } from './traversal.ts';

export interface Search {
  plan: SearchPlan;
  order: Order;
  /** The search in the words of the client: the same words are the same search. */
  words: string;
}

/** The contacts that a page begins with: the first of a span of the order, the last of it if it is read backwards, or those of a page by its number. */
export type Start = Span | NumberedPage;

export type FoundContact = ContactWith & SortPosition;
type FoundText = ContactText & SortPosition;

/** How many contacts the planner expects. */
const estimateRows = async (rows: RunStatement, { where, values }: BoundCondition): Promise<number> =>
  (await explainStatement(rows, `select ${buildMatchesSql(where)}`, values)).Plan['Plan Rows'];

/** Runs a search. In a small space, one plan serves all values of a text that is sent often. */
export const runSearch = <Result>(
  space: Space,
  expectedMs: number | undefined,
  work: (rows: RunStatement) => Promise<Result>,
): Promise<Result> =>
  space.runSlow(
    async (rows) => {
      await readSpaceSize(rows, space);
      return work(rows);
    },
    { expectedMs, plansOnce: () => isPlannedOnce(space) },
  );

const runPlannedOnce = <Row>(space: Space, statement: Statement, values: Values): Promise<Row[]> =>
  space.runSlow((rows) => rows(statement, values), { plansOnce: () => true });

const join = createJoiner({ noun: 'search.joined', send: runPlannedOnce, retries: true });

/** Runs a statement of one encoded row, in a small space, together with the others of its request: to send one costs more than to run it. */
const runJoined = (space: Space, statement: Statement, values: Values): Promise<EncodedRows[]> =>
  join(space, {
    statement,
    values,
    decode: (row) => [row],
    runAlone: () => runPlannedOnce(space, statement, values),
  });

/** How many contacts the planner expects to match, in the space and in the order; remembered by the words of the search. */
export const estimateMatches = async (
  rows: RunStatement,
  space: Space,
  { plan: { findsAll }, order }: Search,
  { memory, bound }: { memory: RememberedSearch; bound: BoundPlan },
): Promise<MatchEstimate> => {
  if (memory.estimate) return memory.estimate;
  const { contacts: total } = await readSpaceSize(rows, space);
  const estimate: MatchEstimate = { matches: total, total, inRange: total };
  if (!findsAll) {
    const find = bound.getFind();
    const bounds = listOrderBounds(order, find.where);
    const range: BoundCondition = { ...find, where: { ...find.where, sql: bounds.join(' and '), emails: 'none' } };
    if (bounds.length > 0) estimate.inRange = await estimateRows(rows, range);
    estimate.matches = await estimateRows(rows, find);
  }
  memory.rememberEstimate(estimate);
  return estimate;
};

/** Which contacts are counted: those that match, or those that fail. */
export type CountSide = 'matching' | 'failing';

/** How all matches are counted. When nearly all contacts match, those that fail are; `side` forces one of the two. */
const planTotal = (
  bound: BoundPlan,
  estimate: MatchEstimate | undefined,
  side?: CountSide,
): Required<DeepPage> & { values: Values } => {
  if (side ? side === 'matching' : !(estimate && matchesNearlyAll(estimate))) {
    const isWide = side || (estimate && matchesMany(estimate));
    const { where, values } = isWide ? bound.getCount() : bound.getFind();
    return { ...countMatching(where), values };
  }
  const { clauses, values } = bound.getFailing();
  return { ...countFailing(clauses), values };
};

/** How a deep page is counted, and whether its contacts are found before it is read. */
const planDeepPage = (
  bound: BoundPlan,
  page: Page,
  { estimate, side }: { estimate: MatchEstimate; side: CountSide | undefined },
): DeepPage & { values: Values } => {
  const { found, ...counted } = planTotal(bound, estimate, side);
  const { readsRowOnly, emails } = bound.getFind().where;
  // Records are joined, and then PostgreSQL finds all matches itself.
  const isFilter = readsRowOnly || emails !== 'none';
  return side || found.fail || (isFilter && isFoundSooner(page, estimate)) ? { ...counted, found } : counted;
};

interface PageOptions {
  start: Start;
  limit: number;
  /** The strategy to use, whatever the estimate; for tests. */
  strategy?: PageStrategy;
  /** The side that a deep scan counts, whatever the estimate; for tests. */
  side?: CountSide | undefined;
}

/** The columns that are read for the contacts of a page, and how its rows are decoded. */
interface SelectedColumns<Row> {
  /** Whether its rows are encoded as one. */
  isOneRow: boolean;
  /** The SQL of the page, given that of its ids with their positions. */
  sql(ids: string): string;
  values: Values;
  decode(rows: unknown[]): Row[];
}

/** A space has no more contacts than ids up to the largest. Deleted contacts count: a traversal may have read them. */
const lastId = defineStatement('search.last_id', 'select max(id) as id from contacts where group_id = :group');

/** Whether a deep page by number begins after the last contact of the space, told without a search. */
const isPastAll = async (space: Space, { page }: NumberedPage, limit: number): Promise<boolean> => {
  const offset = computePageOffset(page, limit);
  return offset >= deepOffset && offset > ((await space.row<{ id: number | null }>(lastId))?.id ?? -1);
};

const findPageOfRows = async <Row extends SortPosition>(
  space: Space,
  search: Search,
  { start, limit, ...forced }: PageOptions,
  selected: SelectedColumns<Row>,
): Promise<Row[]> => {
  if ('after' in start) {
    const { after, before, backwards } = start;
    if (after && before && comparePositions(search.order, after, before) >= 0) return [];
    const found = await findPage(space, search, { page: { ...start, limit, offset: 0 }, ...forced }, selected);
    return backwards ? found.reverse() : found;
  }
  if (await isPastAll(space, start, limit)) return [];
  for (let ignoresMemory = false; ; ignoresMemory = true) {
    const { page, close } = await openNumberedPage(space, search, start, { limit, ignoresMemory });
    const found = await findPage(space, search, { page, ...forced }, selected);
    if (await close(found)) return found;
  }
};

/** Runs a search, and remembers how long it took. One that fails, or whose client leaves, counts as long until it ends. */
const runTimed = <Result>(
  space: Space,
  memory: RememberedSearch,
  request: SearchRequest,
  work: (rows: RunStatement) => Promise<Result>,
): Promise<Result> =>
  runSearch(space, memory.expectDuration(request), async (rows) => {
    const started = performance.now();
    let took = Number.POSITIVE_INFINITY;
    try {
      const result = await work(rows);
      took = performance.now() - started;
      return result;
    } finally {
      memory.rememberDuration(request, took);
    }
  });

/** The condition of each purpose that a page is read by. */
type PageConditions = Pick<BoundPlan, 'getFind' | 'getProbe'>;

/** Conditions that read their lookups themselves. */
const readLookupsInline = (plan: SearchPlan): PageConditions => {
  const bind = (where: Where): BoundCondition => ({ where, values: where.values });
  return { getFind: () => bind(plan.getWhole()), getProbe: () => bind(plan.getFilter()) };
};

/** Reads a page by the first strategy, and by the other one where that was a bounded scan that did not fill it. */
const readPage = async <Row>(
  run: (statement: Statement, values: Values) => Promise<unknown[]>,
  { order }: Search,
  {
    page,
    selected,
    conditions,
    deep,
  }: {
    page: Page;
    selected: SelectedColumns<Row>;
    conditions: PageConditions;
    deep?: (DeepPage & { values: Values }) | undefined;
  },
  { first, fallback, rowBudget }: StrategyChoice,
): Promise<Row[]> => {
  const read = async (by: PageStrategy): Promise<Row[]> => {
    const { where, values } = by === 'bounded scan' ? conditions.getProbe() : conditions.getFind();
    const statement = prepareStatement('search.page', selected.sql(buildPageSql(order, page, where, by, deep)));
    const bounds = { ...bindPageValues(page, rowBudget), ...bindOrderValues(order, by === 'sort' ? undefined : page) };
    const all = { ...selected.values, ...values, ...deep?.values, ...bounds };
    return selected.decode(await measureSearch(by, () => run(statement, all)));
  };
  const found = await read(first);
  return first !== 'bounded scan' || found.length >= page.limit ? found : read(fallback);
};

const findPage = async <Row extends SortPosition>(
  space: Space,
  search: Search,
  { page, strategy, side }: Pick<PageOptions, 'strategy' | 'side'> & { page: Page },
  selected: SelectedColumns<Row>,
): Promise<Row[]> => {
  const { plan, words } = search;
  const memory = getSearchMemory(space).of(space.id, words);
  const isDeep = side !== undefined || page.offset >= deepOffset;
  if (!strategy && !isDeep && memory.estimate && isPlannedOnce(space)) {
    const run = (statement: Statement, values: Values): Promise<unknown[]> =>
      (selected.isOneRow ? runJoined : runPlannedOnce)(space, statement, values);
    const choice = choosePageStrategy(page, memory.estimate, plan.getWhole().lacksStatistics);
    return readPage(run, search, { page, selected, conditions: readLookupsInline(plan) }, choice);
  }
  const soon = strategy ? undefined : await findPageSoon<Row>(space, search, page, { selected, memory });
  if (soon && soon !== 'scan was too short') return soon;
  const kind = page.offset < deepOffset ? 'page' : 'deep page';
  return runTimed(space, memory, { kind, limit: page.limit }, async (rows) => {
    const conditions = await plan.bind(rows);
    const estimate = await estimateMatches(rows, space, search, { memory, bound: conditions });
    const choice: StrategyChoice = strategy
      ? { first: strategy, fallback: 'sort' }
      : choosePageStrategy(page, estimate, conditions.getFind().where.lacksStatistics);
    const deep = isDeep ? planDeepPage(conditions, page, { estimate, side }) : undefined;
    const how = { page, selected, conditions, deep };
    return readPage(rows, search, how, soon ? { ...choice, first: choice.fallback } : choice);
  });
};

/**
 * A page that the search row alone answers within milliseconds, whatever the values: most pages are. A search with a remembered estimate
 * is read by a short index scan, when that should do; for any other search the contacts that satisfy its leading condition are gathered.
 * Undefined where neither is tried, or there were too many to gather.
 */
const findPageSoon = async <Row extends SortPosition>(
  space: Space,
  { plan: { findsAll, getFilter }, order }: Search,
  page: Page,
  { selected, memory }: { selected: SelectedColumns<Row>; memory: RememberedSearch },
): Promise<Row[] | 'scan was too short' | undefined> => {
  const where = getFilter();
  if (!where.readsRowOnly) return undefined;
  const run = async (way: 'gather' | 'short scan', sql: string, rowBudget?: number): Promise<Row[] | undefined> => {
    const values = { ...selected.values, ...where.values, ...bindPageValues(page, rowBudget) };
    const statement = prepareStatement(way === 'gather' ? 'search.gather' : 'search.scan', selected.sql(sql));
    const rows = await measureSearch(way, () => space.runIndexOnly(statement, values));
    return rows && selected.decode(rows);
  };
  const { estimate } = memory;
  const rowBudget = estimate && computeShortBudget(order, page, where, { estimate, findsAll });
  if (rowBudget) {
    const found = await run('short scan', buildPageSql(order, page, where, 'bounded scan'), rowBudget);
    return found && found.length < page.limit ? 'scan was too short' : found;
  }
  if (!where.leading || memory.isGatheredInVain) return undefined;
  const found = await run('gather', buildGatherSql(order, page, where));
  if (found && found.length > 0) {
    // In a small space it is joined with others from now on.
    const total = isPlannedOnce(space) && findSpaceSize(space)?.contacts;
    if (total) memory.rememberEstimate({ matches: page.offset + found.length, total, inRange: total });
    return found;
  }
  memory.rememberGatheredInVain();
  return undefined;
};

/** Reads the columns of each contact `c` of a page, one contact after the other, so that they stay in order. */
const selectContactsSql = (ids: string, columns: string, joins = ''): string => `
  from (${ids}) page cross join lateral (
    select ${columns} from contacts c ${joins} where c.group_id = :group and c.id = page.contact_id offset 0) r`;

/** The contacts of a page, in order, each with these parts and its position. */
export const findContacts = (
  space: Space,
  search: Search,
  { parts = [], ...page }: PageOptions & { parts?: readonly ContactRelation[] },
): Promise<FoundContact[]> =>
  findPageOfRows(space, search, page, {
    isOneRow: false,
    sql: (ids) => `select page.part, page.key, r.* ${selectContactsSql(ids, selectContactColumns(parts))}`,
    values: {},
    decode: (rows) => rows as FoundContact[],
  });

/** Keys are encoded, because they must not contain line ends. */
const positionColumns: EncodedColumn[] = [
  { name: 'part', sql: 'page.part' },
  { name: 'key', sql: 'to_json(page.key)' },
  { name: 'id', sql: 'page.contact_id' },
];

/** Its key is decoded on demand: clients ask for few keys of a page, as a rule for the last one. */
class EncodedRow implements SortPosition, ContactPieces {
  readonly part: number;
  readonly #key: string;
  readonly id: number;
  readonly runs: string[];

  constructor([part, key, id, ...runs]: string[]) {
    this.part = Number(part);
    this.#key = key!;
    this.id = Number(id);
    this.runs = runs;
  }

  get key(): string | null {
    return this.#key === '' ? null : JSON.parse(this.#key);
  }
}

/** The same as JSON: for each contact the text of the fields that are selected. */
export const findContactsAsJson = async (
  space: Space,
  search: Search,
  { contacts, ...page }: PageOptions & { contacts: ContactJsonQuery },
): Promise<FoundText[]> => {
  const { runs, joins, values } = contacts.ofPage(page.limit);
  const columns = [...positionColumns, ...runs.map(({ name }) => ({ name, sql: `r.${name}` }))];
  const found = await findPageOfRows<EncodedRow>(space, search, page, {
    isOneRow: true,
    sql: (ids) =>
      encodeRowsSql(
        columns,
        runs.length > 0 ? selectContactsSql(ids, selectColumnsSql(runs), joins) : `from (${ids}) page`,
      ),
    values,
    decode: (rows) => decodeRows(rows as EncodedRows[], columns).map((lines) => new EncodedRow(lines)),
  });
  return contacts.texts(space, found, page.limit);
};

/** How the matches of a search are counted. In a small space nothing is read or estimated first: any plan will do. */
const planCount = async (
  rows: RunStatement,
  space: Space,
  search: Search,
  { memory, side }: { memory: RememberedSearch; side: CountSide | undefined },
): Promise<DeepPage & { values: Values }> => {
  const { plan } = search;
  if (!side && isSmallSpace((await readSpaceSize(rows, space)).contacts)) {
    const where = plan.getWhole();
    return { total: buildTotalSql(where), values: where.values };
  }
  const bound = await plan.bind(rows);
  return planTotal(
    bound,
    plan.findsAll ? undefined : await estimateMatches(rows, space, search, { memory, bound }),
    side,
  );
};

/** How many contacts a search finds. `side` forces what is counted. */
export const countFoundContacts = async (space: Space, search: Search, side?: CountSide): Promise<number> => {
  if (!side && isPlannedOnce(space)) {
    const where = search.plan.getWhole();
    const sql = `select cast(total as text) as lines, 0 as bytes from (${buildTotalSql(where)}) counted`;
    const counting = prepareStatement('search.count', sql);
    const [counted] = await measureSearch('count', () => runJoined(space, counting, where.values));
    return Number(counted!.lines);
  }
  const memory = getSearchMemory(space).of(space.id, search.words);
  return runTimed(space, memory, { kind: 'count', limit: null }, async (rows) => {
    const { total, values } = await planCount(rows, space, search, { memory, side });
    const counting = prepareStatement('search.count', total);
    return (await measureSearch('count', () => rows<{ total: number }>(counting, values)))[0]!.total;
  });
};

/** A number of contacts, counted up to a ceiling. */
export interface LimitedCount {
  /** The ceiling, where there are more. */
  value: number;
  isExact: boolean;
  /** How many there may be, where there are more. */
  estimate: number | null;
}

/** An exact number as one with a ceiling. */
export const limitCount = (total: number, ceiling: number): LimitedCount =>
  total > ceiling
    ? { value: ceiling, isExact: false, estimate: total }
    : { value: total, isExact: true, estimate: null };

/**
 * How many contacts a search finds, up to a ceiling: it stops at the first one beyond. The first contacts are tested one by one before, if most should
 * match; `forcedBudget` forces how many.
 */
export const countUpTo = async (
  space: Space,
  search: Search,
  ceiling: number,
  forcedBudget?: number,
): Promise<LimitedCount> => {
  if (forcedBudget === undefined && isPlannedOnce(space))
    return limitCount(await countFoundContacts(space, search), ceiling);
  const memory = getSearchMemory(space).of(space.id, search.words);
  return runTimed(space, memory, { kind: 'ceiling', limit: ceiling }, async (rows) => {
    const bound = await search.plan.bind(rows);
    const estimate = (): Promise<MatchEstimate> => estimateMatches(rows, space, search, { memory, bound });
    const count = async (
      build: (where: Where) => string,
      bound: BoundCondition,
      rowBudget?: number,
    ): Promise<number> => {
      const values = { ...bound.values, ceiling: ceiling + 1, rowBudget };
      const counting = prepareStatement('search.count', build(bound.where));
      return (await measureSearch('count', () => rows<{ total: number }>(counting, values)))[0]!.total;
    };
    const isLarge = (await readSpaceSize(rows, space)).contacts > ceiling * 2;
    const rowBudget = forcedBudget ?? (isLarge ? computeCeilingBudget(ceiling, await estimate()) : 0);
    const probed = rowBudget ? await count(buildProbedCeilingSql, bound.getProbe(), rowBudget) : 0;
    const total = probed > ceiling ? probed : await count(buildCeilingSql, bound.getFind());
    if (total <= ceiling) return limitCount(total, ceiling);
    return {
      value: ceiling,
      isExact: false,
      estimate: Math.max(await createEstimator(rows, space)(bound.getProbe()), total),
    };
  });
};
