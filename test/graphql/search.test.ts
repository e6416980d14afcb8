// searchContacts: nested groups of conditions, and the statements that a selection needs.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { condition, faults, ids, searched } from './search-query.ts';

let door: Door;
let everybody: number[];
beforeAll(async () => {
  door = await openApp();
  everybody = (await door.sql('select id from contacts where group_id = 1 and deleted_at is null order by id')).map(
    ({ id }) => id,
  );
});

const nested = (depth: number, inner: Json): Json =>
  depth === 0 ? inner : nested(depth - 1, { [depth % 2 ? 'all' : 'any']: [inner] });

describe('groups', () => {
  const d = condition('surname', 'start_with', { value: 'd' });
  const women = condition('gender', 'eql', { value: 'F' });
  const mailed = condition('mail', 'ext');

  it('match all conditions, or any, up to the permitted depth', async () => {
    const [a, b, c] = await Promise.all([d, women, mailed].map((one) => ids(door, { query: { all: [one] } })));
    const has = (list: number[]) => (id: number) => list.includes(id);
    expect(await ids(door, { query: { all: [d, women] } })).toEqual(a!.filter(has(b!)));
    expect(await ids(door, { query: { any: [d, women] } })).toEqual(
      everybody.filter((id) => has(a!)(id) || has(b!)(id)),
    );
    expect(await ids(door, { query: { all: [mailed, { any: [d, women] }] } })).toEqual(
      c!.filter((id) => has(a!)(id) || has(b!)(id)),
    );
    for (let depth = 1; depth <= 8; depth++) expect(await ids(door, { query: nested(depth, d) })).toEqual(a);
  });

  it('that are empty: an empty `all` finds everybody, except within another group', async () => {
    expect(await ids(door, { query: { all: [] } })).toEqual(everybody);
    expect(await ids(door, {})).toEqual(everybody);
    expect(await ids(door, { query: null, tree: null })).toEqual(everybody);
    expect(await faults(door, { query: { all: [d, { any: [] }] } })).toEqual([
      { location: 'query.all[1].any', message: 'must not be empty', value: [] },
    ]);
  });

  it('that nest too deep are refused', async () => {
    const [fault, ...others] = await faults(door, { query: nested(9, d) });
    expect(others).toEqual([]);
    expect(fault).toMatchObject({ message: 'must hold a condition: groups nest no deeper than 8 levels' });
    expect(fault.location).toMatch(/^query(\.(all|any)\[0\]){8}$/);
  });

  it('have exactly one key', async () => {
    for (const [query, location, message] of [
      [{ all: [], any: [] }, 'query', 'must have exactly one of all, any'],
      [{}, 'query', 'must have exactly one of all, any'],
      [{ all: null }, 'query', 'must have exactly one of all, any'],
      [{ all: [{ ...d, any: [] }] }, 'query.all[0]', expect.stringContaining('must have exactly one of ')],
      [{ all: [{}] }, 'query.all[0]', expect.stringContaining('must have exactly one of ')],
      [{ all: [null] }, 'query.all[0]', 'is required'],
    ]) {
      const { status, body } = await searched(door, { query });
      expect([status, body.data]).toEqual([200, undefined]);
      expect(body.errors[0].extensions.errors).toEqual([expect.objectContaining({ location, message })]);
    }
  });

  it('have at most 100 conditions', async () => {
    const some = (count: number): Json => ({ query: { any: Array.from({ length: count }, () => d) } });
    expect((await ids(door, some(100))).length).toBeGreaterThan(0);
    expect(await faults(door, some(101))).toEqual([
      expect.objectContaining({ location: 'query', message: 'has more than 100 conditions' }),
    ]);
  });
});

describe('the selection', () => {
  const query = { all: [condition('surname', 'start_with', { value: 'd' })] };
  const isCount = (sql: string): boolean => /^\s*select count\(/i.test(sql);
  const isPage = (sql: string): boolean => /\) page\b/.test(sql);
  const run = async (selection: string): Promise<{ counts: number; pages: number; data: Json }> => {
    let data: Json;
    const statements = await door.statements(async () => {
      data = (await searched(door, { query, first: 5 }, selection)).body.data.searchContacts;
    });
    return { counts: statements.filter(isCount).length, pages: statements.filter(isPage).length, data };
  };

  it('decides which statements run: the page, the count, both or neither', async () => {
    const total = (await ids(door, { query })).length;
    expect(total).toBeGreaterThan(5);
    expect(await run('{ totalCount }')).toEqual({ counts: 1, pages: 0, data: { totalCount: total } });
    expect(await run('{ __typename }')).toMatchObject({ counts: 0, pages: 0 });
    for (const page of ['nodes { id }', 'edges { cursor }', 'pageInfo { hasNextPage }', '...F'])
      expect(await run(page === '...F' ? '{ ... { nodes { id } } }' : `{ ${page} }`)).toMatchObject({
        counts: 0,
        pages: 1,
      });
    expect(await run('{ totalCount nodes { id } }')).toMatchObject({
      counts: 1,
      pages: 1,
      data: { totalCount: total },
    });
  });
});
