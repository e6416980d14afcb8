// The example app, built, in a browser: login, search, notes, an edit that meets a conflict, segments, and what others change meanwhile.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CreateContactDocument,
  CreateNoteDocument,
  CreateSegmentDocument,
  createClient,
  DeleteContactDocument,
  DeleteNoteDocument,
  ListNotesDocument,
  type MusterClient,
  ReadContactDocument,
  UpdateContactDocument,
  where,
} from '../../clients/typescript/src/index.ts';
import { mergeChanges } from '../../examples/app/src/merge-changes.ts';
import { readConfig } from '../../src/config/config.ts';
import { createAccessToken } from '../../src/gate/token.ts';
import { startServer } from '../../src/server/server.ts';
import { createDatabase } from '../harness/app.ts';
import { findBarriers } from '../harness/barriers.ts';
import { hasBrowser } from '../harness/browser.ts';
import { createFolder } from '../harness/folders.ts';
import { connectBrowser } from '../harness/shared-browser.ts';

const run = promisify(execFile);
/** Asks until it is so: the browser shares its processor with other tests. */
const poll = <Value>(read: () => Value | Promise<Value>) => expect.poll(read, { timeout: 10_000, interval: 20 });
const root = join(import.meta.dirname, '../..');
const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

it('changes are merged field by field', () => {
  const base = { a: '1', b: '1', c: '1', d: '1', e: '1' };
  const mine = { a: '2', b: '1', c: '2', d: '2', e: '1' };
  const theirs = { a: '1', b: '3', c: '3', d: '2', e: '1' };
  expect(mergeChanges(base, mine, theirs)).toEqual({
    values: { a: '2', b: '3', c: '2', d: '2', e: '1' },
    conflicts: ['c'],
  });
});

