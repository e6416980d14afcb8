// Contact search: pages of the contacts that a query finds, their number, and the explanation of a search (spec §4.13).
import { z } from 'zod';
import type { Context, Whole } from '../src/context.ts';
import type { ContactRelation } from '../src/data/contact/read.ts';
import { checkSearchedForms } from '../src/data/search/check-forms.ts';
import { type Explanation, explainSearch } from '../src/data/search/explain.ts';
import { countFoundContacts, type Search, type Start } from '../src/data/search/find.ts';
import { findContactIds, readContactsInOrder } from '../src/data/search/find-all.ts';
import { createSearchPlan } from '../src/data/search/search-plan.ts';
import { listFieldsBelow } from '../src/execution/selection.ts';
import { createInvalidProblem, type Fault } from '../src/problem.ts';
import { formatMicros } from '../src/search/datetime.ts';
import type { Order } from '../src/search/sort.ts';
import { builder } from './builder.ts';
import { PageInfo } from './connection.ts';
import { Contact } from './contact.ts';
import { type ContactReader, createContactReader, type FoundSource } from './contact-reader.ts';
import { listInlineParts, listSelectedParts, preloadContactParts } from './contact-relations.ts';
import { pageSize } from './page.ts';
import { decodePosition, encodePosition } from './search-cursor.ts';
import {
  findRelativeDateFaults,
  type QueryArguments,
  queryRule,
  resolveSearchedQuery,
  SearchGroup,
  SearchSort,
  treeRule,
} from './search-input.ts';
import { cursorText } from './validators.ts';

interface SearchArgs extends QueryArguments {
  sortBy?: Order['sort'];
  ascending?: boolean | null;
  first?: number | null;
  after?: string | null;
  page?: number | null;
}

interface SearchPage {
  search: Search;
  reader: ContactReader;
  found: FoundSource[];
  hasNextPage: boolean;
  hasPreviousPage: boolean;
}

const findExclusionFaults = (pairs: [string, string][], args: Record<string, unknown>): Fault[] =>
  pairs.flatMap(([one, other]) =>
    (args[one] ?? null) !== null && (args[other] ?? null) !== null
      ? [{ location: other, message: `cannot be given beside ${one}` }]
      : [],
  );

const SearchEdge = builder.objectRef<{ order: Order; found: FoundSource }>('SearchEdge').implement({
  description: 'A contact in a page of found contacts.',
  fields: (t) => ({
    cursor: t.string({
      description: 'The position of the contact in the order of the search.',
      resolve: ({ order, found }) => encodePosition(order, found),
    }),
    node: t.field({
      type: Contact,
      description: 'The contact.',
      extensions: { jsonPassthrough: true },
      resolve: ({ found }) => found,
    }),
  }),
});

const SearchConnection = builder.objectRef<SearchPage>('SearchConnection').implement({
  description: 'A page of found contacts.',
  fields: (t) => ({
    edges: t.field({
      type: [SearchEdge],
      description: 'The contacts, with their cursors.',
      resolve: ({ found, search }) => found.map((one) => ({ order: search.order, found: one })),
    }),
    nodes: t.field({
      type: [Contact],
      description: 'The contacts.',
      extensions: { jsonPassthrough: true },
      resolve: ({ reader, found }) => reader.yieldPage(found),
    }),
    pageInfo: t.field({
      type: PageInfo,
      description: 'The position of the page in the order of the search.',
      resolve: ({ found, search: { order }, hasNextPage, hasPreviousPage }) => ({
        first: found[0] && encodePosition(order, found[0]),
        last: found.at(-1) && encodePosition(order, found.at(-1)!),
        hasNextPage,
        hasPreviousPage,
      }),
    }),
    totalCount: t.int({
      description: 'How many contacts match in all; counted only when it is selected.',
      resolve: ({ search }, _, { space }) => countFoundContacts(space, search),
    }),
  }),
});

/** Contacts of a page, unless the client says how many. */
const defaultPageSize = 50;

const searchPage = async (args: SearchArgs, context: Context, selected: SelectedPage): Promise<SearchPage> => {
  const { query, tree, sortBy, after, page } = args;
  const first = args.first ?? defaultPageSize;
  const faults = findExclusionFaults(
    [
      ['query', 'tree'],
      ['after', 'page'],
    ],
    { ...args },
  );
  if (faults.length > 0) throw createInvalidProblem(faults);
  const { group, argument, notation } = resolveSearchedQuery(args, context.now);
  const order: Order = { sort: sortBy ?? null, ascending: args.ascending === true };
  const search: Search = {
    plan: createSearchPlan(group, formatMicros(context.now)),
    order,
    words: JSON.stringify([query ?? null, tree ?? null, order, first]),
  };
  // An export was checked when its first page was read.
  if (!context.whole?.ids) await checkSearchedForms(context.space, group, argument, notation);
  const { reader } = selected;
  if (!selected.page) return { search, reader, found: [], hasNextPage: false, hasPreviousPage: false };
  if (context.whole)
    return { ...(await readExportPage(context, context.whole, search, { first, parts: selected.parts })), reader };
  const start: Start =
    typeof page === 'number'
      ? { page, token: context.caller.tokenId }
      : { after: after ? decodePosition(order, after) : null };
  const numbered = 'page' in start;
  // One contact more tells whether there is a next page, when that is selected. Pages by number are read as they are.
  const limit = numbered || !selected.pageInfo ? first : first + 1;
  const found = await reader.findPage(search, { start, limit });
  const rows = found.slice(0, first);
  const hasNextPage = numbered ? rows.length === first : found.length > first;
  return { search, reader, found: rows, hasNextPage, hasPreviousPage: numbered ? page! > 0 : Boolean(after) };
};

