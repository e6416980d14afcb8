// Cross-origin requests: which origins get the headers, on which answers, and preflights, which are free.
import { readdirSync, readFileSync } from 'node:fs';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { Database } from '../../src/database/database.ts';
import { generateSecret } from '../../src/database/secret.ts';
import { Admission } from '../../src/gate/admission.ts';
import { exposedHeaders, readHeaders } from '../../src/http/cors.ts';
import { createApp } from '../../src/server/app.ts';
import { type Door, openApp } from '../harness/app.ts';
import { drawSample } from '../harness/sizes.ts';

const page = 'https://app.example.org';
const other = 'https://evil.example.org';

let door: Door;
let closed: Door;
let open: Door;
let empty: Door;
beforeAll(async () => {
  door = await openApp({ CORS_ORIGINS: [page, 'http://localhost:5173'] });
  closed = await openApp();
  open = await openApp({ CORS_ORIGINS: ['*'] });
  empty = await openApp({ CORS_ORIGINS: [page], BUCKET_CAPACITY: 1, BUCKET_REFILL: 0.001 });
});

const unreachable = new Database('postgres://nobody@127.0.0.1:1/nothing');
afterAll(() => unreachable.close());
const cutOff = createApp({
  database: unreachable,
  config: { BUCKET_CAPACITY: 100, BUCKET_REFILL: 10, GRAPHIQL: false, CORS_ORIGINS: [page] },
  log: pino({ level: 'silent' }),
});

const send = (app: Door['app'], path: string, init: RequestInit = {}): Promise<Response> =>
  app.fetch(new Request(`http://muster.test${path}`, init));
const accessHeaders = ({ headers }: Response): string[] =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'));
const variesByOrigin = ({ headers }: Response): boolean => /\bOrigin\b/.test(headers.get('vary') ?? '');

describe('CORS_ORIGINS', () => {
  const read = (text: string) => readConfig({ CORS_ORIGINS: text }).CORS_ORIGINS;

  it('is a list of origins, empty by default', () => {
    expect(readConfig({}).CORS_ORIGINS).toEqual([]);
    expect(read(' https://app.example.org, http://localhost:5173 ,capacitor://localhost,http://[::1]:8080')).toEqual([
      'https://app.example.org',
      'http://localhost:5173',
      'capacitor://localhost',
      'http://[::1]:8080',
    ]);
    expect(read('*')).toEqual(['*']);
  });

  it.each([
    ['app.example.org', 'has no scheme'],
    ['//app.example.org', 'has no scheme'],
    ['https:app.example.org', 'has no scheme'],
    ['null', 'has no scheme'],
    ['https://app.example.org/', 'must not end with a slash; write https://app.example.org'],
    ['https://app.example.org/login', 'is no origin'],
    ['https://app.example.org?x', 'is no origin'],
    ['https://user@app.example.org', 'is no origin'],
    ['https://', 'is no origin'],
    ['https://app.example.org:99999', 'has no valid host or port'],
    ['https://App.example.org', 'must be written as browsers send it: https://app.example.org'],
    ['https://app.example.org:443', 'must be written as browsers send it: https://app.example.org'],
    ['https://bücher.example', 'must be written as browsers send it: https://xn--bcher-kva.example'],
    ['https://*.example.org', 'has a wildcard'],
    ['*', 'must stand alone'],
  ])('refuses %s, and names it', (entry, why) => {
    const start = () => read(`https://good.example.org,${entry}`);
    expect(start).toThrow(`CORS_ORIGINS cannot be used: ${entry} `);
    expect(start).toThrow(why);
  });
});

