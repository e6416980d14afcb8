// Apollo Client against a listening server: its cache without configuration of ids, its pages, optimistic updates, and retries after a 429.
import {
  ApolloClient,
  ApolloLink,
  CombinedGraphQLErrors,
  type DocumentNode,
  gql,
  HttpLink,
  InMemoryCache,
  type InMemoryCacheConfig,
} from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { RetryLink } from '@apollo/client/link/retry';
import { relayStylePagination } from '@apollo/client/utilities';
import { map } from 'rxjs';
import { afterEach, beforeAll, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { hashDocument } from '../../../src/graphql/persisted-documents.ts';
import type { Json } from '../../harness/app.ts';
import { waitUntil } from '../../harness/waiting.ts';
import { type ClientServer, startClientServer } from './client-server.ts';

let server: ClientServer;
beforeAll(async () => {
  server = await startClientServer();
});

/** Apollo warns of lost data and of missing fields on the console. */
let warnings: MockInstance[];
beforeEach(() => {
  warnings = (['warn', 'error'] as const).map((level) => vi.spyOn(console, level).mockReturnValue());
});
afterEach(() => {
  expect(warnings.flatMap(({ mock }) => mock.calls)).toEqual([]);
  vi.restoreAllMocks();
});

const openClient = ({
  cache,
  links = [],
  ...target
}: { cache?: InMemoryCacheConfig; links?: ApolloLink[] } & Partial<ClientServer> = {}): ApolloClient => {
  const { url, headers, fetch } = { ...server, ...target };
  return new ApolloClient({
    link: ApolloLink.from([...links, new HttpLink({ uri: url, headers, fetch })]),
    cache: new InMemoryCache(cache),
  });
};

/** Watches a query, and keeps its data each time they change. */
const watch = async (client: ApolloClient, query: DocumentNode, variables: Json = {}) => {
  const seen: Json[] = [];
  const observed = client.watchQuery<Json>({ query, variables });
  observed.subscribe(({ data }) => void (data && seen.push(data)));
  await waitUntil('it has data', async () => seen.length > 0);
  return { observed, seen };
};

describe('the cache', () => {
  const contactQuery = gql`query Contact($id: ID!) { contact(id: $id) { id firstName lastName } }`;
  const notesQuery = gql`query Notes($filter: NoteFilter) {
    notes(filter: $filter) { edges { node { id contact { id firstName } } } }
  }`;
  const rename = gql`mutation Rename($input: ContactUpdateInput!) {
    updateContact(input: $input) { contact { id firstName } }
  }`;

  it('has one record per id, so that a payload changes the results of all queries', async () => {
    const [{ id: number }] = await server.sql(`select contact_id as id from notes n
      where group_id = 1 and deleted_at is null and exists (select from contacts c where c.group_id = 1 and c.id = n.contact_id and c.deleted_at is null) limit 1`);
    const id = `Contact:${number}`;
    const client = openClient();
    const contact = await watch(client, contactQuery, { id });
    const notes = await watch(client, notesQuery, { filter: { contactId: { equals: id } } });
    const records = Object.keys(client.cache.extract() as object).filter((key) => key.startsWith('Contact:'));
    expect(records).toEqual([`Contact:${id}`]);
    server.takeStatuses();
    await client.mutate({ mutation: rename, variables: { input: { id, firstName: 'Renamed' } } });
    expect(contact.seen.at(-1).contact).toMatchObject({ id, firstName: 'Renamed' });
    for (const { node } of notes.seen.at(-1).notes.edges)
      expect(node.contact).toMatchObject({ id, firstName: 'Renamed' });
    expect(server.takeStatuses()).toEqual([200]);
  });

  it('joins the parts of an address that queries select, by one policy', async () => {
    const [{ id: number }] = await server.sql(
      `select contact_id as id from addresses a join contacts c on c.group_id = a.group_id and c.id = a.contact_id where c.group_id = 1 and c.deleted_at is null and a.city is not null limit 1`,
    );
    const client = openClient({ cache: { typePolicies: { Address: { merge: true } } } });
    const select = (part: string): DocumentNode =>
      gql`query ($id: ID!) { contact(id: $id) { id address { ${part} } } }`;
    const variables = { id: `Contact:${number}` };
    const city = await watch(client, select('city'), variables);
    await client.query({ query: select('street'), variables });
    server.takeStatuses();
    const { data } = await client.query<Json>({ query: select('city street'), variables });
    expect(data.contact.address.city).toBe(city.seen[0].contact.address.city);
    expect(server.takeStatuses()).toEqual([]);
  });
});

describe('pages', () => {
  const pageSize = 25;
  const query = gql`query Donations($filter: DonationFilter, $orderBy: DonationOrder, $after: String) {
    donations(first: ${pageSize}, after: $after, filter: $filter, orderBy: $orderBy) {
      totalCount
      edges { cursor node { id amount { amount currency } } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }`;
  const list = async (condition = 'true'): Promise<string[]> =>
    (
      await server.sql(
        `select d.id from donations d join contacts c on c.group_id = d.group_id and c.id = d.contact_id
          where d.group_id = 1 and d.deleted_at is null and c.deleted_at is null and ${condition} order by amount desc, d.id desc`,
      )
    ).map(({ id }) => `Donation:${id}`);

  it('join in one list for each filter and order, without a record twice or missing', async () => {
    const fields = { donations: relayStylePagination(['filter', 'orderBy']) };
    const client = openClient({ cache: { typePolicies: { Query: { fields } } } });
    const orderBy = { field: 'AMOUNT', direction: 'DESC' };
    const all = client.watchQuery<Json>({ query, variables: { orderBy } });
    const few = client.watchQuery<Json>({ query, variables: { orderBy, filter: { amount: { gte: 5000 } } } });
    const lists = [all, few];
    for (const observed of lists) observed.subscribe(() => {});
    const connectionOf = (observed: typeof all): Json => observed.getCurrentResult().data?.donations;
    await waitUntil('both have a page', async () => lists.every(connectionOf));
    /** Reads the next page of each list until none has more. */
    let rounds = 0;
    for (; lists.some((observed) => connectionOf(observed).pageInfo.hasNextPage); rounds++)
      for (const observed of lists) {
        const { edges, pageInfo } = connectionOf(observed);
        if (!pageInfo.hasNextPage) continue;
        await observed.fetchMore({ variables: { after: pageInfo.endCursor } });
        await waitUntil('the page is shown', async () => connectionOf(observed).edges.length > edges.length);
      }
    expect(rounds).toBeGreaterThan(2);
    const idsOf = (observed: typeof all): string[] => connectionOf(observed).edges.map(({ node }: Json) => node.id);
    const [everything, large] = [await list(), await list('amount >= 5000')];
    expect(large.length).toBeGreaterThan(pageSize);
    expect(large.length).toBeLessThan(everything.length);
    expect([idsOf(all), idsOf(few)]).toEqual([everything, large]);
    expect(connectionOf(all).totalCount).toBe(everything.length);
    server.takeStatuses();
    expect((await client.query<Json>({ query, variables: { orderBy } })).data.donations.edges).toHaveLength(
      everything.length,
    );
    expect(server.takeStatuses()).toEqual([]);
  });
});

describe('an optimistic update', () => {
  const notes = gql`query Notes { notes(first: 1) { edges { node { id content updatedAt } } } }`;
  const mutation = gql`mutation Write($input: NoteUpdateInput!) { updateNote(input: $input) { note { id content updatedAt } } }`;
  const guessed = '2026-01-01T00:00:00.000000Z';

  /** Writes the first note. Returns it, what became of the mutation, and what the query showed meanwhile. */
  const write = async (content: string) => {
    const client = openClient();
    const { seen } = await watch(client, notes);
    const [{ node: note }] = seen[0].notes.edges;
    const optimisticResponse = {
      updateNote: { __typename: 'UpdateNotePayload', note: { ...note, content, updatedAt: guessed } },
    };
    const variables = { input: { id: note.id, content } };
    const ended = await client.mutate<Json>({ mutation, variables, optimisticResponse }).catch((error) => ({ error }));
    await waitUntil('the guess is gone', async () => seen.at(-1).notes.edges[0].node.updatedAt !== guessed);
    return { note, ended: ended as Json, seen: seen.map((data) => data.notes.edges[0].node) };
  };

  it('is replaced by the payload of the server', async () => {
    const { note, ended, seen } = await write('Accepted');
    const written = ended.data.updateNote.note;
    expect(written.updatedAt > note.updatedAt).toBe(true);
    expect(seen).toEqual([note, { ...note, content: 'Accepted', updatedAt: guessed }, written]);
  });

  it('is rolled back when the server refuses', async () => {
    const content = 'x'.repeat(65_537);
    const { note, ended, seen } = await write(content);
    expect(CombinedGraphQLErrors.is(ended.error) && ended.error.errors[0]!.extensions!.code).toBe('invalid-request');
    expect(seen).toEqual([note, { ...note, content, updatedAt: guessed }, note]);
  });
});

describe('after a 429', () => {
  /** The link must see an error: Apollo Client passes on refusals in `application/graphql-response+json` as results. */
  const raiseRateLimits = new ApolloLink((operation, forward) =>
    forward(operation).pipe(
      map((result) => {
        if (result.errors?.some(({ extensions }) => extensions?.code === 'rate-limited'))
          throw new CombinedGraphQLErrors(result);
        return result;
      }),
    ),
  );
  /** As long as the answer demands, in milliseconds. */
  const waits: number[] = [];
  const retry = new RetryLink({
    attempts: (attempt, _, error) => attempt < 5 && CombinedGraphQLErrors.is(error),
    delay: (_attempt, operation) => {
      waits.push(Number(operation.getContext().response.headers.get('Retry-After')) * 1000);
      return waits.at(-1)!;
    },
  });
  const persisted = new PersistedQueryLink({ sha256: hashDocument });
  const query = gql`query { __typename }`;
  const fetchPolicy = 'no-cache';
  let small: ClientServer;
  beforeAll(async () => {
    small = await startClientServer({ capacity: 2, refill: 2 });
  });

  const empty = async (): Promise<void> => {
    const client = openClient(small);
    while (!small.takeStatuses().includes(429)) await client.query({ query, fetchPolicy, errorPolicy: 'all' });
    waits.length = 0;
  };

  it('the client waits as long as Retry-After says, and reads and writes once', async () => {
    // Retries are below the persisted queries, so that only the refused request is sent again, not the miss before it.
    const client = openClient({ ...small, links: [persisted, retry, raiseRateLimits] });
    await empty();
    const begun = performance.now();
    expect((await client.query<Json>({ query, fetchPolicy })).data).toEqual({ __typename: 'Query' });
    expect(waits.length).toBeGreaterThan(0);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(waits.reduce((sum, wait) => sum + wait) * 0.99);
    const [{ id }] = await small.sql('select id from contacts where group_id = 1 and deleted_at is null limit 1');
    const mutation = gql`mutation ($contactId: ID!) {
      createNote(input: { contactId: $contactId, content: "Once" }) { note { id } }
    }`;
    await empty();
    const { data } = await client.mutate<Json>({ mutation, variables: { contactId: `Contact:${id}` } });
    const written = await small.sql(
      `select 'Note' as __typename, 'Note:' || id as id from notes where content = 'Once'`,
    );
    expect(written).toEqual([data!.createNote.note]);
    const statuses = small.takeStatuses();
    expect(statuses).toContain(429);
    expect(statuses.at(-1)).toBe(200);
    expect(waits.every((wait) => wait >= 1000)).toBe(true);
  });

  it('the link alone does not retry, since it sees a result', async () => {
    const client = openClient({ ...small, links: [retry] });
    waits.length = 0;
    const flood = async (): Promise<void> => {
      for (;;) await client.query({ query, fetchPolicy });
    };
    await expect(flood()).rejects.toThrow('The bucket of this space holds');
    expect([small.takeStatuses().at(-1), waits]).toEqual([429, []]);
  });
});
