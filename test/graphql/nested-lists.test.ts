// Lists of records of contacts and transactions: pages of many parents at once, what is hidden, what is refused, and what it costs.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { drawSample } from '../harness/sizes.ts';
import { createContactAsker, insertNestedRecords, type List, lists, names, rows } from './nested-records.ts';
import { createRoleToken } from './writing.ts';

let door: Door;
let ids: number[];
let admin: string;

type Asker = ReturnType<typeof createContactAsker>;
let ask: Asker['ask'];
let read: Asker['read'];

beforeAll(async () => {
  door = await openApp();
  ids = await insertNestedRecords(door);
  ({ ask, read } = createContactAsker(door, ids));
  admin = await createRoleToken(door, 'admin');
  await door.token(1, 1);
});

const idsOf = ({ nodes }: Json): string[] => nodes.map(({ id }: Json) => id);
const countStatements = async (work: () => Promise<unknown>): Promise<number> =>
  (await door.statements(work)).filter((sql) => !/^(BEGIN|COMMIT)|enter_gate/i.test(sql)).length;

/** The ids of the records of each contact, for callers who see all, in order. */
const stored = async (list: List): Promise<Map<number, string[]>> => {
  const [type, table] = lists[list];
  const living =
    list === 'answers'
      ? `exists (select from forms f where f.group_id = 1 and f.id = r.form_id and f.deleted_at is null and f.kind <> 'custom_fields')`
      : 'r.deleted_at is null';
  const found = await door.sql(
    `select r.contact_id, r.id from ${table} r where r.group_id = 1 and r.contact_id = any(?) and ${living} order by r.id`,
    [ids],
  );
  return new Map(
    ids.map((id) => [id, found.filter(({ contact_id }) => contact_id === id).map((row) => `${type}:${row.id}`)]),
  );
};

