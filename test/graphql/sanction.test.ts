// Sanctions written through the graph: what is stored, what is refused, and that searches follow.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { buildCondition, ids } from './search-query.ts';
import {
  createRoleToken,
  fetchRefusal,
  findUserWithRole,
  findWrongRows,
  markOf,
  runMutation,
  sendMutation,
} from './writing.ts';

let door: Door;
let contact: number;
let manager: string;
beforeAll(async () => {
  door = await openApp();
  manager = await createRoleToken(door, 'manager');
  contact = (await runMutation(door, 'createContact', { lastName: 'Sanctioned' })).id;
});

const create = (input: Json): Promise<Json> =>
  runMutation(door, 'createSanction', { contactId: contact, ...input }, manager);
const update = (id: number, input: Json): Promise<Json> =>
  runMutation(door, 'updateSanction', { id, ...input }, manager);
const ofContact = async (): Promise<Json[]> =>
  (await door.graphql(`{ contact(id: ${contact}) { sanctions { nodes { id: databaseId status } } } }`)).body.data
    .contact.sanctions.nodes;
const noNewerThan = { code: 'invalid-request', faults: ['input.endDate must not be before startDate'] };

it('a sanction is created, changed by the named fields, and deleted; each marks the contact', async () => {
  const before = await markOf(door, contact);
  const made = await create({ status: 'Excluded', startDate: '2026-01-01T00:00:00Z', endDate: '2026-06-01T00:00:00Z' });
  expect(made).toMatchObject({
    contactId: contact,
    status: 'Excluded',
    startDate: '2026-01-01T00:00:00Z',
  });
  expect(await update(made.id, { endDate: null })).toMatchObject({
    ...made,
    endDate: null,
    updatedAt: expect.any(String),
  });
  expect(await ofContact()).toEqual([{ id: made.id, status: 'Excluded' }]);
  expect(await runMutation(door, 'deleteSanction', { id: made.id }, manager)).toEqual({
    id: made.id,
    deletedId: `Sanction:${made.id}`,
  });
  expect(await ofContact()).toEqual([]);
  expect((await fetchRefusal(door, 'deleteSanction', { id: made.id }, manager)).message).toBe(
    `There is no sanction ${made.id}`,
  );
  const after = await markOf(door, contact);
  expect([after.version, after.user_id]).toEqual([before.version + 3, await findUserWithRole(door, 'manager')]);
  expect(await findWrongRows(door)).toEqual([]);
});

it('a sanction needs no field at all', async () => {
  expect(await create({})).toMatchObject({ status: null, startDate: null, endDate: null });
});

it('a sanction does not end before it starts, whichever end is sent', async () => {
  const [startDate, endDate] = ['2026-02-01T00:00:00Z', '2026-01-31T23:59:59.999999Z'];
  expect(await fetchRefusal(door, 'createSanction', { contactId: contact, startDate, endDate })).toMatchObject(
    noNewerThan,
  );
  const { id } = await create({ startDate, endDate: startDate });
  expect(await fetchRefusal(door, 'updateSanction', { id, endDate })).toMatchObject(noNewerThan);
  expect(await fetchRefusal(door, 'updateSanction', { id, startDate: '2026-02-01T00:00:01+00:00' })).toMatchObject(
    noNewerThan,
  );
  // Without a start, any end is valid.
  expect(await update(id, { startDate: null, endDate })).toMatchObject({ startDate: null, endDate });
});

it('a sanction cannot get an end before its start by two concurrent changes', async () => {
  for (let round = 0; round < 15; round++) {
    const { id } = await create({ startDate: '2026-01-01T00:00:00Z', endDate: '2026-12-31T00:00:00Z' });
    const answers = await Promise.all([
      fetchRefusal(door, 'updateSanction', { id, startDate: '2026-09-01T00:00:00Z' }),
      fetchRefusal(door, 'updateSanction', { id, endDate: '2026-03-01T00:00:00Z' }),
    ]);
    expect(answers.filter(({ code }) => code)).toEqual([expect.objectContaining(noNewerThan)]);
  }
});

it.each([
  ['status', 'x'.repeat(256), 'must be at most 255 characters'],
  ['status', 'a\u0000b', 'must not contain U+0000 or a lone surrogate'],
  ['startDate', 'tomorrow', 'must be a date-time of RFC 3339'],
  ['endDate', '2026-01-01', 'must be a date-time of RFC 3339'],
  ['endDate', 'infinity', 'must be a date-time of RFC 3339'],
])('a sanction refuses %s %j, and writes nothing', async (field, value, message) => {
  const before = await door.sql('select count(*) from sanctions');
  const { body } = await sendMutation(door, 'createSanction', { contactId: contact, [field]: value }, manager);
  expect(body.errors).toHaveLength(1);
  expect(body.errors[0].message).toContain(`input.${field}`);
  expect(body.errors[0].message).toContain(message);
  expect(await door.sql('select count(*) from sanctions')).toEqual(before);
});

it('a sanction is missing in another space, and cannot be created on a missing contact', async () => {
  const [{ id: stranger }] = await door.sql('select min(id) as id from contacts where group_id = 2');
  const [{ id: theirs }] = await door.sql('insert into sanctions (group_id, contact_id) values (2, ?) returning id', [
    stranger,
  ]);
  for (const id of [theirs, 987_654_321])
    for (const [name, args] of [
      ['updateSanction', { id, status: 'x' }],
      ['deleteSanction', { id }],
    ] as const)
      expect(await fetchRefusal(door, name, args, manager)).toMatchObject({
        code: 'not-found',
        message: `There is no sanction ${id}`,
      });
  for (const contactId of [stranger, 987_654_321])
    expect(await fetchRefusal(door, 'createSanction', { contactId }, manager)).toMatchObject({
      code: 'not-found',
      message: `There is no contact ${contactId}`,
    });
});

it.each(['user', 'custom'])('a sanction cannot be written by a %s', async (role) => {
  const { id } = await create({});
  const token = await createRoleToken(door, role);
  for (const [name, args] of [
    ['createSanction', { contactId: contact }],
    ['updateSanction', { id }],
    ['deleteSanction', { id }],
  ] as const)
    expect((await fetchRefusal(door, name, args, token)).code).toBe('forbidden');
});

describe('searches find the new values', () => {
  const found = async (attribute: string, value: string): Promise<boolean> =>
    (await ids(door, { query: { and: [buildCondition(attribute, 'eql', { value })] } })).includes(contact);

  it('its status and validity', async () => {
    await door.sql('update sanctions set deleted_at = now() where contact_id = ?', [contact]);
    const { id } = await create({ status: 'Only here', startDate: '2020-01-01T00:00:00Z' });
    expect([await found('sanctions.status', 'only HERE'), await found('sanctions.validity', 'ongoing')]).toEqual([
      true,
      true,
    ]);
    await update(id, { endDate: '2020-02-01T00:00:00Z', status: 'Another' });
    expect([await found('sanctions.status', 'only here'), await found('sanctions.validity', 'ongoing')]).toEqual([
      false,
      false,
    ]);
    expect(await found('sanctions.validity', 'ended')).toBe(true);
    await runMutation(door, 'deleteSanction', { id }, manager);
    expect(await found('sanctions.validity', 'ended')).toBe(false);
    expect(await findWrongRows(door)).toEqual([]);
  });
});
