// The pages over HTTP: open to anybody, in the language that the browser wants, with a strict policy and assets that never change; and off when an operator says so.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, it } from 'vitest';
import { renderFrontPage } from '../../packages/pages/front-page.ts';
import { chooseLanguage } from '../../src/server/serve-pages.ts';
import { type Door, openApp } from '../harness/app.ts';

const docs = readFileSync(new URL('../../docs/explore.md', import.meta.url), 'utf8');
let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const get = (path: string, headers: Record<string, string> = {}, method = 'GET', of = door): Promise<Response> =>
  of.app.fetch(
    new Request(`http://muster.test${path}`, { method, headers: { Accept: 'text/html,*/*;q=0.8', ...headers } }),
  );

const listAddresses = (html: string): string[] =>
  [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!);

it.each([
  '/',
  '/explore',
  '/explore/',
])('%s needs no token, loads only our own files, and has a strict policy', async (path) => {
  const statements = await door.statements(async () => {
    const response = await get(path);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = response.headers.get('content-security-policy')!;
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';/);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const html = await response.text();
    expect(html).not.toMatch(/<style|<script(?![^>]* src=)|\sstyle=|\son\w+=/);
    for (const address of listAddresses(html)) expect(address).toMatch(/^([/?](?!\/)|data:image\/svg)/);
    expect(html.length).toBeLessThan(6000);
  });
  expect(statements).toEqual([]);
});

it('the front page leads to what is switched on', async () => {
  const html = await (await get('/')).text();
  expect(listAddresses(html)).toContain('/graphql');
  const other = await openApp({ GRAPHIQL: false }, undefined, door);
  const without = await (await get('/', {}, 'GET', other)).text();
  expect(listAddresses(without)).not.toContain('/graphql');
  const paths = { script: '', style: '' };
  expect(renderFrontPage('fr', paths, { graphiql: false, docs: true })).toContain('href="/docs"');
  expect(renderFrontPage('fr', paths, { graphiql: false })).not.toContain('href="/docs"');
});

it.each([
  [{ 'Accept-Language': 'fr-CH, en;q=0.5' }, '', 'fr'],
  [{ 'Accept-Language': 'de, en;q=0.5, fr;q=0.8' }, '', 'fr'],
  [{ 'Accept-Language': 'de' }, '', 'en'],
  [{}, '', 'en'],
  [{ 'Accept-Language': 'fr' }, '?lang=en', 'en'],
  [{ 'Accept-Language': 'fr' }, '?lang=%3Cscript%3E', 'fr'],
] as [Record<string, string>, string, string][])('to %j with %j is in %s', async (headers, search, language) => {
  for (const path of ['/', '/explore']) {
    const response = await get(`${path}${search}`, headers);
    expect(response.headers.get('content-language')).toBe(language);
    expect(response.headers.get('vary')).toBe('Accept, Accept-Language');
    expect(await response.text()).toContain(`<html lang="${language}">`);
  }
});

it('a weight of zero, and nonsense, choose no language', () => {
  expect(chooseLanguage(null, 'fr;q=0')).toBe('en');
  expect(chooseLanguage(null, ';;;q=,,=')).toBe('en');
});

it('is answered 304 to whoever has the page in that language, with its policy', async () => {
  const { headers } = await get('/explore');
  const again = await get('/explore', { 'If-None-Match': headers.get('etag')! });
  expect([again.status, again.headers.get('content-security-policy')]).toEqual([
    304,
    headers.get('content-security-policy'),
  ]);
  expect((await get('/explore?lang=fr', { 'If-None-Match': headers.get('etag')! })).status).toBe(200);
});

it('serves assets as immutable, compressed as stored, whatever the client accepts, and small', async () => {
  const paths = listAddresses(await (await get('/explore')).text()).filter((path) =>
    path.startsWith('/explore/assets/'),
  );
  expect(paths.map((path) => path.replace(/-\w{8}/, '-HASH'))).toEqual([
    '/explore/assets/site-HASH.css',
    '/explore/assets/explore-HASH.js',
  ]);
  for (const path of paths) {
    const { status, headers } = await get(path, { 'Accept-Encoding': 'br', Accept: '*/*' });
    expect([status, headers.get('content-encoding'), headers.get('cache-control')]).toEqual([
      200,
      'gzip',
      'public, max-age=31536000, immutable',
    ]);
    const packed = Buffer.from(await (await get(path)).arrayBuffer());
    expect(gunzipSync(packed).length).toBeGreaterThan(5000);
    // A page that is not small any more should be a decision: the docs say how large it is.
    const [, kilobytes] = (path.endsWith('.css') ? /style \((\d+) kB\)/ : /script \((\d+) kB compressed\)/).exec(docs)!;
    expect(packed.length).toBeLessThan(Number(kilobytes) * 1000);
    expect(packed.length).toBeGreaterThan(Number(kilobytes) * 1000 - 2000);
  }
  expect((await get('/explore/assets/nothing.js')).status).toBe(404);
  expect((await get('/explore/assets/../../package.json')).status).toBe(404);
});

it('refuses other methods, and leaves clients that want no page to the API', async () => {
  expect((await get('/explore', { Accept: 'application/json, text/plain' })).status).toBe(404);
  expect((await get('/', {}, 'POST')).status).toBe(405);
  expect((await get('/', {}, 'HEAD')).status).toBe(200);
  expect((await get('/explore/other')).status).toBe(404);
});

it('the front page tells programs where to go', async () => {
  for (const headers of [{ Accept: 'application/json' }, { Accept: 'application/json, text/html;q=0.5' }] as const) {
    const response = await get('/', headers);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(response.headers.get('vary')).toMatch(/^Accept\b/);
    const { name, links } = (await response.json()) as { name: string; links: Record<string, string> };
    expect([name, links.graphql]).toEqual(['Muster', '/graphql']);
    for (const [link, path] of Object.entries(links))
      if (link !== 'graphql') expect([path, (await get(path, { Accept: '*/*' })).status]).toEqual([path, 200]);
  }
  for (const path of ['/', '/explore'])
    expect((await get(path, { Accept: '*/*' })).headers.get('content-type')).toBe('text/html; charset=utf-8');
});

it('is 404 when it is switched off', async () => {
  const off = await openApp({ EXPLORE: false }, undefined, door);
  for (const path of ['/', '/explore']) expect((await get(path, {}, 'GET', off)).status).toBe(404);
});
