// Refusals of both doors: each has a code of the table, a place where one exists, and the requested media type.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../src/database/database.ts';
import { generateSecret } from '../../src/database/secret.ts';
import { createApp } from '../../src/server/app.ts';
import { createListener, wrapHeaders } from '../../src/server/listener.ts';
import { stopClock } from '../gate/clock.ts';
import { createClient, type Door, type Json, openApp } from '../harness/app.ts';
import { type Asked, beforeDocuments, buildRequest, ofDocuments } from './refused-requests.ts';

/** `small` has the buckets of the contract, and that of space 1 is empty. */
let door: Door;
let small: Door;
const seen = new Set<string>();

beforeAll(async () => {
  door = await openApp();
  small = await openApp({ BUCKET_CAPACITY: 100, BUCKET_REFILL: 10 });
  const clock = await stopClock(small);
  await clock.fill(0);
});

type App = { fetch(request: Request): Promise<Response> };

const ask = async ({ method = 'POST', path = '/graphql', token, headers = {}, body, of }: Asked, other?: App) => {
  const app = other ?? (of === 'cut off' ? cutOff : of === 'empty' ? small.app : door.app);
  const bearer = token === undefined ? await (of === 'empty' ? small : door).token(1, 1) : token;
  const init = {
    method,
    headers: { ...(bearer && { Authorization: `Bearer ${bearer}` }), 'Content-Type': 'application/json', ...headers },
    ...(body !== undefined && { body, duplex: 'half' }),
  };
  const response = await app.fetch(new Request(`http://muster.test${path}`, init));
  const type = response.headers.get('content-type');
  const text = await response.text();
  const answer: Json = text === '' ? undefined : JSON.parse(text);
  const codes: string[] = path.startsWith('/graphql')
    ? (answer?.errors ?? []).map(({ extensions }: Json) => extensions?.code ?? 'none')
    : [String(answer?.type).replace('urn:muster:problem:', '')];
  for (const code of codes) seen.add(code);
  return { status: response.status, type, headers: response.headers, body: answer, codes };
};

const unreachable = new Database('postgres://nobody@127.0.0.1:1/nothing');
afterAll(() => unreachable.close());
const cutOff = createApp({
  database: unreachable,
  config: { BUCKET_CAPACITY: 100, BUCKET_REFILL: 10, GRAPHIQL: false },
  log: pino({ level: 'silent' }),
});

const accepts: [accept: string | undefined, type: string][] = [
  [undefined, 'application/json'],
  ['application/json', 'application/json'],
  ['*/*', 'application/json'],
  ['application/json, text/plain, */*', 'application/json'],
  ['application/graphql-response+json', 'application/graphql-response+json'],
  ['application/graphql-response+json, application/json;q=0.9', 'application/graphql-response+json'],
  ['application/json;q=0.1, application/graphql-response+json;q=0.2', 'application/graphql-response+json'],
  ['multipart/mixed;deferSpec=20220824, application/graphql-response+json', 'application/graphql-response+json'],
];

describe.each(accepts)('GraphQL that accepts %s', (accept, type) => {
  const expectRefusal = async (asked: Asked, code: string, status: number, place?: string) => {
    const headers = { ...asked.headers, ...(accept && { Accept: accept }) };
    const answer = await ask({ ...asked, headers });
    expect([answer.codes[0], answer.status, answer.type]).toEqual([code, status, `${type}; charset=utf-8`]);
    expect(answer.body.data).toBeUndefined();
    expect(answer.body.errors[0].extensions.status).toBe(answer.status === 200 ? 400 : answer.status);
    if (place === undefined) return;
    const [{ locations, extensions }] = answer.body.errors;
    const [{ line, column } = {}] = /^\d/.test(place) ? locations : [];
    expect(line ? `${line}:${column}` : extensions.errors[0].location).toBe(place);
  };

  it.each(beforeDocuments)('refuses %s', (_, asked, code, status, place) =>
    expectRefusal(asked(), code, status, place));
  it.each(ofDocuments)('refuses %s', (_, asked, code, status, place) =>
    expectRefusal(asked(), code, type === 'application/json' ? 200 : status, place));
});

