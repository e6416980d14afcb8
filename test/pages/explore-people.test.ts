// The people of a segment in a real browser: the table, its pages and ticks, the card, and the count that moves.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { runMutation } from '../graphql/writing.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { findBarriers } from '../harness/barriers.ts';
import { hasBrowser } from '../harness/browser.ts';
import { createMember } from '../harness/member.ts';
import { waitUntil } from '../harness/waiting.ts';
import {
  encodeQuery,
  lookAround,
  openBuilderTests,
  readCount,
  type Seen,
  showQuery,
  waitForCount,
  women,
} from './explore-page.ts';

let door: Door;
let token: string;
let find: (query: Json) => Promise<{ total: number; ids: string[] }>;
let openBuilder: (options?: Json, as?: string, at?: string) => Promise<Seen>;

const rows = (page: Page) => page.locator('.list tbody tr');
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const head = (page: Page, name: string) => page.getByRole('columnheader', { name });
const listNames = (page: Page): Promise<string[]> => page.locator('.list tbody th').allTextContents();
/** Waits until the list says so, and is read. */
const waitForList = async (page: Page, said: string): Promise<void> => {
  await page.locator('.found[aria-busy=false]').getByRole('status').getByText(said, { exact: true }).waitFor();
};
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '');

/** The names that the API finds. */
const findNames = async (args: string, query: Json = undefined): Promise<string[]> => {
  const document = `query ($query: ContactQuery) { searchContacts(query: $query, ${args}) { nodes { firstName lastName } } }`;
  const { nodes } = (await door.graphql(document, { query })).body.data.searchContacts;
  return nodes.map(
    ({ firstName, lastName }: Json) => [firstName, lastName].filter(Boolean).join(' ') || 'without a name',
  );
};

/** People with a family name of their own, to tick and to change. */
let family = '';
const addFamily = async (count: number): Promise<Json> => {
  family = `Tick${Math.random().toString(36).slice(2).replaceAll(/\d/g, 'x')}`;
  await door.sql(
    `with made as (insert into contacts (group_id, firstname, surname) select 1, 'Ada' || n, ? from generate_series(1, ?) n returning id)
     select refresh_search(1, array(select id from made))`,
    [family, count],
  );
  return { lastName: { equals: family } };
};

