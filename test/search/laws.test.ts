// Laws of the search language that hold for every query and population. They need no oracle: answers are compared with each other.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import type { Space } from '../../src/database/space.ts';
import { drawSample, isSmall } from '../harness/sizes.ts';
import {
  buildGroup,
  buildQuery,
  countMatches,
  countMatchesUpTo,
  createSearchDatabase,
  findIds,
  findPage,
  intersectSets,
  joinSets,
  sortIds,
} from './asking.ts';
import { allCells, type Cell, type Operator } from './cells.ts';
import { drawCondition, generateSearches } from './generate.ts';
import type { Condition, Query } from './oracle.ts';
import { getKind, recordField } from './oracle-attributes.ts';
import { generatePopulation } from './population.ts';
import { type Chance, createChance, seedOf } from './random.ts';
import type { Population } from './rows.ts';

const seed = Number(process.env.SEARCH_SEED ?? 1);
const people = generatePopulation(seed);
/** The same population without space 1. */
const alone: Population = {
  ...people,
  tables: Object.fromEntries(
    Object.entries(people.tables).map(([table, rows]) => [
      table,
      (rows as { group_id?: number; id?: number }[]).filter(
        ({ group_id, id }) => table === 'users' || (table === 'spaces' ? id : group_id) === 2,
      ),
    ]),
  ) as unknown as Population['tables'],
};

let crowded: Database;
let quiet: Database;
let space: Space;
let everybody: Set<number>;

/** The contacts of space 1 that have such a living row, which a search can find: interactions for superadmins alone are found by none. */
const living = async (table: string, column = 'contact_id'): Promise<Set<number>> => {
  const found = table === 'interactions' ? 'not r.only_super_admin' : 'true';
  const { rows } = await crowded.readers.knex.raw(
    `select r.${column} as id from ${table} r join contacts c on c.group_id = r.group_id and c.id = r.${column}
      where r.group_id = 1 and r.deleted_at is null and c.deleted_at is null and ${found}`,
  );
  return new Set(rows.map(({ id }: { id: number }) => id));
};

beforeAll(async () => {
  crowded = await createSearchDatabase(people);
  quiet = await createSearchDatabase(alone);
  space = crowded.space(1);
  everybody = await living('contacts', 'id');
  expect(everybody.size).toBeGreaterThan(200);
});
afterAll(() => Promise.all([crowded.close(), quiet.close()]));

const negative: Partial<Record<Operator, Operator>> = {
  eql: 'not_eql',
  ext: 'not_ext',
  contains: 'not_contains',
  start_with: 'not_start_with',
  'eql:strictdata': 'not_eql:strictdata',
  any_of: 'none_of',
};
const permits = (attr: string, ope: Operator | undefined): boolean =>
  allCells.some((cell) => cell.attr === attr && cell.ope === ope);
const negatable = allCells.filter(({ attr, ope }) => permits(attr, negative[ope]));

/** Conditions of a cell; those that take no operand are all alike. */
const drawn = (cell: Cell): Condition[] =>
  Array.from({ length: cell.ope === 'ext' && getKind(cell.attr) !== 'answer' ? 1 : 5 }, (_, index) =>
    drawCondition(createChance(seedOf(`law ${cell.attr} ${cell.ope} ${index}`, seed)), cell),
  );
const bothWays = (condition: Condition): Promise<[Set<number>, Set<number>]> =>
  Promise.all([
    findIds(space, buildQuery(condition)),
    findIds(space, buildQuery({ ...condition, ope: negative[condition.ope as Operator]! })),
  ]);

describe('what is the contact’s own: either an operator matches or its negation, never both', () => {
  const own = negatable.filter(({ attr }) => !recordField(attr));
  it.each(
    drawSample(own, { small: 32, all: 2 }).map((cell) => [`${cell.attr} ${cell.ope}`, cell] as const),
  )('%s', async (_, cell) => {
    for (const condition of drawn(cell)) {
      const [positive, other] = await bothWays(condition);
      expect({ condition, both: sortIds(intersectSets(positive, other)) }).toEqual({ condition, both: [] });
      expect({ condition, ids: sortIds(joinSets(positive, other)) }).toEqual({ condition, ids: sortIds(everybody) });
    }
  });
});

