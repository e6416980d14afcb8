// changeContacts: what becomes of many contacts, who they are, what is refused, and how it is undone.
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { continueContactChange } from '../../src/data/import/contact-change.ts';
import { limits } from '../../src/limits/limits.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { createMember, createMemberRole } from '../harness/member.ts';
import { countWaiting, openSession } from '../harness/session.ts';
import { waitUntil } from '../harness/waiting.ts';
import { startJobs } from '../webhook/receiver.ts';
import { findWrongRows, runMutation } from './writing.ts';

let door: Door;
/** The ids of some contacts, which the tests change. */
let people: number[];
let turn = 0;

beforeAll(async () => {
  door = await openApp();
});
beforeEach(async () => {
  turn++;
  people = [];
  for (const name of ['Ada', 'Bob', 'Cy'])
    people.push((await runMutation(door, 'createContact', { lastName: `${name} ${turn}`, nationality: 'FR' })).id);
});

const fields = `job { id databaseId state total changed unchanged refused finishedAt faults { contactId message } }
  preview { total changed unchanged refused faults { contactId message } examples { contactId values { field before after } } }`;
const send = async (input: Json, token?: string): Promise<Json> =>
  (
    await door.graphql(
      `mutation ($input: ContactsChangeInput!) { changeContacts(input: $input) { ${fields} } }`,
      { input },
      token,
    )
  ).body;
const change = async (what: Json, input: Json = {}): Promise<Json> => {
  const { data, errors } = await send({ of: { ids: people }, change: what, ...input });
  expect(errors).toBeUndefined();
  return data.changeContacts.job ?? data.changeContacts.preview;
};
const refusal = async (input: Json, token?: string): Promise<Json> => {
  const [{ message, extensions }] = (await send({ of: { ids: people }, ...input }, token)).errors ?? [{}];
  return { code: extensions?.code, message, errors: extensions?.errors };
};
const call = async (name: string, id: string, token?: string): Promise<Json> =>
  (
    await door.graphql(
      `mutation ($id: ID!) { ${name}(input: { id: $id }) { ${name === 'undoContactChange' ? 'restored left' : 'job { state changed total }'} } }`,
      { id },
      token,
    )
  ).body;
const undo = async (id: string): Promise<Json> => (await call('undoContactChange', id)).data?.undoContactChange;

const readPeople = async (): Promise<Json[]> =>
  door.sql(
    `select c.id, c.nationality, c.gender, c.black_list, c.deleted_at is not null as deleted, a.city,
            array(select t.name from contact_tags x join tags t on t.group_id = x.group_id and t.id = x.tag_id where x.group_id = 1 and x.contact_id = c.id order by t.name) as tags,
            array(select x.action_id from contact_actions x where x.group_id = 1 and x.contact_id = c.id order by 1) as actions,
            array(select x.data from answers x where x.group_id = 1 and x.contact_id = c.id order by 1) as answers
       from contacts c left join addresses a on a.group_id = 1 and a.contact_id = c.id where c.group_id = 1 and c.id = any(?) order by c.id`,
    [people],
  );
const readVersions = async (): Promise<number[]> =>
  (await door.sql('select version from contacts where group_id = 1 and id = any(?) order by id', [people])).map(
    ({ version }) => version,
  );
const counts = ({ total, changed, unchanged, refused }: Json): number[] => [total, changed, unchanged, refused];
/** A query that finds the people. */
const byName = (): Json => ({ or: ['Ada', 'Bob', 'Cy'].map((name) => ({ lastName: { equals: `${name} ${turn}` } })) });
const newTag = (): string => `changed ${turn}`;

const newAction = async (): Promise<number> => (await runMutation(door, 'createAction', { name: `action ${turn}` })).id;
const newForm = async (kind = 'consent'): Promise<{ formId: number; optionId: number }> => {
  const [form] = await door.sql(
    `with made as (insert into forms (group_id, kind, type, label) values (1, ?, 'text', ?) returning id)
     insert into form_refs (group_id, form_id, label) select 1, id, 'text' from made returning form_id, id`,
    [kind, `form ${turn} ${kind}`],
  );
  return { formId: form.form_id, optionId: form.id };
};

