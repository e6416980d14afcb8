// Exports beside other requests: their pages are read on the connections of searches, one of a space at a time, and others have their turn in between.
import type { Knex } from 'knex';
import { beforeAll, expect, it } from 'vitest';
import { type Door, openApp } from '../harness/app.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
  await door.token(1, 1);
});

/** The most connections of a pool that were in use at one moment, and how many statements it had, while `work` ran. */
const watchPool = async (pool: Knex, work: () => Promise<unknown>): Promise<{ most: number; all: number }> => {
  let [most, all] = [0, 0];
  const count = (): void => {
    all++;
    most = Math.max(most, pool.client.pool.numUsed());
  };
  pool.on('query', count);
  await work();
  pool.removeListener('query', count);
  return { most, all };
};

const body = { data: { advanced_search: { query: { $all: [] }, include_interactions: true } } };

it('reads the pages of a space one after the other, however many exports it has', async () => {
  const others = { quick: 0 };
  const count = (): void => void others.quick++;
  const { knex: searches } = door.database.searchPool.pool;
  let texts: string[] = [];
  const watched = await watchPool(searches, async () => {
    door.database.writers.knex.on('query', count);
    door.database.readers.knex.on('query', count);
    const answers = await Promise.all([1, 2, 3, 4].map(() => door.rest('POST', '/export', body)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    texts = answers.map(({ text }) => text);
  });
  door.database.writers.knex.removeListener('query', count);
  door.database.readers.knex.removeListener('query', count);
  expect(new Set(texts).size).toBe(1);
  expect(texts[0]!.trim().split('\n').length).toBeGreaterThan(200);
  // Several statements for each page of each export, one after the other; those that find the ids are searches like any other.
  expect(watched.all).toBeGreaterThan(4 * 2 * 3);
  expect(watched.most).toBeLessThanOrEqual(2);
  // The gate and the checks of the request alone.
  expect(others.quick).toBeLessThan(4 * 3);
});

it('lets other requests run between its pieces', async () => {
  let isOver = false;
  const exporting = door.rest('POST', '/export', body).finally(() => {
    isOver = true;
  });
  let served = 0;
  while (!isOver) {
    await door.rest('GET', '/teams?limit=1');
    served++;
  }
  expect((await exporting).status).toBe(200);
  expect(served).toBeGreaterThan(2);
});
