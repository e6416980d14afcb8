// A tag that is renamed is renamed in the segments that name it, so that they find whom they found before.
import { beforeAll, describe, expect, it } from 'vitest';
import { openSegments, type Segments } from '../graphql/segments.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
let segments: Segments;
beforeAll(async () => {
  door = await openApp();
  segments = await openSegments(door);
});

let count = 0;
interface Tagged {
  tag: number;
  name: string;
  contact: number;
}
const createTagged = async (name = `Étiquette ${++count}`): Promise<Tagged> => {
  const sent = { data: { contact: { surname: 'Tagged', tags: [name] } } };
  const contact = (await door.rest('POST', '/contacts', sent)).body.data.contact.id;
  const [{ id: tag }] = await door.sql('select id from tags where group_id = 1 and name = ?', [name]);
  return { tag, name, contact };
};
const rename = async (id: number, name: string): Promise<Json> => {
  const text = 'mutation ($id: ID!, $name: String) { updateTag(input: { id: $id, name: $name }) { tag { name } } }';
  const { body } = await door.graphql(text, { id, name });
  expect(body.errors).toBeUndefined();
};
const readSegment = async ({
  id,
}: Json): Promise<{ found: number[]; query: Json; version: number; faults: Json[] }> => {
  const fields = 'query version faults { message } contacts(first: 100) { nodes { databaseId } }';
  const { contacts, ...rest } = (await segments.read(id, fields)).data.segment;
  return { ...rest, found: contacts.nodes.map(({ databaseId }: Json) => databaseId) };
};

describe('a segment of a tag that is renamed', () => {
  it.each<[string, (name: string) => Json, boolean]>([
    ['equals', (name) => ({ tags: { equals: name } }), true],
    [
      'equals, in another spelling',
      (name) => ({ tags: { equals: ` ${name.toUpperCase().replace('É', 'e')} ` } }),
      true,
    ],
    ['in, beside others', (name) => ({ tags: { in: ['nobody has this', name] } }), true],
    ['hasAll', (name) => ({ tags: { hasAll: [name] } }), true],
    ['deep in and, or and not', (name) => ({ and: [{ or: [{ not: { tags: { notEquals: name } } }] }] }), true],
    ['notIn', (name) => ({ and: [{ lastName: { equals: 'tagged' } }, { not: { tags: { notIn: [name] } } }] }), true],
    ['a first name that is the same word', (name) => ({ firstName: { equals: name } }), false],
    ['whether there are any', () => ({ and: [{ tags: { exists: true } }, { lastName: { equals: 'Tagged' } }] }), false],
    ['another tag', () => ({ tags: { equals: 'nobody has this' } }), false],
  ])('finds the same contacts: %s', async (_, build, follows) => {
    const { tag, name, contact } = await createTagged();
    const segment = await segments.create(build(name));
    const before = await readSegment(segment);
    expect(before.found.includes(contact)).toBe(follows || 'and' in before.query);
    const next = `Renamed ${count}`;
    await rename(tag, next);
    const after = await readSegment(segment);
    expect(after).toMatchObject({ found: before.found, faults: [] });
    expect(after.version).toBe(before.version + (follows ? 1 : 0));
    expect(JSON.stringify(after.query).includes(next)).toBe(follows);
  });

  it('also where another segment uses it', async () => {
    const { tag, name, contact } = await createTagged();
    const inner = await segments.create({ tags: { equals: name } });
    const outer = await segments.create({ segment: { in: [inner.id] } });
    await rename(tag, `Renamed ${count}`);
    expect(await readSegment(outer)).toMatchObject({ found: [contact], version: 1, faults: [] });
  });

  it('stays as it is for another case of the name, a colour, or a name that is refused', async () => {
    const { tag, name, contact } = await createTagged();
    const taken = await createTagged();
    const segment = await segments.create({ tags: { equals: name } });
    await rename(tag, name.toUpperCase());
    const text = `mutation ($id: ID!, $taken: String) {
      one: updateTag(input: { id: $id, color: "red" }) { tag { name } } two: updateTag(input: { id: $id, name: $taken }) { tag { name } } }`;
    const { errors } = (await door.graphql(text, { id: tag, taken: taken.name })).body;
    expect(errors).toMatchObject([{ path: ['two'], extensions: { code: 'conflict' } }]);
    expect(await readSegment(segment)).toMatchObject({
      found: [contact],
      version: 1,
      query: { tags: { equals: name } },
    });
  });

  it('of another space stays as it is', async () => {
    const { tag, name } = await createTagged();
    await door.sql(
      `insert into segments (group_id, name, query) values (2, ?, jsonb_build_object('tags', jsonb_build_object('equals', cast(? as text))))`,
      [name, name],
    );
    await rename(tag, `Renamed ${count}`);
    expect(await door.sql('select query, version from segments where group_id = 2 and name = ?', [name])).toEqual([
      { query: { tags: { equals: name } }, version: 1 },
    ]);
  });
});
