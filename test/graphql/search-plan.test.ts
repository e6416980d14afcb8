// The work of one request, by any door: its query is parsed once, compiled once for each purpose, and has one current time.
import { afterEach, beforeAll, beforeEach, describe, expect, it, type Mock, vi } from 'vitest';
import { type Answer, type Door, type Json, openApp, type Recorded } from '../harness/app.ts';
import { buildCondition, searched, searchedByTree } from './search-query.ts';

/** The purpose of each compilation, in their order, and the number of times a query was parsed. */
const work = vi.hoisted(() => ({ parsed: 0, compiled: [] as string[] }));

/** Nothing is parsed when no query is given. */
const countParses = vi.hoisted(
  () =>
    <Args extends unknown[], Result>(parse: (...args: Args) => Result) =>
    (...args: Args): Result => {
      if (args[0]) work.parsed++;
      return parse(...args);
    },
);
vi.mock('../../src/search/parse-tree.ts', async (load) => {
  const { parseTree } = await load<typeof import('../../src/search/parse-tree.ts')>();
  return { parseTree: countParses(parseTree) };
});
vi.mock('../../src/search/parse-contact-query.ts', async (load) => {
  const parse = await load<typeof import('../../src/search/parse-contact-query.ts')>();
  return { ...parse, parseContactQuery: countParses(parse.parseContactQuery) };
});
vi.mock('../../src/search/compile.ts', async (load) => {
  const compile = await load<Record<string, (...args: unknown[]) => unknown>>();
  const names: Record<string, string> = { compileCount: 'count', compileFailingClauses: 'fail' };
  const counted = Object.entries(compile).filter(([name]) => name.startsWith('compile'));
  return {
    ...compile,
    ...Object.fromEntries(
      counted.map(([name, one]) => [
        name,
        (...args: unknown[]) => {
          work.compiled.push(names[name] ?? (args[2] as string | undefined) ?? 'find');
          return one(...args);
        },
      ]),
    ),
  };
});

let door: Door;
beforeAll(async () => {
  door = await openApp();
  await door.sql(`insert into contacts (group_id, surname) select 1, 'Made ' || n from generate_series(1, 1200) n`);
  await door.sql(
    'insert into contact_search select * from search_rows(1, array(select id from contacts where group_id = 1)) on conflict do nothing',
  );
  await door.sql('analyze contact_search');
});
beforeEach(() => {
  work.parsed = 0;
  work.compiled = [];
});

/** A relative date, and tags, whose ids are looked up before the page is read. */
const query = {
  and: [
    buildCondition('UpdatedAt', 'gte', { value: 'now-90y' }),
    { or: [buildCondition('tags.name', 'ext'), buildCondition('tags.name', 'none_of', { value: ['no such tag'] })] },
  ],
};
const tree = {
  $all: [
    { $all: [{ $condition: { attr: 'UpdatedAt', ope: 'gte', value: 'now-90y' } }] },
    {
      $at_least_one: [
        { $condition: { attr: 'tags.name', ope: 'ext' } },
        { $condition: { attr: 'tags.name', ope: 'none_of', value: ['no such tag'] } },
      ],
    },
  ],
};

const read = ({ body }: Answer): number => {
  expect(body.errors).toBeUndefined();
  const { nodes, totalCount } = body.data.searchContacts ?? body.data.searchContactsByTree;
  return nodes?.length ?? totalCount;
};
const byName = { field: 'LAST_NAME' };
const ask = (args: Json, selection: string) => async (): Promise<number> =>
  read(await searched(door, { query, orderBy: byName, ...args }, selection));
const askByTree = (args: Json, selection: string) => async (): Promise<number> =>
  read(await searchedByTree(door, { tree, sortBy: 'surname', first: 20, ...args }, selection));
const post = (path: string, more: Json) => async (): Promise<number> => {
  const { status, text } = await door.rest('POST', path, { data: { advanced_search: { query: tree, ...more } } });
  expect(status).toBe(200);
  return text.length;
};

const requests: [name: string, send: () => Promise<number>][] = [
  ['searchContacts', ask({}, '{ nodes { id } }')],
  ['searchContacts by a tree', askByTree({}, '{ nodes { id } }')],
  ['searchContacts, descending', ask({ orderBy: { ...byName, direction: 'DESC' } }, '{ nodes { id } }')],
  ['searchContacts, backwards', ask({ last: 20 }, '{ nodes { id } pageInfo { startCursor } }')],
  [
    'searchContacts by a tree and by number',
    askByTree({ page: 1 }, '{ nodes { id notes { totalCount nodes { id } } } }'),
  ],
  ['totalCount', ask({}, '{ totalCount }')],
  ['searchContacts with totalCount', ask({}, '{ totalCount nodes { id } edges { cursor } }')],
  ['totalCount twice', ask({}, '{ totalCount again: totalCount }')],
  ['POST /search', post('/search', { per_page: 20, page: 0 })],
  ['POST /search with a total', post('/search', { per_page: 20, page: 0, with_total: true })],
  ['POST /kpi', post('/kpi', { per_page: 1 })],
  ['POST /export of two pages', post('/export', {})],
];

describe.each(requests)('%s', (_, send) => {
  // The second request has the estimate in its cache, so another strategy may be chosen.
  it.each([
    ['the first time'],
    ['again'],
  ])('parses the query once, and compiles it once for each purpose, %s', async () => {
    expect(await send()).toBeGreaterThan(0);
    expect(work.parsed).toBe(1);
    expect(work.compiled.length).toBeGreaterThan(0);
    expect(work.compiled).toEqual([...new Set(work.compiled)]);
  });
});

