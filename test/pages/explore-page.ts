// The segment builder in a real browser, for tests: one server and one browser, a page with a token, and what a person sees on it.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Door, Json } from '../harness/app.ts';
import { cleanUpAfterFile } from '../harness/cleanup.ts';
import { connectBrowser } from '../harness/shared-browser.ts';

const servers: Server[] = [];
let browser: Browser | undefined;
cleanUpAfterFile(async () => {
  await browser?.close();
  browser = undefined;
  for (const server of servers.splice(0)) server.close();
});

/** Serves an app on a port, and returns its origin. */
export const serveApp = async (door: Door): Promise<string> => {
  const server = serve({ fetch: (request) => door.app.fetch(request), port: 0, hostname: '127.0.0.1' }) as Server;
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

export interface Seen {
  page: Page;
  context: BrowserContext;
  /** Addresses that were requested, and what the console said: refused requests apart, which every browser reports. */
  requested: string[];
  complaints: string[];
}

export const openContext = async (options: Json = {}): Promise<Seen> => {
  browser ??= await connectBrowser();
  const context = await browser.newContext({
    viewport: { width: 1320, height: 900 },
    locale: 'en-GB',
    colorScheme: 'light',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  const [requested, complaints]: [string[], string[]] = [[], []];
  context.on('request', (request) => requested.push(request.url()));
  context.on('weberror', (error) => complaints.push(String(error.error())));
  context.on('console', (message) => {
    if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text());
  });
  return { page: await context.newPage(), context, requested, complaints };
};

/** Looks at the page in light and dark, wide and narrow. */
export const lookAround = async (page: Page, look: (as: string) => Promise<void>): Promise<void> => {
  for (const [colorScheme, width] of [
    ['light', 1320],
    ['dark', 360],
    ['dark', 1320],
    ['light', 360],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    await look(`${colorScheme} ${width}`);
  }
};

/** How many people the page counts, once it has counted the segment as it is. */
export const readCount = async (page: Page): Promise<number> => {
  await page.locator('.total[data-counting="false"] strong').waitFor();
  return Number((await page.locator('.total strong').textContent())!.replace(/\D/g, ''));
};

/** Waits until the page counts as many. */
export const waitForCount = (page: Page, total: number): Promise<void> =>
  expect.poll(() => readCount(page), { timeout: 8000 }).toBe(total);

/** Waits for the charts, which come last. */
export const waitForCharts = async (page: Page, total: number): Promise<void> => {
  await waitForCount(page, total);
  await page.locator('.cost strong').first().waitFor();
  await page.locator('.chart').nth(3).waitFor();
  await page.locator('.stale').first().waitFor({ state: 'detached' });
};

/** The fragment that holds a query, as the page writes it. */
export const encodeQuery = (page: Page, query: Json): Promise<string> =>
  page.evaluate(async (text) => {
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
    const packed = String.fromCharCode(...new Uint8Array(await new Response(stream).arrayBuffer()));
    return `query=1.${btoa(packed).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')}`;
  }, JSON.stringify(query));

/**
 * The builder on the demo space, as user 1 of space 1 unless a test says otherwise. A file that copies launches a browser of its own: all contexts of one
 * share its clipboard.
 */
export const openBuilderTests = async (door: Door, openBrowser = connectBrowser) => {
  browser = await openBrowser();
  const origin = await serveApp(door);
  const token = await door.token(1, 1);
  return {
    origin,
    token,
    /** The people that the API finds. */
    async find(query: Json): Promise<{ total: number; ids: string[] }> {
      const document =
        'query ($query: ContactQuery) { searchContacts(first: 1000, query: $query) { totalCount nodes { id } } }';
      const { totalCount, nodes } = (await door.graphql(document, { query })).body.data.searchContacts;
      return { total: totalCount, ids: nodes.map(({ id }: Json) => id) };
    },
    async openBuilder(options: Json = {}, as = token, at = origin): Promise<Seen> {
      const seen = await openContext(options);
      await seen.page.goto(`${at}/explore#token=${as}`);
      await seen.page.locator('.group.root').waitFor();
      return seen;
    },
  };
};

/** Shows a query in the builder, as a link to it does. */
export const showQuery = async (page: Page, query: Json): Promise<void> => {
  const fragment = await encodeQuery(page, query);
  await page.evaluate((hash) => {
    location.hash = hash;
  }, fragment);
};

export const women = { gender: { equals: 'F' } };
export const someQuery = {
  and: [
    women,
    { birthDate: { gte: 'now-60y' } },
    { or: [{ tags: { in: ['Bénévole', 'Sympathisant'] } }, { donations: { total: { gte: 5000 } } }] },
  ],
};
