// Corner cases of writing contacts: each was found by a random sequence of writes, and is tested here with its smallest case.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { chooseCount } from '../harness/sizes.ts';
import { runMutation, sendMutation } from './writing.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const create = async (input: Json): Promise<number> => (await runMutation(door, 'createContact', input)).id;
const upserts = async (inputs: Json[]): Promise<Json[]> => {
  const { body } = await door.graphql(
    'mutation ($inputs: [ContactUpsertInput!]!) { upsertContacts(input: { contacts: $inputs }) { results { contact { id: databaseId } outcome } } }',
    { inputs },
  );
  return body.data.upsertContacts.results.map(({ contact, outcome }: Json) => [contact.id, outcome]);
};
const merge = (survivorId: number, ids: number[]): Promise<Json> =>
  runMutation(door, 'mergeContacts', { survivorId, ids });

/** A form of space 1 of one kind and type, with the ids of its reference values. */
const form = async (kind: string, type: string): Promise<Json> =>
  runMutation(door, 'createForm', {
    kind,
    type,
    label: `${kind} ${type} ${Math.random()}`,
    options: [{ label: 'One' }, { label: 'Two' }],
  });

it('an upsert creates a new contact when its id is of a merged contact whose survivor is deleted', async () => {
  const [gone, survivor] = [await create({ lastName: 'Merged-away' }), await create({ lastName: 'Then-deleted' })];
  await merge(survivor, [gone]);
  await runMutation(door, 'deleteContact', { id: survivor });
  const { body } = await door.rest('POST', '/contacts/upsert', {
    kind: 'contact',
    data: { id: gone, surname: 'Nobody-else' },
  });
  expect(body.data).toEqual({ contact: { id: expect.any(Number) }, outcome: 'created' });
  expect([gone, survivor]).not.toContain(body.data.contact.id);
});

describe('a batch of upserts has the effect of its records one after the other', () => {
  it('a record matches the contact that the record before it gave its name', async () => {
    const id = await create({ lastName: 'Batch-name', firstName: 'Before' });
    expect(
      await upserts([
        { id, firstName: 'After' },
        { lastName: 'Batch-name', firstName: 'After' },
      ]),
    ).toEqual([
      [id, 'UPDATED'],
      [id, 'UPDATED'],
    ]);
  });

  it('a record matches the contact that lost its first name by the record before it', async () => {
    const id = await create({ lastName: 'Batch-none', firstName: 'Before' });
    expect(await upserts([{ id, firstName: null }, { lastName: 'Batch-none' }])).toEqual([
      [id, 'UPDATED'],
      [id, 'UPDATED'],
    ]);
  });

  it('a record matches the contact that got its mail and first name by the record before it', async () => {
    const id = await create({ email: 'batch@example.org', firstName: 'Before' });
    expect(
      await upserts([
        { id, firstName: 'After' },
        { email: 'batch@example.org', firstName: 'After' },
      ]),
    ).toEqual([
      [id, 'UPDATED'],
      [id, 'UPDATED'],
    ]);
  });

  it('a record matches the contact that got its birthdate by the record before it', async () => {
    const id = await create({ lastName: 'Batch-birth', birthDate: '1980-01-01' });
    expect(
      await upserts([
        { id, birthDate: '1990-01-01' },
        { lastName: 'Batch-birth', birthDate: '1990-01-01' },
      ]),
    ).toEqual([
      [id, 'UPDATED'],
      [id, 'UPDATED'],
    ]);
  });
});

it('an answer that an upsert names in words replaces the one that it sends back', async () => {
  const { id: formId, options: refvalues } = await form('CONSENT', 'RADIO');
  const [one, two] = refvalues;
  const id = await create({ lastName: 'Echo', answers: [{ formId, optionId: one.id, text: 'One' }] });
  const { status } = await door.rest('POST', '/contacts/upsert', {
    kind: 'contact',
    data: {
      ...(await door.rest('GET', `/contacts/${id}`)).body.data.contact,
      consents: [{ id: formId, value: 'Two' }],
    },
  });
  expect(status).toBe(202);
  const { formdatas } = (await door.rest('GET', `/contacts/${id}`)).body.data.contact;
  expect(formdatas.map(({ form_ref_id, data }: Json) => [form_ref_id, data])).toEqual([[two.id, 'Two']]);
});

describe('a merge', () => {
  it('treats an empty text as no value', async () => {
    const [survivor, other] = [
      await create({ lastName: 'Empty', firstName: '', phone: '01' }),
      await create({ lastName: 'Empty', firstName: 'Filled', phone: '' }),
    ];
    const { contact, conflicts } = await merge(survivor, [other]);
    expect(contact).toMatchObject({ firstName: 'Filled', phone: '01' });
    expect(conflicts).toEqual([]);
  });

  it('counts the answers that move, not those that are dropped', async () => {
    const { id: formId, options: refvalues } = await form('SURVEY', 'SELECT');
    const answered = (nth: number): Json => ({ answers: [{ formId, optionId: refvalues[nth].id }] });
    const [survivor, other] = [
      await create({ lastName: 'Kept', ...answered(0) }),
      await create({ lastName: 'Dropped', ...answered(1) }),
    ];
    expect((await merge(survivor, [other])).moved).toEqual([]);
  });
});

describe('with a contact that is deleted at the same time', () => {
  const race = async (change: (id: number, other: number) => Promise<number>): Promise<number[]> => {
    const statuses: number[] = [];
    for (let round = 0; round < chooseCount(10, 40, 40); round++) {
      const [id, other] = [await create({ lastName: 'Raced' }), await create({ lastName: 'Raced' })];
      const deletion = (): Promise<Json> => door.rest('DELETE', `/contacts/${id}`);
      const [status] = await Promise.all([change(id, other), deletion()]);
      statuses.push(status);
    }
    return [...new Set(statuses)].filter((status) => ![200, 404, 422].includes(status));
  };
  const statusOf = async (name: string, args: Json): Promise<number> => {
    const { body } = await sendMutation(door, name, args);
    return body.errors?.[0].extensions.status ?? 200;
  };

  it('a change is done, or finds no contact', async () => {
    const change = async (id: number) => (await door.rest('PATCH', `/contacts/${id}`, { data: { phone: '1' } })).status;
    expect(await race(change)).toEqual([]);
  });

  it('a merge is done, or finds no contact', async () => {
    expect(await race((survivorId, other) => statusOf('mergeContacts', { survivorId, ids: [other] }))).toEqual([]);
  });
});
