// Changing everybody in a segment of the builder, in a real browser: what it would do, its progress, its end, its undoing, and what goes wrong.
import type { Page, Request } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { continueContactChange } from '../../src/data/import/contact-change.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { findBarriers } from '../harness/barriers.ts';
import { hasBrowser } from '../harness/browser.ts';
import { createMember } from '../harness/member.ts';
import { openBuilderTests, type Seen, showQuery, waitForCount } from './explore-page.ts';

let door: Door;
let openBuilder: (options?: Json, as?: string, at?: string) => Promise<Seen>;
let turn = 0;
/** A query of the people of a test. */
let query: Json;
const many = 600;

const addPeople = (count: number) =>
  door.sql(
    `with made as (insert into contacts (group_id, firstname, surname) select 1, 'Ada', ? from generate_series(1, ?) returning id)
     select refresh_search(1, array(select id from made))`,
    [`Page${turn}`, count],
  );

describe.skipIf(!hasBrowser)('a change of everybody in a segment', { timeout: 60_000 }, () => {
  beforeAll(async () => {
    door = await openApp();
    ({ openBuilder } = await openBuilderTests(door));
  });
  beforeEach(() => {
    turn++;
    query = { lastName: { equals: `Page${turn}` } };
  });

  const tag = '<img src=x onerror=alert(1)>';
  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const status = (page: Page, text: string | RegExp) => page.locator('.change').getByText(text).waitFor();
  const countTagged = async (): Promise<number> => await countPeople({ and: [query, { tags: { equals: tag } }] });
  const countPeople = async (of: Json): Promise<number> =>
    (
      await door.graphql('query ($query: ContactQuery) { searchContacts(query: $query, first: 0) { totalCount } }', {
        query: of,
      })
    ).body.data.searchContacts.totalCount;
  const readChange = async (): Promise<Json> =>
    (await door.sql('select import_id as id, total from bulk_changes order by import_id desc limit 1'))[0];
  const countChanges = async (): Promise<number> =>
    Number((await door.sql('select count(*) from bulk_changes'))[0].count);

  /** Opens the builder with the people of the test, and goes to what the tag would change. */
  const openPreview = async (people: number): Promise<Seen> => {
    await addPeople(people);
    const seen = await openBuilder();
    const { page } = seen;
    await showQuery(page, query);
    await waitForCount(page, people);
    await button(page, 'Change these contacts').click();
    await page.getByRole('combobox', { name: 'Tag', exact: true }).fill(tag);
    await button(page, 'See what would change').click();
    await status(page, `${people} would change`);
    return seen;
  };

  it('is shown before, followed, and undone', async () => {
    const { page, context, complaints } = await openPreview(many);
    await status(page, `Of ${many} contacts, ${many} would change, 0 are so already, and 0 would be refused.`);
    expect(await page.getByRole('list', { name: 'The first of them' }).first().locator('li').allTextContents()).toEqual(
      Array(5).fill(`Ada Page${turn}Tag: nothing → ${tag}`),
    );
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('change');
    expect(await findBarriers(page)).toEqual([]);
    await button(page, `Change ${many} contacts`).dblclick();
    await page.getByRole('progressbar', { name: 'Change these contacts' }).waitFor();
    await status(page, `0 of ${many} contacts`);
    expect(await findBarriers(page)).toEqual([]);
    const { id } = await readChange();
    await continueContactChange(door.database.space(1), id, new AbortController().signal);
    await status(page, `Done: ${many} changed, 0 were so already, 0 refused.`);
    expect([await countTagged(), await countChanges()]).toEqual([many, turn]);
    await button(page, 'Undo').click();
    await status(page, `Undone: ${many} restored, 0 left as they are`);
    expect(await countTagged()).toBe(0);
    await button(page, 'Close').click();
    expect(await page.evaluate(() => sessionStorage.getItem('muster:change'))).toBeNull();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Change these contacts');
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('is not another one than was chosen while the answer about that was on its way', async () => {
    await addPeople(3);
    const { page, context } = await openBuilder();
    await showQuery(page, query);
    await waitForCount(page, 3);
    await button(page, 'Change these contacts').click();
    const kind = page.getByRole('combobox', { name: 'What to change', exact: true });
    await kind.selectOption('delete');
    let answer = (): void => {};
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()!.includes('"dryRun"'))
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
      await route.continue();
    });
    await button(page, 'See what would change').click();
    await status(page, 'Working');
    await kind.selectOption('addTag');
    await page.getByRole('combobox', { name: 'Tag', exact: true }).fill(tag);
    const answered = page.waitForResponse((response) => response.request().postData()?.includes('"dryRun"') === true);
    answer();
    await answered;
    await page.locator('.change').getByText('Working').waitFor({ state: 'detached' });
    expect(await button(page, /contacts$/).count()).toBe(0);
    expect(await button(page, 'See what would change').isEnabled()).toBe(true);
    await context.close();
  });

  it('keeps the focus when what it would do cannot be told', async () => {
    await addPeople(1);
    const { page, context } = await openBuilder();
    await showQuery(page, query);
    await waitForCount(page, 1);
    await button(page, 'Change these contacts').click();
    await page.getByRole('combobox', { name: 'Tag', exact: true }).fill(tag);
    await page.route('**/graphql', (route) =>
      route.request().postData()!.includes('"dryRun"') ? route.fulfill({ status: 503, body: '' }) : route.continue(),
    );
    await button(page, 'See what would change').click();
    await page.locator('.change').getByRole('alert').waitFor();
    expect(await page.evaluate(() => document.activeElement!.closest('.change') !== null)).toBe(true);
    await context.close();
  });

  it('is not of more people than were shown', async () => {
    const { page, context } = await openPreview(3);
    await addPeople(1);
    await button(page, 'Change 3 contacts').click();
    await page.getByRole('alert').getByText('there were 3 contacts, and now there are 4').waitFor();
    expect(await countTagged()).toBe(0);
    await button(page, 'Change 4 contacts').click();
    await status(page, 'Done: 4 changed');
    await waitForCount(page, 4);
    expect(await countTagged()).toBe(4);
    await context.close();
  });

  it('happens once, though its answer is lost and it is sent again', async () => {
    const { page, context } = await openPreview(3);
    const before = await countChanges();
    let isLost = false;
    await page.route('**/graphql', async (route) => {
      if (isLost || !route.request().postData()!.includes('"expectedCount"')) return route.continue();
      isLost = true;
      await page.getByRole('status').getByText('Working').waitFor();
      await route.fetch();
      await route.abort();
    });
    await button(page, 'Change 3 contacts').click();
    await page.getByRole('alert').getByText('cannot be reached').waitFor();
    await button(page, 'Change 3 contacts').click();
    await status(page, 'Done: 3 changed');
    expect(await countChanges()).toBe(before + 1);
    await context.close();
  });

  it('is stopped, and asks again for another segment', async () => {
    const { page, context } = await openPreview(many);
    await showQuery(page, { and: [query, { firstName: { equals: 'Ada' } }] });
    await button(page, 'See what would change').click();
    await button(page, `Change ${many} contacts`).click();
    // The people are read again: some may have been changed.
    const read = page.waitForRequest((request) => request.postData()?.includes('$search') === true);
    await button(page, 'Stop').click();
    await status(page, `Stopped: 0 of ${many} contacts changed.`);
    await read;
    expect(await button(page, 'Undo').count()).toBe(0);
    await context.close();
  });

  it('is followed and stopped after the page is loaded again, and is not shown to another token', async () => {
    const { page, context, complaints } = await openPreview(many);
    await button(page, `Change ${many} contacts`).click();
    await page.getByRole('progressbar').waitFor();
    const isAsked = (request: Request): boolean => request.postData()?.includes('job: contactChange') === true;
    await page.route('**/graphql', (route) => (isAsked(route.request()) ? route.abort() : route.continue()));
    await page.reload();
    await page.waitForEvent('requestfailed', isAsked);
    await page.unroute('**/graphql');
    await status(page, `0 of ${many} contacts`);
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY');
    expect(await findBarriers(page)).toEqual([]);
    await button(page, 'Stop').click();
    await status(page, `Stopped: 0 of ${many} contacts changed.`);
    await page.reload();
    await status(page, `Stopped: 0 of ${many} contacts changed.`);
    page.on('dialog', (dialog) => dialog.accept());
    const other = await createMember(door, { type: 'admin' });
    const isLoaded = page.waitForEvent('load');
    await page.evaluate((token) => {
      location.hash = `token=${token}`;
    }, other);
    await isLoaded;
    expect(await page.evaluate(() => sessionStorage.getItem('muster:change'))).toBeNull();
    await showQuery(page, query);
    await waitForCount(page, many);
    await button(page, 'Change these contacts').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it.each<[kind: string, fill: (page: Page) => Promise<unknown>, said: string | RegExp]>([
    [
      'Remove a tag',
      (page) => page.getByRole('combobox', { name: 'Tag', exact: true }).fill('Bénévole'),
      'Tag: Bénévole → nothing',
    ],
    ['Opt them out', (page) => page.getByLabel('Reason').fill('By letter'), /: no → yes$/],
    [
      'Set a field',
      (page) => page.getByRole('combobox', { name: 'Value', exact: true }).fill('Albi'),
      'City: nothing → Albi',
    ],
    [
      'Clear a field',
      (page) => page.getByLabel('Field', { exact: true }).selectOption('Nationality'),
      'Nationality: FR → nothing',
    ],
    [
      'Answer a form',
      async (page) => {
        await page.getByRole('combobox', { name: 'Form', exact: true }).fill('t-shirt');
        await page.getByRole('option', { name: 'Taille de t-shirt' }).click();
        await page.getByLabel('Answer', { exact: true }).selectOption('XL');
      },
      'Answers: nothing → XL',
    ],
    ['Delete them', async () => {}, 'Ada'],
  ])('%s', async (kind, fill, said) => {
    await addPeople(2);
    await door.sql(
      `with people as (update contacts set nationality = 'FR' where group_id = 1 and surname = ? returning id),
            tag as (select id from tags where group_id = 1 and name = 'Bénévole')
       insert into contact_tags (group_id, contact_id, tag_id) select 1, people.id, tag.id from people, tag`,
      [`Page${turn}`],
    );
    const { page, context, complaints } = await openBuilder({ viewport: { width: 360, height: 800 } });
    const check = async (): Promise<void> => {
      const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      expect([await findBarriers(page), isWide]).toEqual([[], false]);
    };
    await showQuery(page, query);
    await button(page, 'Change these contacts').click();
    await page.getByLabel('What to change').selectOption(kind);
    await fill(page);
    await check();
    await button(page, 'See what would change').click();
    await page.locator('.change .people li').first().getByText(said).waitFor();
    await check();
    await button(page, /^(Change|Delete) 2 contacts$/).click();
    await status(page, 'Done: 2 changed');
    if (kind === 'Delete them') await waitForCount(page, 0);
    await button(page, 'Undo').click();
    await status(page, 'Undone: 2 restored');
    await waitForCount(page, 2);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('leads from left to right, also between names whose script is read from right to left', async () => {
    await addPeople(1);
    await door.sql(`update contacts set birth_city = 'القاهرة' where surname = ?`, [`Page${turn}`]);
    const { page, context } = await openBuilder();
    await showQuery(page, query);
    await waitForCount(page, 1);
    const findLeft = (text: string): Promise<number> =>
      page.evaluate((wanted) => {
        const nodes = document.createNodeIterator(document.querySelector('main')!, NodeFilter.SHOW_TEXT);
        for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
          const at = node.textContent!.indexOf(wanted);
          if (at < 0) continue;
          const range = document.createRange();
          range.setStart(node, at);
          range.setEnd(node, at + wanted.length);
          return range.getBoundingClientRect().x;
        }
        return Number.NaN;
      }, text);
    await button(page, 'Change these contacts').click();
    await page.getByLabel('What to change').selectOption('set');
    await page.locator('.change').getByLabel('Field').selectOption('birthCity');
    await page.locator('.change').getByRole('textbox', { name: 'Value', exact: true }).fill('الإسكندرية');
    await button(page, 'See what would change').click();
    await status(page, '1 would change');
    expect(await findLeft('القاهرة')).toBeLessThan(await findLeft('الإسكندرية'));
    await button(page, 'Save as a segment').click();
    await page.getByLabel('Name', { exact: true }).fill('سلام!');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'سلام!' }).waitFor();
    await button(page, 'Delete').click();
    await button(page, 'Yes, delete it').click();
    await page.getByText('“سلام!” is deleted.').waitFor();
    // The mark at the end of a name stands at its left.
    expect(await findLeft('!')).toBeLessThan(await findLeft('سلام'));
    await context.close();
  });

  it('is not offered without the right to it, nor for a segment of nobody or of everybody', async () => {
    await addPeople(1);
    const { page, context } = await openBuilder(
      {},
      await createMember(door, { type: 'custom', permissions: ['contacts.read'] }),
    );
    await showQuery(page, query);
    await waitForCount(page, 1);
    expect(await button(page, 'Change these contacts').count()).toBe(0);
    await context.close();
    const other = await openBuilder();
    await waitForCount(other.page, await countPeople(undefined));
    expect(await button(other.page, 'Change these contacts').count()).toBe(0);
    await showQuery(other.page, { lastName: { equals: 'Nobody at all' } });
    await waitForCount(other.page, 0);
    expect(await button(other.page, 'Change these contacts').count()).toBe(0);
    await other.context.close();
  });
});
