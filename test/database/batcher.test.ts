// Batches of one key: calls share them, and a batch that does not end holds up the next ones only for a moment.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { BatchedQuery, createBatcher } from '../../src/database/batcher.ts';
import type { Pool } from '../../src/database/pool.ts';
import { createAnswerTooLargeProblem } from '../../src/problem.ts';

it('calls that are made while a batch is under way share the next one', async () => {
  const sizes: number[] = [];
  const load = createBatcher(
    async (_: string, items: number[]) => {
      sizes.push(items.length);
      await sleep(20);
      return items.map((item) => item * 2);
    },
    { maxBatch: 5 },
  );
  const first = load('a', 1);
  await sleep(5);
  const others = Array.from({ length: 7 }, (_, n) => load('a', n));
  expect(await Promise.all([first, ...others])).toEqual([2, 0, 2, 4, 6, 8, 10, 12]);
  expect(sizes).toEqual([1, 5, 2]);
});

it('a batch that does not end is overtaken, three times at most', async () => {
  const never = new Promise<never>(() => {});
  let dead = 0;
  const load = createBatcher(
    async (_: string, items: string[]): Promise<string[]> => {
      if (!items.some((item) => item.startsWith('dead'))) return items;
      dead++;
      return never;
    },
    { maxBatch: 1, overtakeAfterMs: 50 },
  );
  void load('a', 'dead 1');
  expect(await load('a', 'alive')).toBe('alive');
  for (const item of ['dead 2', 'dead 3', 'dead 4']) void load('a', item);
  const last = load('a', 'waits');
  expect(await Promise.race([last, sleep(500, 'it waits')])).toBe('it waits');
  expect(dead).toBe(4);
  expect(await load('b', 'alive')).toBe('alive');
});

it('without that limit, each batch waits for the one before it', async () => {
  const load = createBatcher(
    async (_: string, items: string[]) => (items[0] === 'dead' ? new Promise<never>(() => {}) : items),
    {
      maxBatch: 1,
    },
  );
  void load('a', 'dead');
  expect(await Promise.race([load('a', 'next'), sleep(300, 'it waits')])).toBe('it waits');
});

it('answers that are too large together are read one by one, and only those too large alone are refused', async () => {
  const query = new BatchedQuery(5, async (_, sizes: number[]) => {
    if (sizes.reduce((sum, size) => sum + size, 0) > 10) throw createAnswerTooLargeProblem(10);
    return sizes.map((size) => 'x'.repeat(size));
  });
  const pool = { scopeTo: () => ({}) } as unknown as Pool;
  const answers = await Promise.allSettled([6, 7, 11].map((size) => query.load(pool, 1, size)));
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
});
