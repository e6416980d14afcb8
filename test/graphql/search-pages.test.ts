// Searches page by page: forwards and backwards by cursors, or by number, in every order; and cursors of another order, or forged ones.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { drawSample, isSmall } from '../harness/sizes.ts';
import { faults, faultsByTree, ids, idsByTree, searched, searchedByTree } from './search-query.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
  await door.sql(
    `update contacts set surname = 'Martin', firstname = null, gender = null, birthdate = null where group_id = 1 and id % 5 = 0`,
  );
  await door.sql('select refresh_search(1, array(select id from contacts where group_id = 1))');
});

const query = { gender: { notEquals: 'M' } };
const tree = { $all: [{ $all: [{ $condition: { attr: 'gender', ope: 'not_eql', value: 'M' } }] }] };
const everything =
  '{ totalCount edges { cursor node { id: databaseId } } nodes { id: databaseId } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }';
const pageOf = async (args: Json): Promise<Json> => {
  const { body } = await searched(door, { query, ...args }, everything);
  expect(body.errors).toBeUndefined();
  return body.data.searchContacts;
};
const fields = [
  'ID',
  'LAST_NAME',
  'FIRST_NAME',
  'BIRTH_DATE',
  'GENDER',
  'LAST_CHANGED_AT',
  'EMAIL',
  'MARRIED_NAME',
  'CITY',
];
const orders: Json[] = [
  {},
  ...fields.flatMap((field) => ['ASC', 'DESC'].map((direction) => ({ orderBy: { field, direction } }))),
];
const idsOf = ({ nodes }: Json): number[] => nodes.map(({ id }: Json) => id);

describe('forward', () => {
  it.each(drawSample(orders, { small: 8 }))('after cursors, in the order %j, all are found once', async (order) => {
    const whole = await ids(door, { query, ...order });
    const found: number[] = [];
    for (let after: string | null = null; ; ) {
      const page = await pageOf({ ...order, first: 37, after });
      const cursors = page.edges.map(({ cursor }: Json) => cursor);
      expect(page.edges.map(({ node }: Json) => node.id)).toEqual(idsOf(page));
      expect(page.pageInfo).toEqual({
        hasNextPage: found.length + page.nodes.length < whole.length,
        hasPreviousPage: after !== null,
        startCursor: cursors[0] ?? null,
        endCursor: cursors.at(-1) ?? null,
      });
      expect(page.totalCount).toBe(whole.length);
      found.push(...idsOf(page));
      if (!page.pageInfo.hasNextPage) break;
      after = page.pageInfo.endCursor;
    }
    expect(found).toEqual(whole);
  });

  it.each(
    drawSample(orders, { small: 8 }),
  )('and backwards from the end, in the order %j, all are found once', async (order) => {
    const whole = await ids(door, { query, ...order });
    const found: number[] = [];
    for (let before: string | null = null; ; ) {
      const page = await pageOf({ ...order, last: 41, before });
      const cursors = page.edges.map(({ cursor }: Json) => cursor);
      expect(page.pageInfo).toEqual({
        hasNextPage: before !== null,
        hasPreviousPage: found.length + page.nodes.length < whole.length,
        startCursor: cursors[0] ?? null,
        endCursor: cursors.at(-1) ?? null,
      });
      expect(page.totalCount).toBe(whole.length);
      found.unshift(...idsOf(page));
      if (!page.pageInfo.hasPreviousPage) break;
      before = page.pageInfo.startCursor;
    }
    expect(found).toEqual(whole);
  });

  it.each(
    drawSample(orders, { small: 8 }),
  )('between two cursors, in the order %j, the first or the last are read', async (order) => {
    const { edges } = await pageOf({ ...order, first: 60 });
    const [after, before] = [edges[9].cursor, edges[50].cursor];
    const between = edges.slice(10, 50).map(({ node }: Json) => node.id);
    const first = await pageOf({ ...order, after, before, first: 7 });
    expect([idsOf(first), first.pageInfo.hasNextPage]).toEqual([between.slice(0, 7), true]);
    const last = await pageOf({ ...order, after, before, last: 7 });
    expect([idsOf(last), last.pageInfo.hasPreviousPage]).toEqual([between.slice(-7), true]);
    expect(idsOf(await pageOf({ ...order, after, before, first: 1000 }))).toEqual(between);
    expect(idsOf(await pageOf({ ...order, after: before, before: after, last: 5 }))).toEqual([]);
  });

  it.skipIf(isSmall)('after any cursor, those follow that follow it, however many are asked for', async () => {
    for (const order of orders) {
      const whole = await pageOf({ ...order, first: 1000 });
      for (const index of [0, 1, Math.floor(whole.nodes.length / 2), whole.nodes.length - 1])
        for (const first of [1, 2, 1000])
          expect(idsOf(await pageOf({ ...order, first, after: whole.edges[index].cursor }))).toEqual(
            idsOf(whole).slice(index + 1, index + 1 + first),
          );
    }
  });

  it('ends where it ends: exactly as many as there are leave no next page', async () => {
    const whole = await ids(door, { query });
    expect((await pageOf({ first: whole.length })).pageInfo.hasNextPage).toBe(false);
    expect((await pageOf({ first: whole.length - 1 })).pageInfo.hasNextPage).toBe(true);
    const nobody = await pageOf({ query: { lastName: { equals: 'nobody at all' } } });
    expect(nobody).toEqual({
      totalCount: 0,
      edges: [],
      nodes: [],
      pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
    });
  });

  it('goes on after names as long as they may be', async () => {
    const { id } = (await pageOf({ first: 1 })).nodes[0];
    for (const surname of ['z', '漢', '𠮷'].map((letter) => letter.repeat(255)).concat('Short')) {
      await door.sql('update contacts set surname = ? where id = ?', [surname, id]);
      await door.sql('select refresh_search(1, array[?]::bigint[])', [id]);
      const whole = await ids(door, { query, orderBy: { field: 'LAST_NAME' } });
      const { edges } = await pageOf({ orderBy: { field: 'LAST_NAME' }, first: 1000 });
      const { cursor } = edges.find(({ node }: Json) => node.id === id);
      expect(idsOf(await pageOf({ orderBy: { field: 'LAST_NAME' }, first: 1000, after: cursor }))).toEqual(
        whole.slice(whole.indexOf(id) + 1),
      );
    }
  });

  it('continues where it was when the contact of a cursor was deleted', async () => {
    const page = await pageOf({ orderBy: { field: 'LAST_NAME' }, first: 10 });
    const rest = (await ids(door, { query, orderBy: { field: 'LAST_NAME' } })).slice(10);
    await door.sql('update contacts set deleted_at = now() where id = ?', [page.nodes[9].id]);
    await door.sql('select refresh_search(1, array[?]::bigint[])', [page.nodes[9].id]);
    expect(
      idsOf(await pageOf({ orderBy: { field: 'LAST_NAME' }, first: 1000, after: page.pageInfo.endCursor })),
    ).toEqual(rest);
  });
});