describe.each(drawSample(names, { small: 8 }))('%s of contacts', (list) => {
  it('are the first 20 by id of each, with the number of all', async () => {
    const due = await stored(list);
    const contacts = await read(`list: ${list} { totalCount nodes { id } pageInfo { hasNextPage hasPreviousPage } }`);
    for (const { databaseId, list: found } of contacts) {
      const all = due.get(databaseId)!;
      expect([found.totalCount, idsOf(found)]).toEqual([all.length, all.slice(0, 20)]);
      expect(found.pageInfo).toEqual({ hasNextPage: all.length > 20, hasPreviousPage: false });
    }
    expect([...due.values()].some((all) => all.length > 20)).toBe(true);
    expect([...due.values()].some((all) => all.length === 0)).toBe(true);
  });

  it('are read once each, page by page, in both directions and every order', async () => {
    const due = await stored(list);
    const id = [...due].sort(([, one], [, other]) => other.length - one.length)[0]![0];
    const [type] = lists[list];
    const { body } = await door.graphql(`{ __type(name: "${type}OrderField") { enumValues { name } } }`);
    const orders: string[] = body.data.__type.enumValues.map(({ name }: Json) => name);
    expect(orders.length).toBeGreaterThan(1);
    const page = async (args: Json): Promise<Json> => {
      const answer = await door.graphql(
        `query ($id: ID!, $orderBy: ${type}Order, $first: Int, $last: Int, $after: String, $before: String) {
          contact(id: $id) { ${list}(orderBy: $orderBy, first: $first, last: $last, after: $after, before: $before) {
            edges { cursor node { id } } nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`,
        { id, ...args },
      );
      return answer.body.data.contact[list];
    };
    for (const orderBy of orders.flatMap((field) => ['ASC', 'DESC'].map((direction) => ({ field, direction })))) {
      const forwards: string[] = [];
      for (let after: string | null = null, more = true; more; ) {
        const one = await page({ orderBy, first: 13, after });
        expect(one.edges.at(-1).cursor).toBe(one.pageInfo.endCursor);
        forwards.push(...idsOf(one));
        [after, more] = [one.pageInfo.endCursor, one.pageInfo.hasNextPage];
      }
      expect([...forwards].sort()).toEqual([...due.get(id)!].sort());
      const backwards: string[] = [];
      for (let before: string | null = null, more = true; more; ) {
        const one = await page({ orderBy, last: 17, before });
        backwards.unshift(...idsOf(one));
        [before, more] = [one.pageInfo.startCursor, one.pageInfo.hasPreviousPage];
      }
      expect(backwards).toEqual(forwards);
    }
  });

  it('take a filter, which never reaches the records of another contact', async () => {
    const [type] = lists[list];
    const due = await stored(list);
    const [some] = [...due].filter(([, all]) => all.length > 1);
    const [owner, [first]] = some as [number, string[]];
    const other = ids.find((id) => id !== owner)!;
    const filter = { id: { in: [first] } };
    const ofAll = await read(
      `list: ${list}(filter: $filter) { totalCount nodes { id } }`,
      { filter },
      `$filter: ${type}Filter`,
    );
    for (const { databaseId, list: found } of ofAll)
      expect([found.totalCount, idsOf(found)]).toEqual(databaseId === owner ? [1, [first]] : [0, []]);
    const selection = `list: ${list}(filter: $filter) { totalCount nodes { id } }`;
    const declared = `$filter: ${type}Filter`;
    for (const { databaseId, list: found } of await read(
      selection,
      { filter: { contactId: { equals: other } } },
      declared,
    ))
      expect(found.totalCount).toBe(databaseId === other ? due.get(other)!.length : 0);
  });

  it('show nothing of another space by a cursor or a filter of it', async () => {
    const [type, table] = lists[list];
    const [{ id }] = await door.sql(`insert into contacts (group_id, surname) values (2, 'Foreign') returning id`);
    const [columns, values] = rows[table] ?? ['form_id, form_ref_id', 'r.form_id, r.id'];
    const from = rows[table]
      ? 'generate_series(1, 1) n'
      : '(select form_id, id from form_refs where group_id = 2 limit 1) r';
    const [foreign] = await door.sql(
      `insert into ${table} (group_id, contact_id, ${columns}) select 2, ${id}, ${values} from ${from} returning id`,
    );
    const selection = `list: ${list}(filter: $filter) { totalCount nodes { id } }`;
    const found = await read(selection, { filter: { id: { equals: foreign.id } } }, `$filter: ${type}Filter`);
    expect(found.every(({ list: one }) => one.totalCount === 0 && one.nodes.length === 0)).toBe(true);
    expect((await door.graphql(`{ contact(id: ${id}) { ${list} { totalCount } } }`)).body.data.contact).toBeNull();
  });
});

