// Pages of lists by position, forwards and backwards, for one list or for the lists of many parents at once: one statement each.
import { type Query, queryBuilder, type Sql } from '../../database/statement.ts';
import { limits } from '../../limits/limits.ts';
import { createInvalidProblem } from '../../problem.ts';
import { type ListDescription, type Parents, selectRecords, type Viewer } from './describe.ts';
import {
  type Bound,
  type ListOrder,
  listRanges,
  type OrderRange,
  type Position,
  requirePosition,
  selectKeySql,
} from './order.ts';

/** Records of a page of a connection, unless the client says how many. */
export const usualPageSize = 20;

/** Which records of a list a page has: the first after a position, or the last before one. */
export interface PageArguments {
  first?: number | null | undefined;
  last?: number | null | undefined;
  after?: Position | null | undefined;
  before?: Position | null | undefined;
}

export interface ListPage<Row> {
  /** In the order of the list, backwards pages too. */
  rows: { row: Row; position: Position }[];
  /** Whether the list has a record after the last one of the page. */
  hasNextPage: boolean;
  /** Whether the list has a record before the first one of the page. */
  hasPreviousPage: boolean;
}

/** A page that is checked: its size, and the bounds between which it is. */
export interface PageRequest<At = Position> {
  size: number;
  backwards: boolean;
  after: At | null;
  before: At | null;
}

/** The size of a page, and whether it is read from the end. Throws 400 for a page without a size, or with two. */
export const readPageSize = ({ first, last }: PageArguments): Pick<PageRequest, 'size' | 'backwards'> => {
  const backwards = first == null;
  const [name, size] = backwards ? ['last', last] : ['first', first];
  const fault = (location: string, message: string, value: unknown) =>
    createInvalidProblem([{ location, message, ...(value != null && { value }) }]);
  if (size == null) throw fault('first', 'is missing: a page has the first or the last records', undefined);
  if (!backwards && last != null) throw fault('last', 'must not be given together with first', last);
  if (!Number.isInteger(size) || size < 0 || size > limits.list.page)
    throw fault(name!, `must be a whole number from 0 to ${limits.list.page}`, size);
  return { size, backwards };
};

/** Throws 400 for a page without a size, or with two, and for positions of another order. */
export const readPageArguments = (order: ListOrder, page: PageArguments): PageRequest => {
  const size = readPageSize(page);
  const { after, before } = page;
  if (after) requirePosition(order, after, 'after');
  if (before) requirePosition(order, before, 'before');
  return { ...size, after: after ?? null, before: before ?? null };
};

/**
 * The planner must know that a page is short, or it would start parallel workers or sort the whole list, and it plans before values are
 * bound. So the text has one of these limits, and the exact one is bound.
 */
const planLimits = [32, 256, limits.list.page + 1];

type Build = (conditions: readonly Sql[]) => Query;

const orderBy = (columns: readonly string[], { towards }: OrderRange): string =>
  columns.map((column) => `${column} ${towards}`).join(', ');

/** The records of a range in the order of reading, at most `limit` of them. */
const selectRange = (build: Build, range: OrderRange, limit: number): Sql =>
  queryBuilder.raw(`? limit ${limit}`, [build(range.conditions).orderByRaw(orderBy(range.columns, range)) as never]);

/** Records that a search reads in the order of the list, before it finds all matches and sorts them. */
const readInOrder = 5000;

/**
 * The records of a range that match a filter, where matches may stand together. The planner assumes that they are spread evenly over the order, and reads an index until it has enough of
 * them. But the e-mails of a campaign were sent on one day, and may stand at the far end of the list. So the index is read only so far.
 */
const selectMatches = (build: Build, buildAll: Build, range: OrderRange, limit: number): Sql => {
  const columns = range.columns.join(', ');
  const end = buildAll(range.conditions).select(queryBuilder.raw(columns)).orderByRaw(orderBy(range.columns, range));
  const isNear = queryBuilder.raw(
    `(${columns}) ${range.towards === 'asc' ? '<=' : '>='} (? offset ${readInOrder - 1} limit 1)`,
    [end as never],
  );
  const near = build([...range.conditions, isNear]).orderByRaw(orderBy(range.columns, range));
  // No index has this order.
  const sorted = build(range.conditions).orderByRaw(
    orderBy(
      range.columns.map((column) => `greatest(${column})`),
      range,
    ),
  );
  const isEnough = '(select count(*) from near) = ?';
  return queryBuilder.raw(
    `with near as materialized (? limit ?), sorted as materialized (? limit ?)
     select * from near where ${isEnough} union all select * from sorted where not ${isEnough}`,
    [near, limit, sorted, limit, limit, limit] as never[],
  );
};

