// Event streams: what proxies are told, where a client goes on that lost the connection at once, and answers to clients that take nothing but events.
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { createClient } from 'graphql-sse';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { type RunningServer, startServer } from '../../src/server/server.ts';
import { openLog } from '../../src/telemetry/log.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { waitUntil } from '../harness/waiting.ts';

let door: Door;
let token: string;
let server: RunningServer;
beforeAll(async () => {
  door = await openApp();
  token = await door.token(1, 1);
  const config = readConfig({ PORT: '0', BUCKET_CAPACITY: '100000', BUCKET_REFILL: '100000', DRAIN_SECONDS: '1' });
  server = await startServer(config, door.databaseUrl, openLog('silent').log);
});

const sse = 'text/event-stream';
const parts = 'multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/json';

const send = async (body: Json, accept = sse, headers: Record<string, string> = {}) => {
  const aborting = new AbortController();
  onTestFinished(() => aborting.abort());
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Accept: accept, ...headers },
    body: JSON.stringify(body),
    signal: aborting.signal,
  });
  return { response, abort: () => aborting.abort() };
};
/** Collects the text of a stream as it comes. */
const follow = async (body: Json, accept = sse, headers: Record<string, string> = {}) => {
  const { response, abort } = await send(body, accept, headers);
  const state = { response, abort, text: '' };
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body!) state.text += decoder.decode(chunk as Uint8Array, { stream: true });
  })().catch(() => {});
  return state;
};
const createAction = (name: string) =>
  door.graphql(`mutation { createAction(input: { name: "${name}" }) { action { id } } }`);
const query = 'subscription { changes(filter: { types: [ACTION] }) { recordId } }';

it.each([
  [sse, 'text/event-stream; charset=utf-8'],
  [parts, 'multipart/mixed; boundary="graphql"; subscriptionSpec=1.0'],
])('a stream for %s is neither kept nor changed on its way', async (accept, type) => {
  const { response } = await send({ query }, accept);
  expect(['content-type', 'cache-control', 'x-accel-buffering'].map((name) => response.headers.get(name))).toEqual([
    type,
    'no-store, no-transform',
    'no',
  ]);
});

it.each([
  query,
  'subscription { contactChanged { recordId } }',
  'subscription { segmentChanged { recordId } }',
])('a stream that is cut before its first event goes on from its begin: %s', async (text) => {
  const first = await follow({ query: text });
  await waitUntil('it has begun', () => /^id: .+\n\n/m.test(first.text));
  first.abort();
  const id = /^id: (.+)$/m.exec(first.text)![1]!;
  expect(first.text).not.toContain('event:');
  const { body } = await door.graphql(
    `mutation { createAction(input: { name: "missed ${id}" }) { action { id } }
                createContact(input: { lastName: "Missed" }) { contact { id } } }`,
  );
  const due = text.includes('contactChanged') ? body.data.createContact.contact.id : body.data.createAction.action.id;
  if (text.includes('segmentChanged')) return;
  const second = await follow({ query: text }, sse, { 'Last-Event-ID': id });
  await waitUntil('the missed change came', () => second.text.includes(due));
  // The stream says at once from where it goes on.
  expect(second.text.indexOf(`id: ${id}`)).toBeLessThan(second.text.indexOf('event: next'));
});

