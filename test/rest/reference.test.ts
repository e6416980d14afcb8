// The OpenAPI document and the reference at /docs: over HTTP, and in a real browser, where the page is accessible, silent, alone, and its examples run.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { serve } from '@hono/node-server';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Door, openApp } from '../harness/app.ts';
import { findBarriers } from '../harness/barriers.ts';
import { hasBrowser } from '../harness/browser.ts';
import { openapi } from '../harness/openapi.ts';
import { connectBrowser } from '../harness/shared-browser.ts';

const app = 'https://app.example.org';
let door: Door;
beforeAll(async () => {
  door = await openApp({ CORS_ORIGINS: [app] });
});

const get = (path: string, headers: Record<string, string> = {}, on = door, method = 'GET'): Promise<Response> =>
  on.app.fetch(new Request(`http://muster.test${path}`, { method, headers }));

describe('over HTTP', () => {
  it('the document needs no token and no database, and is compressed, compared and open to allowed origins', async () => {
    let plain!: Response;
    const statements = await door.statements(async () => {
      plain = await get('/openapi.json', { Origin: app });
    });
    expect(statements).toEqual([]);
    expect([plain.status, plain.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(plain.headers.get('access-control-allow-origin')).toBe(app);
    const text = await plain.text();
    expect(JSON.parse(text)).toEqual(openapi);
    const packed = await get('/openapi.json/', { 'Accept-Encoding': 'gzip' });
    const bytes = Buffer.from(await packed.arrayBuffer());
    expect(bytes.length).toBeLessThan(30_000);
    expect(gunzipSync(bytes).toString()).toBe(text);
    const again = await get('/openapi.json', { 'If-None-Match': plain.headers.get('etag')! });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const written = await get('/openapi.json', {}, door, 'POST');
    expect([written.status, written.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('the page is small, loads only our own files, and runs nothing that is inline', async () => {
    const page = await get('/docs');
    const html = await page.text();
    expect(html.length).toBeLessThan(1_000);
    const policy = page.headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).not.toContain('unsafe');
    const paths = [...html.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map(([, path]) => path!);
    expect(paths).toHaveLength(4);
    const sizes = await Promise.all(
      paths.map(async (path) => {
        const asset = await get(path);
        expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
        return (await asset.arrayBuffer()).byteLength;
      }),
    );
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(520_000);
    expect((await get('/docs', { 'If-None-Match': page.headers.get('etag')! })).status).toBe(304);
    expect((await get('/docs/assets/nothing.js')).status).toBe(404);
  });

  it('DOCS=false switches off the page, and not the document', async () => {
    const without = await openApp({ DOCS: false }, undefined, door);
    expect((await get('/docs', {}, without)).status).toBe(404);
    expect((await get('/openapi.json', {}, without)).status).toBe(200);
  });
});

describe.skipIf(!hasBrowser)('in a browser', { timeout: 60_000 }, () => {
  let server: Server;
  let origin: string;
  let browser: Browser;
  let page: Page;
  let token: string;
  const requested: string[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    token = await door.token(1, 1);
    server = serve({ fetch: (request) => door.app.fetch(request), port: 0, hostname: '127.0.0.1' }) as Server;
    await new Promise((resolve) => server.once('listening', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await connectBrowser();
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
    context.on('request', (request) => requested.push(request.url()));
    context.on('weberror', (error) => complaints.push(String(error.error())));
    context.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page = await context.newPage();
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  it('it has no barriers, and sends a prefilled search and a change, which are answered', async () => {
    await page.goto(`${origin}/docs#token=${token}`);
    await page.locator('#operations-Search-search').waitFor();
    expect(page.url()).toBe(`${origin}/docs`);
    const send = async (id: string): Promise<void> => {
      const operation = page.locator(`#operations-${id}`);
      await operation.locator('.opblock-summary-control').click();
      await operation.locator('.execute').click();
      const answered = operation.locator('.live-responses-table tbody .response-col_status').first();
      await answered.waitFor();
      expect([id, (await answered.textContent())?.trim()]).toEqual([id, '200']);
    };
    await send('Search-search');
    await send('Contacts-updateContact');
    expect(await findBarriers(page)).toEqual([]);
    const stored = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    );
    expect(stored).not.toContain(token);
    await page.reload();
    await page.locator('#operations-Search-search').waitFor();
    expect(await page.content()).not.toContain(token);
    expect(complaints).toEqual([]);
    expect(requested.filter((url) => !url.startsWith(origin))).toEqual([]);
  });
});
