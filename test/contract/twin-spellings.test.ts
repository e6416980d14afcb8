// Fields with several names on the wire: a record that was read has them all, and only the edited one counts (decisions §2).
import { beforeAll, describe, expect, it } from 'vitest';
import { spellings } from '../../src/input/legacy-input.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { drawSample } from '../harness/sizes.ts';
import { openQuestion, prepareIds } from '../requests/ids.ts';

let door: Door;
let lists: Record<string, (word: string) => Json>;
beforeAll(async () => {
  door = await openApp();
  const ids = await prepareIds(door, 1);
  const actions = (
    await door.sql('select id from actions where group_id = 1 and deleted_at is null order by id limit 3')
  ).map(({ id }) => id);
  lists = {
    actionIds: (word) => [actions['ABC'.indexOf(word)]],
    customFields: (word) => [{ form_id: ids.freeForms, form_ref_id: ids.form_refs, data: word }],
    namePresences: (word) => [{ label: openQuestion, value: word }],
  };
});

/** Values of a field by the letters A, B and C. */
const valueFor = (field: string, word: string, type = ''): Json => {
  if (field === 'ageCategory') return 'ABC'.indexOf(word) + 1;
  if (field === 'latitude' && type !== 'TeamAddressInput') return 40.5 + 'ABC'.indexOf(word);
  return lists[field]?.(word) ?? word;
};

interface Target {
  /** Writes a record that is new or stored already; returns the status, the body, and the id. */
  create(record: Json): Promise<{ status: number; body: Json; id: number }>;
  change(id: number, record: Json): Promise<{ status: number; body: Json }>;
  read(id: number): Promise<Json>;
}

const contact = async (id: number): Promise<Json> => (await door.rest('GET', `/contacts/${id}`)).body.data.contact;
const create = async (record: Json) => {
  const { status, body } = await door.rest('POST', '/contacts', { data: { contact: record } });
  return { status, body, id: body.data?.contact.id };
};
const upsert = async (record: Json) => {
  const { status, body } = await door.rest('POST', '/contacts/upsert', { kind: 'contact', data: record });
  return { status, body, id: body.data?.contact.id };
};
const team = (record: Json) => ({ data: { team: { name: 'Twins', ...record } } });
let mails = 0;
const newMail = () => ({ mail: `twin${mails++}@example.org` });

const targets: Record<string, Target> = {
  PATCH: { create, change: (id, record) => door.rest('PATCH', `/contacts/${id}`, record), read: contact },
  'upsert by id': { create: upsert, change: (id, record) => upsert({ ...record, id }), read: contact },
  'upsert by mail': {
    create: (record) => upsert({ ...newMail(), ...record }),
    change: async (id, record) => upsert({ ...record, mail: (await contact(id)).mail }),
    read: contact,
  },
  team: {
    create: async (record) => {
      const { status, body } = await door.rest('POST', '/teams', team(record));
      return { status, body, id: body.data?.team.id };
    },
    change: (id, record) => door.rest('PATCH', '/teams', team({ ...record, id })),
    read: async (id) => (await door.rest('GET', `/teams/${id}`)).body.data.team,
  },
};
const targetsOf: Record<string, string[]> = {
  ContactUpdateInput: ['PATCH'],
  ContactUpsertInput: ['upsert by id', 'upsert by mail'],
  ContactAddressInput: ['PATCH', 'upsert by id', 'upsert by mail'],
  TeamAddressInput: ['team'],
};

const pairs = Object.entries(spellings).flatMap(([type, fields]) =>
  Object.entries(fields).flatMap(([field, names]) =>
    names
      .slice(1)
      .flatMap((other) =>
        (targetsOf[type] ?? []).map((target) => [target, names[0]!, other, { type, field }] as const),
      ),
  ),
);

/** The value that is read from a field, whatever its spelling. */
const readField = (record: Json, field: string, type: string): string => {
  const within = type.includes('Address') ? (record.address ?? {}) : record;
  if (field === 'namePresences') return JSON.stringify(record.formdatas.map(({ data }: Json) => data));
  const [name] = spellings[type]![field]!.filter((one) => one in within);
  const value = within[name!];
  return JSON.stringify(field === 'customFields' ? value.map(({ data }: Json) => data) : value);
};

it('the table covers every pair of names in the inputs of writes', () => {
  const untested = Object.keys(spellings).filter((type) => !targetsOf[type]);
  // A new contact is created with each pair before it is changed; a note is new or missing; the flag of a user has one name.
  expect(untested.sort()).toEqual(['ContactCreateInput', 'ContactNoteInput', 'UserUpdateInput']);
  expect(pairs.length).toBeGreaterThan(30);
});

describe.each(drawSample(pairs, { small: 4 }))('%s: %s and %s', (name, one, other, { type, field }) => {
  const target = targets[name]!;
  const toInput = (words: Record<string, string>): Json => {
    const values = Object.fromEntries(
      Object.entries(words).map(([spelling, word]) => [spelling, valueFor(field, word, type)]),
    );
    return type.includes('Address') ? { address: values } : values;
  };
  const createRecord = async (): Promise<number> => {
    const first =
      name === 'PATCH'
        ? { surname: 'Twin', ...toInput({ [one]: 'A' }) }
        : { surname: `Twin ${mails++}`, ...toInput({ [one]: 'A' }) };
    const { status, body, id } = await target.create(first);
    expect(status, JSON.stringify(body)).toBeLessThan(300);
    return id;
  };
  const changeAndRead = async (words: Record<string, string>): Promise<string> => {
    const id = await createRecord();
    const { status, body } = await target.change(id, toInput(words));
    expect(status, JSON.stringify(body)).toBeLessThan(300);
    return readField(await target.read(id), field, type);
  };
  /** The value that is read when it was sent under one name alone. */
  const changeOneName = async (word: string): Promise<string> => changeAndRead({ [one]: word });

  it('whichever name is edited counts; two equal edits count as one', async () => {
    const edited =
      field === 'actionIds' && name !== 'PATCH'
        ? JSON.stringify([valueFor(field, 'A')[0], valueFor(field, 'B')[0]])
        : await changeOneName('B');
    expect(await changeAndRead({ [one]: 'B', [other]: 'A' })).toBe(edited);
    expect(await changeAndRead({ [one]: 'A', [other]: 'B' })).toBe(edited);
    expect(await changeAndRead({ [one]: 'B', [other]: 'B' })).toBe(edited);
    expect(await changeAndRead({ [one]: 'A', [other]: 'A' })).toBe(await changeOneName('A'));
  });

  it('two different edits are a 400 that names both, and nothing changes', async () => {
    const id = await createRecord();
    const before = await target.read(id);
    const { status, body } = await target.change(id, toInput({ [one]: 'B', [other]: 'C' }));
    expect([status, body.errors?.length]).toEqual([400, 1]);
    expect(body.errors[0].location.endsWith(`.${one}`)).toBe(true);
    expect(body.errors[0].message).toContain(`.${other} mean one value`);
    expect(await target.read(id)).toEqual(before);
    expect((await target.create({ surname: 'None', ...toInput({ [one]: 'B', [other]: 'C' }) })).status).toBe(400);
  });
});

it.each([
  'birthcity',
  'birth_city',
])('%s of a record takes a text with a blank at its edge, and lets it go', async (edited) => {
  const { id } = await create({ birthcity: ' Lyon' });
  for (const text of ['Lyon', ' Nice ']) {
    const record = { ...(await contact(id)), [edited]: text };
    expect((await door.rest('PATCH', `/contacts/${id}`, record)).status).toBe(200);
    expect((await contact(id)).birthcity).toBe(text);
  }
});
