// Upserts (spec §4.14; decisions on it): which contact a record matches, what changes in it, and one person sent many times at once.
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { chooseCount } from '../harness/sizes.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const upsert = async (data: Json): Promise<Json> => {
  const { status, headers, body } = await door.rest('POST', '/contacts/upsert', { kind: 'contact', data });
  // 200 requests at once are more than a bucket admits, and on a busy machine more than can be answered in time: they all wait for one lock.
  if (['urn:muster:problem:overloaded', 'urn:muster:problem:timeout'].includes(body.type)) {
    await sleep(Number(headers.get('retry-after') ?? 1) * 1000);
    return upsert(data);
  }
  expect(status, JSON.stringify(body)).toBe(202);
  return body.data;
};
const made = async (data: Json): Promise<number> => {
  const { contact, outcome } = await upsert(data);
  expect(outcome).toBe('created');
  return contact.id;
};
const read = async (id: number): Promise<Json> => (await door.rest('GET', `/contacts/${id}`)).body.data?.contact;

describe('the contact that a record matches', () => {
  it('has the id of the record; if no contact has it, the mail', async () => {
    const id = await made({ mail: 'by.id@example.org', surname: 'Id' });
    expect(await upsert({ id, surname: 'Changed' })).toEqual({ contact: { id }, outcome: 'updated' });
    expect(await upsert({ id: 987_654_321, mail: 'BY.ID@example.org' })).toEqual({
      contact: { id },
      outcome: 'updated',
    });
    expect((await read(id)).surname).toBe('Changed');
  });

  it('has the same mail, case-folded, and the same names where it has names', async () => {
    const id = await made({ mail: 'Zoé@example.org', firstname: 'Zoé', surname: 'Mail' });
    expect((await upsert({ mail: ' zoe@EXAMPLE.org' })).contact.id).toBe(id);
    expect((await upsert({ mail: 'zoe@example.org', firstname: 'ZOE' })).contact.id).toBe(id);
    expect((await upsert({ mail: 'zoe@example.org', firstname: 'Léa', surname: 'Mail' })).outcome).toBe('created');
  });

  it('may have an id in another system, whether its records come alone or together', async () => {
    const create = 'mutation ($input: ContactCreateInput!) { createContact(input: $input) { contact { databaseId } } }';
    const input = { externalId: 'crm-77', email: 'abroad@example.org', lastName: 'Abroad' };
    const id = (await door.graphql(create, { input })).body.data.createContact.contact.databaseId;
    expect((await upsert({ mail: 'abroad@example.org' })).contact.id).toBe(id);
    expect((await upsert({ surname: 'Abroad' })).contact.id).toBe(id);

    const batch =
      'mutation ($input: ContactsUpsertInput!) { upsertContacts(input: $input) { results { contact { databaseId } } } }';
    const contacts = [{ email: 'abroad@example.org' }, { lastName: 'Abroad' }];
    const { body } = await door.graphql(batch, { input: { contacts } });
    const found = { contact: { databaseId: id } };
    expect(body.data.upsertContacts.results).toEqual([found, found]);
  });

  it('has the same name and birthdate, when both have a birthdate', async () => {
    const id = await made({ firstname: 'Ode', surname: 'Birth', birthdate: '1970-01-02' });
    expect((await upsert({ firstname: 'ode', surname: 'BIRTH', birthdate: '1970-01-02T00:00:00Z' })).contact.id).toBe(
      id,
    );
    expect((await upsert({ firstname: 'ode', surname: 'birth' })).contact.id).toBe(id);
    expect((await upsert({ firstname: 'Ode', surname: 'Birth', birthdate: '1970-01-03' })).outcome).toBe('created');
    expect((await upsert({ surname: 'Birth' })).outcome).toBe('created');
  });

  it.each([
    ['the same city and street', { city: 'Albi', street: 'rue A' }, 'updated'],
    ['the same postal code and street', { postalcode: 81000, street: 'RUE A' }, 'updated'],
    ['another street', { city: 'Albi', street: 'rue B' }, 'created'],
    ['another city', { city: 'Agen', street: 'rue A' }, 'created'],
    ['no address', undefined, 'updated'],
  ])('has the same name, without a birthdate and with %s', async (what, address, outcome) => {
    const surname = `Lives with ${what}`;
    await made({ surname, address: { city: 'Albi', postal_code: '81000', street: 'rue A' } });
    expect((await upsert({ surname, ...(address && { address }) })).outcome).toBe(outcome);
  });

  it('with the same birthdate may live in another street, but not in another city', async () => {
    const birthdate = '1999-12-31';
    await made({ surname: 'Moved', birthdate, address: { city: 'Albi', street: 'rue A' } });
    expect((await upsert({ surname: 'Moved', birthdate, address: { city: 'ALBI', street: 'rue C' } })).outcome).toBe(
      'updated',
    );
    expect((await upsert({ surname: 'Moved', birthdate, address: { city: 'Agen' } })).outcome).toBe('created');
  });

  it('is never deleted, and never of another space', async () => {
    const id = await made({ mail: 'gone@example.org' });
    await door.rest('DELETE', `/contacts/${id}`);
    expect((await upsert({ id, mail: 'gone@example.org' })).outcome).toBe('created');
    const [{ id: foreign, mail }] = await door.sql(
      'select id, mail from contacts where group_id = 2 and mail is not null and deleted_at is null order by id limit 1',
    );
    expect((await upsert({ id: foreign, mail: `x${mail}` })).outcome).toBe('created');
  });
});

