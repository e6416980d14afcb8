// The segment builder in a real browser: by keyboard, with faults, under load, by links, in both languages, and what axe finds.
import { join } from 'node:path';
import type { Page, Request } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { findBarriers } from '../harness/barriers.ts';
import { hasBrowser, launchBrowser } from '../harness/browser.ts';
import { createMember } from '../harness/member.ts';
import { isSmall } from '../harness/sizes.ts';
import {
  encodeQuery,
  openBuilderTests,
  openContext,
  readCount,
  type Seen,
  serveApp,
  showQuery,
  someQuery,
  waitForCharts,
  waitForCount,
  women,
} from './explore-page.ts';

let door: Door;
let origin: string;
let token: string;
let find: (query: Json) => Promise<{ total: number; ids: string[] }>;
let openBuilder: (options?: Json, as?: string, at?: string) => Promise<Seen>;

describe.skipIf(!hasBrowser)('the segment builder', { timeout: 60_000 }, () => {
  beforeAll(async () => {
    door = await openApp();
    ({ origin, token, find, openBuilder } = await openBuilderTests(door, launchBrowser));
  });

  const everybody = async () => (await find(undefined)).total;

  it('says that there are more than the ceiling, until the charts know how many', async () => {
    const { page, context } = await openBuilder();
    await waitForCount(page, await everybody());
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/graphql', async (route) => {
      const body = route.request().postData()!;
      if (body.includes('count(upTo'))
        return route.fulfill({ json: { data: { searchContacts: { count: { value: 10_000, isExact: false } } } } });
      if (body.includes('contactFacets')) await held;
      return route.continue();
    });
    await showQuery(page, women);
    await page.locator('.total').getByText('more than 10,000').waitFor();
    expect(await page.getByText('of everybody').count()).toBe(0);
    release();
    await waitForCount(page, (await find(women)).total);
    await page.getByText('of everybody').waitFor();
    await context.close();
  });

  it('shows no number of people for a segment that it could not count, and counts it on request', async () => {
    const { page, context } = await openBuilder();
    await waitForCount(page, await everybody());
    await page.route('**/graphql', (route) => route.abort());
    await showQuery(page, women);
    await page.locator('.count').getByText('The server cannot be reached.').waitFor();
    expect(await page.locator('.total').textContent()).toBe('');
    await page.unrouteAll();
    await page.locator('.count').getByRole('button', { name: 'Try again' }).click();
    await waitForCount(page, (await find(women)).total);
    await context.close();
  });

  it('tells a small share with the comma of French', async () => {
    const { page, context } = await openBuilder({ locale: 'fr' });
    await page.route('**/graphql', (route) =>
      route.request().postData()!.includes('count(upTo')
        ? route.fulfill({ json: { data: { searchContacts: { count: { value: 0.1, isExact: true } } } } })
        : route.continue(),
    );
    await showQuery(page, women);
    await page.locator('.count').getByText('< 0,1 % du total').waitFor();
    await context.close();
  });

  it('tells the share of everybody who is there by now, in a space that was empty when the page was opened', async () => {
    const [{ id: space }] = await door.sql(`insert into spaces (name) values ('New') returning id`);
    const caller = await createMember(door, { space, type: 'admin' });
    const { page, context } = await openBuilder({}, caller);
    await waitForCount(page, 0);
    for (const gender of ['F', 'F', 'F', 'M'])
      await door.rest('POST', '/contacts', { data: { contact: { gender } } }, caller);
    await showQuery(page, women);
    await waitForCharts(page, 3);
    expect(await page.locator('.count').textContent()).toContain('75 % of everybody');
    await context.close();
  });

  it('is used by keyboard alone, keeps the token private, and counts as the API does', async () => {
    const { page, context, requested, complaints } = await openBuilder();
    expect(page.url()).toBe(`${origin}/explore`);
    await waitForCount(page, await everybody());
    const { keyboard } = page;
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
    const tabTo = async (label: string) => {
      for (let steps = 0; steps < 40; steps++) {
        if ((await focused()) === label) return;
        await keyboard.press('Tab');
      }
      throw new Error(`No Tab leads to ${label}`);
    };
    await tabTo('Add a condition');
    await keyboard.press('Enter');
    await expect.poll(focused).toBe('Attribute');
    await keyboard.type('Gender');
    await keyboard.press('Tab');
    expect(await focused()).toBe('Operator');
    await keyboard.press('Tab');
    await keyboard.type('fem');
    await waitForCount(page, (await find(women)).total);

    await tabTo('Add a group');
    await keyboard.press('Enter');
    await expect.poll(focused).toBe('How the conditions of this group are joined');
    await tabTo('Attribute');
    await keyboard.type('Tag');
    await tabTo('Operator');
    await keyboard.type('has one');
    await tabTo('Value');
    await keyboard.type('bénév');
    const choices = page.getByRole('listbox').locator('li');
    await choices.first().waitFor();
    expect(await choices.allTextContents()).toContain('Bénévole');
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await keyboard.type('Sympathisant');
    await keyboard.press('Enter');
    const query = { and: [women, { tags: { in: ['Bénévole', 'Sympathisant'] } }] };
    await waitForCharts(page, (await find(query)).total);
    expect(await page.locator('.list tbody tr').count()).toBe(Math.min(25, (await find(query)).total));
    // What each condition finds alone is what a search for it finds.
    const alone = page.locator('.condition .cost strong');
    await expect
      .poll(async () => (await alone.allTextContents()).map((text) => Number(text.replace(/\D/g, ''))))
      .toEqual([(await find(women)).total, (await find(query.and[1])).total]);

    await tabTo('Remove the condition Tag');
    await keyboard.press('Enter');
    await waitForCount(page, (await find(women)).total);
    expect(await page.evaluate(() => ({ ...sessionStorage }))).toEqual({ 'muster:token': `Bearer ${token}` });
    expect(await page.evaluate(() => localStorage.length + document.cookie.length)).toBe(0);
    expect(requested.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('data:'))).toEqual([]);
    expect(requested.filter((url) => url.includes('mst_') || url.includes('#'))).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it.skipIf(isSmall)('shows a fault at its condition, and takes it away with the fault', async () => {
    const { page, context, complaints } = await openBuilder();
    await showQuery(page, { and: [women, { birthDate: { gte: 'now-60y' } }] });
    const condition = page.getByRole('group', { name: 'Condition 2' });
    await condition.getByLabel('Kind of date').selectOption('text');
    const field = condition.getByLabel('Value').locator('input');
    await field.fill('tomorrow');
    await condition.locator('.faults').waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    const described = await field.getAttribute('aria-describedby');
    expect(await page.locator(`[id="${described}"]`).textContent()).toMatch(/^must be a date such as/);
    expect(await page.getByRole('group', { name: 'Condition 1' }).locator('.faults').count()).toBe(0);
    expect(await page.getByRole('alert').textContent()).toContain('See the marked conditions');
    expect(await findBarriers(page)).toEqual([]);
    await field.fill('now-30y');
    await waitForCount(page, (await find({ and: [women, { birthDate: { gte: 'now-30y' } }] })).total);
    expect(await page.locator('.faults').count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it.skipIf(isSmall)('never shows the result of an older search over that of a newer one', async () => {
    const { page, context } = await openBuilder();
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('"M"')) await new Promise((resolve) => setTimeout(resolve, 1500));
      await route.continue().catch(() => {});
    });
    await showQuery(page, { gender: { equals: 'M' } });
    const value = page.getByRole('group', { name: 'Condition 1' }).getByLabel('Value');
    await value.waitFor();
    await page.waitForTimeout(400);
    await value.selectOption('O');
    const { total } = await find({ gender: { equals: 'O' } });
    await waitForCount(page, total);
    await page.waitForTimeout(1500);
    expect(await readCount(page)).toBe(total);
    await context.close();
  });

  it.skipIf(isSmall)('searches seldom while somebody types, and gives up a search that is overtaken', async () => {
    const { page, context, complaints } = await openBuilder();
    await showQuery(page, { lastName: { startsWith: 'M' } });
    await waitForCharts(page, (await find({ lastName: { startsWith: 'M' } })).total);
    const sent: string[] = [];
    const aborted: string[] = [];
    const readPrefix = (request: Request): string => request.postDataJSON().variables.query.lastName.startsWith;
    page.on('request', (request) => request.postData()?.includes('first: 0') && sent.push(readPrefix(request)));
    page.on('requestfailed', (request) => aborted.push(`${readPrefix(request)}: ${request.failure()?.errorText}`));
    await page.route('**/graphql', async (route) => {
      // It is never answered.
      if (readPrefix(route.request()) !== 'Martin-Dupont') await route.continue().catch(() => {});
    });
    const value = page.getByRole('group', { name: 'Condition 1' }).getByLabel('Value');
    await value.press('End');
    await value.pressSequentially('artin-Dupont', { delay: 20 });
    await expect.poll(() => sent.at(-1)).toBe('Martin-Dupont');
    // A slow machine may pause between some of the twelve keys.
    expect(sent.length).toBeLessThan(6);
    expect(aborted.filter((one) => one.startsWith('Martin-Dupont:'))).toEqual([]);
    await value.fill('Mar');
    await expect.poll(() => aborted).toContain('Martin-Dupont: net::ERR_ABORTED');
    await waitForCount(page, (await find({ lastName: { startsWith: 'Mar' } })).total);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it.skipIf(isSmall)('waits when the space has used up its requests, says so, and goes on by itself', async () => {
    const poor = await openApp({ BUCKET_CAPACITY: 20, BUCKET_REFILL: 1.5 }, undefined, door);
    const { page, context, complaints } = await openBuilder({}, token, await serveApp(poor));
    await page
      .getByRole('alert')
      .filter({ hasText: 'used up its requests' })
      .or(page.locator('.chart').nth(3))
      .first()
      .waitFor();
    await showQuery(page, women);
    await page.getByRole('alert').filter({ hasText: 'used up its requests' }).waitFor();
    await expect.poll(() => page.getByRole('alert').count(), { timeout: 20_000 }).toBe(0);
    await waitForCharts(page, (await find(women)).total);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('has a link that holds the whole segment, and says what is wrong with one that is broken', async () => {
    const { page, context } = await openBuilder();
    await showQuery(page, someQuery);
    await waitForCount(page, (await find(someQuery)).total);
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('The link holds the whole segment.').waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(link).toMatch(/\/explore#query=1\.[\w-]+$/);
    const other = await context.newPage();
    await other.goto(link);
    // Another tab has no token.
    await other.getByLabel('Access token').fill('mst_wrong…');
    await other.getByRole('button', { name: 'Continue' }).click();
    await other.getByText('does not accept this token').waitFor();
    await other.getByLabel('Access token').fill(token);
    await other.keyboard.press('Enter');
    await waitForCount(other, (await find(someQuery)).total);
    const text = (of: Page) => of.locator('pre code').textContent();
    expect(await text(other)).toBe(await text(page));
    for (const [broken, message] of [
      [link.slice(0, -5), 'cut off or changed'],
      [link.replace('query=1.', 'query=2.'), 'newer version'],
      [`${origin}/explore#${await encodeQuery(other, { shoeSize: { equals: 5 } })}`, 'something at shoeSize'],
      [`${origin}/explore#segment=999999`, 'no such segment'],
    ] as const) {
      await other.evaluate((address) => {
        location.href = address;
      }, broken);
      await other.getByRole('alert').filter({ hasText: message }).waitFor();
    }
    // A link that cannot be read stays in the address, so that a reload says so again.
    const broken = link.slice(0, -5);
    const another = await context.newPage();
    await another.goto(`${broken}&token=${token}`);
    await waitForCount(another, await everybody());
    await another.waitForTimeout(500);
    expect(another.url()).toBe(broken);
    // A segment that is gone is told of, although there is a query to show.
    await another.goto(link.replace('#', '#segment=999999&'));
    await another.reload();
    await another.getByRole('alert').filter({ hasText: 'no such segment' }).waitFor();
    await waitForCount(another, (await find(someQuery)).total);
    await another.waitForTimeout(500);
    expect(await another.getByRole('alert').count()).toBe(1);
    await context.close();
  });

  /** Where the pictures of the docs go: MUSTER_SCREENSHOTS=docs/images writes them. */
  const { MUSTER_SCREENSHOTS: pictures } = process.env;
  const takePicture = async (page: Page, name: string): Promise<void> => {
    if (!pictures) return;
    await page.evaluate('document.activeElement.blur(), scrollTo(0, 0)');
    await page.screenshot({ path: join(pictures, `${name}.png`) });
  };

  it('says so when its token is revoked while it is open', async () => {
    const { page, context } = await openBuilder({}, await createMember(door, { type: 'admin' }));
    await waitForCount(page, await everybody());
    await door.sql('update tokens set revoked_at = now() where id = (select max(id) from tokens)');
    await showQuery(page, women);
    await page.getByRole('alert').filter({ hasText: 'The server does not accept this token.' }).first().waitFor();
    await context.close();
  });

  it('breaks the names of a space and a segment that are long and have no space', async () => {
    const name = 'Bezirksschornsteinfeger'.repeat(10);
    const { body } = await door.graphql(
      'mutation ($input: SegmentCreateInput!) { createSegment(input: $input) { segment { databaseId } } }',
      { input: { name, query: women } },
    );
    const [before] = await door.sql('select name from spaces where id = 1');
    await door.sql(`update spaces set name = '${name}' where id = 1`);
    const { page, context } = await openBuilder({ viewport: { width: 360, height: 800 } });
    await page.goto(`${origin}/explore#segment=${body.data.createSegment.segment.databaseId}`);
    await page.getByRole('heading', { name }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Yes, delete it' }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    await context.close();
    await door.sql(`update spaces set name = '${before!.name}' where id = 1`);
  });

  it.skipIf(isSmall)(
    'has no barrier that axe finds, nor a sideways scroll: light and dark, wide and narrow, in both languages',
    async () => {
      const { page, context, complaints } = await openBuilder({ locale: 'fr-FR' });
      await showQuery(page, { and: [...someQuery.and, { not: { emails: { openedAt: { exists: true } } } }] });
      await page.locator('.chart').nth(3).waitFor();
      await page.locator('.condition .cost strong').nth(4).waitFor();
      await page.locator('.stale').first().waitFor({ state: 'detached' });
      const check = async (name: string): Promise<void> => {
        for (const [colorScheme, width] of [
          ['light', 1320],
          ['dark', 1320],
          ['dark', 360],
          ['light', 360],
        ] as const) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize({ width, height: 800 });
          await takePicture(page, `${name}-${colorScheme}-${width}`);
          const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
          expect([name, colorScheme, width, await findBarriers(page), isWide]).toEqual([
            name,
            colorScheme,
            width,
            [],
            false,
          ]);
        }
      };
      expect(await page.evaluate(() => document.documentElement.lang)).toBe('fr');
      await check('explore-fr');
      // The other language, at once and without a request for a page.
      await page.getByLabel('Langue').selectOption('en');
      await page.getByRole('heading', { name: 'The same question' }).waitFor();
      expect(page.url()).toContain('?lang=en#query=');
      await check('explore-en');
      await page.goto(`${origin}/?lang=en`);
      await check('front-en');
      expect(complaints).toEqual([]);
      await context.close();
    },
  );

  it.skipIf(isSmall)(
    'has no barrier in its token form, its completions, the form that saves a segment, nor while it searches',
    async () => {
      const { page, context, complaints } = await openContext();
      const check = async (what: string): Promise<void> => {
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          expect([what, colorScheme, await findBarriers(page)]).toEqual([what, colorScheme, []]);
        }
      };
      await page.goto(`${origin}/explore`);
      const field = page.getByLabel('Access token');
      await field.waitFor();
      await check('token form');
      await field.fill('mst_wrong');
      await page.keyboard.press('Enter');
      await page.getByText('does not accept this token').waitFor();
      await check('refused token');
      await field.fill(token);
      await page.keyboard.press('Enter');
      await page.locator('.group.root').waitFor();
      await showQuery(page, { and: [women, { tags: { equals: 'B' } }] });
      await page.getByRole('combobox', { name: 'Value' }).last().press('ArrowDown');
      await page.getByRole('option', { name: 'Bénévole' }).waitFor();
      await page.keyboard.press('ArrowDown');
      await page.locator('li[role=option][aria-selected=true]').waitFor();
      await check('completions');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Save as a segment' }).click();
      await page.getByLabel('What it is for').waitFor();
      await check('form that saves');
      await page.locator('.cost:not(.stale)').first().waitFor();
      await page.locator('.stale').first().waitFor({ state: 'detached' });
      await page.route('**/graphql', () => {});
      await page.getByRole('group', { name: 'Condition 1' }).getByLabel('Value').selectOption('M');
      await page.locator('.cost.stale').first().waitFor();
      await check('search under way');
      expect(complaints).toEqual([]);
      await context.close();
    },
  );
});
