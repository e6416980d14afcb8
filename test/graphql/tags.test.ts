// Tags over GraphQL: creating them, putting them on many contacts at once, and searching by them.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { countWaiting, openSession } from '../harness/session.ts';
import { waitUntil } from '../harness/waiting.ts';
import { buildCondition, ids } from './search-query.ts';
import { createRoleToken, fetchRefusal, findWrongRows, markOf, runMutation } from './writing.ts';

let door: Door;
let admin: string;
let manager: string;
let contacts: number[];
let foreign: Json;

beforeAll(async () => {
  door = await openApp();
  [admin, manager] = [await createRoleToken(door, 'admin'), await createRoleToken(door, 'manager')];
  [foreign] = await door.sql(
    `select (select min(id) from contacts where group_id = 2 and deleted_at is null) as contact,
            (select min(id) from tags where group_id = 2) as tag`,
  );
});
beforeEach(async () => {
  const create = (surname: string): Promise<Json> => runMutation(door, 'createContact', { lastName: surname });
  contacts = [];
  for (const name of ['One', 'Two', 'Three']) contacts.push((await create(name)).id);
});

let turn = 0;
const newName = (what: string): string => `${what} ${++turn}`;
const findTagged = (name: string): Promise<number[]> =>
  ids(door, { query: { and: [buildCondition('tags.name', 'eql', { value: name })] } });
const tagsOf = async (contact: number): Promise<string[]> =>
  (
    await door.graphql('query ($id: ID!) { contact(id: $id) { tags { name } } }', { id: contact })
  ).body.data.contact.tags.map(({ name }: Json) => name);
const readMarks = (): Promise<Json[]> => Promise.all(contacts.map((id) => markOf(door, id)));

describe('tags of the space', () => {
  it('are listed page by page, with the total', async () => {
    const [{ all }] = await door.sql('select array(select id from tags where group_id = 1 order by id) as all');
    const page = (args: string): Promise<Json> =>
      door.graphql(
        `{ tags(${args}) { total: totalCount items: nodes { id: databaseId name color } pageInfo { endCursor } } }`,
        {},
        admin,
      );
    const { items, pageInfo } = (await page('first: 1')).body.data.tags;
    expect(items).toMatchObject([{ id: all[0] }]);
    const { body } = await page(`first: 2, after: "${pageInfo.endCursor}"`);
    expect(body.data.tags).toMatchObject({ total: all.length, items: [{ id: all[1] }, { id: all[2] }] });
    expect((await page('first: 1001')).body.errors[0].extensions.errors).toMatchObject([
      { location: 'first', message: 'must be a whole number from 0 to 1000' },
    ]);
  });

  it('are created and changed: only the named fields, and a colour may be cleared', async () => {
    const [name, other] = [newName('tag'), newName('tag')];
    const made = await runMutation(door, 'createTag', { name, color: '#f00' }, manager);
    expect(made).toMatchObject({ name, color: '#f00' });
    const change = (input: Json): Promise<Json> => runMutation(door, 'updateTag', { id: made.id, ...input }, manager);
    expect(await change({ name: other })).toMatchObject({ id: made.id, name: other, color: '#f00' });
    expect(await change({ color: null })).toMatchObject({ name: other, color: null });
  });

  it('have unique names, without regard to case and accents', async () => {
    const name = newName('Uniqué');
    await runMutation(door, 'createTag', { name });
    const { id } = await runMutation(door, 'createTag', { name: newName('Other') });
    for (const [mutation, args] of [
      ['createTag', { name }],
      ['createTag', { name: ` ${name.toUpperCase()}` }],
      ['updateTag', { id, name: name.normalize('NFD').toLowerCase() }],
    ] as [string, Json][])
      expect(await fetchRefusal(door, mutation, args)).toEqual({
        code: 'conflict',
        message: 'There is a tag of this name',
        faults: ['input.name is the name of another tag'],
      });
    await runMutation(door, 'updateTag', { id, name: newName('Another') });
  });

  it.each([
    ['createTag', { name: ' ' }, 'input.name must not be blank'],
    ['createTag', { name: 'x', color: 'x'.repeat(256) }, 'input.color must be at most 255 characters'],
    ['updateTag', { id: 1, name: null }, 'input.name must not be null'],
    ['createAction', { name: 'a\0' }, 'input.name must not contain U+0000 or a lone surrogate'],
    ['updateAction', { id: 1, name: null }, 'input.name must not be null'],
  ])('and actions are refused with the place: %s %#', async (name, args, fault) => {
    expect((await fetchRefusal(door, name, args)).faults).toEqual([fault]);
  });

  it.each([
    'createTag',
    'updateTag',
    'deleteTag',
    'createAction',
    'updateAction',
    'deleteAction',
  ])('can be changed by managers only: %s', async (name) => {
    const args = {
      ...(!name.startsWith('create') && { id: 1 }),
      ...(!name.startsWith('delete') && { name: 'x' }),
    };
    for (const role of ['user', 'custom'])
      expect((await fetchRefusal(door, name, args, await createRoleToken(door, role))).code).toBe('forbidden');
  });

  it('that are missing, or of another space, are 404', async () => {
    for (const id of [foreign.tag, 987_654_321])
      for (const [name, input] of [['updateTag', { name: 'x' }], ['deleteTag']])
        expect(await fetchRefusal(door, name as string, { id, ...(input as Json) })).toEqual({
          code: 'not-found',
          message: `There is no tag ${id}`,
          faults: undefined,
        });
  });
});

