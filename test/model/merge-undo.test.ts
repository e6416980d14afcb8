// An undone merge leaves what was there before, and what was written since. Random contacts are merged, changed in random ways, and compared.
import fc from 'fast-check';
import { beforeAll, expect, it, vi } from 'vitest';
import { findWrongRows, runMutation } from '../graphql/writing.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { chooseCount } from '../harness/sizes.ts';

vi.setConfig({ testTimeout: 1_800_000 });

let door: Door;
let forms: { id: number; refs: number[] }[];
beforeAll(async () => {
  door = await openApp();
  const kinds = ['consent radio', 'survey radio', 'consent checkbox', 'custom_fields text'];
  forms = await Promise.all(
    kinds.map(async (what) => {
      const [kind, type] = what.split(' ');
      const [{ id }] = await door.sql(
        'insert into forms (group_id, kind, label, type) values (1, ?, ?, ?) returning id',
        [kind, what, type],
      );
      const refs = await door.sql(
        `insert into form_refs (group_id, form_id, label, value) select 1, ?, v, v from unnest(cast(? as text[])) v returning id`,
        [id, type === 'text' ? ['text'] : ['yes', 'no']],
      );
      return { id, refs: refs.map((ref: Json) => ref.id) };
    }),
  );
});

const recordTables = ['notes', 'interactions', 'transactions', 'donations', 'memberships', 'sanctions', 'emails'];
const list = (sql: string): string => `coalesce((select jsonb_agg(x order by x) from (${sql}) r (x)), '[]')`;
const without = (row: string, ...columns: string[]): string => `to_jsonb(${row}) - '{${columns.join(',')}}'::text[]`;

/** All that the tables have of these contacts, but the marks of a change. */
const read = async (ids: readonly number[]): Promise<Json[]> =>
  (
    await door.sql(
      `select ${without('c', 'version', 'updated_at', 'lastchange', 'user_id')} || jsonb_build_object(
       'address', (select ${without('a', 'id', 'created_at', 'updated_at')} from addresses a where a.group_id = 1 and a.contact_id = c.id),
       'tags', ${list('select t.name from contact_tags ct join tags t on t.group_id = 1 and t.id = ct.tag_id where ct.group_id = 1 and ct.contact_id = c.id')},
       'actions', ${list('select action_id from contact_actions where group_id = 1 and contact_id = c.id')},
       'mails', ${list('select mail from former_mails where group_id = 1 and contact_id = c.id')},
       'apart', ${list('select contact_id + other_id - c.id from kept_apart where group_id = 1 and c.id in (contact_id, other_id)')},
       'lines', ${list(`select id from consent_changes where group_id = 1 and contact_id = c.id and operation not in ('mergeContacts', 'undoContactMerge') and before is distinct from after`)},
       'answers', ${list(`select jsonb_build_object('form_id', a.form_id, 'form_ref_id', a.form_ref_id, 'data', a.data, 'date', a.date) from answers a where a.group_id = 1 and a.contact_id = c.id`)},
       ${recordTables.map((table) => `'${table}', ${list(`select ${without('r', 'updated_at', 'deleted_at')} || jsonb_build_object('deleted', r.deleted_at is not null) from ${table} r where r.group_id = 1 and r.contact_id = c.id`)}`).join(', ')}) as person
     from contacts c where c.group_id = 1 and c.id = any(?) order by c.id`,
      [ids],
    )
  ).map(({ person }) => person);

const textFields = ['firstName', 'email', 'phone', 'mobile', 'externalId', 'nationality'] as const;
const columnOf: Record<string, string> = {
  firstName: 'firstname',
  email: 'mail',
  phone: 'phone',
  mobile: 'mobile',
  externalId: 'external_id',
  nationality: 'nationality',
};

const person = fc.record({
  fields: fc.subarray([...textFields]),
  same: fc.boolean(),
  flags: fc.record({ optedOut: fc.boolean(), phoneInvalid: fc.boolean() }),
  city: fc.constantFrom(null, 'Albi', 'Foix'),
  tags: fc.subarray(['red', 'blue', 'green']),
  acts: fc.boolean(),
  answers: fc.uniqueArray(fc.record({ form: fc.nat(3), ref: fc.nat(1), at: fc.constantFrom(null, 2020, 2024) }), {
    selector: ({ form }) => form,
  }),
  records: fc.subarray(recordTables),
  pinned: fc.boolean(),
  apart: fc.boolean(),
});
type Drawn = ReturnType<typeof person.generate>['value_'];

