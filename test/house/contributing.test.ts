// Follows CONTRIBUTING.md to the letter in a copy of the repository: columns, a fast search attribute, a settings list and a route are added.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isThorough } from '../harness/sizes.ts';
import type { Edit } from './recipe.ts';
import { recipes } from './recipes.ts';
import { listFiles, root } from './tree.ts';

const copy = fs.mkdtempSync(join(tmpdir(), 'muster-contributing-'));
afterAll(() => fs.rmSync(copy, { recursive: true, force: true }));

/** The text of a section of CONTRIBUTING.md. */
const readSection = (heading: string): string => {
  const text = fs.readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
  const [, section] = text.split(`## ${heading}\n`);
  if (section === undefined) throw new Error(`CONTRIBUTING.md has no section "${heading}"`);
  return section.split('\n## ')[0]!;
};

const copyRepository = (): void => {
  for (const path of listFiles(['.'], '')) {
    fs.mkdirSync(dirname(join(copy, path)), { recursive: true });
    fs.copyFileSync(join(root, path), join(copy, path));
  }
  fs.symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
};

const applyEdit = ({ file, after, replace, text }: Edit): void => {
  const path = join(copy, file);
  const place = after ?? replace;
  if (place === undefined) {
    fs.writeFileSync(path, text);
    return;
  }
  const before = fs.readFileSync(path, 'utf8');
  const places = before.split(place).length - 1;
  if (places === 0 || (after !== undefined && places > 1))
    throw new Error(
      `${places} places in ${file} match "${place.trim()}": follow the file in the recipes of test/house`,
    );
  fs.writeFileSync(
    path,
    before.replaceAll(place, () => (after ?? '') + text),
  );
};

/** Runs a program in the copy; throws with all that it printed when it fails. */
const run = (...args: string[]): void => {
  const { PATH, HOME, TEST_DATABASE_URL } = process.env;
  try {
    execFileSync(process.execPath, args, {
      cwd: copy,
      env: { PATH, HOME, TEST_DATABASE_URL, NO_COLOR: '1' },
      maxBuffer: 64 * 1024 * 1024,
      stdio: 'pipe',
    });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: Buffer; stderr: Buffer };
    throw new Error(`${args.join(' ')} failed:\n${stdout}\n${stderr}`);
  }
};

describe.each(recipes)('the section "$heading"', ({ heading, edits, tests, sweeps }) => {
  it('names every file that has to be edited', () => {
    const section = readSection(heading);
    const unnamed = edits
      .map(({ file }) => file.replace(/^(migrations\/)\d.*/, '$1'))
      .filter((file) => !section.includes(`\`${file}\``));
    expect([...new Set(unnamed)]).toEqual([]);
  });

  it('names the tests that fail while an edit is missing', () => {
    const [, named] = /`npx vitest run ([^`]+)` \(about \d+ s\)/.exec(readSection(heading))!;
    expect(named!.split(' ').sort()).toEqual([...tests, ...sweeps].sort());
  });
});

it('after all of it, the code is generated, the types fit, and the tests pass', () => {
  copyRepository();
  for (const edit of recipes.flatMap(({ edits }) => edits)) applyEdit(edit);
  run('--import', 'tsx', 'codegen.ts');
  run('node_modules/typescript/bin/tsc');
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--maxWorkers', '1'];
  run(...vitest, ...recipes.flatMap(({ tests }) => tests));
  // They need a server of their own, and are long.
  if (isThorough) run(...vitest, '-t', '[nN]ickname|[cC]hannel', ...recipes.flatMap(({ sweeps }) => sweeps));
}, 400_000);
