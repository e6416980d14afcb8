// Contacts written over GraphQL: expected versions, restoring, what a mutation answers, and search rows.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const run = async (document: string, variables: Json, token?: string): Promise<Json> =>
  (await door.graphql(document, variables, token)).body;
const createOne = async (input: Json): Promise<Json> =>
  (
    await run(
      'mutation ($input: ContactCreateInput!) { createContact(input: $input) { contact { id: databaseId version lastName tags { name } answers { nodes { data: text } } customFields { data: text } actions { databaseId } } } }',
      {
        input,
      },
    )
  ).data.createContact.contact;
const update = `mutation ($input: ContactUpdateInput!) {
  updateContact(input: $input) { contact { id: databaseId version lastName optedOut tags { name } actions { databaseId } } }
}`;

describe('updateContact', () => {
  it('raises the version, and refuses an unexpected one', async () => {
    const { id, version } = await createOne({ lastName: 'First' });
    const changed = await run(update, { input: { id, lastName: 'Second', expectedVersion: version } });
    expect(changed.data.updateContact.contact).toMatchObject({ lastName: 'Second', version: version + 1 });
    const refused = await run(update, { input: { id, lastName: 'Third', expectedVersion: version } });
    expect(refused.errors[0].extensions).toMatchObject({ code: 'precondition-failed', status: 412 });
    expect((await run('query ($id: ID!) { contact(id: $id) { lastName version } }', { id })).data.contact).toEqual({
      lastName: 'Second',
      version: version + 1,
    });
  });

  it('admits one of two writes that expect the same version', async () => {
    const { id, version } = await createOne({ lastName: 'Raced' });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        run(update, { input: { id, lastName: `By ${n}`, expectedVersion: version } }),
      ),
    );
    expect(answers.filter(({ errors }) => !errors)).toHaveLength(1);
  });

  it('replaces lists, clears them with null, and keeps them when they are omitted', async () => {
    const [{ ids }] = await door.sql(
      'select array(select id from actions where group_id = 1 and deleted_at is null order by id limit 2) as ids',
    );
    const { id } = await createOne({
      lastName: 'Lists',
      tags: [{ name: 'a' }, { name: 'b' }],
      actionIds: ids,
      optedOut: true,
    });
    const answer = async (input: Json) => (await run(update, { input: { id, ...input } })).data.updateContact.contact;
    expect(await answer({ tags: [{ name: 'b' }, { name: 'c' }] })).toMatchObject({
      tags: [{ name: 'b' }, { name: 'c' }],
      actions: ids.map((databaseId: number) => ({ databaseId })),
    });
    expect(await answer({ actionIds: [ids[1]], optedOut: null })).toMatchObject({
      actions: [{ databaseId: ids[1] }],
      optedOut: false,
    });
    expect(await answer({ tags: null, actionIds: null })).toMatchObject({ tags: [], actions: [] });
  });

  it('reports the place of each id that is not in the space', async () => {
    const { id } = await createOne({ lastName: 'Strange' });
    const { errors } = await run(update, { input: { id, actionIds: [0, 987_654_321] } });
    expect(errors[0].extensions.errors.map(({ location }: Json) => location)).toEqual([
      'input.actionIds[0]',
      'input.actionIds[1]',
    ]);
    const users = await run(update, { input: { id, accountId: 987_654_321 } });
    expect(users.errors[0].extensions.errors[0].location).toBe('input.accountId');
  });

  it('an external id belongs to one contact only', async () => {
    await createOne({ externalId: 'twice' });
    const { id } = await createOne({ lastName: 'Second' });
    const { errors } = await run(update, { input: { id, externalId: 'twice' } });
    expect(errors[0].extensions.code).toBe('conflict');
  });
});

it('a contact that a document selects twice shows at each place what is selected there', async () => {
  const { id } = await createOne({ lastName: 'Twice' });
  const both = '{ a: contact { tags { name } } b: contact { lastName lastChangedBy { databaseId location } } }';
  const writes = ['createContact(input: { lastName: "Twice" })', `updateContact(input: { id: ${id}, optedOut: true })`];
  for (const write of writes) {
    const { data, errors } = await run(`mutation { answer: ${write} ${both} }`, {});
    const b = { lastName: 'Twice', lastChangedBy: { databaseId: 1, location: expect.any(String) } };
    expect([errors, data.answer]).toEqual([undefined, { a: { tags: [] }, b }]);
  }
});

