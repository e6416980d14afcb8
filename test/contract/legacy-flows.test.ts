// Legacy clients end to end, in their spellings: find a person, read it, send the whole record back with one change, poll for changes.
import { beforeAll, describe, expect, it } from 'vitest';
import { findWrongRows } from '../graphql/writing.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { insertFullContact } from './full-contact.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

/** The one contact that has something in every field. */
let full: Promise<Json> | undefined;
const getFullContact = (): Promise<Json> => (full ??= insertFullContact(door));

const one = (attr: string, ope: string, value: string): Json => ({
  $all: [{ $all: [{ $condition: { attr, ope, value } }] }],
});
const search = async (advanced_search: Json, path = '/search'): Promise<Json[]> => {
  const { status, body } = await door.rest('POST', path, { data: { advanced_search } });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data.contacts;
};
const byMail = async (mail: string): Promise<Json[]> =>
  search({ per_page: 10, query: one('mail', 'eql:strictdata', mail), include_interactions: true });
const found = async (id: number): Promise<Json> => (await door.rest('GET', `/contacts/${id}`)).body.data.contact;
const bare = async (id: number): Promise<Json> => (await door.rest('GET', `/v1/contacts/${id}`)).body;

/** All data of a contact, except when and by whom it was written. */
const everything = async (id: number): Promise<Json> => {
  const answer = '{ id form { id } option { id } text answeredAt surveyId createdAt updatedAt }';
  const fields = `id externalId firstName lastName marriedName gender birthDate ageCategory birthCity birthCountry birthDepartment nationality
    email phone phoneInvalid mobile mobileInvalid optedOut account { id } actions { id } createdAt tags { id name color }
    address { addition building city cityCode country county door floor houseNumber details invalidReason latitude location longitude
      pollingStation postalCode score state street }
    answers { nodes ${answer} } customFields ${answer}
    notes { nodes { id content pinned updatedAt } } interactions { nodes { id type title updatedAt files { id name } } }
    transactions { nodes { id amount { amount } } } donations { nodes { id amount { amount } } } emails { nodes { id } }`;
  const { body } = await door.graphql(`query ($id: ID!) { contact(id: $id) { ${fields} } }`, { id });
  expect(body.errors).toBeUndefined();
  return body.data.contact;
};

describe('a person who is searched by mail', () => {
  it('is found by the exact mail only, and read by id in both shapes', async () => {
    const full = await getFullContact();
    expect((await byMail('zoe@example.org')).map(({ id }) => id)).toEqual([full.id]);
    expect(await byMail('ZOE@example.org')).toEqual([]);
    expect(await byMail('zoe@example.or')).toEqual([]);
    const { interactions: _, ...read } = (await byMail('zoe@example.org'))[0];
    expect(await found(full.id)).toEqual(read);
    expect(await bare(full.id)).toMatchObject({
      id: full.id,
      mail: 'zoe@example.org',
      birthdate: '1980-02-29T00:00:00Z',
      black_list: true,
      address: { house_number: '12', postal_code: '69001', latitude: '45.75' },
      tags: [{ name: 'quill' }, { name: 'feather' }],
    });
  });

  const reads: [string, (id: number, mail: string) => Promise<Json>][] = [
    ['POST /search', async (_, mail) => (await byMail(mail))[0]],
    ['GET /contacts/{id}', found],
    ['GET /v1/contacts/{id}', bare],
  ];
  const writes: [string, (id: number, record: Json) => Promise<number>][] = [
    [
      'POST /contacts/upsert',
      async (_, data) => (await door.rest('POST', '/contacts/upsert', { kind: 'contact', data })).status,
    ],
    ['PATCH /contacts/{id}', async (id, data) => (await door.rest('PATCH', `/contacts/${id}`, { data })).status],
    [
      'PATCH /v1/contacts/{id}',
      async (id, contact) => (await door.rest('PATCH', `/v1/contacts/${id}`, { data: { contact } })).status,
    ],
  ];
  const echoes = reads.flatMap(([from, read]) => writes.map(([to, write]) => ({ from, to, read, write })));

  it.each(echoes)('is read from $from and sent back by $to with one change, and nothing else changes', async ({
    read,
    write,
  }) => {
    const { id } = await getFullContact();
    const mail = 'zoe@example.org';
    const changed = `01 ${Math.random()}`;
    const before = await everything(id);
    const [{ version }] = await door.sql('select version from contacts where id = ?', [id]);
    expect(await write(id, { ...(await read(id, mail)), phone: changed })).toBeLessThan(300);
    expect(await everything(id)).toEqual({ ...before, phone: changed });
    expect((await door.sql('select version from contacts where id = ?', [id]))[0].version).toBe(version + 1);
    expect(await findWrongRows(door)).toEqual([]);
  });

  it('is written even when nothing changed, and stays as it is', async () => {
    const [{ id }] = await door.sql(
      'select contact_id as id from answers where group_id = 1 group by 1 order by count(*) desc, 1 limit 1',
    );
    const before = await everything(id);
    for (const record of [await found(id), await bare(id)]) {
      await door.rest('POST', '/contacts/upsert', { kind: 'contact', data: record });
      await door.rest('PATCH', `/contacts/${id}`, { data: { contact: record } });
    }
    expect(await everything(id)).toEqual(before);
  });

  it('is created by the first upsert of a mail and changed by the second, without sending its id', async () => {
    const send = async (data: Json): Promise<Json> =>
      (await door.rest('POST', '/contacts/upsert', { kind: 'contact', data })).body.data;
    const { contact, outcome } = await send({ mail: 'first@example.org', firstname: 'Ana' });
    expect(outcome).toBe('created');
    expect(await send({ mail: 'first@example.org', phone: '01' })).toEqual({ contact, outcome: 'updated' });
    expect((await byMail('first@example.org')).map(({ id, phone }) => [id, phone])).toEqual([[contact.id, '01']]);
  });
});

