// How a page of a search is read: a cost model chooses between index scans and a sort, and this file writes the SQL of each.
import type { Clause, Where } from './compile.ts';
import { buildFromClause, scanRange, type Tables } from './from-clause.ts';
import { buildNearestSql } from './nearest.ts';
import {
  type Direction,
  getReadingDirections,
  listOrderParts,
  listRanges,
  type Order,
  type OrderRange,
  type Span,
} from './sort.ts';

/** A page: how many contacts, of which span of the order, and how many to skip there. */
export interface Page extends Span {
  limit: number;
  offset: number;
}

/**
 * How a page is read: by an index scan in the order of the page with a row budget, by an index scan to its end, by one from the last match
 * back, once all are counted, or by sorting all matches.
 */
export type PageStrategy = 'bounded scan' | 'unbounded scan' | 'scan from the end' | 'sort';

/** Contacts before a page: from here on it is deep. */
export const deepOffset = 10_000;

/** In contacts. No bounded scan reads more without having filled its page, and none gives up sooner than a short one, which is over within milliseconds whatever it meets. */
const maxScannedRows = 25_000;
export const shortScanRows = 2000;
/** In contacts: the most that a bounded scan reads where the number of matches is a guess. */
const guessedScanRows = 8000;

/** How many contacts are expected to match, how many the space has, and how many are in the index range of the order. */
export interface MatchEstimate {
  matches: number;
  total: number;
  inRange: number;
}

const unionRanges = (selects: string[]): string =>
  `select contact_id, part, key from (${selects.join('\nunion all\n')}) scanned limit :limit offset :offset`;

/** The matches of each range of a span, in the order of reading, up to a limit. */
const selectRanges = (order: Order, span: Span, { sql, emails, bounds }: Where, limit: string): string[] =>
  listRanges(order, span, { bounds }).map(({ part, key, test, order: by }) => {
    const { from, space } = buildFromClause([test, sql, by], emails);
    return `(select s.contact_id, ${part} as part, ${key} as key from ${from} where ${space} and ${test} and ${sql} order by ${by} limit ${limit})`;
  });

/**
 * An index scan to the end of the page, for searches that match often enough. The ranges are appended one after the other, so
 * that the later ones are never touched once the first fills the page. An ORDER BY over all of them could not use the index.
 */
const buildUnboundedScan = (order: Order, page: Page, where: Where): string =>
  unionRanges(selectRanges(order, page, where, ':needed'));

/** A select of `total`: how many contacts match. */
export const buildTotalSql = (where: Clause): string => `select count(*) as total ${buildMatchesSql(where)}`;

/** A select of `total`: how many contacts match, up to a ceiling. */
export const buildCeilingSql = (where: Clause): string =>
  `select count(*) as total from (select 1 ${buildMatchesSql(where)} limit :ceiling) found`;

/** The same of the first `:rowBudget` contacts, each of which is tested by itself. Takes a condition compiled to probe. */
export const buildProbedCeilingSql = ({ sql }: Clause): string =>
  `select count(*) as total from (select 1 from ${scanRange(null, 'true limit :rowBudget', sql)} where ${sql} limit :ceiling) found`;

/** How many contacts to test for a ceiling, if matches were spread evenly; 0 when these are too many, or all contacts few. */
export const computeCeilingBudget = (ceiling: number, { matches, total }: MatchEstimate): number => {
  const budget = Math.ceil(((ceiling + 1) * total * 1.2) / Math.max(matches, 1));
  return budget <= maxScannedRows && !isSmallSpace(total) ? budget : 0;
};

/** Contacts that are found before a page is read: all that match, or all that fail. A scan then reads nothing of the others but an index. */
interface FoundContacts {
  /** A select of `contact_id`. */
  ids: string;
  fail: boolean;
}

/** How the matches of a deep page are counted, and which contacts are found before it is read, if any. */
export interface DeepPage {
  /** A select of `total`: how many contacts match. */
  total: string;
  found?: FoundContacts;
}

/** Counts those who match. */
export const countMatching = (where: Clause): Required<DeepPage> => ({
  total: buildTotalSql(where),
  found: { ids: `select s.contact_id ${buildMatchesSql(where)}`, fail: false },
});

