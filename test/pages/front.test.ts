// The front page in a real browser: strangers see the ways in; whoever is signed in also sees who they are, how many contacts they may see, and the last import.
import { beforeAll, describe, expect, it } from 'vitest';
import { isolate } from '../../packages/pages/browser/lookups.ts';
import { type Door, openApp } from '../harness/app.ts';
import { findBarriers } from '../harness/barriers.ts';
import { hasBrowser } from '../harness/browser.ts';
import { createMember } from '../harness/member.ts';
import { openContext, serveApp } from './explore-page.ts';

describe.skipIf(!hasBrowser)('the front page', { timeout: 60_000 }, () => {
  let door: Door;
  let origin: string;
  beforeAll(async () => {
    door = await openApp();
    origin = await serveApp(door);
    await door.sql(`update users set firstname = 'Grace', surname = 'Hopper' where id = 1`);
    await door.sql(`update spaces set name = 'Les <b>Voisins</b>' where id = 1`);
    await door.sql(
      `insert into imports (group_id, family, name, fingerprint, finished_at) values
         (1, 'contacts', 'members.csv', '', '2026-03-01T12:00:00Z'), (1, 'contact_changes', 'a change', '', now()), (2, 'contacts', 'other.csv', '', now())`,
    );
  });

  const open = async (token?: string, language = 'en') => {
    const { page, context, complaints } = await openContext();
    const asked: string[] = [];
    page.on('request', (request) => request.url().endsWith('/graphql') && asked.push(request.postData()!));
    await page.goto(`${origin}/`);
    if (token) await page.evaluate((held) => sessionStorage.setItem('muster:token', `Bearer ${held}`), token);
    await page.goto(`${origin}/?lang=${language}`);
    const caller = () => page.locator('#caller').textContent();
    return { page, context, complaints, asked, caller };
  };
  const countContacts = async (): Promise<string> => {
    const [{ count }] = await door.sql(
      'select count(*)::int as count from contacts where group_id = 1 and deleted_at is null',
    );
    return count.toLocaleString('en');
  };

  it('says nothing to a stranger, and asks nothing', async () => {
    const { page, context, complaints, asked, caller } = await open();
    await page.locator('.ways').waitFor();
    await page.waitForLoadState('networkidle');
    expect([await caller(), asked, complaints]).toEqual(['', [], []]);
    await context.close();
  });

  it('tells an admin who they are, what they may see, and the last import', async () => {
    const { page, context, complaints, caller } = await open(await door.token(1, 1));
    const sentence = `You are ${isolate('Grace Hopper')}, in ${isolate('Les <b>Voisins</b>')}. You may see ${await countContacts()} contacts. The last import was ${isolate('members.csv')}, on 1 March 2026.`;
    await expect.poll(caller).toBe(sentence);
    for (const width of [1320, 360]) {
      await page.setViewportSize({ width, height: 800 });
      expect([await findBarriers(page), await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([
        [],
        width,
      ]);
    }
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('leaves out of it, in French, what a member may not know', async () => {
    const { context, caller } = await open(await createMember(door, { type: 'user' }), 'fr');
    await expect
      .poll(caller)
      .toMatch(/^Vous êtes dans \u2068Les <b>Voisins<\/b>\u2069\. Vous avez accès à [\d\s]+ contacts\.$/);
    await context.close();
  });

  it('counts one contact, and none, as people write it', async () => {
    const [{ id: space }] = await door.sql(`insert into spaces (name) values ('New') returning id`);
    const token = await createMember(door, { space, type: 'admin' });
    const none = await open(token, 'fr');
    await expect.poll(none.caller).toContain('Vous avez accès à 0 contact.');
    await none.context.close();
    await door.rest('POST', '/contacts', { data: { contact: { surname: 'First' } } }, token);
    const one = await open(token);
    await expect.poll(one.caller).toContain('You may see 1 contact.');
    await one.context.close();
  });

  it('says nothing to a token that is no longer valid', async () => {
    const { context, asked, caller } = await open(`mst_${'x'.repeat(40)}`);
    await expect.poll(() => asked.length).toBe(2);
    expect(await caller()).toBe('');
    await context.close();
  });
});