describe('statements', () => {
  const all = (inner: string): string => names.map((name) => `${name} { ${inner} }`).join(' ');

  it('are one for all lists, whatever the number of contacts', async () => {
    expect(await countStatements(() => read(all('nodes { id }')))).toBe(1);
    expect(
      await countStatements(() => read(all('edges { cursor node { id } } pageInfo { endCursor } totalCount'))),
    ).toBe(1);
    const one = `{ contact(id: ${ids[5]}) { ${all('nodes { id }')} } }`;
    expect(await countStatements(() => door.graphql(one))).toBe(1);
  });

  /** PostgreSQL cannot write the address of a user, so that resolvers show the contacts; those of this space have no account. */
  const byResolvers = (selection: string): string => `account { address } ${selection}`;

  it('are one for all lists below contacts that resolvers show', async () => {
    const whole = 'edges { cursor node { id } } nodes { id } pageInfo { endCursor } totalCount';
    for (const inner of ['nodes { id }', 'totalCount', whole])
      expect(await countStatements(() => read(byResolvers(all(inner)))), inner).toBe(2);
    expect(await countStatements(() => read(byResolvers(all('__typename'))))).toBe(1);
  });

  it('are one more for each count of a list that resolvers show', async () => {
    const totals = 'totals(groupBy: YEAR, of: CREATED_AT) { count }';
    expect(await countStatements(() => read(all(`${totals} nodes { id }`)))).toBe(17);
    expect(await countStatements(() => read(all(`${totals} totalCount nodes { id }`)))).toBe(25);
  });

  it('are shared by selections of the same page, and not by others', async () => {
    const totals = 'totals(groupBy: YEAR, of: CREATED_AT) { count }';
    const same = `a: donations(first: 2) { nodes { id } ${totals} } b: donations(first: 2) { pageInfo { endCursor } ${totals} }`;
    expect(await countStatements(() => read(same))).toBe(3);
    const other = `a: donations(first: 2) { nodes { id } ${totals} } b: donations(first: 3) { nodes { id } ${totals} }`;
    expect(await countStatements(() => read(other))).toBe(5);
    const contacts = await read(`${same} c: donations(first: 3) { nodes { id } }`);
    for (const { a, b, c } of contacts) {
      expect(c.nodes.slice(0, 2)).toEqual(a.nodes);
      expect(b.pageInfo.endCursor === null).toBe(a.nodes.length === 0);
    }
  });

  it('are one for the totals of all contacts', async () => {
    const selection = 'donations { totals(groupBy: DAY, of: TRANSACTION_DATE) { key count sum { amount currency } } }';
    let contacts: Json[] = [];
    const reading = async (): Promise<void> => {
      contacts = await read(selection);
    };
    expect(await countStatements(reading)).toBe(2);
    const due = await door.sql(
      `select contact_id, to_char(transaction_date at time zone 'UTC', 'YYYY-MM-DD') as key, count(*) as count, sum(amount) as amount from donations
        where group_id = 1 and contact_id = any(?) group by 1, 2 order by 1, 2`,
      [ids],
    );
    for (const { databaseId, donations } of contacts)
      expect(donations.totals).toEqual(
        due
          .filter(({ contact_id }) => contact_id === databaseId)
          .map(({ key, count, amount }) => ({ key, count, sum: { amount: Number(amount), currency: 'EUR' } })),
      );
    expect(due.length).toBeGreaterThan(100);
  });

  it('are one for the lists below transactions', async () => {
    const query =
      '{ transactions(first: 1000) { nodes { donations { totalCount nodes { id } } memberships { nodes { id } } } } }';
    await door.graphql(query);
    expect(await countStatements(() => door.graphql(query))).toBe(1);
    const { body } = await door.graphql(query);
    const sizes = body.data.transactions.nodes.map(({ donations }: Json) => donations.totalCount);
    expect(Math.max(...sizes)).toBeGreaterThan(0);
  });
});

describe('interactions for superadmins', () => {
  const selection = `interactions(first: 100) { totalCount nodes { onlySuperAdmin } totals(groupBy: ONLY_SUPER_ADMIN) { key count } }
    hidden: interactions(filter: { onlySuperAdmin: { equals: true } }) { totalCount nodes { id } pageInfo { hasNextPage } }
    last: interactions(last: 1) { nodes { onlySuperAdmin } pageInfo { hasPreviousPage } }`;

  it('are in no page, count or total of others', async () => {
    const [all, shown] = [await read(selection), await read(selection, {}, '', admin)];
    expect(all.some(({ hidden }) => hidden.totalCount > 5)).toBe(true);
    for (const [index, contact] of shown.entries()) {
      const { interactions, hidden, last } = contact;
      const visible = all[index]!.interactions.nodes.filter(({ onlySuperAdmin }: Json) => !onlySuperAdmin);
      expect([interactions.totalCount, interactions.nodes]).toEqual([visible.length, visible]);
      expect(interactions.totals).toEqual(visible.length > 0 ? [{ key: 'false', count: visible.length }] : []);
      expect(hidden).toEqual({ totalCount: 0, nodes: [], pageInfo: { hasNextPage: false } });
      expect(last.nodes).toEqual(visible.slice(0, 1));
      expect(last.pageInfo.hasPreviousPage).toBe(visible.length > 1);
    }
  });

  it('are null for others, and so are their files', async () => {
    const [{ id }] = await door.sql(
      'select min(id) as id from interactions where group_id = 1 and contact_id = any(?) and only_super_admin',
      [ids],
    );
    const [file] = await door.sql(
      `insert into files (group_id, interaction_id, name, url) values (1, ?, 'secret', '/files/secret') returning id`,
      [id],
    );
    const query = `{ interaction(id: ${id}) { id } file(id: ${file.id}) { name } }`;
    expect((await door.graphql(query, {}, admin)).body.data).toEqual({ interaction: null, file: null });
    expect((await door.graphql(query)).body.data).toEqual({
      interaction: { id: `Interaction:${id}` },
      file: { name: 'secret' },
    });
  });
});