/** Counts all contacts without those that fail at least one of these clauses: each contact that fails the query does. */
export const countFailing = (clauses: readonly Clause[]): Required<DeepPage> => {
  const ids = clauses.map((clause) => `select s.contact_id ${buildMatchesSql(clause)}`).join(' union ');
  return { total: subtractSql(`(${ids})`), found: { ids, fail: true } };
};

const subtractSql = (failing: string): string =>
  `select (select count(*) from contact_search where group_id = :group) - (select count(*) from ${failing} failing) as total`;

/**
 * An index scan from the last match back to the page, for pages that most matches come before. All matches are counted first, by `total`: that takes less
 * than to read them in order, since it has parallel workers and reads the table as it lies. It is one statement, so that the count and the page agree.
 */
const buildScanFromEnd = (order: Order, page: Page, where: Where, total: string): string => {
  const back = { ...page, backwards: !page.backwards };
  const tests = listRanges(order, back, where).map(({ test }) => `(${test})`);
  const inSpan = { ...where, sql: `(${tests.join(' or ')}) and ${where.sql}` };
  const counted = page.after || page.before ? buildTotalSql(inSpan) : total;
  const rest = 'greatest(total - cast(:offset as bigint), 0)';
  const ranges = selectRanges(order, back, where, `(select ${rest} from matching)`);
  return `with matching as materialized (${counted})
    select contact_id, part, key from (
      select contact_id, part, key, row_number() over () as place from (
        select contact_id, part, key from (${ranges.join('\nunion all\n')}) scanned
         limit (select least(cast(:limit as bigint), ${rest}) from matching)
        offset (select greatest(total - cast(:needed as bigint), 0) from matching)) reversed) numbered
     order by place desc`;
};

/**
 * An index scan in the order of the page with a row budget: it scans one part of the order and stops after that many contacts, so a page that is not full is no
 * answer. Contacts with the key of the position are scanned to their end, because the next range assumes that they are done.
 * Conditions on the sort attribute narrow the index range and take nothing from the budget.
 */
const buildBoundedScan = (order: Order, page: Page, { sql, bounds }: Where): string => {
  const ranges = listRanges(order, page, { bounds });
  const [first] = ranges as [OrderRange];
  const scanned = ranges.filter(({ part }) => part === first.part);
  return unionRanges(
    scanned.map(({ part, key, by, test, order: sorted }, index) => {
      const narrow = [test, ...(bounds[by ?? 's.contact_id'] ?? [])].join(' and ');
      const limit = index < scanned.length - 1 ? '' : ' limit :rowBudget';
      return `(select s.contact_id, ${part} as part, ${key} as key
        from ${scanRange(by, `${narrow} order by ${sorted}${limit}`, sql)} where ${sql} order by ${sorted} limit :needed)`;
    }),
  );
};

/** Finds all matches, then sorts; for searches that match few. The inner OFFSET keeps the planner from scanning in the order instead. */
const buildSort = (
  order: Order,
  span: Span,
  { sql, emails }: Clause,
  selectFrom = (texts: string[]): Pick<Tables, 'from' | 'space'> => buildFromClause(texts, emails),
): string => {
  const parts = listOrderParts(order);
  const direction = getReadingDirections(order, span.backwards);
  const by = parts[0]!.by;
  const part =
    parts.length > 1 ? `case ${parts.map(({ test }, index) => `when ${test} then ${index}`).join(' ')} end` : '0';
  const key = by ? `case when ${parts[0]!.test} then ${by.column} end` : 'null';
  const { from, space } = selectFrom([part, key, sql]);
  const found = `select s.contact_id, ${part} as part, ${key} as key from ${from} where ${space} and ${sql} offset 0`;
  const partDirection = span.backwards ? 'desc' : 'asc';
  // Not by the key as it is yielded, which is a text.
  const sorted = `part ${partDirection}, ${by ? `found.key ${direction.key}, ` : ''}contact_id ${direction.id}`;
  const bounds = (['after', 'before'] as const).filter((side) => span[side]);
  const beyond = bounds.map((side) => buildPositionTest(order, side));
  return `select contact_id, part, cast(key as text) as key from (${found}) found ${beyond.length > 0 ? `where ${beyond.join(' and ')}` : ''} order by ${sorted} limit :limit offset :offset`;
};

