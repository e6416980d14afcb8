// importContacts and undoImport: a batch that is written with a record of each change, and undone.
import { beforeAll, describe, expect, it } from 'vitest';
import { upsertContactRecords } from '../../src/data/contact/upsert.ts';
import { beginImport, createImportTrace, finishImport } from '../../src/data/import/contacts.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { runMutation } from './writing.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const importAll = async (inputs: Json[], mode = 'UPSERT', token?: string): Promise<Json> =>
  (
    await door.graphql(
      `mutation ($inputs: [ContactUpsertInput!]!, $mode: ImportMode!) { importContacts(input: { contacts: $inputs, mode: $mode, name: "a list" }) {
        import { id: databaseId name created updated refused finishedAt undoneAt } results { contact { id: databaseId lastName } outcome problem { code errors { location } } } } }`,
      { inputs, mode },
      token,
    )
  ).body;
const undo = async (id: number): Promise<Json> =>
  (await door.graphql('mutation ($id: ID!) { undoImport(input: { id: $id }) { deleted restored left } }', { id })).body;

describe('importContacts', () => {
  it('returns the outcome of each record, and counts them', async () => {
    const { data } = await importAll([
      { email: 'i@example.org', lastName: 'One' },
      { email: 'I@example.org', phone: '1' },
      { lastName: 'Bad', forms: [{ label: 'no such form', value: 'x' }] },
    ]);
    const { import: done, results } = data.importContacts;
    expect(done).toMatchObject({ name: 'a list', created: 1, updated: 1, refused: 1, undoneAt: null });
    expect(results.map(({ outcome }: Json) => outcome)).toEqual(['CREATED', 'UPDATED', null]);
    expect(results[1].contact).toEqual(results[0].contact);
    expect(results[2].problem).toEqual({
      code: 'unprocessable',
      errors: [{ location: 'input.contacts[2].forms[0].label' }],
    });
  });

  it('creates without matching when told to', async () => {
    const { data } = await importAll([{ email: 'twin@example.org' }, { email: 'twin@example.org' }], 'CREATE');
    expect(data.importContacts.import).toMatchObject({ created: 2, updated: 0 });
  });

  it('is undone as a whole, including its changes, and only once', async () => {
    const address = { city: 'Albi', street: 'rue A' };
    const created = await importAll([
      { email: 'back@example.org', lastName: 'Before', address, tags: [{ name: 'old' }] },
    ]);
    const [{ contact }] = created.data.importContacts.results;
    const before = (await door.rest('GET', `/contacts/${contact.id}`)).body.data.contact;
    const changed = await importAll([
      { email: 'back@example.org', phone: '12', address: { city: 'Agen' }, tags: [{ name: 'new' }] },
      { email: 'fresh@example.org' },
    ]);
    const { id } = changed.data.importContacts.import;
    expect((await undo(id)).data.undoImport).toEqual({ deleted: 1, restored: 1, left: 0 });
    const { UpdatedAt: _, lastchange: __, ...same } = before;
    const after = (await door.rest('GET', `/contacts/${contact.id}`)).body.data.contact;
    expect(after).toMatchObject(same);
    expect(after).not.toHaveProperty('phone');
    expect((await undo(id)).errors[0].extensions.code).toBe('conflict');
  });

  it('is undone with the notes that it has written, and leaves those of before', async () => {
    const contactId = (await runMutation(door, 'createContact', { email: 'noted@example.org' })).id;
    await runMutation(door, 'createNote', { contactId, content: 'other' });
    await runMutation(door, 'createNote', { contactId, content: 'before', pinned: true });
    const { data } = await importAll([
      { id: contactId, notes: [{ content: 'imported' }, { content: 'imported, pinned', pinned: true }] },
    ]);
    const readNotes = () =>
      door.sql('select content, pinned from notes where contact_id = ? and deleted_at is null order by id', [
        contactId,
      ]);
    expect(await readNotes()).toHaveLength(4);
    expect((await undo(data.importContacts.import.id)).data.undoImport).toEqual({ deleted: 0, restored: 1, left: 0 });
    expect(await readNotes()).toEqual([
      { content: 'other', pinned: false },
      { content: 'before', pinned: true },
    ]);
  });

  it('is undone with the mails by which its contacts were known since', async () => {
    const { id } = await runMutation(door, 'createContact', { email: 'own@example.org', lastName: 'Own' });
    const imports = [];
    for (const email of ['of.another@example.org', 'third@example.org'])
      imports.push((await importAll([{ id, email }])).data.importContacts.import.id);
    for (const one of imports.reverse())
      expect((await undo(one)).data.undoImport).toEqual({ deleted: 0, restored: 1, left: 0 });
    expect(await door.sql('select mail from former_mails where contact_id = ?', [id])).toEqual([]);
    const { data } = await importAll([{ email: 'of.another@example.org', phone: '12' }]);
    expect(data.importContacts.results[0].outcome).toBe('CREATED');
  });

  it('leaves a contact that somebody has changed between two of its batches', async () => {
    const { id } = await runMutation(door, 'createContact', { lastName: 'Between' });
    const space = door.database.space(1);
    const source = { name: 'two batches', fingerprint: Buffer.from('two batches'), by: 1 };
    const begun = await beginImport(space, source, false);
    const write = (nationality: string) =>
      space.transaction((tx) =>
        upsertContactRecords(tx, [{ id, at: 'input', content: { columns: { nationality } }, formAnswers: [] }], {
          by: 1,
          trace: createImportTrace(begun.id),
        }),
      );
    await write('FR');
    await runMutation(door, 'updateContact', { id, phone: '+33 1 23 45 67 89' });
    await write('BE');
    await finishImport(space, begun.id);
    expect((await undo(begun.id)).data.undoImport).toEqual({ deleted: 0, restored: 0, left: 1 });
    expect(await door.sql('select nationality, phone from contacts where id = ?', [id])).toEqual([
      { nationality: 'BE', phone: '+33 1 23 45 67 89' },
    ]);
  });

  it('is undone though an answer that it replaced cannot be given any more', async () => {
    const form = await runMutation(door, 'createForm', {
      label: 'Often?',
      kind: 'SURVEY',
      type: 'SELECT',
      options: [{ label: 'often' }, { label: 'seldom' }],
    });
    const [often, seldom] = form.options;
    const answer = (option: Json) => [{ formId: form.id, optionId: option.id }];
    const { data } = await importAll([
      { email: 'said@example.org', answers: answer(often) },
      { email: 's@example.org' },
    ]);
    const [said, other] = data.importContacts.results.map(({ contact }: Json) => contact.id);
    const changed = await importAll([
      { id: said, phone: '12', answers: answer(seldom) },
      { id: other, phone: '12' },
    ]);
    await runMutation(door, 'updateForm', { id: form.id, options: [{ id: seldom.id, label: 'seldom' }] });
    expect((await undo(changed.data.importContacts.import.id)).data.undoImport).toEqual({
      deleted: 0,
      restored: 2,
      left: 0,
    });
    expect(await door.sql('select phone from contacts where id = any(?)', [[said, other]])).toEqual([
      { phone: null },
      { phone: null },
    ]);
    expect(await door.sql('select from answers where contact_id = ?', [said])).toEqual([]);
  });

  it('is undone, apart from a contact whose external id somebody else has got since', async () => {
    const { data } = await importAll([{ externalId: 'taken' }, { externalId: 'free' }]);
    const [taken, free] = data.importContacts.results.map(({ contact }: Json) => contact.id);
    const changed = await importAll([
      { id: taken, externalId: 'taken-2' },
      { id: free, externalId: 'free-2' },
    ]);
    await runMutation(door, 'createContact', { externalId: 'taken' });
    expect((await undo(changed.data.importContacts.import.id)).data.undoImport).toEqual({
      deleted: 0,
      restored: 1,
      left: 1,
    });
    expect(await door.sql('select external_id from contacts where id = any(?) order by id', [[taken, free]])).toEqual([
      { external_id: 'taken-2' },
      { external_id: 'free' },
    ]);
  });

  it('is undone when it gave the external id of one contact to others, old and new ones', async () => {
    const { data } = await importAll([{ externalId: 'first' }, { externalId: 'second' }, { externalId: 'third' }]);
    const ids = data.importContacts.results.map(({ contact }: Json) => contact.id);
    const changed = await importAll([
      { id: ids[2], externalId: 'third-2' },
      { externalId: 'third', lastName: 'New' },
    ]);
    // One after the other, since no two contacts have one id at any moment.
    const moved = await importAll([{ id: ids[1], externalId: 'second-2' }]);
    const swapped = await importAll([
      { id: ids[0], externalId: 'second' },
      { id: ids[1], externalId: 'second-3' },
    ]);
    expect((await undo(swapped.data.importContacts.import.id)).data.undoImport).toMatchObject({ restored: 2, left: 0 });
    expect((await undo(moved.data.importContacts.import.id)).data.undoImport).toMatchObject({ restored: 1, left: 0 });
    expect((await undo(changed.data.importContacts.import.id)).data.undoImport).toEqual({
      deleted: 1,
      restored: 1,
      left: 0,
    });
    expect(await door.sql('select external_id from contacts where id = any(?) order by id', [ids])).toEqual([
      { external_id: 'first' },
      { external_id: 'second' },
      { external_id: 'third' },
    ]);
  });

  it('is undone for contacts that it created and then changed', async () => {
    const { data } = await importAll([{ email: 'both@example.org' }, { email: 'both@example.org', phone: '1' }]);
    const { import: done, results } = data.importContacts;
    expect(results.map(({ outcome }: Json) => outcome)).toEqual(['CREATED', 'UPDATED']);
    expect((await undo(done.id)).data.undoImport).toEqual({ deleted: 1, restored: 0, left: 0 });
  });

  it('requires a manager', async () => {
    const [{ user_id }] = await door.sql(
      `select m.user_id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id where m.group_id = 1 and r.type = 'user' limit 1`,
    );
    const { errors } = await importAll([{ lastName: 'X' }], 'UPSERT', await door.token(1, user_id));
    expect(errors[0].extensions.code).toBe('forbidden');
  });
});

