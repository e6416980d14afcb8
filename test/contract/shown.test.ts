// A change of anything in a response moves its ETag and UpdatedAt: every field that the stored operations select, and every other change that affects
// them.
import { beforeAll, describe, expect, it } from 'vitest';
import { runMutation } from '../graphql/writing.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { drawSample } from '../harness/sizes.ts';
import { defineContactKind } from './shown-contact.ts';
import { type Change, createShownContact, type Ground, listSelectedFields, readValueAt } from './shown-ground.ts';
import { defineTeamKind } from './shown-team.ts';

const at = {} as { door: Door };
beforeAll(async () => {
  at.door = await openApp();
});
const [contact, team] = [defineContactKind(at), defineTeamKind(at)];

describe.each([
  ['contact', contact],
  ['team', team],
] as const)('a %s', (_, kind) => {
  const read = async (ground: Ground, path: string): Promise<Json> => {
    const { body, headers, text } = await at.door.rest('GET', path);
    const record = kind.record(body);
    return { record, text, tag: headers.get('etag'), updatedAt: record.UpdatedAt ?? record.updated_at, ground };
  };
  const expectMoved = async (change: Change, wireOf: (operation: string) => string[] | null): Promise<void> => {
    const ground = await kind.make(at.door);
    const paths = Object.entries(kind.replies).map(([operation, pathOf]) => [operation, pathOf(ground)] as const);
    const before = await Promise.all(paths.map(([, path]) => read(ground, path)));
    await change(ground);
    for (const [index, [operation, path]] of paths.entries()) {
      const [old, now] = [before[index], await read(ground, path)];
      const wire = wireOf(operation);
      // The change affects this very field.
      if (wire) expect(readValueAt(now.record, wire)).not.toEqual(readValueAt(old.record, wire));
      expect(now.tag).not.toBe(old.tag);
      expect(now.updatedAt > old.updatedAt).toBe(true);
      expect((await at.door.rest('GET', path, undefined, undefined, { 'If-None-Match': old.tag })).status).toBe(200);
      expect((await at.door.rest('GET', path, undefined, undefined, { 'If-None-Match': now.tag })).status).toBe(304);
    }
  };

  const operations = Object.keys(kind.replies) as ('ContactById' | 'ContactAsFound' | 'TeamById')[];
  const leaves = new Map(operations.map((operation) => [operation as string, listSelectedFields(operation)]));
  const paths = [...new Set([...leaves.values()].flat().map(({ path }) => path))];

  it.each(drawSample(paths, { small: 8 }))('contains %s, and moves when it changes', async (path) => {
    const change = kind.fields[path];
    if (change === undefined)
      throw new Error(`no way is listed in which ${path} changes, nor a reason why it does not`);
    if (typeof change === 'string') return;
    await expectMoved(change, (operation) => leaves.get(operation)!.find((leaf) => leaf.path === path)?.wire ?? null);
  });

  it('lists selected fields, and no others', () => {
    expect(Object.keys(kind.fields).filter((name) => !paths.includes(name))).toEqual([]);
  });

  it.each(Object.keys(kind.more))('moves with %s', async (name) => {
    const [field, change] = kind.more[name]!;
    await expectMoved(change, (operation) => {
      const leaf = leaves
        .get(operation)!
        .find(({ path }) => field !== null && (path === field || path.startsWith(`${field}.`)));
      return leaf ? leaf.wire.slice(0, leaf.path === field ? undefined : -1) : null;
    });
  });

  it.each(Object.keys(kind.unseen))('does not move with %s', async (name) => {
    const ground = await kind.make(at.door);
    const paths = Object.values(kind.replies).map((pathOf) => pathOf(ground));
    const before = await Promise.all(paths.map((path) => read(ground, path)));
    await kind.unseen[name]!(ground);
    for (const [index, path] of paths.entries()) {
      const now = await read(ground, path);
      expect([now.tag, now.text]).toEqual([before[index].tag, before[index].text]);
    }
  });
});

it('polling by UpdatedAt finds contacts whose response changed through others, and polling by lastchange does not', async () => {
  const { id, tag } = await createShownContact(at.door);
  const [{ since }] = await at.door.sql('select now() as since');
  await runMutation(at.door, 'updateTag', { id: tag, color: 'green' });
  const found = async (attr: string): Promise<number[]> => {
    const query = { $all: [{ $all: [{ $condition: { attr, ope: 'gte', value: new Date(since).toISOString() } }] }] };
    const { body } = await at.door.rest('POST', '/search', { data: { advanced_search: { per_page: 1000, query } } });
    return body.data.contacts.map((one: Json) => one.id);
  };
  expect(await found('UpdatedAt')).toContain(id);
  expect(await found('lastchange')).not.toContain(id);
});

it('the id of a merged contact answers with the survivor under another ETag, though the survivor changed less often', async () => {
  const [survivor, other] = [await createShownContact(at.door), await createShownContact(at.door)];
  const tagOf = async (): Promise<string | null> =>
    (await at.door.rest('GET', `/contacts/${other.id}`)).headers.get('etag');
  const versionOf = async (id: number): Promise<number> =>
    (await at.door.sql('select version from contacts where group_id = 1 and id = ?', [id]))[0].version;
  while ((await versionOf(other.id)) <= (await versionOf(survivor.id)))
    await runMutation(at.door, 'updateContact', { id: other.id, firstName: `edit ${await versionOf(other.id)}` });
  const before = await tagOf();
  await runMutation(at.door, 'mergeContacts', { survivorId: survivor.id, ids: [other.id] });
  expect(await tagOf()).not.toBe(before);
});