const edits = [
  'set',
  'clear',
  'address',
  'tag',
  'untag',
  'note',
  'editNote',
  'deleteNote',
  'optOut',
  'lift',
  'consent',
  'survey',
  'text',
  'apart',
] as const;

const undo = 'mutation ($id: ID!) { undoContactMerge(input: { id: $id }) { contacts { databaseId } left } }';
const merge = async (survivorId: number, ids: number[]): Promise<string> => {
  const text =
    'mutation ($survivorId: ID!, $ids: [ID!]!) { mergeContacts(input: { survivorId: $survivorId, ids: $ids }) { mergeId } }';
  const { data, errors } = (await door.graphql(text, { survivorId, ids })).body;
  expect(errors).toBeUndefined();
  return data.mergeContacts.mergeId;
};

let turn = 1;
/** A value that a phone may have too. */
const drawValue = (field: string, n: number): string =>
  field === 'email' ? `p${n}@example.org` : String(561_000_000 + n);
const create = async (drawn: Drawn, action: number, stranger: number): Promise<number> => {
  const n = turn++;
  const { id } = await runMutation(door, 'createContact', {
    lastName: `Merged ${n}`,
    ...Object.fromEntries(
      drawn.fields.map((field) => [field, drawValue(field, drawn.same && field !== 'externalId' ? 0 : n)]),
    ),
    ...drawn.flags,
    ...(drawn.city && { address: { city: drawn.city } }),
    tags: drawn.tags.map((name) => ({ name })),
    actionIds: drawn.acts ? [action] : [],
    answers: drawn.answers
      .filter(({ form }) => form < 3)
      .map(({ form, ref, at }) => ({
        formId: forms[form]!.id,
        optionId: forms[form]!.refs[ref],
        ...(at && { answeredAt: `${at}-01-01T00:00:00Z` }),
      })),
    customFields: drawn.answers
      .filter(({ form }) => form === 3)
      .map(() => ({ formId: forms[3]!.id, optionId: forms[3]!.refs[0], text: `text ${n}` })),
  });
  const key: number = id;
  const day = '2024-01-01';
  const inserts: Record<string, string> = {
    notes: `(group_id, contact_id, content, pinned) values (1, ${key}, 'note ${n}', ${drawn.pinned})`,
    interactions: `(group_id, contact_id, type) values (1, ${key}, 'call')`,
    transactions: `(group_id, contact_id, amount, date) values (1, ${key}, 100, '${day}')`,
    donations: `(group_id, contact_id, amount, transaction_date) values (1, ${key}, 100, '${day}')`,
    memberships: `(group_id, contact_id, amount, start_date) values (1, ${key}, 100, '${day}')`,
    sanctions: `(group_id, contact_id, status) values (1, ${key}, 'warned')`,
    emails: `(group_id, contact_id, opened_at) values (1, ${key}, '${day}')`,
  };
  for (const table of drawn.records) await door.sql(`insert into ${table} ${inserts[table]}`);
  if (drawn.apart) await runMutation(door, 'keepContactsApart', { contactIds: [key, stranger] });
  await door.sql('select refresh_search(1, ?), refresh_emails(1, ?)', [[key], [key]]);
  return key;
};

