// The table of cells, the population and the generator: the contract's counts, the same from the same seed, every cell exercised, matches frequent.
import { describe, expect, it } from 'vitest';
import { allCells, opened, openedCells, operators, permitted, permittedCells } from './cells.ts';
import {
  generateForbidden,
  generateForbiddenBeyond,
  generatePlainSearches,
  generateSearches,
  sorts,
} from './generate.ts';
import { drawOperand } from './generate-values.ts';
import { type AdvancedSearch, type Condition, findMatches, findMatchingPage } from './oracle.ts';
import { getKind, kindOf } from './oracle-attributes.ts';
import { generatePopulation } from './population.ts';
import { createChance } from './random.ts';

const world = generatePopulation(7);

const conditionsOf = ({ query }: AdvancedSearch): Condition[] =>
  query === undefined
    ? []
    : (Object.values(query)[0] as object[]).flatMap((group) =>
        (Object.values(group)[0] as { $condition: Condition }[]).map(({ $condition }) => $condition),
      );

describe('the table of cells', () => {
  const cellsOfContract = 77 * 17;
  const formatCell = ({ attr, ope }: { attr: string; ope: string }): string => `${attr} ${ope}`;

  it('has the counts of the contract (spec §4.13)', () => {
    expect(Object.keys(permitted)).toHaveLength(77);
    // One is of spans of time, three are of conditions that one record satisfies together, two of places.
    expect(operators).toHaveLength(17 + 6);
    expect(permittedCells).toHaveLength(368);
    // Decisions §4 permit some cells that the contract does not.
    const openedOfContract = openedCells.filter(({ attr }) => attr in permitted);
    expect(generateForbidden().length + openedOfContract.length).toBe(cellsOfContract + 6 * 77 - 368);
  });
  it('opens no cell that the contract permits', () => {
    const known = new Set(permittedCells.map(formatCell));
    expect(openedCells.filter((cell) => known.has(formatCell(cell)))).toEqual([]);
  });
  it('forbids the rest, each cell once', () => {
    const cells = [
      ...[...generateForbidden(), ...generateForbiddenBeyond()].map((body) => conditionsOf(body)[0]!),
      ...allCells,
    ];
    const attributes = Object.keys({ ...permitted, ...opened });
    expect(cells.map(formatCell).sort()).toEqual(
      attributes.flatMap((attr) => operators.map((ope) => formatCell({ attr, ope }))).sort(),
    );
  });

  it('says what to add for a new attribute', () => {
    const motto = { attr: 'motto', ope: 'eql' };
    expect(() => getKind('motto')).toThrow(
      'No kind of value for motto: add it to kindOf in test/search/oracle-attributes.ts',
    );
    for (const kind of ['text', 'texts', 'whole'] as const) {
      kindOf.motto = kind;
      try {
        expect(() => drawOperand(createChance(1), 'motto', 'eql')).toThrow(
          'No values to ask motto for: add a pool to test/search/generate-values.ts',
        );
        const query = { $all: [{ $all: [{ $condition: { ...motto, value: kind === 'whole' ? 1 : 'Zoé' } }] }] };
        expect(() => findMatches(world, query)).toThrow('No value of motto: add it to test/search/oracle-view.ts');
      } finally {
        delete kindOf.motto;
      }
    }
  });
});

describe('the population', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(generatePopulation(7)).toEqual(world);
    expect(generatePopulation(8)).not.toEqual(world);
  });
  it('has two spaces that share their ids', () => {
    const of = (group: number) =>
      world.tables.contacts.filter(({ group_id }) => group_id === group).map(({ id }) => id);
    expect([of(1).length, of(2).length]).toEqual([300, 40]);
    expect(of(2).every((id) => of(1).includes(id))).toBe(true);
  });
  it('has no text in which two sane folds differ', () => {
    const text = JSON.stringify(world.tables);
    // The comment in pools.ts lists these.
    expect(/\ufe0f|[\u2010-\u201f]|[\ufb00-\ufb06]|\p{Lm}/u.test(text.replaceAll('ー', ''))).toBe(false);
  });
});

describe('the generator', () => {
  const living = findMatches(world, undefined).size;
  const perCell = 18;
  const bodies = allCells.map((cell) => ({ cell, searches: generateSearches(cell, perCell, 3) }));

  it('is the same for the same seed', () => {
    const { cell, searches } = bodies[5]!;
    expect(generateSearches(cell, perCell, 3)).toEqual(searches);
    expect(generateSearches(cell, perCell, 4)).not.toEqual(searches);
  });
  it('exercises each cell, alone and among others', () => {
    for (const { cell, searches } of bodies) {
      const has = ({ attr, ope }: Condition) => attr === cell.attr && ope === cell.ope;
      expect(searches.every((body) => conditionsOf(body).some(has))).toBe(true);
      expect(searches.filter((body) => conditionsOf(body).length === 1).length).toBeGreaterThanOrEqual(perCell / 3);
      expect(searches.some((body) => conditionsOf(body).length > 1)).toBe(true);
    }
  });
  it('stays within what is valid', () => {
    for (const body of [...bodies.flatMap(({ searches }) => searches), ...generatePlainSearches(3)]) {
      expect(body.per_page >= 1 && body.per_page <= 1000).toBe(true);
      expect(conditionsOf(body).length).toBeLessThanOrEqual(100);
      // A lone surrogate is what JSON.stringify escapes.
      expect(JSON.stringify(body)).not.toMatch(/\\ud[89a-f]/);
      for (const { value } of conditionsOf(body)) if (typeof value === 'string') expect(value.trim()).not.toBe('');
    }
  });
  it('finds somebody but not everybody mostly, alone and nested', () => {
    const share = (searches: AdvancedSearch[]): number => {
      const sizes = searches.map(({ query }) => findMatches(world, query).size);
      return sizes.filter((size) => size > 0 && size < living).length / sizes.length;
    };
    expect(share(bodies.flatMap(({ searches }) => searches))).toBeGreaterThan(0.8);
    // These three always hold of nobody or of everybody.
    const constant = ['lastchange ext', 'lastchange not_ext', 'emails.created_at not_ext'];
    const dull = bodies
      .filter(({ cell }) => !constant.includes(`${cell.attr} ${cell.ope}`))
      .filter(({ searches }) => share(searches.filter((_, index) => index % 3 === 0)) === 0);
    expect(dull.map(({ cell }) => cell)).toEqual([]);
  });
  it('covers every order in both directions, pages in the middle and past the end', () => {
    const all = bodies.flatMap(({ searches }) => searches);
    const orders = new Set(all.map(({ sort_attr, sort_asc }) => `${sort_attr} ${sort_asc}`));
    // By each sort key and by id; ascending, descending, and without a direction.
    expect(orders.size).toBe((sorts.length + 1) * 3);
    const pages = all.filter(({ page }) => page).map((body) => findMatchingPage(world, body).length);
    expect(pages.some((length) => length === 0)).toBe(true);
    expect(pages.some((length) => length > 0)).toBe(true);
  });
  it('gives pages that concatenate to the whole', () => {
    const paged = [0, 1, 2, 3].flatMap((page) => findMatchingPage(world, { per_page: 100, page, sort_attr: 'city' }));
    expect(paged).toEqual(findMatchingPage(world, { per_page: 1000, sort_attr: 'city' }));
    expect(new Set(paged).size).toBe(living);
  });
});
