// Each test that `npm test` runs is one of `npm run test:all`: a test may leave the first, and never the second.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { createFolder } from '../harness/folders.ts';
import { listTestFiles } from '../harness/projects.ts';
import type { Size } from '../harness/sizes.ts';

const folder = createFolder();

/** Files that both sizes have, and whose tests depend on the size. */
const small = new Set(listTestFiles('small'));
const files = listTestFiles('rest').filter((path) => small.has(path));

/** Tests by file and name. Those that only take a title of their own from a count would be missed in the other size. */
const collect = (size: Size): string[] => {
  const list = join(folder, size);
  const vitest = resolve('node_modules/vitest/vitest.mjs');
  execFileSync(process.execPath, [vitest, 'list', `--json=${list}`, ...files], {
    env: { ...process.env, TEST_SIZE: size },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return JSON.parse(readFileSync(list, 'utf8')).map(({ file, name }: Record<string, string>) => `${file}: ${name}`);
};

it('the tests of npm test and those of the rest are together those of test:all', { timeout: 300_000 }, () => {
  const [some, rest, all] = [collect('small'), collect('rest'), collect('all').sort()];
  expect(some.length).toBeGreaterThan(100);
  expect(rest.length).toBeLessThan(all.length);
  expect([...new Set([...some, ...rest])].sort()).toEqual(all);
});
