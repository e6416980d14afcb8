// Contact search: pages of the contacts that a query finds, by the query of the graph or by the contract's tree (spec §4.13).
import type { GraphQLResolveInfo } from 'graphql';
import { z } from 'zod';
import type { Context, Whole } from '../../src/context.ts';
import { maxInlinePage } from '../../src/data/contact/json.ts';
import type { ContactRelation } from '../../src/data/contact/read.ts';
import { countFoundContacts, countUpTo, limitCount, type Search, type Start } from '../../src/data/search/find.ts';
import { findContactIds, readContactsInOrder } from '../../src/data/search/find-all.ts';
import { readTextMatch } from '../../src/data/search/quick-search.ts';
import { narrowPlan, type SearchPlan } from '../../src/data/search/search-plan.ts';
import { createCacheKey } from '../../src/limits/cache-key.ts';
import { listFieldsBelow } from '../../src/plan/selection.ts';
import { createInvalidProblem, type Fault, Problem } from '../../src/problem.ts';
import { getFieldPath } from '../../src/search/field-names.ts';
import { type Direction, type Order, type SortName, sortNames } from '../../src/search/sort.ts';
import { ContactConnection, type ContactPage, cutPage, readPageArguments } from '../contact/contact-connection.ts';
import { type ContactReader, createContactReader, type FoundSource } from '../contact/contact-reader.ts';
import { listInlineParts, listSelectedParts, preloadContactParts } from '../contact/contact-relations.ts';
import { describedText } from '../contact/contacts.ts';
import { builder } from '../graph/builder.ts';
import { definePageArguments, type PageArguments } from '../graph/connection.ts';
import { convertToConstant, OrderDirection } from '../graph/list-types.ts';
import { pageSize } from '../graph/page.ts';
import { cursorText, searchText } from '../graph/validators.ts';
import { decodePosition, encodePosition } from './search-cursor.ts';
import {
  defineQueryArgument,
  defineTreeArgument,
  findQueryFaults,
  findRelativeDateFaults,
  planQuery,
  type QueryArgument,
  queryArgument,
  treeArgument,
} from './search-input.ts';

/** The selected parts of a page: any of its contacts, its position in the order; the relations of its contacts, and what reads them. */
interface SelectedPage {
  page: boolean;
  pageInfo: boolean;
  listParts(): ContactRelation[];
  reader: ContactReader;
}

export const readSelection = (context: Context, info: GraphQLResolveInfo): SelectedPage => {
  const selected = listFieldsBelow(info);
  return {
    page: ['edges', 'nodes', 'pageInfo'].some((name) => selected.has(name)),
    pageInfo: selected.has('pageInfo'),
    listParts: () =>
      listSelectedParts(new Set([...listFieldsBelow(info, 'nodes'), ...listFieldsBelow(info, 'edges', 'node')])),
    reader: createContactReader(context, info, ['nodes'], ['edges', 'node']),
  };
};

/** Plans the search of a request, once its query is known to be sound. A changed segment makes it another search. */
export const createSearch = async (
  context: Context,
  argument: QueryArgument,
  { sent, order, size }: { sent: unknown; order: Order; size: number },
): Promise<Search> => {
  const { plan, segments, origin } = await planQuery(context, argument, sent);
  if (order.sort === 'distance' && !origin)
    throw createOrderProblem(
      'distance',
      'is the distance from the centre of `address.near`: the query must have one that every match satisfies',
    );
  const words = [argument.name, sent ?? null, order, size, ...(segments.length > 0 ? [segments] : [])];
  return {
    plan,
    order: order.sort === 'distance' ? { ...order, origin: origin! } : order,
    words: JSON.stringify(words),
  };
};

/** The search of those contacts that match a text, too. */
const narrowSearch = async ({ space }: Context, { plan, order, words }: Search, text: string): Promise<Search> => {
  const { ranks, ...condition } = await readTextMatch(space, text);
  return {
    plan: narrowPlan(plan, condition),
    order: order.sort === 'relevance' ? { ...order, ranks } : order,
    words: createCacheKey(words, text),
  };
};

/** The count of each plan, which the fields of a request share; undefined when counting failed. */
const counts = new WeakMap<SearchPlan, Promise<number | undefined>>();
export const countSearch = ({ space }: Context, search: Search): Promise<number> => {
  const countAnew = (): Promise<number> => {
    const own = countFoundContacts(space, search);
    shareCount(
      search.plan,
      own.then((total) => ({ total })),
    );
    return own;
  };
  const shared = counts.get(search.plan);
  return shared ? shared.then((total) => total ?? countAnew()) : countAnew();
};

/** Lets `countSearch` use a count that another field makes of the same plan. */
export const shareCount = (plan: SearchPlan, counted: Promise<{ total: number }>): void => {
  counts.set(
    plan,
    counted.then(
      ({ total }) => total,
      () => undefined,
    ),
  );
};

