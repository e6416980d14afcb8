// Records that a caller may not read are not counted for them either, nor listed by what others did with them; and a segment that asks for such records is not theirs to change.
import { beforeAll, describe, expect, it } from 'vitest';
import { readRefusal } from '../abuse/people.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
let superadmin: string;
beforeAll(async () => {
  door = await openApp();
  superadmin = await door.token(1, 1);
});

/** A token of a new member with a role of this type, and for a custom one these permissions. */
const createToken = async (type: string, permissions: string[] | null = null): Promise<string> => {
  const [{ id }] = await door.sql(
    `with person as (insert into users (mail) values (gen_random_uuid() || '@example.org') returning id),
          role as (insert into roles (group_id, name, type, permissions) values (1, 'A role', ?, ?) returning id),
          member as (insert into members (group_id, user_id, role_id) select 1, p.id, r.id from person p, role r)
     select id from person`,
    [type, permissions],
  );
  return door.token(1, id);
};

const merging = `mutation ($survivor: ID!, $other: ID!, $dryRun: Boolean!) {
  mergeContacts(input: { survivorId: $survivor, ids: [$other], dryRun: $dryRun }) { moved { relation count } } }`;

/** Two contacts. The second one has two records of each kind, one of two interactions hidden. */
const createPair = async (): Promise<{ survivor: number; other: number }> => {
  const [survivor, other] = (
    await door.sql('insert into contacts (group_id, surname) values (1, ?), (1, ?) returning id', ['Kept', 'Merged'])
  ).map(({ id }) => id);
  for (const sql of [
    `insert into notes (group_id, contact_id, content) select 1, ?, 'A note' from generate_series(1, 2)`,
    `insert into interactions (group_id, contact_id, type, only_super_admin) select 1, ?, 'call', n = 1 from generate_series(1, 2) n`,
    `insert into transactions (group_id, contact_id, amount, date) select 1, ?, 100, now() from generate_series(1, 2)`,
    `insert into donations (group_id, contact_id, amount, transaction_date) select 1, ?, 100, now() from generate_series(1, 2)`,
    `insert into memberships (group_id, contact_id, amount, start_date) select 1, ?, 100, now() from generate_series(1, 2)`,
    `insert into sanctions (group_id, contact_id) select 1, ? from generate_series(1, 2)`,
    `insert into emails (group_id, contact_id) select 1, ? from generate_series(1, 2)`,
  ])
    await door.sql(sql, [other]);
  return { survivor, other };
};

describe('a merge', () => {
  const all = ['notes', 'transactions', 'donations', 'memberships', 'emails', 'sanctions'];
  const money = ['transactions', 'donations', 'memberships'];
  it.each<[role: string, permissions: string[] | null, relations: string[], interactions: number]>([
    ['superadmin', null, all, 2],
    ['admin', null, all, 1],
    ['manager', null, all, 1],
    ['custom', ['contacts.read', 'contacts.write'], ['notes'], 1],
    ['custom', ['contacts.read', 'contacts.write', 'money.read'], ['notes', ...money], 1],
    [
      'custom',
      ['contacts.read', 'contacts.write', 'sanctions.read', 'emails.read'],
      ['notes', 'emails', 'sanctions'],
      1,
    ],
    ['custom', ['contacts.write'], [], 0],
  ])('counts for a %s with the permissions %j what they may read', async (type, permissions, relations, interactions) => {
    const token = await createToken(type, permissions);
    const pair = await createPair();
    const expected = [
      ...relations.map((relation) => ({ relation, count: 2 })),
      ...(interactions > 0 ? [{ relation: 'interactions', count: interactions }] : []),
    ];
    for (const dryRun of [true, false]) {
      const { body } = await door.graphql(merging, { ...pair, dryRun }, token);
      expect(body.errors).toBeUndefined();
      const { moved } = body.data.mergeContacts;
      expect(moved).toHaveLength(expected.length);
      expect(moved).toEqual(expect.arrayContaining(expected));
    }
    // All of them move, whoever merges.
    for (const table of [...all, 'interactions'])
      expect(
        await door.sql(`select from ${table} where group_id = 1 and contact_id = ?`, [pair.survivor]),
      ).toHaveLength(2);
  });

  it('tells values of contacts to those who may read contacts', async () => {
    const token = await createToken('custom', ['contacts.write']);
    const document = merging.replace('moved { relation count }', 'conflicts { field kept dropped }');
    const pair = await createPair();
    const read = async (as: string): Promise<Json> =>
      (await door.graphql(document, { ...pair, dryRun: true }, as)).body.data.mergeContacts.conflicts;
    expect(await read(token)).toEqual([]);
    expect(await read(superadmin)).toEqual([{ field: 'lastName', kept: 'Kept', dropped: 'Merged' }]);
  });
});

