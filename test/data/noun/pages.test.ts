// Pages, counts and totals of every noun equal those of plain code over the same records, for any filter, order and way through the list.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Viewer } from '../../../src/data/noun/describe.ts';
import { operatorsByType } from '../../../src/data/noun/fields.ts';
import type { Space } from '../../../src/database/space.ts';
import { type Door, openApp } from '../../harness/app.ts';
import { drawSample } from '../../harness/sizes.ts';
import { analyzeSql } from '../../harness/statistics.ts';
import { nouns } from './nouns.ts';
import {
  compareRecords,
  computePosition,
  type Fields,
  matchesFilter,
  type Plain,
  type PlainFilter,
  type PlainOrder,
  slicePage,
  sumUp,
  type Value,
} from './oracle.ts';
import { insertRecords, readPlain } from './records.ts';

let door: Door;
let spaces: Space[];
const runs = 10;

beforeAll(async () => {
  door = await openApp();
  spaces = [1, 2].map((id) => door.database.space(id));
  await insertRecords(door);
  await door.sql(analyzeSql);
});

/** A number that picks an item of any list. */
const pick = fc.nat({ max: 1_000_000 });
/** Whether it is there for somebody who sees nothing that is hidden. Only teams have `private`; the reader is in none. */
const isOpen = (one: Plain): boolean => one.onlySuperAdmin !== true && one.private !== true;
const at = <Item>(items: readonly Item[], index: number): Item => items[index % items.length]!;

/** A condition on a random field, whose operands are values of records. */
const drawCondition = (records: Plain[], fields: Fields, [which, how, who, other]: number[]): PlainFilter => {
  const name = at(Object.keys(fields), which!);
  const { type } = fields[name]!;
  const operator = at(operatorsByType[type], how!);
  const values = records.map((record) => record[name]!).filter((value) => value !== null);
  const toOperand = (value: Value): Value =>
    type === 'instant' ? String(value).replace(' ', 'T').replace('+00', 'Z') : value;
  if (operator === 'exists') return { [name]: { exists: who! % 2 === 0 } };
  if (values.length === 0) return { [name]: null };
  if (operator === 'in') return { [name]: { in: [who!, other!].slice(0, who! % 3).map((index) => at(values, index)) } };
  const value = toOperand(at(values, who!));
  if (operator === 'contains' || operator === 'startsWith') {
    const text = String(value).toUpperCase();
    const start = operator === 'contains' ? other! % text.length : 0;
    return { [name]: { [operator]: text.slice(start, start + 1 + (other! % 4)) } };
  }
  return { [name]: { [operator]: value, ...(operator === 'gte' && { lt: toOperand(at(values, other!)) }) } };
};

const drawn = fc.record({
  conditions: fc.array(fc.tuple(pick, pick, pick, pick), { maxLength: 2 }),
  order: fc.tuple(pick, fc.constantFrom('asc' as const, 'desc' as const)),
  space: fc.nat({ max: 1 }),
  seesAll: fc.boolean(),
  steps: fc.array(
    fc.record({
      way: fc.constantFrom('next', 'previous', 'jump', 'between'),
      backwards: fc.boolean(),
      size: fc.oneof(
        fc.integer({ min: 0, max: 5 }),
        fc.integer({ min: 20, max: 60 }),
        fc.integer({ min: 200, max: 1000 }),
      ),
      one: pick,
      other: pick,
    }),
    { minLength: 2, maxLength: 4 },
  ),
  totals: fc.tuple(pick, pick),
  parent: fc.tuple(pick, pick),
});

