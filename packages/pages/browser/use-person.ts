// One person for the panel: their card and their timeline, page by page. Answers to what is no longer asked are dropped.
import { useEffect, useState } from 'preact/hooks';
import { type Api, type ApiProblem, beginReading, type Work } from './api.ts';
import type { Person } from './use-people.ts';

/** The entries of a timeline that are shown: all, or those of a group. */
const filters = ['all', 'noted', 'mailings', 'money', 'answers', 'changes'] as const;
export type Filter = (typeof filters)[number];

/** The kinds of entries, each with its group. */
export const groupOfKind = {
  ANSWER: 'answers',
  CHANGED: 'changes',
  CONSENT: 'answers',
  CREATED: 'changes',
  DONATION: 'money',
  EMAIL_BOUNCED: 'mailings',
  EMAIL_CLICKED: 'mailings',
  EMAIL_DELIVERED: 'mailings',
  EMAIL_OPENED: 'mailings',
  EMAIL_REPORTED: 'mailings',
  EMAIL_SENT: 'mailings',
  EMAIL_UNSUBSCRIBED: 'mailings',
  INTERACTION: 'noted',
  MEMBERSHIP: 'money',
  NOTE: 'noted',
  SANCTION: 'noted',
  SEGMENT_ENTERED: 'changes',
  SEGMENT_LEFT: 'changes',
  TAGGED: 'changes',
  TRANSACTION: 'money',
} satisfies Record<string, Exclude<Filter, 'all'>>;
export type TimelineKind = keyof typeof groupOfKind;

/** The permissions without which a group is empty. */
const needs: Partial<Record<Filter, string>> = { mailings: 'emails.read', money: 'money.read' };

/** The filters under which the caller may find something. */
export const listFilters = (permissions: readonly string[]): Filter[] =>
  filters.filter((one) => permissions.includes(needs[one] ?? 'contacts.read'));

const listKinds = (filter: Filter): TimelineKind[] | undefined =>
  filter === 'all'
    ? undefined
    : (Object.keys(groupOfKind) as TimelineKind[]).filter((kind) => groupOfKind[kind] === filter);

export type Money = { amount: number; currency: string };

/** The fields that are read of the record of an entry. Each type of record has some of them. */
export interface Item {
  author?: { firstName: string | null; lastName: string | null; email: string } | null;
  content?: string;
  activity?: string;
  subType?: string | null;
  title?: string | null;
  comments?: string | null;
  amount?: Money;
  startDate?: string;
  lastDay?: string | null;
  end?: string | null;
  status?: string | null;
  mailType?: string | null;
  campaign?: { name: string } | null;
  text?: string | null;
  option?: { label: string };
  answered?: { label: string; type: string };
  formId?: string | null;
  consented?: { label: string } | null;
  before?: string | null;
  after?: string | null;
  source?: string | null;
  operation?: string;
  fields?: string[];
  node?: { name?: string } | null;
}

export interface Entry {
  cursor: string;
  kind: TimelineKind;
  at: string;
  item: Item | null;
}

type Shown = 'firstName' | 'lastName' | 'email' | 'phone' | 'mobile' | 'birthDate' | 'optedOut' | 'createdAt' | 'tags';

export interface Card extends Pick<Required<Person>, Shown> {
  phoneInvalid: boolean;
  mobileInvalid: boolean;
  /** The last change of the opt-out. */
  optOuts: { nodes: (Pick<Item, 'after' | 'source' | 'author'> & { createdAt: string })[] };
  address: Record<
    | 'houseNumber'
    | 'street'
    | 'building'
    | 'floor'
    | 'door'
    | 'addition'
    | 'details'
    | 'postalCode'
    | 'city'
    | 'country'
    | 'invalidReason',
    string | null
  > | null;
}

/**
 * Fragments on records that the caller may not read find nothing. A record below one of these is another matter: the server refuses the whole
 * document for it, so it is selected for those alone who may read it.
 */
