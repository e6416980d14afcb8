// GraphiQL: the files that HTTP serves, its examples, and the page in a real browser, which requests nothing from other hosts.
import { execFile } from 'node:child_process';
import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { serve } from '@hono/node-server';
import { parse, validate } from 'graphql';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { schema } from '../../schema/index.ts';
import { locatePackageFile } from '../../src/database/package-file.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { findBarriers } from '../harness/barriers.ts';
import { hasBrowser, launchBrowser } from '../harness/browser.ts';
import { createFolder } from '../harness/folders.ts';
import { isSmall } from '../harness/sizes.ts';

interface Example {
  title: string;
  query: string;
  variables?: string;
}

const { readExamples } = await import(locatePackageFile('packages/pages/build.js').href);
const examples: Example[] = readExamples();
const nameOf = ({ query }: Example): string => /^(?:query|mutation) (\w+)/m.exec(query)![1]!;
const names = examples.map(nameOf);

let door: Door;
let token: string;

beforeAll(async () => {
  door = await openApp();
  token = await door.token(1, 1);
});

const get = (path: string, headers: Record<string, string>): Promise<Response> =>
  door.app.fetch(new Request(`http://muster.test${path}`, { headers }));

const openPage = (headers: Record<string, string> = {}): Promise<Response> =>
  get('/graphql', { Accept: 'text/html,*/*;q=0.8', ...headers });

describe('the examples', () => {
  it.each(examples)('are valid: $title', ({ query }) => {
    expect(validate(schema, parse(query))).toEqual([]);
  });

  // The demo was not imported.
  it.each(examples)('run on the demo space, and find something: $title', async ({ query, variables }) => {
    const { body } = await door.graphql(query, variables && JSON.parse(variables));
    expect(body.errors).toBeUndefined();
    for (const value of Object.values<Json>(body.data)) {
      expect(value).not.toBeNull();
      const found = value.nodes ?? value;
      if (Array.isArray(found) && !query.includes('query Imports')) expect(found).not.toHaveLength(0);
    }
  });

  it('say in their first line what they do, have a name of their own, and no file beside them is left over', () => {
    for (const { title, query } of examples)
      expect([query.startsWith(`# ${title}\n`), title]).toEqual([true, expect.stringMatching(/^[A-Z].+\.$/)]);
    expect(new Set(names).size).toBe(names.length);
    const files = readdirSync('docs/examples').map((file) => file.replace(/\.(graphql|json)$/, ''));
    expect(new Set(files).size).toBe(examples.length);
  });
});

describe('over HTTP', () => {
  it('serves a small page that only loads our own files', async () => {
    const response = await openPage();
    const html = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self';");
    expect(html.length).toBeLessThan(4_000);
    for (const [, address] of html.matchAll(/(?:src|href)="([^"]+)"/g)) expect(address).toMatch(/^(\/graphql\/|data:)/);
  });

  it('answers 304 when the client has the page, with the policy of the page', async () => {
    const { headers } = await openPage();
    const again = await openPage({ 'If-None-Match': headers.get('etag')! });
    expect(again.status).toBe(304);
    expect(again.headers.get('content-security-policy')).toBe(headers.get('content-security-policy'));
  });

  it('serves each asset as immutable, compressed as stored, whatever the client accepts', async () => {
    const html = await (await openPage()).text();
    const paths = [...html.matchAll(/"(\/graphql\/assets\/[^"]+)"/g)].map(([, path]) => path!);
    expect(paths).toHaveLength(3);
    for (const path of paths) {
      for (const encoding of ['gzip, deflate, br', 'br, gzip;q=0']) {
        const { headers, status } = await get(path, { 'Accept-Encoding': encoding });
        expect([status, headers.get('content-encoding')]).toEqual([200, 'gzip']);
        expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      }
      const content = gunzipSync(Buffer.from(await (await get(path, {})).arrayBuffer()));
      expect(content.length).toBeGreaterThan(100);
    }
  });

  it('answers 404 for a missing asset', async () => {
    expect((await get('/graphql/assets/nothing.js', {})).status).toBe(404);
  });

  it('leaves every other request to the API, which requires a token', async () => {
    expect((await get('/graphql', { Accept: 'application/json' })).status).toBe(401);
    expect((await get('/graphql?query={viewer{space{id}}}', { Accept: 'text/html' })).status).toBe(401);
  });
});

