// The compiler against the oracle: the same queries over the same people, one in SQL, one in plain JavaScript; ids and order must agree.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../src/data/database.ts';
import { migrate } from '../../src/data/migrate.ts';
import { packageFile } from '../../src/data/package-file.ts';
import { countFound, foundIds } from '../../src/data/search.ts';
import type { Fault } from '../../src/problem.ts';
import { check } from '../../src/search/check.ts';
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
  await sql(readFileSync(packageFile('src/search/search-row.sql'), 'utf8').replaceAll('?', '\\?'));
  await loadPopulation(sql, people);
  for (const space of [1, 2]) {
    await sql(`select refresh_search(${space}, array(select id from contacts where group_id = ${space}))`);
  }
  await sql('analyze');
});
afterAll(() => database.close());

/** The ids that the compiler finds, or what it has against the search. */
const found = async (body: AdvancedSearch, space = 1): Promise<number[] | Fault[]> => {
  const faults: Fault[] = [];
  const checked = check(body, 'body.data.advanced_search', instant, faults);
  return faults.length > 0 ? faults : foundIds(database.space(space), checked, now);
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
      const checked = check({ query: body.query }, 'body', instant, [], { counting: true });
      expect({ body, total: await countFound(database.space(1), checked, now) }).toEqual({
        body,
        total: matches(people, body.query, now).size,
      });
    }
  }, 60_000);
});

it('every cell that is not permitted is refused, with what is', () => {
  const bodies = [...forbidden(), ...forbiddenBeyond()];
  expect(bodies.length).toBeGreaterThan(980);
  for (const body of bodies) {
    const faults: Fault[] = [];
    check(body, 'body', instant, faults);
    expect(faults.map(({ location }) => location.replace(/.*\./, ''))).toContain('ope');
    expect(faults.map(({ message }) => message).join()).toMatch(/permits/);
  }
});
