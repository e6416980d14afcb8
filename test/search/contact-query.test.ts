// Queries of the graph: those that say what a tree says compile to the same SQL, and `and`, `or` and `not` are those of sets, by every strategy.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locateCentres } from '../../src/data/search/centres.ts';
import { countFoundContacts, findContacts } from '../../src/data/search/find.ts';
import { createSearchPlan, type SearchPlan } from '../../src/data/search/search-plan.ts';
import type { Database } from '../../src/database/database.ts';
import { compileCount, compileFailingClauses, compileSearch } from '../../src/search/compile.ts';
import type { Group } from '../../src/search/parse.ts';
import { drawSample } from '../harness/sizes.ts';
import { buildQuery, byId, createSearchDatabase, sortIds, strategies } from './asking.ts';
import { allCells } from './cells.ts';
import { resolveContactQuery, translateCondition, translateQuery } from './contact-query.ts';
import { drawCondition, generateSearches } from './generate.ts';
import { findMatches } from './oracle.ts';
import { resolveTestQuery } from './plan-query.ts';
import { generatePopulation, now } from './population.ts';
import { type Chance, createChance, seedOf } from './random.ts';

// biome-ignore lint/suspicious/noExplicitAny: queries of any shape
type Json = any;

const seed = Number(process.env.SEARCH_SEED ?? 1);
const people = generatePopulation(seed);

const compileAll = (group: Group): unknown => {
  const [find, probe] = (['find', 'probe'] as const).map((purpose) => compileSearch(group, now, purpose));
  const ids = Object.fromEntries(Object.keys(find!.lookups).map((name) => [name, [1, 2]]));
  return [
    find!.lookups,
    find!.build(ids),
    probe!.build(),
    compileCount(group, now, ids),
    compileFailingClauses(group, now, ids),
  ];
};

it('of every cell, alone and among others, compile for each purpose to the SQL and the values of the tree', () => {
  const bodies = allCells.flatMap((cell) => generateSearches(cell, 10, seed));
  expect(bodies.length).toBeGreaterThan(3000);
  for (const { query } of bodies)
    expect({ query, compiled: compileAll(resolveContactQuery(translateQuery(query))) }).toEqual({
      query,
      compiled: compileAll(resolveTestQuery(query)),
    });
});

describe('and, or and not', () => {
  let database: Database;
  beforeAll(async () => {
    database = await createSearchDatabase(people);
  });
  afterAll(() => database.close());

  const everybody = findMatches(people, undefined, now);

  /** A random query, and the contacts that it should find. */
  const draw = (chances: Chance, depth: number): { query: Json; due: Set<number> } => {
    const shape = depth === 0 ? 'condition' : chances.pick(['condition', 'and', 'or', 'not', 'not'] as const);
    if (shape === 'condition') {
      const one = drawCondition(chances, chances.pick(allCells));
      return { query: translateCondition(one), due: findMatches(people, buildQuery(one), now) };
    }
    const parts = Array.from({ length: shape === 'not' ? 1 : 1 + chances.whole(3) }, () => draw(chances, depth - 1));
    const inAny = (id: number): boolean => parts.some(({ due }) => due.has(id));
    const inAll = (id: number): boolean => parts.every(({ due }) => due.has(id));
    const isDue = { and: inAll, or: inAny, not: (id: number) => !inAny(id) }[shape];
    return {
      query: { [shape]: shape === 'not' ? parts[0]!.query : parts.map(({ query }) => query) },
      due: new Set([...everybody].filter(isDue)),
    };
  };

  it.each(
    drawSample([1, 2, 3, 4], { small: 4 }),
  )('nested %i deep find what sets say, and as many as they count', async (depth) => {
    const chances = createChance(seedOf(`nested ${depth}`, seed));
    const space = database.space(1);
    let [some, negated] = [0, 0];
    for (let round = 0; round < 120; round++) {
      const { query, due } = draw(chances, depth);
      const group = await locateCentres(database.space(1), resolveContactQuery(query));
      const plan: SearchPlan = createSearchPlan(group, now);
      const strategy = [...strategies, undefined][round % (strategies.length + 1)];
      const search = { plan, order: byId, words: `${depth} ${round}` };
      const options = { start: { after: null }, limit: 1000, ...(strategy && { strategy }) };
      const found = (await findContacts(space, search, options)).map(({ id }) => id);
      expect({ query, strategy, found }).toEqual({ query, strategy, found: sortIds(due) });
      for (const side of ['matching', 'failing'] as const)
        expect({ query, side, total: await countFoundContacts(space, search, side) }).toEqual({
          query,
          side,
          total: due.size,
        });
      if (due.size > 0 && due.size < everybody.size) some++;
      if (JSON.stringify(query).includes('"not"')) negated++;
    }
    expect(some).toBeGreaterThan(60);
    expect(negated).toBeGreaterThan(30);
  }, 120_000);
});
