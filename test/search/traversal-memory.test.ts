// The memory of traversals: how long it lasts, how large it is, what it costs, and what happens without it.

import { describe, expect, it } from 'vitest';
import { getRememberedTraversals } from '../../src/data/search/traversal.ts';
import { limits } from '../../src/limits/limits.ts';
import {
  deleteContacts,
  door,
  findEverybody,
  openForEach,
  readPage,
  readTraversals,
  sliceOf,
  traversePages,
} from './numbered-pages.ts';

openForEach();

describe('what is remembered', () => {
  it('is forgotten after ten minutes: then it is the page of the moment', async () => {
    const aged = async (minutes: number): Promise<number[]> => {
      await readPage(0);
      await deleteContacts((await findEverybody()).slice(0, 5));
      await door.sql(`update search_traversals set read_at = now() - ${minutes} * interval '1 minute'`);
      return readPage(1);
    };
    const all = await findEverybody();
    expect(await aged(9.9)).toEqual(sliceOf(all, 1));
    await door.sql('delete from search_traversals');
    expect(await aged(10.1)).toEqual(sliceOf(await findEverybody(), 1));
  });

  it('is one row, of which a sync of any length changes the places; nothing of cursors, or of a first page that is not full', async () => {
    await traversePages({ sort_attr: 'mail' });
    expect(await readTraversals()).toHaveLength(1);
    await readPage(0, { per_page: 1000 });
    await readPage(500);
    await door.graphql('{ searchContacts(first: 5) { nodes { id: databaseId } pageInfo { endCursor } } }');
    expect(await readTraversals()).toHaveLength(1);
  });

  it('is of a hundred searches of a token, the latest, and no word of a search stands in it', async () => {
    const { traversals: most } = limits.search;
    const query = (value: number) => ({
      $all: [{ $all: [{ $condition: { attr: 'surname', ope: 'not_eql', value: `zebra${value}` } }] }],
    });
    for (let value = 0; value < most + 30; value++) {
      await readPage(0, { query: query(value) });
      // One that goes on is among the latest.
      if (value % 40 === 0) await readPage(value / 40 + 1, { query: query(0) });
    }
    const rows = await readTraversals();
    expect(rows).toHaveLength(most);
    expect(JSON.stringify(rows)).not.toContain('zebra');
    const all = await findEverybody();
    await deleteContacts(all.slice(0, 5));
    expect(await readPage(1, { query: query(most + 29) })).toEqual(sliceOf(all, 1));
    expect(await readPage(5, { query: query(0) })).toEqual(sliceOf(all, 5));
    expect(await readPage(1, { query: query(1) })).toEqual(sliceOf(await findEverybody(), 1));
  });

  it('fails the page when it can be neither read nor stored, so that none is wrong in silence', async () => {
    const all = await findEverybody();
    await readPage(0);
    await door.sql('alter table search_traversals rename to elsewhere');
    await deleteContacts(all.slice(0, 5));
    // What this process remembers counts only while the database has the same.
    await expect(readPage(1)).rejects.toThrow();
    getRememberedTraversals(door.database.space(1)).clear();
    await expect(readPage(1)).rejects.toThrow();
    await door.sql('alter table elsewhere rename to search_traversals');
    expect(await readPage(1)).toEqual(sliceOf(all, 1));
  });
});

it('a page costs one statement more, and a second one when this process did not read the page before', async () => {
  const counted = async (number: number): Promise<number> =>
    (await door.statements(() => readPage(number))).filter((sql) => /search_traversals/.test(sql)).length;
  expect([await counted(0), await counted(1), await counted(2), await counted(499)]).toEqual([1, 1, 1, 1]);
  getRememberedTraversals(door.database.space(1)).clear();
  expect([await counted(3), await counted(4), await counted(4)]).toEqual([2, 1, 2]);
});

it('a process uses what it remembers only while the database has the same', async () => {
  await readPage(0);
  await readPage(1);
  const memory = getRememberedTraversals(door.database.space(1));
  const [[key, stale]] = [...memory.entries()] as [[string, NonNullable<ReturnType<typeof memory.get>>]];
  // Another process reads on, and then all anew.
  memory.clear();
  for (const number of [2, 0, 1]) {
    await readPage(number);
    await deleteContacts((await findEverybody()).slice(0, 3));
  }
  const all = await findEverybody();
  const [last] = (await readTraversals()).filter((row) => row.page === 1).slice(-1);
  memory.set(key, stale);
  expect(await readPage(2)).toEqual(all.slice(all.findIndex((id) => id > last.ended_id)).slice(0, 20));
});
