// Notes over GraphQL: who may change or delete one, at most one pinned note per contact, and the change of the contact.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { buildCondition, ids } from './search-query.ts';
import { createRoleToken, fetchRefusal, findWrongRows, markOf, runMutation } from './writing.ts';

let door: Door;
let user: string;
let manager: string;
let contact: number;
let foreign: number;

beforeAll(async () => {
  door = await openApp();
  [user, manager] = [await createRoleToken(door, 'user'), await createRoleToken(door, 'manager')];
  [{ id: foreign }] = (await door.sql('select min(id) as id from notes where group_id = 2 and deleted_at is null')) as [
    { id: number },
  ];
});
beforeEach(async () => {
  contact = (await runMutation(door, 'createContact', { lastName: 'Noted' })).id;
});

const create = (input: Json, token?: string): Promise<Json> =>
  runMutation(door, 'createNote', { contactId: contact, ...input }, token);
const update = (id: number, input: Json, token?: string): Promise<Json> =>
  runMutation(door, 'updateNote', { id, ...input }, token);
const pinned = async (): Promise<number[]> =>
  (
    await door.sql('select id from notes where contact_id = ? and pinned and deleted_at is null order by id', [contact])
  ).map(({ id }) => id);

describe('a change', () => {
  it('affects what it names, and nothing else', async () => {
    const note = await create({ content: 'first', pinned: true });
    const changed = await update(note.id, { content: 'é 🏳️‍🌈 %_\\\'":group ?' });
    expect(changed).toEqual({ ...note, content: 'é 🏳️‍🌈 %_\\\'":group ?', updatedAt: changed.updatedAt });
    expect(changed.updatedAt > note.updatedAt).toBe(true);
    expect(await update(note.id, { pinned: false })).toMatchObject({ content: changed.content, pinned: false });
    expect(await update(note.id, {})).toMatchObject({ content: changed.content, pinned: false });
  });

  it.each([
    [{ content: null }, 'input.content must not be null'],
    [{ pinned: null }, 'input.pinned must not be null'],
    [{ content: 'a\0b' }, 'input.content must not contain U+0000 or a lone surrogate'],
    [{ content: 'x'.repeat(65_537) }, 'input.content must be at most 65536 characters'],
  ])('is refused with its place: %#', async (input, fault) => {
    const { id } = await create({ content: 'stays' });
    const refused = await fetchRefusal(door, 'updateNote', { id, ...input });
    expect([refused.code, refused.faults]).toEqual(['invalid-request', [fault]]);
    expect(await door.sql('select content, pinned from notes where id = ?', [id])).toEqual([
      { content: 'stays', pinned: false },
    ]);
  });

  it.each(['updateNote', 'deleteNote'])('%s changes the contact, and updates its search row', async (name) => {
    const { id } = await create({ content: 'x' }, user);
    const before = await markOf(door, contact);
    const input = name === 'updateNote' ? { content: 'y' } : undefined;
    await runMutation(door, name, { id, ...input }, manager);
    const after = await markOf(door, contact);
    expect(after.version).toBe(before.version + 1);
    expect(after.lastchange > before.lastchange && after.updated_at > before.updated_at).toBe(true);
    const by = buildCondition('user_id', 'eql', { value: `${after.user_id}` });
    expect(await ids(door, { query: { and: [by] } })).toContain(contact);
    expect(await findWrongRows(door)).toEqual([]);
  });
});

