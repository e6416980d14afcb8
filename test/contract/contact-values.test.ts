// Values that cannot be right are refused when they are new. Those stored earlier can be read and sent back (decisions §2).
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { prepareIds } from '../requests/index.ts';

let door: Door;
let numeric: { id: number; ref: number };
let dates: { id: number; ref: number };
beforeAll(async () => {
  door = await openApp();
  await prepareIds(door, 1);
  const form = async (type: string) =>
    (
      await door.sql(
        `with f as (insert into forms (group_id, kind, label, type) values (1, 'custom_fields', ?, ?) returning group_id, id)
         insert into form_refs (group_id, form_id, label) select group_id, id, 'it' from f returning form_id as id, id as ref`,
        [`Only ${type}`, type],
      )
    )[0] as { id: number; ref: number };
  [numeric, dates] = [await form('numeric'), await form('date')];
});

const answer = ({ id, ref }: { id: number; ref: number }, data: string) => ({
  custom_fields: [{ form_id: id, form_ref_id: ref, data }],
});
const upsert = (data: Json) => door.rest('POST', '/contacts/upsert', { kind: 'contact', data });

const bad: [place: string, record: () => Json][] = [
  ...['ada', 'ada@', '@x.org', 'ada@x', 'a b@x.org', 'ada@x..org', 'ada@@x.org', 'a@x.org, b@x.org'].map(
    (mail): [string, () => Json] => ['mail', () => ({ mail })],
  ),
  ['phone', () => ({ phone: 'unknown' })],
  ['mobile', () => ({ mobile: '+' })],
  ...[90.01, -91, 1e9].map((latitude): [string, () => Json] => ['address.latitude', () => ({ address: { latitude } })]),
  ['address.lattitude', () => ({ address: { lattitude: 91 } })],
  ['address.longitude', () => ({ address: { longitude: '180.5' } })],
  // JSON numbers of so many digits were rounded when they were read: two ids would be one.
  ['external_id', () => ({ external_id: 12345678901234567000 })],
  ['phone', () => ({ phone: 1e21 })],
  ['address.housenumber', () => ({ address: { housenumber: 2 ** 53 } })],
  ['custom_fields[0].data', () => answer(numeric, 'many')],
  ['custom_fields[0].data', () => answer(dates, '31/12/2026')],
];

describe.each([
  [
    'POST /contacts',
    (record: Json) => door.rest('POST', '/contacts', { data: { contact: { surname: 'V', ...record } } }),
    'body.data.contact',
  ],
  ['POST /contacts/upsert', (record: Json) => upsert({ surname: 'Values', ...record }), 'body.data'],
  [
    'PATCH /contacts/{id}',
    async (record: Json) => {
      const { body } = await door.rest('POST', '/contacts', { surname: 'Values' });
      return door.rest('PATCH', `/contacts/${body.data.contact.id}`, record);
    },
    'body',
  ],
])('%s', (_, send, at) => {
  it.each(bad)('refuses a %s that cannot be right: %s', async (place, record) => {
    const { status, body } = await send(record());
    expect([status, body.errors?.map(({ location }: Json) => location)]).toEqual([400, [`${at}.${place}`]]);
    expect(body.detail).toContain(`${at}.${place} must be `);
  });

  it.each([
    ...['é@exämple.org', "o'neill+tag@x-y.co.uk", ' ada@x.org ', 'ADA@X.ORG', '.a..b@x.museum'].map((mail) => ({
      mail,
    })),
    { phone: '٠١٢' },
    { mobile: '+33 (0)6.12-34' },
    { address: { latitude: '-90', longitude: 180 } },
  ])('accepts %j', async (record) => {
    expect((await send(record)).status).toBeLessThan(300);
  });
});

