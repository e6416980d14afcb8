// explainSearch: each group and condition by itself, its place, how many contacts it finds, and the indexes it uses.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { searched } from './search-query.ts';

let door: Door;
let everybody: number;
beforeAll(async () => {
  door = await openApp();
  everybody = await totalOf({});
});

const own = 'location matches exact milliseconds indexes';
const explain = async (args: Json): Promise<Json> => {
  const { body } = await door.graphql(
    `query ($query: ContactQuery, $exact: Boolean! = true) {
      explainSearch(query: $query, exact: $exact) { ${own} parts { ${own} parts { ${own} parts { ${own} parts { ${own} } } } } } }`,
    args,
  );
  return body.errors ? body : body.data.explainSearch;
};
const totalOf = async (args: Json): Promise<number> =>
  (await searched(door, args, '{ totalCount }')).body.data.searchContacts.totalCount;

/** All explanations, each with the part of the query that it is about. */
const pairParts = (explanation: Json, query: Json): [explanation: Json, query: Json][] => {
  const below: Json[] = query.and ?? query.or ?? (explanation.parts?.length > 0 ? [query.not] : []);
  expect(explanation.parts ?? []).toHaveLength(below.length);
  return [[explanation, query], ...below.flatMap((part, index) => pairParts(explanation.parts[index], part))];
};

const query = {
  and: [
    { gender: { equals: 'F' } },
    {
      or: [
        { tags: { exists: true } },
        { birthDate: { gte: 'now-30y' } },
        { and: [{ transactions: { amount: { gte: 2000 } } }, { not: { emails: { openedAt: { exists: true } } } }] },
      ],
    },
    { not: { email: { exists: true } } },
  ],
};

describe('with counts', () => {
  it('the whole, each group and each condition are explained at their places', async () => {
    const all = pairParts(await explain({ query }), query);
    expect(all.map(([{ location }]) => location)).toEqual([
      '',
      'and[0].gender',
      'and[1]',
      'and[1].or[0].tags',
      'and[1].or[1].birthDate',
      'and[1].or[2]',
      'and[1].or[2].and[0].transactions.amount',
      'and[1].or[2].and[1]',
      'and[1].or[2].and[1].not.emails.openedAt',
      'and[2].not.email',
    ]);
    expect(all.filter(([{ exact, milliseconds }]) => exact && milliseconds >= 0)).toHaveLength(all.length);
  });

  it('each finds as many as a search for it alone', async () => {
    for (const [{ matches }, part] of pairParts(await explain({ query }), query))
      expect({ part, matches }).toEqual({
        part,
        matches: await totalOf({ query: part }),
      });
  });

  it('conditions that one record satisfies together are explained as conditions of their own', async () => {
    const together = { amount: { gte: 2000 }, not: { createdAt: { lte: 'now-1y' } } };
    const { parts } = await explain({ query: { donations: { count: { of: together, lte: 1 } } } });
    expect(parts).toHaveLength(1);
    expect(parts[0].matches).toBe(await totalOf({ query: { donations: { count: { of: together, lte: 1 } } } }));
    expect(parts[0].parts.map(({ location }: Json) => location)).toEqual([
      'donations.count.of.amount',
      'donations.count.of.not',
    ]);
    for (const [index, part] of Object.entries(together).entries())
      expect(parts[0].parts[index].matches).toBe(
        await totalOf({ query: { donations: { any: { [part[0]]: part[1] } } } }),
      );
  });

  it('a condition on nobody and one on everybody are explained as well', async () => {
    expect(await explain({})).toMatchObject({ location: '', matches: everybody, exact: true, parts: [] });
    const nobody = { lastName: { equals: 'nobody at all' } };
    expect(await explain({ query: nobody })).toMatchObject({
      location: '',
      matches: 0,
      exact: true,
      parts: [{ location: 'lastName', matches: 0, parts: [] }],
    });
  });
});