describe('what an upsert changes', () => {
  it('only the fields that are sent; the parts of the address one by one', async () => {
    const id = await made({
      mail: 'parts@example.org',
      surname: 'Parts',
      phone: '01',
      address: { city: 'Albi', street: 'rue A' },
    });
    await upsert({ mail: 'parts@example.org', phone: '02', address: { street: 'rue B' } });
    expect(await read(id)).toMatchObject({ surname: 'Parts', phone: '02', address: { city: 'Albi', street: 'rue B' } });
  });

  it('answers, found by id or label of the form and by value or label; other answers stay', async () => {
    const [choice] = await door.sql(`select f.id, f.kind, f.label, r.id as ref, r.label as word, r.value from forms f
      join form_refs r on r.group_id = 1 and r.form_id = f.id where f.group_id = 1 and f.kind = 'consent' and f.type in ('radio', 'select') and f.deleted_at is null order by f.id, r.id desc limit 1`);
    const [free] = await door.sql(
      `select id, label from forms where group_id = 1 and kind = 'custom_fields' and type = 'text' and deleted_at is null order by id limit 1`,
    );
    const id = await made({
      mail: 'forms@example.org',
      consents: [{ label: choice.label, value: choice.word }],
      custom_fields: [{ id: free.id, value: 'anything' }],
    });
    const first = await read(id);
    expect(first.formdatas.map(({ form_id, form_ref_id }: Json) => [form_id, form_ref_id])).toEqual([
      [choice.id, choice.ref],
    ]);
    expect(first.custom_fields.map(({ data }: Json) => data)).toEqual(['anything']);
    await upsert({ id, custom_fields: [{ label: free.label, value: 'changed' }] });
    const second = await read(id);
    expect(second.formdatas).toEqual(first.formdatas);
    expect(second.custom_fields).toMatchObject([{ id: first.custom_fields[0].id, data: 'changed' }]);
    await upsert({ id, consents: [{ id: choice.id, value: null }] });
    expect((await read(id)).formdatas).toEqual([]);
  });

  it('the answers to checkboxes by adding, however they are named; a PATCH replaces them', async () => {
    const [{ id: form, kind, refs, labels }] = await door.sql(
      `select f.id, f.kind, array(select r.id from form_refs r where r.group_id = 1 and r.form_id = f.id order by r.id) as refs,
              array(select r.label from form_refs r where r.group_id = 1 and r.form_id = f.id order by r.id) as labels
         from forms f where f.group_id = 1 and f.type = 'checkbox' and f.kind in ('consent', 'survey') and f.deleted_at is null order by f.id limit 1`,
    );
    const id = await made({ surname: 'Checkboxes' });
    const readRefs = async (): Promise<number[]> =>
      (await read(id)).formdatas.map(({ form_ref_id }: Json) => form_ref_id).sort((a: number, b: number) => a - b);
    await upsert({ id, formdatas: [{ form_id: form, form_ref_id: refs[0] }] });
    await upsert({ id, formdatas: [{ form_id: form, form_ref_id: refs[1] }] });
    expect(await readRefs()).toEqual(refs.slice(0, 2));
    const twice = [labels[2], labels[2].toUpperCase()].map((value) => ({ id: form, value }));
    await upsert({ id, [kind === 'consent' ? 'consents' : 'forms']: twice });
    expect(await readRefs()).toEqual(refs.slice(0, 3));
    await door.rest('PATCH', `/contacts/${id}`, { formdatas: [{ form_id: form, form_ref_id: refs[1] }] });
    expect(await readRefs()).toEqual([refs[1]]);
  });

  it('the answer that is named to the letter, where others are equal under the folding', async () => {
    const { body } = await door.graphql(
      `mutation { createForm(input: { kind: SURVEY, type: RADIO, label: "To the letter", options: [{ label: "e" }, { label: "E" }, { label: "é" }] }) {
         form { databaseId options { databaseId label } } } }`,
    );
    const { databaseId: form, options } = body.data.createForm.form;
    for (const { databaseId: option, label } of options) {
      const id = await made({ surname: `Letter ${option}`, forms: [{ id: form, value: label }] });
      expect((await read(id)).formdatas).toMatchObject([{ form_ref_id: option, data: label }]);
    }
    const id = await made({ surname: 'Letter with a space', forms: [{ id: form, value: ' É ' }] });
    expect((await read(id)).formdatas).toMatchObject([{ data: 'é' }]);
  });

  it('nothing when a form that keeps one answer has two, which the detail says', async () => {
    const [{ id: form, label, kind, refs, labels }] = await door.sql(
      `select f.id, f.label, f.kind, array(select r.id from form_refs r where r.group_id = 1 and r.form_id = f.id order by r.id) as refs,
              array(select r.label from form_refs r where r.group_id = 1 and r.form_id = f.id order by r.id) as labels
         from forms f where f.group_id = 1 and f.type = 'radio' and f.kind in ('consent', 'survey') and f.deleted_at is null order by f.id limit 1`,
    );
    const two = refs.slice(0, 2).map((form_ref_id: number) => ({ form_id: form, form_ref_id }));
    const detail = 'The record has two answers to a form that keeps one, listed in errors';
    const message = 'is answered twice, but a form of type radio keeps one answer';
    const list = kind === 'consent' ? 'consents' : 'forms';
    const id = await made({ surname: 'Answers once' });
    const cases: [method: string, path: string, body: Json, fault: Json, says?: string][] = [
      ['POST', '/contacts', { formdatas: two }, { location: 'body.formdatas[1].form_id', message }],
      ['PATCH', `/contacts/${id}`, { formdatas: two }, { location: 'body.formdatas[1].form_id', message }],
      ['POST', '/contacts/upsert', { formdatas: two }, { location: 'body.data.formdatas[1].form_id', message }],
      [
        'POST',
        '/contacts/upsert',
        { [list]: labels.slice(0, 2).map((value: string) => ({ id: form, value })) },
        { location: `body.data.${list}[1]`, message: `${label} ${message}` },
      ],
      [
        'PATCH',
        `/contacts/${id}`,
        { formdatas: two, action_ids: [987_654_321] },
        { location: 'body.action_ids[0]' },
        'The record refers to ids that are not in the space, and has two answers to a form that keeps one, listed in errors',
      ],
    ];
    for (const [method, path, data, fault, says = detail] of cases) {
      const sent = path.endsWith('upsert') ? { kind: 'contact', data: { id, ...data } } : data;
      const { status, body } = await door.rest(method, path, sent);
      expect([path, status, body.detail]).toEqual([path, 422, says]);
      expect(body.errors).toContainEqual(expect.objectContaining(fault));
    }
    expect((await read(id)).formdatas).toEqual([]);
  });

  it('nothing when a form or value is unknown: every fault is listed with its place', async () => {
    const [{ id: form }] = await door.sql(
      `select id from forms where group_id = 1 and kind = 'consent' and type in ('radio', 'select') and deleted_at is null order by id limit 1`,
    );
    const { status, body } = await door.rest('POST', '/contacts/upsert', {
      kind: 'contact',
      data: {
        mail: 'refused@example.org',
        consents: [{ id: form, value: 'no such value' }],
        status: [{ label: 'none', value: 'x' }],
      },
    });
    expect(status).toBe(422);
    expect(body.errors.map(({ location }: Json) => location)).toEqual([
      'body.data.consents[0].value',
      'body.data.status[0].label',
    ]);
    expect(await door.sql(`select id from contacts where mail = 'refused@example.org'`)).toEqual([]);
  });

  it('nothing when an id is of no record, which the fault shows as it was sent', async () => {
    for (const id of [987654321, '987654321']) {
      const record = { mail: 'shown@example.org', consents: [{ id, value: 'yes' }], action_ids: [id] };
      const { status, body } = await door.rest('POST', '/contacts/upsert', { kind: 'contact', data: record });
      expect([status, body.errors.map(({ value }: Json) => value)]).toEqual([422, [id, id]]);
    }
  });

  it('one field, when a whole record is sent back as a search returned it', async () => {
    const [{ id }] = await door.sql(
      'select contact_id as id from answers where group_id = 1 group by 1 order by count(*) desc, 1 limit 1',
    );
    const before = await read(id);
    expect(await upsert({ ...before, phone: '0102030405' })).toEqual({ contact: { id }, outcome: 'updated' });
    const { UpdatedAt: _, lastchange: __, ...same } = before;
    expect(await read(id)).toMatchObject({ ...same, phone: '0102030405' });
  });
});

