// All faults of a record are told together: those of types, of values, of references, and of answers.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
let number: { id: number; ref: number };
let consent: number;
beforeAll(async () => {
  door = await openApp();
  const create = async (kind: string, type: string) =>
    (
      await door.sql(
        `with f as (insert into forms (group_id, kind, label, type) values (1, ?, ?, ?) returning group_id, id)
         insert into form_refs (group_id, form_id, label) select group_id, id, 'it' from f returning form_id as id, id as ref`,
        [kind, `Of ${kind}`, type],
      )
    )[0];
  number = await create('custom_fields', 'numeric');
  consent = (await create('consent', 'radio')).id;
});

const upsert = (data: Json) => door.rest('POST', '/contacts/upsert', { kind: 'contact', data });
const placesOf = ({ status, body }: Json): [number, string[]] => [
  status,
  (body.errors ?? []).map(({ location }: Json) => location.replace(/^body\.(data\.)?(contact\.)?/, '')).sort(),
];

const pairs: [string, Json, string[]][] = [
  ['a type, a mail', { gender: 'X', mail: 'nobody' }, ['gender', 'mail']],
  ['a type, a birthdate', { gender: 'X', birthdate: '2999-01-01' }, ['birthdate', 'gender']],
  ['a length, a phone', { firstname: 'x'.repeat(256), phone: 'none' }, ['firstname', 'phone']],
  ['a character, a mail', { surname: 'a\0', mail: 'b\0' }, ['mail', 'surname']],
  [
    'a character in a note, a latitude',
    { notes: ['a\0'], address: { latitude: 91 } },
    ['address.latitude', 'notes[0].content'],
  ],
  ['a type, a reference', { gender: 'X', actions_ids: [987_654_321] }, ['actions_ids[0]', 'gender']],
];

describe.each<[string, (record: Json) => Promise<Json>]>([
  ['POST /contacts', (record) => door.rest('POST', '/contacts', { data: { contact: record } })],
  ['POST /contacts/upsert', upsert],
  [
    'PATCH /contacts/{id}',
    async (record) => {
      const { body } = await door.rest('POST', '/contacts', { data: { contact: { surname: 'Faulty' } } });
      return door.rest('PATCH', `/contacts/${body.data.contact.id}`, { data: { contact: record } });
    },
  ],
])('%s', (_, send) => {
  it.each(pairs)('%s', async (_name, record, places) => {
    expect(placesOf(await send(record))).toEqual([400, places]);
  });
});

it('an answer of which the form is unknown does not hide one that is no number', async () => {
  const record = {
    surname: 'Faulty',
    consents: [{ id: consent, value: 'perhaps' }],
    custom_fields: [{ id: number.id, value: 'many' }],
    forms: [{ id: 987_654_321, value: 'x' }],
  };
  const due = ['consents[0].value', 'custom_fields[0].value', 'forms[0].id'];
  expect(placesOf(await upsert(record))).toEqual([400, due]);
  expect(placesOf(await upsert({ ...record, gender: 'X' }))).toEqual([400, [...due, 'gender']]);
});

it('an external id that is taken is told with the others, and alone is a conflict', async () => {
  await upsert({ surname: 'Holder', external_id: 'taken' });
  const record = { surname: 'Another', external_id: 'taken' };
  expect(placesOf(await upsert(record))).toEqual([409, ['external_id']]);
  expect(placesOf(await upsert({ ...record, mail: 'nobody' }))).toEqual([400, ['external_id', 'mail']]);
  const consents = [{ id: consent, value: 'perhaps' }];
  expect(placesOf(await upsert({ ...record, consents }))).toEqual([422, ['consents[0].value', 'external_id']]);
});

it('what is stored from before is no fault beside others', async () => {
  const [{ id }] = await door.sql(
    `insert into contacts (group_id, surname, mail, birthdate) values (1, 'Before', 'no mail', '2999-01-01') returning id`,
  );
  const stored = { mail: 'no mail', birthdate: '2999-01-01', gender: 'X' };
  const patched = await door.rest('PATCH', `/contacts/${id}`, { data: { contact: stored } });
  expect(placesOf(patched)).toEqual([400, ['gender']]);
  expect(placesOf(await upsert({ id, ...stored }))).toEqual([400, ['gender']]);
});

it('of the graph, also in a batch', async () => {
  const contact = { email: 'nobody', birthDate: '2999-01-01', accountId: 'x' };
  const text =
    'mutation ($contacts: [ContactUpsertInput!]!) { upsertContacts(input: { contacts: $contacts }) { results { outcome } } }';
  const { errors } = (await door.graphql(text, { contacts: [{ lastName: 'Right' }, contact] })).body;
  const places = errors[0].extensions.errors.map(({ location }: Json) => location).sort();
  expect(places).toEqual(['accountId', 'birthDate', 'email'].map((field) => `input.contacts[1].${field}`));
});