/** Requests, each with the status of its answer. */
const requests: [status: number, path: string, init: RequestInit, at?: 'empty' | 'cut off'][] = [
  [200, '/graphql', { method: 'POST', body: '{"query":"{ __typename }"}' }],
  [200, '/graphql?query={__typename}', {}],
  [200, '/graphql', { method: 'POST', body: '{"query":"{ nothing }"}' }],
  [400, '/graphql', { method: 'POST', body: '{' }],
  [401, '/graphql', { method: 'POST', body: '{}', headers: { Authorization: '' } }],
  [405, '/graphql', { method: 'PUT', body: '{}' }],
  [406, '/graphql?query={__typename}', { headers: { Accept: 'text/csv' } }],
  [413, '/graphql', { method: 'POST', body: 'x'.repeat(2_000_000) }],
  [415, '/graphql', { method: 'POST', body: '{}', headers: { 'Content-Type': 'text/plain' } }],
  [429, '/graphql', { method: 'POST', body: '{"query":"{ __typename }"}' }, 'empty'],
  [503, '/graphql', { method: 'POST', body: '{"query":"{ __typename }"}' }, 'cut off'],
  [200, '/contacts/1', {}],
  [304, '/contacts/1', { headers: { 'If-None-Match': '*' } }],
  [201, '/contacts/1/notes', { method: 'POST', body: '{"content":"From a page","pinned":false}' }],
  [200, '/export', { method: 'POST', body: '{"data":{"advanced_search":{}}}' }],
  [400, '/teams', { method: 'POST', body: '{' }],
  [401, '/teams', { headers: { Authorization: '' } }],
  [404, '/nothing', {}],
  [404, '/teams/987654321', {}],
  [405, '/teams', { method: 'PUT', body: '{}' }],
  [412, '/contacts/1', { method: 'PATCH', body: '{"data":{"surname":"New"}}', headers: { 'If-Match': '"99"' } }],
  [413, '/teams', { method: 'POST', body: 'x'.repeat(2_000_000) }],
  [429, '/teams', {}, 'empty'],
  [503, '/teams', {}, 'cut off'],
  [200, '/health/live', {}],
];

