// GraphQL over HTTP: the 61 audits on a listening server, and equal answers for every spelling of a media type.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
let url: string;
let token: string;

beforeAll(async () => {
  door = await openApp();
  token = await door.token(1, 1);
  const server = createServer(getRequestListener((request) => door.app.fetch(request)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => server.close());
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
});

describe('the audits of graphql-http', () => {
  const audits = serverAudits({
    url: () => url,
    fetchFn: (input: string, init: RequestInit = {}) =>
      fetch(input, {
        ...init,
        headers: { ...(init.headers as Record<string, string>), Authorization: `Bearer ${token}` },
      }),
  });

  it('are 61', () => expect(audits).toHaveLength(61));

  it.each(audits.map((audit) => [audit.id, audit.name, audit] as const))('%s %s', async (_id, _name, audit) => {
    const result = await audit.fn();
    expect(result.status === 'ok' ? 'ok' : `${result.status}: ${'reason' in result ? result.reason : ''}`).toBe('ok');
  });
});

it('a faulty header of the space is refused alike, whatever the client reads', async () => {
  const ask = (accept: string, space?: string): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: {
        Accept: accept,
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        ...(space !== undefined && { 'X-Muster-Space': space }),
      },
      body: JSON.stringify({ query: '{ viewer { user { email } } }' }),
    });
  for (const accept of ['application/json', 'text/event-stream']) {
    // The gate knows the token from then on, and the server the document.
    expect((await ask(accept)).status).toBe(200);
    const response = await ask(accept, 'abc');
    const [{ extensions }] = (await response.json()).errors;
    expect([response.status, extensions.code, extensions.errors[0].location]).toEqual([
      400,
      'invalid-request',
      'header.X-Muster-Space',
    ]);
  }
});

