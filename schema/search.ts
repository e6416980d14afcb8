// Contact search: pages of contacts found by a query, how many there are, and why it takes as long as it does (spec §4.13).
import { z } from 'zod';
import type { Context, Whole } from '../src/context.ts';
import type { ContactRelation } from '../src/data/contact/read.ts';
import { checkSearchedForms } from '../src/data/search/check-forms.ts';
import { type Explanation, explainSearch } from '../src/data/search/explain.ts';
import { countFoundContacts, type Search, type Start } from '../src/data/search/find.ts';
import { findContactIds, readContactsInOrder } from '../src/data/search/find-all.ts';
import { listFieldsBelow } from '../src/execution/selection.ts';
import { createInvalidProblem, type Fault } from '../src/problem.ts';
import { formatMicros, getCurrentMicros, parseAbsoluteDate } from '../src/search/datetime.ts';
import { countOrderParts, getKeyType, type Order, type SortPosition } from '../src/search/order.ts';
import { builder } from './builder.ts';
import { decodeCursor, encodeCursor, PageInfo } from './connection.ts';
import { Contact } from './contact.ts';
import { type ContactReader, createContactReader, type FoundSource } from './contact-reader.ts';
import { listInlineParts, listSelectedParts, preloadContactParts } from './contact-relations.ts';
import { pageSize } from './page.ts';
import {
  findNotation,
  type GroupInput,
  readSearchQuery,
  SearchGroup,
  SearchSort,
  soundQuery,
  soundTree,
} from './search-input.ts';
import { cursor } from './text.ts';

interface SearchArgs {
  query?: GroupInput | null;
  tree?: unknown;
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

const listOf = ({ sort, ascending }: Order): string => `search ${sort ?? 'id'} ${sort && !ascending ? 'desc' : 'asc'}`;
const cursorOf = (order: Order, { part, key, id }: SortPosition): string => encodeCursor(listOf(order), part, key, id);

const place = z.tuple([z.int().min(0), z.string().nullable(), z.int().min(0)]);
const moment = /^\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d(\.\d{1,6})?\+00)?$/;

/** Days and instants as the database prints them, and only such as there are. */
const isMoment = (key: string): boolean =>
  moment.test(key) && parseAbsoluteDate(key.replace(' ', 'T').replace(/\+00$/, 'Z')) !== undefined;

const placeOf = (order: Order, text: string): SortPosition => {
  const fits = place.refine(([part, key]) => {
    const type = part < countOrderParts(order) ? getKeyType(order, part) : undefined;
    if (type === null || key === null) return type === key;
    return type === 'text' ? !key.includes('\0') && key.isWellFormed() : type !== undefined && isMoment(key);
  });
  const [part, key, id] = decodeCursor(listOf(order), fits, text);
  return { part, key, id };
};

const exclusive = (pairs: [string, string][], args: Record<string, unknown>): Fault[] =>
  pairs.flatMap(([one, other]) =>
    (args[one] ?? null) !== null && (args[other] ?? null) !== null
      ? [{ location: other, message: `cannot be given beside ${one}` }]
      : [],
  );

const SearchEdge = builder.objectRef<{ order: Order; found: FoundSource }>('SearchEdge').implement({
  description: 'A contact in a page of found contacts.',
  fields: (t) => ({
    cursor: t.string({
      description: 'Where the contact is in the order of the search.',
      resolve: ({ order, found }) => cursorOf(order, found),
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
      description: 'Where the page is in the order of the search.',
      resolve: ({ found, search: { order }, hasNextPage, hasPreviousPage }) => ({
        first: found[0] && cursorOf(order, found[0]),
        last: found.at(-1) && cursorOf(order, found.at(-1)!),
        hasNextPage,
        hasPreviousPage,
      }),
    }),
    totalCount: t.int({
      description: 'How many contacts are found in all; counted only when asked for.',
      resolve: ({ search }, _, { space }) => countFoundContacts(space, search),
    }),
  }),
});

/** Contacts of a page. */
const usualPageSize = 50;