it('restoreContact restores the contact with its children, and searches find it again', async () => {
  const { id } = await createOne({ lastName: 'Phoenix', tags: [{ name: 'fire' }] });
  await run('mutation ($id: ID!) { deleteContact(input: { id: $id }) { id: databaseId } }', { id });
  const find =
    '{ searchContacts(query: { lastName: { equals: "phoenix" } }) { nodes { id: databaseId tags { name } } } }';
  expect((await run(find, {})).data.searchContacts.nodes).toEqual([]);
  const restore =
    'mutation ($id: ID!) { restoreContact(input: { id: $id }) { contact { id: databaseId tags { name } } } }';
  expect((await run(restore, { id })).data.restoreContact.contact).toEqual({ id, tags: [{ name: 'fire' }] });
  expect((await run(find, {})).data.searchContacts.nodes).toEqual([{ id, tags: [{ name: 'fire' }] }]);
  expect((await run(restore, { id })).errors[0].extensions.code).toBe('not-found');
});

it('restoreContact names the contact that has the external id meanwhile', async () => {
  const { id } = await createOne({ lastName: 'First', externalId: 'taken' });
  await run('mutation ($id: ID!) { deleteContact(input: { id: $id }) { id: databaseId } }', { id });
  const { id: other } = await createOne({ lastName: 'Second', externalId: 'taken' });
  const restore = 'mutation ($id: ID!) { restoreContact(input: { id: $id }) { contact { externalId } } }';
  const [{ message, extensions }] = (await run(restore, { id })).errors;
  expect([extensions.code, message]).toEqual([
    'conflict',
    `Its external id is that of contact ${other} now: change or clear it there first`,
  ]);
  const merged = await createOne({ lastName: 'Third', externalId: 'moved' });
  const merge =
    'mutation ($id: ID!, $ids: [ID!]!) { mergeContacts(input: { survivorId: $id, ids: $ids }) { mergeId } }';
  const { id: survivor } = await createOne({ lastName: 'Fourth' });
  await run(merge, { id: survivor, ids: [merged.id] });
  expect((await run(restore, { id: merged.id })).errors[0].extensions.code).toBe('not-found');
  await run(update, { input: { id: other, externalId: null } });
  expect((await run(restore, { id })).data.restoreContact.contact).toEqual({ externalId: 'taken' });
});

it('answers without a text, or with other data, keep what they do not name', async () => {
  const [form] =
    await door.sql(`select f.id, r.id as ref from forms f join form_refs r on r.group_id = 1 and r.form_id = f.id
    where f.group_id = 1 and f.type = 'text' and f.kind = 'survey' and f.deleted_at is null order by f.id limit 1`);
  const answer = { formId: form.id, optionId: form.ref };
  const { id } = await createOne({ lastName: 'Said', answers: [{ ...answer, text: 'this', surveyId: 7 }] });
  const read = async () =>
    (
      await run('query ($id: ID!) { contact(id: $id) { answers { nodes { id: databaseId data: text surveyId } } } }', {
        id,
      })
    ).data.contact.answers.nodes;
  const [first] = await read();
  await run(update, { input: { id, answers: [{ ...answer, text: 'that' }] } });
  expect(await read()).toEqual([{ id: first.id, data: 'that', surveyId: 7 }]);
  await run(update, { input: { id, answers: [answer] } });
  expect(await read()).toEqual([{ id: first.id, data: 'that', surveyId: 7 }]);
  await run(update, { input: { id, answers: [{ ...answer, text: null }] } });
  expect(await read()).toEqual([{ id: first.id, data: null, surveyId: 7 }]);
});

it('a batch reads the contacts that it wrote in one statement, however many there are', async () => {
  const document =
    'mutation ($inputs: [ContactUpsertInput!]!) { upsertContacts(input: { contacts: $inputs }) { results { contact { lastName tags { name } address { city } } } } }';
  const counts = [];
  for (const many of [2, 40]) {
    const inputs = Array.from({ length: many }, (_, n) => ({ lastName: `Batch ${many} ${n}`, tags: [{ name: 'b' }] }));
    let body: Json;
    const statements = await door.statements(async () => {
      body = await run(document, { inputs });
    });
    expect(body.data.upsertContacts.results.map(({ contact }: Json) => contact.lastName)).toEqual(
      inputs.map(({ lastName: surname }) => surname),
    );
    counts.push(statements.filter((sql) => !sql.includes('enter_gate')).length);
  }
  expect(counts[1]).toBe(counts[0]);
});
