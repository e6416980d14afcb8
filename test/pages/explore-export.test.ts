// The export of the segment builder in a real browser: its dialog by keyboard, the file for Excel in both languages, and the file for programs.
import { execFile } from 'node:child_process';
import { buffer, text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { findBarriers } from '../harness/barriers.ts';
import { hasBrowser } from '../harness/browser.ts';
import { openBuilderTests, type Seen, showQuery, waitForCount } from './explore-page.ts';

let door: Door;
let openBuilder: (options?: Json, as?: string, at?: string) => Promise<Seen>;

const run = promisify(execFile);
const hasPython = await run('python3', ['--version']).then(
  () => true,
  () => false,
);
const script = `
import csv, io, json, sys
file = io.TextIOWrapper(sys.stdin.buffer, encoding='utf-8-sig', newline='')
print(json.dumps(list(csv.reader(file, delimiter=sys.argv[1]))))
`;

/** The rows of a downloaded file, as Python reads them. */
const takeRows = async (page: Page, begin: () => Promise<void>, separator: string): Promise<string[][]> => {
  const [download] = await Promise.all([page.waitForEvent('download'), begin()]);
  const reading = run('python3', ['-c', script, separator]);
  reading.child.stdin!.end(await buffer(await download.createReadStream()));
  return JSON.parse((await reading).stdout);
};

describe.skipIf(!hasBrowser || !hasPython)('the export of the segment builder', { timeout: 120_000 }, () => {
  const one = { id: { in: [1] } };
  beforeAll(async () => {
    door = await openApp();
    ({ openBuilder } = await openBuilderTests(door));
    const input = {
      id: 'Contact:1',
      firstName: 'Zoé',
      lastName: 'L’Œuvre',
      phone: '0612345678',
      birthDate: '1980-02-03',
      gender: 'F',
    };
    const { body } = await door.graphql(
      'mutation ($input: ContactUpdateInput!) { updateContact(input: $input) { contact { id } } }',
      { input },
    );
    expect(body.errors).toBeUndefined();
  });

  it.each([
    [
      'en-GB',
      ',',
      ['Export…', 'Export', 'Date of birth', 'Gender', 'Landline'],
      ['First name', 'Last name', 'female', 'Zoé'],
    ],
    [
      'fr-FR',
      ';',
      ['Exporter…', 'Exporter', 'Date de naissance', 'Genre', 'Téléphone fixe'],
      ['Prénom', 'Nom', 'féminin', 'Zoé'],
    ],
  ] as const)('gives Excel the columns that are chosen, in %s, with the keyboard alone', async (locale, separator, words, wanted) => {
    const [opener, now, birth, gender, phone] = words;
    const { page, context, complaints } = await openBuilder({ locale });
    await showQuery(page, one);
    await waitForCount(page, 1);
    const button = page.getByRole('button', { name: opener, exact: true });
    await button.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    expect(await dialog.getByRole('radio').first().isChecked()).toBe(true);
    expect(await findBarriers(page)).toEqual([]);

    // Escape gives it up, and the focus is where it was.
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => button.evaluate((it) => it === document.activeElement)).toBe(true);

    await page.keyboard.press('Enter');
    for (const name of [birth, gender, phone]) {
      await dialog.getByRole('checkbox', { name, exact: true }).focus();
      await page.keyboard.press('Space');
    }
    const chosen = await dialog.getByRole('checkbox', { checked: true }).count();
    // The names, and the three columns of the list.
    expect(chosen).toBe(5 + 3);
    const rows = await takeRows(page, () => page.keyboard.press('Enter'), separator);
    const row = Object.fromEntries(rows[0]!.map((head, index) => [head, rows[1]![index]]));
    expect(rows).toHaveLength(2);
    expect([rows[0]!.filter((head) => wanted.includes(head as never)).length, row[wanted[0]], row[wanted[1]]]).toEqual([
      2,
      'Zoé',
      'L’Œuvre',
    ]);
    expect([row[birth], row[gender], row[phone]]).toEqual(['1980-02-03', wanted[2], '06 12 34 56 78']);

    // The choice is kept for the next time; without a column there is nothing to export.
    await button.click();
    expect(await dialog.getByRole('checkbox', { name: birth, exact: true }).isChecked()).toBe(true);
    for (const checked of await dialog
      .getByRole('checkbox', { checked: true })
      .all()
      .then((all) => all.reverse()))
      await checked.uncheck();
    expect(await dialog.getByRole('button', { name: now, exact: true }).isDisabled()).toBe(true);
    expect(await dialog.getByRole('status').textContent()).toMatch(/column|colonne/);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('gives programs the file that it always gave, and fits a narrow screen', async () => {
    const { page, context, complaints } = await openBuilder({ viewport: { width: 360, height: 740 } });
    await showQuery(page, one);
    await waitForCount(page, 1);
    await page.getByRole('button', { name: 'Export…' }).click();
    const dialog = page.getByRole('dialog');
    const { width, left } = await dialog.evaluate((it) => ({
      width: it.scrollWidth - it.clientWidth,
      left: it.getBoundingClientRect().left,
    }));
    expect([width <= 0, left >= 0]).toEqual([true, true]);
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByRole('radio', { name: 'For other programs' }).check();
    expect(await dialog.getByRole('checkbox').count()).toBe(0);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Export', exact: true }).click(),
    ]);
    const search = {
      data: {
        advanced_search: { query: { $all: [{ $all: [{ $condition: { attr: 'id', ope: 'any_of', value: [1] } }] }] } },
      },
    };
    const { text: wanted } = await door.rest('POST', '/export', search, undefined, { Accept: 'text/csv' });
    expect(await text(await download.createReadStream())).toBe(wanted);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