const searchPage = async (args: SearchArgs, context: Context, selected: SelectedPage): Promise<SearchPage> => {
  const { query, tree, sortBy, after, page } = args;
  const first = args.first ?? usualPageSize;
  const faults = exclusive(
    [
      ['query', 'tree'],
      ['after', 'page'],
    ],
    { ...args },
  );
  if (faults.length > 0) throw createInvalidProblem(faults);
  const now = context.now ?? getCurrentMicros();
  const order: Order = { sort: sortBy ?? null, ascending: args.ascending === true };
  const search: Search = {
    query: readSearchQuery(query, tree, now),
    now: formatMicros(now),
    order,
    words: JSON.stringify([query ?? null, tree ?? null, order, first]),
  };
  // What is exported was found when its first page was read.
  if (!context.whole?.ids) await checkSearchedForms(context.space, search.query, ...findNotation(query));
  const { reader } = selected;
  if (!selected.page) return { search, reader, found: [], hasNextPage: false, hasPreviousPage: false };
  if (context.whole)
    return { ...(await nextOfWhole(context, context.whole, search, { first, parts: selected.parts })), reader };
  const start: Start =
    typeof page === 'number'
      ? { page, token: context.caller.tokenId }
      : { after: after ? placeOf(order, after) : null };
  const numbered = 'page' in start;
  // One more than asked for says whether there is a next page, where that is asked; pages by number are read as they are.
  const limit = numbered || !selected.pageInfo ? first : first + 1;
  const found = await reader.findPage(search, { start, limit });
  const rows = found.slice(0, first);
  const hasNextPage = numbered ? rows.length === first : found.length > first;
  return { search, reader, found: rows, hasNextPage, hasPreviousPage: numbered ? page! > 0 : Boolean(after) };
};

/** The next page of all that a search found when its first page was asked for. */
const nextOfWhole = async (
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
  description: 'What one group or condition of a query finds on its own, and how.',
  fields: (t) => ({
    location: t.exposeString('location', { description: 'Where it is in the query; empty for the whole.' }),
    matches: t.exposeInt('matches', { description: 'How many contacts it finds alone.' }),
    exact: t.exposeBoolean('exact', { description: 'Whether they were counted; else the planner expects as many.' }),
    milliseconds: t.exposeFloat('milliseconds', { nullable: true, description: 'How long it took to count them.' }),
    indexes: t.exposeStringList('indexes', { description: 'Indexes that served it; none means that all were read.' }),
    parts: t.field({
      type: [SearchExplanation],
      description: 'The same of what it is made of.',
      resolve: ({ parts }) => parts,
    }),
  }),
});

const queryArgs = (t: QueryBuilder) => ({
  query: t.arg({ type: SearchGroup, description: 'What is searched for; everybody without it.', validate: soundQuery }),
  tree: t.arg({
    type: 'QueryTree',
    description: 'The same in the notation of the REST contract.',
    validate: soundTree,
  }),
});
type QueryBuilder = Parameters<Parameters<typeof builder.queryFields>[0]>[0];

builder.queryFields((t) => ({
  searchContacts: t.field({
    type: SearchConnection,
    description: 'The contacts that a query finds, page by page: after a cursor, or by number.',
    args: {
      ...queryArgs(t),
      sortBy: t.arg({ type: SearchSort, description: 'What to sort by; by id, ascending, without it.' }),
      ascending: t.arg.boolean({ defaultValue: false, description: 'Whether the smallest come first.' }),
      first: t.arg.int({
        defaultValue: usualPageSize,
        description: 'How many at most, 1 to 1000.',
        validate: pageSize,
      }),
      after: t.arg.string({ validate: cursor, description: 'Cursor of the contact after which to begin.' }),
      page: t.arg({
        type: 'WholeNumber',
        description: 'Number of the page, from 0, instead of a cursor.',
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
    extensions: { cost: 5 },
    description:
      'For every group and condition of a query: how many contacts it finds alone, how fast, and by which index.',
    args: {
      ...queryArgs(t),
      exact: t.arg.boolean({
        defaultValue: true,
        required: true,
        description: 'Whether to count, as long as that takes few seconds; else only what the planner expects.',
      }),
    },
    resolve: async (_, { query, tree, exact }, { space }) => {
      const faults = exclusive([['query', 'tree']], { query, tree });
      if (faults.length > 0) throw createInvalidProblem(faults);
      const now = getCurrentMicros();
      const group = readSearchQuery(query, tree, now);
      const [place, notation] = findNotation(query);
      await checkSearchedForms(space, group, place, notation);
      return explainSearch(space, { query: group, now: formatMicros(now), exact, notation });
    },
  }),
}));
