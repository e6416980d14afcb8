// The segment builder in a real browser: by keyboard, with faults, links, texts to copy, saved segments, permissions, languages, and what axe finds.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { hasBrowser } from '../harness/browser.ts';
import {
  encodeQuery,
  findBarriers,
  listen,
  openContext,
  readCount,
  type Seen,
  seesAll,
  seesCount,
} from './explore-page.ts';

const run = promisify(execFile);

let door: Door;
let origin: string;
let token: string;

describe.skipIf(!hasBrowser)('the segment builder', { timeout: 60_000 }, () => {
  beforeAll(async () => {
    door = await openApp();
    origin = await listen(door);
    token = await door.token(1, 1);
  });

  const find = async (query: Json): Promise<{ total: number; ids: string[] }> => {
    const document =
      'query ($query: ContactQuery) { searchContacts(first: 1000, query: $query) { totalCount nodes { id } } }';
    const { totalCount, nodes } = (await door.graphql(document, { query })).body.data.searchContacts;
    return { total: totalCount, ids: nodes.map(({ id }: Json) => id) };
  };
  const openBuilder = async (options: Json = {}, as = token, at = origin): Promise<Seen> => {
    const seen = await openContext(options);
    await seen.page.goto(`${at}/explore#token=${as}`);
    await seen.page.locator('.group.root').waitFor();
    return seen;
  };
  const show = async (page: Page, query: Json): Promise<void> => {
    const fragment = await encodeQuery(page, query);
    await page.evaluate((hash) => {
      location.hash = hash;
    }, fragment);
  };

  const everybody = async () => (await find(undefined)).total;
  const women = { gender: { equals: 'F' } };
  const some = {
    and: [
      women,
      { birthDate: { gte: 'now-60y' } },
      { or: [{ tags: { in: ['Bénévole', 'Sympathisant'] } }, { donations: { total: { gte: 5000 } } }] },
    ],
  };

  it('is used by keyboard alone, keeps the token private, and counts as the API does', async () => {
    const { page, context, requested, complaints } = await openBuilder();
    expect(page.url()).toBe(`${origin}/explore`);
    await seesCount(page, await everybody());
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
    await seesCount(page, (await find(women)).total);

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
    await seesAll(page, (await find(query)).total);
    expect(await page.locator('.people li').count()).toBe(8);
    // What each condition finds alone is what a search for it finds.
    const alone = page.locator('.condition .cost strong');
    await expect
      .poll(async () => (await alone.allTextContents()).map((text) => Number(text.replace(/\D/g, ''))))
      .toEqual([(await find(women)).total, (await find(query.and[1])).total]);

    await tabTo('Remove the condition Tag');
    await keyboard.press('Enter');
    await seesCount(page, (await find(women)).total);
    expect(await page.evaluate(() => ({ ...sessionStorage }))).toEqual({ 'muster:token': `Bearer ${token}` });
    expect(await page.evaluate(() => localStorage.length + document.cookie.length)).toBe(0);
    expect(requested.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('data:'))).toEqual([]);
    expect(requested.filter((url) => url.includes('mst_') || url.includes('#'))).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('shows a fault at its condition, and takes it away with the fault', async () => {
    const { page, context, complaints } = await openBuilder();
    await show(page, { and: [women, { birthDate: { gte: 'now-60y' } }] });
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
    await seesCount(page, (await find({ and: [women, { birthDate: { gte: 'now-30y' } }] })).total);
    expect(await page.locator('.faults').count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('never shows the result of an older search over that of a newer one', async () => {
    const { page, context } = await openBuilder();
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('"M"')) await new Promise((resolve) => setTimeout(resolve, 1500));
      await route.continue().catch(() => {});
    });
    await show(page, { gender: { equals: 'M' } });
    const value = page.getByRole('group', { name: 'Condition 1' }).getByLabel('Value');
    await value.waitFor();
    await page.waitForTimeout(400);
    await value.selectOption('O');
    const { total } = await find({ gender: { equals: 'O' } });
    await seesCount(page, total);
    await page.waitForTimeout(1500);
    expect(await readCount(page)).toBe(total);
    await context.close();
  });

  it('waits when the space has used up its requests, says so, and goes on by itself', async () => {
    const poor = await openApp({ BUCKET_CAPACITY: 20, BUCKET_REFILL: 1.5 }, undefined, door);
    const { page, context, complaints } = await openBuilder({}, token, await listen(poor));
    await page
      .getByRole('alert')
      .filter({ hasText: 'used up its requests' })
      .or(page.locator('.chart').nth(3))
      .first()
      .waitFor();
    await show(page, women);
    await page.getByRole('alert').filter({ hasText: 'used up its requests' }).waitFor();
    await expect.poll(() => page.getByRole('alert').count(), { timeout: 20_000 }).toBe(0);
    await seesAll(page, (await find(women)).total);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('has a link that holds the whole segment, and says what is wrong with one that is broken', async () => {
    const { page, context } = await openBuilder();
    await show(page, some);
    await seesCount(page, (await find(some)).total);
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('The link holds the whole segment.').waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(link).toMatch(/\/explore#query=1\.[\w-]+$/);
    const other = await context.newPage();
    await other.goto(link);
    // Another tab has no token.
    await other.getByLabel('Access token').fill('mst_wrong');
    await other.getByRole('button', { name: 'Continue' }).click();
    await other.getByText('does not accept this token').waitFor();
    await other.getByLabel('Access token').fill(token);
    await other.keyboard.press('Enter');
    await seesCount(other, (await find(some)).total);
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
    await context.close();
  });

  it('offers the question as four texts, each of which finds the same people', async () => {
    const { page, context } = await openBuilder();
    await show(page, some);
    const { total, ids } = await find(some);
    await seesCount(page, total);
    const read = async (tab: string): Promise<string> => {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByRole('button', { name: /^(Copy|Copied)$/ }).click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    const graphql = (await door.graphql(await read('GraphQL'))).body.data.searchContacts;
    expect([graphql.totalCount, graphql.nodes.map(({ id }: Json) => id)]).toEqual([total, ids.slice(0, 50)]);
    const rest = (await door.rest('POST', '/search', await read('REST'))).body.data;
    expect([rest.total, rest.contacts.map(({ id }: Json) => `Contact:${id}`)]).toEqual([total, ids.slice(0, 50)]);
    const env = { ...process.env, MUSTER_TOKEN: token };
    const curl = JSON.parse((await run('sh', ['-c', await read('curl')], { env })).stdout).data.searchContacts;
    expect([curl.totalCount, curl.nodes.map(({ id }: Json) => id)]).toEqual([total, ids.slice(0, 500)]);
    const folder = mkdtempSync(join(tmpdir(), 'muster-'));
    const program = join(folder, 'segment.mts');
    writeFileSync(program, await read('TypeScript'));
    const { stdout } = await run(process.execPath, ['--import', import.meta.resolve('tsx'), program], { env });
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split('\t')[0]),
    ).toEqual(ids);
    rmSync(folder, { recursive: true });

    await page.getByRole('tab', { name: 'GraphQL' }).click();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => page.getByRole('tab', { selected: true }).textContent()).toBe('REST');
    await show(page, { and: [women, { not: { emails: { openedAt: { exists: true } } } }] });
    await page.getByText('Only GraphQL').or(page.getByText('GraphQL alone can ask this')).waitFor();
    await context.close();
  });

  it('saves a segment, opens it by its address, changes it and deletes it', async () => {
    const { page, context, complaints } = await openBuilder();
    await show(page, women);
    await seesCount(page, (await find(women)).total);
    await page.getByRole('button', { name: 'Save as a segment' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Women');
    await page.getByLabel('What it is for').fill('Everyone by gender');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'Women' }).waitFor();
    await expect.poll(() => page.url()).toMatch(/#segment=\d+$/);
    const address = page.url();
    await page.getByRole('button', { name: 'Start anew' }).click();
    await seesCount(page, await everybody());
    await page.getByLabel('Open a saved segment…').selectOption({ label: 'Women' });
    await seesCount(page, (await find(women)).total);
    await page.evaluate((to) => {
      location.href = to;
    }, address);
    await page.getByRole('heading', { name: 'Women' }).waitFor();
    await page.getByRole('group', { name: 'Condition 1' }).getByLabel('Value').selectOption('M');
    await page.getByText('changed since').waitFor();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('“Women” is saved.').waitFor();
    const id = address.split('=').at(-1);
    const { body } = await door.graphql(`{ segment(id: "Segment:${id}") { version query description } }`);
    expect(body.data.segment).toMatchObject({ query: { gender: { equals: 'M' } }, description: 'Everyone by gender' });
    // Somebody else changes it meanwhile.
    await door.graphql('mutation ($input: SegmentUpdateInput!) { updateSegment(input: $input) { segment { id } } }', {
      input: { id: `Segment:${id}`, query: { gender: { equals: 'O' } } },
    });
    await page.getByRole('group', { name: 'Condition 1' }).getByLabel('Value').selectOption('F');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Somebody else has changed this segment').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Yes, delete it' }).click();
    await page.getByText('“Women” is deleted.').waitFor();
    expect((await door.graphql(`{ segment(id: "Segment:${id}") { id } }`)).body.data.segment).toBeNull();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('exports everyone in the segment', async () => {
    const { page, context } = await openBuilder();
    await show(page, women);
    const { total } = await find(women);
    await seesCount(page, total);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('segment.csv');
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\r\n');
    expect(lines.length).toBe(total + 1);

    // One that the contract's notation cannot say is exported once it is saved.
    const deep = { and: [women, { not: { emails: { openedAt: { exists: true } } } }] };
    await show(page, deep);
    await seesCount(page, (await find(deep)).total);
    await page.getByRole('button', { name: 'Export CSV' }).click();
    await page.getByText('a saved segment can always be exported').waitFor();
    await page.getByRole('button', { name: 'Save as a segment' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Unmoved');
    await page.keyboard.press('Enter');
    await page.getByText('“Unmoved” is saved.').waitFor();
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe('Unmoved.csv');
    const rows = readFileSync(await saved.path(), 'utf8')
      .trim()
      .split('\r\n');
    expect(rows.length).toBe((await find(deep)).total + 1);
    await context.close();
  });

  it('offers a plain role only what it may do', async () => {
    const [{ id }] = await door.sql(
      `with role as (insert into roles (group_id, name, type, permissions) values (1, 'Reader', 'custom', '{contacts.read}') returning id),
            person as (insert into users (mail) values ('page-reader@example.org') returning id)
       insert into members (group_id, user_id, role_id) select 1, person.id, role.id from person, role returning user_id as id`,
    );
    const { page, context } = await openBuilder({}, await door.token(1, id));
    await page.getByRole('button', { name: 'Add a condition' }).click();
    const options = await page.getByLabel('Attribute').locator('option').allTextContents();
    expect(options).toContain('Gender');
    expect(options.filter((text) => /donation|membership|transaction|e-mail made|sanction/i.test(text))).toEqual([]);
    expect(await page.getByRole('button', { name: /Export|Save/ }).count()).toBe(0);
    await show(page, { donations: { count: { gte: 1 } } });
    await page.getByRole('alert').filter({ hasText: 'donations' }).waitFor();
    await context.close();
  });

  /** Where the pictures of the docs go: MUSTER_SCREENSHOTS=docs/images writes them. */
  const { MUSTER_SCREENSHOTS: pictures } = process.env;
  const takePicture = async (page: Page, name: string): Promise<void> => {
    if (!pictures) return;
    await page.evaluate('document.activeElement.blur(), scrollTo(0, 0)');
    await page.screenshot({ path: join(pictures, `${name}.png`) });
  };

  it.each([
    ['light', 1320, 'en-GB'],
    ['dark', 1320, 'fr-FR'],
    ['light', 360, 'fr-FR'],
    ['dark', 360, 'en-GB'],
  ] as const)('has no barrier that axe finds, nor a sideways scroll: %s, %i pixels, %s', async (colorScheme, width, locale) => {
    const { page, context, complaints } = await openBuilder({
      ...{ colorScheme, locale, viewport: { width, height: 800 } },
    });
    const french = locale.startsWith('fr');
    const isWide = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    await show(page, { and: [...some.and, { not: { emails: { openedAt: { exists: true } } } }] });
    await page.locator('.chart').nth(3).waitFor();
    await page.locator('.condition .cost strong').nth(4).waitFor();
    await page.locator('.stale').waitFor({ state: 'detached' });
    await takePicture(page, `explore-${colorScheme}-${width}`);
    expect(await page.evaluate(() => document.documentElement.lang)).toBe(french ? 'fr' : 'en');
    expect(await findBarriers(page)).toEqual([]);
    expect(await isWide()).toBe(false);
    // The other language, at once and without a request for a page.
    await page.getByLabel(french ? 'Langue' : 'Language').selectOption(french ? 'en' : 'fr');
    await page.getByRole('heading', { name: french ? 'The same question' : 'La même question' }).waitFor();
    expect(page.url()).toContain(`?lang=${french ? 'en' : 'fr'}#query=`);
    expect(await isWide()).toBe(false);
    await page.goto(`${origin}/?lang=${french ? 'fr' : 'en'}`);
    await takePicture(page, `front-${colorScheme}-${width}`);
    expect(await findBarriers(page)).toEqual([]);
    expect(await isWide()).toBe(false);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
