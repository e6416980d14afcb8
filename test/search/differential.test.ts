// The compiler against the oracle: the same queries over the same people, one in SQL, one in plain JavaScript; ids and order must agree.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../src/data/database.ts';
import { migrate } from '../../src/data/migrate.ts';
import { countFound, foundContacts } from '../../src/data/search.ts';
import type { Fault } from '../../src/problem.ts';
import { checkQuery } from '../../src/search/check.ts';
import type { Order, SortName, Way } from '../../src/search/order.ts';
import { newDatabase } from '../harness.ts';
import { allCells } from './cells.ts';
import { forbidden, forbiddenBeyond, plainSearches, queriesFor } from './generate.ts';
import { loadPopulation } from './load.ts';
import { type AdvancedSearch, matches, search as oracle } from './oracle.ts';
import { micros } from './oracle-dates.ts';
import { now, population } from './population.ts';

const seed = Number(process.env.SEARCH_SEED ?? 1);
const people = population(seed);
const instant = micros(now);
let database: Database;

beforeAll(async () => {
  const url = await newDatabase('empty');
  await migrate(url);
  database = new Database(url);
  const sql = async (text: string): Promise<never[]> => (await database.knex.raw(text)).rows;
  await loadPopulation(sql, people);
  for (const space of [1, 2]) {
    await sql(`select refresh_search(${space}, array(select id from contacts where group_id = ${space}))`);
    await sql(`select refresh_emails(${space}, array(select id from contacts where group_id = ${space}))`);
  }
  await sql('analyze');
});
afterAll(() => database.close());

/** Undefined: as seems best. */
const ways: (Way | undefined)[] = ['walk', 'walk on', 'sort', undefined];
let asked = 0;

/** The ids that the compiler finds, or what it has against the search; by each way to a page in turn. */
const found = async (body: AdvancedSearch, space = 1): Promise<number[] | Fault[]> => {
  const faults: Fault[] = [];
  const query = checkQuery(body.query, 'query', instant, faults);
  if (faults.length > 0) return faults;
  const order: Order = { sort: (body.sort_attr as SortName) ?? null, ascending: body.sort_asc === true };
  const way = ways[asked++ % 4];
  const rows = await foundContacts(
    database.space(space),
    { query, now, order, words: String(asked) },
    { start: { page: body.page ?? 0, token: 1 }, limit: body.per_page, ...(way && { way }) },
  );
  return rows.map(({ id }) => id);
};

describe('the compiler finds what the oracle finds', () => {
  const attributes = [...new Set(allCells.map(({ attr }) => attr))];
  it.each(attributes)('%s', async (name) => {
    for (const body of allCells.filter(({ attr }) => attr === name).flatMap((cell) => queriesFor(cell, 55, seed))) {
      expect({ body, ids: await found(body) }).toEqual({ body, ids: oracle(people, body, now) });
    }
  }, 120_000);

  it('in every order, on every page', async () => {
    for (const body of plainSearches(seed)) {
      expect({ body, ids: await found(body) }).toEqual({ body, ids: oracle(people, body, now) });
    }
  }, 60_000);

  it('as many as it counts', async () => {
    for (const cell of allCells) {
      const [body] = queriesFor(cell, 1, seed + 1) as [AdvancedSearch];
      const query = checkQuery(body.query, 'query', instant, []);
      const search = { query, now, order: { sort: null, ascending: true }, words: String(asked++) };
      const total = matches(people, body.query, now).size;
      for (const side of ['matching', 'failing'] as const)
        expect({ body, side, total: await countFound(database.space(1), search, side) }).toEqual({ body, side, total });
    }
  }, 60_000);
});

it('every cell that is not permitted is refused, with what is', () => {
  const bodies = [...forbidden(), ...forbiddenBeyond()];
  expect(bodies.length).toBeGreaterThan(980);
  for (const body of bodies) {
    const faults: Fault[] = [];
    checkQuery(body.query, 'query', instant, faults);
    expect(faults.map(({ location }) => location.replace(/.*\./, ''))).toContain('ope');
    expect(faults.map(({ message }) => message).join()).toMatch(/permits/);
  }
});