describe('media types', () => {
  /** Other spellings of the same media type. */
  const alike: Record<string, string> = {
    '': 'application/json;q=0.9',
    'application/json': 'application/json;q=0.9',
    'application/graphql-response+json': 'application/graphql-response+json;q=0.9',
    'application/json, text/plain, */*': 'application/json, text/plain;q=0.9',
  };
  const bodies: [string, Json][] = [
    ['data', { query: '{ viewer { space { databaseId } user { email } } }' }],
    [
      'variables',
      {
        query: 'query Q($id: ID!) { contact(id: $id) { id: databaseId firstName } }',
        variables: { id: 1 },
        operationName: 'Q',
      },
    ],
    ['a list', { query: '{ contacts(first: 3) { nodes { id: databaseId tags { name } } pageInfo { endCursor } } }' }],
    ['introspection', { query: '{ __schema { queryType { fields { name description } } } }' }],
    ['a syntax error', { query: '{' }],
    ['a validation error', { query: '{ nothing }' }],
    [
      'a coercion error',
      { query: 'query Q($id: ID!) { contact(id: $id) { id: databaseId } }', variables: { id: 'x' } },
    ],
    ['a missing variable', { query: 'query Q($id: ID!) { contact(id: $id) { id: databaseId } }' }],
    [
      'a fault of input',
      { query: 'mutation { createNote(input: { contactId: 1, content: "\\u0000" }) { note { id: databaseId } } }' },
    ],
    ['a refusal', { query: 'mutation { deleteTeam(input: { id: 987654321 }) { id: databaseId } }' }],
    ['partial data', { query: '{ viewer { space { databaseId } } contacts(first: 0) { nodes { id: databaseId } } }' }],
    ['a missing operation', { query: '{ viewer { space { databaseId } } }', operationName: 'Nope' }],
    [
      'two operations and no name',
      { query: 'query A { roles { id: databaseId } } query B { roles { id: databaseId } }' },
    ],
    ['no query', { variables: {} }],
    ['a query that is not a text', { query: 5 }],
    ['an unknown parameter', { query: '{ viewer { space { databaseId } } }', extra: 1 }],
    ['variables that are not an object', { query: '{ viewer { space { databaseId } } }', variables: 'x' }],
    ['extensions that are not an object', { query: '{ viewer { space { databaseId } } }', extensions: 'x' }],
    ['a batch', [{ query: '{ viewer { space { databaseId } } }' }]],
    ['a number', 5],
    ['not JSON', '{"query":'],
    ['a subscription', { query: 'subscription { x }' }],
    [
      'a directive',
      {
        query: 'query ($x: Boolean!) { viewer { space { databaseId } @skip(if: $x) user { id: databaseId } } }',
        variables: { x: true },
      },
    ],
  ];

  const send = async (accept: string, body: Json, more: Record<string, string> = {}) => {
    const headers = {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      ...(accept && { Accept: accept }),
      ...more,
    };
    const response = await door.app.fetch(
      new Request('http://muster.test/graphql', {
        method: 'POST',
        headers,
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    );
    const text = (await response.text()).replace(/urn:uuid:[\w-]+/g, '');
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      cost: response.headers.get('x-ratelimit-cost'),
      text,
    };
  };

  it.each(
    Object.entries(alike).flatMap(([accept, other]) =>
      bodies.map(([what, body]) => [what, accept, other, body] as const),
    ),
  )('answer %s alike (Accept: %s)', async (_what, accept, other, body) => {
    const answer = await send(accept, body);
    expect(answer).toEqual(await send(other, body));
    expect(answer.status).toBeLessThan(500);
  });

  it.each(
    bodies.filter(([, body]) => body?.query?.includes?.('mutation')),
  )('answer %s alike, with a key and without', async (what, body) => {
    const keyed = await send('application/json', body, { 'Idempotency-Key': what.replaceAll(' ', '-') });
    expect(keyed).toEqual(await send('application/json', body));
  });

  it('carry the rate headers on a GET, and refuse mutations there', async () => {
    const get = (query: string) =>
      door.app.fetch(
        new Request(`http://muster.test/graphql?query=${encodeURIComponent(query)}`, {
          headers: { Authorization: `Bearer ${token}` },
        }),
      );
    const read = await get('{ viewer { space { databaseId } } }');
    expect([read.status, read.headers.get('x-ratelimit-cost')]).toEqual([200, '1']);
    const written = await get('mutation { createTeam(input: { name: "by GET" }) { team { id: databaseId } } }');
    expect([written.status, written.headers.get('allow')]).toEqual([405, 'POST']);
    expect(await door.sql(`select 1 from teams where name = 'by GET'`)).toEqual([]);
  });

  it('are refused when the URL has a parameter twice', async () => {
    const url = 'http://muster.test/graphql?query=%7B__typename%7D&variables=%7B%7D&variables=%7B%22a%22%3A1%7D';
    const answer = await door.app.fetch(new Request(url, { headers: { Authorization: `Bearer ${token}` } }));
    const [error] = (await answer.json()).errors;
    expect([answer.status, error.message]).toEqual([400, 'variables is there twice']);
  });

  it.each(['variables', 'extensions'])('are refused for one fault when %s are no JSON', async (name) => {
    const url = `http://muster.test/graphql?query=%7B__typename%7D&${name}=%7Bbad`;
    const answer = await door.app.fetch(new Request(url, { headers: { Authorization: `Bearer ${token}` } }));
    const [error] = (await answer.json()).errors;
    expect([answer.status, error.message]).toEqual([400, expect.stringMatching(`^${name} is not JSON: `)]);
  });
});

describe('one parser reads and prices a request', () => {
  const dear = `{ ${Array.from({ length: 20 }, (_, index) => `a${index}: viewer { space { databaseId } }`).join(' ')} }`;
  const post = (type: string, body: string) =>
    door.app.fetch(
      new Request('http://muster.test/graphql', {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': type },
        body,
      }),
    );

  it.each([
    ['application/graphql', dear],
    ['application/graphql; note=json', dear],
    ['application/x-www-form-urlencoded', new URLSearchParams({ query: dear }).toString()],
    ['application/x-www-form-urlencoded; note=json', new URLSearchParams({ query: dear }).toString()],
    ['multipart/form-data; boundary=x', `--x\r\nContent-Disposition: form-data; name="operations"\r\n\r\n{}\r\n--x--`],
    ['text/plain', JSON.stringify({ query: dear })],
    ['', JSON.stringify({ query: dear })],
  ])('a body of type "%s" is 415', async (type, body) => {
    const response = await post(type, body);
    expect(response.status).toBe(415);
    expect((await response.json()).data).toBeUndefined();
  });

  it.each([
    'application/json',
    'application/graphql+json',
    'application/json; charset=utf-8',
  ])('a body of type %s is priced whole', async (type) => {
    const response = await post(type, JSON.stringify({ query: dear }));
    expect([response.status, response.headers.get('x-ratelimit-cost')]).toEqual([200, '20']);
  });

  it.each([
    '',
    '?',
    '?x=1',
    '&query={__typename}',
    '#',
    '%23',
  ])('an address that ends in "%s" is executed as it was priced', async (end) => {
    const address = `http://muster.test/graphql?query=${encodeURIComponent(dear)}${end}`;
    const response = await door.app.fetch(new Request(address, { headers: { Authorization: `Bearer ${token}` } }));
    const { data } = await response.json();
    expect(response.headers.get('x-ratelimit-cost')).toBe(data ? '20' : '1');
  });
});

it('documents have 12 levels at most', async () => {
  const nest = (pairs: number, innermost: string): string =>
    `{ viewer { user { ${'contacts { account { '.repeat(pairs)}${innermost}${' } }'.repeat(pairs)} } } }`;
  expect((await door.graphql(nest(4, 'contacts { id }'))).body.errors).toBeUndefined();
  const { body } = await door.graphql(nest(5, 'id'));
  expect(body.errors[0].extensions.code).toBe('query-too-large');
  expect(body.errors[0].message).toContain('12');
});

describe('documents that cost more to read than they pay', () => {
  const repeat = (count: number, make: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => make(index)).join(' ');
  const nested = (depth: number): string =>
    `${'{ viewer '.repeat(1)}${'{ user { contacts '.repeat(depth)}{ id }${' } }'.repeat(depth)} }`;
  it.each([
    ['10,000 aliases', `{ ${repeat(10_000, (i) => `a${i}: __typename`)} }`],
    ['20,000 fields', `{ ${'__typename '.repeat(20_000)} }`],
    ['10,000 directives', `{ __typename ${'@skip(if: false) '.repeat(10_000)} }`],
    [
      '5,000 fragments in a row',
      `{ ...f0 } ${repeat(5_000, (i) => `fragment f${i} on Query { ...f${i + 1} }`)} fragment f5000 on Query { __typename }`,
    ],
    [
      '51 fragments',
      `{ ...f0 } ${repeat(51, (i) => `fragment f${i} on Query { ...f${i + 1} }`)} fragment f51 on Query { __typename }`,
    ],
    [
      'exponential fragments',
      `{ ...f0 } ${repeat(30, (i) => `fragment f${i} on Query { a: __typename ...f${i + 1} b: __typename ... on Query { ...f${i + 1} } }`)} fragment f30 on Query { c: viewer { space { databaseId } } }`,
    ],
    ['a fragment cycle', '{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }'],
    ['20,000 braces', '{'.repeat(20_000)],
    ['a deep query', nested(6)],
    ['deep introspection', `{ __schema { types ${'{ fields { type '.repeat(20)} { name } ${'} }'.repeat(20)} } }`],
    ['31 variables', `query (${repeat(31, (i) => `$v${i}: Int`)}) { __typename }`],
    ['11 directives', `{ __typename ${'@skip(if: false) '.repeat(11)} }`],
    ['a huge literal', `{ contact(id: ${'9'.repeat(10_000)}) { id: databaseId } }`],
    ['a long document', `{ viewer { space { databaseId } } } # ${'x'.repeat(20_000)}`],
  ])('are refused: %s', async (_, query) => {
    const started = process.cpuUsage();
    const { status, body } = await door.graphql(query);
    const { user, system } = process.cpuUsage(started);
    expect(body.errors?.length).toBeGreaterThan(0);
    expect(Object.values(body.data ?? {}).filter((value) => value !== null)).toEqual([]);
    expect(status).toBeLessThan(500);
    // A generous limit, since machines differ: the defect that this test detects takes seconds.
    expect((user + system) / 1000).toBeLessThan(1000);
  });

  it('the standard introspection query is accepted', async () => {
    const { getIntrospectionQuery } = await import('graphql');
    const { body } = await door.graphql(
      getIntrospectionQuery({
        inputValueDeprecation: true,
        specifiedByUrl: true,
        schemaDescription: true,
        directiveIsRepeatable: true,
      }),
    );
    expect(body.errors).toBeUndefined();
    expect(body.data.__schema.types.length).toBeGreaterThan(30);
  });

  it('a fragment has any name, beside records too', async () => {
    const spread = '{ __schema { ...__proto__ } contact(id: 1) { databaseId } }';
    const { body } = await door.graphql(`${spread} fragment __proto__ on __Schema { queryType { name } }`);
    expect(body.data).toEqual({ __schema: { queryType: { name: 'Query' } }, contact: { databaseId: 1 } });
  });

  it('a body of 2 MB is 413', async () => {
    expect((await door.graphql(`{ viewer { space { databaseId } } } # ${'x'.repeat(2_000_000)}`)).status).toBe(413);
  });
});
