// What merges must not lose: withdrawn consent, addresses, good numbers. Each row is a small case with its right result.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const create = async (contact: Json): Promise<number> =>
  (await door.rest('POST', '/contacts', { data: { contact } })).body.data.contact.id;

const mutation = `mutation ($survivorId: ID!, $ids: [ID!]!) {
  mergeContacts(input: { survivorId: $survivorId, ids: $ids }) {
    contact {
      phone mobile phoneInvalid mobileInvalid optedOut
      address { houseNumber street postalCode city country latitude longitude invalidReason }
      answers { nodes { option { databaseId } } }
    }
    conflicts { contactId field kept dropped }
  }
}`;

/** Merges the contacts into the first of them. A contact in `conflicts` is told by its place. */
const merge = async (contacts: Json[]): Promise<Json> => {
  const [survivorId, ...ids] = await Promise.all(contacts.map(create));
  const { body } = await door.graphql(mutation, { survivorId, ids });
  const { contact, conflicts } = body.data.mergeContacts;
  const places = new Map([survivorId, ...ids].map((id, place) => [`Contact:${id}`, place]));
  const told = conflicts.map(({ contactId, field, kept, dropped }: Json) => [
    places.get(contactId),
    field,
    kept,
    dropped,
  ]);
  return { contact, conflicts: told };
};

const setParts = (address: Json): Json =>
  Object.fromEntries(Object.entries(address ?? {}).filter(([, value]) => value !== null));

describe('an address', () => {
  const whole = { housenumber: '3', street: 'Rue Basse', postalcode: '81000', city: 'Albi', country: 'FR' };
  const shown = { houseNumber: '3', street: 'Rue Basse', postalCode: '81000', city: 'Albi', country: 'FR' };

  it.each<[string, Json[], Json, Json[]]>([
    ['fills the empty parts of the same one', [{ country: 'FR' }, whole], shown, []],
    [
      'is the same without regard to case and accents',
      [{ city: 'ALBÎ' }, whole],
      { ...shown, city: 'ALBÎ' },
      [[1, 'city', 'ALBÎ', 'Albi']],
    ],
    [
      'is not mixed with another one, which is told whole',
      [{ city: 'Toulouse' }, whole],
      { city: 'Toulouse' },
      [
        [1, 'houseNumber', '', '3'],
        [1, 'street', '', 'Rue Basse'],
        [1, 'postalCode', '', '81000'],
        [1, 'city', 'Toulouse', 'Albi'],
        [1, 'country', '', 'FR'],
      ],
    ],
    [
      'is filled by a later one when the first contradicts',
      [{ city: 'Albi' }, { city: 'Foix', street: 'Rue Haute' }, whole],
      shown,
      [
        [1, 'street', 'Rue Basse', 'Rue Haute'],
        [1, 'city', 'Albi', 'Foix'],
      ],
    ],
    [
      'comes with its coordinates',
      [{}, { ...whole, latitude: '43.9', longitude: '2.1' }],
      { ...shown, latitude: 43.9, longitude: 2.1 },
      [],
    ],
  ])('%s', async (_, addresses, expected, conflicts) => {
    const { contact, conflicts: told } = await merge(addresses.map((address) => ({ surname: 'A', address })));
    expect([setParts(contact.address), told]).toEqual([expected, conflicts]);
  });
});

describe('a number', () => {
  it.each<[string, Json[], Json]>([
    [
      'stays good beside an invalid one',
      [{ phone: '0561000001' }, { phone: '0561000002', phone_invalid: true }],
      { phone: '0561000001', phoneInvalid: false },
    ],
    [
      'is invalid when it was so on another contact',
      [{ mobile: '0612000001' }, { mobile: '0612000001', mobile_invalid: true }],
      { mobile: '0612000001', mobileInvalid: true },
    ],
    [
      'comes with its flag',
      [{}, { phone: '0561000003', phone_invalid: true }],
      { phone: '0561000003', phoneInvalid: true },
    ],
  ])('%s', async (_, contacts, expected) => {
    const { contact } = await merge(contacts.map((one) => ({ surname: 'N', ...one })));
    expect(contact).toMatchObject(expected);
  });
});

