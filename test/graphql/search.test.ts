// searchContacts: conditions in and, or and not, and the statements that a selection runs.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { faults, ids, searched } from './search-query.ts';

let door: Door;
let everybody: number[];
beforeAll(async () => {
  door = await openApp();
  everybody = (await door.sql('select id from contacts where group_id = 1 and deleted_at is null order by id')).map(
    ({ id }) => id,
  );
});

const d = { lastName: { startsWith: 'd' } };
const women = { gender: { equals: 'F' } };
const mailed = { email: { exists: true } };

/** The same query below this many levels. */
const nested = (depth: number, inner: Json): Json => {
  if (depth === 0) return inner;
  if (depth % 4 === 3) return { not: { not: nested(depth - 2, inner) } };
  return nested(depth - 1, { [depth % 2 ? 'and' : 'or']: [inner] });
};

describe('groups', () => {
  it('find the contacts that match all, any or not, to any depth that is allowed', async () => {
    const [a, b, c] = await Promise.all([d, women, mailed].map((query) => ids(door, { query })));
    const has = (list: number[]) => (id: number) => list.includes(id);
    expect(await ids(door, { query: { and: [d, women] } })).toEqual(a!.filter(has(b!)));
    expect(await ids(door, { query: { or: [d, women] } })).toEqual(
      everybody.filter((id) => has(a!)(id) || has(b!)(id)),
    );
    expect(await ids(door, { query: { and: [mailed, { or: [d, women] }] } })).toEqual(
      c!.filter((id) => has(a!)(id) || has(b!)(id)),
    );
    expect(await ids(door, { query: { not: { or: [d, women] } } })).toEqual(
      everybody.filter((id) => !has(a!)(id) && !has(b!)(id)),
    );
    for (let depth = 1; depth <= 8; depth++) expect(await ids(door, { query: nested(depth, d) })).toEqual(a);
  });

  it('not finds exactly the others, of records too', async () => {
    const some = { transactions: { amount: { gte: 5000 } } };
    const found = await ids(door, { query: some });
    expect(found.length).toBeGreaterThan(0);
    expect(await ids(door, { query: { not: some } })).toEqual(everybody.filter((id) => !found.includes(id)));
    const opened = { emails: { openedAt: { exists: true } } };
    const readers = await ids(door, { query: opened });
    expect(readers.length).toBeGreaterThan(0);
    expect(await ids(door, { query: { not: opened } })).toEqual(everybody.filter((id) => !readers.includes(id)));
  });

  it('everybody is found without a query, and by an empty and; nobody by an empty or', async () => {
    expect(await ids(door, {})).toEqual(everybody);
    expect(await ids(door, { query: null })).toEqual(everybody);
    const found = await ids(door, { query: d });
    const rows: [query: Json, due: number[]][] = [
      [{ and: [] }, everybody],
      [{ or: [] }, []],
      [{ not: { and: [] } }, []],
      [{ not: { or: [] } }, everybody],
      [{ not: { not: { and: [] } } }, everybody],
      [{ and: [{ and: [] }] }, everybody],
      [{ or: [{ or: [] }] }, []],
      [{ and: [d, { and: [] }] }, found],
      [{ and: [d, { or: [] }] }, []],
      [{ or: [d, { or: [] }] }, found],
      [{ or: [d, { and: [] }] }, everybody],
      [{ and: [{ not: { or: [] } }, d] }, found],
    ];
    for (const [query, due] of rows) {
      expect([query, await ids(door, { query })]).toEqual([query, due]);
      const { body } = await searched(door, { query }, '{ totalCount }');
      expect([query, body.data.searchContacts.totalCount]).toEqual([query, due.length]);
    }
    expect(await faults(door, { query: { not: {} } })).not.toEqual([]);
  });

  it('nest at most eight deep, whatever they are', async () => {
    for (const key of ['and', 'or', 'not']) {
      const wrap = (inner: Json): Json => ({ [key]: key === 'not' ? inner : [inner] });
      const deep = (levels: number): Json => (levels === 0 ? d : wrap(deep(levels - 1)));
      expect((await ids(door, { query: deep(8) })).length).toBeGreaterThan(0);
      const place = `query${`.${key}${key === 'not' ? '' : '[0]'}`.repeat(8)}.${key}`;
      expect(await faults(door, { query: deep(9) })).toEqual([
        { location: place, message: 'is too deep: and, or and not nest at most 8 levels', value: expect.anything() },
      ]);
    }
  });

  it('hold at most 100 conditions, and 1,000 values in their lists', async () => {
    const some = (count: number): Json => ({ query: { or: Array.from({ length: count }, () => d) } });
    expect((await ids(door, some(100))).length).toBeGreaterThan(0);
    expect(await faults(door, some(101))).toEqual([
      expect.objectContaining({ location: 'query', message: 'has more than 100 conditions' }),
    ]);
    const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `tag ${index}`);
    const tagged = (count: number): Json => ({
      query: { or: [{ tags: { in: names(1000) } }, { tags: { in: names(count) } }] },
    });
    expect(await ids(door, tagged(100))).toEqual([]);
    expect(await faults(door, tagged(101))).toEqual([
      expect.objectContaining({ location: 'query', message: 'has more than 1000 values in its lists' }),
    ]);
    expect(await faults(door, { query: { tags: { in: names(1001) } } })).toEqual([
      expect.objectContaining({ location: 'query.tags.in', message: 'must be at most 1000 items' }),
    ]);
  });
});

