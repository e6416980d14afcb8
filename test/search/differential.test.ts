// The compiler against the oracle: the same queries over the same people, once in SQL, once in plain JavaScript; ids and order must agree.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFormFaults } from '../../src/data/search/check-forms.ts';
import { countFoundContacts, findContacts } from '../../src/data/search/find.ts';
import { Database } from '../../src/database/database.ts';
import { migrateDatabase } from '../../src/database/migrate.ts';
import type { Fault } from '../../src/problem.ts';
import type { PageStrategy } from '../../src/search/page-plan.ts';
import type { Order, SortName } from '../../src/search/sort.ts';
import { createDatabase } from '../harness/app.ts';
import { chooseCount } from '../harness/sizes.ts';
import { analyzeSql } from '../harness/statistics.ts';
import { sides } from './asking.ts';
import { allCells } from './cells.ts';
import {
  generateForbidden,
  generateForbiddenBeyond,
  generatePlainSearches,
  generateSearches,
  generateSiblingSearches,
} from './generate.ts';
import { loadPopulation } from './load.ts';
import { type AdvancedSearch, findMatches, findMatchingPage as oracle } from './oracle.ts';
import { findRefusals } from './oracle-refusals.ts';
import { findQueryFaults, planPlacedQuery, resolveTestQuery } from './plan-query.ts';
import { generatePopulation, now } from './population.ts';

const seed = Number(process.env.SEARCH_SEED ?? 1);
const people = generatePopulation(seed);
let database: Database;

beforeAll(async () => {
  const url = await createDatabase('empty');
  await migrateDatabase(url);
  database = new Database(url);
  const sql = async (text: string): Promise<never[]> => (await database.readers.knex.raw(text)).rows;
  await loadPopulation(sql, people);
  for (const space of [1, 2]) {
    await sql(`select refresh_search(${space}, array(select id from contacts where group_id = ${space}))`);
    await sql(`select refresh_emails(${space}, array(select id from contacts where group_id = ${space}))`);
  }
  await sql(analyzeSql);
});
afterAll(() => database.close());

/** Undefined: the planned one. */
const strategies: (PageStrategy | undefined)[] = [
  'bounded scan',
  'unbounded scan',
  'scan from the end',
  'sort',
  undefined,
];
let asked = 0;

/** The ids that the compiler finds, or the faults of the search; by each strategy in turn. */
const found = async (body: AdvancedSearch, space = 1): Promise<number[] | Fault[]> => {
  const faults = findQueryFaults(body.query);
  if (faults.length > 0) return faults;
  const order: Order = {
    sort: (body.sort_attr as SortName) ?? null,
    ascending: !body.sort_attr || body.sort_asc === true,
  };
  const strategy = strategies[asked++ % strategies.length];
  const rows = await findContacts(
    database.space(space),
    { plan: await planPlacedQuery(database.space(space), body.query), order, words: String(asked) },
    {
      start: { page: body.page ?? 0, token: 1 },
      limit: body.per_page,
      ...(strategy && { strategy }),
      side: sides[Math.floor(asked / strategies.length) % sides.length],
    },
  );
  return rows.map(({ id }) => id);
};

/** The places at which a search is refused for the forms of the space. It must compile all the same: a form may be deleted after this check. */
const refused = async (body: AdvancedSearch, space = 1): Promise<string[]> => {
  const group = resolveTestQuery(body.query);
  return (await findFormFaults(database.space(space), group, '')).map(({ location }) => location);
};

describe('what is refused for the forms of the space is what the oracle refuses', () => {
  it.each(['custom_fields', 'form', 'consented_at'])('of conditions on %s', async (name) => {
    let [sound, faulty] = [0, 0];
    for (const body of allCells
      .filter(({ attr }) => attr === name)
      .flatMap((cell) => generateSearches(cell, 32, seed))) {
      const wanted = findRefusals(people, body.query, 'query');
      expect({ body, refused: (await refused(body)).sort() }).toEqual({ body, refused: wanted.sort() });
      if (wanted.length > 0) faulty++;
      else sound++;
    }
    expect(sound).toBeGreaterThan(100);
    expect(faulty).toBeGreaterThan(30);
  }, 60_000);

  it('the same query in another space is held to the forms there', async () => {
    const body = {
      per_page: 1,
      query: { $all: [{ $all: [{ $condition: { attr: 'form', ope: 'ext', form_id: 6 } }] }] },
    } as AdvancedSearch;
    for (const space of [1, 2, 3])
      expect([space, await refused(body, space)]).toEqual([space, findRefusals(people, body.query, 'query', space)]);
  });
});

describe('the compiler finds what the oracle finds', () => {
  const attributes = [...new Set(allCells.map(({ attr }) => attr))];
  it.each(attributes)('%s', async (name) => {
    for (const body of allCells
      .filter(({ attr }) => attr === name)
      .flatMap((cell) => generateSearches(cell, 11, seed))) {
      expect({ body, ids: await found(body) }).toEqual({ body, ids: oracle(people, body, now) });
    }
  }, 120_000);

  it('with several conditions on the rows of one table', async () => {
    let some = 0;
    for (const body of generateSiblingSearches(seed, chooseCount(600, 600, 6000))) {
      const ids = oracle(people, body, now);
      expect({ body, ids: await found(body) }).toEqual({ body, ids });
      if (ids.length > 0) some++;
    }
    expect(some).toBeGreaterThan(100);
  }, 120_000);

  it('in every order, on every page', async () => {
    for (const body of generatePlainSearches(seed)) {
      expect({ body, ids: await found(body) }).toEqual({ body, ids: oracle(people, body, now) });
    }
  }, 60_000);

  it('as many as it counts', async () => {
    for (const cell of allCells) {
      const [body] = generateSearches(cell, 1, seed + 1) as [AdvancedSearch];
      const search = {
        plan: await planPlacedQuery(database.space(1), body.query),
        order: { sort: null, ascending: true },
        words: String(asked++),
      };
      const total = findMatches(people, body.query, now).size;
      for (const side of ['matching', 'failing'] as const)
        expect({ body, side, total: await countFoundContacts(database.space(1), search, side) }).toEqual({
          body,
          side,
          total,
        });
    }
  }, 60_000);
});

it('every cell that is not permitted is refused, with what is', () => {
  const bodies = [...generateForbidden(), ...generateForbiddenBeyond()];
  expect(bodies.length).toBeGreaterThan(980);
  for (const body of bodies) {
    const faults = findQueryFaults(body.query);
    expect(faults.map(({ location }) => location.replace(/.*\./, ''))).toContain('ope');
    expect(faults.map(({ message }) => message).join()).toMatch(/permits/);
  }
});
