// Importing a file in the builder, in a real browser: dropped or chosen, its columns, a trial, the job, its result, the refused rows, its undoing, and what goes wrong.
import { buffer } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { continueFileImport } from '../../src/import/contact-file.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { findBarriers } from '../harness/barriers.ts';
import { hasBrowser } from '../harness/browser.ts';
import { createMember } from '../harness/member.ts';
import { openBuilderTests, type Seen } from './explore-page.ts';

let door: Door;
let openBuilder: (options?: Json, as?: string, at?: string) => Promise<Seen>;

const head = 'Nom;Prénom;Né le;Quartier;Courriel';
const createFile = (name: string): string =>
  `${head}\n${name};Zoé;31/12/1999;Nord;${name}@example.org\n${name};Bob;32/01/2000;Sud;\n${name};Cléo;01/02/2000;Sud;bad mail\n`;

describe.skipIf(!hasBrowser)('a file', { timeout: 60_000 }, () => {
  beforeAll(async () => {
    door = await openApp();
    ({ openBuilder } = await openBuilderTests(door));
  });

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const panel = (page: Page, text: string | RegExp) => page.locator('.import').getByText(text).first().waitFor();
  const heading = (page: Page, text: string) => page.getByRole('heading', { name: text, exact: true }).waitFor();
  const choose = (page: Page, name: string, content: string | Buffer) =>
    page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) });
  /** Drops files where the page is. */
  const drop = async (page: Page, files: readonly [name: string, content: string][]): Promise<void> => {
    const data = await page.evaluateHandle((given) => {
      const transfer = new DataTransfer();
      for (const [name, content] of given) transfer.items.add(new File([content], name, { type: 'text/csv' }));
      return transfer;
    }, files);
    await page.dispatchEvent('main', 'dragover', { dataTransfer: data });
    await page.locator('.drop').waitFor();
    await page.dispatchEvent('main', 'drop', { dataTransfer: data });
    await page.locator('.drop').waitFor({ state: 'detached' });
  };
  /** Does what a job does. */
  const work = async (): Promise<void> => {
    const running = await door.sql('select id from import_files where begun_at is not null and ended_at is null');
    for (const { id } of running)
      await continueFileImport(door.database, { space: 1, file: id }, new AbortController().signal);
  };
  const countPeople = async (surname: string): Promise<number> =>
    Number(
      (await door.sql('select count(*) from contacts where surname = ? and deleted_at is null', [surname]))[0].count,
    );
  const download = async (page: Page, name: string): Promise<{ name: string; text: string }> => {
    const [file] = await Promise.all([page.waitForEvent('download'), button(page, name).click()]);
    return { name: file.suggestedFilename(), text: String(await buffer(await file.createReadStream())) };
  };

  it('is dropped, mapped, tried, imported and undone', async () => {
    const { page, context, complaints } = await openBuilder();
    await drop(page, [['adherents.csv', createFile('Dropped')]]);
    await heading(page, 'Import adherents.csv');
    await panel(page, 'The file has 3 rows. Choose what each column becomes.');
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('import');
    const rows = page.locator('.import-table tbody tr');
    expect(await rows.locator('th').allTextContents()).toEqual(head.split(';'));
    expect(await rows.locator('td.quiet').allTextContents()).toEqual([
      'Dropped · Dropped · Dropped',
      'Zoé · Bob · Cléo',
      '31/12/1999 · 32/01/2000 · 01/02/2000',
      'Nord · Sud · Sud',
      'Dropped@example.org · bad mail',
    ]);
    const chosen = () =>
      rows
        .locator('select')
        .evaluateAll((list) => list.map((one) => (one as HTMLSelectElement).selectedOptions[0]!.text));
    expect(await chosen()).toEqual(['Family name', 'First name', 'Day of birth', 'Leave out', 'E-mail address']);
    await page.getByLabel('What “Quartier” becomes').selectOption('tags');
    expect(await findBarriers(page)).toEqual([]);
    await button(page, 'Try').click();
    await panel(page, '3 rows: 1 new person, 0 changed, 0 as before, 2 rows refused. Nothing is written yet.');
    expect(await page.locator('.import-table tbody tr').allTextContents()).toEqual([
      expect.stringMatching(/^3Né le32\/01\/2000must be a date such as 21\/11\/2026 or 2026-11-21, years/),
      '4Courrielbad mailmust be a mail address, such as ada@example.org',
    ]);
    expect(await page.locator('.import').textContent()).not.toContain('--');
    expect(await findBarriers(page)).toEqual([]);
    expect(await countPeople('Dropped')).toBe(0);
    await button(page, 'Import 3 rows').dblclick();
    await page.getByRole('progressbar').waitFor();
    await panel(page, '0 of 3 rows');
    expect(await findBarriers(page)).toEqual([]);
    await work();
    await panel(page, 'Done: 1 new person, 0 changed, 0 as before, 2 rows refused.');
    expect(await countPeople('Dropped')).toBe(1);
    const { name, text: rejects } = await download(page, 'Download the refused rows');
    expect([name, rejects]).toEqual([
      'refused rows of adherents.csv',
      `\ufeffFault;${head}\n"Né le: must be a date such as 21/11/2026 or 2026-11-21, years 0001 to 9999";Dropped;Bob;32/01/2000;Sud;\n` +
        '"Courriel: must be a mail address, such as ada@example.org";Dropped;Cléo;01/02/2000;Sud;bad mail\n',
    ]);
    expect(await findBarriers(page)).toEqual([]);
    await button(page, 'Undo the import').click();
    await panel(page, 'Undone: 1 new person deleted, 0 others as before');
    expect(await countPeople('Dropped')).toBe(0);
    await button(page, 'Close').click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Import a file…');
    await expect.poll(async () => (await door.sql('select count(*) from import_files'))[0].count).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('is not imported in another way than it was tried', async () => {
    const { page, context } = await openBuilder();
    await drop(page, [['late.csv', createFile('Late')]]);
    await panel(page, 'The file has 3 rows.');
    let answer = (): void => {};
    await page.route('**/try', async (route) => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      await route.continue();
    });
    await button(page, 'Try').click();
    await panel(page, 'Working');
    await page.getByLabel('What “Prénom” becomes').selectOption('-');
    const answered = page.waitForResponse('**/try');
    answer();
    await answered;
    await page.locator('.import').getByText('Working').waitFor({ state: 'detached' });
    expect(await button(page, 'Import 3 rows').count()).toBe(0);
    expect(await button(page, 'Try').isEnabled()).toBe(true);
    await context.close();
  });

  it('is imported in French on a narrow screen, by the keyboard alone', async () => {
    const { page, context, complaints } = await openBuilder({
      locale: 'fr-FR',
      viewport: { width: 360, height: 800 },
    });
    await page.locator('.total[data-counting="false"] strong').waitFor();
    const opener = button(page, 'Importer un fichier…');
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), opener.press('Enter')]);
    await chooser.setFiles({ name: 'liste.csv', mimeType: 'text/csv', buffer: Buffer.from(createFile('Clavier')) });
    await panel(page, 'Le fichier a 3 lignes. Choisissez ce que devient chaque colonne.');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    expect(await findBarriers(page)).toEqual([]);
    // From the heading to the column of the quarter, and on to the buttons.
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('import');
    for (let left = 4; left > 0; left--) await page.keyboard.press('Tab');
    await page.keyboard.type('Lieu');
    expect(await page.getByLabel('Ce que devient « Quartier »').inputValue()).toBe('address_location');
    while ((await page.evaluate(() => document.activeElement?.textContent)) !== 'Essayer')
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await panel(page, /3 lignes : 1 nouvelle personne, 0 modifiée, 0 inchangée, 2 lignes refusées\. Rien n’est encore/);
    expect(await page.locator('.import-table tbody tr td:last-child').allTextContents()).toEqual([
      'Il faut une date du calendrier, par exemple 2026-11-21.',
      'Il faut une adresse électronique, par exemple ada@example.org.',
    ]);
    expect(await findBarriers(page)).toEqual([]);
    while ((await page.evaluate(() => document.activeElement?.textContent)) !== 'Importer 3 lignes')
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await panel(page, '0 sur 3 lignes');
    await work();
    await panel(page, 'Terminé : 1 nouvelle personne, 0 modifiée, 0 inchangée, 2 lignes refusées.');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    expect((await download(page, 'Télécharger les lignes refusées')).text).toMatch(
      /\n"Courriel\s: Il faut une adresse électronique, par exemple ada@example.org.";Clavier;Cléo/,
    );
    expect(await findBarriers(page)).toEqual([]);
    await button(page, 'Annuler l’import').click();
    await panel(page, 'Annulé : 1 nouvelle personne supprimée');
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('is followed after the page is loaded again, and stopped', async () => {
    const { page, context } = await openBuilder();
    const people = Array.from({ length: 1200 }, (_, index) => `Again;P${index}`).join('\n');
    await choose(page, 'many.csv', `Nom;Prénom\n${people}\n`);
    await button(page, 'Try').click();
    await panel(page, 'The first 1,000 rows of 1,200 rows were tried, and the others were read: 1,000 new people');
    await panel(page, 'No faults were found.');
    await button(page, 'Import 1,200 rows').click();
    await page.getByRole('progressbar').waitFor();
    const asked = /\/imports\/\d+$/;
    await page.route(asked, (route) => route.fulfill({ status: 503, body: '' }));
    await page.reload();
    await page.waitForResponse(asked);
    await page.unroute(asked);
    await panel(page, '0 of 1,200 rows');
    expect(await findBarriers(page)).toEqual([]);
    await button(page, 'Stop').click();
    await panel(page, 'Stopped: 0 new people and 0 changed ones were written until then.');
    await work();
    expect(await countPeople('Again')).toBe(0);
    await button(page, 'Close').click();
    expect(await page.evaluate(() => sessionStorage.getItem('muster:import'))).toBeNull();
    await context.close();
  });

  it.each([
    'Cancel',
    'another file',
  ])('goes on in sight when it has begun, the answer was lost, and %s follows', async (what) => {
    const { page, context } = await openBuilder();
    await choose(page, 'lost.csv', createFile('Lost'));
    await button(page, 'Try').click();
    await page.route('**/begin', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await button(page, 'Import 3 rows').click();
    await page.getByRole('alert').getByText('cannot be reached').waitFor();
    if (what === 'Cancel') await button(page, what).click();
    else await choose(page, 'other.csv', createFile('Other'));
    await panel(page, '0 of 3 rows');
    await heading(page, 'Import lost.csv');
    await button(page, 'Stop').click();
    await panel(page, 'Stopped: 0 new people');
    await button(page, 'Close').click();
    await button(page, 'Import a file…').waitFor();
    await context.close();
  });

  it('is tried again with other choices', async () => {
    const { page, context } = await openBuilder();
    await choose(page, 'us.csv', 'Last name,Born\nChoice,12/31/1999\n');
    await page.getByLabel('What “Born” becomes').selectOption('birthdate');
    await button(page, 'Try').click();
    await panel(page, 'another order of day, month and year would read it');
    await button(page, 'Back').click();
    expect(await page.getByLabel('What “Born” becomes').inputValue()).toBe('birthdate');
    await page.getByLabel('Dates are written').selectOption('mdy');
    await page.getByLabel('People who are there already').selectOption('create');
    await page.getByLabel('Country of the phone numbers').selectOption('US');
    await page.getByLabel('Leave out a cell with a fault').check();
    await button(page, 'Try').click();
    await panel(page, '1 row: 1 new person');
    await button(page, 'Cancel').click();
    await button(page, 'Import a file…').waitFor();
    await context.close();
  });

  it.each<[what: string, locale: string, name: string, content: string | Buffer, said: string]>([
    [
      'of Excel',
      'en-GB',
      'a.xlsx',
      'PK\x03\x04',
      'The file is a spreadsheet or an archive, not CSV: save it as CSV (UTF-8)',
    ],
    ['of Excel', 'fr-FR', 'a.xlsx', 'PK\x03\x04', 'C’est un classeur de tableur.'],
    ['that is empty', 'fr-FR', 'a.csv', '', 'Le fichier est vide.'],
    [
      'with two columns of one name',
      'fr-FR',
      'a.csv',
      'Nom;Nom\na;b\n',
      'Deux colonnes du fichier s’appellent « Nom »',
    ],
    ['with two columns of one name', 'en-GB', 'a.csv', 'Nom;Nom\na;b\n', 'two columns named Nom: rename one of them'],
    ['that is too large', 'fr-FR', 'a.csv', Buffer.alloc(33_554_433, 'a'), 'Le fichier est trop grand'],
  ])('%s is refused in words (%s)', async (_, locale, name, content, said) => {
    const { page, context } = await openBuilder({ locale });
    await choose(page, name, content);
    await page.getByRole('alert').getByText(said).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await context.close();
  });

  it('that the browser cannot read is not said to be refused by the server', async () => {
    const { page, context } = await openBuilder();
    await page.evaluate(() => {
      Blob.prototype.stream = () => new ReadableStream({ pull: () => Promise.reject(new Error('NotReadable')) });
    });
    await choose(page, 'folder', 'a');
    await page.getByRole('alert').getByText('This is not a file, or it has changed since it was chosen.').waitFor();
    await context.close();
  });

  it('is one, and without a meaning it is not tried', async () => {
    const { page, context } = await openBuilder();
    await drop(page, [
      ['a.csv', 'a'],
      ['b.csv', 'b'],
    ]);
    await page.getByRole('alert').getByText('One file at a time').waitFor();
    await drop(page, [['<b>bold</b>.csv', 'Quartier\n<img src=x onerror=alert(1)>\n']]);
    await heading(page, 'Import <b>bold</b>.csv');
    expect(await page.locator('#import bdi').textContent()).toBe('<b>bold</b>.csv');
    await button(page, 'Try').click();
    await page.getByRole('alert').getByText('Choose what at least one column becomes.').waitFor();
    await context.close();
  });

  it('is offered to those who may import, and is nobody else’s', async () => {
    const { page, context } = await openBuilder({}, await createMember(door, { type: 'manager' }));
    expect(await button(page, 'Import a file…').count()).toBe(0);
    await context.close();
  });
});
