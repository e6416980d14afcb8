// The panel of one person in the segment builder: what it asks for whom, and, in a real browser, its card, its timeline and what goes wrong.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { en } from '../../packages/pages/browser/texts-en.ts';
import { fr } from '../../packages/pages/browser/texts-fr.ts';
import { groupOfKind, writePersonDocument } from '../../packages/pages/browser/use-person.ts';
import { contactColumnNames, getFieldName } from '../../src/data/contact/columns.ts';
import { timelineKinds } from '../../src/data/event/timeline.ts';
import { createTimeline, publishChanges } from '../graphql/whole-timeline.ts';
import { runMutation } from '../graphql/writing.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { findBarriers } from '../harness/barriers.ts';
import { hasBrowser } from '../harness/browser.ts';
import { createMember } from '../harness/member.ts';
import { isSmall } from '../harness/sizes.ts';
import { lookAround, openBuilderTests, type Seen, showQuery, waitForCount } from './explore-page.ts';

let door: Door;
let whole: number;
/** Entries of the timeline. */
const total = 27;
const markup = '<img src=x onerror=alert(1)>';
const long = `مرحبا ${'x'.repeat(400)}`;

beforeAll(async () => {
  door = await openApp();
  whole = await createTimeline(door, {
    firstName: 'Ada',
    lastName: 'Panel',
    email: 'ada@example.org',
    mobile: '+33612345678',
    birthDate: '1980-01-01',
    address: { houseNumber: '12', street: 'rue Lepic', postalCode: '75018', city: 'Paris' },
  });
  await runMutation(door, 'createContact', { firstName: 'Bob', lastName: 'Panel' });
  await door.sql(`update users set firstname = 'Grace', surname = 'Hopper' where id = 1`);
  await door.sql(
    `insert into notes (group_id, contact_id, user_id, content, created_at)
     select 1, ?, 1, content, '2024-12-31T23:30:00Z' from unnest(cast(? as text[])) content`,
    [whole, [markup, long]],
  );
  await door.sql(
    `with made as (insert into campaigns (group_id, name) values (1, 'Summer letter') returning id)
     update emails set campaign_id = made.id from made where contact_id = ?`,
    [whole],
  );
  await door.sql(`update donations set amount = 123456 where contact_id = ?`, [whole]);
  await door.sql(`update transactions set amount = 500, currency = 'JPY' where contact_id = ?`, [whole]);
  await door.sql(
    `with form as (insert into forms (group_id, kind, type, label) values (1, 'consent', 'text', 'By phone') returning id)
     insert into consent_changes (group_id, contact_id, form_id, before, after, source, operation, created_at)
     select 1, ?, id, 'no', 'yes', 'Fair 2024', 'updateContact', '2024-12-30T10:00:00Z' from form`,
    [whole],
  );
  // The page follows changes, which publishes what waits.
  await publishChanges(door);
});

describe('the document', () => {
  it.each([
    'contacts.read',
    'contacts.read money.read',
    'contacts.read emails.read',
    'contacts.read emails.read campaigns.read',
    'contacts.read sanctions.read',
    'contacts.read changes.read',
    'contacts.read people.read',
  ])('is answered for a caller with %s', async (names) => {
    const permissions = names.split(' ');
    const token = await createMember(door, { type: 'custom', permissions });
    const { body } = await door.graphql(writePersonDocument(permissions), { id: `Contact:${whole}` }, token);
    expect(body.errors).toBeUndefined();
    expect(body.data.contact.timeline.edges.length).toBeGreaterThan(5);
  });

  it('has each kind of entry in one group, and each language a sentence for it', () => {
    expect(Object.keys(groupOfKind).sort()).toEqual([...timelineKinds].sort());
    for (const { happened } of [en, fr]) expect(Object.keys(happened)).toEqual(expect.arrayContaining(timelineKinds));
  });
});

it('every field of a contact that can change has a name in both languages', async () => {
  const { searchAttributes } = (await door.graphql('{ searchAttributes { path } }')).body.data;
  const searched = searchAttributes.map(({ path }: Json) => path);
  const parts = ['address', 'tags', 'actions', 'answers', 'mergedInto'];
  for (const { otherFields } of [en, fr]) {
    const named = [...searched, ...Object.keys(otherFields)];
    expect([...contactColumnNames.map(getFieldName), ...parts].filter((field) => !named.includes(field))).toEqual([]);
  }
});