describe('a deleted tag', () => {
  it('is removed from all contacts, which are changed by that; deleting it again is 404', async () => {
    const [name, kept] = [newName('tag'), newName('tag')];
    await runMutation(door, 'tagContacts', { contactIds: contacts, tags: [name, kept] });
    await door.sql('update contacts set deleted_at = now() where id = ?', [contacts[2]]);
    await door.sql('select refresh_search(1, array[?]::bigint[])', [contacts[2]]);
    const [{ id }] = await door.sql('select id from tags where group_id = 1 and name = ?', [name]);
    const before = await readMarks();
    await runMutation(door, 'deleteTag', { id }, manager);
    const after = await readMarks();
    expect(after.map(({ version }, index) => version - before[index].version)).toEqual([1, 1, 0]);
    expect(after[0].lastchange > before[0].lastchange).toBe(true);
    expect([await findTagged(name), await findTagged(kept)]).toEqual([[], contacts.slice(0, 2)]);
    expect(await tagsOf(contacts[0]!)).toEqual([kept]);
    expect((await fetchRefusal(door, 'deleteTag', { id })).code).toBe('not-found');
    await runMutation(door, 'restoreContact', { id: contacts[2] });
    expect(await tagsOf(contacts[2]!)).toEqual([kept]);
    expect(await findWrongRows(door)).toEqual([]);
  });

  it('is removed from more contacts than one statement writes', async () => {
    const { id } = await runMutation(door, 'createTag', { name: newName('tag') });
    const many = 2_345;
    await door.sql(
      `with made as (insert into contacts (group_id, surname) select 1, 'Many' from generate_series(1, ?::int) returning id),
            put as (insert into contact_tags select 1, id, ? from made returning contact_id)
       select count(*), refresh_search(1, array(select contact_id from put)) from put`,
      [many, id],
    );
    expect(await door.sql('select count(*) as found from contact_search where ? = any(tag_ids)', [id])).toEqual([
      { found: many },
    ]);
    await runMutation(door, 'deleteTag', { id });
    expect(await door.sql('select count(*) as found from contact_search where ? = any(tag_ids)', [id])).toEqual([
      { found: 0 },
    ]);
    expect(await findWrongRows(door)).toEqual([]);
    await door.sql(`delete from contacts where surname = 'Many'`);
  });

  it('is on no contact when it is put on contacts at the same moment', async () => {
    for (let round = 0; round < 8; round++) {
      const name = newName('raced');
      const { id } = await runMutation(door, 'createTag', { name });
      await runMutation(door, 'tagContacts', { contactIds: [contacts[0]], tags: [name] });
      const [, ...others] = await Promise.all([
        runMutation(door, 'deleteTag', { id }),
        fetchRefusal(door, 'tagContacts', { contactIds: contacts, tags: [name] }),
        fetchRefusal(door, 'tagContacts', { contactIds: [...contacts].reverse(), tags: [name, newName('other')] }),
      ]);
      for (const { code } of others) expect([undefined, 'unprocessable', 'conflict']).toContain(code);
      expect(await door.sql('select from contact_tags where tag_id = ?', [id])).toEqual([]);
      expect(await findWrongRows(door)).toEqual([]);
    }
  });
});