export const writePersonDocument = (permissions: readonly string[]): string => {
  const selectAuthor = (field: string): string =>
    permissions.includes('people.read') ? `author: ${field} { firstName lastName email }` : '';
  const campaign = permissions.includes('campaigns.read') ? 'campaign { name }' : '';
  return `query ($id: ID!, $after: String, $kinds: [TimelineKind!]) {
  contact(id: $id) {
    firstName lastName email phone phoneInvalid mobile mobileInvalid birthDate optedOut createdAt tags { name }
    address { houseNumber street building floor door addition details postalCode city country invalidReason }
    optOuts: consentHistory(first: 1, filter: { formId: { exists: false } }, orderBy: { field: CREATED_AT, direction: DESC }) {
      nodes { createdAt after source ${selectAuthor('author')} }
    }
    timeline(first: 20, after: $after, kinds: $kinds) {
      edges { cursor node { at kind item {
        ... on Note { content ${selectAuthor('author')} }
        ... on Interaction { activity: type subType title comments ${selectAuthor('author')} }
        ... on Donation { amount { amount currency } }
        ... on Transaction { amount { amount currency } }
        ... on Membership { amount { amount currency } startDate lastDay: endDate }
        ... on Sanction { status end: endDate }
        ... on Email { mailType: type ${campaign} ${selectAuthor('sentBy')} }
        ... on Answer { text option { label } answered: form { label type } }
        ... on ConsentChange { formId consented: form { label } before after source ${selectAuthor('author')} }
        ... on Change { operation fields node { ... on Segment { name } } }
      } } }
      pageInfo { hasNextPage }
    }
  }
}`;
};

interface Answer {
  contact:
    | (Card & { timeline: { edges: { cursor: string; node: Entry }[]; pageInfo: { hasNextPage: boolean } } })
    | null;
}

interface Reading {
  /** Null for somebody who is not there any more. */
  card?: Card | null | undefined;
  /** They are those of the filter before, as long as others are being read. */
  entries: Entry[];
  hasMore: boolean;
  /** The cursor of the first entry of the page that was added last. */
  firstAdded?: string | undefined;
  isLoading: boolean;
  problem?: ApiProblem | undefined;
}

const nothing: Reading = { entries: [], hasMore: false, isLoading: true };

export const usePerson = (api: Api, id: string, permissions: readonly string[]) => {
  const [reading, setReading] = useState(nothing);
  const [wish, setWish] = useState<{ filter: Filter; after?: string | undefined }>({ filter: 'all' });

  useEffect(() => {
    const { filter, after } = wish;
    const read = async ({ change, ask }: Work<Reading>): Promise<void> => {
      change({ isLoading: true, problem: undefined });
      const variables = { id, after, kinds: listKinds(filter) };
      const { contact } = await ask<Answer>(writePersonDocument(permissions), variables);
      if (!contact) return change({ card: null, entries: [], hasMore: false, isLoading: false });
      const { timeline, ...card } = contact;
      const added = timeline.edges.map(({ cursor, node }) => ({ ...node, cursor }));
      const entries = after === undefined ? added : [...reading.entries, ...added];
      const firstAdded = after === undefined ? undefined : added[0]?.cursor;
      change({ card, entries, hasMore: timeline.pageInfo.hasNextPage, firstAdded, isLoading: false });
    };
    // Entries of another filter must not stay.
    const kept = after === undefined ? { entries: [], hasMore: false } : {};
    return beginReading(api, setReading, read, (problem) => ({ ...kept, isLoading: false, problem }));
  }, [api, id, permissions, wish]);

  return {
    ...reading,
    filter: wish.filter,
    choose: (filter: Filter) => setWish({ filter }),
    readMore: () => setWish({ ...wish, after: reading.entries.at(-1)?.cursor }),
    retry: () => setWish({ ...wish }),
  };
};
