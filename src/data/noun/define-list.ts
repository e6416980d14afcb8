// Lists that can grow, from one description each: pages, counts and totals, of a space and of many parents, with filters and orders.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Space } from '../../database/space.ts';
import { composeStatement, isSentOften, type Query, queryBuilder } from '../../database/statement.ts';
import { createInvalidProblem } from '../../problem.ts';
import { countRecords, type ListDescription, type Parents, selectRecords, type Viewer } from './describe.ts';
import { buildFilterConditions, type ListField, type ListFields } from './fields.ts';
import { JsonRead, readJson } from './json-read.ts';
import { Bindings, buildRowSql, type Projection, type RowProjection } from './json-sql.ts';
import { buildOrder, type Direction, type ListOrder } from './order.ts';
import {
  buildPageQuery,
  convertToPage,
  type ListPage,
  type PageArguments,
  type PageRow,
  type PageScope,
  readPageArguments,
} from './page.ts';
import { buildPageJsonSql, type ConnectionPart, type PageJson } from './page-json.ts';
import { isPlannedOnce, readSpaceSize } from './space-size.ts';
import {
  buildTotalsQuery,
  convertToTotals,
  convertToTotalsOf,
  readGrouping,
  type Total,
  type TotalRow,
} from './totals.ts';

interface FilterOptions {
  /** By field and operator: `{ name: { equals: 'Ada' } }`. */
  filter?: object | null | undefined;
  /** Without one, records that are hidden from anybody are missing. */
  viewer?: Viewer;
}

interface PageOptions extends FilterOptions, PageArguments {
  /** By id, ascending, without it. */
  orderBy?: { field: string; direction: Direction } | null | undefined;
}

interface TotalsOptions extends FilterOptions {
  groupBy: string;
  of?: string | null | undefined;
}

/** The options of a page as JSON: the selected fields, and the name of the list and its order in cursors. */
interface JsonOptions extends PageOptions {
  cursorList: string;
  parts: Projection<ConnectionPart>;
}

/** The name of the field with the parent's id, and the ids of parents. */
interface ParentOptions {
  parent: string;
  ids: readonly number[];
}

const nobody: Viewer = { userId: -1, seesAll: false };
/** Pages of parents that are converted before other requests run. */
const pagesOfTurn = 100;

/** Throws 400 for a field that the list has no order by. */
const readOrder = (
  { fields, orders, indexed = [] }: ListDescription,
  orderBy: PageOptions['orderBy'],
): { order: ListOrder; isIndexed: boolean } => {
  const { field: name, direction } = orderBy ?? { field: 'id', direction: 'asc' };
  if (!orders.includes(name)) {
    const message = `is no order of this list: there are ${orders.join(', ')}`;
    throw createInvalidProblem([{ location: 'orderBy.field', message, value: name }]);
  }
  return { order: buildOrder(fields.id!, fields[name]!, direction), isIndexed: indexed.includes(name) };
};

const getParentColumn = ({ noun, fields }: ListDescription, parent: string): string => {
  const field: ListField | undefined = fields[parent];
  if (field?.type !== 'id') throw new Error(`${parent} is no id of a parent of ${noun}`);
  return field.column;
};

/**
 * Runs a query whose work depends on its values on the search pool: there it is planned for them, may take longer, and a space runs few at
 * once.
 */
const runPlanned = <Row>(space: Space, noun: string, query: Query): Promise<Row[]> =>
  space.runSlow((rows) => rows<Row>(...composeStatement(noun, query)));

/** Runs a query that reads few rows, whatever its values. */
const runShort = <Row>(space: Space, noun: string, query: Query): Promise<Row[]> =>
  space.rows<Row>(...composeStatement(noun, query));

/** The read of a page as JSON; whether it reads few records whatever its values; and whether it follows an index, and only counts all. */
interface ComposedJson {
  read: JsonRead;
  isShortRead: boolean;
  isIndexed: boolean;
}

/** A page that follows an index needs no plan for its values, but one for the size of the space. */
const runPlannedJson = async (space: Space, { read, isIndexed }: ComposedJson, viewer: Viewer) =>
  space.runSlow(
    async (rows) => {
      if (isIndexed && isSentOften(read.statement)) await readSpaceSize(rows, space);
      return read.run(rows, { ...viewer });
    },
    { plansOnce: () => isIndexed && isPlannedOnce(space) },
  );

type Conditions = Partial<Record<string, { equals?: unknown; in?: unknown }>>;

/** The conditions of a filter, and what is known of its matches. They are few where it names them or their contacts, and in the list of a parent. */
const readFilter = (
  list: ListDescription,
  filter: object | null | undefined,
  isOfParent: boolean,
): Pick<PageScope, 'conditions' | 'isSearch' | 'mayCluster'> => {
  const named = Object.entries((filter ?? {}) as Conditions)
    .filter(([name, asked]) => list.fields[name]?.type === 'id' && (asked?.equals ?? asked?.in) != null)
    .map(([name]) => name);
  const isSearch = !list.isShort && !isOfParent && !named.includes('id') && !named.includes('contactId');
  const conditions = buildFilterConditions({ ...list, isSearch }, filter);
  return { conditions, isSearch: isSearch && conditions.length > 0, mayCluster: named.length > 0 };
};