describe.each(drawSample(Object.entries(nouns), { small: 8 }))('%s', (_, noun) => {
  const { list } = noun;
  const fields: Fields = list.fields;
  let plain: Plain[][];
  beforeAll(async () => {
    plain = await Promise.all([1, 2].map((space) => readPlain(door, space, noun)));
  });

  it('yields the pages, counts and totals of plain code', async () => {
    await fc.assert(
      fc.asyncProperty(
        drawn,
        async ({
          conditions,
          order: [orderIndex, direction],
          space: spaceIndex,
          seesAll,
          steps,
          totals,
          parent: [parentIndex, idIndex],
        }) => {
          const space = spaces[spaceIndex]!;
          const records = plain[spaceIndex]!;
          const order: PlainOrder = { field: at(list.orders as string[], orderIndex), direction };
          const filter: PlainFilter = Object.assign(
            {},
            ...conditions.map((drawnOne) => drawCondition(records, fields, drawnOne)),
          );
          const compare = (one: Plain, other: Plain): number => compareRecords(one, other, order, fields);
          const sorted = records
            .filter((one) => (seesAll || isOpen(one)) && matchesFilter(one, filter, fields))
            .sort(compare);
          const viewer = { userId: -1, seesAll };
          const wanted = { filter, viewer, orderBy: order };
          const byId = new Map(records.map((one) => [one.id, one]));
          let page: Plain[] = [];
          for (const { way, backwards, size, one, other } of steps) {
            const random = { one: at(records, one), two: at(records, other) };
            const bounds = {
              next: page.length > 0 ? { after: page.at(-1)! } : {},
              previous: page.length > 0 ? { before: page[0]! } : {},
              jump: backwards ? { before: random.one } : { after: random.one },
              between:
                compare(random.one, random.two) < 0
                  ? { after: random.one, before: random.two }
                  : { after: random.two, before: random.one },
            }[way] as { after?: Plain; before?: Plain };
            const isLast = way === 'previous' || (way !== 'next' && backwards);
            const sizes = isLast ? { last: size } : { first: size };
            const position = (bound?: Plain) => bound && computePosition(bound, order, fields);
            const found = await list.readPage(space, {
              ...wanted,
              ...sizes,
              after: position(bounds.after),
              before: position(bounds.before),
            });
            const { ids, ...edges } = slicePage(sorted, compare, { ...sizes, ...bounds });
            // biome-ignore lint/suspicious/noExplicitAny: rows of any noun
            expect(found.rows.map(({ row }: any) => row.id)).toEqual(ids);
            expect({ hasNextPage: found.hasNextPage, hasPreviousPage: found.hasPreviousPage }).toEqual({ ...edges });
            page = ids.map((id) => byId.get(id)!);
            // biome-ignore lint/suspicious/noExplicitAny: rows of any noun
            expect(found.rows.map(({ position }: any) => position)).toEqual(
              page.map((record) => computePosition(record, order, fields)),
            );
          }
          expect(await list.count(space, { filter, viewer })).toBe(sorted.length);
          await expectPagesOfParents({
            space,
            records,
            sorted,
            wanted,
            compare,
            parentIndex,
            idIndex,
            step: steps[0]!,
          });
          await expectTotals(space, sorted, { filter, viewer }, totals);
        },
      ),
      { numRuns: runs },
    );
  });

  it('is walked whole, forwards and backwards, in every order', async () => {
    const compare = (order: PlainOrder) => (one: Plain, other: Plain) => compareRecords(one, other, order, fields);
    for (const [index, field] of (list.orders as string[]).entries()) {
      const order: PlainOrder = { field, direction: index % 2 ? 'asc' : 'desc' };
      const seen: number[][] = [];
      for (const backwards of [false, true]) {
        const ids: number[] = [];
        for (let bound: unknown, more = true; more; ) {
          const sizes = backwards ? { last: 300, before: bound } : { first: 300, after: bound };
          const found = await list.readPage(spaces[0], {
            orderBy: order,
            viewer: { userId: -1, seesAll: true },
            ...sizes,
          });
          // biome-ignore lint/suspicious/noExplicitAny: rows of any noun
          const page = found.rows.map(({ row }: any) => row.id);
          ids[backwards ? 'unshift' : 'push'](...page);
          bound = found.rows.at(backwards ? 0 : -1)?.position;
          more = backwards ? found.hasPreviousPage : found.hasNextPage;
        }
        seen.push(ids);
      }
      const expected = plain[0]!.toSorted(compare(order)).map(({ id }) => id);
      expect(seen).toEqual([expected, expected]);
    }
  });

  interface Parents {
    space: Space;
    records: Plain[];
    sorted: Plain[];
    wanted: { filter: PlainFilter; viewer: Viewer; orderBy: PlainOrder };
    compare: (one: Plain, other: Plain) => number;
    parentIndex: number;
    idIndex: number;
    step: { size: number; backwards: boolean; one: number };
  }

  const expectPagesOfParents = async ({
    space,
    records,
    sorted,
    wanted,
    compare,
    parentIndex,
    idIndex,
    step,
  }: Parents): Promise<void> => {
    const names = Object.keys(fields).filter((name) => fields[name]!.type === 'id' && name !== 'id');
    if (names.length === 0) return;
    const parent = at(names, parentIndex);
    const values = [...new Set(records.map((record) => record[parent] as number | null))].filter((id) => id !== null);
    const ids = [...[0, 1, 2].flatMap((next) => (values.length > 0 ? [at(values, idIndex + next)] : [])), 987_654];
    const size = Math.min(step.size, 50);
    const bound = at(records, step.one);
    const sizes = step.backwards ? { last: size } : { first: size };
    const bounds = step.one % 2 ? {} : step.backwards ? { before: bound } : { after: bound };
    const positions = Object.fromEntries(
      Object.entries(bounds).map(([side, record]) => [side, computePosition(record, wanted.orderBy, fields)]),
    );
    const pages = await list.readPagesOf(space, { ...wanted, ...sizes, ...positions, parent, ids });
    const counts = await list.countOf(space, { ...wanted, parent, ids });
    expect([...pages.keys()].sort()).toEqual([...new Set(ids)].sort());
    for (const id of ids) {
      const own = sorted.filter((record) => record[parent] === id);
      const { ids: expected, ...edges } = slicePage(own, compare, { ...sizes, ...bounds });
      const { rows, ...found } = pages.get(id)!;
      // biome-ignore lint/suspicious/noExplicitAny: rows of any noun
      expect(rows.map(({ row }: any) => row.id)).toEqual(expected);
      expect(found).toEqual(edges);
      expect(counts.get(id)).toBe(own.length);
    }
    const filter = { ...wanted.filter, [parent]: { ...wanted.filter[parent], equals: ids[0]! } };
    if (wanted.filter[parent]?.equals === undefined)
      expect(pages.get(ids[0]!)).toEqual(await list.readPage(space, { ...wanted, ...sizes, ...positions, filter }));
  };

  const expectTotals = async (
    space: Space,
    sorted: Plain[],
    wanted: object,
    [one, other]: [number, number],
  ): Promise<void> => {
    const dates = Object.keys(fields).filter((name) => ['instant', 'day'].includes(fields[name]!.type));
    const groupBy = at(['YEAR', 'MONTH', 'DAY', ...(list.groups ?? [])], one);
    const of = ['YEAR', 'MONTH', 'DAY'].includes(groupBy) ? at(dates, other) : undefined;
    const expected = sumUp(sorted, { groupBy, ...(of && { of }), hasAmounts: list.amount !== undefined });
    expect(await list.readTotals(space, { ...wanted, groupBy, of })).toEqual(expected);
  };
});