describe('a tag that is renamed while contacts get it', () => {
  /** Renames a tag while a mutation waits for it; yields the names of the tags that the contact has then. */
  const renameMeanwhile = async (from: string, to: string, mutate: () => Promise<Json>): Promise<string[]> => {
    await runMutation(door, 'createTag', { name: from });
    const [holder, watch] = [await openSession(door.databaseUrl), await openSession(door.databaseUrl)];
    await holder.query('begin');
    await holder.query('update tags set name = $2 where group_id = 1 and name = $1', [from, to]);
    const mutating = mutate();
    await waitUntil('the mutation waits', async () => (await countWaiting(watch)) === 1, 10_000);
    await holder.query('commit');
    return tagsOf((await mutating).id ?? contacts[0]);
  };
  const namesLike = async (name: string): Promise<string[]> =>
    (await door.sql('select name from tags where group_id = 1 and fold(name) = fold(?)', [name])).map(
      (row) => row.name,
    );
  it.each<[what: string, mutate: (name: string) => Promise<Json>]>([
    ['a new contact', (name) => runMutation(door, 'createContact', { lastName: 'New', tags: [{ name }] })],
    ['a changed contact', (name) => runMutation(door, 'updateContact', { id: contacts[0], tags: [{ name }] })],
    ['tagged contacts', (name) => runMutation(door, 'tagContacts', { contactIds: contacts, tags: [name] })],
  ])('keeps one tag of its name where that is spelled otherwise: %s', async (_, mutate) => {
    const name = newName('Élu');
    const later = name.toUpperCase();
    expect(await renameMeanwhile(name, later, () => mutate(name))).toEqual([later]);
    expect(await namesLike(name)).toEqual([later]);
  });

  it('is created anew where it has another name', async () => {
    const name = newName('Before');
    const create = () => runMutation(door, 'createContact', { lastName: 'New', tags: [{ name }] });
    expect(await renameMeanwhile(name, newName('After'), create)).toEqual([name]);
  });
});

