// Pages after the tab has forgotten its token, in a real browser, which keeps pages and shows them again on the way back: nothing of the token, and nothing of what it showed.
import { chromium, type Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { type Door, openApp } from '../harness/app.ts';
import { browserOptions, hasBrowser } from '../harness/browser.ts';
import { serveApp, showQuery, women } from './explore-page.ts';

describe.skipIf(!hasBrowser)('a page that the browser has kept', { timeout: 60_000 }, async () => {
  // The browser of the run keeps no pages.
  const launched = hasBrowser
    ? chromium.launch({ ...browserOptions, ignoreDefaultArgs: ['--disable-back-forward-cache'] })
    : undefined;
  afterAll(async () => (await launched)?.close());
  const mark = (page: Page) => page.evaluate(() => Object.assign(window, { isKept: true }));
  const isKept = (page: Page) => page.evaluate(() => 'isKept' in window);
  const goBack = (page: Page) => page.evaluate(() => history.back());

  it('is loaded anew on the way back when the tab has forgotten the token, and stays otherwise', async () => {
    const door: Door = await openApp();
    const origin = await serveApp(door);
    const page = await (await (await launched!).newContext({ locale: 'en-GB' })).newPage();
    const people = page.locator('table.list').first();
    const caller = page.locator('#caller', { hasText: 'You are' });
    await page.goto(`${origin}/explore#token=${await door.token(1, 1)}`);
    await people.waitFor();
    await mark(page);
    await page.getByRole('link', { name: 'GraphiQL' }).click();
    await page.locator('.graphiql-execute-button').waitFor();
    await mark(page);
    await page.goto(origin);
    await caller.waitFor();
    await mark(page);
    await page.goto(`${origin}/docs/guide`);
    await goBack(page);
    await caller.waitFor();
    // Otherwise this browser keeps no pages, and the rest says nothing.
    expect(await isKept(page)).toBe(true);
    await page.goto(`${origin}/explore`);
    await people.waitFor();
    await page.getByRole('button', { name: 'Forget the token' }).click();
    await page.locator('form.token').waitFor();
    await goBack(page);
    await expect.poll(() => isKept(page)).toBe(false);
    expect(await page.locator('#caller').textContent()).not.toContain('You are');
    await goBack(page);
    await page.waitForURL('**/graphql');
    await expect.poll(() => isKept(page).catch(() => true)).toBe(false);
    await page.locator('.graphiql-execute-button').waitFor();
    expect(await page.evaluate(() => sessionStorage.getItem('muster:token'))).toBe(null);
    await goBack(page);
    await page.waitForURL('**/explore**');
    await expect.poll(() => isKept(page).catch(() => true)).toBe(false);
    await page.locator('form.token').waitFor();
    expect(await people.count()).toBe(0);
  });

  it('is left with its segment and its words when the token is forgotten', async () => {
    const door: Door = await openApp();
    const origin = await serveApp(door);
    const page = await (await (await launched!).newContext({ locale: 'en-GB' })).newPage();
    const [{ user_id: id }] = await door.sql('select user_id from members where group_id = 2 limit 1');
    await page.goto(`${origin}/explore#token=${await door.token(1, 1)}&text=durand`);
    await showQuery(page, women);
    await page.locator('.group.root .condition').first().waitFor();
    await page.getByRole('searchbox').fill('durand');
    await expect.poll(() => page.url()).toContain('text=durand');
    await page.getByRole('button', { name: 'Forget the token' }).click();
    await page.locator('form.token').waitFor();
    expect(new URL(page.url()).hash).toBe('');
    await page.locator('form.token input').fill(await door.token(2, Number(id)));
    await page.keyboard.press('Enter');
    await page.locator('.group.root').waitFor();
    expect(await page.locator('.group.root .condition').count()).toBe(0);
    expect(await page.getByRole('searchbox').inputValue()).toBe('');
    expect(new URL(page.url()).hash).toBe('');
  });
});
