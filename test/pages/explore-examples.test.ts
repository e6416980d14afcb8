// The questions that an empty builder offers to start from, in a real browser.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { hasBrowser } from '../harness/browser.ts';
import { createMember } from '../harness/member.ts';
import { openBuilderTests, type Seen, showQuery, waitForCount } from './explore-page.ts';

let door: Door;
let find: (query: Json) => Promise<{ total: number; ids: string[] }>;
let openBuilder: (options?: Json, as?: string, at?: string) => Promise<Seen>;

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

describe.skipIf(!hasBrowser)('the empty page', { timeout: 60_000 }, () => {
  beforeAll(async () => {
    door = await openApp();
    ({ find, openBuilder } = await openBuilderTests(door));
  });

  it('offers questions of the space with their counts in one request, and shows one with a click', async () => {
    const { page, context, complaints } = await openBuilder();
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.postData()?.includes('lapsedDonors')) asked.push(request.url());
    });
    const examples = page.getByRole('region', { name: 'Start with an example' });
    await examples.waitFor();
    const year = new Date().getUTCFullYear();
    const gave = (from: number, to: number): Json => ({
      donations: { transactionDate: { between: { from: `${from}-01-01`, to: `${to}-12-31` } } },
    });
    const { total } = await find({ and: [gave(year - 1, year - 1), { not: gave(year, year + 50) }] });
    const donors = examples.getByRole('button', { name: 'Gave last year' });
    expect(await donors.textContent()).toBe(`Gave last year, but not yet this year ${total} people`);
    await donors.click();
    await waitForCount(page, total);
    expect(await examples.count()).toBe(0);
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Attribute');
    await button(page, 'Start anew').click();
    for (const name of ['opened an e-mail', 'Were members']) {
      const one = examples.getByRole('button', { name });
      const count = Number(/(\d+) (person|people)$/.exec((await one.textContent())!)![1]);
      await one.click();
      await waitForCount(page, count);
      await button(page, 'Start anew').click();
    }
    await examples.waitFor();
    expect(asked).toHaveLength(1);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('offers them after a link was followed, too, with the largest city of everybody', async () => {
    const { page, context } = await openBuilder();
    await showQuery(page, { address: { city: { equals: 'Marseille' } } });
    await page.reload();
    await page.locator('.chart').nth(3).waitFor();
    await page.locator('.stale').first().waitFor({ state: 'detached' });
    let asked = 0;
    page.on('request', (request) => {
      if (request.postData()?.includes('lapsedDonors')) asked++;
    });
    await button(page, 'Start anew').click();
    const examples = page.getByRole('region', { name: 'Start with an example' });
    await examples.getByText('Live in Paris').waitFor();
    expect(asked).toBe(1);
    await context.close();
  });

  it('offers none that the caller may not ask, or that finds nobody', async () => {
    const poor = await createMember(door, { type: 'custom', permissions: ['contacts.read', 'emails.read'] });
    const { page, context } = await openBuilder({}, poor);
    const examples = page.getByRole('region', { name: 'Start with an example' });
    await examples.waitFor();
    expect(await examples.getByRole('listitem').count()).toBe(1);
    await examples.getByText('opened an e-mail').waitFor();
    await context.close();
    const empty = await createMember(door, { type: 'superadmin', space: 2 });
    await door.sql('delete from emails where group_id = 2');
    await door.sql('delete from donations where group_id = 2');
    await door.sql('delete from memberships where group_id = 2');
    const other = await openBuilder({}, empty);
    await other.page.locator('.chart').nth(3).waitFor();
    await other.page.waitForTimeout(700);
    expect(await other.page.getByText('Start with an example').count()).toBe(0);
    await other.context.close();
  });
});
