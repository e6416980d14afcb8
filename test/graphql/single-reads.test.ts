// Records read one by one: by their ids, as `node` reads them; and contacts by the values that identify them.
import { beforeAll, describe, expect, it } from 'vitest';
import { listNodeTypes } from '../../schema/graph/node.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { fields, prepareIds, rootFields } from '../requests/index.ts';
import { createRoleToken, runMutation } from './writing.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const fieldOf = (type: string): string => type[0]!.toLowerCase() + type.slice(1);
/** The caller has one space only, which `viewer` shows. */
const types = listNodeTypes().filter((type) => type !== 'Space');

describe.each(types)('%s', (type) => {
  const name = fieldOf(type);

  it('is read by each spelling of its id, as node reads it', async () => {
    const { id } = fields[name]!(await prepareIds(door, 1)) as { id: number };
    const global = `${type}:${id}`;
    const spellings = [global, String(id), id];
    const query = `query ($id: ID!, $global: ID!) { one: ${name}(id: $id) { __typename id databaseId } node(id: $global) { ... on ${type} { __typename id databaseId } } }`;
    for (const spelling of spellings) {
      const { body } = await door.graphql(query, { id: spelling, global });
      const due = { __typename: type, id: global, databaseId: id };
      expect(body).toEqual({ data: { one: due, node: due } });
    }
  });

  it('is null when it is missing, and refused for the id of another type', async () => {
    const query = `query ($id: ID!) { one: ${name}(id: $id) { id } }`;
    expect((await door.graphql(query, { id: 987_654_321 })).body).toEqual({ data: { one: null } });
    const { body } = await door.graphql(query, { id: 'Space:1' });
    expect(body.errors[0].extensions.errors).toMatchObject([{ location: 'id', value: 'Space:1' }]);
  });
});

it('every type of Node has a root field, and a list where it can grow', () => {
  const names = rootFields.filter(({ operation }) => operation === 'query').map(({ field }) => field.name);
  expect(names).toEqual(expect.arrayContaining(types.map(fieldOf)));
});

describe('contactBy', () => {
  const by = async (value: Json, token?: string): Promise<Json> =>
    (
      await door.graphql(
        'query ($by: ContactBy!) { contactBy(by: $by) { databaseId email tags { name } } }',
        { by: value },
        token,
      )
    ).body;
  const found = async (value: Json): Promise<number | null> => (await by(value)).data.contactBy?.databaseId ?? null;
  const create = async (input: Json): Promise<number> => (await runMutation(door, 'createContact', input)).id;

  it('finds by email address without case and accents, the oldest of several', async () => {
    const [one, other] = [
      await create({ email: 'Zoé.Twice@Example.org', tags: [{ name: 'by' }] }),
      await create({ email: 'zoe.twice@example.org' }),
    ];
    expect(await by({ email: 'ZOE.twice@example.ORG' })).toEqual({
      data: { contactBy: { databaseId: one, email: 'Zoé.Twice@Example.org', tags: [{ name: 'by' }] } },
    });
    await runMutation(door, 'deleteContact', { id: one });
    expect(await found({ email: 'zoé.twice@example.org' })).toBe(other);
    expect(await found({ email: 'zoe.twice@example' })).toBeNull();
    for (const email of ['%', `' or true --`, '\\']) expect(await found({ email })).toBeNull();
  });

  it('finds nobody by an empty email address, though contacts have none', async () => {
    await create({ lastName: 'Without' });
    expect(await found({ email: '' })).toBeNull();
  });

  it('finds by external id, letter by letter', async () => {
    const id = await create({ lastName: 'External', externalId: 'CRM-7' });
    expect([await found({ externalId: 'CRM-7' }), await found({ externalId: 'crm-7' })]).toEqual([id, null]);
    await runMutation(door, 'deleteContact', { id });
    expect(await found({ externalId: 'CRM-7' })).toBeNull();
  });

  it('finds by id, the survivor for one that was merged', async () => {
    const [survivor, merged] = [await create({ lastName: 'Stays' }), await create({ lastName: 'Goes' })];
    await runMutation(door, 'mergeContacts', { survivorId: survivor, ids: [merged] });
    expect([await found({ id: survivor }), await found({ id: `Contact:${merged}` })]).toEqual([survivor, survivor]);
  });

  it('finds nobody of another space', async () => {
    await door.sql(
      `with made as (insert into contacts (group_id, surname, mail, external_id) values (2, 'Foreign', 'foreign.by@example.org', 'foreign-by') returning id)
       select add_search(2, array(select id from made))`,
    );
    for (const value of [{ email: 'foreign.by@example.org' }, { externalId: 'foreign-by' }])
      expect(await found(value)).toBeNull();
  });

  it.each([
    [{}, 'exactly one'],
    [{ email: 'a@example.org', externalId: 'x' }, 'exactly one'],
    [{ email: null }, 'exactly one'],
    [{ id: 'Donation:1' }, 'must be the id of a Contact'],
    [{ email: 'a'.repeat(300) }, 'must be at most 255 characters'],
    [{ mail: 'a@example.org' }, 'mail'],
  ])('refuses %j', async (value, message) => {
    const { errors } = await by(value);
    expect(JSON.stringify(errors)).toContain(message);
    expect(errors[0].extensions.status).toBe(400);
  });

  it('takes two statements, however much is selected', async () => {
    const id = await create({ email: 'counted.by@example.org' });
    const query = `{ contactBy(by: { email: "counted.by@example.org" }) { databaseId tags { name } notes { nodes { content } } answers { nodes { text } } } }`;
    await door.graphql(query);
    const statements = await door.statements(async () => {
      expect((await door.graphql(query)).body.data.contactBy.databaseId).toBe(id);
    });
    expect(statements.filter((sql) => !/enter_gate/.test(sql))).toHaveLength(2);
  });

  it('is open to every role', async () => {
    const id = await create({ email: 'open.by@example.org' });
    const { data } = await by({ email: 'open.by@example.org' }, await createRoleToken(door, 'user'));
    expect(data.contactBy.databaseId).toBe(id);
  });
});
