// Requests that GraphQL refuses, each with its code, its status and its place.
import { generateSecret } from '../../src/database/secret.ts';
import type { Json } from '../harness/app.ts';

export interface Asked {
  method?: string;
  path?: string;
  /** A bearer token; null for none. */
  token?: string | null;
  headers?: Record<string, string>;
  body?: BodyInit;
  /** The server that gets the request: one whose bucket is empty, one without a database, or a normal one. */
  of?: 'empty' | 'cut off';
}

export const buildRequest = (text: string, more: Json = {}): Asked => ({
  body: JSON.stringify({ query: text, ...more }),
});
const get = (search: string): Asked => ({ method: 'GET', path: `/graphql?${search}` });

/** The request, its code, its status, and the place of the fault: a location of `errors`, or `line:column` of the document. */
export type Case = [what: string, asked: () => Asked, code: string, status: number, place?: string];

/** Refused before execution: these keep their status whatever the media type. */
export const beforeDocuments: Case[] = [
  ['no token', () => ({ ...buildRequest('{ __typename }'), token: null }), 'unauthenticated', 401],
  [
    'a bad token',
    () => ({ ...buildRequest('{ __typename }'), token: generateSecret('token') }),
    'unauthenticated',
    401,
  ],
  ['an empty bucket', () => ({ ...buildRequest('{ __typename }'), of: 'empty' }), 'rate-limited', 429],
  [
    'no database',
    () => ({ ...buildRequest('{ __typename }'), of: 'cut off', token: generateSecret('token') }),
    'unavailable',
    503,
  ],
  ['a long body', () => ({ body: 'x'.repeat(2_000_000) }), 'too-large', 413],
  ['a long body of unknown length', () => ({ body: new Blob(['x'.repeat(2_000_000)]).stream() }), 'too-large', 413],
  ['a form', () => ({ body: 'a=b', headers: { 'Content-Type': 'text/plain' } }), 'unsupported-media-type', 415],
  ['a compressed body', () => ({ body: '{}', headers: { 'Content-Encoding': 'gzip' } }), 'unsupported-media-type', 415],
  ['no text', () => ({ body: new Uint8Array([0x22, 0xff, 0x22]) }), 'invalid-request', 400, 'body'],
  ['no JSON', () => ({ body: '{"query":' }), 'invalid-request', 400, 'body'],
  ['an empty body', () => ({ body: '' }), 'invalid-request', 400, 'body'],
  ['a batch', () => ({ body: '[{"query":"{ __typename }"}]' }), 'invalid-request', 400, 'body'],
  ['a number', () => ({ body: '5' }), 'invalid-request', 400, 'body'],
  ['deeply nested JSON', () => ({ body: '['.repeat(50) }), 'invalid-request', 400, 'body'],
  ['no query', () => ({ body: '{}' }), 'invalid-request', 400, 'query'],
  ['no query in the URL', () => get(''), 'invalid-request', 400, 'query'],
  ['a query that is not a text', () => ({ body: '{"query":5}' }), 'invalid-request', 400, 'query'],
  ['an unknown parameter', () => buildRequest('{ __typename }', { extra: 1 }), 'invalid-request', 400, 'extra'],
  [
    'variables that are a text',
    () => buildRequest('{ __typename }', { variables: 'x' }),
    'invalid-request',
    400,
    'variables',
  ],
  ['variables in the URL', () => get('query={__typename}&variables=x'), 'invalid-request', 400, 'variables'],
  ['extensions', () => buildRequest('{ __typename }', { extensions: [] }), 'invalid-request', 400, 'extensions'],
  [
    'a name that is not a text',
    () => buildRequest('{ __typename }', { operationName: 5 }),
    'invalid-request',
    400,
    'operationName',
  ],
  ['a mutation by GET', () => get('query=mutation{deleteContact(input: { id: 1 }){id}}'), 'method-not-allowed', 405],
  ['another method', () => ({ method: 'PUT', body: '{}' }), 'method-not-allowed', 405],
  ['a long document', () => buildRequest(`{ ${'a'.repeat(20_000)} }`), 'query-too-large', 400],
  [
    'an expensive document',
    () => ({
      ...buildRequest(
        `{ ${Array.from({ length: 101 }, (_, index) => `a${index}: __typename b${index}: roles { id }`).join(' ')} }`,
      ),
      of: 'empty',
    }),
    'rate-limited',
    429,
  ],
  [
    'a bad key',
    () => ({
      ...buildRequest('mutation { deleteContact(input: { id: 1 }) { id: databaseId } }'),
      headers: { 'Idempotency-Key': 'ä' },
    }),
    'invalid-request',
    400,
    'header.Idempotency-Key',
  ],
];

/** A document that cannot be executed: 200 for application/json, by the draft of GraphQL over HTTP. */
export const ofDocuments: Case[] = [
  ['a syntax error', () => buildRequest('{\n  viewer {'), 'syntax-error', 400, '2:11'],
  ['a syntax error by GET', () => get('query={'), 'syntax-error', 400, '1:2'],
  ['an empty document', () => buildRequest(''), 'syntax-error', 400, '1:1'],
  ['an unknown field', () => buildRequest('{\n  nothing }'), 'invalid-document', 400, '2:3'],
  ['an unknown argument', () => buildRequest('{ roles(a: 1) { id: databaseId } }'), 'invalid-document', 400, '1:9'],
  ['a literal', () => buildRequest('{ contact(id: 1.5) { id: databaseId } }'), 'invalid-document', 400, '1:15'],
  ['an unknown subscription', () => buildRequest('subscription { x }'), 'invalid-document', 400, '1:16'],
  [
    'no such operation',
    () => buildRequest('{ __typename }', { operationName: 'A' }),
    'invalid-request',
    400,
    'operationName',
  ],
  [
    'one of two',
    () => buildRequest('query A { a: __typename } query B { b: __typename }'),
    'invalid-request',
    400,
    'operationName',
  ],
  [
    'a variable',
    () => buildRequest('query ($id: ID!) { contact(id: $id) { id: databaseId } }', { variables: { id: 1.5 } }),
    'invalid-request',
    400,
    'id',
  ],
  [
    'a variable that is missing',
    () => buildRequest('query ($id: ID!) { contact(id: $id) { id: databaseId } }'),
    'invalid-request',
    400,
    'id',
  ],
];
