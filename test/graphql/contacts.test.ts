// contacts: pages in both directions, of all contacts by id and of the ranked matches of a text, against plain lists.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
let everybody: number[];
beforeAll(async () => {
  door = await openApp();
  await door.sql(
    `insert into contacts (group_id, surname, firstname) select 1, 'Zwetschke', case when n % 3 = 0 then 'Zoé' else 'Ann' end from generate_series(1, 90) n`,
  );
  await door.sql('select refresh_search(1, array(select id from contacts where group_id = 1))');
  everybody = (await door.sql('select id from contacts where group_id = 1 and deleted_at is null order by id')).map(
    ({ id }) => Number(id),
  );
});

const document = (selection: string): string => `
  query ($search: String, $first: Int, $last: Int, $after: String, $before: String) {
    contacts(search: $search, first: $first, last: $last, after: $after, before: $before) { ${selection} } }`;
const everything =
  'totalCount edges { cursor node { id: databaseId } } nodes { id: databaseId } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';
const page = async (args: Json): Promise<Json> => {
  const { body } = await door.graphql(document(everything), args);
  expect(body.errors).toBeUndefined();
  return body.data.contacts;
};
const idsOf = ({ nodes }: Json): number[] => nodes.map(({ id }: Json) => id);

const lists: [name: string, args: Json, readDue: () => Promise<number[]>][] = [
  ['all', {}, async () => everybody],
  [
    'the matches of a text',
    { search: 'zwetschke' },
    async () => idsOf(await page({ search: 'zwetschke', first: 1000 })),
  ],
];

describe.each(lists)('%s', (_, args, readDue) => {
  it('are read once each, forwards and backwards, with their number', async () => {
    const due = await readDue();
    expect(due.length).toBeGreaterThanOrEqual(90);
    expect(new Set(due).size).toBe(due.length);
    const forwards: number[] = [];
    for (let after: string | null = null; ; ) {
      const one = await page({ ...args, first: 31, after });
      expect(one.edges.map(({ node }: Json) => node.id)).toEqual(idsOf(one));
      expect(one.pageInfo).toEqual({
        hasNextPage: forwards.length + one.nodes.length < due.length,
        hasPreviousPage: after !== null,
        startCursor: one.edges[0].cursor,
        endCursor: one.edges.at(-1).cursor,
      });
      expect(one.totalCount).toBe(due.length);
      forwards.push(...idsOf(one));
      if (!one.pageInfo.hasNextPage) break;
      after = one.pageInfo.endCursor;
    }
    expect(forwards).toEqual(due);
    const backwards: number[] = [];
    for (let before: string | null = null; ; ) {
      const one = await page({ ...args, last: 29, before });
      expect(one.pageInfo).toMatchObject({
        hasNextPage: before !== null,
        hasPreviousPage: backwards.length + one.nodes.length < due.length,
        startCursor: one.edges[0].cursor,
      });
      backwards.unshift(...idsOf(one));
      if (!one.pageInfo.hasPreviousPage) break;
      before = one.pageInfo.startCursor;
    }
    expect(backwards).toEqual(due);
  });

  it('between two cursors, the first or the last are read', async () => {
    const due = await readDue();
    const { edges } = await page({ ...args, first: 1000 });
    for (const [from, to] of [
      [0, due.length - 1],
      [10, 40],
      [10, 11],
      [5, 5],
      [40, 10],
      [0, 0],
    ] as const) {
      const bounds = { ...args, after: edges[from].cursor, before: edges[to].cursor };
      const between = due.slice(from + 1, to);
      for (const size of [0, 1, 7, 1000]) {
        expect([from, to, size, idsOf(await page({ ...bounds, first: size }))]).toEqual([
          from,
          to,
          size,
          between.slice(0, size),
        ]);
        const last = size === 0 ? [] : between.slice(-size);
        expect([from, to, size, idsOf(await page({ ...bounds, last: size }))]).toEqual([from, to, size, last]);
      }
    }
  });

  it('are 20 unless the client says more', async () => {
    const due = await readDue();
    expect(idsOf(await page(args))).toEqual(due.slice(0, 20));
    expect(idsOf(await page({ ...args, before: (await page({ ...args, last: 1 })).pageInfo.startCursor }))).toEqual(
      due.slice(0, 20),
    );
  });
});

it('what is no page is refused, at its place', async () => {
  const cursor = (await page({ first: 1 })).pageInfo.endCursor;
  const ofMatches = (await page({ search: 'zwetschke', first: 1 })).pageInfo.endCursor;
  const foreign = 'is not a cursor that this server gave for this list';
  for (const [args, location, message] of [
    [{ first: -1 }, 'first', 'must be a whole number from 0 to 1000'],
    [{ first: 1001 }, 'first', 'must be a whole number from 0 to 1000'],
    [{ last: 1001 }, 'last', 'must be a whole number from 0 to 1000'],
    [{ first: 1, last: 1 }, 'last', 'must not be given together with first'],
    [{ after: ofMatches }, 'after', foreign],
    [{ before: 'x' }, 'before', foreign],
    [{ search: 'zwetschke', last: 1, before: cursor }, 'before', foreign],
    [{ search: ' ' }, 'search', 'must not be blank'],
  ] as const) {
    const { body } = await door.graphql(document('nodes { id }'), args);
    expect(body.errors[0].extensions.errors).toEqual([expect.objectContaining({ location, message })]);
  }
});
