// Interactions and their files over GraphQL: what is stored, what is refused, and those that only superadmins see.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { buildCondition, ids } from './search-query.ts';
import { createRoleToken, fetchRefusal, findWrongRows, markOf, runMutation, sendMutation } from './writing.ts';

let door: Door;
let user: string;
let admin: string;
let contact: number;
const file = { name: 'Minutes.pdf', url: 'https://files.example.org/a?b=c#d', mime: 'application/pdf' };

beforeAll(async () => {
  door = await openApp();
  [user, admin] = [await createRoleToken(door, 'user'), await createRoleToken(door, 'admin')];
});
beforeEach(async () => {
  contact = (await runMutation(door, 'createContact', { lastName: 'Visited' })).id;
});

const create = (input: Json, token?: string): Promise<Json> =>
  runMutation(door, 'createInteraction', { contactId: contact, type: 'visit', ...input }, token);
const shown = async (token?: string): Promise<Json[]> =>
  (
    await door.graphql(
      'query ($id: ID!) { contact(id: $id) { interactions { nodes { id: databaseId title files { id: databaseId name } } } } }',
      { id: contact },
      token,
    )
  ).body.data.contact.interactions.nodes;

it('an interaction is recorded with its files, in the order given', async () => {
  const made = await create(
    {
      subType: 'door to door',
      title: 'A visit',
      comments: 'Friendly\n',
      files: [file, { ...file, name: 'Photo', url: '/photos/1.jpg', folder: 'photos', subject: 'The door' }],
    },
    user,
  );
  const author = (await markOf(door, contact)).user_id;
  expect(made).toMatchObject({
    contactId: contact,
    author: { id: author },
    type: 'visit',
    subType: 'door to door',
    title: 'A visit',
    comments: 'Friendly\n',
    onlySuperAdmin: false,
    files: [
      { ...file, addedBy: { id: author }, folder: null, subject: null },
      { name: 'Photo', url: '/photos/1.jpg', folder: 'photos', subject: 'The door' },
    ],
  });
  expect(await shown(user)).toMatchObject([{ id: made.id, files: [{ name: 'Minutes.pdf' }, { name: 'Photo' }] }]);
});

it('a change affects the fields that it names; null clears optional ones', async () => {
  const made = await create({ title: 'Before', comments: 'kept', files: [file] });
  const changed = await runMutation(door, 'updateInteraction', { id: made.id, title: null, type: 'call' });
  expect(changed).toEqual({ ...made, title: null, type: 'call', updatedAt: changed.updatedAt });
});

describe('files', () => {
  it('are added and deleted separately', async () => {
    const made = await create({ files: [file] });
    const added = await runMutation(door, 'addFile', { interactionId: made.id, name: 'b', url: '/b' }, user);
    expect(added).toMatchObject({ name: 'b', url: '/b' });
    expect((await shown())[0].files.map(({ name }: Json) => name)).toEqual(['Minutes.pdf', 'b']);
    await runMutation(door, 'deleteFile', { id: made.files[0].id }, user);
    expect((await shown())[0].files).toEqual([{ id: added.id, name: 'b' }]);
    expect((await fetchRefusal(door, 'deleteFile', { id: made.files[0].id })).message).toBe(
      `There is no file ${made.files[0].id}`,
    );
  });

  it('are deleted with their interaction', async () => {
    const made = await create({ files: [file, file] });
    await runMutation(door, 'deleteInteraction', { id: made.id }, user);
    expect(await shown()).toEqual([]);
    const left = await door.sql('select id from files where interaction_id = ? and deleted_at is null', [made.id]);
    expect(left).toEqual([]);
    for (const [name, args] of [
      ['deleteInteraction', { id: made.id }],
      ['updateInteraction', { id: made.id }],
      ['addFile', { interactionId: made.id, ...file }],
      ['deleteFile', { id: made.files[0].id }],
    ] as [string, Json][])
      expect([name, (await fetchRefusal(door, name, args)).code]).toEqual([name, 'not-found']);
  });

  it.each([
    'ftp://example.org/a',
    'javascript:alert(1)',
    'data:text/html,x',
    'files/1',
    '',
    '//elsewhere.example.org/a',
    '/\\elsewhere.example.org',
    'https://',
    'https:// example.org',
    '/a b',
    'http://[broken',
    ' https://example.org',
  ])('must be at http, https or a path: %j', async (url) => {
    const fault = url ? 'must be an http or https address, or a path that begins with /' : 'must not be blank';
    const input = { type: 'visit', files: [file, { ...file, url }] };
    expect((await fetchRefusal(door, 'createInteraction', { contactId: contact, ...input })).faults).toEqual([
      `input.files[1].url ${fault}`,
    ]);
    const { id } = await create({});
    expect((await fetchRefusal(door, 'addFile', { interactionId: id, ...file, url })).faults).toEqual([
      `input.url ${fault}`,
    ]);
  });

  it('have an address of at most 2,048 characters', async () => {
    const { id } = await create({});
    const add = (url: string) => sendMutation(door, 'addFile', { interactionId: id, name: 'x', url });
    expect((await add(`/${'x'.repeat(2047)}`)).body.errors).toBeUndefined();
    expect((await add(`/${'x'.repeat(2048)}`)).body.errors[0].extensions.errors).toMatchObject([
      { location: 'input.url', message: 'must be at most 2048 characters' },
    ]);
  });
});

