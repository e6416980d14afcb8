// Actions over GraphQL: creating them, linking many contacts to one at once, and searching by them.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
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
            (select min(id) from actions where group_id = 2) as action`,
  );
});
beforeEach(async () => {
  const create = (surname: string): Promise<Json> => runMutation(door, 'createContact', { lastName: surname });
  contacts = [];
  for (const name of ['One', 'Two', 'Three']) contacts.push((await create(name)).id);
});

let turn = 0;
const newName = (what: string): string => `${what} ${++turn}`;
const findLinked = (action: number): Promise<number[]> =>
  ids(door, { query: { and: [buildCondition('action_ids', 'eql', { value: `${action}` })] } });
const readMarks = (): Promise<Json[]> => Promise.all(contacts.map((id) => markOf(door, id)));

describe('actions', () => {
  it('are created, changed, listed and deleted; a deletion unlinks them, which changes the version of contacts and not lastchange', async () => {
    const made = await runMutation(
      door,
      'createAction',
      { name: 'Rally', startsAt: '2026-11-21T10:00:00+02:00' },
      manager,
    );
    expect(made).toMatchObject({ name: 'Rally', startsAt: '2026-11-21T08:00:00Z' });
    const changed = await runMutation(door, 'updateAction', { id: made.id, startsAt: null }, manager);
    expect(changed).toMatchObject({ name: 'Rally', startsAt: null });
    await runMutation(door, 'linkAction', { actionId: made.id, contactIds: contacts }, admin);
    const listed = async (): Promise<number[]> =>
      (
        await door.graphql(
          '{ actions(first: 1000) { total: totalCount items: nodes { id: databaseId name startsAt } } }',
          {},
          admin,
        )
      ).body.data.actions.items.map(({ id }: Json) => id);
    expect(await listed()).toContain(made.id);
    const before = await readMarks();
    await runMutation(door, 'deleteAction', { id: made.id }, manager);
    expect(await listed()).not.toContain(made.id);
    for (const [index, mark] of (await readMarks()).entries()) {
      expect(mark).toEqual({ ...before[index], version: before[index].version + 1, updated_at: mark.updated_at });
      expect(mark.updated_at > before[index].updated_at).toBe(true);
    }
    expect(await findLinked(made.id)).toEqual([]);
    const { body } = await door.graphql('query ($id: ID!) { contact(id: $id) { actions { databaseId } } }', {
      id: contacts[0],
    });
    expect(body.data.contact.actions).toEqual([]);
    for (const id of [made.id, foreign.action])
      for (const [name, args] of [
        ['deleteAction', { id }],
        ['updateAction', { id, name: 'x' }],
        ['linkAction', { actionId: id, contactIds: contacts }],
        ['unlinkAction', { actionId: id, contactIds: contacts }],
      ] as [string, Json][])
        expect(await fetchRefusal(door, name, args)).toEqual({
          code: 'not-found',
          message: `There is no action ${id}`,
          faults: undefined,
        });
    expect(await findWrongRows(door)).toEqual([]);
  });

  it('are linked to contacts, and unlinked; changed contacts are returned and marked', async () => {
    const { id } = await runMutation(door, 'createAction', { name: newName('action') });
    const change = async (name: string, contactIds: number[]): Promise<number[]> =>
      (await runMutation(door, name, { actionId: id, contactIds }, admin)).contacts.map((one: Json) => one.id);
    expect(await change('linkAction', contacts.slice(0, 2))).toEqual(contacts.slice(0, 2));
    const before = await readMarks();
    expect(await change('linkAction', contacts)).toEqual([contacts[2]]);
    expect(await findLinked(id)).toEqual(contacts);
    expect(await change('unlinkAction', [contacts[0]!])).toEqual([contacts[0]]);
    expect(await change('unlinkAction', [contacts[0]!])).toEqual([]);
    expect(await findLinked(id)).toEqual(contacts.slice(1));
    const after = await readMarks();
    expect(after.map(({ version }, index) => version - before[index].version)).toEqual([1, 0, 1]);
    expect(await findWrongRows(door)).toEqual([]);
  });

  it.each(['linkAction', 'unlinkAction'])('%s is all or nothing: each missing contact is reported', async (name) => {
    const { id } = await runMutation(door, 'createAction', { name: newName('action') });
    await runMutation(door, 'linkAction', { actionId: id, contactIds: [contacts[0]] });
    expect(
      await fetchRefusal(door, name, { actionId: id, contactIds: [...contacts, foreign.contact, 987_654_321] }),
    ).toMatchObject({
      code: 'unprocessable',
      faults: [
        'input.contactIds[3] is not a contact of the space',
        'input.contactIds[4] is not a contact of the space',
      ],
    });
    expect(await findLinked(id)).toEqual([contacts[0]]);
  });
});