/** Changes the survivor, and what is expected of all of them after the undo. */
const edit = async (
  what: (typeof edits)[number],
  expected: Json[],
  before: Json[],
  stranger: number,
): Promise<void> => {
  const [survivor, ...others] = expected as [Json, ...Json[]];
  const { id } = survivor;
  const n = turn++;
  const field = textFields[n % textFields.length]!;
  const [now] = (await read([id])) as [Json];
  const update = (input: Json) => runMutation(door, 'updateContact', { id, ...input });
  const [note] = others.flatMap((one) => one.notes.filter((row: Json) => !row.deleted));
  const answerOtherwise = async (at: number): Promise<void> => {
    const { id: form, refs } = forms[at]!;
    const isOf = (one: Json): boolean => one.form_id === form;
    const had = now.answers.find(isOf);
    const ref = refs.find((one) => refs.length === 1 || one !== had?.form_ref_id)!;
    const data = refs.length === 1 ? `since ${n}` : null;
    const change = { answers: [{ formId: form, optionId: ref, text: data }] };
    await runMutation(door, 'changeContacts', { of: { ids: [id] }, change });
    const said = { form_id: form, form_ref_id: ref, data, date: null };
    survivor.answers = [...survivor.answers.filter((one: Json) => !isOf(one)), said];
    if (at > 0 || !had) return;
    for (const one of others) one.answers = one.answers.filter((answer: Json) => !isOf(answer));
  };
  const steps: Record<typeof what, () => Promise<unknown>> = {
    set: async () => {
      survivor[columnOf[field]!] = drawValue(field, n);
      await update({ [field]: survivor[columnOf[field]!] });
    },
    clear: async () => {
      survivor[columnOf[field]!] = null;
      await update({ [field]: null });
    },
    address: async () => {
      await update({ address: { city: `City ${n}` } });
      survivor.address = (await read([id]))[0]!.address;
    },
    tag: async () => {
      survivor.tags.push(`since ${n}`);
      await runMutation(door, 'tagContacts', { contactIds: [id], tags: [`since ${n}`] });
    },
    untag: async () => {
      survivor.tags = survivor.tags.filter((name: string) => name !== 'red');
      await runMutation(door, 'untagContacts', { contactIds: [id], tags: ['red'] });
    },
    // The id of a merged contact leads to the survivor.
    note: async () => {
      await runMutation(door, 'createNote', { contactId: others[0]!.id, content: `since ${n}` });
      const notes = (await read([id]))[0]!.notes;
      survivor.notes.push(notes.find(({ content }: Json) => content === `since ${n}`));
    },
    editNote: async () => {
      if (!note) return;
      note.content = `edited ${n}`;
      await runMutation(door, 'updateNote', { id: note.id, content: note.content });
    },
    deleteNote: async () => {
      if (!note) return;
      note.deleted = true;
      await runMutation(door, 'deleteNote', { id: note.id });
    },
    optOut: async () => {
      if (now.black_list) return;
      for (const one of expected) one.black_list = true;
      await update({ optedOut: true });
    },
    lift: async () => {
      for (const [place, one] of expected.entries()) one.black_list = place > 0 && before[place]!.black_list;
      await update({ optedOut: false });
    },
    consent: () => answerOtherwise(0),
    survey: () => answerOtherwise(1),
    text: () => answerOtherwise(3),
    apart: async () => {
      if (!now.apart.includes(stranger)) survivor.apart.push(stranger);
      await runMutation(door, 'keepContactsApart', { contactIds: [id, stranger] });
    },
  };
  await steps[what]();
};

const sort = (people: Json[]): Json[] =>
  people.map((one) =>
    Object.fromEntries(
      Object.entries<Json>(one).map(([name, value]) => [
        name,
        Array.isArray(value)
          ? value.map((item) => JSON.stringify(item, Object.keys(Object(item)).sort())).sort()
          : value,
      ]),
    ),
  );

it('leaves what was there before the merge, and what was written since', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(person, { minLength: 2, maxLength: 4 }),
      fc.array(fc.constantFrom(...edits), { maxLength: 4 }),
      async (drawn, changes) => {
        const { id: action } = await runMutation(door, 'createAction', { name: `action ${turn++}` });
        const stranger = (await runMutation(door, 'createContact', { lastName: 'Stranger' })).id;
        const ids: number[] = [];
        for (const one of drawn) ids.push(await create(one, action, stranger));
        const [survivorId, ...others] = ids;
        const before = await read(ids);
        const mergeId = await merge(survivorId!, others);
        const expected = structuredClone(before);
        for (const change of changes) await edit(change, expected, before, stranger);
        const { data, errors } = (await door.graphql(undo, { id: mergeId })).body;
        expect(errors).toBeUndefined();
        expect(data.undoContactMerge.contacts.map(({ databaseId }: Json) => databaseId)).toEqual(ids);
        const lines = new Set(before.flatMap((one) => one.lines));
        const after = (await read(ids)).map((one) => ({
          ...one,
          lines: one.lines.filter((id: number) => lines.has(id)),
        }));
        expect(sort(after)).toEqual(sort(expected));
        expect(await findWrongRows(door)).toEqual([]);
      },
    ),
    { numRuns: chooseCount(8, 60, 600), endOnFailure: true },
  );
});
