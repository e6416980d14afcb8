// What a segment of the builder is good for, in a real browser: texts to copy, exports, and what a plain role may do.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { hasBrowser, launchBrowser } from '../harness/browser.ts';
import { openBuilderTests, type Seen, showQuery, someQuery, waitForCount, women } from './explore-page.ts';

const run = promisify(execFile);

let door: Door;
let token: string;
let find: (query: Json) => Promise<{ total: number; ids: string[] }>;
let openBuilder: (options?: Json, as?: string, at?: string) => Promise<Seen>;

describe.skipIf(!hasBrowser)('the segment builder', { timeout: 60_000 }, () => {
  beforeAll(async () => {
    door = await openApp();
    ({ token, find, openBuilder } = await openBuilderTests(door, launchBrowser));
  });

  it('copies in a page without TLS, which has no clipboard of its own', async () => {
    const { page } = await openBuilder();
    const copy = async (name: string, said: string): Promise<string> => {
      await page.evaluate(() =>
        Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true }),
      );
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByText(said).first().waitFor();
      return page.evaluate(() => {
        delete (navigator as { clipboard?: unknown }).clipboard;
        return navigator.clipboard.readText();
      });
    };
    expect(await copy('Copy', 'Copied')).toContain('searchContacts');
    expect(await copy('Copy link', 'The link holds')).toContain('/explore');
  });

  it('copies where the browser refuses its clipboard to scripts, and says so where nothing can be copied', async () => {
    const { page, context, complaints } = await openBuilder();
    const readClipboard = () => page.evaluate(() => navigator.clipboard.readText());
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new DOMException('Write permission denied.'));
    });
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await readClipboard()).toContain('searchContacts');
    await page.evaluate(() => {
      document.execCommand = () => false;
    });
    await page.getByRole('button', { name: 'Copied' }).click();
    await page.getByRole('button', { name: 'The browser refuses to copy.' }).waitFor();
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.locator('.segments').getByText('The browser refuses to copy.').waitFor();
    expect(await readClipboard()).toContain('searchContacts');
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('offers the question as four texts, each of which finds the same people', async () => {
    const { page, context } = await openBuilder();
    await showQuery(page, someQuery);
    const { total, ids } = await find(someQuery);
    await waitForCount(page, total);
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
    await showQuery(page, { and: [women, { not: { emails: { openedAt: { exists: true } } } }] });
    await page.getByText('Only GraphQL').or(page.getByText('GraphQL alone can ask this')).waitFor();
    await context.close();
  });

  it('exports everyone in the segment', async () => {
    const { page, context } = await openBuilder();
    await showQuery(page, women);
    const { total } = await find(women);
    await waitForCount(page, total);
    const openExport = (): Promise<void> => page.getByRole('button', { name: 'Export…' }).click();
    await openExport();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export', exact: true }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('segment.csv');
    const lines = (await text(await download.createReadStream())).trim().split('\r\n');
    expect(lines.length).toBe(total + 1);

    // One that the contract's notation cannot say is exported once it is saved.
    const deep = { and: [women, { not: { emails: { openedAt: { exists: true } } } }] };
    await showQuery(page, deep);
    await waitForCount(page, (await find(deep)).total);
    await openExport();
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByText('a saved segment can always be exported').waitFor();
    await page.getByRole('button', { name: 'Save as a segment' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Unmoved');
    await page.keyboard.press('Enter');
    await page.getByText('“Unmoved” is saved.').waitFor();
    await openExport();
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export', exact: true }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe('Unmoved.csv');
    const rows = (await text(await saved.createReadStream())).trim().split('\r\n');
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
    await showQuery(page, { donations: { count: { gte: 1 } } });
    await page.getByRole('alert').filter({ hasText: 'donations' }).waitFor();
    await context.close();
  });
});