describe('records: who has one with a value has one that an operator matches, or its negation', () => {
  /** Never missing: a contact with a record has one with a value. */
  const always =
    /^(transactions\.date|donations\.(created_at|transaction_date)|memberships\.(created_at|start_date|period)|sanctions\.created_at)$/;
  // An amount is compared in one currency, which the records of a contact need not have.
  const ofRecords = negatable.filter(({ attr }) => recordField(attr) && !/\.amount$/.test(attr));
  it.each(
    drawSample(ofRecords, { small: 32, all: 2 }).map((cell) => [`${cell.attr} ${cell.ope}`, cell] as const),
  )('%s', async (_, cell) => {
    const { attr, ope } = cell;
    const having = await living(recordField(attr)!.family);
    // If no `ext` tells who has a value, the union must at least be the same contacts for every value.
    let expected: Set<number> | undefined;
    if (ope === 'ext' || always.test(attr)) expected = having;
    else if (permits(attr, 'ext')) expected = await findIds(space, buildQuery({ attr, ope: 'ext' }));
    for (const condition of drawn(cell)) {
      const either = joinSets(...(await bothWays(condition)));
      expected ??= either;
      expect({ condition, ids: sortIds(either) }).toEqual({ condition, ids: sortIds(expected) });
    }
    expect(sortIds(intersectSets(expected!, having))).toEqual(sortIds(expected!));
  });
});

describe('groups', () => {
  const draw = createChance(seedOf('groups', seed));
  /** Mostly of one family: what is asked of it together must not be asked of one and the same record. */
  const alike = (draw: Chance): Cell[] => {
    const family = draw.pick(['emails.', 'emails.', 'transactions.', 'memberships.', 'address.', '', '']);
    return allCells.filter(({ attr }) => attr.startsWith(family));
  };
  const some = (cells: Cell[]): Condition[] =>
    Array.from({ length: 1 + draw.whole(3) }, () => drawCondition(draw, draw.pick(cells)));

  it('at least one of some conditions is the union of each, all is the intersection', async () => {
    for (let round = 0; round < 100; round++) {
      const conditions = some(alike(draw));
      const each = await Promise.all(conditions.map((condition) => findIds(space, buildQuery(condition))));
      const [any, all] = await Promise.all([
        findIds(space, { $all: [buildGroup(conditions, '$at_least_one')] }),
        findIds(space, { $all: [buildGroup(conditions)] }),
      ]);
      expect({ conditions, any: sortIds(any) }).toEqual({ conditions, any: sortIds(joinSets(...each)) });
      expect({ conditions, all: sortIds(all) }).toEqual({
        conditions,
        all: sortIds(intersectSets(each[0]!, ...each.slice(1))),
      });
    }
  }, 60_000);

  it('at least one of two groups is the union of both, all is the intersection', async () => {
    for (let round = 0; round < 100; round++) {
      const cells = alike(draw);
      const groups = [0, 1].map(() => buildGroup(some(cells), draw.pick(['$all', '$at_least_one'])));
      const [one, other, any, all] = await Promise.all([
        findIds(space, { $all: [groups[0]!] }),
        findIds(space, { $all: [groups[1]!] }),
        findIds(space, { $at_least_one: groups }),
        findIds(space, { $all: groups }),
      ]);
      expect({ groups, any: sortIds(any) }).toEqual({ groups, any: sortIds(joinSets(one, other)) });
      expect({ groups, all: sortIds(all) }).toEqual({ groups, all: sortIds(intersectSets(one, other)) });
    }
  }, 60_000);
});

/** One query of each cell, among others. */
const queryOf = (cell: Cell, salt: number): Query => generateSearches(cell, 2, seed + salt)[1]!.query!;

it.skipIf(isSmall)('as many are counted as are found, on either side', async () => {
  for (const cell of allCells) {
    const query = queryOf(cell, 1);
    const [matching, failing] = await Promise.all([
      countMatches(space, query, 'matching'),
      countMatches(space, query, 'failing'),
    ]);
    const { size } = await findIds(space, query);
    expect({ query, matching, failing }).toEqual({ query, matching: size, failing: size });
    const ceiling = 1 + (size >> 1);
    const limited = await countMatchesUpTo(space, query, { ceiling, rowBudget: size });
    expect({ query, ...limited, estimate: null }).toEqual({
      query,
      value: Math.min(size, ceiling),
      isExact: size <= ceiling,
      estimate: null,
    });
  }
});

it.skipIf(isSmall)('what another space holds makes no difference, and none of it is found', async () => {
  let some = 0;
  for (const cell of allCells) {
    const query = queryOf(cell, 2);
    const [rows, ids] = await Promise.all([findPage(crowded.space(2), query), findIds(quiet.space(2), query)]);
    expect({ query, foreign: rows.filter(({ group_id }) => group_id !== 2) }).toEqual({ query, foreign: [] });
    expect({ query, ids: rows.map(({ id }) => id) }).toEqual({ query, ids: sortIds(ids) });
    if (rows.length > 0) some++;
  }
  expect(some).toBeGreaterThan(allCells.length / 4);
});
