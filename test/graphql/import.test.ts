// importContacts and undoImport: a batch that is written with a trace, record by record, and taken back.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const importAll = async (inputs: Json[], mode = 'upsert', token?: string): Promise<Json> =>
  (
    await door.graphql(
      `mutation ($inputs: [UpsertContactInput!]!, $mode: ImportMode!) { importContacts(inputs: $inputs, mode: $mode, name: "a list") {
        import { id name created updated refused finishedAt undoneAt } results { contact { id surname } outcome problem { code errors { location } } } } }`,
      { inputs, mode },
      token,
    )
  ).body;
const undo = async (id: number): Promise<Json> =>
  (await door.graphql('mutation ($id: Id!) { undoImport(id: $id) { deleted restored left } }', { id })).body;

describe('importContacts', () => {
  it('says what became of each record, and counts them', async () => {
    const { data } = await importAll([
      { mail: 'i@example.org', surname: 'One' },
      { mail: 'I@example.org', phone: '1' },
      { surname: 'Bad', forms: [{ label: 'no such form', value: 'x' }] },
    ]);
    const { import: done, results } = data.importContacts;
    expect(done).toMatchObject({ name: 'a list', created: 1, updated: 1, refused: 1, undoneAt: null });
    expect(results.map(({ outcome }: Json) => outcome)).toEqual(['created', 'updated', null]);
    expect(results[1].contact).toEqual(results[0].contact);
    expect(results[2].problem).toEqual({ code: 'unprocessable', errors: [{ location: 'inputs[2].forms[0].label' }] });
  });

  it('creates without looking for anybody, when told to', async () => {
    const { data } = await importAll([{ mail: 'twin@example.org' }, { mail: 'twin@example.org' }], 'create');
    expect(data.importContacts.import).toMatchObject({ created: 2, updated: 0 });
  });

  it('takes back all of an import, what it had changed too, and only once', async () => {
    const address = { city: 'Albi', street: 'rue A' };
    const created = await importAll([
      { mail: 'back@example.org', surname: 'Before', address, tags: [{ name: 'old' }] },
    ]);
    const [{ contact }] = created.data.importContacts.results;
    const before = (await door.rest('GET', `/contacts/${contact.id}`)).body.data.contact;
    const changed = await importAll([
      { mail: 'back@example.org', phone: '12', address: { city: 'Agen' }, tags: [{ name: 'new' }] },
      { mail: 'fresh@example.org' },
    ]);
    const { id } = changed.data.importContacts.import;
    expect((await undo(id)).data.undoImport).toEqual({ deleted: 1, restored: 1, left: 0 });
    const { UpdatedAt: _, lastchange: __, ...same } = before;
    const after = (await door.rest('GET', `/contacts/${contact.id}`)).body.data.contact;
    expect(after).toMatchObject(same);
    expect(after).not.toHaveProperty('phone');
    expect((await undo(id)).errors[0].extensions.code).toBe('conflict');
  });

  it('is for managers', async () => {
    const [{ user_id }] = await door.sql(
      `select m.user_id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id where m.group_id = 1 and r.type = 'user' limit 1`,
    );
    const { errors } = await importAll([{ surname: 'X' }], 'upsert', await door.token(1, user_id));
    expect(errors[0].extensions.code).toBe('forbidden');
  });
});
