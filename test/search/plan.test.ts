// The plan of a search by itself: each purpose is compiled once, lookups are read once, and a parsed query may be resolved at any instant.
import { beforeEach, expect, it, vi } from 'vitest';
import type { RunStatement } from '../../src/database/statement.ts';
import { resolveQuery } from '../../src/search/parse.ts';
import { parseTree } from '../../src/search/parse-tree.ts';
import { parseMicros } from './oracle-dates.ts';
import { planTestQuery } from './plan-query.ts';

const compiled = vi.hoisted(() => [] as string[]);
vi.mock('../../src/search/compile.ts', async (load) => {
  const compile = await load<typeof import('../../src/search/compile.ts')>();
  return {
    ...compile,
    compileSearch: (...args: Parameters<typeof compile.compileSearch>) => {
      compiled.push(args[2]);
      return compile.compileSearch(...args);
    },
    compileCount: (...args: Parameters<typeof compile.compileCount>) => {
      compiled.push('count');
      return compile.compileCount(...args);
    },
    compileFailingClauses: (...args: Parameters<typeof compile.compileFailingClauses>) => {
      compiled.push('fail');
      return compile.compileFailingClauses(...args);
    },
  };
});
beforeEach(() => void compiled.splice(0));

const only = (condition: object) => ({ $all: [{ $all: [{ $condition: condition }] }] });
const tagged = only({ attr: 'tags.name', ope: 'not_eql', value: 'a' });

it('compiles each purpose when it is first asked for, and once', async () => {
  const plan = planTestQuery(tagged);
  expect(compiled).toEqual([]);
  expect(plan.getFilter()).toBe(plan.getFilter());
  const bound = await plan.bind(async () => [{ ids0: [7] }] as never);
  for (let times = 0; times < 2; times++)
    for (const { values } of [bound.getFind(), bound.getProbe(), bound.getCount(), bound.getFailing()])
      expect(values).toMatchObject({ ids0: [7] });
  expect(compiled).toEqual(['probe', 'find', 'count', 'fail']);
});

it('has the ids of its lookups where they were read, and reads them itself where not', async () => {
  const plan = planTestQuery(tagged);
  const bound = await plan.bind(async () => [{ ids0: [7] }] as never);
  expect(bound.getFind().where.sql).toBe('not (s.tag_ids && cast(:ids0 as bigint[]))');
  expect(plan.getFilter().sql).toMatch(/^not \(s\.tag_ids && array\(select id from tags where .*\)\)$/);
});

it('reads its lookups once, for all who bind it', async () => {
  const plan = planTestQuery(tagged);
  const rows = vi.fn(async () => [{ ids0: [1] }]);
  const [one, other] = await Promise.all([plan.bind(rows as RunStatement), plan.bind(rows as RunStatement)]);
  expect(await plan.bind(rows as RunStatement)).toBe(one);
  expect(other).toBe(one);
  expect(rows).toHaveBeenCalledTimes(1);
});

it('reads its lookups again when reading them failed', async () => {
  const plan = planTestQuery(tagged);
  await expect(plan.bind(async () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  const bound = await plan.bind(async () => [{ ids0: [2] }] as never);
  expect(bound.getFind().values).toMatchObject({ ids0: [2] });
});

it('reads nothing where nothing is looked up', async () => {
  const rows = vi.fn();
  await planTestQuery(only({ attr: 'gender', ope: 'eql', value: 'F' })).bind(rows as RunStatement);
  expect(rows).not.toHaveBeenCalled();
});

it('a query that was parsed once is resolved at each instant anew', () => {
  const sent = only({ attr: 'lastchange', ope: 'range', from: 'now-1y/M', to: 'now' });
  const parsed = parseTree(sent, 'query');
  const boundsAt = (instant: string): unknown => {
    const [group] = resolveQuery(parsed, parseMicros(instant)).parts as {
      parts: { operand: { from: string; to: string } }[];
    }[];
    const { from, to } = group!.parts[0]!.operand;
    return [from, to];
  };
  const first = ['2025-11-01T00:00:00.000000Z', '2026-11-21T12:34:56.789012Z'];
  expect(boundsAt('2026-11-21T12:34:56.789012Z')).toEqual(first);
  expect(boundsAt('2024-02-29T00:00:00.000001Z')).toEqual([
    '2023-02-01T00:00:00.000000Z',
    '2024-02-29T00:00:00.000001Z',
  ]);
  expect(boundsAt('2026-11-21T12:34:56.789012Z')).toEqual(first);
});

it.each([
  ['user_id', 'not_eql', false],
  ['birthdate', 'eql', false],
  ['gender', 'not_eql', false, 'F'],
  ['emails.type', 'eql', false],
  ['address.street', 'eql', false],
  ['address.floor', 'eql', false],
  ['transactions.code_campaign', 'eql', false],
  ['notes.content', 'contains', false],
  ['notes.content', 'not_contains', false],
  ['emails.clicked_urls', 'eql', false],
  ['interactions.count_amount', 'eql', true],
])('PostgreSQL cannot tell how many match %s %s: %s', async (attr, ope, lacks, value = '1') => {
  const plan = planTestQuery(only({ attr, ope, value }));
  expect((await plan.bind(async () => [{}] as never)).getFind().where.lacksStatistics).toBe(lacks);
});
