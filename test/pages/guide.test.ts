// The guide: what it serves over HTTP, its list of pages, the links and anchors of every page, and its search in a browser.
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildGuide, resolveTarget, type SiteFile } from '../../packages/pages/guide/build.ts';
import {
  entryFiles,
  guidePath,
  isGuideFile,
  locatePage,
  modelIndexPath,
  schemaPath,
  wholeGuidePath,
} from '../../packages/pages/guide/contents.ts';
import { listSections, renderMarkdown } from '../../packages/pages/guide/markdown.ts';
import { type Door, openApp } from '../harness/app.ts';
import { hasBrowser } from '../harness/browser.ts';
import { connectBrowser } from '../harness/shared-browser.ts';

let door: Door;
let files: SiteFile[];
const pages = new Map<string, string>();

const get = (path: string, headers: Record<string, string> = {}, method = 'GET', to = door): Promise<Response> =>
  to.app.fetch(new Request(`http://muster.test${path}`, { method, headers }));

beforeAll(async () => {
  door = await openApp();
  files = await buildGuide('.');
  for (const { path, type } of files) if (type.startsWith('text/html')) pages.set(path, await (await get(path)).text());
});

describe('the guide', () => {
  it('has every page of docs/', () => {
    const inDocs = readdirSync('docs', { recursive: true }).map((name) => `docs/${name}`);
    const markdown = inDocs.filter((file) => file.endsWith('.md'));
    expect(markdown.filter((file) => !isGuideFile(file))).toEqual([]);
    expect(markdown.filter((file) => !pages.has(locatePage(file)))).toEqual([]);
    expect(new Set(entryFiles).size).toBe(entryFiles.length);
  });

  it('lists every page of its parts on each page', () => {
    const listed = entryFiles.map(locatePage).filter((path) => pages.has(path));
    for (const [path, html] of pages)
      expect([path, listed.filter((other) => !html.includes(`href="${other}"`))]).toEqual([path, []]);
  });

  it('is one Markdown text too, and an index for language models whose links lead somewhere', async () => {
    const whole = await get(wholeGuidePath);
    const text = await whole.text();
    expect([whole.status, whole.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
    for (const file of ['README.md', ...entryFiles])
      if (existsSync(file) && isGuideFile(file)) expect(text).toContain(`<!-- ${file} -->`);
    const index = await get(modelIndexPath);
    expect([index.status, index.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    const links = [...(await index.text()).matchAll(/\]\((.+?)\)/g)].map(([, path]) => path!);
    expect(links.length).toBeGreaterThan(20);
    for (const path of links) expect([path, (await get(path)).status]).toEqual([path, path === schemaPath ? 401 : 200]);
  });

  it('is off with DOCS=false, also as one text', async () => {
    const off = await openApp({ DOCS: false }, undefined, door);
    for (const path of [guidePath, wholeGuidePath, modelIndexPath])
      expect([path, (await get(path, {}, 'GET', off)).status]).toEqual([path, 404]);
  });

  it('leads only to pages, anchors and files that exist', () => {
    const outside = ['/', '/graphql', '/docs', '/openapi.json'];
    const assets = new Set(files.map(({ path }) => path));
    const isThere = (from: string, target: string): boolean => {
      if (/^https?:\/\/[\w.-]+\.\w+(\/\S*)?$/.test(target)) return true;
      const [path, anchor] = target.split('#');
      const html = pages.get(path || from);
      if (anchor !== undefined) return html?.includes(`id="${decodeURIComponent(anchor)}"`) ?? false;
      return outside.includes(path!) || assets.has(path!);
    };
    const broken = [...pages].flatMap(([path, html]) =>
      [...html.matchAll(/ (?:href|src|data-index)="([^"]*)"/g)]
        .map(([, target]) => target!)
        .filter((target) => !target.startsWith('data:') && !isThere(path, target))
        .map((target) => `${path} → ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it('loads nothing from elsewhere, and nothing inline', () => {
    for (const [path, html] of pages) {
      const loaded = [...html.matchAll(/<(?:link|script|img)[^>]*(?:href|src)="([^"]*)"/g)].map(([, from]) => from!);
      expect([path, loaded.filter((from) => !from.startsWith(guidePath) && !from.startsWith('data:'))]).toEqual([
        path,
        [],
      ]);
      expect(html).not.toMatch(/<script(?![^>]* src=)|<style| style="| on\w+="/);
    }
  });

  it('is sent compressed, compared by its version, and to GET and HEAD alone', async () => {
    const response = await get(`${guidePath}/graphql`, { 'Accept-Encoding': 'gzip' });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    const tag = response.headers.get('etag')!;
    expect((await get(`${guidePath}/graphql`, { 'If-None-Match': tag })).status).toBe(304);
    expect((await get(`${guidePath}/graphql`, {}, 'HEAD')).status).toBe(200);
    const refused = await get(`${guidePath}/graphql`, {}, 'POST');
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect((await get(`${guidePath}/nothing`)).status).toBe(404);
    expect((await get(`${guidePath}/../../package.json`)).status).toBe(404);
    const [style] = files.filter(({ path }) => path.endsWith('.css'));
    expect((await get(style!.path)).headers.get('cache-control')).toContain('immutable');
  });
});

describe('Markdown', () => {
  const known = ['docs/a.md', 'docs/errors.md', 'docs/decisions.md', 'ARCHITECTURE.md'];

  it('has links of the site, and the text of a link to a source', () => {
    const resolve = (target: string) => resolveTarget('docs/b.md', target, known);
    expect(resolve('a.md#part')).toBe('/docs/guide/a#part');
    expect(resolve('decisions/')).toBe('/docs/guide/decisions');
    expect(resolve('../ARCHITECTURE.md')).toBe('/docs/guide/architecture');
    expect(resolve('../openapi.json')).toBe('/openapi.json');
    expect(resolve('../src/server/app.ts')).toBeUndefined();
    expect(resolve('https://example.org/x')).toBe('https://example.org/x');
    expect(renderMarkdown('# T\n\n[app](../src/server/app.ts)', resolve).html).toContain('<p>app</p>');
  });

  it('becomes HTML without a way in for markup', () => {
    const { html } = renderMarkdown(
      '# A `<b>`\n\n<script>alert(1)</script>\n\n| a<b |\n| --- |\n| `"` |\n',
      () => undefined,
    );
    expect(html).not.toMatch(/<script|<b>/);
    expect(html).toContain('&lt;script&gt;');
  });

  it('has the anchors of GitHub', () => {
    const sections = listSections("# Über `muster setup` & Co.\n## Part\n## Part\n## What it's for: 1, 2\n");
    expect(sections.map(({ anchor }) => anchor)).toEqual([
      'über-muster-setup--co',
      'part',
      'part-1',
      'what-its-for-1-2',
    ]);
  });
});

describe('in a browser', { timeout: 60_000 }, () => {
  it.skipIf(!hasBrowser)('is searched by keyboard, and fits a narrow screen', async () => {
    const server = createServer(async (request, response) => {
      const answer = await get(request.url!).catch(() => new Response(null, { status: 500 }));
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const browser = await connectBrowser();
    try {
      const page = await browser.newPage({ viewport: { width: 1300, height: 900 } });
      const complaints: string[] = [];
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(String(error)));
      await page.goto(origin + guidePath);
      const matches = page.locator('.matches');
      expect([await matches.count(), await matches.isVisible()]).toEqual([1, false]);
      await page.keyboard.press('/');
      await page.keyboard.type('idempotncy key');
      const found = matches.locator('a');
      await expect.poll(() => found.count(), { timeout: 10_000 }).toBeGreaterThan(2);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/docs\/guide\/.+/);
      expect(complaints).toEqual([]);
      for (const path of ['', '/rest', '/errors/conflict', '/benchmarks']) {
        await page.goto(origin + guidePath + path);
        for (const width of [640, 360]) {
          await page.setViewportSize({ width, height: 800 });
          expect([path, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([path, width]);
        }
      }
    } finally {
      await browser.close();
      server.close();
    }
  });
});