describe('an answer to a form that takes one', () => {
  let form: { id: number; refs: { id: number; said: string }[] };
  beforeAll(async () => {
    [form] = (await door.sql(
      `select f.id, json_agg(json_build_object('id', r.id, 'said', coalesce(nullif(r.value, ''), r.label)) order by r.id) as refs from forms f
         join form_refs r on r.group_id = 1 and r.form_id = f.id
        where f.group_id = 1 and f.type in ('radio', 'select') and f.kind <> 'custom_fields' and f.deleted_at is null
        group by f.id having count(*) > 1 order by f.id limit 1`,
    )) as [typeof form];
  });

  const [old, recent] = ['2020-05-01T00:00:00Z', '2025-05-01T00:00:00Z'];
  it.each<[string, [number, string | undefined][], number, [number, number] | undefined]>([
    [
      'that is later wins over that of the survivor',
      [
        [0, old],
        [1, recent],
      ],
      1,
      [0, 0],
    ],
    [
      'of the survivor stays when it is later',
      [
        [0, recent],
        [1, old],
      ],
      0,
      [1, 1],
    ],
    [
      'with a date wins over one without',
      [
        [0, undefined],
        [1, old],
      ],
      1,
      [0, 0],
    ],
    [
      'of the survivor stays when none has a date',
      [
        [0, undefined],
        [1, undefined],
      ],
      0,
      [1, 1],
    ],
    [
      'that is latest of the others wins, whichever is stored last',
      [
        [0, old],
        [1, recent],
        [0, old],
      ],
      1,
      [0, 0],
    ],
    [
      'that is the same is not told',
      [
        [0, old],
        [0, recent],
      ],
      0,
      undefined,
    ],
  ])('%s', async (_, answers, kept, dropped) => {
    const contacts = answers.map(([at, date]) => ({
      surname: 'C',
      formdatas: [{ form_id: form.id, form_ref_id: form.refs[at]!.id, date }],
    }));
    const { contact, conflicts } = await merge(contacts);
    expect(contact.answers.nodes).toEqual([{ option: { databaseId: form.refs[kept]!.id } }]);
    const told = dropped && [dropped[0], `Form:${form.id}`, form.refs[kept]!.said, form.refs[dropped[1]]!.said];
    expect(conflicts).toEqual(told ? expect.arrayContaining([told]) : []);
  });
});

it('an opt-out of any of them stays', async () => {
  const { contact } = await merge([{ surname: 'O' }, { surname: 'O', black_list: true }]);
  expect(contact.optedOut).toBe(true);
});

it('what two others have and the survivor lacks is told', async () => {
  const { contact, conflicts } = await merge([
    { surname: 'P' },
    { surname: 'P', phone: '1' },
    { surname: 'P', phone: '2' },
  ]);
  expect([contact.phone, conflicts]).toEqual(['1', [[2, 'phone', '1', '2']]]);
});

it('a contact that has more than 200 tags by a merge can be sent back as a whole, and gets no more', async () => {
  const [survivorId, other] = await Promise.all(
    ['x', 'y'].map((letter) => create({ surname: 'Q', tags: Array.from({ length: 150 }, (_, n) => letter + n) })),
  );
  await door.graphql(mutation, { survivorId, ids: [other] });
  const path = `/contacts/${survivorId}`;
  const { contact } = (await door.rest('GET', path)).body.data;
  const send = async (changes: Json): Promise<Json> =>
    (await door.rest('PATCH', path, { data: { contact: { ...contact, ...changes } } })).body;
  expect((await send({ surname: 'R' })).data.contact).toMatchObject({ surname: 'R', tags: contact.tags });
  expect((await send({ tags: [...contact.tags, 'more'] })).errors).toMatchObject([
    { location: 'body.data.contact.tags', message: expect.stringContaining('at most 200 tags') },
  ]);
  expect((await send({ tags: contact.tags.slice(1) })).data.contact.tags).toHaveLength(299);
});
