// Pages in both directions, by every order and every strategy, against a plain array of a thousand contacts with many ties and missing values.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FoundContact, findContacts } from '../../src/data/search/find.ts';
import { Database } from '../../src/database/database.ts';
import { migrateDatabase } from '../../src/database/migrate.ts';
import type { Space } from '../../src/database/space.ts';
import { comparePositions, type Order, type SortPosition, type Span } from '../../src/search/sort.ts';
import { createDatabase } from '../harness/app.ts';
import { drawSample } from '../harness/sizes.ts';
import { analyzeSql } from '../harness/statistics.ts';
import { byId, nameOf, orders, strategies } from './asking.ts';
import type { Query } from './oracle.ts';
import { planTestQuery } from './plan-query.ts';
import { type Chance, createChance, seedOf } from './random.ts';

const seed = Number(process.env.SEARCH_SEED ?? 1);
const size = 1000;

/** The values that contacts are sorted by, as their order compares them. */
interface Person {
  id: number;
  [column: string]: string | number | null;
}
const few: Record<string, (string | null)[]> = {
  surname: ['ash', 'birch', 'birch tree', null],
  firstname: ['ann', 'bob', null],
  married_name: [null, null, null, 'cedar'],
  mail: ['a@example.org', 'b@example.org', null],
  birthdate: ['1980-01-01', '1980-01-02', '1999-12-31', null],
  gender: ['F', 'M', 'O', null],
  lastchange: ['2026-01-01', '2026-01-02', '2026-01-03'],
  city: ['lille', 'lyon', null],
};
const draws = createChance(seedOf('people', seed));
const people: Person[] = Array.from({ length: size }, (_, index) => ({
  id: index + 1,
  ...Object.fromEntries(Object.entries(few).map(([column, values]) => [column, draws.pick(values)])),
}));

let database: Database;
let space: Space;
beforeAll(async () => {
  const url = await createDatabase('empty');
  await migrateDatabase(url);
  database = new Database(url);
  const sql = (text: string, ...values: unknown[]) => database.readers.knex.raw(text, values as never);
  await sql(`insert into spaces (id, name) values (1, 'Ties')`);
  const rows = JSON.stringify(people);
  await sql(
    `insert into contacts (group_id, id, surname, firstname, married_name, mail, birthdate, gender, lastchange)
     select 1, id, surname, firstname, married_name, mail, birthdate, gender, lastchange from json_to_recordset(?) as p
       (id bigint, surname text, firstname text, married_name text, mail text, birthdate date, gender text, lastchange timestamptz)`,
    rows,
  );
  await sql(
    `insert into addresses (group_id, contact_id, city) select 1, id, city from json_to_recordset(?) as p (id bigint, city text) where city is not null`,
    rows,
  );
  await sql('select refresh_search(1, array(select id from contacts where group_id = 1))');
  await sql(analyzeSql);
  space = database.space(1);
});
afterAll(() => database.close());

/** The people in an order, by JavaScript alone: missing values last in both directions, then by id, which descends only where nothing else decides. */
const sortPeople = (all: Person[], { sort, ascending }: Order): Person[] =>
  [...all].sort((one, other) => {
    if (!sort) return ascending ? one.id - other.id : other.id - one.id;
    const [a, b] = [one[sort] ?? null, other[sort] ?? null];
    if (a === b) return one.id - other.id;
    if (a === null || b === null) return a === null ? 1 : -1;
    return (a < b ? -1 : 1) * (ascending ? 1 : -1);
  });

const queries: [name: string, query: Query | undefined, isDue: (person: Person) => boolean][] = [
  ['everybody', undefined, () => true],
  [
    'one in three',
    { $all: [{ $all: [{ $condition: { attr: 'firstname', ope: 'eql', value: 'ann' } }] }] },
    ({ firstname }) => firstname === 'ann',
  ],
  [
    'those with a surname that begins so',
    { $all: [{ $all: [{ $condition: { attr: 'surname', ope: 'start_with', value: 'birch' } }] }] },
    ({ surname }) => String(surname).startsWith('birch'),
  ],
];

let serial = 0;
const read = async (
  draw: Chance,
  { query, order, span, limit }: { query: Query | undefined; order: Order; span: Span; limit: number },
): Promise<FoundContact[]> => {
  const strategy = draw.pick([...strategies, undefined]);
  const search = {
    plan: planTestQuery(query),
    order,
    words: `words ${serial++ % 7} ${JSON.stringify([query, order])}`,
  };
  return findContacts(space, search, { start: span, limit, ...(strategy && { strategy }) });
};
const idsOf = (rows: { id: number }[]): number[] => rows.map(({ id }) => id);

const everyOrder: [string, Order][] = [...orders, { sort: null, ascending: false }].map((order) => [
  nameOf(order),
  order,
]);

describe.each(drawSample(everyOrder, { small: 8 }))('by %s', (name, order) => {
  it.each(queries)('%s are read once each, forwards and backwards', async (_, query, isDue) => {
    const draw = createChance(seedOf(`pages ${name}`, seed));
    const due = idsOf(sortPeople(people.filter(isDue), order));
    expect(due.length).toBeGreaterThan(200);
    for (const backwards of [false, true]) {
      const found: number[] = [];
      for (let edge: SortPosition | null = null; ; ) {
        const limit = 40 + draw.whole(80);
        const span: Span = backwards ? { after: null, before: edge, backwards } : { after: edge };
        const rows = await read(draw, { query, order, span, limit });
        if (backwards) found.unshift(...idsOf(rows));
        else found.push(...idsOf(rows));
        if (rows.length < limit) break;
        edge = backwards ? rows[0]! : rows.at(-1)!;
      }
      expect({ backwards, found }).toEqual({ backwards, found: due });
    }
  });

  it('between any two positions, the first or the last are read', async () => {
    const draw = createChance(seedOf(`between ${name}`, seed));
    const whole = await read(draw, { query: undefined, order, span: { after: null }, limit: size });
    expect(idsOf(whole)).toEqual(idsOf(sortPeople(people, order)));
    for (let round = 0; round < 40; round++) {
      const [from, to] = [draw.whole(size), draw.whole(size)];
      const [after, before] = [draw.odds(0.8) ? whole[from]! : null, draw.odds(0.8) ? whole[to]! : null];
      const limit = 1 + draw.whole(60);
      const between = whole.slice(after ? from + 1 : 0, before ? to : size);
      for (const backwards of [false, true]) {
        const rows = await read(draw, { query: undefined, order, span: { after, before, backwards }, limit });
        const due = backwards ? between.slice(-limit) : between.slice(0, limit);
        expect({ from, to, backwards, ids: idsOf(rows) }).toEqual({ from, to, backwards, ids: idsOf(due) });
      }
    }
    for (let round = 0; round < 50; round++) {
      const [one, other] = [draw.whole(size), draw.whole(size)];
      expect(Math.sign(comparePositions(order, whole[one]!, whole[other]!))).toBe(Math.sign(one - other));
    }
  });
});

it('the order by id is the order of the ids', async () => {
  const rows = await read(createChance(seed), { query: undefined, order: byId, span: { after: null }, limit: 3 });
  expect(idsOf(rows)).toEqual([1, 2, 3]);
});