it('without counts, they are estimated, and nobody is counted', async () => {
  const statements = await door.statements(async () => {
    for (const [{ exact, milliseconds, matches }] of pairParts(await explain({ query, exact: false }), query))
      expect([exact, milliseconds, matches >= 0, Number.isInteger(matches)]).toEqual([false, null, true, true]);
  });
  expect(statements.some((sql) => /analyze/i.test(sql))).toBe(false);
});

it('explainSearch names the indexes that serve a condition, on any table', async () => {
  // So many rows that no plan reads all of them to find a few.
  await door.sql(
    `insert into contacts (group_id, surname, mail) select 1, 'Made ' || n, 'made' || n || '@example.org' from generate_series(1, 4000) n`,
  );
  await door.sql(
    'insert into contact_search select * from search_rows(1, array(select id from contacts where group_id = 1)) on conflict do nothing',
  );
  await door.sql('analyze contact_search');
  const indexesOf = async (one: Json): Promise<string[]> => (await explain({ query: one })).parts[0].indexes;
  expect((await indexesOf({ lastName: { equals: 'Made 7' } })).join()).toMatch(/surname|names/);
  expect((await indexesOf({ email: { startsWith: 'made77' } })).join()).toMatch(/mail/);
  expect((await indexesOf({ id: { equals: 'Contact:1' } })).join()).toMatch(/pkey/);
  for (const index of await indexesOf({ lastName: { equals: 'Made 7' } }))
    expect(await door.sql('select from pg_class where relname = ?', [index])).toHaveLength(1);
});

describe('faults', () => {
  it.each([
    [{ query: { gender: { between: {} } } }, 'query.gender.between'],
    [{ query: { and: [{ or: [{ id: {} }] }] } }, 'query.and[0].or[0].id'],
    [{ query: { updatedAt: { lte: 'now+9999y' } } }, 'query.updatedAt.lte'],
  ])('%j is refused at its place, and nothing is run', async (args, location) => {
    const statements = await door.statements(async () => {
      const { errors } = await explain(args);
      expect(errors[0].extensions).toMatchObject({ code: 'invalid-request', status: 400 });
      expect(errors[0].extensions.errors.map((fault: Json) => fault.location)).toContain(location);
    });
    expect(statements).toHaveLength(1);
  });

  it('costs as much as a write, and reveals nothing of another space', async () => {
    const answer = await door.graphql('{ explainSearch { matches } }');
    expect(answer.headers.get('x-ratelimit-cost')).toBe('5');
    const [{ user_id }] = await door.sql('select min(user_id) as user_id from members where group_id = 2');
    const other = await door.graphql('{ explainSearch { matches } }', undefined, await door.token(2, user_id));
    const [{ total }] = await door.sql(
      'select count(*) as total from contacts where group_id = 2 and deleted_at is null',
    );
    expect(other.body.data.explainSearch.matches).toBe(total);
  });
});

it('no estimate tells what other spaces have, whose contacts are in the same table', async () => {
  // Once the size of a small space is known, nothing of it is estimated.
  door = await openApp();
  await door.sql(`with made as (
      insert into spaces (id, name) overriding system value select n, 'Space ' || n from generate_series(1000, 1063) n returning id)
    insert into contacts (group_id, surname) select made.id, 'Foreign' from made, generate_series(1, 50)`);
  for (let space = 1000; space < 1064; space++)
    await door.sql(`select refresh_search(${space}, array(select id from contacts where group_id = ${space}))`);
  await door.sql('analyze contact_search');
  const [{ ids }] = await door.sql(
    `select array(select 'Contact:' || contact_id from contact_search where group_id = 1 order by contact_id limit 3) as ids`,
  );
  const foreign = { lastName: { equals: 'Foreign' } };
  const query = { or: [foreign, { id: { in: ids } }] };
  const { count } = (await searched(door, { query }, '{ count(upTo: 1) { estimate } }')).body.data.searchContacts;
  expect(count.estimate).toBeLessThan(20);
  expect(await explain({ query: foreign, exact: false })).toMatchObject({ matches: 0, parts: [{ matches: 0 }] });
});