describe.skipIf(!hasBrowser)('the people of a segment', { timeout: 60_000 }, () => {
  beforeAll(async () => {
    door = await openApp();
    ({ token, find, openBuilder } = await openBuilderTests(door));
  });

  it('are a table that is sorted and turned by keyboard, and opens a card that gives the focus back', async () => {
    const { page, context, complaints } = await openBuilder();
    const { total } = await find(undefined);
    await waitForList(page, `1 to 25 of ${total}`);
    expect(await listNames(page)).toEqual(await findNames('first: 25'));
    await head(page, 'Name').getByRole('button').focus();
    await page.keyboard.press('Enter');
    const sorted = await findNames('first: 75, orderBy: { field: LAST_NAME }');
    await expect.poll(() => listNames(page)).toEqual(sorted.slice(0, 25));
    expect(await head(page, 'Name').getAttribute('aria-sort')).toBe('ascending');
    expect(await head(page, 'E-mail').getAttribute('aria-sort')).toBeNull();
    expect(await head(page, 'Tags').getByRole('button').count()).toBe(0);
    expect(await button(page, 'Previous page').getAttribute('aria-disabled')).toBe('true');
    await button(page, 'Next page').focus();
    await page.keyboard.press('Enter');
    await waitForList(page, `26 to 50 of ${total}`);
    await page.keyboard.press('Enter');
    await waitForList(page, `51 to 75 of ${total}`);
    expect(await listNames(page)).toEqual(sorted.slice(50));
    expect(await focused(page)).toBe('Next page');
    await button(page, 'Previous page').press('Enter');
    await waitForList(page, `26 to 50 of ${total}`);
    await button(page, 'Previous page').press('Enter');
    await waitForList(page, `1 to 25 of ${total}`);
    expect(await listNames(page)).toEqual(sorted.slice(0, 25));
    await head(page, 'Name').getByRole('button').press('Enter');
    const reversed = await findNames('first: 25, orderBy: { field: LAST_NAME, direction: DESC }');
    await expect.poll(() => listNames(page)).toEqual(reversed);
    await rows(page).nth(2).getByRole('button').press('Enter');
    await page.getByRole('dialog').getByText('What happened').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toBe(reversed[2]);
    // A click beside the name opens the card, too.
    await rows(page).nth(1).locator('td').last().click({ force: true });
    await page.getByRole('dialog', { name: reversed[1]! }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('are searched, in the columns that are chosen, and the link holds both', async () => {
    const query = await addFamily(30);
    const { page, context, complaints } = await openBuilder();
    await showQuery(page, query);
    await waitForList(page, '1 to 25 of 30');
    await page.locator('.view summary').click();
    const columns = page.getByRole('group', { name: 'Columns' });
    await columns.getByLabel('Mobile phone').check();
    await columns.getByLabel('Tags').uncheck();
    await head(page, 'City').getByRole('button').click();
    await head(page, 'City').getByRole('button').click();
    await button(page, 'Next page').click();
    await waitForList(page, '26 to 30 of 30');
    const search = page.getByRole('searchbox', { name: 'Look for somebody among them' });
    // Names that are nearly so are found, too.
    const matching = await findNames('first: 25, search: "ada29", orderBy: { field: CITY, direction: DESC }', query);
    const said = `1 to ${matching.length} of ${matching.length}`;
    await search.fill('ada29');
    await waitForList(page, said);
    expect(await listNames(page)).toEqual(matching);
    // The segment is as it was.
    expect(await readCount(page)).toBe(30);
    expect(await page.getByRole('columnheader').allTextContents()).toEqual([
      'Name ↕',
      'City ▼',
      'E-mail ↕',
      'Mobile phone',
    ]);
    await expect
      .poll(() => page.url())
      .toMatch(/#query=1\.[\w-]+&columns=address.city%2Cemail%2Cmobile&order=-address.city&text=ada29$/);
    await page.reload();
    await waitForList(page, said);
    expect(await search.inputValue()).toBe('ada29');
    expect(await head(page, 'City').getAttribute('aria-sort')).toBe('descending');
    await search.fill('nobody of this name');
    await waitForList(page, 'Nobody here matches these words.');
    // A link without a view shows the usual one, and tells what it does not know.
    const fragment = await encodeQuery(page, query);
    await page.evaluate((hash) => {
      location.hash = hash;
    }, `${fragment}&columns=email,password&order=phone`);
    await page.getByRole('alert').getByText('the list does not have: password, phone.').waitFor();
    await waitForList(page, '1 to 25 of 30');
    expect(await page.getByRole('columnheader').allTextContents()).toEqual(['Name ↕', 'E-mail ↕']);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('are changed when they are ticked, and nobody else is', async () => {
    const query = await addFamily(30);
    const tagged = async (tag: string) => (await find({ tags: { equals: tag } })).ids.length;
    const { page, context, complaints } = await openBuilder();
    await showQuery(page, query);
    await waitForList(page, '1 to 25 of 30');
    const addTag = async (tag: string, count: number): Promise<void> => {
      await page.getByRole('combobox', { name: 'Tag', exact: true }).fill(tag);
      await button(page, 'See what would change').click();
      await button(page, `Change ${count} contacts`).click();
      await page.locator('.change').getByText(`Done: ${count} changed`).waitFor();
      await button(page, 'Close').click();
    };
    await page.getByRole('checkbox', { name: `Select Ada1 ${family}`, exact: true }).check();
    await page.getByRole('checkbox', { name: `Select Ada3 ${family}`, exact: true }).check();
    const whole = page.getByRole('checkbox', { name: 'Select everybody on this page' });
    expect(await whole.evaluate((box) => (box as HTMLInputElement).indeterminate)).toBe(true);
    // Ticks stay while pages are turned.
    await button(page, 'Next page').click();
    await waitForList(page, '26 to 30 of 30');
    await page.getByRole('checkbox', { name: `Select Ada26 ${family}` }).check();
    await page.getByText('3 selected', { exact: true }).waitFor();
    await button(page, 'Change the 3 selected contacts').click();
    await page.getByRole('heading', { name: 'Change the 3 selected contacts' }).waitFor();
    await addTag(`three ${family}`, 3);
    expect(await tagged(`three ${family}`)).toBe(3);
    expect(await page.getByText('selected', { exact: true }).count()).toBe(0);
    await whole.check();
    await button(page, 'Select all 30').click();
    await page.getByText('30 selected', { exact: true }).waitFor();
    expect(await focused(page)).toBe('30 selected');
    await button(page, 'Change these contacts').click();
    await addTag(`all ${family}`, 30);
    expect(await tagged(`all ${family}`)).toBe(30);
    // Whom a text finds is told by ids; without a tick nobody is changed.
    await page.getByRole('searchbox').fill('ada2');
    await expect.poll(() => listNames(page)).not.toContain(`Ada1 ${family}`);
    const matching = await findNames('first: 100, search: "ada2"', query);
    expect(await button(page, /^Change/).count()).toBe(0);
    await button(page, `Select all ${matching.length}`).click();
    await button(page, `Change the ${matching.length} selected contacts`).click();
    await addTag(`some ${family}`, matching.length);
    expect(await tagged(`some ${family}`)).toBe(matching.length);
    // Another segment has ticks of its own.
    await rows(page).first().getByRole('checkbox').check();
    await showQuery(page, women);
    await waitForCount(page, (await find(women)).total);
    expect(await page.locator('.list input:checked').count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('are shown from the beginning when those of the last page are gone', async () => {
    const query = await addFamily(27);
    const { page, context } = await openBuilder();
    await showQuery(page, query);
    await waitForList(page, '1 to 25 of 27');
    await button(page, 'Next page').click();
    await waitForList(page, '26 to 27 of 27');
    await page.getByRole('checkbox', { name: 'Select everybody on this page' }).check();
    await button(page, 'Change the 2 selected contacts').click();
    await page.getByRole('combobox', { name: 'What to change', exact: true }).selectOption('delete');
    await button(page, 'See what would change').click();
    await button(page, 'Delete 2 contacts').click();
    await waitForList(page, '1 to 25 of 25');
    await context.close();
  });

  it('are told when one of the ticked was deleted meanwhile, and at most 1,000 are changed one by one', async () => {
    const query = await addFamily(1003);
    const { page, context } = await openBuilder();
    await showQuery(page, query);
    await waitForList(page, '1 to 25 of 1,003');
    for (const nth of [0, 1, 2]) await rows(page).nth(nth).getByRole('checkbox').check();
    const { ids } = await find(query);
    await runMutation(door, 'deleteContact', { id: ids[1] });
    await button(page, 'Change the 3 selected contacts').click();
    await page.getByRole('combobox', { name: 'Tag', exact: true }).fill('gone');
    await button(page, 'See what would change').click();
    await page.getByRole('alert').getByText('Nothing was changed: 1 selected contact is not there any more.').waitFor();
    expect((await find({ tags: { equals: 'gone' } })).total).toBe(0);
    await button(page, 'See what would change').click();
    await button(page, 'Change 2 contacts').click();
    await page.locator('.change').getByText('Done: 2 changed').waitFor();
    expect((await find({ tags: { equals: 'gone' } })).ids).toEqual([ids[0], ids[2]]);
    await button(page, 'Close').click();
    // When nobody is left, the change does not become one of everybody.
    await rows(page).first().getByRole('checkbox').check();
    await runMutation(door, 'deleteContact', { id: ids[0] });
    await button(page, 'Change the selected contact').click();
    await page.getByRole('combobox', { name: 'Tag', exact: true }).fill('gone');
    await button(page, 'See what would change').click();
    await page.getByRole('alert').getByText('Nothing was changed').waitFor();
    await page.getByRole('heading', { name: 'Change the selected contact' }).waitFor();
    await button(page, 'Cancel').click();
    // Of more than 1,000 all are chosen as the segment, and none by a text.
    await button(page, 'Select all 1,001').or(button(page, 'Select all 1,000')).click();
    await button(page, 'Change these contacts').waitFor();
    await page.getByRole('searchbox').fill(family);
    await waitForList(page, '1 to 25 of 1,001');
    await button(page, 'Select nobody').click();
    expect(await button(page, /^Select all/).count()).toBe(0);
    await context.close();
  });

  it('stand below the headings of their columns', async () => {
    const { page, context } = await openBuilder();
    await rows(page).first().waitFor();
    const measureEdges = (row: string): Promise<number[]> =>
      page
        .locator(`.list ${row} > *`)
        .evaluateAll((cells) => cells.map((cell) => Math.round(cell.getBoundingClientRect().left)));
    const headings = await measureEdges('thead tr');
    expect(headings.length).toBeGreaterThan(3);
    expect(await measureEdges('tbody tr:first-child')).toEqual(headings);
    await context.close();
  });

  it('leave room for the other columns beside a long name', async () => {
    const name = 'x'.repeat(255);
    const { id } = await runMutation(door, 'createContact', { firstName: name, lastName: name });
    const { page, context } = await openBuilder();
    await showQuery(page, { lastName: { equals: name } });
    await waitForCount(page, 1);
    expect((await page.locator('.list .who', { hasText: name }).boundingBox())!.width).toBeLessThan(400);
    await runMutation(door, 'deleteContact', { id });
    await context.close();
  });

  it('have no ticks for who may not change them', async () => {
    const reader = await createMember(door, { type: 'custom', permissions: ['contacts.read'] });
    const { page, context, complaints } = await openBuilder({}, reader);
    await rows(page).first().waitFor();
    await waitForCount(page, (await find(undefined)).total);
    expect(await page.locator('.list').getByRole('checkbox').count()).toBe(0);
    expect(await button(page, /^(Change|Select)/).count()).toBe(0);
    // No subscription is tried without the right to it.
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('have a card with links, and since when and why somebody is opted out', async () => {
    const { id } = await runMutation(door, 'createContact', {
      firstName: 'Zoé',
      lastName: 'Cardée',
      email: 'zoe?bcc=all@example.org',
      phone: '+33 1 23 45 67 89',
      phoneInvalid: true,
    });
    await runMutation(door, 'updateContact', { id, optedOut: true, consentSource: 'By letter' });
    const { page, context } = await openBuilder();
    await showQuery(page, { lastName: { equals: 'Cardée' } });
    await button(page, 'Zoé Cardée').click();
    const card = page.getByRole('dialog', { name: 'Zoé Cardée' });
    const links = card.getByRole('link');
    await links.first().waitFor();
    expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))).toEqual([
      'mailto:zoe%3Fbcc%3Dall@example.org',
      'tel:+33123456789',
    ]);
    await card.getByText('(wrong number)').waitFor();
    const today = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long' }).format(new Date());
    await card.getByText(`yes, since ${today}: By letter`).waitFor();
    await context.close();
  });

  it('are told when they cannot be read, and are read again', async () => {
    const { page, context } = await openBuilder();
    await waitForList(page, `1 to 25 of ${(await find(undefined)).total.toLocaleString('en')}`);
    const isList = (data: string | null): boolean => data?.includes('endCursor') === true;
    await page.route('**/graphql', (route) => (isList(route.request().postData()) ? route.abort() : route.continue()));
    await head(page, 'Name').getByRole('button').click();
    await page.locator('.found').getByRole('alert').getByText('The server cannot be reached.').waitFor();
    expect(await rows(page).count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    await page.unrouteAll();
    await page.locator('.found').getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => listNames(page)).toEqual(await findNames('first: 25, orderBy: { field: LAST_NAME }'));
    // What a slow answer brings for an order that is not asked any more is dropped.
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('"EMAIL"')) await new Promise((resolve) => setTimeout(resolve, 1200));
      await route.continue().catch(() => {});
    });
    await head(page, 'E-mail').getByRole('button').click();
    await page.waitForTimeout(400);
    await head(page, 'City').getByRole('button').click();
    const byCity = await findNames('first: 25, orderBy: { field: CITY }');
    await expect.poll(() => listNames(page)).toEqual(byCity);
    await page.waitForTimeout(1200);
    expect(await listNames(page)).toEqual(byCity);
    await page.unrouteAll();
    const refuse = { errors: [{ message: 'Too much', extensions: { code: 'rate-limited' } }] };
    await page.route('**/graphql', (route) =>
      isList(route.request().postData())
        ? route.fulfill({ headers: { 'Retry-After': '1' }, json: refuse })
        : route.continue(),
    );
    await button(page, 'Next page').click();
    await page.locator('.found').getByRole('alert').getByText('Next try in 1 second.').waitFor();
    await page.unrouteAll();
    await page
      .locator('.found')
      .getByRole('status')
      .getByText(/^26 to 50/)
      .waitFor();
    await showQuery(page, { lastName: { equals: 'Nobody at all' } });
    await waitForList(page, 'Nobody is in this segment.');
    await context.close();
  });

  it('show how a condition was found on demand alone', async () => {
    const { page, context } = await openBuilder();
    await showQuery(page, women);
    const line = page.locator('.condition .cost');
    await line.locator('strong').waitFor();
    expect(await line.getByText(/ms/).isVisible()).toBe(false);
    await line.getByText('How it was found').click();
    expect(await line.getByText(/ms · by/).isVisible()).toBe(true);
    await context.close();
  });

  it.each([
    ['fr-FR', 'Les personnes', /^Sélectionner toute la page$/, 'Partir d’un exemple'],
    ['en-GB', 'The people', /^Select everybody on this page$/, 'Start with an example'],
  ])('have no barrier and no sideways scroll of the page in %s, wide and narrow', async (locale, title, all, examples) => {
    const { page, context, complaints } = await openBuilder({ locale });
    await page.getByRole('heading', { name: title }).waitFor();
    await rows(page).nth(24).waitFor();
    await page.getByRole('heading', { name: examples }).waitFor();
    const check = (what: string): Promise<void> =>
      lookAround(page, async (as) => {
        const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        expect([what, as, await findBarriers(page), isWide]).toEqual([what, as, [], false]);
      });
    await check('examples');
    await showQuery(page, women);
    await waitForCount(page, (await find(women)).total);
    await page.locator('.view summary').click();
    for (const box of await page.locator('.view input[type=checkbox]').all()) await box.check();
    await page.locator('.found[aria-busy=false]').waitFor();
    await page.getByRole('checkbox', { name: all }).check();
    await page.locator('.cost details').first().locator('summary').click();
    await check('ticked');
    expect(complaints).toEqual([]);
    await context.close();
  });
});

describe.skipIf(!hasBrowser)('the count', { timeout: 60_000 }, () => {
  /** Requests that follow changes, with the addresses of all others. */
  const watch = (page: Page) => {
    const seen = { streams: [] as Record<string, string>[], counts: 0, addresses: [] as string[] };
    page.on('request', (request) => {
      seen.addresses.push(request.url());
      const data = request.postData() ?? '';
      if (data.includes('subscription')) seen.streams.push(request.headers());
      if (data.includes('first: 0') && data.includes('"variables"')) seen.counts++;
    });
    return seen;
  };
  const add = (lastName: string) => runMutation(door, 'createContact', { firstName: 'Ada', lastName });

  it('moves when somebody adds a contact, says so at the list, and asks at most every two seconds', async () => {
    const query = await addFamily(3);
    const { page, context, complaints } = await openBuilder();
    const seen = watch(page);
    await showQuery(page, query);
    await waitForList(page, '1 to 3 of 3');
    await page.waitForTimeout(2500);
    const before = seen.counts;
    for (let nth = 0; nth < 10; nth++) {
      await add(family);
      await page.waitForTimeout(100);
    }
    await waitForCount(page, 13);
    expect(seen.counts - before).toBeLessThanOrEqual(2);
    // The list stays under the hands of who reads it.
    expect(await rows(page).count()).toBe(3);
    await page.locator('.outdated').getByRole('button', { name: 'Show it as it is now' }).click();
    await waitForList(page, '1 to 13 of 13');
    expect(await page.locator('.outdated').count()).toBe(0);
    expect(await focused(page)).toBe('The people');
    expect(seen.addresses.filter((address) => address.includes('mst_'))).toEqual([]);
    expect(seen.streams.every(({ authorization }) => authorization === `Bearer ${token}`)).toBe(true);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('is not asked for while nobody looks, and is when somebody looks again', async () => {
    const query = await addFamily(2);
    const { page, context } = await openBuilder();
    await showQuery(page, query);
    await waitForList(page, '1 to 2 of 2');
    await page.waitForTimeout(1500);
    const seen = watch(page);
    const setVisibility = (state: string) =>
      page.evaluate((to) => {
        Object.defineProperty(document, 'visibilityState', { value: to, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, state);
    await setVisibility('hidden');
    await add(family);
    await page.waitForTimeout(4000);
    expect([seen.streams.length, seen.counts, await readCount(page)]).toEqual([0, 0, 2]);
    await setVisibility('visible');
    await waitForCount(page, 3);
    expect(seen.streams.length).toBe(1);
    await context.close();
  });

  it('moves again after the connection was lost, which is tried less and less often', async () => {
    const query = await addFamily(1);
    const { page, context, complaints } = await openBuilder();
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('subscription') ? route.abort() : route.continue(),
    );
    await page.reload();
    const seen = watch(page);
    await showQuery(page, query);
    await waitForCount(page, 1);
    await page.waitForTimeout(7000);
    // After 2 seconds, and after 4 more.
    expect(seen.streams.length).toBeLessThanOrEqual(3);
    await page.unrouteAll();
    await add(family);
    await expect.poll(() => readCount(page), { timeout: 20_000 }).toBe(2);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it.each([
    ['rate-limited', { 'Retry-After': '4' }, 2],
    ['unauthenticated', {}, 1],
  ] as [
    string,
    Record<string, string>,
    number,
  ][])('waits as long as the server asks: a stream that is refused as %s', async (code, headers, streams) => {
    const { page, context } = await openBuilder();
    const json = { errors: [{ message: 'No', extensions: { code } }] };
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('subscription') ? route.fulfill({ headers, json }) : route.continue(),
    );
    const seen = watch(page);
    await page.reload();
    await waitUntil('it was tried', () => seen.streams.length === 1);
    await page.waitForTimeout(3000);
    expect(seen.streams.length).toBe(1);
    await page.waitForTimeout(2500);
    expect(seen.streams.length).toBe(streams);
    await context.close();
  });

  it('says that the token is refused once it is revoked, and does not stand still without a word', async () => {
    const member = await createMember(door, { type: 'custom', permissions: ['contacts.read', 'changes.read'] });
    const { page, context } = await openBuilder({}, member);
    const seen = watch(page);
    await page.reload();
    await waitUntil('it follows', () => seen.streams.length > 0);
    // Nothing else is asked any more.
    await page.waitForTimeout(2500);
    await door.sql('update tokens set revoked_at = now() where id = (select max(id) from tokens)');
    await add(family);
    await page.getByText('The server does not accept this token.').first().waitFor();
    await context.close();
  });

  it('is left alone for who may not read changes', async () => {
    const reader = await createMember(door, { type: 'custom', permissions: ['contacts.read'] });
    const { page, context } = await openBuilder({}, reader);
    const seen = watch(page);
    await page.reload();
    await waitUntil('it was counted', () => seen.counts > 0);
    await page.waitForTimeout(1500);
    expect(seen.streams).toEqual([]);
    await context.close();
  });
});
