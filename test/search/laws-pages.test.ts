// Laws of pages: whatever the order and the strategy, they hold every match once and in one sequence, though contacts go while they are read.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import type { Space } from '../../src/database/space.ts';
import { drawSample } from '../harness/sizes.ts';
import {
  buildQuery,
  countMatches,
  createSearchDatabase,
  drawOrderedPair,
  findPage,
  nameOf,
  orders,
  readAllPages,
  sortIds,
  strategies,
} from './asking.ts';
import { allCells } from './cells.ts';
import { generateSearches } from './generate.ts';
import type { Query } from './oracle.ts';
import { generatePopulation } from './population.ts';
import { createChance, seedOf } from './random.ts';

const seed = Number(process.env.SEARCH_SEED ?? 1);
let database: Database;
let space: Space;
beforeAll(async () => {
  database = await createSearchDatabase(generatePopulation(seed));
  space = database.space(1);
});
afterAll(() => database.close());

const idsOf = (rows: { id: number }[]): number[] => rows.map(({ id }) => id);
const sql = async (text: string, ...values: unknown[]) => (await database.readers.knex.raw(text, values as never)).rows;
/** No search was asked in these words before. */
let serial = 0;
const fresh = (): string => `words ${serial++}`;
const everyOrder = orders.map((order) => [nameOf(order), order] as const);

it.each(everyOrder)('by %s, hold everybody once, in one sequence', async (name, order) => {
  const draw = createChance(seedOf(name, seed));
  const everybody = idsOf(await sql('select id from contacts where group_id = 1 and deleted_at is null'));
  const few = generateSearches(draw.pick(allCells), 1, seed)[0]!.query;
  for (const query of [undefined, few]) {
    const whole = idsOf(await findPage(space, query, { order, strategy: 'sort' }));
    if (!query) expect(sortIds(whole)).toEqual(sortIds(everybody));
    for (const strategy of [...strategies, undefined]) {
      const told = { query, order, strategy, limit: 29 + draw.whole(30) };
      const by = async (numbered: boolean, before: number[] = []) => ({
        told,
        ids: await readAllPages(space, query, { ...told, words: fresh() }, { numbered, before }),
      });
      expect(await by(true)).toEqual({ told, ids: whole });
      // A jump deep into pages that nobody has read leaves its mark, and one back.
      expect(await by(true, [4, 2])).toEqual({ told, ids: whole });
      expect(await by(false)).toEqual({ told, ids: whole });
    }
  }
});

it.each(
  drawSample(everyOrder, { small: 8, all: 2 }),
)('by %s, are the same by every strategy, however few of whatever choice', async (name, order) => {
  const draw = createChance(seedOf(`choice ${name}`, seed));
  for (let round = 0; round < 15; round++) {
    const { query, per_page: limit } = drawOrderedPair(order, draw);
    const start = { page: draw.whole(3), token: 1 };
    const [one, ...others] = await Promise.all(
      [...strategies, undefined].map(async (strategy) =>
        idsOf(await findPage(space, query, { order, limit, start, strategy, words: fresh() })),
      ),
    );
    for (const ids of others)
      expect({ query, order, limit, start, ids }).toEqual({ query, order, limit, start, ids: one });
  }
});

it.each(
  drawSample(everyOrder, { small: 8, all: 2 }),
)('by %s, go on after the last contact served, whoever is gone since', async (name, order) => {
  const draw = createChance(seedOf(`gone ${name}`, seed));
  const whole = idsOf(await findPage(space, undefined, { order }));
  const dead = async (ids: number[], instant: string): Promise<void> => {
    await sql(`update contacts set deleted_at = ${instant} where group_id = 1 and id = any(?)`, ids);
    await sql('select refresh_search(1, ?)', ids);
    await sql('select refresh_emails(1, ?)', ids);
  };
  const told = { order, limit: 23 + draw.whole(30), strategy: draw.pick([...strategies, undefined]), words: fresh() };
  const served: number[] = [];
  const gone: number[] = [];
  for (let number = 0; ; number++) {
    const rows = await findPage(space, undefined, { ...told, start: { page: number, token: 1 } });
    if (rows.length === 0) break;
    served.push(...idsOf(rows));
    // One of any page before, and now and then the very one after which the next page begins.
    const leaving = [draw.pick(served), ...(number % 2 === 0 ? [rows.at(-1)!.id] : [])];
    await dead(leaving, 'now()');
    gone.push(...leaving);
  }
  expect(gone.length).toBeGreaterThan(4);
  expect({ told, served }).toEqual({ told, served: whole });
  await dead(gone, 'null');
});

describe('of more contacts than the row budget of a scan', () => {
  const many = 22_000;
  let crowd: Space;
  beforeAll(async () => {
    await sql(`insert into spaces (id, name) values (3, 'Crowd')`);
    await sql(`insert into contacts (group_id, id, surname, firstname, gender, lastchange)
      select 3, n, 'Name ' || lpad(n::text, 5, '0'), case when n > ${many - 60} then 'Zoé' else 'Anna' end, case when n % 7 = 0 then 'F' else 'M' end, timestamptz '2026-01-01Z' + n * interval '1 second' from generate_series(1, ${many}) n`);
    await sql(
      'insert into contact_search select * from search_rows(3, array(select id from contacts where group_id = 3))',
    );
    await sql('analyze contacts');
    await sql('analyze contact_search');
    crowd = database.space(3);
  });

  const queries: [string, Query, number][] = [
    ['at one end of every order', buildQuery({ attr: 'firstname', ope: 'eql', value: 'zoe' }), 60],
    ['all but those', buildQuery({ attr: 'firstname', ope: 'not_eql', value: 'zoe' }), many - 60],
    ['few, by what they are sorted by', buildQuery({ attr: 'surname', ope: 'start_with', value: 'name 219' }), 100],
    [
      'all but a few, by what an index leads to',
      buildQuery({ attr: 'firstname', ope: 'eql', value: 'anna' }),
      many - 60,
    ],
    ['one in seven', buildQuery({ attr: 'gender', ope: 'eql', value: 'F' }), Math.floor(many / 7)],
  ];
  const some = orders.filter(({ sort }) => [null, 'surname', 'lastchange', 'gender', 'mail'].includes(sort));
  it.each(queries)('%s', async (_, query, total) => {
    expect(await countMatches(crowd, query)).toBe(total);
    for (const order of some) {
      const whole = idsOf(await findPage(crowd, query, { order, strategy: 'sort', limit: 300 }));
      expect(whole).toHaveLength(Math.min(total, 300));
      for (const strategy of [...strategies, undefined]) {
        const words = fresh();
        const told = { order, strategy };
        const first = await findPage(crowd, query, { ...told, words, limit: 50, start: { page: 0, token: 1 } });
        const second = await findPage(crowd, query, { ...told, words, limit: 50, start: { page: 1, token: 1 } });
        const fourth = await findPage(crowd, query, { ...told, words, limit: 50, start: { page: 3, token: 1 } });
        const ids = { first: idsOf(first), second: idsOf(second), fourth: idsOf(fourth) };
        expect({ told, ...ids }).toEqual({
          told,
          first: whole.slice(0, 50),
          second: whole.slice(50, 100),
          fourth: whole.slice(150, 200),
        });
      }
    }
  });
});
