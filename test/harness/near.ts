// npm run near src/x/y.ts: runs the tests that are near a source file, by their names.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, parse, relative, resolve } from 'node:path';
import { Command } from 'commander';
import { readSource } from './imports.ts';
import { listTestFiles } from './projects.ts';

const root = resolve(import.meta.dirname, '../..');
const program = new Command('near')
  .description(
    'Runs the tests that are near source files: those of test/x/y* for src/x/y.ts, and those of its noun at both doors (test/contract/contact.test.ts). For a source that no test has the name of, those that import it.',
  )
  .argument('<sources...>', 'files of src, packages or schema')
  .option('--list', 'list the tests, and run none')
  .parse();

const tests = listTestFiles('all').map((path) => relative(root, path));

const findNear = (source: string): string[] => {
  const { dir, name } = parse(source);
  const folder = dir.replace(/^(src|packages)\b/, 'test').replace(/^schema\b/, 'test/schema');
  // The noun of src/data/contact/tag.ts is in a folder, that of src/data/access/team-write.ts in the name.
  const nouns = new Set([...dir.split('/').slice(1), ...name.split('-')].flatMap((word) => [word, `${word}s`]));
  const named = tests.filter((test) => {
    const its = parse(test.replace(/\.test\.ts$/, ''));
    if (its.dir === folder && (its.base === name || its.base.startsWith(`${name}-`))) return true;
    return ['test/contract', 'test/graphql'].includes(its.dir) && nouns.has(its.base);
  });
  return named.length > 0
    ? named
    : tests.filter((test) => readSource(join(root, test)).imports.includes(join(root, source)));
};

const near = program.args.flatMap((given) => {
  const source = relative(root, resolve(given));
  if (!existsSync(join(root, source))) program.error(`near: there is no file ${given}`);
  if (!/^(src|packages|schema)\/.+\.tsx?$/.test(source))
    program.error(`near: ${given} is no source file of src, packages or schema`);
  const found = findNear(source);
  if (found.length === 0)
    program.error(`near: no test has the name or the noun of ${given}, and none imports it; see npm test`);
  return found;
});
const files = [...new Set(near)].sort();
if (program.opts().list) console.log(files.join('\n'));
else process.exitCode = spawnSync('npx', ['vitest', 'run', ...files], { cwd: root, stdio: 'inherit' }).status ?? 1;