/** The next page of an export, of the contacts that were found when its first page was read. */
const readExportPage = async (
  context: Context,
  whole: Whole,
  search: Search,
  { first, parts }: { first: number; parts: ContactRelation[] },
): Promise<Omit<SearchPage, 'reader'>> => {
  whole.ids ??= await findContactIds(context.space, search);
  const ids = Array.from(whole.ids.subarray(whole.read, whole.read + first));
  const found = await readContactsInOrder(context.space, ids, listInlineParts(parts));
  await preloadContactParts(context, found, parts);
  const hasPreviousPage = whole.read > 0;
  whole.read += ids.length;
  return { search, found, hasNextPage: whole.read < whole.ids.length, hasPreviousPage };
};

/** Whether any of the page itself is selected, and its position in the order; the relations of its contacts, and what reads them. */
interface SelectedPage {
  page: boolean;
  pageInfo: boolean;
  parts: ContactRelation[];
  reader: ContactReader;
}

const SearchExplanation = builder.objectRef<Explanation>('SearchExplanation');
SearchExplanation.implement({
  description: 'How many contacts one group or condition of a query finds on its own, and how.',
  fields: (t) => ({
    location: t.exposeString('location', { description: 'Its place in the query; empty for the whole query.' }),
    matches: t.exposeInt('matches', { description: 'How many contacts it finds alone.' }),
    exact: t.exposeBoolean('exact', {
      description: 'Whether the contacts were counted; if not, the number is an estimate of the planner.',
    }),
    milliseconds: t.exposeFloat('milliseconds', { nullable: true, description: 'How long counting them took.' }),
    indexes: t.exposeStringList('indexes', {
      description: 'The indexes that were used; none means that all contacts were read.',
    }),
    parts: t.field({
      type: [SearchExplanation],
      description: 'The same for each of its parts.',
      resolve: ({ parts }) => parts,
    }),
  }),
});

const queryArgs = (t: QueryBuilder) => ({
  query: t.arg({
    type: SearchGroup,
    description: 'The query; without it, every contact matches.',
    validate: queryRule,
  }),
  tree: t.arg({
    type: 'QueryTree',
    description: 'The query in the notation of the REST contract.',
    validate: treeRule,
  }),
});
type QueryBuilder = Parameters<Parameters<typeof builder.queryFields>[0]>[0];

/** Relative dates that are out of range are told together with the faults of other arguments. */
const check = async (args: QueryArguments, { now }: Context): Promise<Fault[]> => findRelativeDateFaults(args, now);

builder.queryFields((t) => ({
  searchContacts: t.field({
    type: SearchConnection,
    extensions: { check },
    description: 'The contacts that a query finds, page by page: after a cursor, or by number.',
    args: {
      ...queryArgs(t),
      sortBy: t.arg({
        type: SearchSort,
        description: 'The sort key; without it, contacts are sorted by id, ascending.',
      }),
      ascending: t.arg.boolean({ defaultValue: false, description: 'Whether the smallest values come first.' }),
      first: t.arg.int({
        defaultValue: defaultPageSize,
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
    resolve: (_, args, context, info) => {
      const page = listFieldsBelow(info);
      return searchPage(args, context, {
        page: ['edges', 'nodes', 'pageInfo'].some((name) => page.has(name)),
        pageInfo: page.has('pageInfo'),
        parts: listSelectedParts(
          new Set([...listFieldsBelow(info, 'nodes'), ...listFieldsBelow(info, 'edges', 'node')]),
        ),
        reader: createContactReader(context, info, ['nodes'], ['edges', 'node']),
      });
    },
  }),
  explainSearch: t.field({
    type: SearchExplanation,
    extensions: { cost: 5, check },
    description:
      'For every group and condition of a query: how many contacts it finds alone, how fast, and by which indexes.',
    args: {
      ...queryArgs(t),
      exact: t.arg.boolean({
        defaultValue: true,
        required: true,
        description: 'Whether to count, for up to a few seconds; if not, the numbers are estimates of the planner.',
      }),
    },
    resolve: async (_, { query, tree, exact }, { space, now }) => {
      const faults = findExclusionFaults([['query', 'tree']], { query, tree });
      if (faults.length > 0) throw createInvalidProblem(faults);
      const { group, argument, notation } = resolveSearchedQuery({ query, tree }, now);
      await checkSearchedForms(space, group, argument, notation);
      return explainSearch(space, { query: group, now: formatMicros(now), exact, notation });
    },
  }),
}));
