// Links with a token, in a real browser: they work with one click in a fresh tab, and ask before they replace the token that a tab has.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { createAccessToken } from '../../src/gate/token.ts';
import { type Door, openApp } from '../harness/app.ts';
import { hasBrowser } from '../harness/browser.ts';
import { encodeQuery, openContext, serveApp, women } from './explore-page.ts';

describe.skipIf(!hasBrowser)('a link with a token', { timeout: 60_000 }, () => {
  let door: Door;
  let origin: string;
  let token: string;
  let foreign: string;
  beforeAll(async () => {
    door = await openApp();
    origin = await serveApp(door);
    token = await door.token(1, 1);
    const [{ user_id: id }] = await door.sql('select user_id from members where group_id = 2 limit 1');
    foreign = await createAccessToken(door.database, 2, id);
  });

  const ready = { '/explore': '.group.root', '/graphql': '.graphiql-execute-button' };
  const readToken = (page: Page) => page.evaluate(() => sessionStorage.getItem('muster:token'));
  /** Answers the questions of a page, and keeps them. */
  const answer = (page: Page, accepts: boolean): string[] => {
    const asked: string[] = [];
    page.removeAllListeners('dialog');
    page.on('dialog', (dialog) => {
      asked.push(dialog.message());
      void (accepts ? dialog.accept() : dialog.dismiss());
    });
    return asked;
  };
  /** Follows a link to the page itself, which loads nothing anew, or to it from elsewhere. */
  const follow = async (page: Page, path: keyof typeof ready, fragment: string, isWithin: boolean): Promise<void> => {
    if (isWithin)
      await page.evaluate((hash) => {
        location.hash = hash;
      }, fragment);
    else {
      await page.goto('about:blank');
      await page.goto(`${origin}${path}#${fragment}`);
    }
    await expect.poll(() => page.url()).not.toContain('mst_');
    await page.locator(ready[path]).waitFor();
  };

  it.each(['/explore', '/graphql'] as const)('works on %s where the browser refuses its storages', async (path) => {
    const { page, context, complaints } = await openContext();
    await page.addInitScript(() => {
      for (const name of ['sessionStorage', 'localStorage'])
        Object.defineProperty(window, name, {
          get: () => {
            throw new DOMException('The operation is insecure.', 'SecurityError');
          },
        });
    });
    await follow(page, path, `token=${token}`, false);
    if (path === '/explore') await page.getByText('1 to 25 of').waitFor();
    else {
      await page.locator('.graphiql-execute-button').click();
      await page.locator('.result-window').getByText('"viewer"').waitFor();
    }
    expect(complaints).toEqual([]);
    await context.close();
  });

  it.each([
    ['/explore', false],
    ['/explore', true],
    ['/graphql', false],
    ['/graphql', true],
  ] as const)('to %s asks before it replaces another one (from the page itself: %s)', async (path, isWithin) => {
    const { page, context, complaints } = await openContext();
    let asked = answer(page, false);
    await follow(page, path, `token=${token}`, false);
    expect([await readToken(page), asked]).toEqual([`Bearer ${token}`, []]);
    // The same link again.
    await follow(page, path, `token=${token}`, isWithin);
    expect([await readToken(page), asked]).toEqual([`Bearer ${token}`, []]);
    await follow(page, path, `token=${foreign}`, isWithin);
    await expect.poll(() => asked.length).toBe(1);
    expect(asked[0]).toContain('another access token');
    expect(await readToken(page)).toBe(`Bearer ${token}`);
    await page.reload();
    await page.locator(ready[path]).waitFor();
    expect([await readToken(page), asked.length]).toEqual([`Bearer ${token}`, 1]);
    asked = answer(page, true);
    await follow(page, path, `token=${foreign}`, isWithin);
    await expect.poll(() => readToken(page)).toBe(`Bearer ${foreign}`);
    expect(asked.length).toBe(1);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('that GraphiQL accepts forgets the change and the import of the other space, whose numbers mean others there', async () => {
    const { page, context } = await openContext();
    const keys = ['muster:change', 'muster:import'];
    const readKept = () => page.evaluate((names) => names.map((name) => sessionStorage.getItem(name)), keys);
    await follow(page, '/graphql', `token=${token}`, false);
    await page.evaluate((names) => names.map((name) => sessionStorage.setItem(name, '7')), keys);
    await follow(page, '/graphql', `token=${token}`, false);
    expect(await readKept()).toEqual(['7', '7']);
    answer(page, true);
    await follow(page, '/graphql', `token=${foreign}`, false);
    expect(await readKept()).toEqual([null, null]);
    await context.close();
  });

  it('that is accepted on the segment builder shows the space of the other token, with the segment of the link', async () => {
    const { page, context } = await openContext();
    await follow(page, '/explore', `token=${token}`, false);
    const [{ name }] = await door.sql('select name from spaces where id = 2');
    answer(page, true);
    await follow(page, '/explore', `token=${foreign}&${await encodeQuery(page, women)}`, true);
    await page.locator('.brand bdi', { hasText: name }).waitFor();
    await page.locator('.group.root .condition').first().waitFor();
    await context.close();
  });

  it('is taken by the segment builder that asks for a token, too', async () => {
    const { page, context } = await openContext();
    await page.goto(`${origin}/explore`);
    await page.getByLabel('Access token').waitFor();
    await follow(page, '/explore', `token=${token}&${await encodeQuery(page, women)}`, true);
    await page.locator('.group.root .condition').first().waitFor();
    expect(page.url()).not.toContain(token);
    await context.close();
  });

  it('asks in the language of the page', async () => {
    const { page, context } = await openContext({ locale: 'fr-FR' });
    await follow(page, '/explore', `token=${token}`, false);
    const asked = answer(page, false);
    await follow(page, '/explore', `token=${foreign}`, true);
    await expect.poll(() => asked.length).toBe(1);
    expect(asked[0]).toContain('un autre jeton');
    await context.close();
  });
});
