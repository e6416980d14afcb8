// Dates in words and conditions on one record in the segment builder, in a real browser: "this year", "has given nothing this year", both languages, links, saved segments, the keyboard.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { findBarriers } from '../harness/barriers.ts';
import { hasBrowser } from '../harness/browser.ts';
import { encodeQuery, openBuilderTests, type Seen, showQuery, waitForCount } from './explore-page.ts';

let door: Door;
let find: (query: Json) => Promise<{ total: number; ids: string[] }>;
let openBuilder: (options?: Json, as?: string, at?: string) => Promise<Seen>;

const words = {
  'en-GB': {
    add: 'Add a condition',
    condition: 'Condition',
    attribute: 'Attribute',
    operator: 'Operator',
    first: [
      'today',
      'this week',
      'this month',
      'this year',
      'last year',
      'in the last 30 days',
      'in the last 90 days',
      'in the last 365 days',
      'on or before',
      'on or after',
      'between',
    ],
    thisYear: 'this year',
    donations: 'Donations',
    donationDate: 'Donation date',
    nothing: 'has given nothing',
    which: 'Say which ones: Donations',
    counting: 'counting only these donations:',
    other: 'in another period…',
    period: 'Period',
    many: 'How many',
    unit: 'Unit',
    days: 'days',
    since: 'on or after',
    kind: 'Kind of date',
    kinds: ['on the calendar', 'counted from today', 'as text'],
    more: 'More',
    saveAs: 'Save as a segment',
    name: 'Name',
    remove: 'Remove the condition Donation date',
  },
  'fr-FR': {
    add: 'Ajouter une condition',
    condition: 'Condition',
    attribute: 'Critère',
    operator: 'Opérateur',
    first: [
      'aujourd’hui',
      'cette semaine',
      'ce mois-ci',
      'cette année',
      'l’année dernière',
      'dans les 30 derniers jours',
      'dans les 90 derniers jours',
      'dans les 365 derniers jours',
      'au plus tard le',
      'à partir du',
      'entre le',
    ],
    thisYear: 'cette année',
    donations: 'Dons',
    donationDate: 'Date de don',
    nothing: 'n’a rien donné',
    which: 'Préciser : Dons',
    counting: 'en ne comptant que ces dons :',
    other: 'dans une autre période…',
    period: 'Période',
    many: 'Combien',
    unit: 'Unité',
    days: 'jours',
    since: 'à partir du',
    kind: 'Sorte de date',
    kinds: ['au calendrier', 'à partir d’aujourd’hui', 'sous forme de texte'],
    more: 'Autrement',
    saveAs: 'Enregistrer comme segment',
    name: 'Nom',
    remove: 'Retirer la condition Date de don',
  },
} as const;
const locales = ['en-GB', 'fr-FR'] as const;

const gaveNothing = { donations: { none: { transactionDate: { within: { this: 'YEAR' } } } } };