describe.skipIf(!hasBrowser)('in a browser', { timeout: 120_000 }, () => {
  const folder = createFolder();
  let browser: Browser;
  let page: Page;
  let origin: string;
  let url: string;
  let token: string;
  /** Somebody else, who works at the same time. */
  let colleague: MusterClient;
  /** What a visitor must not see: errors, warnings, requests to other hosts. */
  const complaints: string[] = [];

  beforeAll(async () => {
    // What is tested is the app as it would be served.
    const options = { cwd: root, env: { ...process.env, NODE_ENV: 'production' } };
    const vite = join(root, 'node_modules/vite/bin/vite.js');
    await run(process.execPath, [vite, 'build', 'examples/app', '--outDir', folder, '--emptyOutDir'], options);
    const files = createServer(({ url: path }, response) => {
      const file = path === '/' ? '/index.html' : path!;
      response.setHeader('Content-Type', types[extname(file)] ?? 'text/plain');
      // The app needs no inline script or style, and nothing from elsewhere.
      response.setHeader(
        'Content-Security-Policy',
        `default-src 'self'; img-src data:; connect-src 'self' ${new URL(url).origin}`,
      );
      response.end(readFileSync(join(folder, file)));
    });
    await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
    const settings = { PORT: '0', HOST: '127.0.0.1', DRAIN_SECONDS: '0', CORS_ORIGINS: origin, BUCKET_REFILL: '1000' };
    const server = await startServer(readConfig(settings), await createDatabase(), pino({ level: 'silent' }));
    url = `${server.url}/graphql`;
    token = await createAccessToken(server.database, 1, 1);
    colleague = createClient({ url, token });
    browser = await connectBrowser();
    page = await browser.newPage();
    page.setDefaultTimeout(10_000);
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('request', (request) => {
      const host = new URL(request.url()).origin;
      if (host !== origin && host !== new URL(url).origin && !request.url().startsWith('data:'))
        complaints.push(request.url());
    });
    afterAll(async () => {
      await browser.close();
      files.close();
      await server.stop();
    });
  }, 90_000);

  const createContact = async (firstName: string, lastName: string): Promise<string> => {
    const input = { firstName, lastName, phone: '0102030405', address: { city: 'Albi' }, tags: [{ name: 'Example' }] };
    return (await colleague.request(CreateContactDocument, { input })).createContact!.contact.id;
  };

  it('a whole visit', async () => {
    const id = await createContact('Ada', 'Exemplar');
    const search = where(({ tags }) => tags.equals('Example'));
    await colleague.request(CreateSegmentDocument, { input: { name: 'Examples', query: search.toGraphql() } });

    // Login: a wrong token is told, and kept nowhere.
    await page.goto(origin);
    expect(await findBarriers(page)).toEqual([]);
    await page.getByLabel('Address of the graph').fill(url);
    await page.getByLabel('Token').fill('wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await poll(() => page.getByRole('alert').textContent()).toMatch(/token/i);
    // The browser itself tells of the 401.
    expect(complaints.splice(0)).toEqual([expect.stringContaining('401')]);
    expect(await page.evaluate(() => sessionStorage.length + localStorage.length)).toBe(0);
    await page.getByLabel('Token').fill(`Bearer ${token}`);
    await page.getByRole('button', { name: 'Log in' }).click();

    // The list, and its next page.
    const list = page.locator('.list li');
    await poll(() => list.count()).toBe(25);
    await page.getByRole('button', { name: 'Show more' }).click();
    await poll(() => list.count()).toBe(50);
    expect(new Set(await list.allTextContents()).size).toBeGreaterThan(40);

    // The search box: far fewer requests than letters, when they are typed quickly.
    const asked: string[] = [];
    page.on('request', (request) => {
      const body = request.postData() ?? '';
      if (body.includes('query Contacts(')) asked.push(JSON.parse(body).variables.search);
    });
    await page.getByRole('searchbox').pressSequentially('exemplra', { delay: 20 });
    await poll(() => list.allTextContents()).toEqual(['Ada ExemplarAlbi']);
    expect(asked.at(-1)).toBe('exemplra');
    // Two, when the machine paused while it typed.
    expect(asked.length).toBeLessThanOrEqual(2);
    await page.getByRole('link', { name: 'Ada Exemplar' }).click();
    await poll(() => page.getByRole('heading', { level: 2 }).textContent()).toBe('Ada Exemplar');

    // A note is shown at once, and is there once.
    const notes = page.locator('.notes li p');
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(url, async (route) => {
      if (route.request().postData()?.includes('mutation CreateNote')) await held;
      await route.continue();
    });
    await page.getByLabel('New note').fill('Met at the market');
    await page.getByRole('button', { name: 'Add note' }).click();
    await poll(() => notes.allTextContents()).toEqual(['Met at the market']);
    const filter = { contactId: { equals: id } };
    const readNotes = async () =>
      (await colleague.request(ListNotesDocument, { filter })).notes.nodes.map(({ content }) => content);
    expect(await readNotes()).toEqual([]);
    release();
    await poll(readNotes).toEqual(['Met at the market']);
    await page.unroute(url);
    expect(await findBarriers(page)).toEqual([]);

    // What a colleague writes appears by itself.
    await colleague.request(CreateNoteDocument, { input: { contactId: id, content: 'Called back' } });
    await poll(() => notes.allTextContents()).toEqual(['Called back', 'Met at the market']);
    await colleague.request(UpdateContactDocument, { input: { id, firstName: 'Adele' } });
    await expect.poll(() => page.getByRole('heading', { level: 2 }).textContent()).toBe('Adele Exemplar');
    await poll(() => list.allTextContents()).toEqual(['Adele ExemplarAlbi']);

    const listed = (await colleague.request(ListNotesDocument, { filter })).notes.nodes;
    const mine = listed.find(({ content }) => content === 'Met at the market');
    await colleague.request(DeleteNoteDocument, { input: { id: mine!.id } });
    await poll(() => notes.allTextContents()).toEqual(['Called back']);

    // Two people edit one contact. A field that only one of them changed needs no choice.
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Phone', { exact: true }).fill('0666666666');
    await page.getByLabel('City', { exact: true }).fill('Castres');
    await colleague.request(UpdateContactDocument, { input: { id, phone: '0777777777', email: 'adele@example.org' } });
    await page.getByText('Somebody else has changed this contact. When you save').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Nothing is saved yet').waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Somebody else');
    expect(await findBarriers(page)).toEqual([]);
    expect(await page.locator('.conflict').allTextContents()).toEqual([
      expect.stringContaining('Saved meanwhile: 0777777777'),
    ]);
    const values = () =>
      Promise.all(['Phone', 'City', 'Mail'].map((label) => page.getByLabel(label, { exact: true }).inputValue()));
    expect(await values()).toEqual(['0666666666', 'Castres', 'adele@example.org']);
    await page.getByRole('button', { name: 'Take theirs' }).click();
    expect(await values()).toEqual(['0777777777', 'Castres', 'adele@example.org']);
    await page.getByRole('button', { name: 'Save my choice' }).click();
    await page.getByRole('button', { name: 'Edit' }).waitFor();
    const { contact } = await colleague.request(ReadContactDocument, { id });
    expect(contact).toMatchObject({ phone: '0777777777', email: 'adele@example.org', address: { city: 'Castres' } });
    // The browser itself tells of the refused request.
    expect(complaints.splice(0).filter((text) => !text.includes('412'))).toEqual([]);

    // A note of a colleague makes a new version too, but there is nothing to choose.
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Street').fill('1 rue du Pont');
    await colleague.request(CreateNoteDocument, { input: { contactId: id, content: 'Meanwhile' } });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('1 rue du Pont').waitFor();

    // A word that is longer than a line, such as a link, is broken.
    await colleague.request(CreateNoteDocument, { input: { contactId: id, content: 'link'.repeat(500) } });
    await poll(() => notes.first().textContent()).toMatch(/^link/);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);

    // A fault of the input is shown with its place, and nothing is lost.
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Phone', { exact: true }).fill('none');
    await page.getByRole('button', { name: 'Save' }).click();
    await poll(() => page.getByRole('alert').first().textContent()).toMatch(/phone/);
    await page.getByRole('button', { name: 'Cancel' }).click();

    // A new contact is announced, and a deleted one is gone.
    const other = await createContact('Bela', 'Exemplar');
    await page.getByText('There is a new contact').waitFor();
    await page.getByRole('button', { name: 'Read the list again' }).click();
    await poll(() => list.count()).toBe(2);
    await page.getByRole('link', { name: 'Bela Exemplar' }).click();
    await page.getByRole('heading', { name: 'Bela Exemplar' }).waitFor();
    await colleague.request(DeleteContactDocument, { input: { id: other } });
    await poll(() => list.count()).toBe(1);
    await page.getByText('There is no such contact.').waitFor();

    // Segments, by keyboard.
    await page.getByRole('link', { name: 'Segments' }).press('Enter');
    await page.getByRole('link', { name: 'Examples' }).press('Enter');
    await poll(() => page.locator('.card .list li').allTextContents()).toEqual(['Adele ExemplarCastres']);
    expect(await findBarriers(page)).toEqual([]);

    // Another visit of the tab is still logged in; after the logout nothing is left.
    await page.reload();
    await page.getByRole('heading', { name: 'Examples' }).waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(await page.evaluate(() => sessionStorage.length + localStorage.length)).toBe(0);
    expect(complaints).toEqual([]);
  });

  /** A visit by who is logged in already. */
  const visit = async (path: string): Promise<void> => {
    const session = JSON.stringify({ url, token });
    await page.evaluate((text) => sessionStorage.setItem('muster-session', text), session);
    await page.goto(`${origin}/#${path}`);
    await page.reload();
  };

  it('an address that is none is told', async () => {
    await page.goto(origin);
    await page.getByLabel('Address of the graph').fill('http://');
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Log in' }).click();
    await poll(() => page.getByRole('alert').textContent()).toMatch(/URL/);
  });

  it('a list of several pages that is read again has the new contacts, wherever they come', async () => {
    for (let number = 0; number < 26; number++) await createContact(`Number ${number}`, 'Longlist');
    await visit('/contacts');
    const list = page.locator('.list li');
    await page.getByRole('button', { name: 'Show more' }).click();
    await poll(() => list.count()).toBe(50);
    await page.getByRole('searchbox').fill('null');
    await page.getByText('0 shown', { exact: true }).waitFor();
    await page.getByRole('searchbox').fill('longlist');
    await poll(() => list.count()).toBe(25);
    await page.getByRole('button', { name: 'Show more' }).click();
    await poll(() => list.count()).toBe(26);
    await createContact('The latest', 'Longlist');
    await page.getByText('There is a new contact').waitFor();
    await page.getByRole('button', { name: 'Read the list again' }).click();
    await poll(() => list.count()).toBe(27);
  });

  it('what a colleague changes while another page is open is there on the way back', async () => {
    const id = await createContact('Before', 'Elsewhere');
    await visit(`/contacts/${id}`);
    const name = () => page.getByRole('heading', { level: 2 }).textContent();
    await poll(name).toBe('Before Elsewhere');
    await page.getByRole('link', { name: 'Segments' }).click();
    await page.getByRole('heading', { name: 'Segments' }).waitFor();
    await colleague.request(UpdateContactDocument, { input: { id, firstName: 'After' } });
    await page.goBack();
    await poll(name).toBe('After Elsewhere');
  });

  it('a form without a change is closed, also after a choice that leaves none', async () => {
    const id = await createContact('Same', 'Again');
    await visit(`/contacts/${id}`);
    const edit = page.getByRole('button', { name: 'Edit' });
    await edit.click();
    await page.getByRole('button', { name: 'Save' }).click();
    await edit.click();
    await page.getByLabel('Phone', { exact: true }).fill('0666666666');
    await colleague.request(UpdateContactDocument, { input: { id, phone: '0777777777' } });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Take theirs' }).click();
    await page.getByRole('button', { name: 'Save my choice' }).click();
    await edit.waitFor();
  });

  it('a note that is refused is given back beside what was written meanwhile', async () => {
    const id = await createContact('Notes', 'Refused');
    await visit(`/contacts/${id}`);
    await page.getByLabel('New note').fill(' ');
    await page.getByRole('button', { name: 'Add note' }).click();
    await poll(() => page.getByRole('alert').textContent()).toMatch(/blank/);
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(url, async (route) => {
      if (route.request().postData()?.includes('mutation CreateNote')) await held;
      await route.continue();
    });
    await page.getByLabel('New note').fill('x'.repeat(70_000));
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.getByLabel('New note').fill('Written meanwhile');
    release();
    await poll(() => page.getByLabel('New note').inputValue()).toMatch(/^x{70000}\nWritten meanwhile$/);
    await page.unroute(url);
  });

  it('all segments are listed, page by page, and one that is gone is told', async () => {
    const query = where(({ tags }) => tags.equals('Example')).toGraphql();
    for (let number = 0; number < 51; number++)
      await colleague.request(CreateSegmentDocument, { input: { name: `Segment ${number}`, query } });
    await visit('/segments/Segment:999999');
    await page.getByText('There is no such segment').waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByRole('link', { name: 'Segment 9 ' }).waitFor();
  });
});
