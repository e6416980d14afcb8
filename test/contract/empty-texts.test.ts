// Empty texts are not values (decisions §2): an upsert ignores them, any other write takes them for null, and none is stored.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { openQuestion } from '../requests/ids.ts';
import { prepareIds } from '../requests/index.ts';

let door: Door;
let answer: { form_id: number; form_ref_id: number };
beforeAll(async () => {
  door = await openApp();
  const ids = await prepareIds(door, 1);
  answer = { form_id: ids.freeForms, form_ref_id: ids.form_refs };
});

const names = {
  firstname: 'Ada',
  surname: 'Blank',
  married_name: 'Full',
  gender: 'F',
  birthdate: '1980-02-29T00:00:00Z',
  birthcity: 'Foix',
  birthcountry: 'FR',
  birthdept: '09',
  phone: '0561',
  mobile: '0661',
  age_category: 3,
  external_id: 'ada',
  nationality: 'FR',
};
const parts = {
  city: 'Foix',
  street: 'rue A',
  postalcode: '01000',
  latitude: 43.5,
  housenumber: '12 bis',
  county: '09',
};
const emptyValues = (record: object): Json =>
  Object.fromEntries(Object.keys(record).map((name, at) => [name, at % 2 ? '' : '  \t']));

let people = 0;
const person = async (): Promise<Json> => {
  const mail = `blank${people++}@example.org`;
  const contact = {
    ...names,
    external_id: mail,
    mail,
    address: parts,
    custom_fields: [{ ...answer, data: 'said' }],
    tags: ['red'],
  };
  const { status, body } = await door.rest('POST', '/contacts', { data: { contact } });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data.contact;
};
const read = async (id: number): Promise<Json> => (await door.rest('GET', `/contacts/${id}`)).body.data.contact;
const upsert = (data: Json) => door.rest('POST', '/contacts/upsert', { kind: 'contact', data });
/** The texts of a contact and of its children that are empty. */
const emptyTexts = async (id: number): Promise<string[]> => {
  const rows = await door.sql(
    `select key from contacts c, jsonb_each_text(to_jsonb(c)) where c.id = ? and value !~ '\\S'
     union all select key from addresses a, jsonb_each_text(to_jsonb(a)) where a.contact_id = ? and value !~ '\\S'
     union all select 'answer' from answers where contact_id = ? and data !~ '\\S'`,
    [id, id, id],
  );
  return rows.map(({ key }) => key);
};

describe('an upsert', () => {
  it('with a mail and nothing but empty texts changes nothing', async () => {
    const before = await person();
    const { status, body } = await upsert({
      ...emptyValues(names),
      id: '',
      mail: before.mail,
      address: emptyValues(parts),
      tags: ['', ' '],
      custom_fields: [{ id: answer.form_id, value: '' }],
      consents: [{ label: openQuestion, value: ' ' }],
    });
    expect([status, body.data]).toEqual([202, { contact: { id: before.id }, outcome: 'updated' }]);
    expect(await read(before.id)).toEqual(before);
  });

  it('with empty names, then with names, is one person', async () => {
    const mail = `twice${people++}@example.org`;
    const ids = [];
    for (const record of [
      { mail, firstname: 'Ada', surname: 'Twice' },
      { mail, firstname: '', surname: '' },
      { mail, firstname: 'Ada', surname: 'Twice' },
    ])
      ids.push((await upsert(record)).body.data.contact.id);
    expect(new Set(ids).size).toBe(1);
    expect(await read(ids[0]!)).toMatchObject({ firstname: 'Ada', surname: 'Twice' });
  });

  it('clears fields that are null', async () => {
    const { id } = await person();
    await upsert({
      id,
      phone: null,
      tags: null,
      address: { city: null },
      custom_fields: [{ id: answer.form_id, value: null }],
    });
    const after = await read(id);
    expect([after.phone, after.address.city, after.tags, after.custom_fields]).toEqual([undefined, undefined, [], []]);
  });

  it.each([
    ['upsertContact', 'ContactUpsertInput', (record: Json) => record, (data: Json) => [data.upsertContact]],
    [
      'upsertContacts',
      'ContactsUpsertInput',
      (record: Json) => ({ contacts: [record] }),
      (data: Json) => data.upsertContacts.results,
    ],
    [
      'importContacts',
      'ContactsImportInput',
      (record: Json) => ({ contacts: [record] }),
      (data: Json) => data.importContacts.results,
    ],
  ])('behaves the same in the graph: %s', async (name, type, inputOf, resultsOf) => {
    const before = await person();
    const record = {
      id: '',
      email: before.mail,
      firstName: '',
      lastName: ' ',
      gender: '',
      birthDate: '',
      ageCategory: '',
      externalId: '',
      address: { city: '', latitude: '' },
      customFields: [{ id: answer.form_id, value: '' }],
    };
    const selected = 'contact { databaseId } outcome';
    const payload = name === 'upsertContact' ? selected : `results { ${selected} }`;
    const { body } = await door.graphql(`mutation ($input: ${type}!) { ${name}(input: $input) { ${payload} } }`, {
      input: inputOf(record),
    });
    expect(body.errors).toBeUndefined();
    expect(resultsOf(body.data)).toEqual([{ contact: { databaseId: before.id }, outcome: 'UPDATED' }]);
    expect(await read(before.id)).toEqual(before);
  });
});

