// Which project of Vitest each test file belongs to. It follows from what the file imports, so that nobody keeps a list.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { secondsOf } from './durations.ts';
import { listNeeded, readSource } from './imports.ts';
import { drawShareFor, hasFile, type Size } from './sizes.ts';

const tests = join(import.meta.dirname, '..');
const isOfTests = (path: string): boolean => path.startsWith(tests);

/**
 * `unit` needs no server. `app` calls the app in its own process, `process` starts programs and mostly waits for them, `browser` drives Chromium,
 * and `mocks` replaces modules, and so needs its own.
 */
export const projects = ['unit', 'app', 'process', 'browser', 'mocks'] as const;
export type Project = (typeof projects)[number];

export const findProject = (file: string): Project => {
  // What the sources import says nothing about the test.
  const needed = listNeeded(file, isOfTests).map(readSource);
  const imports = (end: RegExp): boolean => needed.some((one) => one.imports.some((path) => end.test(path)));
  if (/\bvi\.mock\(/.test(readSource(file).text)) return 'mocks';
  if (imports(/\/harness\/browser\.ts$/)) return 'browser';
  if (imports(/\/harness\/program\.ts$|\/embedded-server\/server\.ts$/)) return 'process';
  if (!needed.some(({ text }) => /\binject\(/.test(text))) return 'unit';
  return imports(/^node:child_process$/) ? 'process' : 'app';
};

/** The paths of the test files of a size, or of one of so many shares of them, which the seed chooses. */
export const listTestFiles = (size: Size, { shares = 1, seed = '' } = {}): string[] => {
  const files = (readdirSync(tests, { recursive: true }) as string[])
    .filter((name) => name.endsWith('.test.ts'))
    .filter((name) =>
      hasFile(size, name, listNeeded(join(tests, name), isOfTests).includes(join(tests, 'harness/sizes.ts'))),
    );
  return drawShareFor(seed, files, shares, (name) => secondsOf(`test/${name}`)).map((name) => join(tests, name));
};