describe('a list of interactions', () => {
  const part = 'interactions(first: 10) { totalCount nodes { id } totals(groupBy: TYPE) { count } }';
  it.each([
    ['of a contact', (id: number) => `{ contact(id: ${id}) { ${part} } }`],
    ['of a contact that is found', (id: number) => `{ contactBy(by: { id: ${id} }) { ${part} } }`],
    [
      'of a contact beside other fields',
      (id: number) => `{ contact(id: ${id}) { lastName notes { nodes { id } } ${part} } }`,
    ],
    [
      'of the space',
      (id: number) =>
        `{ ${part.replace('first: 10', `first: 10, filter: { contactId: { equals: "Contact:${id}" } }`)} }`,
    ],
    ['of a contact that is a node', (id: number) => `{ node(id: "Contact:${id}") { ... on Contact { ${part} } } }`],
  ])('%s leaves out hidden ones for an admin, in totals too', async (_, write) => {
    const { other } = await createPair();
    const read = async (token: string): Promise<Json> => {
      const { body } = await door.graphql(write(other), {}, token);
      expect(body.errors).toBeUndefined();
      const text = JSON.stringify(body.data);
      return [
        text.match(/"totalCount":(\d+)/)?.[1],
        text.match(/Interaction:\d+/g)?.length,
        text.match(/"count":(\d+)/)?.[1],
      ];
    };
    expect(await read(superadmin)).toEqual(['2', 2, '2']);
    expect(await read(await createToken('admin'))).toEqual(['1', 1, '1']);
  });
});

describe('the audit log', () => {
  it('tells of hidden interactions and their files to superadmins alone', async () => {
    const [{ id: contact }] = await door.sql(
      'select min(id) as id from contacts where group_id = 1 and deleted_at is null',
    );
    const create = async (isHidden: boolean): Promise<string> => {
      const { body } = await door.graphql(
        `mutation { createInteraction(input: { contactId: "Contact:${contact}", type: "call", onlySuperAdmin: ${isHidden} }) { interaction { id } } }`,
        {},
        superadmin,
      );
      const { id } = body.data.createInteraction.interaction;
      const added = await door.graphql(
        `mutation { addFile(input: { interactionId: "${id}", name: "A file", url: "https://example.org/file.pdf" }) { file { id } } }`,
        {},
        superadmin,
      );
      expect(added.body.errors).toBeUndefined();
      return id;
    };
    const [hidden, open] = [await create(true), await create(false)];
    const list =
      '{ auditLog(first: 10, filter: { type: { in: ["Interaction", "File"] } }) { totalCount nodes { id type recordId } totals(groupBy: TYPE) { count } } }';
    const read = async (token: string): Promise<Json> => (await door.graphql(list, {}, token)).body.data.auditLog;
    const [all, some] = [await read(superadmin), await read(await createToken('admin'))];
    expect([all.totalCount, all.nodes.map(({ type }: Json) => type)]).toEqual([
      4,
      ['Interaction', 'File', 'Interaction', 'File'],
    ]);
    expect(all.nodes[0].recordId).toBe(hidden);
    expect(some.totalCount).toBe(2);
    expect(some.nodes.map(({ type, recordId }: Json) => [type, type === 'File' || recordId])).toEqual([
      ['Interaction', open],
      ['File', true],
    ]);
    expect(some.totals.map(({ count }: Json) => count)).toEqual([1, 1]);
    const line = `{ node(id: "${all.nodes[1].id}") { id } }`;
    expect((await door.graphql(line, {}, await createToken('admin'))).body.data).toEqual({ node: null });
  });
});

describe('a segment', () => {
  it('that asks for records a caller may not read is not for them to change or delete', async () => {
    const create = async (name: string, query: string): Promise<string> => {
      const { body } = await door.graphql(
        `mutation { createSegment(input: { name: "${name}", query: ${query} }) { segment { id } } }`,
        {},
        superadmin,
      );
      expect(body.errors).toBeUndefined();
      return body.data.createSegment.segment.id;
    };
    const donors = await create('Donors', '{ donations: { amount: { gte: 100 } } }');
    const through = await create('Through donors', `{ segment: { in: ["${donors}"] } }`);
    const none = await create('Those who never gave', '{ donations: { none: {} } }');
    const open = await create('Open', '{ lastName: { equals: "Dupont" } }');
    const permissions = ['contacts.read', 'segments.write'];
    const [reader, treasurer] = [
      await createToken('custom', permissions),
      await createToken('custom', [...permissions, 'money.read']),
    ];
    const change = (id: string, token: string, input: string) =>
      door.graphql(`mutation { updateSegment(input: { id: "${id}", ${input} }) { segment { id } } }`, {}, token);
    const remove = (id: string, token: string) =>
      door.graphql(`mutation { deleteSegment(input: { id: "${id}" }) { deletedId } }`, {}, token);
    for (const id of [donors, through])
      for (const input of ['name: "Mine"', 'isWatched: true', 'query: { lastName: { equals: "Dupont" } }'])
        expect(readRefusal(await change(id, reader, input))).toEqual([
          403,
          'A segment with a condition on donations.amount needs the permission money.read, which the role of the caller does not have',
        ]);
    for (const id of [through, none]) expect(readRefusal(await remove(id, reader))?.[0]).toBe(403);
    for (const query of ['{ none: {} }', '{ any: { amount: { gte: 1 } } }', '{ count: { of: {}, lte: 1 } }'])
      expect(
        readRefusal(
          await door.graphql(`{ searchContacts(query: { donations: ${query} }) { totalCount } }`, {}, reader),
        ),
      ).toEqual([403, expect.stringContaining('needs the permission money.read')]);
    expect(
      await door.sql(`select from segments where group_id = 1 and name in ('Donors', 'Through donors')`),
    ).toHaveLength(2);
    expect(readRefusal(await change(open, reader, 'name: "Mine"'))).toBeUndefined();
    expect(readRefusal(await remove(open, reader))).toBeUndefined();
    expect(readRefusal(await change(donors, treasurer, 'name: "Givers"'))).toBeUndefined();
    for (const id of [through, donors]) expect(readRefusal(await remove(id, treasurer))).toBeUndefined();
  });
});
