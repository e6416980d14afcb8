// What is remembered stands in the tables of ARCHITECTURE.md, and its keys are tuples.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createCacheKey } from '../../src/limits/cache-key.ts';
import { listFiles, root } from './tree.ts';

const sources = listFiles(['src', 'packages', 'schema'], '.ts')
  // What a browser remembers is its user's alone.
  .filter((path) => !/\/browser\//.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** Keys that are joined texts: `get(`${a} ${b}`)`, `key = a + b`, `key = list.join()`. */
const joinedKey =
  /\.(?:get|set|has|delete)\(`[^`]*\$\{|\.(?:get|set|has|delete)\([^()]*\.join\(|\b[kK]ey(?:Of)? = (?:\([^)]*\)(?:: string)? =>\s*)?(?:`[^`]*\$\{[^`]*\$\{|[^;`]*\.join\()/;

it('is in a table with all that it depends on', () => {
  const section = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
    .split('## What is remembered')[1]!
    .split('\n## ')[0]!;
  const keeping = sources.filter(({ text }) => /\bnew (?:LRUCache|WeakMap)\b/.test(text));
  expect(keeping.length).toBeGreaterThan(20);
  expect(keeping.map(({ path }) => path).filter((path) => !section.includes(`\`${path}\``))).toEqual([]);
});

it('has keys that are made from tuples', () => {
  const joined = sources
    .filter(({ text }) => joinedKey.test(text))
    .map(({ path, text }) => `${path}: ${joinedKey.exec(text)![0]}`);
  // SQL, headers, routes and names, where the text is the value itself.
  const texts =
    /^src\/(?:http\/cors|search\/page-plan|data\/upkeep\/expired-rows|data\/search\/quick-search|rest\/openapi\/)/;
  expect(joined.filter((one) => !texts.test(one))).toEqual([]);
});

it.each([
  'cache.get(`@{token} @{space}`)',
  'const key = `@{space} @{token}`;',
  "known.set([name, text].join('/'), value)",
  'const key = values.join();',
  'const keyOf = (a: string): string => `@{a}@{b}`',
])('finds joined keys: %s', (text) => {
  expect(joinedKey.test(text.replaceAll('@', '$'))).toBe(true);
});

it('has different keys for different tuples', () => {
  const tuples = [
    ['a b', 'c'],
    ['a', 'b c'],
    ['a', 'b', 'c'],
    ['a,b', 'c'],
    ['a"', 'b'],
    ['a', '"b'],
    [1],
    ['1'],
    [null],
    ['null'],
    [true],
    ['\ud800'],
    ['\ufffd'],
    [],
  ];
  expect(new Set(tuples.map((tuple) => createCacheKey(...tuple))).size).toBe(tuples.length);
});
