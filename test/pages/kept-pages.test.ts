// Pages that the browser keeps and shows again on the way back, in a real browser that does so: they show nothing of a token that the tab has forgotten.
import { chromium, type Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { type Door, openApp } from '../harness/app.ts';
import { browserOptions, hasBrowser } from '../harness/browser.ts';
import { serveApp } from './explore-page.ts';

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
});