describe('GraphQL', () => {
  it.each([
    'text/html',
    'text/csv',
    'application/json;q=0',
    'text/event-stream;q=0',
    'multipart/mixed',
  ])('answers nothing as %s, and does nothing', async (accept) => {
    await ask(buildRequest('{ __typename }'));
    const mutation = buildRequest(
      'mutation { createTeam(input: { name: "Not acceptable" }) { team { id: databaseId } } }',
    );
    const { status, type, codes } = await ask({ ...mutation, headers: { Accept: accept } });
    expect([status, type, codes]).toEqual([406, 'application/json; charset=utf-8', ['not-acceptable']]);
    expect(await door.sql(`select 1 from teams where name = 'Not acceptable'`)).toEqual([]);
  });

  it('lists every fault of its parameters', async () => {
    const { body } = await ask({ body: '{"query":5,"variables":[],"extra":1}' });
    expect(body.errors[0].extensions.errors).toEqual([
      { location: 'query', message: 'must be a string', value: 5 },
      { location: 'variables', message: 'must be an object', value: [] },
      { location: 'extra', message: expect.stringContaining('there are query, operationName'), value: 1 },
    ]);
  });

  it('refuses addresses with too many bad tokens', async () => {
    const app = { fetch: (request: Request) => door.app.fetch(request, createClient('192.0.2.7')) };
    const headers = { Accept: 'application/graphql-response+json' };
    const sendBadToken = async () =>
      ask({ ...buildRequest('{ __typename }'), token: generateSecret('token'), headers }, app);
    for (let tried = 0; tried < 20; tried++) expect((await sendBadToken()).status).toBe(401);
    const { status, type, codes } = await sendBadToken();
    expect([status, type, codes[0]]).toEqual([
      429,
      'application/graphql-response+json; charset=utf-8',
      'too-many-bad-tokens',
    ]);
  });

  it('answers a repeated key in the media type requested now', async () => {
    const mutation = buildRequest('mutation { createTeam(input: { name: "Once" }) { team { name } } }');
    const types = [];
    for (const accept of ['application/json', 'application/graphql-response+json'])
      types.push((await ask({ ...mutation, headers: { 'Idempotency-Key': 'once', Accept: accept } })).type);
    expect(types).toEqual(['application/json; charset=utf-8', 'application/graphql-response+json; charset=utf-8']);
    expect(await door.sql(`select 1 from teams where name = 'Once'`)).toHaveLength(1);
  });

  it.each([
    ['forbidden', 'mutation { restoreContact(input: { id: 1 }) { contact { id: databaseId } } }', 'user'],
    ['not-found', 'mutation { deleteTeam(input: { id: 987654321 }) { id: databaseId } }'],
    [
      'invalid-request',
      'mutation { createNote(input: { contactId: 1, content: "\\u0000" }) { note { id: databaseId } } }',
    ],
    ['unprocessable', 'mutation { createContact(input: { actionIds: [987654321] }) { contact { id: databaseId } } }'],
    [
      'precondition-failed',
      'mutation { updateContact(input: { id: 1, expectedVersion: 99, lastName: "New" }) { contact { id: databaseId } } }',
    ],
    [
      'conflict',
      'mutation { a: createTag(input: { name: "twice" }) { tag { id: databaseId } } b: createTag(input: { name: "twice" }) { tag { id: databaseId } } }',
    ],
  ])('has the code %s in a field, with its place in the document', async (code, text, role?) => {
    const [{ user_id: user }] = await door.sql(
      `select min(m.user_id) as user_id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id
        where m.group_id = 1 and (r.type = ? or ?)`,
      [role ?? 'superadmin', role === undefined],
    );
    const answer = await ask({ ...buildRequest(text), token: await door.token(1, role ? user : 1) });
    const [{ locations, path }] = answer.body.errors.slice(-1);
    expect([answer.status, answer.codes.at(-1), locations.length, path.length]).toEqual([200, code, 1, 1]);
  });

  it('masks internal errors, with a code', async () => {
    await door.sql('alter table tags rename to tags_away');
    const answer = await ask(
      buildRequest('{ contacts(first: 50) { nodes { id: databaseId tags { name } } } }'),
    ).finally(() => door.sql('alter table tags_away rename to tags'));
    expect(answer.codes[0]).toBe('internal');
  });

  it('refuses a request without a Host in its own format', async () => {
    const log = pino({ level: 'silent' });
    const server = createServer(
      { requireHostHeader: false },
      createListener((request) => door.app.fetch(request), log),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const send = (path: string) =>
      new Promise<string>((resolve) => {
        const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
        let text = '';
        socket.on('data', (data) => {
          text += data;
        });
        socket.on('close', () => resolve(text));
        socket.write(`GET ${path} HTTP/1.1\r\nAccept: application/graphql-response+json\r\n\r\n`);
      });
    expect(await send('/graphql?query={__typename}')).toMatch(
      /400 Bad.*application\/graphql-response\+json.*"code":"inv/s,
    );
    expect(await send('/teams')).toMatch(/400 Bad.*application\/problem\+json.*problem:invalid-request/s);
    server.close();
  });
});

describe.each([
  undefined,
  'application/json',
  'application/x-ndjson',
  'text/csv',
  'text/html',
  'application/graphql-response+json',
])('REST that accepts %s', (accept) => {
  it.each<[string, () => Asked, string, number]>([
    ['no token', () => ({ method: 'GET', path: '/teams', token: null }), 'unauthenticated', 401],
    ['an empty bucket', () => ({ method: 'GET', path: '/teams', of: 'empty' }), 'rate-limited', 429],
    [
      'no database',
      () => ({ method: 'GET', path: '/teams', of: 'cut off', token: generateSecret('token') }),
      'unavailable',
      503,
    ],
    ['no such path', () => ({ method: 'GET', path: '/nothing' }), 'not-found', 404],
    ['no such record', () => ({ method: 'GET', path: '/teams/987654321' }), 'not-found', 404],
    ['another method', () => ({ method: 'PUT', path: '/teams' }), 'method-not-allowed', 405],
    ['no JSON', () => ({ path: '/teams', body: '{' }), 'invalid-request', 400],
    ['a fault', () => ({ path: '/teams', body: '{"data":{"team":{}}}' }), 'invalid-request', 400],
    ['a long body', () => ({ path: '/teams', body: 'x'.repeat(2_000_000) }), 'too-large', 413],
    [
      'a form',
      () => ({ path: '/teams', body: 'a=b', headers: { 'Content-Type': 'text/plain' } }),
      'unsupported-media-type',
      415,
    ],
    ['a stranger', () => ({ path: '/contacts', body: '{"data":{"action_ids":[987654321]}}' }), 'unprocessable', 422],
    [
      'a faulty export',
      () => ({ path: '/export', body: '{"data":{"advanced_search":{"query":5}}}' }),
      'invalid-request',
      400,
    ],
  ])('refuses %s as problem+json', async (_, asked, code, status) => {
    const { headers, ...others } = asked();
    const answer = await ask({ ...others, headers: { ...headers, ...(accept && { Accept: accept }) } });
    // An export that cannot be sent in any accepted media type is refused for that.
    const instead = others.path === '/export' && accept && !/ndjson|csv|application\/json/.test(accept);
    expect([answer.type, answer.codes[0], answer.status]).toEqual([
      'application/problem+json',
      ...(instead ? [expect.stringMatching(/invalid-request|not-acceptable/), expect.any(Number)] : [code, status]),
    ]);
  });
});

/** Codes of the table that no request here causes: their cause, and the file that tests them. */
const excused: Record<string, [why: string, where: string]> = {
  'too-many-searches': ['as many searches as a space may have', 'test/faults/search.test.ts'],
  'too-many-exports': ['as many exports as a space may have', 'test/contract/export.test.ts'],
  'too-many-large-operations': ['hundreds of large operations', 'test/abuse/cost.test.ts'],
  'answer-too-large': ['an answer of 16 MiB', 'test/abuse/cost.test.ts'],
  'answer-erased': ['an erasure between a keyed write and its repetition', 'test/data/erased-answers.test.ts'],
  'changes-gone': ['a cursor that is too old', 'test/data/change.test.ts'],
  'too-many-subscriptions': ['many streams', 'test/docs/problem-pages.test.ts'],
  overloaded: ['more requests than can be answered', 'test/faults/overload.test.ts'],
  PERSISTED_QUERY_NOT_FOUND: ['no document with a hash', 'test/graphql/persisted-documents.test.ts'],
  PERSISTED_QUERY_ONLY: ['a list of trusted documents', 'test/graphql/persisted-documents.test.ts'],
  timeout: ['a database that does not answer', 'test/faults/session.test.ts'],
};

it('each code is in the table of the docs, and each code of the table occurs here or is exempt', async () => {
  const full = await openApp({ BUCKET_CAPACITY: 100 });
  const many = Array.from({ length: 101 }, (_, index) => `a${index}: __schema { description }`);
  const { codes } = await ask({ ...buildRequest(`{ ${many.join(' ')} }`), token: await full.token(1, 1) }, full.app);
  expect(codes).toEqual(['query-too-expensive']);
  const table = [...readFileSync('docs/errors.md', 'utf8').matchAll(/^\| \[`([\w-]+)`\]/gm)].map(([, code]) => code!);
  expect(table.length).toBeGreaterThan(20);
  expect([...seen].filter((code) => !table.includes(code))).toEqual([]);
  expect(table.filter((code) => !seen.has(code)).sort()).toEqual(Object.keys(excused).sort());
  for (const [code, [, where]] of Object.entries(excused)) expect(readFileSync(where, 'utf8')).toContain(code);
});

it('headers that are sent twice are joined, as the Fetch API does: of two tokens none is chosen', () => {
  const headersDistinct = { authorization: ['Bearer one', 'Bearer two'], accept: ['*/*'] };
  const headers = wrapHeaders({ headersDistinct });
  expect(['Authorization', 'Accept', 'Origin'].map(headers.get)).toEqual(['Bearer one, Bearer two', '*/*', null]);
});