it('names of several lines, and with what JSON escapes, are places like any other', async () => {
  const names = ['Zq\n', 'Zq\n1', 'Zq\n\n', 'Zq\r\n', 'Zq"\\', "Zq'", 'Zq\t', 'Zq\u2028'];
  const some = await door.sql('select id from contacts where group_id = 1 and deleted_at is null order by id desc');
  for (const [at, name] of names.entries())
    await door.sql('update contacts set surname = ? where id = ?', [name, some[at]!.id]);
  await door.sql('select refresh_search(1, array(select id from contacts where group_id = 1))');
  const started = { $condition: { attr: 'surname', ope: 'start_with', value: 'zq' } };
  const search = { tree: { $all: [{ $all: [started] }] }, sortBy: 'surname' };
  // Texts of contacts: without edges there is one place where they are shown.
  const shown = '{ nodes { id: databaseId lastName } pageInfo { endCursor } }';
  for (const ascending of [true, false]) {
    const orderBy = { field: 'LAST_NAME', direction: ascending ? 'ASC' : 'DESC' };
    const query = { lastName: { startsWith: 'zq' } };
    const whole = await ids(door, { query, orderBy });
    expect(whole).toHaveLength(names.length);
    const found: Json[] = [];
    let after: string | null = null;
    for (const page of names.keys()) {
      const one: Json = (await searched(door, { query, orderBy, first: 1, after }, shown)).body.data.searchContacts;
      const same = await searchedByTree(door, { ...search, ascending, first: 1, page }, shown);
      expect(same.body.data.searchContactsByTree).toEqual(one);
      found.push(...one.nodes);
      after = one.pageInfo.endCursor;
    }
    expect(found.map(({ id }) => id)).toEqual(whole);
    expect(new Set(found.map(({ lastName: surname }) => surname))).toEqual(new Set(names));
  }
});