it('explainSearch parses the query once, and compiles each part of it once', async () => {
  const { body } = await door.graphql(
    'query ($query: ContactQuery) { explainSearch(query: $query) { parts { parts { matches } } } }',
    { query },
  );
  expect(body.data.explainSearch.parts[1].parts).toHaveLength(2);
  expect(work.parsed).toBe(1);
  // The whole, its condition and its group, and the two conditions of the group.
  expect(work.compiled).toEqual(Array.from({ length: 5 }, () => 'find'));
});

it('searches of one document are parsed once each', async () => {
  const { body } = await door.graphql(
    `query ($query: ContactQuery, $tree: QueryTree) {
      one: searchContacts(query: $query) { totalCount } other: searchContactsByTree(tree: $tree) { totalCount } }`,
    { query, tree },
  );
  expect(body.data.one).toEqual(body.data.other);
  expect(work.parsed).toBe(2);
});

describe('the current time', () => {
  let clock: Mock<() => number>;
  let started = 0;
  /** A clock that ticks at each reading. */
  beforeEach(() => {
    started = Date.now();
    clock = vi.spyOn(Date, 'now').mockImplementation(() => started++) as never;
  });
  afterEach(() => clock.mockRestore());

  const listInstants = (seen: Recorded[]): Set<string> =>
    new Set(
      seen.flatMap(({ bindings }) =>
        bindings.filter((one): one is string => typeof one === 'string' && /^\d{4}-.*\.\d{6}Z$/.test(one)),
      ),
    );
  const now = buildCondition('UpdatedAt', 'lte', { value: 'now' });
  const validity = buildCondition('sanctions.validity', 'eql', { value: 'ended' });

  it('is one for every `now` of a request: in its conditions, its searches, its page and its count', async () => {
    const seen = await door.recorded(async () => {
      const { body } = await door.graphql(
        `query ($one: ContactQuery, $other: ContactQuery) {
          one: searchContacts(query: $one, first: 3) { totalCount nodes { id: databaseId } }
          other: searchContacts(query: $other, first: 3) { totalCount nodes { id: databaseId } }
          explainSearch(query: $one) { matches } }`,
        {
          one: { and: [now, validity] },
          other: { or: [now, buildCondition('CreatedAt', 'gte', { value: 'now+0s' })] },
        },
      );
      expect(body.errors).toBeUndefined();
    });
    expect(listInstants(seen).size).toBe(1);
  });

  it('is one for all pages of an export', async () => {
    const everybody = { $all: [{ $all: [{ $condition: { attr: 'UpdatedAt', ope: 'lte', value: 'now' } }] }] };
    const seen = await door.recorded(() =>
      door.rest('POST', '/export', { data: { advanced_search: { query: everybody } } }),
    );
    expect(listInstants(seen).size).toBe(1);
  });

  it('is one for the rule that refuses a date and for the statement that binds it', async () => {
    let [refused, bound] = [0, 0];
    // The date leaves the year 9999 while the request is read, a tick later each time.
    for (let ticks = 0; ticks < 25; ticks++) {
      started = Date.UTC(2026, 0, 1) - ticks;
      let faults: Json;
      const seen = await door.recorded(async () => {
        const { body } = await searched(door, {
          query: buildCondition('UpdatedAt', 'lte', { value: 'now+7974y' }),
          first: 2,
        });
        faults = body.errors?.[0].extensions.errors;
      });
      if (faults) {
        expect(faults).toMatchObject([{ location: 'query.updatedAt.lte', value: 'now+7974y' }]);
        expect(listInstants(seen)).toEqual(new Set());
        refused++;
      } else {
        expect([...listInstants(seen)]).toEqual([expect.stringMatching(/^9999-12-31T23:59:59\.9/)]);
        bound++;
      }
    }
    expect([refused > 0, bound > 0]).toEqual([true, true]);
  });
});

it('a relative date out of range is reported with the other faults, by both doors', async () => {
  const far = 'now+9999y';
  const { body } = await searched(door, {
    query: {
      and: [buildCondition('UpdatedAt', 'lte', { value: far }), buildCondition('firstname', 'eql', { value: ' ' })],
    },
    first: -1,
  });
  const graph = body.errors[0].extensions.errors.map(({ location, value }: Json) => [location, value]);
  expect(graph.sort()).toEqual([
    ['first', -1],
    ['query.and[0].updatedAt.lte', far],
    ['query.and[1].firstName.equals', ' '],
  ]);
  const conditions = [
    { attr: 'UpdatedAt', ope: 'lte', value: far },
    { attr: 'gender', ope: 'eql', value: 'X' },
  ];
  const sent = { per_page: 0, query: { $all: [{ $all: conditions.map(($condition) => ({ $condition })) }] } };
  const refused = await door.rest('POST', '/search', { data: { advanced_search: sent } });
  const root = 'body.data.advanced_search';
  expect(refused.body.errors.map(({ location, value }: Json) => [location, value]).sort()).toEqual([
    [`${root}.per_page`, 0],
    [`${root}.query.$all[0].$all[0].$condition.value`, far],
    [`${root}.query.$all[0].$all[1].$condition.value`, 'X'],
  ]);
});
