// The saved segments of the builder in a real browser: how they are opened, by the list and by links, saved, changed and deleted, also while others do the same.
import type { Route } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { hasBrowser } from '../harness/browser.ts';
import { openBuilderTests, type Seen, showQuery, someQuery, waitForCount, women } from './explore-page.ts';

let door: Door;
let find: (query: Json) => Promise<{ total: number; ids: string[] }>;
let openBuilder: (options?: Json, as?: string, at?: string) => Promise<Seen>;

describe.skipIf(!hasBrowser)('the segment builder', { timeout: 60_000 }, () => {
  beforeAll(async () => {
    door = await openApp();
    ({ find, openBuilder } = await openBuilderTests(door));
  });

  const everybody = async () => (await find(undefined)).total;

  it('shows the segment that was opened last, whichever answer comes last', async () => {
    const document =
      'mutation ($input: SegmentCreateInput!) { createSegment(input: $input) { segment { databaseId } } }';
    const create = async (name: string, gender: string): Promise<number> =>
      (await door.graphql(document, { input: { name, query: { gender: { equals: gender } } } })).body.data.createSegment
        .segment.databaseId;
    const [slow] = [await create('Slow', 'M'), await create('Quick', 'F')];
    const { page, context } = await openBuilder();
    let answers: (() => void)[] = [];
    await page.route('**/graphql', async (route) => {
      if (route.request().postDataJSON().variables.id === `Segment:${slow}`)
        await new Promise<void>((resolve) => answers.push(resolve));
      await route.continue().catch(() => {});
    });
    const letAnswer = async (): Promise<void> => {
      await expect.poll(() => answers.length).toBe(1);
      answers[0]!();
      answers = [];
      await page.waitForTimeout(500);
    };
    const list = page.getByLabel('Open a saved segment…');
    await list.selectOption({ label: 'Slow' });
    await list.selectOption({ label: 'Quick' });
    await page.getByRole('heading', { name: 'Quick', level: 1 }).waitFor();
    await letAnswer();
    expect(await page.locator('h1').textContent()).toBe('Quick');
    await list.selectOption({ label: 'Slow' });
    await page.getByRole('button', { name: 'Start anew' }).click();
    await letAnswer();
    expect(await page.locator('h1').textContent()).toBe('Find people');
    expect(page.url()).not.toContain('segment=');
    await context.close();
  });

  it('opens any saved segment by the keys alone', async () => {
    const document = 'mutation ($input: SegmentCreateInput!) { createSegment(input: $input) { segment { id } } }';
    for (const name of ['!1', '!2']) await door.graphql(document, { input: { name, query: women } });
    const { page, context } = await openBuilder();
    await showQuery(page, someQuery);
    const list = page.getByLabel('Open a saved segment…');
    await list.focus();
    await page.keyboard.press('ArrowDown');
    await page.waitForTimeout(500);
    expect(await page.locator('h1').textContent()).toBe('Find people');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '!2', level: 1 }).waitFor();
    await context.close();
  });

  it('opens the segment of a link once the server answers, and keeps its address until then', async () => {
    const { body } = await door.graphql(
      'mutation ($input: SegmentCreateInput!) { createSegment(input: $input) { segment { databaseId } } }',
      { input: { name: 'Awaited', query: women } },
    );
    const hash = `#segment=${body.data.createSegment.segment.databaseId}`;
    const { page, context } = await openBuilder();
    const alert = page.getByRole('alert');
    const isSegment = (route: Route): boolean =>
      String(route.request().postDataJSON().variables.id).startsWith('Segment:');
    // A proxy says so by a page of its own.
    const gone = { status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' };
    await page.route('**/graphql', (route) => (isSegment(route) ? route.fulfill(gone) : route.continue()));
    await page.evaluate((to) => {
      location.hash = to;
    }, hash);
    await alert.getByText('The server cannot be reached.').waitFor();
    await page.unrouteAll();
    const json = { errors: [{ message: 'Too much', extensions: { code: 'rate-limited' } }] };
    await page.route('**/graphql', (route) =>
      isSegment(route) ? route.fulfill({ headers: { 'Retry-After': '1' }, json }) : route.continue(),
    );
    await alert.getByText('The space has used up its requests. Next try in 1 second.').waitFor();
    expect(page.url()).toMatch(new RegExp(`${hash}$`));
    await page.unrouteAll();
    await page.getByRole('heading', { name: 'Awaited' }).waitFor();
    expect(await alert.count()).toBe(0);
    expect(page.url()).toMatch(new RegExp(`${hash}$`));
    await context.close();
  });

  it('says why the segment of a link cannot be read, and not that there is none', async () => {
    const { page, context } = await openBuilder();
    const open = async (hash: string, said: string): Promise<void> => {
      await page.evaluate((to) => {
        location.hash = to;
      }, hash);
      await page.getByRole('alert').getByText(said).waitFor();
    };
    await open('#segment=99999', 'There is no such segment.');
    await page.route('**/graphql', (route) =>
      String(route.request().postDataJSON().variables.id).startsWith('Segment:')
        ? route.fulfill({ status: 500, json: { errors: [{ message: 'Broken', extensions: { code: 'internal' } }] } })
        : route.continue(),
    );
    await open('#segment=1', 'The server answered: Broken');
    // A reload is to try again, after the page had time to write its address.
    await page.waitForTimeout(500);
    expect(page.url()).toMatch(/#segment=1$/);
    await page.unrouteAll();
    await open('#segment=abc', 'There is no such segment.');
    // It is not said of the next link.
    await page.evaluate(() => {
      location.hash = '#columns=email';
    });
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await context.close();
  });

  it('asks nothing more with a token that is forgotten while the segment of a link is awaited', async () => {
    const { page, context, requested } = await openBuilder();
    await page.route('**/graphql', (route) => route.abort());
    await page.evaluate(() => {
      location.hash = '#segment=1';
    });
    await page.getByRole('alert').getByText('The server cannot be reached.').first().waitFor();
    await page.getByRole('button', { name: 'Forget the token' }).click();
    await page.getByLabel('Access token').waitFor();
    const asked = requested.length;
    // The next attempt would come after two seconds.
    await page.waitForTimeout(2500);
    expect(requested.slice(asked)).toEqual([]);
    await context.close();
  });

  it('gives the focus a place when what had it is gone, and says that it loads', async () => {
    const { page, context } = await openBuilder();
    await showQuery(page, women);
    const press = async (name: string): Promise<void> => {
      await page.getByRole('button', { name, exact: true }).last().focus();
      await page.keyboard.press('Enter');
    };
    const waitForFocus = (text: string) =>
      expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe(text);
    await press('Save as a segment');
    await press('Cancel');
    await waitForFocus('Find people');
    await press('Save as a segment');
    await page.keyboard.type('Focused');
    await page.keyboard.press('Enter');
    await waitForFocus('Focused');
    await press('Export…');
    await press('Export');
    await page.getByText('The file is ready.').waitFor();
    await waitForFocus('Focused');
    await press('Delete');
    await press('Yes, delete it');
    await waitForFocus('Find people');
    await press('Start anew');
    await waitForFocus('Find people');
    await press('Forget the token');
    const field = page.getByLabel('Access token');
    const isFocused = () => field.evaluate((it) => it === document.activeElement);
    await expect.poll(isFocused).toBe(true);
    let answer = (): void => {};
    await page.route('**/graphql', (route) => {
      answer = () => void route.continue();
    });
    await page.keyboard.type('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('main').getByRole('status').getByText('Loading…').waitFor();
    answer();
    await page.getByRole('alert').getByText('does not accept').waitFor();
    expect(await isFocused()).toBe(true);
    await context.close();
  });

  it('asks again whether the segment that is open is to be deleted, and lists the segments that a full bucket kept back', async () => {
    const document = 'mutation ($input: SegmentCreateInput!) { createSegment(input: $input) { segment { id } } }';
    for (const name of ['Doomed', 'Kept']) await door.graphql(document, { input: { name, query: women } });
    const { page, context } = await openBuilder();
    const json = { errors: [{ message: 'Too much', extensions: { code: 'rate-limited' } }] };
    let refused = 0;
    await page.route('**/graphql', (route) =>
      route.request().postData()!.includes('segments(first') && refused++ === 0
        ? route.fulfill({ headers: { 'Retry-After': '1' }, json })
        : route.continue(),
    );
    await page.reload();
    const list = page.getByLabel('Open a saved segment…');
    await list.selectOption({ label: 'Doomed' });
    expect(refused).toBeGreaterThan(1);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Delete “Doomed” for good?').waitFor();
    await list.selectOption({ label: 'Kept' });
    await page.getByRole('heading', { name: 'Kept', level: 1 }).waitFor();
    expect(await page.getByRole('button', { name: 'Yes, delete it' }).count()).toBe(0);
    // Somebody else is faster.
    const [{ id }] = await door.sql(`select id from segments where group_id = 1 and name = 'Kept'`);
    await door.graphql(`mutation { deleteSegment(input: { id: "Segment:${id}" }) { deletedId } }`);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Yes, delete it' }).click();
    await page.getByText('“Kept” is deleted.').waitFor();
    await expect.poll(() => list.getByRole('option', { name: 'Kept' }).count()).toBe(0);
    await context.close();
  });

  it('knows the segment that it has saved, whose ids the server writes in full', async () => {
    const created = await door.graphql(
      'mutation ($input: SegmentCreateInput!) { createSegment(input: $input) { segment { databaseId } } }',
      { input: { name: 'Used', query: women } },
    );
    const { databaseId } = created.body.data.createSegment.segment;
    const uses = { segment: { in: [databaseId] } };
    // No tree of the contract says this: the file names the segment.
    const deep = { or: [uses, { and: [women, { or: [uses, { and: [uses, { tags: { exists: true } }] }] }] }] };
    const { page, context } = await openBuilder();
    await showQuery(page, deep);
    await waitForCount(page, (await find(women)).total);
    await page.getByRole('button', { name: 'Save as a segment' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Uses another');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const look = async (): Promise<void> => {
      await page.getByRole('heading', { name: 'Uses another' }).waitFor();
      await expect.poll(() => page.url()).toMatch(/#segment=\d+$/);
      // A name from right to left, or with an override of the direction, turns nothing behind it.
      expect(await page.locator('h1 bdi').textContent()).toBe('Uses another');
      expect(await page.getByRole('button', { name: 'Save changes' }).count()).toBe(0);
    };
    await look();
    await page.reload();
    await look();
    await page.getByRole('button', { name: 'Export' }).first().click();
    const download = page.waitForEvent('download');
    await page.getByRole('dialog').getByRole('button', { name: 'Export' }).click();
    await download;
    await context.close();
  });

  it('keeps the name that is typed for a segment while something else is done', async () => {
    const { page, context } = await openBuilder();
    await showQuery(page, women);
    await page.getByRole('button', { name: 'Save as a segment' }).click();
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('Half');
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('The link holds the whole segment.').waitFor();
    expect(await name.inputValue()).toBe('Half');
    // A segment needs a condition.
    await page.getByRole('button', { name: 'Remove the condition Gender' }).click();
    await page.getByRole('button', { name: 'Save', exact: true, disabled: true }).waitFor();
    expect(await name.inputValue()).toBe('Half');
    await context.close();
  });

  it('saves a segment, opens it by its address, changes it and deletes it', async () => {
    const { page, context, complaints } = await openBuilder();
    await showQuery(page, women);
    await waitForCount(page, (await find(women)).total);
    await page.getByRole('button', { name: 'Save as a segment' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Women');
    await page.getByLabel('What it is for').fill('Everyone by gender');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'Women' }).waitFor();
    await expect.poll(() => page.url()).toMatch(/#segment=\d+$/);
    const address = page.url();
    await page.getByRole('button', { name: 'Start anew' }).click();
    await waitForCount(page, await everybody());
    await page.getByLabel('Open a saved segment…').selectOption({ label: 'Women' });
    await waitForCount(page, (await find(women)).total);
    await page.evaluate((to) => {
      location.href = to;
    }, address);
    await page.getByRole('heading', { name: 'Women' }).waitFor();
    await page.getByRole('group', { name: 'Condition 1' }).getByLabel('Value').selectOption('M');
    await page.getByText('changed since').waitFor();
    await page.waitForURL(/&version=/);
    const changed = page.url();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('“Women” is saved.').waitFor();
    // The address of the changes is that of the segment that has them.
    await page.waitForURL(/#segment=\d+$/);
    await page.evaluate((to) => {
      location.href = to;
    }, changed);
    await page.waitForURL(/#segment=\d+$/);
    await page.getByRole('heading', { name: 'Women' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    const id = address.split('=').at(-1);
    const { body } = await door.graphql(`{ segment(id: "Segment:${id}") { version query description } }`);
    expect(body.data.segment).toMatchObject({ query: { gender: { equals: 'M' } }, description: 'Everyone by gender' });
    // A link to another question closes it: what is shown then must not be saved in its place.
    await showQuery(page, someQuery);
    await waitForCount(page, (await find(someQuery)).total);
    await page.getByRole('heading', { name: 'Women' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Save changes' }).count()).toBe(0);
    await page.goBack();
    await page.getByRole('heading', { name: 'Women' }).waitFor();
    await waitForCount(page, (await find({ gender: { equals: 'M' } })).total);
    // Somebody else changes it meanwhile.
    await door.graphql('mutation ($input: SegmentUpdateInput!) { updateSegment(input: $input) { segment { id } } }', {
      input: { id: `Segment:${id}`, query: { gender: { equals: 'O' } } },
    });
    await page.getByRole('group', { name: 'Condition 1' }).getByLabel('Value').selectOption('F');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Somebody else has changed this segment').waitFor();
    // Nor is it saved over that after a reload, which keeps what is on the page.
    await page.waitForURL(/&version=/);
    await page.reload();
    await page.getByText('Somebody else has changed this segment').waitFor();
    await waitForCount(page, (await find(women)).total);
    expect(await page.getByRole('button', { name: 'Save changes' }).count()).toBe(0);
    await page.getByLabel('Open a saved segment…').selectOption({ label: 'Women' });
    await waitForCount(page, (await find({ gender: { equals: 'O' } })).total);
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Yes, delete it' }).click();
    await page.getByText('“Women” is deleted.').waitFor();
    expect((await door.graphql(`{ segment(id: "Segment:${id}") { id } }`)).body.data.segment).toBeNull();
    expect(complaints).toEqual([]);
    await context.close();
  });
});