/** Whether a found contact stands after a position, or before one. */
const buildPositionTest = (order: Order, side: 'after' | 'before'): string => {
  const { by } = listOrderParts(order)[0]!;
  const directions = getReadingDirections(order, side === 'before');
  const operatorOf = (direction: Direction): string => (direction === 'asc' ? '>' : '<');
  const byId = `contact_id ${operatorOf(directions.id)} :${side}Id`;
  const key = `cast(:${side}Key as ${by?.type})`;
  const within = by
    ? `(key ${operatorOf(directions.key)} ${key} or (key is not distinct from ${key} and ${byId}))`
    : byId;
  return `(part ${side === 'after' ? '>' : '<'} :${side}Part or (part = :${side}Part and ${within}))`;
};

/**
 * Gathers the contacts that satisfy the leading condition, as long as they are few, and sorts those that match: it reads no other
 * contact, whatever the plan. If they are many it finds nobody, so an empty page is no answer.
 */
export const buildGatherSql = (order: Order, page: Page, { sql, leading }: Where): string => {
  const candidates = `(select ${buildMatchesSql({ sql: leading!, emails: 'none' })} limit ${shortScanRows + 1}) candidates`;
  return buildSort(
    order,
    page,
    { sql: `(select count(*) from ${candidates}) <= ${shortScanRows} and ${sql}`, emails: 'none' },
    (texts) => ({ from: scanRange(null, `${leading} offset 0`, texts.join(' ')), space: 's.group_id = :group' }),
  );
};

/** How many contacts a scan should read to fill a page, if matches were spread evenly. */
const estimateScan = ({ limit, offset }: Page, { matches, inRange }: MatchEstimate): number =>
  ((offset + limit) * inRange) / Math.max(matches, 1);

/** Three times the estimate, because matches are not spread evenly. */
const computeRowBudget = (estimate: number): number =>
  Math.min(maxScannedRows, Math.max(shortScanRows, Math.ceil(estimate * 3)));

/** In contacts: the most that a scan of nothing but an index passes. It takes no longer than a short scan, which reads a row of each. */
const passedRows = deepOffset;

/**
 * The row budget of a short scan that should fill a page, over an index that has what follows in the very order of the page; undefined where none should.
 * Without a condition, all that it passes is a page.
 */
export const computeShortBudget = (
  order: Order,
  page: Page,
  where: Where,
  { estimate, findsAll }: { estimate: MatchEstimate; findsAll: boolean },
): number | undefined => {
  const { test, by } = listOrderParts(order)[listRanges(order, page, where)[0]!.part]!;
  const isIndexed = by ? order.ascending : test === 'true';
  const needed = page.offset + page.limit;
  if (!isIndexed || estimate.matches < needed) return undefined;
  if (findsAll && needed <= passedRows && page.limit * 3 <= shortScanRows) return needed;
  return computeRowBudget(estimateScan(page, estimate)) === shortScanRows ? shortScanRows : undefined;
};

/** How a page is read first, and how when that was a bounded scan that did not fill the page. */
export interface StrategyChoice {
  first: PageStrategy;
  fallback: PageStrategy;
  rowBudget?: number | undefined;
}

/** Whether two thirds of the matches come before a page. */
const isNearEnd = (offset: number, matches: number): boolean => offset * 3 > matches * 2;

/**
 * Chooses by how many contacts are expected to match. `lacksStatistics` says that the estimate is a guess of the planner. The planner
 * alone would assume that matches are spread evenly, and scan a whole index when they all stand at its end.
 */
export const choosePageStrategy = (page: Page, estimate: MatchEstimate, lacksStatistics: boolean): StrategyChoice => {
  const { matches, total } = estimate;
  const isDeep = page.offset >= deepOffset;
  const isFromEnd = isDeep && isNearEnd(page.offset, matches);
  const scan = isFromEnd ? 'scan from the end' : 'unbounded scan';
  if (matches >= total) return { first: scan, fallback: scan };
  // These scans find the matches first, or those that fail: where the estimate is wrong, they take no longer than a sort.
  const isGuess = lacksStatistics && !isFromEnd && !(isDeep && matchesNearlyAll(estimate));
  const fallback = isGuess || matches * (isFromEnd ? 10 : 5) <= total || isSmallSpace(total) ? 'sort' : scan;
  const rows = estimateScan(page, estimate);
  // Testing one contact takes some ten times as long as finding it among all.
  if (isSmallSpace(total) && rows * 10 > total) return { first: 'sort', fallback: 'sort' };
  // Without statistics, matches may be frequent after all, or there are none.
  if (lacksStatistics && page.offset < guessedScanRows)
    return { first: 'bounded scan', fallback, rowBudget: guessedScanRows };
  // A scan cannot fill a page that has fewer matches.
  if (rows * 2 > maxScannedRows || matches < page.offset + page.limit) return { first: fallback, fallback };
  return { first: 'bounded scan', fallback, rowBudget: computeRowBudget(rows) };
};

