// The check of regular expressions finds those whose time grows with the square of the text, and is part of the lint.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { findSlowRegexes } from './regexes.ts';

it.each([
  String.raw`const list = (text: string) => text.split(/\s*;\s*/);`,
  String.raw`export const accepts = /(^|,)\s*gzip\s*(;\s*q=(0\.\d*[1-9]\d*|1(\.0+)?))?\s*(,|$)/i;`,
  String.raw`const type = /^application\/json *(; *charset *= *"?utf-8"?)? *$/i;`,
  `if (/^(a+)+$/.test('')) throw new Error();`,
])('finds %s', (text) => {
  expect(findSlowRegexes('src/planted.ts', `\n${text}`)).toEqual([
    expect.stringMatching(/^src\/planted\.ts:2 \/.+\/i?: (2nd degree polynomial|exponential), as for /),
  ]);
});

it('finds one that is made while the program runs', () => {
  expect(findSlowRegexes('src/planted.ts', 'new RegExp(text)')).toHaveLength(1);
  expect(findSlowRegexes('src/rest/router.ts', 'new RegExp(text)')).toEqual([]);
});

it('finds nothing in those that are linear, in TypeScript and JSX', () => {
  expect(findSlowRegexes('src/planted.ts', 'const word: RegExp = /^[a-z]+$/;')).toEqual([]);
  expect(findSlowRegexes('src/planted.tsx', 'export const Word = () => <b>{/^a+$/.source}</b>;')).toEqual([]);
});

it('is part of the lint', () => {
  expect(JSON.parse(readFileSync('package.json', 'utf8')).scripts.lint).toContain('test/house/regexes.ts');
});