type FoundRows = Pick<ContactPage<FoundSource>, 'rows' | 'hasNextPage' | 'hasPreviousPage'>;
const nobody: FoundRows = { rows: [], hasNextPage: false, hasPreviousPage: false };

const createPage = (context: Context, search: Search, reader: ContactReader, found: FoundRows): ContactPage => ({
  rows: found.rows,
  hasNextPage: found.hasNextPage,
  hasPreviousPage: found.hasPreviousPage,
  reader,
  formatCursor: (row) => encodePosition(search.order, row as FoundSource),
  countAll: () => countSearch(context, search),
  countUpTo: async (ceiling) => {
    const total = await counts.get(search.plan);
    return total === undefined ? countUpTo(context.space, search, ceiling) : limitCount(total, ceiling);
  },
  measureDistance: search.order.sort === 'distance' ? (row) => Number((row as FoundSource).key) : undefined,
});

interface ContactOrder {
  field: SortName | 'id' | 'relevance' | 'distance';
  direction: Direction;
}

interface QueryPageArguments extends PageArguments {
  search?: string | null | undefined;
  query?: object | null | undefined;
  orderBy?: ContactOrder | null | undefined;
}

const createOrderProblem = (field: 'relevance' | 'distance', message: string): Problem =>
  createInvalidProblem([{ location: 'orderBy.field', message, value: field.toUpperCase() }]);

/** Throws 400 for an order by relevance without a text, and for one from the worst or the farthest match on. */
const readOrder = ({ search, orderBy }: QueryPageArguments): Order => {
  const usual: ContactOrder = { field: search == null ? 'id' : 'relevance', direction: 'asc' };
  const { field, direction } = orderBy ?? usual;
  if (field === 'relevance' && search == null)
    throw createOrderProblem(field, 'is the order of a text: send it as `search`');
  if (field === 'relevance' && direction === 'desc')
    throw createOrderProblem(field, 'begins with the best matches: its direction is ASC');
  if (field === 'distance' && direction === 'desc')
    throw createOrderProblem(field, 'begins with the nearest: its direction is ASC');
  return { sort: field === 'id' ? null : field, ascending: direction === 'asc' };
};

const readArguments = (args: QueryPageArguments) => {
  const order = readOrder(args);
  return { order, page: readPageArguments(args, (cursor, location) => decodePosition(order, cursor, location)) };
};

export const searchByQuery = async (
  args: QueryPageArguments,
  context: Context,
  selected: SelectedPage,
): Promise<ContactPage> => {
  const { reader } = selected;
  const { order, page } = readArguments(args);
  const sound = await createSearch(context, queryArgument, { sent: args.query, order, size: page.size });
  const search = args.search == null ? sound : await narrowSearch(context, sound, args.search);
  // One contact more tells whether there is a next page, when that is selected.
  const limit = page.size + (selected.pageInfo ? 1 : 0);
  if (!selected.page || limit === 0) return createPage(context, search, reader, nobody);
  const { after, before, backwards } = page;
  const found = await reader.findPage(search, { start: { after, before, backwards }, limit });
  // A page that is not full contains all matches. Contacts of a long page may be deleted before they are read.
  if (found.length < limit && limit <= maxInlinePage && !after && !before)
    shareCount(search.plan, Promise.resolve({ total: found.length }));
  return createPage(context, search, reader, cutPage(found, page));
};

interface TreeArguments {
  tree?: unknown;
  sortBy?: SortName | null | undefined;
  ascending?: boolean | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
  page?: number | null | undefined;
}

/** Contacts of a page by a tree, unless the client says how many. */
const usualTreeSize = 50;

const searchByTree = async (
  { tree, sortBy, ascending, after, page, ...args }: TreeArguments,
  context: Context,
  selected: SelectedPage,
): Promise<ContactPage> => {
  const { reader } = selected;
  if (typeof after === 'string' && typeof page === 'number')
    throw createInvalidProblem([{ location: 'page', message: 'cannot be given beside after' }]);
  const first = args.first ?? usualTreeSize;
  const order: Order = { sort: sortBy ?? null, ascending: !sortBy || ascending === true };
  const plan = (): Promise<Search> => createSearch(context, treeArgument, { sent: tree, order, size: first });
  if (context.whole) return readExportPage(context, context.whole, plan, { first, order, selected });
  const search = await plan();
  if (!selected.page) return createPage(context, search, reader, nobody);
  const isNumbered = typeof page === 'number';
  const start: Start = isNumbered
    ? { page, token: context.caller.tokenId }
    : { after: after ? decodePosition(order, after, 'after') : null };
  const limit = isNumbered || !selected.pageInfo ? first : first + 1;
  const found = await reader.findPage(search, { start, limit });
  // The next page by number begins where this one ends, so what follows a full one is looked for by itself.
  const next =
    isNumbered && selected.pageInfo && found.length === first
      ? await reader.findPage(search, { start: { after: found.at(-1)! }, limit: 1 })
      : found.slice(first);
  return createPage(context, search, reader, {
    rows: found.slice(0, first),
    hasNextPage: next.length > 0,
    hasPreviousPage: isNumbered ? page > 0 : Boolean(after),
  });
};

