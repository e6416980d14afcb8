// Files of others and long arguments: the worst text takes about as long as a harmless one of the same length, and a row that never ends is refused.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type LongText, longFiles, longSearches, longTags } from '../../bench/abuse/long-texts.ts';
import { findColumnWriter } from '../../src/import/columns.ts';
import { createProgress, readFileRows } from '../../src/import/rows.ts';
import { limits } from '../../src/limits/limits.ts';
import { type Door, openApp } from '../harness/app.ts';
import { createFolder } from '../harness/folders.ts';

vi.setConfig({ testTimeout: 60_000 });

const folder = createFolder();

/** How many times as long as the harmless text the worst takes, each at its best of five. */
const compare = async ({ worst, harmless }: LongText, length: number, work: (text: string) => unknown) => {
  const best = async (text: string): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < 5; round++) {
      const begun = performance.now();
      await work(text);
      times.push(performance.now() - begun);
    }
    return Math.min(...times);
  };
  return (await best(worst(length))) / (await best(harmless(length)));
};

const path = join(folder, 'file');
const readAll = async (format: 'csv' | 'ndjson'): Promise<number> => {
  const progress = createProgress(() => {});
  let rows = 0;
  for await (const _ of readFileRows(path, { format, encoding: 'utf-8', bom: false }, progress)) rows++;
  return rows;
};

describe('a file', () => {
  it.each(longFiles)('of $format with $name', async (text) => {
    const work = (content: string) => {
      writeFileSync(path, content);
      return readAll(text.format).catch(() => {});
    };
    expect(await compare(text, 40_000, work)).toBeLessThan(20);
  });

  it.each([
    ['csv', 'surname\n"'],
    ['csv', ''],
    ['ndjson', '{"surname":"'],
  ] as const)('of %s with a row that never ends is refused: %j', async (format, start) => {
    writeFileSync(path, `${start}${'a'.repeat(limits.value.rowCharacters + 10)}`);
    await expect(readAll(format)).rejects.toThrow(/its next row is longer than 16777216 characters/);
  });
});

it.each(longTags)('a cell of tags: $name', async (text) => {
  const write = findColumnWriter('tags', { days: 'ymd', ids: false });
  expect(await compare(text, 60_000, (cell) => write({}, cell, { remark: () => {}, count: () => {} }))).toBeLessThan(
    100,
  );
});

describe('a quick search', () => {
  let door: Door;
  beforeAll(async () => {
    door = await openApp();
  });

  it.each(longSearches)('for $name', async (text) => {
    const work = async (search: string) => {
      const { body } = await door.graphql('query ($search: String!) { contacts(search: $search) { totalCount } }', {
        search,
      });
      expect(body.errors[0].extensions.errors[0].message).toBe('must be at most 255 characters');
    };
    expect(await compare(text, 1_000_000, work)).toBeLessThan(4);
  });
});
