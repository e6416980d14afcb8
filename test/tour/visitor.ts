// A visitor with a browser: opens pages as a stranger would, and notes what the console says, what leaves the server, which links there are, and what axe finds.
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { findBarriers } from '../harness/barriers.ts';
import { launchBrowser } from '../harness/browser.ts';

type ColorScheme = 'light' | 'dark';

export interface Visitor {
  page: Page;
  /** Opens a page, and waits until it shows what the selector names. */
  open(address: string, selector: string): Promise<void>;
  /**
   * Fails with what axe finds on the open page, by default light and dark. `known` has the rules that the page breaks, each with the
   * reason; it fails too when one of them is no longer broken.
   */
  requireNoBarriers(schemes?: readonly ColorScheme[], known?: Readonly<Record<string, string>>): Promise<void>;
  /** The addresses that the open page links to. */
  listLinks(): Promise<string[]>;
  /** Fails with what went wrong so far: words on the console, errors, requests to other servers. */
  requireSilence(): void;
  leave(): Promise<void>;
}

let browser: Promise<Browser> | undefined;

export const closeBrowser = async (): Promise<void> => (await browser)?.close();

/** `origins` are those that pages may ask; each context has its own storage, as a private window has. */
export const createVisitor = async (origins: string[]): Promise<Visitor> => {
  browser ??= launchBrowser();
  const context: BrowserContext = await (await browser).newContext({
    viewport: { width: 1320, height: 900 },
    locale: 'en-GB',
    colorScheme: 'light',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  context.on('request', (request) => {
    const url = new URL(request.url());
    const isOurs = origins.includes(url.origin) || url.protocol === 'data:' || url.protocol === 'blob:';
    if (!isOurs) complaints.push(`a request to ${request.url()}`);
  });
  context.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} for ${response.url()}`);
  });
  context.on('weberror', (error) => complaints.push(`an error: ${error.error()}`));
  context.on('console', (message) => complaints.push(`on the console: ${message.text()}`));
  const page = await context.newPage();
  return {
    page,
    async open(address, selector) {
      const response = await page.goto(address);
      if (response && response.status() !== 200) throw new Error(`${address} answers ${response.status()}`);
      await page.locator(selector).first().waitFor();
    },
    async requireNoBarriers(schemes = ['light', 'dark'], known = {}) {
      const outdated = new Set(Object.keys(known));
      for (const colorScheme of schemes) {
        await page.emulateMedia({ colorScheme });
        const barriers = (await findBarriers(page)).filter((barrier) => {
          const rule = barrier.slice(0, barrier.indexOf(':'));
          outdated.delete(rule);
          return !(rule in known);
        });
        if (barriers.length > 0) throw new Error(`${page.url()}, ${colorScheme}: axe finds ${barriers.join('\n')}`);
      }
      await page.emulateMedia({ colorScheme: 'light' });
      if (outdated.size > 0) throw new Error(`${page.url()} no longer breaks the rules ${[...outdated].join(', ')}`);
    },
    listLinks: () =>
      page.evaluate(() => [...document.querySelectorAll<HTMLAnchorElement>('a[href]')].map(({ href }) => href)),
    requireSilence() {
      if (complaints.length > 0) throw new Error(complaints.splice(0).join('\n'));
    },
    leave: () => context.close(),
  };
};