describe('a change', () => {
  it.each<[what: string, make: () => Promise<Json>, after: (change: Json) => Json]>([
    ['adds tags', async () => ({ addTags: [newTag()] }), () => ({ tags: [`changed ${turn}`] })],
    [
      'links to actions',
      async () => ({ addActionIds: [await newAction()] }),
      (made) => ({ actions: made.addActionIds }),
    ],
    [
      'sets fields, and clears them',
      async () => ({ set: { gender: 'O', nationality: null, address: { city: 'Albi' } } }),
      () => ({ gender: 'O', nationality: null, city: 'Albi' }),
    ],
    ['opts out', async () => ({ set: { optedOut: true } }), () => ({ black_list: true })],
    ['answers forms', async () => ({ answers: [{ ...(await newForm()), text: 'yes' }] }), () => ({ answers: ['yes'] })],
    [
      'answers custom fields',
      async () => ({ answers: [{ ...(await newForm('custom_fields')), text: 'blue' }] }),
      () => ({ answers: ['blue'] }),
    ],
    ['deletes', async () => ({ delete: true }), () => ({ deleted: true })],
  ])('%s as one version of each contact, tells it before, and is undone', async (_, make, after) => {
    const what = await make();
    const [before, versions] = [await readPeople(), await readVersions()];
    const preview = await change(what, { dryRun: true });
    expect(counts(preview)).toEqual([3, 3, 0, 0]);
    expect(preview.examples.map(({ contactId }: Json) => contactId)).toEqual(people.map((id) => `Contact:${id}`));
    expect([await readPeople(), await readVersions()]).toEqual([before, versions]);
    const job = await change(what);
    expect(counts(job)).toEqual([3, 3, 0, 0]);
    expect(job).toMatchObject({ state: 'DONE', faults: [] });
    const changed = before.map((one) => ({ ...one, ...after(what) }));
    expect(await readPeople()).toEqual(changed);
    expect(await readVersions()).toEqual(versions.map((version) => version + 1));
    expect(await findWrongRows(door)).toEqual([]);
    expect(await undo(job.id)).toEqual({ restored: 3, left: 0 });
    expect(await readPeople()).toEqual(before);
    expect(await findWrongRows(door)).toEqual([]);
  });

  it.each<[what: string, change: Json, parts: Json]>([
    ['tags', { addTags: ['copied'] }, { tags: [] }],
    ['an address', { set: { address: { city: 'Albi' } } }, { address: null }],
    [
      'a field',
      { set: { gender: 'O' } },
      { columns: expect.objectContaining({ gender: null, surname: expect.any(String) }) },
    ],
    ['a deletion', { delete: true }, {}],
    ['an answer', {}, { answers: [] }],
  ])('of %s copies no more of a contact than undoing it needs', async (_, what, parts) => {
    const { databaseId } = await change(parts.answers ? { answers: [{ ...(await newForm()), text: 'yes' }] } : what);
    const copies = await door.sql('select before from import_contacts where group_id = 1 and import_id = ?', [
      databaseId,
    ]);
    expect(copies.map(({ before }) => before)).toEqual(people.map(() => ({ columns: {}, ...parts })));
  });

  it('that says nothing new writes nothing', async () => {
    const what = { addTags: [newTag()], set: { nationality: 'FR' } };
    await change(what);
    const versions = await readVersions();
    const spelt = { ...what, addTags: [` ${newTag().toUpperCase()} `] };
    expect(counts(await change(spelt, { dryRun: true }))).toEqual([3, 0, 3, 0]);
    expect(counts(await change(spelt))).toEqual([3, 0, 3, 0]);
    expect(await readVersions()).toEqual(versions);
  });

  it('removes tags, however they are written, and actions', async () => {
    const action = await newAction();
    await change({ addTags: [newTag(), 'Élu'], addActionIds: [action] });
    const job = await change({ removeTags: ['elu'], removeActionIds: [action] });
    expect(counts(job)).toEqual([3, 3, 0, 0]);
    expect(await readPeople()).toMatchObject(people.map(() => ({ tags: [newTag()], actions: [] })));
    expect(await undo(job.id)).toEqual({ restored: 3, left: 0 });
    expect(await readPeople()).toMatchObject(people.map(() => ({ tags: [newTag(), 'Élu'], actions: [action] })));
  });

  it('shows the values before and after it in a dry run', async () => {
    const { examples } = await change({ addTags: [newTag()], set: { address: { city: 'Albi' } } }, { dryRun: true });
    expect(examples[0].values).toEqual([
      { field: 'address.city', before: 'null', after: '"Albi"' },
      { field: 'tags', before: '[]', after: JSON.stringify([newTag()]) },
    ]);
  });

  it('refuses what does not fit a contact, and changes the others', async () => {
    await door.sql(
      `with made as (insert into tags (group_id, name) select 1, 'many ' || n || ' ' || ? from generate_series(1, 200) n returning id)
       insert into contact_tags (group_id, contact_id, tag_id) select 1, ?, id from made`,
      [turn, people[1]],
    );
    await door.sql('select refresh_search(1, ?)', [people]);
    const fault = {
      contactId: `Contact:${people[1]}`,
      message: 'tags must be at most 200 tags, with those that are there',
    };
    expect((await change({ addTags: [newTag()] }, { dryRun: true })).faults).toEqual([fault]);
    const job = await change({ addTags: [newTag()] });
    expect(counts(job)).toEqual([3, 2, 0, 1]);
    expect(job.faults).toEqual([fault]);
  });

  it('leaves what somebody has changed since when it is undone, and is undone once', async () => {
    const job = await change({ addTags: [newTag()] });
    await runMutation(door, 'updateContact', { id: people[0], lastName: 'Later' });
    expect(await undo(job.id)).toEqual({ restored: 2, left: 1 });
    expect((await readPeople()).map(({ tags }) => tags)).toEqual([[newTag()], [], []]);
    expect((await call('undoContactChange', job.id)).errors[0].extensions.code).toBe('conflict');
    const { body } = await door.graphql('query ($id: ID!) { contactChange(id: $id) { state } }', { id: job.id });
    expect(body.data.contactChange).toEqual({ state: 'UNDONE' });
  });

  it('is undone once where two ask at once', async () => {
    const job = await change({ addTags: [newTag()] });
    const bodies = await Promise.all([0, 1].map(() => call('undoContactChange', job.id)));
    const told = bodies.map(({ data, errors }) => data?.undoContactChange ?? errors[0].extensions.code);
    // Whoever comes once it is over is refused; who comes before is told the whole of it.
    expect(told).toContainEqual({ restored: 3, left: 0 });
    for (const one of told) expect([{ restored: 3, left: 0 }, 'conflict']).toContainEqual(one);
  });

  it('is undone after later ones were, in reverse order', async () => {
    const before = await readPeople();
    const jobs = [];
    for (const what of [{ addTags: [newTag()] }, { set: { nationality: 'BE' } }, { delete: true }])
      jobs.push(await change(what));
    for (const { id } of jobs.reverse()) expect(await undo(id)).toEqual({ restored: 3, left: 0 });
    expect(await readPeople()).toEqual(before);
    expect(await findWrongRows(door)).toEqual([]);
  });

  it('stays when somebody has changed a contact between it and a later one that was undone', async () => {
    const first = await change({ addTags: [newTag()] });
    await runMutation(door, 'updateContact', { id: people[0], lastName: 'Between' });
    expect(await undo((await change({ set: { nationality: 'BE' } })).id)).toEqual({ restored: 3, left: 0 });
    expect(await undo(first.id)).toEqual({ restored: 2, left: 1 });
  });

  it('that is undone leaves an import before it to be undone', async () => {
    const sent = `mutation { importContacts(input: { contacts: [{ lastName: "Imported ${turn}" }] }) { import { id } results { contact { databaseId } } } }`;
    const { import: made, results } = (await door.graphql(sent)).body.data.importContacts;
    const job = await change({ addTags: [newTag()] }, { of: { ids: [results[0].contact.databaseId] } });
    expect(await undo(job.id)).toEqual({ restored: 1, left: 0 });
    const { body } = await door.graphql('mutation ($id: ID!) { undoImport(input: { id: $id }) { deleted left } }', {
      id: made.id,
    });
    expect(body.data.undoImport).toEqual({ deleted: 1, left: 0 });
  });

  it('puts the tag on its contacts again that it has removed, by the name that the tag has now', async () => {
    const { id } = await runMutation(door, 'createTag', { name: newTag() });
    await change({ addTags: [newTag()] });
    const job = await change({ removeTags: [newTag()] });
    await runMutation(door, 'updateTag', { id, name: `renamed ${turn}` });
    expect(await undo(job.id)).toEqual({ restored: 3, left: 0 });
    expect((await readPeople()).map(({ tags }) => tags)).toEqual(people.map(() => [`renamed ${turn}`]));
    expect(await door.sql('select from tags where name = ?', [newTag()])).toEqual([]);
  });

  it('leaves a deleted contact whose external id somebody else has got since', async () => {
    await runMutation(door, 'updateContact', { id: people[0], externalId: `taken ${turn}` });
    const job = await change({ delete: true });
    await runMutation(door, 'createContact', { externalId: `taken ${turn}` });
    expect(await undo(job.id)).toEqual({ restored: 2, left: 1 });
    expect((await readPeople()).map(({ deleted }) => deleted)).toEqual([true, false, false]);
  });

  it('does not bring back who was merged since', async () => {
    const job = await change({ addTags: [newTag()] });
    await runMutation(door, 'mergeContacts', { survivorId: people[0], ids: [people[1]] });
    expect(await undo(job.id)).toEqual({ restored: 1, left: 2 });
  });

  it('is a line of the histories of consent, of the change feed, and one of the audit log', async () => {
    const feed = async (after: string | null, first = 100): Promise<Json> =>
      (
        await door.graphql(
          'query ($after: String, $first: Int) { changes(after: $after, first: $first, filter: { types: [CONTACT] }) { cursor nodes { recordId operation fields } } }',
          { after, first },
        )
      ).body.data.changes;
    const { cursor } = await feed(null, 0);
    const { id, databaseId } = await change({ set: { optedOut: true } }, { name: 'asked by letter' });
    const { nodes } = await feed(cursor);
    // Changes of one transaction have no order.
    expect(nodes.toSorted((one: Json, other: Json) => one.recordId.localeCompare(other.recordId))).toEqual(
      people.map((person) => ({ recordId: `Contact:${person}`, operation: 'UPDATED', fields: ['optedOut'] })),
    );
    const [line, ...more] = await door.sql(
      `select type, record_id, counts from audit_log where group_id = 1 and operation = 'changeContacts' order by id desc`,
    );
    expect(line).toEqual({
      type: 'Import',
      record_id: databaseId,
      counts: { total: 3, changed: 3, unchanged: 0, refused: 0 },
    });
    expect(more.filter(({ record_id }) => record_id === databaseId)).toEqual([]);
    const { body } = await door.graphql(
      'query ($id: ID!) { contact(id: $id) { consentHistory { nodes { before after operation importId } } } }',
      { id: people[0] },
    );
    expect(body.data.contact.consentHistory.nodes).toEqual([
      { before: 'false', after: 'true', operation: 'changeContacts', importId: `Import:${databaseId}` },
    ]);
    expect(id).toBe(`ContactChange:${databaseId}`);
    const lifted = await change({ set: { optedOut: false } });
    expect(counts(lifted)).toEqual([3, 3, 0, 0]);
  });
});