describe('changes of the last hour', () => {
  it('are polled page by page, by the time of change, until a page is short', async () => {
    const made: number[] = [];
    for (let number = 0; number < 23; number++) {
      const { body } = await door.rest('POST', '/contacts', { data: { contact: { surname: `Polled ${number}` } } });
      made.push(body.data.contact.id);
    }
    const [first] = made;
    await door.rest('PATCH', `/contacts/${first}`, { data: { contact: { firstname: 'Last' } } });
    await door.sql(
      `update contacts set updated_at = now() - interval '61 minutes', lastchange = now() - interval '61 minutes' where id = ?`,
      [made[1]!],
    );
    await door.sql('select refresh_search(1, array[?]::bigint[])', [made[1]!]);
    const seen: Json[] = [];
    for (let page = 0; ; page++) {
      const contacts = await search({
        per_page: 10,
        page,
        sort_attr: 'lastchange',
        sort_asc: true,
        query: one('UpdatedAt', 'gte', 'now-1h'),
      });
      seen.push(...contacts);
      if (contacts.length < 10) break;
    }
    const ids = seen.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => made.includes(id))).toEqual([...made.slice(2), first]);
    const times = seen.map(({ lastchange }) => lastchange);
    expect(times).toEqual([...times].sort());
    expect(await search({ per_page: 10, page: 99, query: one('UpdatedAt', 'gte', 'now-1h') })).toEqual([]);
  });
});

