// Merging contacts: their children move, empty fields are filled, old ids answer with the survivor, and nothing is lost or half done.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { findWrongRows } from './writing.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const merge = `mutation ($survivorId: ID!, $ids: [ID!]!, $dryRun: Boolean!) {
  mergeContacts(input: { survivorId: $survivorId, ids: $ids, dryRun: $dryRun }) {
    contact { id: databaseId firstName lastName email phone optedOut externalId address { city } tags { name } notes { nodes { content pinned } } answers { nodes { form { databaseId } option { databaseId } data: text } } }
    conflicts { contactId field kept dropped } moved { relation count }
  }
}`;
const mergeAs = async (survivorId: number, ids: number[], dryRun = false, token?: string): Promise<Json> =>
  (await door.graphql(merge, { survivorId, ids, dryRun }, token)).body;

const create = async (contact: Json): Promise<number> =>
  (await door.rest('POST', '/contacts', { data: { contact } })).body.data.contact.id;
const note = (id: number, content: string, pinned = false): Promise<unknown> =>
  door.rest('POST', `/contacts/${id}/notes`, { content, pinned });

const createTwins = async (): Promise<{ survivor: number; other: number }> => {
  const survivor = await create({ firstname: 'Ana', surname: 'Twin', mail: 'ana@example.org', tags: ['both', 'one'] });
  const other = await create({
    firstname: 'Anna',
    surname: 'Twin',
    mail: 'anna@example.org',
    phone: '0102030405',
    black_list: true,
    external_id: `x${survivor}`,
    address: { city: 'Albi' },
    tags: ['both', 'two'],
  });
  await note(survivor, 'of the survivor', true);
  await note(other, 'of the other', true);
  return { survivor, other };
};

describe('a merge', () => {
  it('moves the children of the other, fills empty fields, and reports differences', async () => {
    const { survivor, other } = await createTwins();
    await door.sql(
      `insert into donations (group_id, contact_id, amount, transaction_date) values (1, ?, 5000, now()), (1, ?, 700, now())`,
      [survivor, other],
    );
    const dry = await mergeAs(survivor, [other], true);
    expect(dry.data.mergeContacts.contact.phone).toBeNull();
    const { data } = await mergeAs(survivor, [other]);
    const { contact, conflicts, moved } = data.mergeContacts;
    expect([conflicts, moved]).toEqual([dry.data.mergeContacts.conflicts, dry.data.mergeContacts.moved]);
    expect(conflicts).toEqual([
      { contactId: `Contact:${other}`, field: 'firstName', kept: 'Ana', dropped: 'Anna' },
      { contactId: `Contact:${other}`, field: 'email', kept: 'ana@example.org', dropped: 'anna@example.org' },
    ]);
    expect(moved).toEqual([
      { relation: 'notes', count: 1 },
      { relation: 'donations', count: 1 },
      { relation: 'tags', count: 1 },
    ]);
    expect(contact).toMatchObject({
      id: survivor,
      firstName: 'Ana',
      phone: '0102030405',
      optedOut: true,
      externalId: `x${survivor}`,
      address: { city: 'Albi' },
    });
    expect(contact.tags.map(({ name }: Json) => name).sort()).toEqual(['both', 'one', 'two']);
    expect(contact.notes.nodes).toEqual([
      { content: 'of the survivor', pinned: true },
      { content: 'of the other', pinned: false },
    ]);
    const [row] = await door.sql('select donations_sum, donations_count from contact_search where contact_id = ?', [
      survivor,
    ]);
    expect(row).toEqual({ donations_sum: 5700, donations_count: 2 });
    expect(await findWrongRows(door)).toEqual([]);
  });

  it('lets the old id answer with the survivor on both doors, through several merges', async () => {
    const [first, second, third] = [
      await create({ surname: 'A' }),
      await create({ surname: 'B' }),
      await create({ surname: 'C' }),
    ];
    await mergeAs(second, [first]);
    await mergeAs(third, [second]);
    for (const id of [first, second, third]) {
      expect((await door.rest('GET', `/contacts/${id}`)).body.data.contact).toMatchObject({ id: third, surname: 'C' });
      expect((await door.rest('GET', `/v1/contacts/${id}`)).body.id).toBe(third);
      expect(
        (await door.graphql('query ($id: ID!) { contact(id: $id) { id: databaseId } }', { id })).body.data.contact.id,
      ).toBe(third);
      const { body } = await door.rest('POST', '/contacts/upsert', {
        kind: 'contact',
        data: { id, phone: String(id) },
      });
      expect(body.data).toEqual({ contact: { id: third }, outcome: 'updated' });
    }
    expect((await door.rest('DELETE', `/contacts/${first}`)).status).toBe(404);
    await door.rest('DELETE', `/contacts/${third}`);
    expect((await door.rest('GET', `/contacts/${first}`)).status).toBe(404);
  });

  it('keeps one answer of a single-answer form: that of the survivor', async () => {
    const [form] =
      await door.sql(`select f.id, array_agg(r.id order by r.id) as refs from forms f join form_refs r on r.group_id = 1 and r.form_id = f.id
      where f.group_id = 1 and f.type in ('radio', 'select') and f.kind <> 'custom_fields' and f.deleted_at is null group by f.id having count(*) > 1 order by f.id limit 1`);
    const answer = (at: number) => ({ formdatas: [{ form_id: form.id, form_ref_id: form.refs[at] }] });
    const [survivor, other] = [
      await create({ surname: 'S', ...answer(0) }),
      await create({ surname: 'O', ...answer(1) }),
    ];
    const { data } = await mergeAs(survivor, [other]);
    expect(data.mergeContacts.contact.answers.nodes).toMatchObject([{ option: { databaseId: form.refs[0] } }]);
  });

  it('does not report answers to deleted forms, nor deleted actions, though they move', async () => {
    const [form, other] = await door.sql(
      `select f.id, array_agg(r.id order by r.id) as refs from forms f join form_refs r on r.group_id = 1 and r.form_id = f.id
        where f.group_id = 1 and f.type in ('radio', 'select') and f.deleted_at is null group by f.id having count(*) > 1 order by f.id limit 2`,
    );
    const [action] = await door.sql('select id from actions where group_id = 1 and deleted_at is null limit 1');
    const answer = ({ id, refs }: Json, at: number) => ({ form_id: id, form_ref_id: refs[at] });
    const survivor = await create({ surname: 'S', formdatas: [answer(form, 0)] });
    const ids = [
      await create({ surname: 'S', formdatas: [answer(form, 1), answer(other, 1)], action_ids: [action.id] }),
    ];
    const report = async () => (await mergeAs(survivor, ids, true)).data.mergeContacts;
    expect(await report()).toMatchObject({
      conflicts: [{ field: `Form:${form.id}` }],
      moved: [
        { relation: 'answers', count: 1 },
        { relation: 'actions', count: 1 },
      ],
    });
    const setDeleted = async (at: string) => {
      await door.sql(`update forms set deleted_at = ${at} where id in (?, ?)`, [form.id, other.id]);
      await door.sql(`update actions set deleted_at = ${at} where id = ?`, [action.id]);
    };
    await setDeleted('now()');
    expect(await report()).toMatchObject({ conflicts: [], moved: [] });
    await mergeAs(survivor, ids);
    await setDeleted('null');
    expect((await door.rest('GET', `/contacts/${survivor}`)).body.data.contact.actions_ids).toEqual([action.id]);
  });

  it.each([
    ['a contact twice', (a: number, b: number) => [a, [b, b]], ['input.ids[1]']],
    ['the survivor itself', (a: number) => [a, [a]], ['input.ids[0]']],
    ['missing contacts', (a: number) => [a, [987_654_321, 0]], ['input.ids[0]', 'input.ids[1]']],
    ['a missing survivor', (_: number, b: number) => [987_654_321, [b]], ['input.survivorId']],
  ] as const)('refuses %s, and changes nothing', async (_, args, places) => {
    const { survivor, other } = await createTwins();
    const [id, ids] = args(survivor, other) as [number, number[]];
    const { errors } = await mergeAs(id, ids);
    expect(errors[0].extensions).toMatchObject({
      code: 'unprocessable',
      errors: places.map((location) => ({ location })),
    });
    expect((await door.rest('GET', `/contacts/${other}`)).body.data.contact.id).toBe(other);
  });

  it('requires a manager', async () => {
    const [{ user_id }] = await door.sql(
      `select m.user_id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id where m.group_id = 1 and r.type = 'user' limit 1`,
    );
    const { survivor, other } = await createTwins();
    const { errors } = await mergeAs(survivor, [other], false, await door.token(1, user_id));
    expect(errors[0].extensions.code).toBe('forbidden');
  });
});