describe('imports', () => {
  const page = async (first: number, after: string | null = null): Promise<Json> =>
    (
      await door.graphql(
        `query ($first: Int, $after: String) { imports(first: $first, after: $after, orderBy: { field: ID, direction: DESC }) { total: totalCount
          items: nodes { id: databaseId family name created updated unchanged refused createdAt finishedAt undoneAt } pageInfo { endCursor hasNextPage } } }`,
        { first, after },
      )
    ).body.data.imports;

  it('are listed a page at a time, the latest first on demand, each with its counts', async () => {
    const { total } = await page(1);
    const ids: number[] = [];
    for (const surname of ['L1', 'L2', 'L3']) {
      const inputs = [
        { lastName: surname },
        { lastName: surname, phone: '1' },
        { forms: [{ label: 'no such form', value: 'x' }] },
      ];
      ids.push((await importAll(inputs)).data.importContacts.import.id);
    }
    await undo(ids[0]!);
    const all = await page(1000);
    expect([all.total, all.items.length]).toEqual([total + 3, total + 3]);
    expect(all.items.slice(0, 3).map(({ id }: Json) => id)).toEqual(ids.toReversed());
    expect(all.items.slice(0, 3)).toMatchObject([
      { family: 'contacts', name: 'a list', created: 1, updated: 1, unchanged: 0, refused: 1, undoneAt: null },
      { finishedAt: expect.stringMatching(/Z$/), undoneAt: null },
      { undoneAt: expect.stringMatching(/Z$/) },
    ]);
    const { endCursor } = (await page(1)).pageInfo;
    expect(await page(2, endCursor)).toMatchObject({ total: total + 3, items: all.items.slice(1, 3) });
    expect(await page(5, all.pageInfo.endCursor)).toMatchObject({
      total: total + 3,
      items: [],
      pageInfo: { hasNextPage: false },
    });
  });

  it('require a manager', async () => {
    const [{ user_id }] = await door.sql(
      `select m.user_id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id where m.group_id = 1 and r.type = 'user' limit 1`,
    );
    const { body } = await door.graphql('{ imports { total: totalCount } }', {}, await door.token(1, user_id));
    expect(body.errors[0].extensions.code).toBe('forbidden');
  });
});