describe.skipIf(!hasBrowser)('the segment builder', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    door = await openApp();
    ({ find, openBuilder } = await openBuilderTests(door));
    // Some gave this year, others before, so that neither finds everybody or nobody.
    await door.sql(
      `update donations set transaction_date = now() - case when contact_id % 2 = 0 then interval '1 minute' else interval '400 days' end where group_id = 1`,
    );
  });

  it.each(locales)('has dates in words first, and days as text last, in %s', async (locale) => {
    const t = words[locale];
    const { page, context, complaints } = await openBuilder({ locale });
    await page.getByRole('button', { name: t.add }).first().click();
    const condition = page.getByRole('group', { name: `${t.condition} 1` });
    await condition.getByLabel(t.attribute, { exact: true }).selectOption({ label: t.donationDate });
    const operator = condition.getByLabel(t.operator, { exact: true });
    const options = await operator.locator('option').allTextContents();
    expect(options.slice(0, t.first.length)).toEqual(t.first);

    // The keyboard chooses as well.
    await operator.focus();
    await operator.selectOption({ label: t.first[0] });
    for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowDown');
    expect(await operator.evaluate((it: HTMLSelectElement) => it.selectedOptions[0]!.textContent)).toBe(t.thisYear);
    const given = { donations: { transactionDate: { within: { this: 'YEAR' } } } };
    const { total } = await find(given);
    expect(total).toBeGreaterThan(0);
    await waitForCount(page, total);
    await page.getByRole('tab', { name: 'REST' }).click();
    const tree = JSON.parse((await page.locator('.question code').textContent())!);
    expect(JSON.stringify(tree)).toContain('"ope":"within","value":"this_year"');
    expect((await door.rest('POST', '/search', tree)).body.data.contacts.length).toBe(Math.min(50, total));
    await page.getByRole('tab', { name: 'GraphQL' }).click();
    expect(await page.locator('.question code').textContent()).toContain('within: { this: YEAR }');
    expect(await findBarriers(page)).toEqual([]);

    // Another period stays in its fields while it is typed, also where it becomes one of the first.
    await operator.selectOption({ label: t.other });
    await condition.getByLabel(t.period).locator('select').first().selectOption('last');
    await condition.getByLabel(t.unit).selectOption({ label: t.days });
    const many = condition.getByLabel(t.many);
    await many.fill('90');
    await many.fill('500');
    const long = { donations: { transactionDate: { within: { last: { days: 500 } } } } };
    await waitForCount(page, (await find(long)).total);
    await many.fill('0');
    expect(await many.inputValue()).toBe('1');
    expect(await findBarriers(page)).toEqual([]);
    await many.fill('500');
    await expect.poll(() => page.url()).toContain(await encodeQuery(page, long));
    await page.reload();
    await waitForCount(page, (await find(long)).total);
    expect(await condition.getByLabel(t.many).inputValue()).toBe('500');

    // A date has no span, and its text is the last choice.
    await condition.getByLabel(t.operator, { exact: true }).selectOption({ label: t.since });
    const kind = condition.getByLabel(t.kind);
    expect(await kind.locator('option').allTextContents()).toEqual(t.kinds);
    expect(await kind.locator('optgroup').getAttribute('label')).toBe(t.more);
    expect(await condition.locator('input[type=date]').inputValue()).toBe('');

    // A count that leads beyond the calendar is refused at its place, and does not end the page.
    await kind.selectOption('relative');
    await condition.getByLabel(t.unit).selectOption('y');
    await many.fill('300000');
    await condition.locator('.faults').waitFor();
    expect(await many.inputValue()).toBe('300000');
    expect(complaints).toEqual([]);
    await context.close();
  });

  it.each(locales)('finds who has given nothing this year in two steps, in %s', async (locale) => {
    const t = words[locale];
    const [nothing, nothingThisYear] = [await find({ donations: { none: {} } }), await find(gaveNothing)];
    expect(nothingThisYear.total).toBeGreaterThan(nothing.total);
    const { page, context, complaints } = await openBuilder({ locale });
    await page.getByRole('button', { name: t.add }).first().click();
    const condition = page.getByRole('group', { name: `${t.condition} 1`, exact: true });
    await condition.getByLabel(t.attribute, { exact: true }).selectOption({ label: t.donations });
    await condition.getByLabel(t.operator, { exact: true }).selectOption({ label: t.nothing });
    await waitForCount(page, nothing.total);
    const narrow = condition.getByRole('button', { name: t.which });
    await narrow.focus();
    await page.keyboard.press('Enter');
    const inner = page.getByRole('group', { name: `${t.condition} 1.1` });
    // The new condition has the focus, and offers what one donation has.
    await expect
      .poll(() => inner.getByLabel(t.attribute, { exact: true }).evaluate((it) => it === document.activeElement))
      .toBe(true);
    const offered = await inner.getByLabel(t.attribute, { exact: true }).locator('optgroup').count();
    expect(offered).toBe(1);
    await inner.getByLabel(t.attribute, { exact: true }).selectOption({ label: t.donationDate });
    await inner.getByLabel(t.operator, { exact: true }).selectOption({ label: t.thisYear });
    await waitForCount(page, nothingThisYear.total);
    await condition.getByText(t.counting).waitFor();
    expect(await findBarriers(page)).toEqual([]);

    // A saved segment has the same query, and opens as the same conditions.
    const name = `Nothing ${locale}`;
    await page.getByRole('button', { name: t.saveAs }).click();
    await page.getByLabel(t.name, { exact: true }).fill(name);
    await page.keyboard.press('Enter');
    await page.locator('.done').waitFor();
    const { nodes } = (await door.graphql('{ segments(first: 100) { nodes { databaseId name query } } }')).body.data
      .segments;
    const saved = nodes.find((one: Json) => one.name === name);
    expect(saved.query).toEqual(gaveNothing);
    await page.goto(`${page.url().split('#')[0]}#segment=${saved.databaseId}`);
    await page.reload();
    await waitForCount(page, nothingThisYear.total);
    expect(
      await inner
        .getByLabel(t.operator, { exact: true })
        .evaluate((it: HTMLSelectElement) => it.selectedOptions[0]!.textContent),
    ).toBe(t.thisYear);

    // Without its condition on one record, it is about all of them again.
    await inner.getByRole('button', { name: t.remove }).focus();
    await page.keyboard.press('Enter');
    await waitForCount(page, nothing.total);
    expect(
      await condition.getByLabel(t.attribute, { exact: true }).evaluate((it) => it === document.activeElement),
    ).toBe(true);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('reads several conditions on one record from a link, says what is wrong at its place, and fits a narrow screen', async () => {
    const { page, context, complaints } = await openBuilder({ viewport: { width: 360, height: 740 } });
    const query = {
      donations: { any: { amount: { gte: 5000 }, transactionDate: { within: { last: { days: 30 } } } } },
    };
    await showQuery(page, query);
    await waitForCount(page, (await find(query)).total);
    expect(await page.getByRole('group', { name: 'Condition 1.2' }).getByLabel('Operator').inputValue()).toBe(
      'within last_30_days',
    );
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    expect(await findBarriers(page)).toEqual([]);
    const amount = page.getByRole('group', { name: 'Condition 1.1' });
    await amount.getByLabel('Value').fill('much');
    await amount.locator('.faults').waitFor();
    expect(await page.locator('.faults').count()).toBe(1);
    await amount.getByLabel('Value').fill('');
    await amount.getByText('something is missing').waitFor();
    const { totalCount } = (await door.graphql('{ searchContacts(first: 0) { totalCount } }')).body.data.searchContacts;
    await waitForCount(page, totalCount);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