describe.each(drawSample(requests, { small: 8 }))('the %i of %s %j', (status, path, init, at) => {
  /** Asks the app of these requests, or another one. */
  const ask = async (origin: string | undefined, asked = at === 'empty' ? empty : door): Promise<Response> => {
    if (at === 'empty') await empty.rest('GET', '/teams');
    const bearer = at === 'cut off' ? generateSecret('token') : await asked.token(1, 1);
    const headers = { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json', ...init.headers };
    const app = at === 'cut off' ? cutOff : asked.app;
    const answer = await send(app, path, { ...init, headers: { ...headers, ...(origin && { Origin: origin }) } });
    // An export is under way until it is read.
    await answer.text();
    return answer;
  };

  it('can be read by an allowed origin', async () => {
    const answer = await ask(page);
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([status, page]);
    expect([variesByOrigin(answer), accessHeaders(answer)]).toEqual([
      true,
      ['access-control-allow-origin', 'access-control-expose-headers'],
    ]);
    const exposed = answer.headers.get('access-control-expose-headers')!.toLowerCase().split(', ');
    const readable = ['cache-control', 'content-language', 'content-length', 'content-type', ...exposed];
    /** Headers for the browser itself, which no page needs. */
    const silent =
      /^(access-control-.*|content-encoding|content-security-policy|cross-origin-.*|referrer-.*|vary|x-c.*)$/;
    expect([...answer.headers.keys()].filter((name) => !readable.includes(name) && !silent.test(name))).toEqual([]);
  });

  it('is the same without the headers for any other origin', async () => {
    for (const origin of [other, `${page}.evil.example`, 'null', undefined]) {
      const answer = await ask(origin);
      expect([answer.status, accessHeaders(answer), variesByOrigin(answer)]).toEqual([status, [], true]);
    }
  });

  // The other two apps have a database, and tokens in their buckets.
  if (at !== undefined) return;
  it('has the headers as the setting says', async () => {
    const without = await ask(page, closed);
    expect([without.status, accessHeaders(without), variesByOrigin(without)]).toEqual([status, [], false]);
    const everyone = await ask(other, open);
    expect([everyone.status, everyone.headers.get('access-control-allow-origin')]).toEqual([status, '*']);
    expect(variesByOrigin(everyone)).toBe(false);
  });
});

it('the headers that clients act upon are exposed', () => {
  for (const header of ['ETag', 'Retry-After', 'Idempotency-Replayed', 'X-Ratelimit-Remaining'])
    expect(exposedHeaders).toContain(header);
});

it('the page of GraphiQL still varies by Accept', async () => {
  const { headers } = await send(door.app, '/graphql', { headers: { Accept: 'text/html', Origin: page } });
  expect(headers.get('vary')).toBe('Accept, Origin');
});

describe('a preflight', () => {
  const preflight = (app: Door['app'], path: string, origin = page, more: Record<string, string> = {}) =>
    send(app, path, {
      method: 'OPTIONS',
      headers: { Origin: origin, 'Access-Control-Request-Method': 'POST', ...more },
    });

  it.each([
    ['/graphql', 'GET, POST'],
    ['/graphql/', 'GET, POST'],
    ['/graphql?query=%7B__typename%7D', 'GET, POST'],
    ['/teams', 'POST, PATCH, GET'],
    ['/contacts/1', 'GET, PATCH, DELETE'],
    ['/users/invitation', 'GET, POST'],
    ['/nothing', 'GET, POST, PATCH, DELETE'],
  ])('of %s allows %s', async (path, methods) => {
    const answer = await preflight(door.app, path);
    expect([answer.status, await answer.text()]).toEqual([204, '']);
    expect(answer.headers.get('access-control-allow-origin')).toBe(page);
    expect(answer.headers.get('access-control-allow-methods')).toBe(methods);
    expect(answer.headers.get('access-control-max-age')).toBe('7200');
    expect(answer.headers.get('vary')).toBe('Origin');
    expect(answer.headers.has('access-control-allow-credentials')).toBe(false);
    // A wildcard would not stand for Authorization.
    const headers = answer.headers.get('access-control-allow-headers')!.split(', ');
    expect(headers).toEqual(expect.arrayContaining([...readHeaders, 'Traceparent', 'Apollographql-Client-Name']));
  });

  it('costs nothing, needs neither token nor database, and waits for nothing', async () => {
    const acquire = vi.spyOn(Admission.prototype, 'acquireSlot');
    expect(await door.statements(() => preflight(door.app, '/graphql'))).toEqual([]);
    expect((await preflight(cutOff, '/teams')).status).toBe(204);
    expect(acquire).not.toHaveBeenCalled();
    await door.rest('GET', '/teams');
    expect(acquire).toHaveBeenCalledOnce();
    acquire.mockRestore();
  });

  it('is answered for every origin where every origin is allowed', async () => {
    const answer = await preflight(open.app, '/teams', other);
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    expect(answer.headers.get('access-control-allow-headers')).toContain('Authorization');
  });

  it('of another origin is any other OPTIONS, as is each without the setting', async () => {
    for (const [app, origin] of [
      [door.app, other],
      [closed.app, page],
    ] as const) {
      const rest = await preflight(app, '/teams', origin);
      expect([rest.status, rest.headers.get('allow'), accessHeaders(rest)]).toEqual([
        405,
        'POST, PATCH, GET, HEAD',
        [],
      ]);
      const graphql = await preflight(app, '/graphql', origin);
      expect([graphql.status, accessHeaders(graphql)]).toEqual([401, []]);
    }
  });

  it('is not what an OPTIONS without its headers is', async () => {
    const bearer = `Bearer ${await door.token(1, 1)}`;
    const init = { method: 'OPTIONS', headers: { Authorization: bearer, Origin: page } };
    expect((await send(door.app, '/teams', init)).status).toBe(405);
    const answer = await send(door.app, '/graphql', init);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
    const { Authorization, ...methodOnly } = { ...init.headers, 'Access-Control-Request-Method': 'GET' };
    const { Origin, ...anonymous } = methodOnly;
    expect((await send(door.app, '/teams', { method: 'OPTIONS', headers: anonymous })).status).toBe(405);
  });

  it('is logged without its path', async () => {
    const from = door.logged.length;
    await preflight(door.app, '/contacts/1');
    const lines = door.logged.slice(from).map((line) => JSON.parse(line));
    expect(lines.map(({ method, route, status }) => [method, route, status])).toEqual([['OPTIONS', 'preflight', 204]]);
  });

  it('allows every header that the doors read', () => {
    const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
      (path) => path.endsWith('.ts') && !/^(commands|move|jobs)\b|graphiql|serve-pages/.test(path),
    );
    const text = sources.map((path) => readFileSync(`src/${path}`, 'utf8')).join('\n');
    const read = [
      ...text.matchAll(
        /(?:headers|asked)\.get\('([\w-]+)'\)|(?:key|space)Header = '([\w-]+)'|\{ header: '([\w-]+)' \}/g,
      ),
    ]
      .flatMap(([, ...names]) => names.filter(Boolean))
      .map((name) => name!.toLowerCase());
    expect(read.length).toBeGreaterThan(8);
    /** Headers that browsers set themselves, or that have one allowed value only. */
    const own = /^(origin|access-control-.*|accept-encoding|content-length|content-encoding)$/;
    const allowed = readHeaders.map((name) => name.toLowerCase());
    const needed = new Set(read.filter((name) => !own.test(name)));
    expect([...needed].sort()).toEqual([...allowed].sort());
  });
});