describe('permissions', () => {
  it('the author of a note, and managers, may change and delete it', async () => {
    const note = await create({ content: 'mine' }, user);
    expect((await update(note.id, { content: 'still mine' }, user)).author).toEqual(note.author);
    for (const role of ['superadmin', 'admin', 'manager'])
      expect(await update(note.id, { content: `by ${role}` }, await createRoleToken(door, role))).toMatchObject({
        content: `by ${role}`,
        author: note.author,
      });
    await runMutation(door, 'deleteNote', { id: note.id }, user);
    const other = await create({ content: 'mine' }, user);
    await runMutation(door, 'deleteNote', { id: other.id }, manager);
  });

  it('another user may not, and the attempt changes nothing, not even the contact', async () => {
    const { id } = await create({ content: 'of a manager' }, manager);
    const before = await markOf(door, contact);
    for (const [name, input] of [
      ['updateNote', { content: 'taken', pinned: true }],
      ['updateNote', { content: 'taken' }],
      ['deleteNote'],
    ] as [string, Json?][])
      for (const token of [user])
        expect(await fetchRefusal(door, name, { id, ...input }, token)).toEqual({
          code: 'forbidden',
          message: 'This needs the author of the note, or the role manager',
          faults: undefined,
        });
    expect(await door.sql('select content, pinned, deleted_at from notes where id = ?', [id])).toEqual([
      { content: 'of a manager', pinned: false, deleted_at: null },
    ]);
    expect(await markOf(door, contact)).toEqual(before);
  });

  it('a user may not when the note has lost its author', async () => {
    const { id } = await create({ content: 'orphan' }, user);
    await door.sql('update notes set user_id = null where id = ?', [id]);
    expect((await fetchRefusal(door, 'deleteNote', { id }, user)).code).toBe('forbidden');
  });
});

describe('a deleted note', () => {
  it('is missing everywhere; deleting it again is 404, as for one of another space', async () => {
    const { id } = await create({ content: 'gone', pinned: true });
    expect(await runMutation(door, 'deleteNote', { id })).toEqual({ id, deletedId: `Note:${id}` });
    const query =
      'query ($id: ID!) { contact(id: $id) { note { id: databaseId } notes { nodes { id: databaseId } } } }';
    expect((await door.graphql(query, { id: contact })).body.data.contact).toEqual({
      note: null,
      notes: { nodes: [] },
    });
    for (const missing of [id, foreign, 987_654_321])
      for (const [name, input] of [['deleteNote'], ['updateNote', { pinned: true }], ['updateNote', { content: 'x' }]])
        expect(await fetchRefusal(door, name as string, { id: missing, ...(input as Json) })).toEqual({
          code: 'not-found',
          message: `There is no note ${missing}`,
          faults: undefined,
        });
  });

  it('is missing too when its contact is deleted', async () => {
    const { id } = await create({ content: 'x' });
    await door.sql('update contacts set deleted_at = now() where id = ?', [contact]);
    expect((await fetchRefusal(door, 'updateNote', { id, content: 'y' })).code).toBe('not-found');
    await door.sql('update contacts set deleted_at = null where id = ?', [contact]);
  });
});

describe('pinned notes of a contact', () => {
  it('are one: the last one pinned, created or changed', async () => {
    const [first, second, third] = [
      await create({ content: '1', pinned: true }),
      await create({ content: '2' }),
      await create({ content: '3', pinned: true }),
    ];
    expect(await pinned()).toEqual([third.id]);
    await update(second.id, { pinned: true });
    expect(await pinned()).toEqual([second.id]);
    await door.rest('POST', `/contacts/${contact}/notes`, { content: '4', pinned: true });
    expect(await pinned()).toHaveLength(1);
    await update(first.id, { content: 'not pinned by this' });
    expect(await pinned()).not.toContain(first.id);
    expect(await findWrongRows(door)).toEqual([]);
  });

  it('are at most one when many pin at the same moment', async () => {
    const notes = await Promise.all(Array.from({ length: 6 }, (_, n) => create({ content: `${n}` })));
    for (let round = 0; round < 5; round++) {
      await Promise.all(
        notes.flatMap(({ id }) => [update(id, { pinned: true }), create({ content: 'new', pinned: true })]),
      );
      expect(await pinned()).toHaveLength(1);
    }
  });

  it('do not affect those of other contacts', async () => {
    const note = await create({ content: 'here', pinned: true });
    const other = (await runMutation(door, 'createContact', { lastName: 'Other' })).id;
    await runMutation(door, 'createNote', { contactId: other, content: 'there', pinned: true });
    expect(await pinned()).toEqual([note.id]);
  });
});