describe('create and PATCH', () => {
  it('treat an empty text as null', async () => {
    const { id, mail } = await person();
    const contact = {
      ...emptyValues(names),
      mail,
      address: emptyValues(parts),
      custom_fields: [{ ...answer, data: '' }],
    };
    expect((await door.rest('PATCH', `/contacts/${id}`, { data: { contact } })).status).toBe(200);
    const after = await read(id);
    for (const name of Object.keys(names)) expect([name, after[name]]).toEqual([name, undefined]);
    expect(after.address).toBeUndefined();
    expect(await emptyTexts(id)).toEqual([]);
  });

  it.each<[name: string, empty: Json]>([
    ['address', undefined],
    ['tags', []],
    ['custom_fields', []],
  ])('treat one in place of %s as null', async (name, empty) => {
    const { id, ...one } = await person();
    const { status, body } = await door.rest('PATCH', `/contacts/${id}`, { data: { contact: { [name]: '' } } });
    expect([status, body.data.contact[name]]).toEqual([200, empty]);
    const others = ({ [name]: _, customfields: __, UpdatedAt: ___, lastchange: ____, ...rest }: Json): Json => rest;
    expect(others(body.data.contact)).toMatchObject(others(one));
    expect((await door.rest('POST', '/contacts', { data: { contact: { surname: 'New', [name]: ' ' } } })).status).toBe(
      200,
    );
  });

  it('allow any number of contacts without an external id', async () => {
    for (let nth = 0; nth < 2; nth++) {
      const { status, body } = await door.rest('POST', '/contacts', {
        data: { contact: { surname: 'None', external_id: '' } },
      });
      expect(status).toBe(200);
      expect(await emptyTexts(body.data.contact.id)).toEqual([]);
    }
  });

  it('treat it so in the graph too, also where a text is not allowed', async () => {
    const { id } = await person();
    const input = {
      gender: '',
      birthDate: '',
      ageCategory: ' ',
      phone: '',
      accountId: '',
      address: { latitude: '', city: '' },
    };
    const { body } = await door.graphql(
      'mutation ($input: ContactUpdateInput!) { updateContact(input: $input) { contact { gender birthDate ageCategory phone account { databaseId } address { latitude city } } } }',
      { input: { id, ...input } },
    );
    expect(body).toEqual({
      data: {
        updateContact: {
          contact: {
            gender: null,
            birthDate: null,
            ageCategory: null,
            phone: null,
            account: null,
            address: { latitude: null, city: null },
          },
        },
      },
    });
  });

  it('treat it so for users and for addresses of teams', async () => {
    const [{ id, mail }] = await door.sql(
      'select u.id, u.mail from users u join members m on m.user_id = u.id where m.group_id = 1 and u.id not in (select user_id from members where group_id <> 1) limit 1',
    );
    const data = { mail, firstname: '', phone: ' ', birthdate: '', location: '', avatar: '' };
    expect((await door.rest('PATCH', `/users/${id}`, { data })).status).toBe(200);
    expect(
      await door.sql('select firstname, phone, birthdate, location, avatar from users where id = ?', [id]),
    ).toEqual([{ firstname: null, phone: null, birthdate: null, location: null, avatar: null }]);
    const team = { name: 'Blank', description: '', address: { city: '', latitude: ' ', score: '' } };
    const { status, body } = await door.rest('POST', '/teams', { data: { team } });
    expect([status, body.data?.team.address?.city]).toEqual([200, undefined]);
  });

  it('treat it so for invitations and notes', async () => {
    const invitations = [{ email: 'blank@example.org', mobile_phone: ' ', role_id: '', team_ids: '' }];
    const invited = await door.rest('POST', '/users/invitation', { data: { invitations } });
    expect(invited.status, JSON.stringify(invited.body)).toBe(201);
    expect(invited.body.data.invitations).toEqual([
      expect.objectContaining({ role_id: expect.any(Number), team_ids: [] }),
    ]);
    expect(invited.body.data.invitations[0]).not.toHaveProperty('mobile_phone');
    const note = await door.rest('POST', '/v1/contacts/1/notes', { content: 'Called.', pinned: '' });
    expect([note.status, note.body.pinned]).toEqual([201, false]);
  });

  it('treat it so for the records of the graph, which the replies of REST show too', async () => {
    const [{ id }] = await door.sql('select min(id) as id from contacts where group_id = 1 and deleted_at is null');
    const write = async (mutation: string, content: Json): Promise<Json> => {
      const [, verb, noun] = /^([a-z]+)(\w+)$/.exec(mutation)!;
      const type = `${noun}${verb![0]!.toUpperCase()}${verb!.slice(1)}Input`;
      const shown = noun![0]!.toLowerCase() + noun!.slice(1);
      const { id: _, contactId: __, name: ___, date: ____, amount: _____, type: ______, ...texts } = content;
      const fields = ['id', ...Object.keys(texts)].join(' ');
      const { body } = await door.graphql(
        `mutation ($input: ${type}!) { ${mutation}(input: $input) { ${shown} { ${fields} } } }`,
        { input: content },
      );
      expect(body.errors, JSON.stringify(body.errors)).toBeUndefined();
      const { id: written, ...rest } = body.data[mutation][shown];
      expect([mutation, Object.values(rest).filter((value) => value !== null)]).toEqual([mutation, []]);
      return written;
    };
    const tag = await write('createTag', { name: 'Uncoloured', color: '' });
    await write('updateTag', { id: tag, color: ' ' });
    const record = { title: '', comments: ' ', subType: '' };
    const interaction = await write('createInteraction', { contactId: id, type: 'call', ...record });
    await write('updateInteraction', { id: interaction, ...record });
    const transaction = { codeCampaign: '', paymentMethodKind: ' ' };
    const money = { amount: 500, date: '2026-01-01T00:00:00Z' };
    const paid = await write('createTransaction', { contactId: id, ...money, ...transaction });
    await write('updateTransaction', { id: paid, ...transaction });
    await write('createSanction', { contactId: id, status: '' });
    await write('createCampaign', { name: 'Blank', goal: '', sender: '', subject: ' ' });
    await write('createTransactionStatus', { name: 'Blank', color: '', kind: '' });
    const { data } = (await door.rest('GET', '/v1/transaction_statuses?limit=1000')).body;
    const status = data.find(({ name }: Json) => name === 'Blank');
    expect([status.color, status.kind]).toEqual([undefined, undefined]);
    const { body } = await door.graphql(
      'mutation ($payment: PaymentCreateInput!, $emails: EmailsRecordInput!, $file: FileAddInput!) { createPayment(input: $payment) { transaction { codeCampaign paymentMethodKind } } recordEmails(input: $emails) { emails { type } } addFile(input: $file) { file { mime folder subject } } }',
      {
        payment: { contactId: id, ...money, ...transaction },
        emails: { emails: [{ contactId: id, type: ' ' }] },
        file: { interactionId: interaction, name: 'a', url: '/a', mime: '', folder: '', subject: ' ' },
      },
    );
    expect(body.data).toEqual({
      createPayment: { transaction: { codeCampaign: null, paymentMethodKind: null } },
      recordEmails: { emails: [{ type: null }] },
      addFile: { file: { mime: null, folder: null, subject: null } },
    });
  });
});