describe('what is selected', () => {
  const isCount = (sql: string): boolean => /^\s*select (count\(\*\) as total|cast\(total)/i.test(sql);
  const isPage = (sql: string): boolean => /\) page\b/.test(sql);
  const run = async (selection: string, more: Json = { first: 5 }): Promise<Json> => {
    let data: Json;
    const statements = await door.statements(async () => {
      data = (await searched(door, { query: d, ...more }, selection)).body.data.searchContacts;
    });
    return { counts: statements.filter(isCount).length, pages: statements.filter(isPage).length, data };
  };

  it('decides what is run: the page, the count, both or neither', async () => {
    const total = (await ids(door, { query: d })).length;
    expect(total).toBeGreaterThan(5);
    expect(await run('{ totalCount }')).toEqual({ counts: 1, pages: 0, data: { totalCount: total } });
    expect(await run('{ __typename }')).toMatchObject({ counts: 0, pages: 0 });
    for (const page of ['nodes { id }', 'edges { cursor }', 'pageInfo { hasNextPage }', '... { nodes { id } }'])
      for (const size of [{ first: 5 }, { last: 5 }])
        expect(await run(`{ ${page} }`, size)).toMatchObject({ counts: 0, pages: 1 });
    expect(await run('{ totalCount nodes { id } }')).toMatchObject({
      counts: 1,
      pages: 1,
      data: { totalCount: total },
    });
    expect(await run('{ nodes { id } }', { first: 0 })).toEqual({ counts: 0, pages: 0, data: { nodes: [] } });
  });

  it('counts up to a ceiling: exactly up to it, and no further', async () => {
    const total = (await ids(door, { query: d })).length;
    const count = (upTo: number): string => `{ count(upTo: ${upTo}) { value isExact estimate } }`;
    const exact = { value: total, isExact: true, estimate: null };
    for (const upTo of [total, total + 1, 100_000])
      expect([upTo, (await run(count(upTo))).data]).toEqual([upTo, { count: exact }]);
    expect((await run('{ count { value isExact estimate } }')).data).toEqual({ count: exact });
    for (const upTo of [1, total - 1]) {
      const { data, ...statements } = await run(count(upTo));
      expect(data).toEqual({ count: { value: upTo, isExact: false, estimate: expect.any(Number) } });
      expect(data.count.estimate).toBeGreaterThan(upTo);
      expect(statements).toEqual({ counts: 1, pages: 0 });
    }
    // An exact number needs no estimate.
    const fresh = { and: [d, { lastName: { notEquals: `nobody ${Math.random()}` } }] };
    const asked = await door.statements(() => searched(door, { query: fresh, first: 5 }, count(100_000)));
    expect(asked.filter((sql) => /^explain/i.test(sql))).toEqual([]);
    // Beside a page that has all matches, or the exact number, nothing is counted again.
    expect(await run(`{ nodes { id } count(upTo: 2) { value estimate } }`, { first: 100 })).toMatchObject({
      counts: 0,
      data: { count: { value: 2, estimate: total } },
    });
    for (const upTo of [0, -1, 100_001]) {
      const { body } = await searched(door, { query: d, first: 5 }, count(upTo));
      expect(body.errors[0].extensions.errors).toEqual([
        { location: 'upTo', message: 'must be from 1 to 100000', value: upTo },
      ]);
    }
  });

  it('every connection of contacts has a ceiling', async () => {
    const { body } = await door.graphql(
      '{ contacts(first: 1) { totalCount count(upTo: 3) { value isExact estimate } } found: contacts(search: "ma") { totalCount count(upTo: 100000) { value isExact estimate } } }',
    );
    const { contacts, found } = body.data;
    expect(contacts.count).toEqual({ value: 3, isExact: false, estimate: contacts.totalCount });
    expect(found.count).toEqual({ value: found.totalCount, isExact: true, estimate: null });
  });
});