describe('putting tags on contacts', () => {
  it('creates new tags, returns the changed contacts, and marks them', async () => {
    const [name, other] = [newName('É t'), newName('tag')];
    const first = await runMutation(door, 'tagContacts', { contactIds: contacts.slice(0, 2), tags: [name] }, admin);
    expect(first).toMatchObject({ count: 2, contactIds: contacts.slice(0, 2) });
    const before = await readMarks();
    const again = { contactIds: [...contacts, contacts[2]].reverse(), tags: [name, name] };
    expect(await runMutation(door, 'tagContacts', again, admin)).toMatchObject({ contactIds: [contacts[2]] });
    const after = await readMarks();
    expect(after.map(({ version }, index) => version - before[index].version)).toEqual([0, 0, 1]);
    expect((await runMutation(door, 'tagContacts', again)).contactIds).toEqual([]);
    await runMutation(door, 'tagContacts', { contactIds: [contacts[0]], tags: [name, other] });
    expect([await findTagged(name), await findTagged(other)]).toEqual([contacts, [contacts[0]]]);
    expect(await tagsOf(contacts[0]!)).toEqual([name, other]);
    expect(await findWrongRows(door)).toEqual([]);
  });

  it('is undone, for one tag or several, and changes the contacts that had one', async () => {
    const [name, other] = [newName('tag'), newName('tag')];
    await runMutation(door, 'tagContacts', { contactIds: contacts, tags: [name] });
    await runMutation(door, 'tagContacts', { contactIds: [contacts[1]], tags: [other] });
    const before = await readMarks();
    expect(
      await runMutation(
        door,
        'untagContacts',
        { contactIds: contacts.slice(1), tags: [name, other, 'no such tag'] },
        admin,
      ),
    ).toMatchObject({ count: 2, contactIds: contacts.slice(1) });
    expect((await runMutation(door, 'untagContacts', { contactIds: contacts, tags: [other] })).contactIds).toEqual([]);
    const after = await readMarks();
    expect(after.map(({ version }, index) => version - before[index].version)).toEqual([0, 1, 1]);
    expect([await findTagged(name), await findTagged(other)]).toEqual([[contacts[0]], []]);
    expect(await door.sql('select count(*) as many from tags where name = ?', [other])).toEqual([{ many: 1 }]);
    expect(await findWrongRows(door)).toEqual([]);
  });

  it.each(['tagContacts', 'untagContacts'])('%s is all or nothing: each missing contact is reported', async (name) => {
    const [there, made] = [newName('tag'), newName('tag')];
    await runMutation(door, 'tagContacts', { contactIds: [contacts[0]], tags: [there] });
    await runMutation(door, 'deleteContact', { id: contacts[2] });
    const missing = [contacts[2], foreign.contact, 987_654_321];
    const before = await readMarks();
    const tags = name === 'tagContacts' ? [made] : [there];
    expect(await fetchRefusal(door, name, { contactIds: [contacts[0], ...missing], tags })).toEqual({
      code: 'unprocessable',
      message: '3 ids are not in the space, listed in errors',
      faults: [1, 2, 3].map((index) => `input.contactIds[${index}] is not a contact of the space`),
    });
    expect(await readMarks()).toEqual(before);
    expect(await findTagged(there)).toEqual([contacts[0]]);
    expect(await door.sql('select id from tags where name = ?', [made])).toEqual([]);
  });

  it.each([
    [{ contactIds: [], tags: ['x'] }, ['input.contactIds must be 1 to 1000 contacts']],
    [
      { contactIds: Array.from({ length: 1001 }, () => 1), tags: ['x'] },
      ['input.contactIds must be 1 to 1000 contacts'],
    ],
    [{ contactIds: [1], tags: [] }, ['input.tags must be 1 to 200 tags']],
    [{ contactIds: [1], tags: Array.from({ length: 201 }, (_, n) => `${n}`) }, ['input.tags must be 1 to 200 tags']],
    [
      { contactIds: [1], tags: ['fine', ' ', 'x'.repeat(256), 'a\0'] },
      [
        'input.tags[1] must not be blank',
        'input.tags[2] must be at most 255 characters',
        'input.tags[3] must not contain U+0000 or a lone surrogate',
      ],
    ],
  ])('is refused with every place: %#', async (args, faults) => {
    for (const name of ['tagContacts', 'untagContacts'])
      expect(await fetchRefusal(door, name, args)).toMatchObject({ code: 'invalid-request', faults });
  });

  it('ends at 200 tags per contact', async () => {
    const tags = Array.from({ length: 200 }, () => newName('many'));
    await runMutation(door, 'tagContacts', { contactIds: [contacts[1]], tags });
    const one = newName('one');
    expect(await fetchRefusal(door, 'tagContacts', { contactIds: contacts, tags: [one] })).toMatchObject({
      code: 'invalid-request',
      faults: ['input.contactIds[1] would have more than 200 tags'],
    });
    expect(await findTagged(one)).toEqual([]);
    await runMutation(door, 'tagContacts', { contactIds: contacts, tags: [tags[0]] });
    expect(await findTagged(tags[0]!)).toEqual(contacts);
  });

  it('completes for a thousand contacts at the same moment, in any order', async () => {
    const names = Array.from({ length: 6 }, () => newName('racing'));
    const others = (
      await door.sql('select id from contacts where group_id = 1 and deleted_at is null order by id limit 200')
    ).map(({ id }) => id);
    await Promise.all(
      names.map((name, index) =>
        runMutation(door, 'tagContacts', {
          contactIds: index % 2 ? [...others].reverse() : others,
          tags: [name, 'racing together'],
        }),
      ),
    );
    for (const name of [...names, 'racing together']) expect(await findTagged(name)).toEqual(others);
    expect(await findWrongRows(door)).toEqual([]);
  });
});