export interface PageScope {
  description: ListDescription;
  order: ListOrder;
  /** Whether an index has the order. */
  isIndexed: boolean;
  conditions: readonly Sql[];
  /** Whether the conditions may match many records, or some at the far end of a long list. */
  isSearch: boolean;
  /** Whether the matches of a search may stand together in the list, such as the e-mails of a campaign. */
  mayCluster: boolean;
  viewer: Viewer;
}

/** A page of a list, or of the list of each parent. */
export const buildPageQuery = (
  { description, order, isIndexed, conditions, isSearch, mayCluster, viewer }: PageScope,
  { size, backwards, after, before }: PageRequest,
  parents: Parents | null = null,
): Query => {
  const own = parents ? [...conditions, queryBuilder.raw(`${parents.column} = parent.id`)] : conditions;
  const build = (columns: string) => (bounds: readonly Sql[]) =>
    selectRecords(description, [...own, ...bounds], viewer).select(queryBuilder.raw(columns));
  /** The ranges between some bounds, read one after the other. */
  const selectRanges = (
    bounds: readonly Bound[],
    backwards: boolean,
    select: (range: OrderRange) => Sql,
  ): Sql | null => {
    const ranges = listRanges(order, bounds, backwards).map(select);
    if (ranges.length === 0) return null;
    return queryBuilder.raw(ranges.map(() => '(?)').join(' union all '), ranges as never[]);
  };
  /** Whether the list goes on beyond a bound of the page. The nearest record is looked for, since it is found at once. */
  const beyond = (position: Position | null, side: Bound['side']): Sql => {
    const bounds: Bound[] = position ? [{ position, side, inclusive: true }] : [];
    const found = position && selectRanges(bounds, side === 'before', (range) => selectRange(build('1'), range, 1));
    return found ? queryBuilder.raw('exists (?)', [found]) : queryBuilder.raw('false');
  };
  const bounds: Bound[] = [
    ...(after ? [{ position: after, side: 'after' as const, inclusive: false }] : []),
    ...(before ? [{ position: before, side: 'before' as const, inclusive: false }] : []),
  ];
  const columns = `${description.columns}, ${selectKeySql(order)} as position_key`;
  const computed = description.computed ? `, ${description.computed}` : '';
  // For a long page the planner sorts the matches of a search, unless they are many.
  const planned = planLimits.find((limit) => limit > (isSearch ? limits.list.page : size))!;
  const { contact: _, restricted: __, ...whole } = description;
  const buildAll: Build = (bounds) => selectRecords(whole, bounds, viewer);
  const found = selectRanges(bounds, backwards, (range) =>
    isSearch && mayCluster && isIndexed
      ? selectMatches(build(columns), buildAll, range, size + 1)
      : selectRange(build(columns), range, planned),
  );
  const page = found
    ? queryBuilder.raw(
        isSearch ? 'with found as materialized (?) select * from found limit ?' : 'select * from (?) found limit ?',
        [found, size + 1],
      )
    : queryBuilder.raw('?', [build(columns)([queryBuilder.raw('false')]) as never]);
  const edges = queryBuilder.raw('select ? as goes_back, ? as goes_on', [
    beyond(after, 'before'),
    beyond(before, 'after'),
  ]);
  const query = queryBuilder.select(
    queryBuilder.raw(`${parents ? 'parent.id as parent_id, ' : ''}edge.goes_back, edge.goes_on, page.*${computed}`),
  ) as Query;
  if (parents)
    query
      .from(queryBuilder.raw('unnest(cast(? as bigint[])) parent (id)', [parents.ids as never]))
      .joinRaw('cross join lateral (?) edge', [edges]);
  else query.from(queryBuilder.raw('(?) edge', [edges]));
  return query.joinRaw('left join lateral (?) page on true', [page]);
};

/** A row of the statement: a record of the page, or none beside what is beyond its bounds. */
export type PageRow<Row> = Row & {
  id: number | null;
  parent_id?: number;
  goes_back: boolean;
  goes_on: boolean;
  position_key: string | null;
};

/** The page that some rows of the statement make. One record more than its size was read. */
export const convertToPage = <Row>(found: readonly PageRow<Row>[], { size, backwards }: PageRequest): ListPage<Row> => {
  const records = found.filter(({ id }) => id !== null);
  const isMore = records.length > size;
  const rows = records
    .slice(0, size)
    .map(({ parent_id: _, goes_back: __, goes_on: ___, position_key: key, ...row }) => ({
      row: row as unknown as Row,
      position: { key, id: row.id! },
    }));
  const { goes_back, goes_on } = found[0] ?? { goes_back: false, goes_on: false };
  return {
    rows: backwards ? rows.reverse() : rows,
    hasNextPage: goes_on || (isMore && !backwards),
    hasPreviousPage: goes_back || (isMore && backwards),
  };
};