describe.skipIf(!hasBrowser)('in a browser', { timeout: 60_000 }, () => {
  let server: Server;
  let origin: string;
  let browser: Browser;
  let page: Page;
  let requested: string[];
  let complaints: string[];

  beforeAll(async () => {
    server = serve({ fetch: (request) => door.app.fetch(request), port: 0, hostname: '127.0.0.1' }) as Server;
    await new Promise((resolve) => server.once('listening', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    // Other files would share its clipboard.
    browser = await launchBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  beforeEach(async () => {
    const context = await browser.newContext({ viewport: { width: 1400, height: 860 }, colorScheme: 'light' });
    requested = [];
    complaints = [];
    context.on('request', (request) => requested.push(request.url()));
    context.on('weberror', (error) => complaints.push(String(error.error())));
    context.on('console', (message) => {
      if (message.type() === 'error' || /content security policy/i.test(message.text()))
        complaints.push(message.text());
    });
    page = await context.newPage();
    return () => context.close();
  });

  const openTab = async (name: string) => {
    await page.locator('.graphiql-tab-button', { hasText: new RegExp(`^${name}$`) }).click();
    // GraphiQL needs a moment to read the name of the operation to run.
    await page.waitForTimeout(500);
  };
  /** What GraphiQL stores when the tab of this operation is open. */
  const matchTab = (name: string): RegExp =>
    new RegExp(`activeTabIndex\\W+${names.slice(0, 7).includes(name) ? names.indexOf(name) : 7}\\b`);
  const openExample = async (name: string) => {
    await page.getByLabel('More examples').selectOption({ label: examples[names.indexOf(name)]!.title });
    await page.locator('.graphiql-tab-button', { hasText: new RegExp(`^${name}$`) }).waitFor();
    await page.waitForTimeout(500);
  };
  const run = () => page.locator('.graphiql-execute-button').click();
  /** Monaco draws non-breaking spaces. */
  const result = async () =>
    ((await page.locator('.result-window .view-lines').textContent()) ?? '').replaceAll('\u00a0', ' ');
  const seesResult = (text: string) => expect.poll(result, { timeout: 10_000 }).toContain(text);

  const seesSchema = async () => {
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await page.getByRole('link', { name: 'Mutation', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Hide Documentation Explorer' }).click();
  };

  const listTabs = () => page.locator('.graphiql-tab-button').allTextContents();

  /** What outlives the tab. */
  const everythingStored = () => page.evaluate(() => JSON.stringify({ ...localStorage }));
  const storedInTab = () => page.evaluate(() => ({ ...sessionStorage }));

  it('takes the token from the address, and keeps it private', async () => {
    await page.goto(`${origin}/graphql#token=${token}`);
    await seesSchema();
    expect(page.url()).toBe(`${origin}/graphql`);
    expect(await page.title()).toBe('Muster');
    await openTab('Contacts');
    await run();
    await seesResult('"contacts": {');
    await openExample('CreateNote');
    await run();
    await seesResult('"content": "Written from GraphiQL"');
    // GraphiQL stores its tabs half a second after a change.
    await expect.poll(everythingStored).toMatch(matchTab('CreateNote'));
    expect(await everythingStored()).not.toContain('mst_');
    expect(await storedInTab()).toEqual({ 'muster:token': `Bearer ${token}` });
    expect(requested.filter((url) => !url.startsWith('data:') && !url.startsWith(`${origin}/`))).toEqual([]);
    expect(requested.filter((url) => url.includes('mst_'))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('shows the whole headers editor above the buttons on a narrow screen', async () => {
    await page.setViewportSize({ width: 640, height: 800 });
    await page.goto(`${origin}/graphql#token=${token}`);
    await seesSchema();
    const [editor, bar] = await Promise.all(
      ['.graphiql-editor-tool', '.share'].map((one) => page.locator(one).boundingBox()),
    );
    expect(editor!.y + editor!.height).toBeLessThanOrEqual(bar!.y);
    expect(bar!.y + bar!.height).toBeLessThanOrEqual(800);
  });

  it('shows the answer below the editors on the screen of a phone', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto(`${origin}/graphql#token=${token}`);
    await run();
    await seesResult('"viewer": {');
    const find = async (one: string) => (await page.locator(one).boundingBox())!;
    const [editors, answer] = [await find('.graphiql-editors'), await find('.graphiql-response')];
    expect(answer.y).toBeGreaterThanOrEqual(editors.y + editors.height);
    expect(Math.min(answer.width, editors.width)).toBeGreaterThan(250);
    expect(answer.height).toBeGreaterThan(150);
  });

  it('has the same tabs after a reload, before anything was edited', async () => {
    await page.goto(`${origin}/graphql#token=${token}`);
    await seesSchema();
    await page.reload();
    await seesSchema();
    expect(await listTabs()).toEqual(names.slice(0, 7));
    await run();
    await seesResult('"viewer": {');
  });

  it('tells the status of an answer that a proxy gives in place of the server, and that there is no answer', async () => {
    await page.goto(`${origin}/graphql#token=${token}`);
    await seesSchema();
    await page.route('**/graphql', (route) => route.fulfill({ status: 502, body: '<html>Bad gateway</html>' }));
    await run();
    await seesResult('"message": "HTTP 502, and no JSON"');
    await page.route('**/graphql', (route) => route.abort());
    await run();
    await seesResult('"message": "The server cannot be reached"');
    expect(await page.getByText('Cost:').count()).toBe(0);
  });

  it('shows the events of a subscription as they come, until it is stopped', async () => {
    const query = 'subscription Names { contactChanged { node { ... on Contact { firstName } } } }';
    await page.goto(`${origin}/graphql#token=${token}&query=${encodeURIComponent(query)}`);
    await seesSchema();
    await run();
    const stop = page.getByRole('button', { name: /^Stop query/ });
    await stop.waitFor();
    const create = (name: string) =>
      door.graphql(`mutation { createContact(input: { firstName: "${name}" }) { contact { id } } }`, {}, token);
    for (const name of ['Aglaé', 'Brune']) {
      await create(name);
      await seesResult(`"firstName": "${name}"`);
    }
    await stop.click();
    await page.getByRole('button', { name: /^Execute query/ }).waitFor();
    await create('Colette');
    expect(await result()).toContain('"firstName": "Brune"');
    expect(complaints).toEqual([]);
  });

  it('tells what a request costs, and shares the open tab as a link and as programs that run, without the token', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${origin}/graphql#token=${token}`);
    await seesSchema();
    await openTab('Contacts');
    await run();
    await seesResult('"contacts": {');
    await page.getByText(/^Cost: 1 point; \d+ left$/).waitFor();
    await expect.poll(everythingStored).toMatch(matchTab('Contacts'));
    const copy = async (label: string): Promise<string> => {
      await page.getByRole('button', { name: label }).click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      await page.getByRole('button', { name: label }).waitFor();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    const folder = createFolder();
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const env = { PATH: process.env.PATH, TOKEN: token };
    const runText = async (program: string, ...args: string[]): Promise<Json> => {
      const { stdout } = await promisify(execFile)(program, args, { env, cwd: folder });
      return JSON.parse(stdout);
    };
    const runProgram = (text: string): Promise<Json> => {
      writeFileSync(join(folder, 'copied.ts'), text);
      return runText(process.execPath, '--import', 'tsx', 'copied.ts');
    };
    const curl = await copy('Copy curl');
    const { data } = await runText('bash', '-ec', curl);
    expect(data.contacts.nodes.length).toBeGreaterThan(0);
    const script = await copy('Copy TypeScript');
    expect(await runProgram(script)).toEqual(data);
    const apollo = await copy('Copy Apollo');
    expect(await runProgram(apollo)).toMatchObject({
      contacts: { nodes: data.contacts.nodes.map(({ id }: Json) => ({ id })) },
    });
    const link = await copy('Copy link');
    expect(new URLSearchParams(link.split('#')[1]).get('operationName')).toBe('Contacts');
    expect(link + curl + script + apollo).not.toContain('mst_');
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      expect((await findBarriers(page)).filter((barrier) => /Copy |More examples|Cost:|share/.test(barrier))).toEqual(
        [],
      );
    }
    const other = await browser.newContext({ viewport: { width: 1400, height: 860 } });
    const reader = await other.newPage();
    const asked: string[] = [];
    reader.on('request', (request) => request.method() === 'POST' && asked.push(request.postDataJSON().operationName));
    await reader.goto(`${link}&token=${token}`);
    await expect
      .poll(async () =>
        ((await reader.locator('.graphiql-query-editor .view-lines').textContent()) ?? '').replaceAll('\u00a0', ' '),
      )
      .toContain('query Contacts($first: Int!');
    expect(await reader.locator('.graphiql-tab-button').allTextContents()).toEqual(['Contacts', ...names.slice(0, 7)]);
    expect([reader.url(), asked.filter((name) => name !== 'IntrospectionQuery')]).toEqual([`${origin}/graphql`, []]);
    await reader.locator('.graphiql-execute-button').click();
    await expect
      .poll(async () => (await reader.locator('.result-window .view-lines').textContent()) ?? '')
      .toContain('contacts');
    await other.close();
    expect(complaints).toEqual([]);
  });

  it.skipIf(isSmall)(
    'accepts a pasted token, once for all tabs, and keeps it over a reload, but not for another tab',
    async () => {
      await page.goto(`${origin}/graphql`);
      await seesResult('Put an access token into the Headers editor');
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      const paste = async (pasted: string, inPlaceOf: string): Promise<void> => {
        const headers = JSON.stringify({ Authorization: `Bearer ${pasted}` });
        await page.evaluate((text) => navigator.clipboard.writeText(text), headers);
        await page.locator('.graphiql-editor-tool').getByText(inPlaceOf).click();
        await page.keyboard.press('Control+A');
        await page.keyboard.press('Control+V');
      };
      const ofProvider = 'eyJh-A_1.eyJp.c2ln';
      await paste(ofProvider, 'paste-your-token-here');
      await expect.poll(storedInTab).toEqual({ 'muster:token': `Bearer ${ofProvider}` });
      await run();
      await seesResult('"unauthenticated"');
      const loaded = page.waitForEvent('load');
      await paste(token, ofProvider);
      await loaded;
      // Browsers tell of refused requests.
      complaints.length = 0;
      await seesSchema();
      // The answers of the former token are gone.
      expect(await result()).toBe('');
      await openTab('Contacts');
      await run();
      await seesResult('"contacts": {');
      await openTab('Viewer');
      await run();
      await seesResult('"viewer": {');
      expect(await listTabs()).toEqual(names.slice(0, 7));
      await openExample('Teams');
      await run();
      await seesResult('"teams": {');
      await expect.poll(everythingStored).toMatch(matchTab('Teams'));
      await page
        .locator('.graphiql-tab', { hasText: 'QuickSearch' })
        .locator('.graphiql-tab-close')
        .dispatchEvent('click');
      const mine = names
        .slice(0, 7)
        .filter((name) => name !== 'QuickSearch')
        .concat('Teams');
      expect(await listTabs()).toEqual(mine);
      await expect.poll(everythingStored).not.toContain('QuickSearch');
      await page.reload();
      await seesSchema();
      await run();
      await seesResult('"teams": {');
      expect(await listTabs()).toEqual(mine);
      expect(await everythingStored()).not.toContain('mst_');
      const other = await page.context().newPage();
      await other.goto(`${origin}/graphql`);
      expect(await other.evaluate(() => ({ ...sessionStorage }))).toEqual({});
      expect(complaints).toEqual([]);
    },
  );
});