it('a refusal lists all faults of both layers at once', async () => {
  const { status, body } = await upsert({
    mail: 'nobody',
    gender: 'X',
    address: { latitude: 100 },
    actions_ids: [987_654_321],
    consents: [{ id: 987_654_321, value: 'x' }],
  });
  const places = body.errors.map(({ location }: Json) => location).sort();
  expect([status, places]).toEqual([
    400,
    [
      'body.data.actions_ids[0]',
      'body.data.address.latitude',
      'body.data.consents[0].id',
      'body.data.gender',
      'body.data.mail',
    ],
  ]);
  const other = await upsert({
    mail: 'nobody',
    address: { latitude: 100 },
    actions_ids: [987_654_321],
    consents: [{ id: 987_654_321, value: 'x' }],
  });
  expect([other.status, other.body.errors.map(({ location }: Json) => location).sort()]).toEqual([
    400,
    ['body.data.actions_ids[0]', 'body.data.address.latitude', 'body.data.consents[0].id', 'body.data.mail'],
  ]);
});

it('an invalid value stored earlier can be read, sent back, and changed elsewhere', async () => {
  const [{ id }] = await door.sql(
    "insert into contacts (group_id, surname, mail, phone) values (1, 'Old', 'no mail', 'none') returning id",
  );
  await door.sql('insert into addresses (group_id, contact_id, latitude) values (1, ?, 1000)', [id]);
  await door.sql("insert into answers (group_id, contact_id, form_id, form_ref_id, data) values (1, ?, ?, ?, 'many')", [
    id,
    numeric.id,
    numeric.ref,
  ]);
  const { contact } = (await door.rest('GET', `/contacts/${id}`)).body.data;
  for (const send of [(record: Json) => door.rest('PATCH', `/contacts/${id}`, { data: { contact: record } }), upsert]) {
    expect((await send(contact)).status).toBeLessThan(300);
    expect((await send({ ...contact, firstname: `New ${send.name}` })).status).toBeLessThan(300);
    expect((await send({ ...contact, mail: 'no mail either' })).status).toBe(400);
  }
});

it('an external id in use is a 409 that names field, value and place', async () => {
  await upsert({ surname: 'Holder', external_id: 'held' });
  const [{ id }] = await door.sql("select id from contacts where group_id = 1 and external_id = 'held'");
  const due = [{ location: 'body.data.external_id', message: `is the external id of contact ${id}`, value: 'held' }];
  const { status, body } = await upsert({ surname: 'Another', external_id: 'held' });
  expect([status, body.errors]).toEqual([409, due]);
  const created = await door.rest('POST', '/contacts', { data: { surname: 'Another', external_id: 'held' } });
  expect([created.status, created.body.errors]).toEqual([409, due]);
});

it('notes without an id are added once; those with an id stay', async () => {
  const { body } = await upsert({
    surname: 'Noted',
    notes: ['one', { content: 'two', pinned: true }, { data: 'one' }],
  });
  const { id } = body.data.contact;
  const contents = async () =>
    (await door.sql('select content, pinned from notes where contact_id = ? order by content', [id])) as Json[];
  const due = [
    { content: 'one', pinned: false },
    { content: 'two', pinned: true },
  ];
  expect(await contents()).toEqual(due);
  const { contact } = (await door.rest('GET', `/contacts/${id}`)).body.data;
  await upsert({ ...contact, notes: { ...contact.notes, data: 'changed' } });
  await upsert({ id, notes: [{ content: 'one' }, { content: '' }] });
  expect(await contents()).toEqual(due);
  const created = await door.rest('POST', '/contacts', { data: { surname: 'Created', notes: { data: 'alone' } } });
  expect(created.body.data.contact.notes.data).toBe('alone');
});