describe.skipIf(!hasBrowser)('the panel of a person', { timeout: 60_000 }, () => {
  let openBuilder: (options?: Json, as?: string, at?: string) => Promise<Seen>;
  beforeAll(async () => {
    ({ openBuilder } = await openBuilderTests(door));
  });

  const openPeople = async (options: Json = {}, as?: string): Promise<Seen> => {
    const seen = await openBuilder({ timezoneId: 'Europe/Paris', ...options }, as);
    await showQuery(seen.page, { lastName: { equals: 'Panel' } });
    await waitForCount(seen.page, 2);
    return seen;
  };
  const opener = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const panel = (page: Page, name = 'Ada Panel') => page.getByRole('dialog', { name });
  const entries = (page: Page) => panel(page).locator('.timeline li');
  const status = (page: Page, text: string) => page.getByRole('dialog').getByRole('status').getByText(text).waitFor();
  const listSentences = (page: Page): Promise<string[]> => entries(page).locator('p:first-child').allTextContents();

  it('is opened, read, filtered and closed by keyboard', async () => {
    const { page, context, complaints } = await openPeople();
    const { keyboard } = page;
    await opener(page, 'Ada Panel').focus();
    await keyboard.press('Enter');
    await status(page, '20 entries');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Ada Panel');
    const age = new Date().getFullYear() - 1980;
    const today = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'Europe/Paris' }).format(new Date());
    expect(await panel(page).locator('dd').allTextContents()).toEqual([
      'ada@example.org',
      'nothing',
      '+33612345678',
      '12 rue Lepic75018 Paris',
      `1 January 1980 (${age} years old)`,
      'timely',
      `yes, since ${today} by Grace Hopper`,
      today,
    ]);
    // Its address, its number, and the choice of entries.
    for (let stop = 0; stop < 4; stop++) await keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Show more');
    await keyboard.press('Enter');
    await status(page, `${total} entries`);
    expect(await entries(page).evaluateAll((all) => all.indexOf(document.activeElement as HTMLElement))).toBe(20);
    expect(await panel(page).getByRole('button', { name: 'Show more' }).count()).toBe(0);
    // Every kind has its sentence, and its content.
    const { CONSENT, DELETED, RESTORED, OPTED_IN, ...happened } = en.happened;
    expect(new Set(await listSentences(page))).toEqual(new Set([CONSENT, ...Object.values(happened)]));
    const text = (await entries(page).allTextContents()).join('\n');
    for (const [sentence, content] of [
      [en.happened.ANSWER, 'Timelyyes'],
      [en.happened.CHANGED, 'Nationality'],
      [en.happened.CONSENT, 'By phoneno → yesSource: Fair 2024'],
      [en.happened.DONATION, '€1,234.56'],
      [en.happened.EMAIL_OPENED, 'Summer letter'],
      [en.happened.INTERACTION, 'call'],
      [en.happened.MEMBERSHIP, '€1.00'],
      [en.happened.NOTE, `${markup}00:30 by Grace Hopper`],
      [en.happened.NOTE, `${[...long].slice(0, 200).join('')}…00:30 by Grace Hopper`],
      [en.happened.SANCTION, 'warned'],
      [en.happened.SEGMENT_ENTERED, 'Of the timeline'],
      [en.happened.TRANSACTION, 'JP¥500'],
    ])
      expect(text).toContain(`${sentence}${content}`);
    const days = await panel(page).getByRole('heading', { level: 4 }).allTextContents();
    // Whether there is a comma depends on the browser.
    expect(days.slice(-3).map((day) => day.replace(',', ''))).toEqual([
      'Thursday 2 January 2025',
      'Wednesday 1 January 2025',
      'Monday 30 December 2024',
    ]);
    expect(await panel(page).locator('img').count()).toBe(0);
    // The first letter chooses the mailings.
    const sent: Json[] = [];
    page.on('request', (request) => request.url().endsWith('/graphql') && sent.push(request.postDataJSON().variables));
    await panel(page).getByLabel('Show', { exact: true }).focus();
    await keyboard.type('money');
    await status(page, '3 entries');
    expect(sent.findLast((variables) => variables?.kinds).kinds).toEqual(['DONATION', 'MEMBERSHIP', 'TRANSACTION']);
    expect(await listSentences(page)).toEqual([en.happened.MEMBERSHIP, en.happened.DONATION, en.happened.TRANSACTION]);
    await keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Ada Panel');
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('shows a caller with contacts.read alone what they may see, and no error', async () => {
    const { page, context, complaints } = await openPeople(
      {},
      await createMember(door, { type: 'custom', permissions: ['contacts.read'] }),
    );
    await opener(page, 'Ada Panel').click();
    await status(page, '8 entries');
    expect(new Set(await listSentences(page))).toEqual(
      new Set(
        ['ANSWER', 'CONSENT', 'CREATED', 'INTERACTION', 'NOTE', 'OPTED_OUT'].map((one) => en.happened[one as 'NOTE']),
      ),
    );
    expect(await panel(page).getByText('Grace').count()).toBe(0);
    expect(await panel(page).locator('option').allTextContents()).toEqual([
      'everything',
      'notes, interactions and sanctions',
      'answers and consent',
      'changes',
    ]);
    expect(await panel(page).getByRole('alert').count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it.skipIf(isSmall)('never shows a slow answer for one person under another', async () => {
    const { page, context } = await openPeople();
    let answer = (): void => {};
    await page.route('**/graphql', async (route) => {
      if (route.request().postDataJSON().variables.id === `Contact:${whole}`)
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
      await route.continue().catch(() => {});
    });
    await opener(page, 'Ada Panel').click();
    await status(page, 'Loading');
    await page.keyboard.press('Escape');
    await opener(page, 'Bob Panel').click();
    await status(page, '1 entry');
    answer();
    await page.waitForTimeout(500);
    expect(await panel(page, 'Bob Panel').locator('dd').first().textContent()).toBe('nothing');
    await status(page, '1 entry');
    await context.close();
  });

  it('shows what happened in a year of three digits or fewer, the latest first', async () => {
    const { id: contactId } = await runMutation(door, 'createContact', { firstName: 'Cyd', lastName: 'Typo' });
    const inputs = ['0026-11-21T10:00:00Z', '0999-05-05T10:00:00Z', '2024-05-05T10:00:00Z'];
    for (const transactionDate of inputs)
      await runMutation(door, 'createDonation', { contactId, amount: 100, transactionDate });
    const { page, context, complaints } = await openBuilder({ timezoneId: 'UTC' });
    await showQuery(page, { lastName: { equals: 'Typo' } });
    await waitForCount(page, 1);
    await opener(page, 'Cyd Typo').click();
    await panel(page, 'Cyd Typo').getByLabel('Show', { exact: true }).selectOption('money');
    await status(page, '3 entries');
    expect(await panel(page, 'Cyd Typo').locator('h4').allTextContents()).toEqual([
      'Sunday, 5 May 2024',
      'Sunday, 5 May 999',
      'Saturday, 21 November 26',
    ]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it.skipIf(isSmall)('stays open after a double click, and is closed by a click beside it', async () => {
    const { page, context } = await openPeople({ viewport: { width: 1900, height: 900 } });
    await opener(page, 'Ada Panel').dblclick();
    await status(page, '20 entries');
    await page.locator('dialog[closedby=any]').waitFor();
    await page.mouse.click(300, 300);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Ada Panel');
    await context.close();
  });

  it.skipIf(isSmall)('drops the answer to a filter that was changed meanwhile', async () => {
    const { page, context } = await openPeople();
    await opener(page, 'Ada Panel').click();
    await status(page, '20 entries');
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()!.includes('"NOTE"')) await new Promise((resolve) => setTimeout(resolve, 800));
      await route.continue().catch(() => {});
    });
    const filter = panel(page).getByLabel('Show', { exact: true });
    await filter.selectOption('noted');
    await filter.selectOption('money');
    await status(page, '3 entries');
    await page.waitForTimeout(1000);
    expect(await listSentences(page)).toContain(en.happened.DONATION);
    await context.close();
  });

  it.skipIf(isSmall)('says what went wrong, waits as long as the server asks, and tries again', async () => {
    const { page, context } = await openPeople();
    const refuse = (code: string, headers: Record<string, string>) =>
      page.route('**/graphql', (route) =>
        route.fulfill({ headers, json: { errors: [{ message: 'Too much', extensions: { code } }] } }),
      );
    const notice = page.getByRole('dialog').getByRole('alert');
    await page.route('**/graphql', (route) => route.abort());
    await opener(page, 'Ada Panel').click();
    await notice.getByText('The server cannot be reached.').waitFor();
    await page.unrouteAll();
    await refuse('rate-limited', { 'Retry-After': '1' });
    await notice.getByRole('button', { name: 'Try again' }).click();
    await notice.getByText('The space has used up its requests. Next try in 1 second.').waitFor();
    await page.unrouteAll();
    await status(page, '20 entries');
    expect(await notice.count()).toBe(0);
    // What is there stays while more is refused; entries of another filter do not.
    await page.route('**/graphql', (route) => route.abort());
    await panel(page).getByRole('button', { name: 'Show more' }).click();
    await notice.getByText('cannot be reached').waitFor();
    expect(await entries(page).count()).toBe(20);
    await panel(page).getByLabel('Show', { exact: true }).selectOption('money');
    await expect.poll(() => entries(page).count()).toBe(0);
    await page.unrouteAll();
    await notice.getByRole('button', { name: 'Try again' }).click();
    await status(page, '3 entries');
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('DIALOG');
    await context.close();
  });

  it.skipIf(isSmall)('tells of somebody who was deleted meanwhile, and gives the focus to the list', async () => {
    const { id } = await runMutation(door, 'createContact', { firstName: 'Cid', lastName: 'Gone' });
    const { page, context, complaints } = await openBuilder();
    await showQuery(page, { lastName: { equals: 'Gone' } });
    await waitForCount(page, 1);
    await runMutation(door, 'deleteContact', { id });
    await opener(page, 'Cid Gone').click();
    await panel(page, 'Cid Gone').getByRole('alert').getByText('somebody has deleted them').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await runMutation(door, 'restoreContact', { id });
    await publishChanges(door);
    await page.getByRole('button', { name: 'Try again' }).click();
    await status(page, '3 entries');
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Cid Gone');
    expect(complaints).toEqual([]);
    await context.close();
  });

  it.skipIf(isSmall)('is in French, and has no barrier in either language and theme, wide and narrow', async () => {
    const { page, context, complaints } = await openPeople({ locale: 'fr-FR' });
    const check = (): Promise<void> =>
      lookAround(page, async (as) => {
        const isWide = await page.evaluate(() =>
          [document.documentElement, document.querySelector('dialog')!].some(
            (one) => one.scrollWidth > one.clientWidth,
          ),
        );
        expect([as, await findBarriers(page), isWide]).toEqual([as, [], false]);
      });
    await opener(page, 'Ada Panel').click();
    await status(page, '20 événements');
    await panel(page).getByRole('button', { name: 'Afficher la suite' }).click();
    await status(page, `${total} événements`);
    const text = (await entries(page).allTextContents()).join('\n').replaceAll(/\s/g, ' ');
    for (const [sentence, content] of [
      [fr.happened.CHANGED, 'Nationalité'],
      [fr.happened.CONSENT, 'By phoneno → yesSource : Fair 2024'],
      [fr.happened.DONATION, '1 234,56 €'],
      [fr.happened.NOTE, `${markup}00:30 par Grace Hopper`],
    ])
      expect(text).toContain(`${sentence}${content}`);
    await panel(page).getByRole('heading', { name: 'mercredi 1 janvier 2025' }).waitFor();
    await check();
    await page.keyboard.press('Escape');
    await page.getByLabel('Langue').selectOption('en');
    await opener(page, 'Ada Panel').click();
    await status(page, '20 entries');
    await check();
    expect(complaints).toEqual([]);
    await context.close();
  });
});
