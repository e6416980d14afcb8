// The people of a segment, page by page, in an order and searched by a text. Answers to what is no longer asked are dropped.
import { useEffect, useState } from 'preact/hooks';
import { type Api, type ApiProblem, beginReading, sleep, type Work } from './api.ts';
import type { Json } from './graph-query.ts';
import { columns, getOrder, type View } from './people-view.ts';
import { typingPause } from './use-results.ts';

/** A person as far as the columns ask. */
export interface Person {
  id: string;
  firstName: string | null;
  lastName: string | null;
  marriedName?: string | null;
  email?: string | null;
  phone?: string | null;
  mobile?: string | null;
  birthDate?: string | null;
  gender?: 'M' | 'F' | 'O' | null;
  optedOut?: boolean;
  lastChangedAt?: string;
  createdAt?: string;
  address?: { city?: string | null; postalCode?: string | null } | null;
  tags?: { name: string }[];
}

const pageSize = 25;
/** Contacts that can be changed by their ids in one go: `limits.bulk.ids` of the server. */
export const mostPicked = 1000;

type Place = { first: number; after?: string } | { last: number; before: string };
interface Page {
  /** The list that it is a page of. */
  of: string;
  place: Place;
  /** How many people come before it. */
  before: number;
}

interface Reading {
  /** They are those of the page before, as long as the next one is being read. Undefined before the first answer. */
  people?: Person[] | undefined;
  /** How many the text finds; undefined without a text, when they are everybody in the segment. */
  total?: number | undefined;
  before: number;
  pageInfo: { startCursor: string | null; endCursor: string | null; hasNextPage: boolean; hasPreviousPage: boolean };
  isLoading: boolean;
  problem?: ApiProblem | undefined;
  /** The changes that it was read after. */
  moves: number;
}

const nothing: Reading = {
  before: 0,
  pageInfo: { startCursor: null, endCursor: null, hasNextPage: false, hasPreviousPage: false },
  isLoading: true,
  moves: 0,
};

interface Answer {
  searchContacts: {
    totalCount?: number;
    nodes: Person[];
    pageInfo: Reading['pageInfo'];
  };
}

const pageArguments = '$first: Int, $last: Int, $after: String, $before: String';

export const writePeopleDocument = (view: View): string =>
  `query ($query: ContactQuery, $search: String, $orderBy: ContactOrder, $counts: Boolean!, ${pageArguments}) {
  searchContacts(query: $query, search: $search, orderBy: $orderBy, ${pageArguments.replaceAll(/\$(\w+): \w+/g, '$1: $$$1')}) {
    totalCount @include(if: $counts)
    nodes { id firstName lastName ${view.columns.map((one) => columns[one].fields).join(' ')} }
    pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
  }
}`;

/** The ids of everybody whom a query and a text find: of the first who can be changed by them. */
export const listPeopleIds = async (api: Api, query: Json | undefined, text: string): Promise<string[]> => {
  const document = `query ($query: ContactQuery, $search: String) { searchContacts(query: $query, search: $search, first: ${mostPicked}) { nodes { id } } }`;
  const { searchContacts } = await api.query<Answer>(document, { query, search: text.trim() || undefined });
  return searchContacts.nodes.map(({ id }) => id);
};

/** `moves` counts the changes of others that were noticed since the page was opened. */
export const usePeople = (api: Api, query: Json | undefined, view: View, moves: number) => {
  const [reading, setReading] = useState(nothing);
  const [wanted, setPage] = useState<Page>();
  const [attempt, setAttempt] = useState(0);
  const search = view.text.trim() || undefined;
  const { sort } = view;
  const orderBy = sort && { field: getOrder(sort.by)!, direction: sort.isDescending ? 'DESC' : 'ASC' };
  const list = JSON.stringify([query, search, orderBy]);
  const document = writePeopleDocument(view);
  // A page of another list says nothing of this one.
  const page: Page = wanted?.of === list ? wanted : { of: list, place: { first: pageSize }, before: 0 };

  useEffect(() => {
    const read = async ({ signal, change, ask }: Work<Reading>): Promise<void> => {
      change({ isLoading: true });
      // A page is turned at once.
      if (page !== wanted) await sleep(typingPause, signal);
      const variables = { query, search, orderBy, counts: search !== undefined, ...page.place };
      const { nodes, totalCount, pageInfo } = (await ask<Answer>(document, variables)).searchContacts;
      // The people of this page are gone: the list begins anew.
      if (nodes.length === 0 && page === wanted) return setPage(undefined);
      change({
        people: nodes,
        total: totalCount,
        before: pageInfo.hasPreviousPage ? page.before : 0,
        pageInfo,
        isLoading: false,
        moves,
      });
    };
    // People of another list must not stay.
    const kept = page === wanted ? {} : { people: undefined };
    return beginReading(api, setReading, read, (problem) => ({ ...kept, isLoading: false, problem }));
  }, [api, document, list, wanted, attempt]);

  const { before, people, pageInfo } = reading;
  return {
    ...reading,
    /** Whether others have changed something since it was read. */
    isOutdated: moves !== reading.moves,
    turnOn: () =>
      setPage({ of: list, place: { first: pageSize, after: pageInfo.endCursor! }, before: before + people!.length }),
    turnBack: () =>
      setPage({
        of: list,
        place: { last: pageSize, before: pageInfo.startCursor! },
        before: Math.max(0, before - pageSize),
      }),
    retry: () => setAttempt((old) => old + 1),
  };
};
