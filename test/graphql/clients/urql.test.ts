// urql against a listening server: its normalised cache with the schema that it introspects, pages, and a payload that changes a list.
import { Client, fetchExchange, gql } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { buildClientSchema, getIntrospectionQuery, isObjectType } from 'graphql';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import type { Json } from '../../harness/app.ts';
import { waitUntil } from '../../harness/waiting.ts';
import { type ClientServer, startClientServer } from './client-server.ts';

let server: ClientServer;
/** The answer to introspection. */
let introspection: Json;
beforeAll(async () => {
  server = await startClientServer();
  const answer = await fetch(server.url, {
    method: 'POST',
    headers: { ...server.headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: getIntrospectionQuery() }),
  });
  introspection = ((await answer.json()) as Json).data;
});

/** Types without an id that the cache embeds in the record above them. Without this list, it warns of each. */
const embedded = [
  'Address',
  'AuditCount',
  'CallerSpending',
  'Change',
  'ChangeList',
  'ContactChangeExample',
  'ContactChangePreview',
  'ContactCount',
  'ContactFacetValue',
  'ContactFacets',
  'DuplicateGroup',
  'DuplicateList',
  'Fault',
  'InvitationSecret',
  'MergeConflict',
  'Money',
  'MovedRecords',
  'Problem',
  'RateLimit',
  'RefusedContact',
  'SearchAttribute',
  'SearchExplanation',
  'SearchOperator',
  'Subscription',
  'TimelineEntry',
  'UpsertedContact',
  'ValueChange',
  'Viewer',
];
/** The suffix of other types that are embedded: totals of lists. */
const suffixes = /Total$/;

const listEmbedded = (): string[] =>
  introspection.__schema.types
    .map(({ name }: Json) => name)
    .filter((name: string) => embedded.includes(name) || suffixes.test(name));

/** A client with a normalised cache, and what it warns of. */
const openClient = ({ keys = listEmbedded() }: { keys?: string[] } = {}) => {
  const warnings: string[] = [];
  for (const level of ['warn', 'error'] as const)
    vi.spyOn(console, level).mockImplementation((text) => void warnings.push(String(text)));
  onTestFinished(() => void vi.restoreAllMocks());
  const cache = cacheExchange({
    schema: introspection,
    keys: Object.fromEntries(keys.map((name) => [name, () => null])),
    resolvers: { Query: { donations: relayPagination() } },
  });
  const { url, headers, fetch } = server;
  const client = new Client({ url, fetch, fetchOptions: { headers }, exchanges: [cache, fetchExchange] });
  return { client, warnings };
};

it('all types have an id, but for those that are embedded by design, and what the cache knows by its name', () => {
  const schema = buildClientSchema(introspection);
  const withoutId = Object.values(schema.getTypeMap()).filter(
    (type) => isObjectType(type) && !type.name.startsWith('__') && !type.getFields().id,
  );
  const names = withoutId
    .map(({ name }) => name)
    .filter((name) => !/^(Query|Mutation|PageInfo)$|(Connection|Edge|Payload)$/.test(name));
  expect(names.sort()).toEqual(listEmbedded().sort());
});

const pageSize = 25;
const pages = gql(`query Donations($after: String, $orderBy: DonationOrder) {
  donations(first: ${pageSize}, after: $after, orderBy: $orderBy) {
    edges { cursor node { id amount { amount currency } } }
    nodes { id }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`);

it('joins the pages of a connection in one list', async () => {
  const { client, warnings } = openClient();
  const orderBy = { field: 'AMOUNT', direction: 'DESC' };
  let after: string | null = null;
  let read = 0;
  for (let more = true; more; read++) {
    const { data, error }: Json = await client.query(pages, { after, orderBy }).toPromise();
    expect(error).toBeUndefined();
    ({ hasNextPage: more, endCursor: after } = data.donations.pageInfo);
  }
  expect(read).toBeGreaterThan(3);
  server.takeStatuses();
  const { data } = await client.query<Json>(pages, { orderBy }, { requestPolicy: 'cache-only' }).toPromise();
  const expected =
    await server.sql(`select 'Donation:' || d.id as id from donations d join contacts c on c.group_id = d.group_id and c.id = d.contact_id
    where d.group_id = 1 and d.deleted_at is null and c.deleted_at is null order by amount desc, d.id desc`);
  expect(data.donations.edges.map(({ node }: Json) => node.id)).toEqual(expected.map(({ id }) => id));
  expect(data.donations.nodes.map(({ id }: Json) => id)).toEqual(expected.map(({ id }) => id));
  expect([server.takeStatuses(), warnings]).toEqual([[], []]);
});

it('shows a payload in the list that has the record', async () => {
  const { client, warnings } = openClient();
  const query = gql`query Notes { notes(first: 3) { edges { node { id content contact { id firstName } } } } }`;
  const seen: Json[] = [];
  const { unsubscribe } = client.query<Json>(query, {}).subscribe(({ data }) => void (data && seen.push(data)));
  onTestFinished(unsubscribe);
  await waitUntil('the notes are shown', async () => seen.length > 0);
  const { node } = seen[0].notes.edges[1];
  server.takeStatuses();
  const update = gql`mutation ($input: NoteUpdateInput!) { updateNote(input: $input) { note { id content } } }`;
  const { error } = await client.mutation<Json>(update, { input: { id: node.id, content: 'By urql' } }).toPromise();
  expect(error).toBeUndefined();
  await waitUntil('the change is shown', async () => seen.length > 1);
  const others = seen[0].notes.edges.toSpliced(1, 1, {
    ...seen[0].notes.edges[1],
    node: { ...node, content: 'By urql' },
  });
  expect(seen.slice(1)).toEqual([{ ...seen[0], notes: { ...seen[0].notes, edges: others } }]);
  expect([server.takeStatuses(), warnings]).toEqual([[200], []]);
});

it('without the list of embedded types, the cache warns of those that a query selects, and works', async () => {
  const { client, warnings } = openClient({ keys: [] });
  const query = gql`query { donations(first: 1) { edges { node { id amount { amount currency } } } } contacts(first: 5) { nodes { id address { city } } } }`;
  const { data, error } = await client.query<Json>(query, {}).toPromise();
  expect(error).toBeUndefined();
  expect(data.donations.edges[0].node.amount.currency).toBe('EUR');
  const types = warnings.map((text) => /`keys` config for `(\w+)`/.exec(text)?.[1]);
  expect([...new Set(types)].sort()).toEqual(['Address', 'Money']);
});