describe('a contact for which an import sends', () => {
  const person = {
    email: 'same@example.org',
    firstName: 'Zoé',
    lastName: 'Same',
    birthDate: '1980-02-03',
    optedOut: true,
    address: { city: 'Albi', postalCode: '81000', latitude: 43.93 },
    tags: [{ name: 'zebra' }, { name: 'étoile' }, { name: 'apple' }],
  };
  const state = async (): Promise<Json[]> =>
    door.sql(
      `select id, version, lastchange, updated_at, (select a.updated_at from addresses a where a.group_id = 1 and a.contact_id = c.id) as moved
         from contacts c where group_id = 1 and mail = 'same@example.org'`,
    );
  beforeAll(() => importAll([person]));

  it.each<[string, Json]>([
    ['nothing new', person],
    ['only the mail', { email: person.email }],
    ['a part of the address', { email: person.email, address: { city: 'Albi' } }],
    ['the tags in another order', { email: person.email, tags: [...person.tags].reverse() }],
  ])('%s is left unchanged', async (_, record) => {
    const before = await state();
    const { data } = await importAll([record]);
    expect(data.importContacts.results).toMatchObject([{ contact: { id: before[0]!.id }, outcome: 'UPDATED' }]);
    expect(await state()).toEqual(before);
    const { id } = data.importContacts.import;
    expect((await undo(id)).data.undoImport).toEqual({ deleted: 0, restored: 0, left: 0 });
  });

  it.each<[string, Json]>([
    ['another name', { firstName: 'Zoe' }],
    ['a flag', { mobileInvalid: true }],
    ['a day', { birthDate: '1980-02-04' }],
    ['a city', { address: { city: 'ALBI' } }],
    ['a new street', { address: { street: 'rue A' } }],
    ['no tags', { tags: null }],
    ['one tag more', { tags: [...person.tags, { name: 'more' }] }],
    ['no address', { address: null }],
    ['no city', { address: { city: null } }],
    ['no day', { birthDate: null }],
  ])('%s is changed, and restored by the undo', async (_, change) => {
    const [before] = await state();
    const { data } = await importAll([{ id: before!.id, ...change }]);
    expect((await state())[0]!.version).toBe(before!.version + 1);
    const { id } = data.importContacts.import;
    expect((await undo(id)).data.undoImport).toEqual({ deleted: 0, restored: 1, left: 0 });
    const after = await state();
    await importAll([person]);
    expect(await state()).toEqual(after);
  });
});