describe('one person sent many times at once', () => {
  const upserts = chooseCount(50, 200, 200);
  it.each([
    ['a mail', { mail: 'at.once@example.org' }],
    ['a name', { firstname: 'At', surname: 'Once' }],
  ])(
    `${upserts} upserts by %s make one contact, and all answer with its id`,
    async (_, data) => {
      const answers = await Promise.all(Array.from({ length: upserts }, () => upsert(data)));
      expect(new Set(answers.map(({ contact }) => contact.id)).size).toBe(1);
      expect(answers.filter(({ outcome }) => outcome === 'created')).toHaveLength(1);
    },
    30_000,
  );

  it('in one batch, the same person is one contact too', async () => {
    const inputs = [
      { email: 'b@example.org', lastName: 'One' },
      { email: 'B@example.org', phone: '1' },
      { lastName: 'ONE' },
      { lastName: 'Two' },
      { consents: [{ id: 1e9, value: 'x' }] },
    ];
    const { body } = await door.graphql(
      'mutation ($inputs: [ContactUpsertInput!]!) { upsertContacts(input: { contacts: $inputs }) { results { contact { id: databaseId } outcome problem { code errors { location value } } } } }',
      { inputs },
    );
    const [one, two, three, four, five] = body.data.upsertContacts.results;
    expect([one.outcome, two.outcome, three.outcome, four.outcome, five.outcome]).toEqual([
      'CREATED',
      'UPDATED',
      'UPDATED',
      'CREATED',
      null,
    ]);
    expect([two.contact.id, three.contact.id]).toEqual([one.contact.id, one.contact.id]);
    expect(five.problem).toEqual({
      code: 'unprocessable',
      errors: [{ location: 'input.contacts[4].consents[0].id', value: '1000000000' }],
    });
  });
});