const builders: Record<PageStrategy, (order: Order, page: Page, where: Where, total: string) => string> = {
  'bounded scan': buildBoundedScan,
  'unbounded scan': buildUnboundedScan,
  'scan from the end': buildScanFromEnd,
  sort: (order, page, where) => buildSort(order, page, where),
};

/** Whether all matches are found before a deep page is read: a contact whose row is read takes some five times as long as one of the set. */
export const isFoundSooner = ({ offset, limit }: Page, { matches, inRange }: MatchEstimate): boolean => {
  const passed = isNearEnd(offset, matches) ? Math.max(matches - offset, limit) : offset + limit;
  return (passed * inRange * 4) / Math.max(matches, 1) > matches;
};

/** A scan of an index, given the contacts that match, or those that fail. Both tests are hashed: a plain IN would be joined, and sorted after that. */
const buildScanOfFound = (
  order: Order,
  page: Page,
  where: Where,
  { strategy, found: { ids, fail } }: { strategy: PageStrategy; found: FoundContacts },
): string => {
  const sql = fail
    ? 's.contact_id not in (select contact_id from found)'
    : '(s.contact_id in (select contact_id from found)) is true';
  const total = fail ? subtractSql('found') : 'select count(*) as total from found';
  return `with found as materialized (${ids})
    select contact_id, part, key from (${builders[strategy](order, page, { ...where, sql, emails: 'none' }, total)}) page`;
};

/**
 * The contacts of a page with their positions: `contact_id`, `part`, `key`. A bounded scan takes a condition compiled to probe, the others one compiled to find.
 */
export const buildPageSql = (
  order: Order,
  page: Page,
  where: Where,
  strategy: PageStrategy,
  { total, found }: DeepPage = { total: buildTotalSql(where) },
): string => {
  if (order.sort === 'distance' && strategy !== 'sort')
    return buildNearestSql(order, page, where, strategy === 'bounded scan' ? ':rowBudget' : 'null');
  if (found && strategy !== 'sort' && strategy !== 'bounded scan')
    return buildScanOfFound(order, page, where, { strategy, found });
  return builders[strategy](order, page, where, total);
};

/** Ids in one row of `buildAllIdsSql`: few enough to be read without a pause. */
const idsPerRow = 10_000;

/** The ids of all matches in their order, in rows of lists: a million ids are a hundred rows. Binds what a page binds. */
export const buildAllIdsSql = (order: Order, where: Where): string => {
  const all = `select array_agg(contact_id) as ids from (${buildSort(order, { after: null }, where)}) sorted`;
  return `select ids[n : n + ${idsPerRow - 1}] as ids from (${all}) a, generate_series(1, cardinality(ids), ${idsPerRow}) n order by n`;
};
/** PostgreSQL takes a limit of null for none. */
export const allValues = { limit: null, offset: 0 };

/** The values that a page binds, beside those of its condition. */
export const bindPageValues = (
  { limit, after, before, offset }: Page,
  rowBudget = maxScannedRows,
): Record<string, unknown> => ({
  limit,
  offset,
  needed: offset + limit,
  rowBudget,
  ...(after && { afterPart: after.part, afterKey: after.key, afterId: after.id }),
  ...(before && { beforePart: before.part, beforeKey: before.key, beforeId: before.id }),
});

/** Whether a space has so few contacts that all of them are tested within milliseconds. */
export const isSmallSpace = (total: number): boolean => total <= maxScannedRows;

/** Whether nearly all contacts match, so that counting those that do not is less work. */
export const matchesNearlyAll = ({ matches, total }: MatchEstimate): boolean =>
  !isSmallSpace(total) && matches * 5 > total * 4;

/** Whether so many match that counting them means reading whole tables. */
export const matchesMany = ({ matches, total }: MatchEstimate): boolean => matches * 100 > total;

/** The contacts that match, `s`: what follows `select …`. */
export const buildMatchesSql = ({ sql, emails }: Clause): string => {
  const { from, space } = buildFromClause([sql], emails);
  return `from ${from} where ${space} and ${sql}`;
};