describe('the contacts', () => {
  it.each<[what: string, make: () => Promise<Json>]>([
    ['a query', async () => ({ query: byName() })],
    [
      'a segment',
      async () => ({
        segmentId: (
          await runMutation(door, 'createSegment', {
            name: `segment ${turn}`,
            query: byName(),
          })
        ).id,
      }),
    ],
    ['ids, some twice', async () => ({ ids: [...people, people[0]] })],
  ])('are those of %s', async (_, make) => {
    const of = await make();
    expect(counts(await change({ addTags: [newTag()] }, { of, expectedCount: 3 }))).toEqual([3, 3, 0, 0]);
  });

  it('are none where nobody is found', async () => {
    const job = await change({ addTags: [newTag()] }, { of: { query: { lastName: { equals: 'Nobody at all' } } } });
    expect([counts(job), job.state]).toEqual([[0, 0, 0, 0], 'DONE']);
  });
});

describe('a request is refused', () => {
  it.each<[what: string, input: () => Json, code: string, location: string]>([
    [
      'whose count differs',
      () => ({ change: { addTags: ['x'] }, expectedCount: 4 }),
      'conflict',
      'input.expectedCount',
    ],
    [
      'with a blank name, which is the source of consents',
      () => ({ change: { set: { optedOut: false } }, name: ' ' }),
      'invalid-request',
      'input.name',
    ],
    ['without a change', () => ({ change: {} }), 'invalid-request', 'input.change'],
    ['with an empty set', () => ({ change: { set: {} } }), 'invalid-request', 'input.change'],
    [
      'that deletes and tags',
      () => ({ change: { delete: true, addTags: ['x'] } }),
      'invalid-request',
      'input.change.delete',
    ],
    [
      'that adds what it removes',
      () => ({ change: { addTags: ['x'], removeTags: [' x'] } }),
      'invalid-request',
      'input.change.removeTags',
    ],
    ['with a blank tag', () => ({ change: { addTags: [' '] } }), 'invalid-request', 'input.change.addTags[0]'],
    [
      'that clears an opt-out by null',
      () => ({ change: { set: { optedOut: null } } }),
      'invalid-request',
      'input.change.set.optedOut',
    ],
    [
      'with a foreign action',
      () => ({ change: { addActionIds: [987_654_321] } }),
      'unprocessable',
      'input.change.addActionIds[0]',
    ],
    [
      'with a foreign action to unlink',
      () => ({ change: { removeActionIds: [987_654_321] } }),
      'unprocessable',
      'input.change.removeActionIds[0]',
    ],
    [
      'with a foreign form',
      () => ({ change: { answers: [{ formId: 987_654_321, optionId: 1 }] } }),
      'unprocessable',
      'input.change.answers[0].formId',
    ],
    [
      'with a bad value',
      () => ({ change: { set: { nationality: 'x'.repeat(300) } } }),
      'invalid-request',
      'input.change.set.nationality',
    ],
    [
      'of a contact that is not there',
      () => ({ of: { ids: [987_654_321] }, change: { addTags: ['x'] } }),
      'unprocessable',
      'input.of.ids[0]',
    ],
    [
      'of a segment that is not there',
      () => ({ of: { segmentId: 987_654_321 }, change: { addTags: ['x'] } }),
      'unprocessable',
      'input.of.segmentId',
    ],
    [
      'of a query with a fault',
      () => ({ of: { query: { createdAt: { gte: 'now+9999y' } } }, change: { addTags: ['x'] } }),
      'invalid-request',
      'input.of.query.createdAt.gte',
    ],
    ...[
      { and: [] },
      { not: { or: [] } },
      { or: [{ lastName: { equals: 'Nobody' } }, { and: [] }] },
      { donations: { all: {} } },
      { donations: { all: { not: { or: [] } } } },
    ].map((query): [string, () => Json, string, string] => [
      `that counts nobody, of the empty query ${JSON.stringify(query)}`,
      () => ({ of: { query }, change: { delete: true } }),
      'invalid-request',
      'input.expectedCount',
    ]),
    [
      'of an empty query with another count',
      () => ({ of: { query: { and: [] } }, change: { delete: true }, expectedCount: 1 }),
      'conflict',
      'input.expectedCount',
    ],
    [
      'of a form that is not there',
      () => ({ of: { query: { answer: { form: 987_654_321, value: { equals: 'x' } } } }, change: { addTags: ['x'] } }),
      'invalid-request',
      'input.of.query.answer.form',
    ],
  ])('%s, and changes nothing', async (_, input, code, location) => {
    const before = await readVersions();
    const refused = await refusal(input());
    expect(refused.code).toBe(code);
    expect(refused.errors.map((one: Json) => one.location)).toContain(location);
    expect(await readVersions()).toEqual(before);
  });

  it('tells the true count', async () => {
    expect((await refusal({ change: { addTags: ['x'] }, expectedCount: 573 })).message).toContain('there are 3');
  });

  it('of somebody who may not write contacts, or may not read those that are found', async () => {
    const input = { change: { addTags: ['x'] } };
    expect((await refusal(input, await createMember(door, { type: 'user' }))).code).toBe('forbidden');
    const writer = await createMember(door, { type: 'custom', permissions: ['contacts.write'] });
    const query = byName();
    const sent = 'mutation ($input: ContactsChangeInput!) { changeContacts(input: $input) { __typename } }';
    const ask = async (of: Json, token: string): Promise<Json> =>
      (await door.graphql(sent, { input: { of, ...input, dryRun: true } }, token)).body.errors?.[0].extensions.code;
    expect(await ask({ query }, writer)).toBe('forbidden');
    expect(await ask({ ids: people }, writer)).toBeUndefined();
    const reader = await createMember(door, { type: 'custom', permissions: ['contacts.write', 'contacts.read'] });
    expect(await ask({ query }, reader)).toBeUndefined();
    expect(await ask({ query: { donations: { amount: { gte: 1 } } } }, reader)).toBe('forbidden');
  });

  it('of whoever may not read contacts tells in a dry run nothing of who has a value already', async () => {
    const writer = await createMember(door, { type: 'custom', permissions: ['contacts.write'] });
    const sent =
      'mutation ($input: ContactsChangeInput!) { changeContacts(input: $input) { preview { total changed unchanged refused examples { values { field } } } } }';
    for (const nationality of ['FR', 'BE']) {
      const input = { of: { ids: people }, change: { set: { nationality } }, dryRun: true };
      expect((await door.graphql(sent, { input }, writer)).body.data.changeContacts.preview).toEqual({
        total: people.length,
        changed: people.length,
        unchanged: 0,
        refused: 0,
        examples: [],
      });
    }
  });

  it('of somebody who may undo imports, but not write contacts', async () => {
    const { databaseId } = await change({ addTags: [newTag()] });
    const token = await createMember(door, { type: 'custom', permissions: ['imports.write'] });
    const sent = 'mutation ($id: ID!) { undoImport(input: { id: $id }) { restored } }';
    const { body } = await door.graphql(sent, { id: databaseId }, token);
    expect(body.errors[0].extensions.code).toBe('forbidden');
    expect((await door.graphql(sent, { id: databaseId })).body.data.undoImport).toEqual({ restored: 3 });
  });

  it('in another space', async () => {
    const { id } = await change({ addTags: [newTag()] });
    const [{ user_id: other }] = await door.sql(
      `select m.user_id from members m join roles r on r.group_id = 2 and r.id = m.role_id where m.group_id = 2 and r.type = 'superadmin' limit 1`,
    );
    const token = await door.token(2, other);
    for (const name of ['undoContactChange', 'cancelContactChange'])
      expect((await call(name, id, token)).errors[0].extensions.code).toBe('not-found');
    const { body } = await door.graphql('query ($id: ID!) { contactChange(id: $id) { id } }', { id }, token);
    expect(body.data.contactChange).toBeNull();
    expect((await refusal({ change: { addTags: ['x'] } }, token)).code).toBe('unprocessable');
  });

  it('of a contact that was merged: the survivor is somebody whom the client may not know', async () => {
    await runMutation(door, 'mergeContacts', { survivorId: people[0], ids: [people[1]] });
    expect((await refusal({ of: { ids: [people[1]] }, change: { delete: true } })).code).toBe('unprocessable');
  });

  it('where an import is meant', async () => {
    const [{ id }] = await door.sql(
      `insert into imports (group_id, name, fingerprint, finished_at) values (1, 'a file', '', now()) returning id`,
    );
    for (const name of ['undoContactChange', 'cancelContactChange'])
      expect((await call(name, `ContactChange:${id}`)).errors[0].extensions.code).toBe('not-found');
  });
});

