// The editors of the segment builder in a real browser: forms, records by name, dates from today, age categories; the charts that a click narrows by; and faults in French.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { findBarriers } from '../harness/barriers.ts';
import { hasBrowser } from '../harness/browser.ts';
import { openBuilderTests, type Seen, showQuery, waitForCharts, waitForCount } from './explore-page.ts';

let door: Door;
let find: (query: Json) => Promise<{ total: number; ids: string[] }>;
let openBuilder: (options?: Json, as?: string, at?: string) => Promise<Seen>;

describe.skipIf(!hasBrowser)('the segment builder', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    door = await openApp();
    ({ find, openBuilder } = await openBuilderTests(door));
  });

  it('finds by an option of a form, a campaign by its name and a date from today; its charts agree, and narrow', async () => {
    const document = `{ form(id: "Form:1") { label options { databaseId label } } campaign(id: "Campaign:10") { name } }`;
    const { form, campaign } = (await door.graphql(document)).body.data;
    const [option] = form.options;
    const answered = { answer: { form: 1, options: [option.databaseId] } };
    const mailed = { emails: { campaignId: { equals: 10 } } };
    const query = { or: [answered, mailed, { lastChangedAt: { gte: 'now-5w' } }] };
    await door.sql(
      `update contacts set lastchange = now() - case when id % 20 = 0 then interval '20 days' else interval '40 days' end
        where group_id = 1`,
    );
    // Each condition adds people, so that none can be missing.
    const totals = await Promise.all(
      [1, 2, 3].map(async (parts) => (await find({ or: query.or.slice(0, parts) })).total),
    );
    expect([...new Set(totals)].sort((one, other) => one - other)).toEqual(totals);

    const { page, context, complaints } = await openBuilder();
    const addCondition = async (number: number, attribute: string) => {
      await page.getByRole('button', { name: 'Add a condition' }).first().click();
      const condition = page.getByRole('group', { name: `Condition ${number}` });
      await condition.getByLabel('Attribute').selectOption({ label: attribute });
      return condition;
    };
    await page.getByLabel('How the conditions of this group are joined').selectOption('some');
    const first = await addCondition(1, 'Answer to a form');
    await first.getByRole('combobox', { name: 'Form' }).pressSequentially(form.label.slice(0, 12));
    await first.getByRole('option', { name: form.label }).click();
    await first.getByLabel('Operator').selectOption({ label: '(no matter)' });
    await first.getByRole('checkbox', { name: option.label, exact: true }).check();
    await waitForCount(page, totals[0]!);

    const second = await addCondition(2, 'Campaign');
    await second.getByLabel('Operator').selectOption({ label: 'is' });
    await second.getByRole('combobox', { name: 'Value' }).pressSequentially(campaign.name.slice(0, -3));
    await second.getByRole('option', { name: campaign.name }).click();
    await waitForCount(page, totals[1]!);

    const third = await addCondition(3, 'Last change');
    await third.getByLabel('Operator').selectOption({ label: 'on or after' });
    await third.getByLabel('Kind of date').selectOption({ label: 'counted from today' });
    await third.getByLabel('How many').fill('5');
    await third.getByLabel('Unit').selectOption({ label: 'weeks' });
    await third.getByText('today that is').waitFor();
    await waitForCharts(page, totals[2]!);

    // The bars of a chart are what the API counts.
    const facets = `query ($query: ContactQuery) { contactFacets(query: $query, by: CITY, first: 6) { values { value count } } }`;
    const { values } = (await door.graphql(facets, { query })).body.data.contactFacets;
    const chart = page.locator('.chart').filter({ has: page.locator('caption', { hasText: 'City' }) });
    const bars = await chart.locator('tbody tr').evaluateAll((rows) =>
      rows.map((row) => ({
        value: row.querySelector('th')!.textContent,
        count: Number(row.querySelector('.number')!.textContent),
        width: Number(row.querySelector('.fill')!.getAttribute('width')),
      })),
    );
    expect(bars.map(({ value, count }) => ({ value, count }))).toEqual(values);
    expect(bars.map(({ width }) => width)).toEqual(values.map(({ count }: Json) => (100 * count) / values[0].count));

    const [{ value: city, count }] = values;
    await chart.getByRole('button', { name: `Narrow the segment to ${city}` }).click();
    await waitForCount(page, count);
    expect((await find({ and: [query, { address: { city: { equals: city } } }] })).total).toBe(count);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('offers forms and records that come late among many whose names match', async () => {
    const create = (kind: string, field: string) => (label: string) =>
      door.graphql(
        `mutation { create${kind}(input: { ${field}: "${label}" ${kind === 'Form' ? 'kind: SURVEY, type: TEXT' : ''} }) { __typename } }`,
      );
    const names = Array.from('abcdefghi', (letter) => `Twin ${letter}`);
    await Promise.all(names.map(create('Form', 'label')));
    await Promise.all(names.map(create('Campaign', 'name')));
    const { page, context } = await openBuilder();
    await page.getByRole('button', { name: 'Add a condition' }).click();
    for (const [attribute, field] of [
      ['Answer to a form', 'Form'],
      ['Campaign', 'Value'],
    ] as const) {
      await page.getByLabel('Attribute').selectOption({ label: attribute });
      if (field === 'Value') await page.getByLabel('Operator').selectOption({ label: 'is' });
      await page.getByRole('combobox', { name: field }).fill('twin');
      await page.getByRole('option', { name: 'Twin i' }).waitFor();
    }
    await context.close();
  });

  it('takes the number of a record as it is typed, also where its first digit is the number of another one', async () => {
    await door.sql(
      `insert into campaigns (group_id, id, name) overriding system value values (1, 9, 'Nine'), (1, 98, 'Ninety-eight')
           on conflict do nothing`,
    );
    const { page, context } = await openBuilder();
    await page.getByRole('button', { name: 'Add a condition' }).first().click();
    const condition = page.getByRole('group', { name: 'Condition 1' });
    await condition.getByLabel('Attribute').selectOption({ label: 'Campaign' });
    await condition.getByLabel('Operator').selectOption({ label: 'is' });
    const value = condition.getByRole('combobox', { name: 'Value' });
    await value.pressSequentially('98', { delay: 400 });
    expect(await value.inputValue()).toBe('98');
    await page.locator('pre code').filter({ hasText: 'campaignId: { equals: 98 }' }).waitFor();
    await context.close();
  });

  it('asks once for the names of a hundred records that a link names by their numbers', async () => {
    const { page, context } = await openBuilder();
    const { ids } = await find(undefined);
    let lookups = 0;
    page.on('request', (request) => {
      if (/\bnodes?\(/.test(request.postData() ?? '')) lookups++;
    });
    await showQuery(page, { id: { in: [...ids.slice(0, 120), 'Contact:abc'] } });
    const names = page.locator('.chips span');
    await expect.poll(() => names.count()).toBe(121);
    await expect.poll(async () => (await names.allTextContents()).filter((name) => /^\d+$/.test(name))).toEqual([]);
    expect(lookups).toBe(2);
    await context.close();
  });

  it('takes the value that is typed in a list when the field is left', async () => {
    const { page, context } = await openBuilder();
    await showQuery(page, { and: [{ tags: { in: ['Bénévole'] } }] });
    const condition = page.getByRole('group', { name: 'Condition 1' });
    await condition.getByRole('combobox', { name: 'Value' }).fill('Sympathisant');
    await page.getByRole('button', { name: 'Copy link' }).click();
    await waitForCount(page, (await find({ tags: { in: ['Bénévole', 'Sympathisant'] } })).total);
    // A fault of the condition is an item of a list, too.
    const readChips = () => condition.locator('.chips span').allTextContents();
    expect(await readChips()).toEqual(['Bénévole', 'Sympathisant']);
    // A part of the name of a record is no value.
    await showQuery(page, { segment: { in: [99_999] } });
    await expect.poll(readChips).toEqual(['99999']);
    const field = condition.getByRole('combobox', { name: 'Value' });
    await field.fill('Donors');
    await page.getByRole('button', { name: 'Copy link' }).click();
    expect([await field.inputValue(), ...(await readChips())]).toEqual(['Donors', '99999']);
    await context.close();
  });

  it('does not say that nothing is found when there is no answer', async () => {
    const { page, context } = await openBuilder();
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.getByLabel('Attribute').selectOption({ label: 'Tag' });
    const said = page.locator('.combobox').getByRole('status');
    const value = page.getByRole('combobox', { name: 'Value' });
    await value.fill('no such tag');
    await said.getByText('Nothing found').waitFor();
    await page.route('**/graphql', (route) => route.abort());
    const failed = page.waitForEvent('requestfailed', (request) => request.postData()!.includes('tags('));
    await value.fill('b');
    await failed;
    await expect.poll(() => said.textContent()).toBe('');
    await context.close();
  });

  it('finds by when people agreed: a form on consent, an option of it and a date, as a link to it shows them', async () => {
    const [{ form, yes, no }] = await door.sql(
      `with f as (insert into forms (group_id, kind, label, type) values (1, 'consent', 'Lettre du mois', 'radio') returning id),
            r as (insert into form_refs (group_id, form_id, label) select 1, f.id, v from f, unnest(array['yes', 'no']) v returning id, form_id, label)
       select form_id as form, max(id) filter (where label = 'yes') as yes, max(id) filter (where label = 'no') as no from r group by form_id`,
    );
    for (const [id, option] of [
      [1, yes],
      [2, no],
    ])
      await door.graphql(
        `mutation { updateContact(input: { id: ${id}, answers: [{ formId: ${form}, optionId: ${option}, text: "" }] }) { contact { id } } }`,
      );
    const { page, context, complaints } = await openBuilder();
    await page.getByRole('button', { name: 'Add a condition' }).first().click();
    const condition = page.getByRole('group', { name: 'Condition 1' });
    await condition.getByLabel('Attribute').selectOption({ label: 'Created' });
    await condition.getByLabel('Operator').selectOption({ label: 'on or after' });
    await condition.getByLabel('Kind of date').selectOption({ label: 'counted from today' });
    await condition.getByLabel('Attribute').selectOption({ label: 'Date of consent' });
    await condition.getByText('something is missing').waitFor();
    await condition.getByRole('combobox', { name: 'Form' }).fill('T');
    // A form of another kind has none.
    expect(await condition.getByRole('option', { name: 'Taille de t-shirt' }).count()).toBe(0);
    await condition.getByRole('combobox', { name: 'Form' }).fill('lettre');
    await condition.getByRole('option', { name: 'Lettre du mois' }).click();
    await condition.getByLabel('Operator').selectOption({ label: 'on or after' });
    await condition.getByLabel('Kind of date').selectOption({ label: 'counted from today' });
    await waitForCount(page, 2);
    await condition.getByRole('checkbox', { name: 'yes', exact: true }).check();
    await waitForCount(page, 1);
    const query = { consentedAt: { form, options: [yes], value: { gte: 'now-30d' } } };
    expect((await find(query)).ids).toEqual(['Contact:1']);
    await page.getByRole('tab', { name: 'REST' }).click();
    const tree = JSON.parse((await page.locator('.question code').textContent())!);
    const { contacts } = (await door.rest('POST', '/search', tree)).body.data;
    expect(contacts.map(({ id }: Json) => id)).toEqual([1]);
    expect(await findBarriers(page)).toEqual([]);
    await showQuery(page, { and: [query, { gender: { exists: true } }] });
    await expect.poll(() => condition.getByRole('combobox', { name: 'Form' }).inputValue()).toBe('Lettre du mois');
    expect(await condition.getByRole('checkbox', { name: 'yes', exact: true }).isChecked()).toBe(true);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('says in French what is wrong with a condition, and marks as English what it has no words for', async () => {
    const { page, context, complaints } = await openBuilder({ locale: 'fr-FR' });
    await showQuery(page, { and: [{ birthDate: { gte: 'now-60y' } }, { donations: { total: { gte: 5000 } } }] });
    const date = page.getByRole('group', { name: 'Condition 1' });
    await date.getByLabel('Sorte de date').selectOption('text');
    const field = date.getByLabel('Valeur').locator('input');
    await field.fill('demain');
    await date.locator('.faults').waitFor();
    const described = await field.getAttribute('aria-describedby');
    expect(await page.locator(`[id="${described}"]`).textContent()).toBe(
      'Il faut une date, par exemple 2026-11-21, ou now-30d pour il y a 30 jours.',
    );
    const amount = page.getByRole('group', { name: 'Condition 2' });
    await amount.getByLabel('Valeur').fill('beaucoup');
    await expect.poll(() => amount.locator('.faults').allTextContents()).toEqual(['Montant, par exemple 99,90']);
    expect(await page.getByRole('alert').textContent()).toBe(
      'La recherche a été refusée. Voyez les conditions marquées.',
    );
    expect(await page.locator('[lang=en]:not(option)').count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);

    // No fault of the server is unknown to the page today.
    const refuse = (extensions: Json) =>
      page.route('**/graphql', (route) =>
        route.fulfill({ json: { errors: [{ message: 'The moon is full', extensions }] } }),
      );
    await refuse({
      code: 'invalid-request',
      errors: [{ location: 'query.and[0].birthDate.gte', message: 'be green' }],
    });
    await field.fill('demain matin');
    await expect.poll(() => date.locator('.faults [lang=en]').allTextContents()).toEqual(['be green']);
    await page.unroute('**/graphql');
    await refuse({ code: 'internal' });
    await field.fill('demain soir');
    const alert = page.getByRole('alert').filter({ hasText: 'Le serveur a répondu : The moon is full' });
    expect(await alert.locator('[lang=en]').textContent()).toBe('The moon is full');
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('names age categories in both languages', async () => {
    const { page, context } = await openBuilder({ locale: 'fr-FR' });
    await showQuery(page, { ageCategory: { equals: 2 } });
    const value = page.getByRole('group', { name: 'Condition 1' }).getByLabel('Valeur');
    await value.selectOption({ label: 'catégorie 3' });
    await waitForCount(page, (await find({ ageCategory: { equals: 3 } })).total);
    await page.getByLabel('Langue').selectOption('en');
    const options = page.getByRole('group', { name: 'Condition 1' }).getByLabel('Value').locator('option');
    expect(await options.allTextContents()).toEqual(['', ...[0, 1, 2, 3, 4, 5, 6].map((one) => `category ${one}`)]);
    await context.close();
  });
});
