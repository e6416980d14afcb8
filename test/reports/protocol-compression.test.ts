// Long answers are compressed for clients that accept it, over a socket as in memory, and no answer with a secret ever is.
import { once } from 'node:events';
import { request as sendRequest } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { type RunningServer, startServer } from '../../src/server/server.ts';
import { openLog } from '../../src/telemetry/log.ts';
import { type Door, openApp } from '../harness/app.ts';
import { cleanUpAfterFile } from '../harness/cleanup.ts';

let door: Door;
let token: string;
let server: RunningServer;
beforeAll(async () => {
  door = await openApp();
  token = await door.token(1, 1);
  const config = readConfig({ PORT: '0', BUCKET_CAPACITY: '100000', BUCKET_REFILL: '100000', DRAIN_SECONDS: '1' });
  server = await startServer(config, door.databaseUrl, openLog('silent').log);
});
cleanUpAfterFile(() => server.stop());

/** The answer as it comes over the socket. */
const ask = async (
  method: string,
  path: string,
  encoding: string | undefined,
  body?: unknown,
  more: Record<string, string> = {},
) => {
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    ...(encoding !== undefined && { 'Accept-Encoding': encoding }),
    ...more,
  };
  const request = sendRequest(`${server.url}${path === '*' ? '/' : path}`, {
    method,
    headers,
    ...(path === '*' && { path }),
  });
  request.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = await once(request, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const sent = bytes.length > 0 ? response.headers['content-encoding'] : undefined;
  const text = (sent === 'br' ? brotliDecompressSync(bytes) : sent === 'gzip' ? gunzipSync(bytes) : bytes).toString();
  return { status: response.statusCode, headers: response.headers, bytes, text };
};

const search = { data: { advanced_search: { per_page: 500 } } };
const listQuery = { query: '{ contacts(first: 200) { nodes { id firstName lastName email phone createdAt } } }' };
const long: [string, string, unknown][] = [
  ['POST', '/search', search],
  ['POST', '/graphql', listQuery],
  ['GET', `/graphql?query=${encodeURIComponent(listQuery.query)}`, undefined],
  ['GET', '/users', undefined],
  ['POST', '/graphql', { query: '{ __schema { types { name description fields { name description } } } }' }],
];

describe.each(long)('%s %s', (method, path, body) => {
  it.each([
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br', 'gzip'],
    ['gzip;q=0.5, br', 'br'],
    ['br;q=0, *', 'gzip'],
  ])('is sent for %j as %s, with the same content', async (accept, encoding) => {
    const plain = await ask(method, path, undefined, body);
    const answer = await ask(method, path, accept, body);
    expect([answer.status, answer.headers['content-encoding']]).toEqual([200, encoding]);
    expect(answer.headers.vary).toContain('Accept-Encoding');
    expect(Number(answer.headers['content-length'])).toBe(answer.bytes.length);
    expect(answer.text).toBe(plain.text);
    expect(answer.bytes.length).toBeLessThan(plain.bytes.length / 2);
  });

  it.each([
    undefined,
    '',
    'identity',
    'deflate',
    'gzip;q=0',
    'identity, gzip;q=0.1',
  ])('is sent as it is for %j', async (accept) => {
    const { headers, text } = await ask(method, path, accept, body);
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, 'Accept-Encoding']);
    expect(() => JSON.parse(text)).not.toThrow();
  });
});

it('a short answer is not compressed', async () => {
  for (const path of ['/roles', '/health/live', '/graphql?query={__typename}'])
    expect((await ask('GET', path, 'gzip, br')).headers['content-encoding']).toBeUndefined();
});

it('the tag of a long record that was compressed is known, and allows to change it', async () => {
  const notes = 'x '.repeat(5000);
  const made = await door.rest('POST', '/contacts', { data: { contact: { surname: 'Long', notes } } });
  const path = `/contacts/${made.body.data.contact.id}`;
  const { headers } = await ask('GET', path, 'br');
  expect([headers['content-encoding'], headers.etag]).toEqual(['br', '"1"']);
  const tag = headers.etag!;
  expect((await ask('GET', path, 'br', undefined, { 'If-None-Match': tag })).status).toBe(304);
  expect((await ask('GET', path, 'gzip', undefined, { 'If-Match': tag })).status).toBe(200);
  const head = await ask('HEAD', path, 'gzip');
  expect([head.headers.etag, head.headers['content-encoding'], head.bytes.length]).toEqual([tag, 'gzip', 0]);
  expect((await ask('PATCH', path, 'br', { data: { surname: 'Changed' } }, { 'If-Match': tag })).status).toBe(200);
});

it('an answer with a secret is not compressed, however long it is', async () => {
  const labels = Array.from({ length: 9 }, (_, at) => `a${at}: accessToken { label }`).join(' ');
  const { headers, text } = await ask('POST', '/graphql', 'gzip, br', {
    query: `mutation { createToken(input: { label: "${'x'.repeat(250)}", scope: READ }) { secret: token ${labels} } }`,
  });
  expect(JSON.parse(text).data.createToken.secret).toMatch(/[\w-]{20}/);
  expect(headers['content-encoding']).toBeUndefined();
  const invitations = Array.from({ length: 90 }, (_, at) => ({ email: `secret-${at}@example.org` }));
  const invited = await ask('POST', '/graphql', 'gzip, br', {
    query:
      'mutation ($invitations: [InvitationInput!]!) { inviteUsers(input: { invitations: $invitations }) { secrets { secret invitationId: __typename } invitations { id email } } }',
    variables: { invitations },
  });
  expect([invited.headers['content-encoding'], invited.bytes.length > 4096]).toEqual([undefined, true]);
});

it('many long answers that are compressed leave the event loop to others', async () => {
  const many = Promise.all(Array.from({ length: 20 }, () => ask('POST', '/search', 'br', search)));
  expect((await ask('GET', '/health/live', undefined)).status).toBe(200);
  expect((await many).every(({ status }) => status === 200)).toBe(true);
});

it.each([
  ['text/csv', 'contacts.csv'],
  ['application/x-ndjson', 'contacts.ndjson'],
])('an export as %s is a file, %s', async (accept, name) => {
  const { headers } = await ask('POST', '/export', 'gzip', search, { Accept: accept });
  expect([headers['content-disposition'], headers['content-encoding']]).toEqual([
    `attachment; filename="${name}"`,
    'gzip',
  ]);
});

it('the server as a whole says what it can be asked for', async () => {
  const { status, headers } = await ask('OPTIONS', '*', undefined);
  expect([status, headers.allow]).toEqual([204, 'GET, HEAD, POST, PATCH, DELETE, OPTIONS']);
});