/** The next page of an export, of the contacts that were found when its first page was read: only that one depends on forms and segments. */
const readExportPage = async (
  context: Context,
  whole: Whole,
  plan: () => Promise<Search>,
  { first, order, selected }: { first: number; order: Order; selected: SelectedPage },
): Promise<ContactPage> => {
  const parts = selected.listParts();
  whole.ids ??= await findContactIds(context.space, await plan());
  const ids = Array.from(whole.ids.subarray(whole.read, whole.read + first));
  const rows = await readContactsInOrder(context.space, ids, listInlineParts(parts));
  await preloadContactParts(context, rows, parts);
  const hasPreviousPage = whole.read > 0;
  whole.read += ids.length;
  const { length } = whole.ids;
  return {
    rows,
    hasNextPage: whole.read < length,
    hasPreviousPage,
    reader: selected.reader,
    formatCursor: (row) => encodePosition(order, row as FoundSource),
    countAll: async () => length,
  };
};

/** The faults of a page, for a request that has others. */
const findPageFaults = (args: QueryPageArguments): readonly Fault[] => {
  try {
    readArguments(args);
    return [];
  } catch (error) {
    if (error instanceof Problem && error.errors) return error.errors;
    throw error;
  }
};

const ContactOrderField = builder.enumType('ContactOrderField', {
  description: 'Orders of found contacts; ties are broken by id, ascending. Contacts without a value come last.',
  values: Object.fromEntries([
    ...(['id', ...sortNames] as const).map((value) => {
      const field = value === 'city' ? value : getFieldPath(value);
      return [convertToConstant(field), { value, description: `By the field \`${field}\`.` }] as const;
    }),
    [
      'RELEVANCE',
      { value: 'relevance', description: 'By how well they match the text, the best first, then by id.' },
    ] as const,
    [
      'DISTANCE',
      {
        value: 'distance',
        description:
          'By the distance from the centre of `address.near`, the nearest first, then by id. If every match is in several circles, the first one counts.',
      },
    ] as const,
  ]) as Record<string, { value: ContactOrder['field']; description: string }>,
});

export const ContactOrderInput = builder.inputType('ContactOrder', {
  description: 'An order of found contacts.',
  fields: (t) => ({
    field: t.field({ type: ContactOrderField, required: true, description: 'The field to order by.' }),
    direction: t.field({ type: OrderDirection, required: true, defaultValue: 'asc', description: 'The direction.' }),
  }),
});

const SearchSort = builder.enumType('SearchSort', {
  description: 'Sort keys of the contract; contacts without a value come last in both directions.',
  values: Object.fromEntries(
    sortNames.map((name) => [name, { description: `By ${name.replace('_', ' ')}, then by id.` }]),
  ) as Record<SortName, { description: string }>,
});

builder.queryFields((t) => ({
  searchContacts: t.field({
    type: ContactConnection,
    extensions: {
      check: async (args: QueryPageArguments, { now }) => [
        ...findPageFaults(args),
        ...findQueryFaults(args.query, now),
      ],
    },
    description: 'The contacts that a query finds and that match a text, page by page.',
    args: {
      search: t.arg.string({ validate: searchText, description: describedText }),
      query: defineQueryArgument(t.arg),
      orderBy: t.arg({
        type: ContactOrderInput,
        description: 'Their order; without it by relevance if there is a text, else by id.',
      }),
      ...definePageArguments(t),
    },
    resolve: (_, args, context, info) => searchByQuery(args, context, readSelection(context, info)),
  }),
  searchContactsByTree: t.field({
    type: ContactConnection,
    extensions: {
      check: async ({ tree }: TreeArguments, { now }) => findRelativeDateFaults(treeArgument, tree, now),
    },
    description:
      "The contacts that the contract's query tree finds, with its sort keys and its pages by number. For clients that have such trees: `searchContacts` finds the same contacts, and its inputs are typed.",
    args: {
      tree: defineTreeArgument(t.arg),
      sortBy: t.arg({
        type: SearchSort,
        description: 'The sort key; without it, contacts are sorted by id, ascending.',
      }),
      ascending: t.arg.boolean({ defaultValue: false, description: 'Whether the smallest values come first.' }),
      first: t.arg.int({
        defaultValue: usualTreeSize,
        description: 'How many contacts at most, 1 to 1000.',
        validate: pageSize,
      }),
      after: t.arg.string({ validate: cursorText, description: 'The cursor after which the page begins.' }),
      page: t.arg({
        type: 'WholeNumber',
        description: 'The number of the page, from 0, instead of a cursor.',
        validate: z.number().min(0, 'must be at least 0'),
      }),
    },
    resolve: (_, args, context, info) => searchByTree(args, context, readSelection(context, info)),
  }),
}));