describe('by a tree, by number', () => {
  const sorts = ['surname', 'firstname', 'birthdate', 'gender', 'lastchange', 'mail', 'married_name', 'city'];
  const orders = [{}, ...sorts.flatMap((sortBy) => [true, false].map((ascending) => ({ sortBy, ascending })))];
  const treePage = async (args: Json): Promise<Json> => {
    const { body } = await searchedByTree(door, { tree, ...args }, everything);
    expect(body.errors).toBeUndefined();
    return body.data.searchContactsByTree;
  };

  it('the same contacts are found, and cursors that lead on', async () => {
    for (const order of orders) {
      const whole = await idsByTree(door, { tree, ...order });
      const page = await treePage({ ...order, first: 20, page: 2 });
      expect(idsOf(page)).toEqual(whole.slice(40, 60));
      expect(page.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
      expect(idsOf(await treePage({ ...order, first: 20, after: page.pageInfo.endCursor }))).toEqual(
        whole.slice(60, 80),
      );
    }
    const { length } = await idsByTree(door, { tree });
    const full = await treePage({ first: length, page: 0 });
    expect([full.nodes.length, full.pageInfo.hasNextPage]).toEqual([length, false]);
    const beyond = await treePage({ first: 20, page: 9999 });
    expect(beyond).toMatchObject({ nodes: [], pageInfo: { hasNextPage: false, endCursor: null } });
  });

  it('is not asked for beside a cursor', async () => {
    const { pageInfo } = await treePage({ first: 1 });
    expect(await faultsByTree(door, { tree, page: 0, after: pageInfo.endCursor })).toEqual([
      { location: 'page', message: 'cannot be given beside after' },
    ]);
  });
});

describe('a cursor that is not of this order is refused', () => {
  const message = 'is not a cursor that this server gave for this list';
  const forge = (...place: unknown[]): string => Buffer.from(JSON.stringify(place)).toString('base64url');
  const refused = async (args: Json): Promise<void> => {
    const { after, ...order } = args;
    const statements = await door.statements(async () => {
      expect(await faults(door, { query, ...args })).toEqual([{ location: 'after', message, value: after }]);
      const backwards = { query, ...order, before: after, last: 5 };
      expect(await faults(door, backwards)).toEqual([{ location: 'before', message, value: after }]);
    });
    expect(statements).toHaveLength(2);
  };

  it.skipIf(isSmall)('of every other order, and of the list of contacts', async () => {
    const cursors = await Promise.all(
      orders.map(async (order) => (await pageOf({ ...order, first: 1 })).pageInfo.endCursor),
    );
    // Without an order, it is that by id.
    for (const [index, order] of orders.entries())
      for (const [other, after] of cursors.entries())
        if (other !== index && index + other > 1) await refused({ ...order, after });
    const { body } = await door.graphql('{ contacts(first: 1) { pageInfo { endCursor } } }');
    await refused({ after: body.data.contacts.pageInfo.endCursor });
  });

  it.each([
    ['', {}],
    ['x', {}],
    ['5', {}],
    [forge('search id asc'), {}],
    [forge('search id asc', 0, null, -1), {}],
    [forge('search id asc', 0, 'x', 1), {}],
    [forge('search id asc', 1, null, 1), {}],
    [forge('search id asc', 0, null, 1, 2), {}],
    [forge('search id asc', 0, null, '1 or true'), {}],
    [forge('search id asc', 0, null, 2 ** 60), {}],
    [forge('search surname asc', 0, null, 1), { orderBy: { field: 'LAST_NAME' } }],
    [forge('search surname asc', 1, 'a', 1), { orderBy: { field: 'LAST_NAME' } }],
    [forge('search surname asc', 0, 'a\u0000', 1), { orderBy: { field: 'LAST_NAME' } }],
    [forge('search surname asc', 0, '\ud800', 1), { orderBy: { field: 'LAST_NAME' } }],
    [forge('search birthdate asc', 0, 'infinity', 1), { orderBy: { field: 'BIRTH_DATE' } }],
    [forge('search birthdate asc', 0, '2020-02-30', 1), { orderBy: { field: 'BIRTH_DATE' } }],
    [forge('search birthdate asc', 0, '0000-00-00', 1), { orderBy: { field: 'BIRTH_DATE' } }],
    [forge('search lastchange asc', 0, 'now', 1), { orderBy: { field: 'LAST_CHANGED_AT' } }],
    [forge('search lastchange asc', 0, '2020-01-01 25:00:00+00', 1), { orderBy: { field: 'LAST_CHANGED_AT' } }],
    [forge('search gender asc', 9, null, 1), { orderBy: { field: 'GENDER' } }],
  ])('forged: %s', async (after, order) => {
    await refused({ ...order, after });
  });
});