describe('a change of more contacts', () => {
  const many = 1203;
  let query: Json;
  beforeEach(async () => {
    await door.sql(
      `with made as (insert into contacts (group_id, surname, nationality) select 1, 'Crowd ' || ?, 'FR' from generate_series(1, ?) returning id)
       select refresh_search(1, array(select id from made))`,
      [turn, many],
    );
    query = { and: [{ lastName: { equals: `Crowd ${turn}` } }, { nationality: { equals: 'FR' } }] };
  });
  const read = async (id: string): Promise<Json> =>
    (
      await door.graphql(
        `query ($id: ID!) { contactChange(id: $id) { state total changed unchanged refused finishedAt } }`,
        {
          id,
        },
      )
    ).body.data.contactChange;

  it('is a job, reaches each once though it changes what it was found by, and is undone', async () => {
    const job = await change({ set: { nationality: 'BE' } }, { of: { query }, expectedCount: many });
    expect([job.state, ...counts(job)]).toEqual(['RUNNING', many, 0, 0, 0]);
    expect((await call('undoContactChange', job.id)).errors[0].extensions.code).toBe('conflict');
    const { stop, failures } = startJobs(door);
    await waitUntil('it is done', async () => (await read(job.id)).state === 'DONE', 30_000);
    await stop();
    expect(failures).toEqual([]);
    expect(counts(await read(job.id))).toEqual([many, many, 0, 0]);
    const versions = `select version, count(*)::int as many from contacts where surname = 'Crowd ${turn}' group by version`;
    expect(await door.sql(versions)).toEqual([{ version: 2, many }]);
    const lines = await door.sql(
      `select counts from audit_log where group_id = 1 and type = 'Import' and record_id = ? order by id`,
      [job.databaseId],
    );
    expect(lines.map((line) => line.counts.changed)).toEqual([0, many]);
    expect(await findWrongRows(door)).toEqual([]);
    expect(await undo(job.id)).toEqual({ restored: many, left: 0 });
    expect(counts(await change({ addTags: ['x'] }, { of: { query }, dryRun: true }))).toEqual([many, many, 0, 0]);
  });

  it('is not done twice where two processes work on it', async () => {
    const job = await change({ addTags: [newTag()] }, { of: { query } });
    const work = () => continueContactChange(door.database.space(1), job.databaseId, new AbortController().signal);
    await Promise.all([work(), work()]);
    expect(await read(job.id)).toMatchObject({ state: 'DONE', changed: many });
    const versions = `select distinct version from contacts where surname = 'Crowd ${turn}'`;
    expect(await door.sql(versions)).toEqual([{ version: 2 }]);
    const lines = `select counts->'changed' as changed from audit_log where group_id = 1 and type = 'Import' and record_id = ? order by id`;
    expect(await door.sql(lines, [job.databaseId])).toEqual([{ changed: 0 }, { changed: many }]);
  });

  it('is one of a few, also where many begin at once', async () => {
    await door.sql('delete from bulk_change_batches');
    const { underWay } = limits.bulk;
    const begin = () => send({ of: { query }, change: { set: { nationality: 'BE' } } });
    const answers = await Promise.all(Array.from({ length: underWay + 10 }, begin));
    const codes = answers.flatMap(({ errors = [] }) => errors.map(({ extensions }: Json) => extensions.code));
    expect(codes).toEqual(Array.from({ length: 10 }, () => 'conflict'));
    const [{ count }] = await door.sql('select count(distinct import_id)::int as count from bulk_change_batches');
    expect(count).toBe(underWay);
    await door.sql('delete from bulk_change_batches');
  });

  it('changes one batch at a time beside requests', async () => {
    const job = await change({ addTags: [newTag()] }, { of: { query } });
    const space = door.database.space(1);
    const started = vi.spyOn(space, 'transaction');
    let most = 0;
    let running = 0;
    const { transaction } = space.constructor.prototype;
    started.mockImplementation(async (...given) => {
      most = Math.max(most, ++running);
      try {
        return await transaction.apply(space, given);
      } finally {
        running--;
      }
    });
    const { signal } = new AbortController();
    await continueContactChange(space, job.databaseId, signal, () => false);
    expect([most, counts(await read(job.id))]).toEqual([1, [many, many, 0, 0]]);
    const other = await change({ removeTags: [newTag()] }, { of: { query } });
    await continueContactChange(space, other.databaseId, signal);
    expect([most, counts(await read(other.id))]).toEqual([2, [many, many, 0, 0]]);
  });

  it('that fails in one of two batches ends when the other one is done', async () => {
    const job = await change({ addTags: [newTag()] }, { of: { query } });
    const space = door.database.space(1);
    const { transaction } = space.constructor.prototype;
    let running = 0;
    let calls = 0;
    vi.spyOn(space, 'transaction').mockImplementation(async (...given) => {
      if (++calls === 2) throw new Error('lost');
      running++;
      return transaction.apply(space, given).finally(() => running--);
    });
    const { signal } = new AbortController();
    await expect(continueContactChange(space, job.databaseId, signal)).rejects.toThrow('lost');
    expect([running, calls]).toEqual([0, 2]);
    vi.restoreAllMocks();
    await continueContactChange(space, job.databaseId, signal);
    expect(counts(await read(job.id))).toEqual([many, many, 0, 0]);
  });

  it('is cancelled while two batches are being changed: both are done, and no other', async () => {
    const tag = newTag();
    const job = await change({ addTags: [tag] }, { of: { query } });
    const [holder, watch] = [await openSession(door.databaseUrl), await openSession(door.databaseUrl)];
    await holder.query(`begin; select from contacts where group_id = 1 and surname = 'Crowd ${turn}' for update`);
    const running = continueContactChange(door.database.space(1), job.databaseId, new AbortController().signal);
    await waitUntil('two are at work', async () => (await countWaiting(watch)) === 2, 10_000);
    const cancelled = call('cancelContactChange', job.id);
    await waitUntil('it is being cancelled', async () => (await countWaiting(watch)) === 3, 10_000);
    await holder.query('rollback');
    const { data } = await cancelled;
    await running;
    expect(data.cancelContactChange.job).toMatchObject({ state: 'CANCELLED', total: many, changed: 1000 });
    const tagged =
      'select count(*)::int as count from contact_tags x join tags t on t.group_id = 1 and t.id = x.tag_id where x.group_id = 1 and t.name = ?';
    expect(await door.sql(tagged, [tag])).toEqual([{ count: 1000 }]);
  });

  it('is cancelled: what is done stays, and is undone', async () => {
    const job = await change({ addTags: [newTag()] }, { of: { query } });
    // A signal that aborts after the first batch.
    const controller = new AbortController();
    const space = door.database.space(1);
    const running = continueContactChange(space, job.databaseId, controller.signal, () => false);
    controller.abort();
    await running;
    const { data } = await call('cancelContactChange', job.id);
    expect(data.cancelContactChange.job).toMatchObject({ state: 'CANCELLED', total: many, changed: 500 });
    await continueContactChange(space, job.databaseId, new AbortController().signal);
    expect(await read(job.id)).toMatchObject({ state: 'CANCELLED', changed: 500 });
    expect((await call('cancelContactChange', job.id)).errors[0].extensions.code).toBe('conflict');
    expect(await undo(job.id)).toEqual({ restored: 500, left: 0 });
  });

  it.each([
    ['has left the space', 'delete from members where group_id = 1 and user_id = ?'],
    [
      'may not change contacts any more',
      `update members set role_id = (select min(id) from roles where group_id = 1 and type = 'user') where group_id = 1 and user_id = ?`,
    ],
  ])('is cancelled when whoever began it %s: what is done stays', async (_, loseRights) => {
    const { user } = await createMemberRole(door, { type: 'manager' });
    const token = await door.token(1, user);
    const { id, databaseId } = (await send({ of: { query }, change: { addTags: [newTag()] } }, token)).data
      .changeContacts.job;
    const space = door.database.space(1);
    const controller = new AbortController();
    const running = continueContactChange(space, databaseId, controller.signal, () => false);
    controller.abort();
    await running;
    await door.sql(loseRights, [user]);
    await continueContactChange(space, databaseId, new AbortController().signal);
    expect(await read(id)).toMatchObject({ state: 'CANCELLED', total: many, changed: 500 });
    const audited = `select operation, counts->>'changed' as changed from audit_log where group_id = 1 and type = 'Import' and record_id = ? order by id`;
    expect(await door.sql(audited, [databaseId])).toEqual([
      { operation: 'changeContacts', changed: '0' },
      { operation: 'cancelContactChange', changed: '500' },
    ]);
    expect(await undo(id)).toEqual({ restored: 500, left: 0 });
  });

  it('follows its tags when they are renamed while it is under way, and leaves out deleted ones', async () => {
    const [added, removed, dropped] = ['added', 'removed', 'dropped'].map((name) => `${name} ${turn}`);
    await door.sql('insert into tags (group_id, name) values (1, ?)', [removed]);
    await door.sql(
      `insert into contact_tags (group_id, contact_id, tag_id) select 1, c.id, t.id from contacts c join tags t on t.group_id = 1 where c.group_id = 1 and c.surname = ? and t.name = ?`,
      [`Crowd ${turn}`, removed],
    );
    const job = await change({ addTags: [added, dropped], removeTags: [removed] }, { of: { query } });
    for (const name of [added, removed])
      await door.sql(`update tags set name = name || ' later' where name = ?`, [name]);
    await door.sql('delete from tags where name = ?', [dropped]);
    await continueContactChange(door.database.space(1), job.databaseId, new AbortController().signal);
    expect(counts(await read(job.id))).toEqual([many, many, 0, 0]);
    const tags = await door.sql(
      `select t.name, (select count(*)::int from contact_tags x where x.group_id = 1 and x.tag_id = t.id) as many from tags t where t.group_id = 1 and t.name like ? order by 1`,
      [`%ed ${turn}%`],
    );
    expect(tags).toEqual([
      { name: `added ${turn} later`, many },
      { name: `removed ${turn} later`, many: 0 },
    ]);
    expect(await findWrongRows(door)).toEqual([]);
  });

  it('refuses those that were deleted meanwhile', async () => {
    const job = await change({ addTags: [newTag()] }, { of: { query } });
    await door.sql(
      `update contacts set deleted_at = now() where id = (select max(id) from contacts where surname = 'Crowd ${turn}')`,
    );
    const { stop } = startJobs(door);
    await waitUntil('it is done', async () => (await read(job.id)).state === 'DONE', 30_000);
    await stop();
    expect(counts(await read(job.id))).toEqual([many, many - 1, 0, 1]);
  });

  it('lifts no opt-out, and replaces no consent, that was said since it began', async () => {
    await door.sql(`update contacts set black_list = true where surname = 'Crowd ${turn}'`);
    await door.sql(`select refresh_search(1, array(select id from contacts where surname = 'Crowd ${turn}'))`);
    const form = await newForm();
    const what = { set: { optedOut: false }, answers: [{ ...form, text: 'yes' }] };
    const job = await change(what, { of: { query }, name: 'all agreed' });
    const last = await door.sql(
      `select id from contacts where surname = 'Crowd ${turn}' and nationality = 'FR' order by id desc limit 4`,
    );
    const [again, lifted, refused, other] = last.map(({ id }) => id) as [number, number, number, number];
    for (const optedOut of [false, true]) await runMutation(door, 'updateContact', { id: again, optedOut });
    await runMutation(door, 'updateContact', { id: lifted, optedOut: false });
    await runMutation(door, 'updateContact', { id: refused, answers: [{ ...form, text: 'no' }] });
    await runMutation(door, 'updateContact', { id: other, answers: [{ ...(await newForm('survey')), text: 'no' }] });
    await continueContactChange(door.database.space(1), job.databaseId, new AbortController().signal);
    const { body } = await door.graphql(
      'query ($id: ID!) { contactChange(id: $id) { changed refused faults { contactId message } } }',
      { id: job.id },
    );
    const message = 'has agreed to something else, or opted out, since the change began';
    expect(body.data.contactChange).toEqual({
      changed: many - 2,
      refused: 2,
      faults: [refused, again].map((id) => ({ contactId: `Contact:${id}`, message })),
    });
    const states = await door.sql(
      `select c.id, c.black_list, array(select a.data from answers a where a.group_id = 1 and a.contact_id = c.id and a.form_id = ?) as said
         from contacts c where c.group_id = 1 and c.id = any(?) order by c.id desc`,
      [form.formId, [again, lifted, refused, other]],
    );
    expect(states.map(({ black_list, said }) => [black_list, said])).toEqual([
      [true, []],
      [false, ['yes']],
      [true, ['no']],
      [false, ['yes']],
    ]);
  });

  it('keeps no value when it is over, done or cancelled', async () => {
    const over = await door.sql(
      `select distinct b.change from bulk_changes b join imports i on i.group_id = b.group_id and i.id = b.import_id where i.finished_at is not null`,
    );
    expect(over).toEqual([{ change: {} }]);
  });

  it('is refused beside twenty others', async () => {
    await door.sql(
      `with made as (insert into imports (group_id, family, name, fingerprint) select 1, 'contact_changes', 'waits', '' from generate_series(1, 20) returning id),
            jobs as (insert into bulk_changes (group_id, import_id, change, total) select 1, id, '{}', 1 from made)
       insert into bulk_change_batches (group_id, import_id, first_row, contact_ids) select 1, id, 1, '{1}' from made`,
    );
    const refused = await refusal({ of: { query }, change: { addTags: ['x'] } });
    expect(refused).toMatchObject({ code: 'conflict', message: expect.stringContaining('20 changes') });
    await door.sql(`delete from imports where name = 'waits'`);
  });
});