describe('a client that takes nothing but events', () => {
  const read = async (body: Json, headers: Record<string, string> = {}, accept = sse) => {
    const { response } = await send(body, accept, headers);
    const text = await response.text();
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const [, data, end] = /^:\n\nevent: next\ndata: (\{.*\})\n\n(.*)$/s.exec(text)!;
    expect(end).toBe('event: complete\ndata: \n\n');
    return { ...JSON.parse(data!), headers: response.headers };
  };

  it.each<[string, Json, string]>([
    ['a query', { query: '{ nothing }' }, 'invalid-document'],
    ['no document', { query: 'query {' }, 'syntax-error'],
    ['a subscription', { query: 'subscription { changes { nothing } }' }, 'invalid-document'],
    ['a name', { query: '{ __typename }', operationName: 'Other' }, 'invalid-request'],
    ['variables', { query: 'query ($id: ID!) { team(id: $id) { id } }' }, 'invalid-request'],
    ['a cursor', { query: 'subscription { changes(after: "nonsense") { type } }' }, 'invalid-request'],
    ['a missing record', { query: 'subscription { importProgressed(id: 987654321) { id } }' }, 'not-found'],
    ['a hash', { documentId: 'a'.repeat(64) }, 'PERSISTED_QUERY_NOT_FOUND'],
    [
      'a size',
      {
        query: `{ ${'teams(first: 100) { nodes { users { id } } } '.repeat(5)} ${'a: viewer { user { id } } '.repeat(300)} }`,
      },
      'query-too-large',
    ],
  ])('is told the faults of %s as an event', async (_, body, code) => {
    const { errors } = await read(body);
    expect(errors[0].extensions.code).toBe(code);
  });

  it('is answered queries and mutations as an event, once under a key', async () => {
    expect((await read({ query: '{ viewer { user { databaseId } } }' })).data).toEqual({
      viewer: { user: { databaseId: 1 } },
    });
    const create = { query: 'mutation { createTag(input: { name: "by event" }) { tag { name } } }' };
    const headers = { 'Idempotency-Key': 'by-event' };
    const [first, again] = [await read(create, headers), await read(create, headers)];
    expect(first.data.createTag.tag).toEqual({ name: 'by event' });
    expect([again.data, again.headers.get('idempotency-replayed')]).toEqual([first.data, 'true']);
  });

  it('is refused by status without a token, and where the request cannot be read', async () => {
    const statuses = await Promise.all([
      send({ query: '{ __typename }' }, sse, { Authorization: 'Bearer none' }),
      send('nonsense'),
      send({ query: 5 }),
      send({ query: '{ __typename }' }, sse, { 'Content-Type': 'text/plain' }),
    ]);
    expect(statuses.map(({ response }) => response.status)).toEqual([401, 400, 400, 415]);
  });

  it('gets JSON for these when it takes that too', async () => {
    for (const body of [{ query: '{ nothing }' }, { query: '{ __typename }' }, { query: 'subscription { nothing }' }]) {
      const { response } = await send(body, `${sse}, application/json`);
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    }
  });

  it('is graphql-sse: it gets results and faults of documents as such', async () => {
    const client = createClient({
      url: `${server.url}/graphql`,
      headers: { Authorization: `Bearer ${token}` },
      retryAttempts: 0,
    });
    const collect = async (text: string) => {
      const results: Json[] = [];
      for await (const result of client.iterate({ query: text })) results.push(result);
      return results;
    };
    expect(await collect('{ __typename }')).toEqual([{ data: { __typename: 'Query' } }]);
    expect(await collect('subscription { nothing }')).toEqual([
      { errors: [expect.objectContaining({ extensions: { code: 'invalid-document', status: 400 } })] },
    ]);
  });
});

describe('Apollo Client, by its HttpLink alone', () => {
  const open = () =>
    new ApolloClient({
      link: new HttpLink({ uri: `${server.url}/graphql`, headers: { Authorization: `Bearer ${token}` } }),
      cache: new InMemoryCache(),
    });

  it('gets the events of a subscription', async () => {
    const seen: Json[] = [];
    const subscription = open()
      .subscribe({ query: gql(query) })
      .subscribe({ next: ({ data }) => void seen.push(data) });
    onTestFinished(() => subscription.unsubscribe());
    await waitUntil('an event came', async () => {
      await createAction(`for Apollo ${Math.random()}`);
      return seen.length > 1;
    });
    expect(seen[0].changes.recordId).toMatch(/^Action:\d+$/);
  });

  it('gets the faults of one', async () => {
    const faults: Json[] = [];
    open()
      .subscribe({ query: gql`subscription { changes { nothing } }` })
      .subscribe({ next: ({ error }) => void faults.push(error), error: (error) => void faults.push(error) });
    await waitUntil('it is refused', () => faults.length > 0);
    expect(String(faults[0])).toContain('nothing');
  });

  it('gets the end of one when the server stops', async () => {
    const { response } = await send({ query }, parts);
    await server.stop();
    expect(await response.text()).toMatch(/^\r\n--graphql.*--graphql--\r\n$|^\r\n--graphql--\r\n$/s);
  });
});
