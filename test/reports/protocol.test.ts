// What clients, proxies and libraries send beside their data, over both doors: types, encodings, methods, paths, names of documents.
import { createHash } from 'node:crypto';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { createAccessToken } from '../../src/gate/token.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
let token: string;
beforeAll(async () => {
  door = await openApp();
  token = await door.token(1, 1);
});

type Sent = Record<string, string>;

const ask = (method: string, path: string, headers: Sent = {}, body?: string | Uint8Array<ArrayBuffer>) =>
  door.app.fetch(
    new Request(`http://muster.test${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, ...headers },
      ...(body !== undefined && { body }),
    }),
  );

const doors: [path: string, body: Json][] = [
  ['/kpi', { data: { advanced_search: {} } }],
  ['/graphql', { query: '{ __typename }' }],
];
const json = { 'Content-Type': 'application/json' };

describe.each(doors)('a body for %s', (path, body) => {
  const text = JSON.stringify(body);

  it.each([
    'application/json; charset=utf8',
    'application/json; charset=',
    "application/json; charset='utf-8'",
    'application/json; charset=us-ascii',
    'application/json;',
    'application/json;;',
    'application/json\t;\tcharset=UTF-8',
    'application/json; profile="https://example.org/contact"',
    'application/json; profile=https://example.org/contact; charset=utf-8;',
    'APPLICATION/JSON; CHARSET="UTF-8"',
    'application/json; odata.metadata=minimal',
  ])('is read as %j', async (type) => {
    expect((await ask('POST', path, { 'Content-Type': type }, text)).status).toBe(200);
  });

  it.each([
    'text/plain',
    'application/json; charset=latin1',
    'application/xml',
    'application/jsonx',
  ])('is not read as %j, and the answer says what is', async (type) => {
    const { status, headers } = await ask('POST', path, { 'Content-Type': type }, text);
    expect([status, headers.get('accept-post')]).toEqual([415, expect.stringContaining('application/json')]);
  });

  it.each(['gzip', 'GZIP', 'x-gzip', ' gzip '])('is read when it is compressed as %j', async (encoding) => {
    const sent = { ...json, 'Content-Encoding': encoding };
    const { status } = await ask('POST', path, sent, new Uint8Array(gzipSync(text)));
    expect(status).toBe(200);
  });

  it.each([
    ['br', brotliCompressSync(text)],
    ['deflate', text],
    ['gzip, gzip', gzipSync(gzipSync(text))],
  ] as const)('is not read when it is compressed as %s, and the answer says how it may be', async (encoding, bytes) => {
    const { status, headers } = await ask(
      'POST',
      path,
      { ...json, 'Content-Encoding': encoding },
      new Uint8Array(Buffer.from(bytes)),
    );
    expect([status, headers.get('accept-encoding')]).toEqual([415, 'gzip']);
  });

  it.each([
    ['a bomb', gzipSync(Buffer.alloc(50_000_000)), 413],
    ['many members', Buffer.concat(Array(3).fill(gzipSync(Buffer.alloc(500_000, ' ')))), 413],
    ['no gzip', Buffer.from(text), 415],
    ['half of it', gzipSync(text).subarray(0, 20), 415],
    ['nothing', gzipSync(''), 400],
  ])('that is %s compressed as gzip is refused', async (_, bytes, due) => {
    const { status } = await ask('POST', path, { ...json, 'Content-Encoding': 'gzip' }, new Uint8Array(bytes));
    expect(status).toBe(due);
  });
});

it('a PATCH of another type is told what is read', async () => {
  const { status, headers } = await ask('PATCH', '/contacts/1', { 'Content-Type': 'text/plain' }, 'x');
  expect([status, headers.get('accept-patch')]).toEqual([415, 'application/json']);
});

describe('a document', () => {
  const text = '{ teams(first: 1) { nodes { __typename } } }';
  const sha256Hash = createHash('sha256').update(text).digest('hex');
  const byHash = { extensions: { persistedQuery: { version: 1, sha256Hash } } };
  beforeAll(async () => {
    await ask('POST', '/graphql', json, JSON.stringify({ query: text, ...byHash }));
  });

  it.each<[string, object]>([
    ['an empty operation name', { query: text, operationName: '' }],
    ['an empty text beside its hash', { query: '', ...byHash }],
    ['a blank text beside its hash', { query: ' \n', operationName: '', ...byHash }],
    ['an empty text beside its id', { query: '', documentId: `sha256:${sha256Hash}` }],
    ['an empty id', { query: text, documentId: '' }],
  ])('is found by %s, in a body and in an address', async (_, sent) => {
    const { extensions, ...texts } = sent as Json;
    const query = new URLSearchParams({ ...texts, ...(extensions && { extensions: JSON.stringify(extensions) }) });
    for (const answer of [
      await ask('POST', '/graphql', json, JSON.stringify(sent)),
      await ask('GET', `/graphql?${query}`),
    ])
      expect(await answer.json()).toHaveProperty('data.teams.nodes');
  });
});

describe('HEAD', () => {
  it.each([
    '/contacts/1',
    '/v1/contacts/1',
    '/teams/1',
    '/teams',
    '/users/1',
    '/users?limit=2',
    '/roles',
    '/users/invitation',
    '/v1/donation_prices',
    '/forms/survey',
    '/graphql?query={__typename}',
    '/openapi.json',
    '/docs',
    '/docs/guide',
    '/',
    '/explore',
    '/health/live',
    '/health/ready',
    '/contacts/987654321',
    '/nowhere',
  ])('of %s is GET without a body', async (path) => {
    const [got, head] = [await ask('GET', path), await ask('HEAD', path)];
    const describeAnswer = ({ status, headers }: Response) => [
      status,
      ...['etag', 'content-type', 'cache-control', 'vary', 'x-ratelimit-cost'].map((name) => headers.get(name)),
    ];
    expect(describeAnswer(head)).toEqual(describeAnswer(got));
    expect(await head.text()).toBe('');
  });

  it('is 304 and 412 as GET is', async () => {
    expect((await ask('HEAD', '/contacts/1', { 'If-None-Match': '*' })).status).toBe(304);
    expect((await ask('HEAD', '/contacts/1', { 'If-Match': '"999"' })).status).toBe(412);
  });

  it.each(['/contacts', '/kpi', '/join'])('of %s, which has no GET, is 405', async (path) => {
    expect((await ask('HEAD', path)).status).toBe(405);
  });

  it('leaves no subscription behind', async () => {
    const path = `/graphql?query=${encodeURIComponent('subscription { contactChanges { id } }')}`;
    const { body } = await ask('HEAD', path, { Accept: 'text/event-stream' });
    expect(body).toBeNull();
  });
});

describe('OPTIONS', () => {
  it.each([
    ['/health/live', 'GET, HEAD, OPTIONS'],
    ['/health/ready/', 'GET, HEAD, OPTIONS'],
    ['/join', 'POST, OPTIONS'],
    ['/openapi.json', 'GET, HEAD, OPTIONS'],
    ['/docs/guide', 'GET, HEAD, OPTIONS'],
    ['/', 'GET, HEAD, OPTIONS'],
    ['/explore', 'GET, HEAD, OPTIONS'],
    ['/*', 'GET, HEAD, POST, PATCH, DELETE, OPTIONS'],
  ])('of %s is 204 with its methods', async (path, allow) => {
    const { status, headers } = await ask('OPTIONS', path, { Authorization: '' });
    expect([status, headers.get('allow')]).toEqual([204, allow]);
  });

  it.each(['/contacts/1', '/teams', '/search', '/graphql'])('of %s is refused with its methods', async (path) => {
    const { status, headers } = await ask('OPTIONS', path);
    expect([status, headers.get('allow')]).toEqual([405, expect.stringMatching(/GET|POST/)]);
  });

  it('of an unknown path is refused', async () => {
    expect((await ask('OPTIONS', '/nowhere')).status).toBe(404);
  });
});

it.each([
  '/health/live',
  '/health/ready',
  '/',
  '/explore',
  '/docs',
  '/docs/guide',
  '/openapi.json',
])('a POST to %s is 405', async (path) => {
  const { status, headers } = await ask('POST', path, json, '{}');
  expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

describe('a page', () => {
  it.each(['/', '/explore'])('%s is shown to clients that take anything', async (path) => {
    for (const answer of [
      await ask('GET', path, { Accept: '*/*' }),
      await ask('GET', path, { Accept: 'text/*;q=0.1' }),
    ])
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    for (const accept of ['text/plain', 'text/html;q=0', '*/*;q=0'])
      expect((await ask('GET', path, { Accept: accept })).status).toBe(404);
    // The front page has links for programs.
    expect((await ask('GET', path, json)).status).toBe(path === '/' ? 200 : 404);
  });
});

describe('a path that is written encoded', () => {
  it.each([
    ['/%72oles', '/roles'],
    ['/%72%6Fle%73/', '/roles'],
    ['/v1/%63ontacts/%31', '/v1/contacts/1'],
    ['/%67raphql?query={__typename}', '/graphql?query={__typename}'],
    ['/openapi%2Ejson', '/openapi.json'],
    ['/%65xplore', '/explore'],
    ['/%64ocs/guide', '/docs/guide'],
    ['/heal%74h/live', '/health/live'],
    ['/users%2f1', '/nowhere'],
    ['/%2572oles', '/nowhere'],
    ['/rol%e9s', '/nowhere'],
    ['/%', '/nowhere'],
  ])('%s is %s', async (path, meant) => {
    const [answer, due] = [await ask('GET', path), await ask('GET', meant)];
    const read = async (one: Response) => [one.status, one.status === 200 && (await one.text())];
    expect(await read(answer)).toEqual(await read(due));
  });
});

it.each([
  ['application/x-ndjson;q=0.2, text/csv;q=0.9', 'text/csv'],
  ['text/csv;q=0.2, application/x-ndjson;q=0.9', 'application/x-ndjson'],
  ['text/csv;q=0, */*', 'application/x-ndjson'],
  ['application/x-ndjson;q=0, application/json;q=0, application/ndjson;q=0, */*;q=0.1', 'text/csv'],
  ['text/csv;q=0', undefined],
  ['text/csv;q=0, application/x-ndjson;q=0.0', undefined],
])('an export for %j is %s', async (accept, type) => {
  const { status, headers, body } = await ask(
    'POST',
    '/export',
    { ...json, Accept: accept },
    JSON.stringify(doors[0]![1]),
  );
  // An export that nobody reads keeps its place among the exports of the space.
  await body?.cancel();
  expect([status, headers.get('content-type')?.split(';')[0]]).toEqual(
    type ? [200, type] : [406, 'application/problem+json'],
  );
});

describe('a token whose scope is too small', () => {
  it.each<[string, string, Json, string]>([
    ['POST', '/contacts', { data: { contact: { surname: 'Scope' } } }, 'write'],
    ['PATCH', '/contacts/1', { data: { contact: { surname: 'Scope' } } }, 'write'],
    ['DELETE', '/contacts/1', undefined, 'write'],
    ['POST', '/contacts/upsert', { data: { surname: 'Scope' } }, 'write'],
    ['POST', '/v1/contacts/1/notes', { content: 'Scope' }, 'write'],
    ['POST', '/users/invitation', { data: { invitations: [{ email: 'scope@example.org' }] } }, 'admin'],
    ['POST', '/export', { data: { advanced_search: {} } }, 'admin'],
  ])('%s %s is 403, and the answer names the one it takes', async (method, path, body, scope) => {
    const bearer = await createAccessToken(door.database, 1, 1, null, { scope: 'read' });
    const { status, headers } = await door.rest(method, path, body, bearer);
    expect([status, headers.get('www-authenticate')]).toEqual([
      403,
      `Bearer realm="muster", error="insufficient_scope", scope="${scope}"`,
    ]);
  });

  it('is no such fault where the role does not permit it', async () => {
    const [{ id }] = await door.sql(
      `select m.user_id as id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id
        where m.group_id = 1 and r.type = 'user' limit 1`,
    );
    const { status, headers } = await door.rest('DELETE', '/teams/1', undefined, await door.token(1, id));
    expect([status, headers.get('www-authenticate')]).toEqual([403, null]);
  });
});