const preparePageJson = (list: ListDescription, options: JsonOptions, isOfParent: boolean): PageJson => {
  const { filter, viewer = nobody, orderBy, parts, cursorList } = options;
  const order = readOrder(list, orderBy);
  const request = readPageArguments(order.order, options);
  return { description: list, ...order, ...readFilter(list, filter, isOfParent), viewer, request, parts, cursorList };
};

const readTextsByIds = async (
  space: Space,
  { read }: ComposedJson,
  ids: readonly number[],
  viewer: Viewer = nobody,
): Promise<Map<number, string>> => {
  const found = await readJson(space, read, { ...viewer, ids: [...new Set(ids)] });
  return new Map(found.map(([id, json]) => [Number(id), json]));
};

/** Functions of a list. `Row` is what a row has. */
export const defineList =
  <Row extends { id: number }>() =>
  <const Fields extends ListFields>(description: ListDescription<Fields>) => {
    // Fields are looked up by names that are checked at run time.
    const list = description as unknown as ListDescription;
    const { noun, fields, isShort = false } = list;
    const runWhole = isShort ? runShort : runPlanned;
    /** Composing takes longer than all else that is done for a page, and clients ask for the same pages. */
    const composedOf = new WeakMap<object, LRUCache<string, ComposedJson>>();
    /** The read of a selection for a tuple of all else that it depends on. */
    const rememberJson = (selection: object, key: readonly unknown[], compose: () => ComposedJson): ComposedJson => {
      const composed = composedOf.get(selection) ?? new LRUCache({ max: 8 });
      composedOf.set(selection, composed);
      const text = JSON.stringify(key);
      const known = composed.get(text) ?? compose();
      composed.set(text, known);
      return known;
    };
    /** As much of a viewer as the SQL depends on. */
    const describeViewer = ({ userId, seesAll }: Viewer): number | boolean | null => {
      if (!list.restricted) return null;
      return !seesAll && list.restricted.includes('?') ? userId : seesAll;
    };
    const composeJson = (options: JsonOptions, parent: string | null): ComposedJson => {
      const { parts, cursorList, filter, viewer = nobody, orderBy, first, last, after, before } = options;
      const key = [parent, cursorList, filter, describeViewer(viewer), orderBy, first, last, after, before];
      return rememberJson(parts, key, () => {
        const page = preparePageJson(list, options, parent !== null);
        const bindings = new Bindings(false);
        const owner = parent && { column: getParentColumn(list, parent), id: 'parent.id', isRead: false };
        const json = buildPageJsonSql(page, bindings, owner || null);
        const sql = owner
          ? `select parent.id, ${json} as json from unnest(cast(:ids as bigint[])) parent (id)`
          : `select null as id, ${json} as json`;
        const counts = parts.some(({ value }) => value === 'totalCount');
        const isIndexed = page.conditions.length === 0 && page.isIndexed;
        return {
          read: new JsonRead(noun, sql, bindings.values),
          isShortRead: isShort || (isIndexed && !counts),
          isIndexed,
        };
      });
    };
    const composeJsonByIds = (of: RowProjection, viewer: Viewer): ComposedJson =>
      rememberJson(of, [describeViewer(viewer)], () => {
        const bindings = new Bindings(false);
        const isAsked = queryBuilder.raw(`${fields.id!.column} = any(cast(:ids as bigint[]))`);
        const found = bindings.query(selectRecords(list, [isAsked], viewer).select(queryBuilder.raw(list.columns)));
        const computed = list.computed ? `, ${list.computed}` : '';
        const row = bindings.alias();
        const sql = `select ${row}.id, ${buildRowSql(of, row, bindings)} as json from (select page.*${computed} from (${found}) page) ${row}`;
        return { read: new JsonRead(noun, sql, bindings.values), isShortRead: true, isIndexed: true };
      });
    const composePage = (options: PageOptions, parents?: Parents) => {
      const { filter, viewer = nobody, orderBy } = options;
      const order = readOrder(list, orderBy);
      const page = readPageArguments(order.order, options);
      const found = readFilter(list, filter, parents !== undefined);
      const query = buildPageQuery({ description: list, ...order, ...found, viewer }, page, parents);
      return { isIndexed: found.conditions.length === 0 && order.isIndexed, page, query };
    };
    const composeTotals = (options: TotalsOptions, parents?: Parents): Query => {
      const grouping = readGrouping(list, options);
      const { conditions } = readFilter(list, options.filter, parents !== undefined);
      return buildTotalsQuery(list, conditions, { grouping, viewer: options.viewer ?? nobody }, parents);
    };
    return {
      ...description,
      /** A page of the space's list. Throws 400 for arguments that the list does not have. */
      readPage: async (space: Space, options: PageOptions): Promise<ListPage<Row>> => {
        const { isIndexed, page, query } = composePage(options);
        return convertToPage(await (isIndexed ? runShort : runWhole)<PageRow<Row>>(space, noun, query), page);
      },
      /** The JSON text of a page of the space's list. Throws like `readPage`. */
      readPageJson: async (space: Space, options: JsonOptions): Promise<string> => {
        const { viewer = nobody } = options;
        const composed = composeJson(options, null);
        const found = await (composed.isShortRead
          ? readJson(space, composed.read, { ...viewer })
          : runPlannedJson(space, composed, viewer));
        return found[0]![1];
      },
      /** The same of the list of each parent, in one statement. */
      readPageJsonOf: async (
        space: Space,
        { parent, ids, ...options }: JsonOptions & ParentOptions,
      ): Promise<Map<number, string>> => readTextsByIds(space, composeJson(options, parent), ids, options.viewer),
      /** SQL of the JSON of the list's page, for a parent that a statement reads under an alias. Throws like `readPage`. */
      preparePageJsonOf: ({ parent, ...options }: JsonOptions & Pick<ParentOptions, 'parent'>) => {
        const page = preparePageJson(list, options, true);
        const column = getParentColumn(list, parent);
        return (alias: string, bindings: Bindings): string =>
          buildPageJsonSql(page, bindings, { column, id: `${alias}.id`, isRead: true });
      },
      /** The records of the list with these ids, by id. Throws 400 for more ids than a page has records. */
      readByIds: async (
        space: Space,
        ids: readonly number[],
        { viewer = nobody }: { viewer?: Viewer } = {},
      ): Promise<Row[]> => {
        if (ids.length === 0) return [];
        const { page, query } = composePage({ filter: { id: { in: ids } }, first: ids.length, viewer });
        return convertToPage(await runShort<PageRow<Row>>(space, noun, query), page).rows.map(({ row }) => row);
      },
      /** The JSON texts of the records with these ids, by id. */
      readJsonByIds: async (
        space: Space,
        ids: readonly number[],
        { of, viewer = nobody }: { of: RowProjection; viewer?: Viewer },
      ): Promise<Map<number, string>> => readTextsByIds(space, composeJsonByIds(of, viewer), ids, viewer),
      /** The same page of the list of each parent, in one statement. */
      readPagesOf: async (space: Space, options: PageOptions & ParentOptions): Promise<Map<number, ListPage<Row>>> => {
        const ids = [...new Set(options.ids)];
        const { page, query } = composePage(options, { column: getParentColumn(list, options.parent), ids });
        const found = new Map(ids.map((id): [number, PageRow<Row>[]] => [id, []]));
        for (const row of await runShort<PageRow<Row>>(space, noun, query)) found.get(row.parent_id!)!.push(row);
        const pages = new Map<number, ListPage<Row>>();
        for (const [id, rows] of found) {
          if (pages.size % pagesOfTurn === pagesOfTurn - 1) await nextTurn();
          pages.set(id, convertToPage(rows, page));
        }
        return pages;
      },
      /** How many records the space's list has. */
      count: async (space: Space, { filter, viewer = nobody }: FilterOptions = {}): Promise<number> => {
        const query = countRecords(list, readFilter(list, filter, false).conditions, viewer);
        return (await runWhole<{ count: number }>(space, noun, query))[0]!.count;
      },
      /** How many records the list of each parent has. */
      countOf: async (
        space: Space,
        { filter, viewer = nobody, parent, ids }: FilterOptions & ParentOptions,
      ): Promise<Map<number, number>> => {
        const column = getParentColumn(list, parent);
        const query = selectRecords(list, readFilter(list, filter, true).conditions, viewer)
          .whereRaw(`${column} = any(cast(? as bigint[]))`, [ids as never])
          .select(queryBuilder.raw(`${column} as parent_id, count(*) as count`))
          .groupByRaw(column);
        const counts = await runShort<{ parent_id: number; count: number }>(space, noun, query);
        return new Map([
          ...ids.map((id): [number, number] => [id, 0]),
          ...counts.map(({ parent_id, count }): [number, number] => [parent_id, count]),
        ]);
      },
      /** Totals by a period of the date `of`, or by a field, in the order of their keys. Throws 422 when there are too many. */
      readTotals: async (space: Space, options: TotalsOptions): Promise<Total[]> =>
        convertToTotals(await runWhole<TotalRow>(space, noun, composeTotals(options))),
      /** The same totals of the list of each parent, in one statement. */
      readTotalsOf: async (space: Space, options: TotalsOptions & ParentOptions): Promise<Map<number, Total[]>> => {
        const ids = [...new Set(options.ids)];
        const query = composeTotals(options, { column: getParentColumn(list, options.parent), ids });
        return convertToTotalsOf(await runShort<TotalRow>(space, noun, query), ids);
      },
    };
  };