describe('what is refused', () => {
  const faultsOf = async (...args: Parameters<Asker['ask']>): Promise<Json> =>
    (await ask(...args)).body.errors.map(({ extensions }: Json) =>
      extensions.errors.map(({ location, message }: Json) => `${location} ${message}`),
    );

  it.each([
    ['notes(first: 5, last: 5)', 'last must not be given together with first'],
    ['notes(first: -1)', 'first must be a whole number from 0 to 1000'],
    ['notes(after: "x")', 'after is not a cursor that this server gave for this list'],
    [
      'notes(filter: { content: { equals: null } })',
      'filter.content.equals must not be null; exists: false finds records without a value',
    ],
    ['notes(filter: { id: { equals: "Donation:1" } })', 'filter.id.equals must be the id of a Note, not of a Donation'],
  ])('%s, once for all contacts', async (field, fault) => {
    expect(await faultsOf(`${field} { nodes { id } }`)).toEqual([[fault]]);
  });

  it('a list that is too long, without reading its items for each contact', async () => {
    const filter = { id: { in: Array.from({ length: 1001 }, (_, n) => n + 1) } };
    const selection = 'notes(filter: $filter) { totalCount }';
    expect(await faultsOf(selection, { filter }, '$filter: NoteFilter')).toEqual([
      ['filter.id.in must be at most 1000 values'],
    ]);
  });

  it('a cursor of another list, and one of another order', async () => {
    const { body } = await ask('notes(first: 1) { pageInfo { endCursor } }');
    const cursor = body.data.contacts.nodes.find(({ notes }: Json) => notes.pageInfo.endCursor).notes.pageInfo
      .endCursor;
    const message = 'after is not a cursor that this server gave for this list';
    for (const field of ['donations', 'notes(orderBy: { field: CREATED_AT }, after: $after)'])
      expect(
        await faultsOf(
          `${field.includes('(') ? field : `${field}(after: $after)`} { nodes { id } }`,
          { after: cursor },
          '$after: String',
        ),
      ).toEqual([[message]]);
  });
});

it('arguments are read once, however many contacts there are', async () => {
  const filter = { id: { in: Array.from({ length: 1000 }, (_, n) => `Note:${n + 1}`) } };
  const { exec } = RegExp.prototype;
  let reads = 0;
  RegExp.prototype.exec = function (text) {
    if (text.startsWith?.('Note:')) reads++;
    return exec.call(this, text);
  };
  try {
    await read('notes(filter: $filter) { totalCount }', { filter }, '$filter: NoteFilter');
  } finally {
    RegExp.prototype.exec = exec;
  }
  expect(reads).toBeGreaterThan(999);
  expect(reads).toBeLessThan(5000);
});

it('three lists by their edges fit into one document, as Relay asks for them', async () => {
  const { body } = await door.graphql(
    `{ contacts(first: 2) { edges { node { transactions(first: 2) { edges { node {
       donations(first: 2) { edges { node { amount { amount } } } } } } } } } } }`,
  );
  expect(body.errors).toBeUndefined();
});