it.each([null, '', ' '])('a note with a content and %j under its other name has that content', async (none) => {
  const notes = [
    { content: 'one', data: none },
    { content: none, data: 'two' },
  ];
  for (const write of [
    (contact: Json) => upsert(contact),
    (contact: Json) => door.rest('POST', '/contacts', { data: { contact } }),
  ]) {
    const { body } = await write({ surname: 'Noted', mail: `${crypto.randomUUID()}@example.org`, notes });
    const rows = await door.sql('select content from notes where contact_id = ? order by 1', [body.data?.contact.id]);
    expect(rows.map(({ content }) => content)).toEqual(['one', 'two']);
  }
});

it.each(['', 0, '0', -1, 'new-1'])('a note with the id %j is one without an id: it is added', async (none) => {
  const contact = { surname: 'Noted', notes: [{ id: none, data: 'first' }] };
  const { id, notes } = (await door.rest('POST', '/contacts', { data: { contact } })).body.data.contact;
  expect(notes).toMatchObject({ data: 'first' });
  await upsert({ id, notes: { id: ' ', content: 'second' } });
  await door.rest('PATCH', `/contacts/${id}`, {
    data: { contact: { notes: [{ id: none, data: 'third', pinned: true }] } },
  });
  const rows = await door.sql('select content from notes where contact_id = ? order by id', [id]);
  expect(rows.map(({ content }) => content)).toEqual(['first', 'second', 'third']);
});

it('an upsert adds to lists, a PATCH replaces them', async () => {
  const actions = (
    await door.sql('select id from actions where group_id = 1 and deleted_at is null order by id limit 2')
  ).map(({ id }) => id);
  const { body } = await upsert({ surname: 'Listed', tags: ['a', 'b'], action_ids: [actions[0]] });
  const { id } = body.data.contact;
  await upsert({ id, tags: ['c'], action_ids: [actions[1]] });
  const read = async () => (await door.rest('GET', `/contacts/${id}`)).body.data.contact;
  expect((await read()).tags.map(({ name }: Json) => name).sort()).toEqual(['a', 'b', 'c']);
  expect((await read()).action_ids).toEqual(actions);
  await door.rest('PATCH', `/contacts/${id}`, { tags: ['d'], action_ids: [] });
  expect([(await read()).tags.map(({ name }: Json) => name), (await read()).action_ids]).toEqual([['d'], []]);
  const many = Array.from({ length: 200 }, (_, at) => `tag ${at}`);
  const full = await upsert({ id, tags: many });
  expect([full.status, full.body.errors[0].location]).toEqual([400, 'body.data.tags']);
});

it('an address that is said not to be invalid is not: false clears the reason', async () => {
  const address = { city: 'Foix', invalid: false };
  const { body } = await door.rest('POST', '/contacts', { data: { contact: { surname: 'Valid', address } } });
  const { id } = body.data.contact;
  expect(body.data.contact.address).toMatchObject({ city: 'Foix', invalid: null });
  const patch = async (invalid: unknown): Promise<unknown> =>
    (await door.rest('PATCH', `/contacts/${id}`, { data: { contact: { address: { invalid } } } })).body.data.contact
      .address.invalid;
  expect(await patch('npai')).toBe('npai');
  expect(await patch(false)).toBeNull();
  expect(await patch(true)).toBe('true');
  expect((await upsert({ id, address: { invalid: false } })).status).toBe(202);
  expect((await door.rest('GET', `/contacts/${id}`)).body.data.contact.address.invalid).toBeNull();
});

it.each([
  0.000012345678901234568, -1e-7, 5e-324, 45.123456789012344,
])('degrees of %d are read, and sent back', async (degrees) => {
  const contact = { surname: 'Small', address: { latitude: degrees, longitude: degrees } };
  const { id } = (await door.rest('POST', '/contacts', { data: { contact } })).body.data.contact;
  const { body: read, headers } = await door.rest('GET', `/v1/contacts/${id}`);
  expect(Number(read.address.latitude)).toBe(degrees);
  const { status, headers: after } = await door.rest('PATCH', `/contacts/${id}`, read);
  expect([status, after.get('etag')]).toEqual([200, headers.get('etag')]);
});