describe('the spellings of legacy clients', () => {
  const address = { city: 'Foix', street: 'rue Haute' };
  const read = { ...address, housenumber: 12, postalcode: '09000', latitude: 42.97 };

  it.each([
    ['of search', { ...address, housenumber: 12, postalcode: '09000', latitude: 42.97 }],
    ['of retrieval', { ...address, house_number: '12', postal_code: '09000', latitude: '42.97' }],
    ['of teams', { ...address, house_number: '12', postalcode: '09000', lattitude: '42.97' }],
  ])('an address is accepted in the spelling %s', async (_, sent) => {
    const { body } = await door.rest('POST', '/contacts', { data: { contact: { surname: 'Spelled', address: sent } } });
    const { id: __, invalid: ___, ...got } = body.data.contact.address;
    expect(got).toEqual(read);
  });

  it('tags may be texts or objects, texts may be numbers, unknown properties and client-chosen ids are accepted', async () => {
    const contact = {
      id: 1,
      group_id: 2,
      CreatedAt: '1999-01-01T00:00:00Z',
      lastchange: 'never',
      user_id: 3,
      score: { deep: [] },
      surname: 'Odd',
      mobile: 612345678,
      birthcity: 'Foix',
      age_cat: 3,
      birthdate: '1980-02-29T23:00:00Z',
      tags: ['as text', { name: 'as object', color: '#00ff00', id: 9 }],
      notes: { id: 5, data: 'not mine' },
      interactions: [{ id: 5 }],
    };
    const { status, body } = await door.rest('POST', '/contacts', { data: { contact } });
    expect(status).toBe(200);
    const made = body.data.contact;
    expect(made).toMatchObject({
      group_id: 1,
      surname: 'Odd',
      mobile: '612345678',
      birthcity: 'Foix',
      birth_city: 'Foix',
      age_category: 3,
      birthdate: '1980-02-29T00:00:00Z',
    });
    expect(made.tags).toHaveLength(2);
    expect(made.tags).toEqual(expect.arrayContaining([{ name: 'as text' }, { name: 'as object', color: '#00ff00' }]));
    expect(made.id).not.toBe(1);
    expect(made.CreatedAt > '2020').toBe(true);
    expect(made).not.toHaveProperty('notes');
  });

  it.each([
    ['/contacts/{id}', '/v1/contacts/{id}'],
    ['/contacts/{id}/', '/v1/contacts/{id}/'],
  ])('PATCH and DELETE answer at %s as at %s, DELETE with a content type and no body', async (plain, versioned) => {
    for (const path of [plain, versioned]) {
      const { body } = await door.rest('POST', path.replace('/{id}', ''), { data: { contact: { surname: 'Pathed' } } });
      const { id } = body.data.contact;
      const at = path.replace('{id}', String(id));
      expect(
        (await door.rest('PATCH', at, { data: { contact: { surname: 'Moved' } } })).body.data.contact.surname,
      ).toBe('Moved');
      expect((await door.rest('GET', at)).status).toBe(200);
      const note = await door.rest('POST', `${at.replace(/\/$/, '')}/notes${at.endsWith('/') ? '/' : ''}`, {
        content: 'x',
        extra: 1,
      });
      expect([note.status, note.body.contact_id]).toEqual([201, id]);
      expect((await door.rest('DELETE', at)).body.data.contact_id).toBe(id);
      expect((await door.rest('DELETE', at)).status).toBe(404);
      expect((await door.rest('GET', at)).status).toBe(404);
      expect((await door.rest('PATCH', at, { data: { contact: { surname: 'Back' } } })).status).toBe(404);
    }
  });

  it.each(['/search', '/search/', '/v1/search', '/v1/search/'])('a search answers at %s', async (path) => {
    expect(await search({ per_page: 2 }, path)).toHaveLength(2);
  });

  it.each(['/kpi', '/v1/kpi', '/v1/kpi/'])('a count answers at %s', async (path) => {
    const { body } = await door.rest('POST', path, { data: { advanced_search: { query: { $all: [] } } } });
    expect(body.data.total).toBeGreaterThan(100);
  });

  it.each([
    '/contacts/upsert',
    '/contacts/upsert/',
    '/v1/contacts/upsert',
    '/v1/contacts/upsert/',
  ])('an upsert answers at %s', async (path) => {
    const body = { kind: 'contact', data: { mail: `at${path.replaceAll('/', '.')}@example.org` } };
    const first = await door.rest('POST', path, body);
    expect([first.status, first.body.data.outcome]).toEqual([202, 'created']);
    expect((await door.rest('POST', path, body)).body.data).toEqual({
      contact: first.body.data.contact,
      outcome: 'updated',
    });
  });

  it.each([
    '/forms/survey',
    '/v1/forms/survey/',
    '/v1/forms/type/survey',
  ])('forms answer at %s, and one by its id', async (path) => {
    const { forms } = (await door.rest('GET', path)).body.data;
    expect(forms.length).toBeGreaterThan(0);
    expect((await door.rest('GET', `/v1/forms/${forms[0].id}/`)).body.data.form).toEqual(forms[0]);
  });
});