describe('invalid input is refused with the place', () => {
  const long = 'x'.repeat(256);
  const blank = 'must not be blank';
  const unstorable = 'must not contain U+0000 or a lone surrogate';
  it.each([
    [{ type: ' ' }, `input.type ${blank}`],
    [{ subType: long }, 'input.subType must be at most 255 characters'],
    [{ title: 'a\0' }, `input.title ${unstorable}`],
    [{ comments: 'x'.repeat(65_537) }, 'input.comments must be at most 65536 characters'],
    [{ files: [{ name: '', url: '/a' }] }, `input.files[0].name ${blank}`],
    [{ files: [file, { ...file, mime: '\ud800' }] }, `input.files[1].mime ${unstorable}`],
    [{ files: [{ ...file, folder: long }] }, 'input.files[0].folder must be at most 255 characters'],
    [{ files: [{ ...file, subject: long }] }, 'input.files[0].subject must be at most 255 characters'],
    [{ files: Array.from({ length: 101 }, () => file) }, 'input.files must be at most 100 files'],
  ])('on creation: %#', async (more, fault) => {
    const input = { contactId: contact, type: 'visit', ...more };
    const { code, faults } = await fetchRefusal(door, 'createInteraction', input);
    expect([code, faults]).toEqual(['invalid-request', [fault]]);
    expect(await shown()).toEqual([]);
  });

  it('on a change', async () => {
    const { id } = await create({});
    expect((await fetchRefusal(door, 'updateInteraction', { id, type: null, onlySuperAdmin: null })).faults).toEqual([
      'input.type must not be null',
      'input.onlySuperAdmin must not be null',
    ]);
  });
});

describe('a superadmin-only interaction', () => {
  it('is missing for all others, with its files', async () => {
    const hidden = await create({ title: 'secret', onlySuperAdmin: true, files: [file] });
    expect(hidden.onlySuperAdmin).toBe(true);
    for (const token of [user, admin, await createRoleToken(door, 'manager')]) {
      expect(await shown(token)).toEqual([]);
      for (const [name, args, message] of [
        ['updateInteraction', { id: hidden.id, title: 'x' }, `There is no interaction ${hidden.id}`],
        ['deleteInteraction', { id: hidden.id }, `There is no interaction ${hidden.id}`],
        ['addFile', { interactionId: hidden.id, ...file }, `There is no interaction ${hidden.id}`],
        ['deleteFile', { id: hidden.files[0].id }, `There is no file ${hidden.files[0].id}`],
      ] as [string, Json, string][])
        expect(await fetchRefusal(door, name, args, token)).toEqual({ code: 'not-found', message, faults: undefined });
    }
    expect(await shown()).toEqual([{ id: hidden.id, title: 'secret', files: [expect.anything()] }]);
  });

  it('is set by superadmins only; nobody else can hide what others see', async () => {
    const open = await create({}, admin);
    const input = { type: 'visit', onlySuperAdmin: true };
    for (const [name, args] of [
      ['createInteraction', { contactId: contact, ...input }],
      ['updateInteraction', { id: open.id, ...input }],
    ] as [string, Json][])
      expect(await fetchRefusal(door, name, args, admin)).toMatchObject({ code: 'forbidden' });
    await runMutation(door, 'updateInteraction', { id: open.id, onlySuperAdmin: false }, admin);
    expect(await shown(user)).toHaveLength(1);
    await runMutation(door, 'updateInteraction', { id: open.id, onlySuperAdmin: true });
    expect(await shown(user)).toEqual([]);
  });
});

it('every write changes the contact, and updates its search row', async () => {
  const { id, files } = await create({ files: [file] });
  for (const [name, args] of [
    ['createInteraction', { contactId: contact, type: 'call' }],
    ['updateInteraction', { id, title: 'x' }],
    ['addFile', { interactionId: id, ...file }],
    ['deleteFile', { id: files[0].id }],
    ['deleteInteraction', { id }],
  ] as [string, Json][]) {
    const before = await markOf(door, contact);
    await runMutation(door, name, args, user);
    const after = await markOf(door, contact);
    expect([name, after.version]).toEqual([name, before.version + 1]);
    expect(after.lastchange > before.lastchange).toBe(true);
    const since = buildCondition('lastchange', 'gte', {
      value: `${after.lastchange.replace(' ', 'T').replace('+00', 'Z')}`,
    });
    expect(await ids(door, { query: { and: [since] } })).toEqual([contact]);
    expect(await findWrongRows(door)).toEqual([]);
  }
});

it('ids outside the space are missing: contacts, interactions, files, and those of deleted contacts', async () => {
  const [{ id: foreign }] = await door.sql('select min(id) as id from contacts where group_id = 2');
  const [{ id: theirs }] = await door.sql('select min(id) as id from interactions where group_id = 2');
  const { id, files } = await create({ files: [file] });
  await door.sql('update contacts set deleted_at = now() where id = ?', [contact]);
  for (const contactId of [foreign, contact])
    expect(await fetchRefusal(door, 'createInteraction', { contactId, type: 'x' })).toMatchObject({
      message: `There is no contact ${contactId}`,
    });
  for (const one of [theirs, id])
    expect((await fetchRefusal(door, 'addFile', { interactionId: one, ...file })).message).toBe(
      `There is no interaction ${one}`,
    );
  expect((await fetchRefusal(door, 'deleteFile', { id: files[0].id })).code).toBe('not-found');
});
