// npm run test:mutants: changes one place of a source at a time, and says which tests notice it. What `npm test` lets pass is listed.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { parseWholeNumber } from '../../src/commands/arguments.ts';
import { createChance, seedOf } from '../search/random.ts';

const root = resolve(import.meta.dirname, '../..');
/** What must not be wrong. Each has as many mutants. */
const areas: Record<string, RegExp> = {
  gate: /^src\/gate\//,
  guard: /^(schema\/graph\/field-steps|src\/plan\/permission-needs|src\/permissions\/\w+)\.ts$/,
  search: /^src\/search\//,
  projection: /^src\/plan\/(json|plan|related|contact)-/,
  save: /^src\/data\/contact\//,
  import: /^src\/(data\/)?import\//,
};
const changes: [name: string, from: RegExp, to: string][] = [
  ['equality', / === /, ' !== '],
  ['equality', / !== /, ' === '],
  ['and', / && /, ' || '],
  ['or', / \|\| /, ' && '],
  ['default', / \?\? /, ' && '],
  ['bound', / < /, ' <= '],
  ['bound', / <= /, ' < '],
  ['bound', / > /, ' >= '],
  ['bound', / >= /, ' > '],
  ['condition', /\bif \(!/, 'if ('],
  ['condition', /\bif \((?!!)/, 'if (!'],
  ['flag', /\btrue\b(?!')/, 'false'],
  ['flag', /\bfalse\b(?!')/, 'true'],
  ['one', / \+ 1\b/, ' + 2'],
  ['one', / - 1\b/, ' - 2'],
  ['SQL', /(?<=\b(?:where|on)\b.*) and /, ' or '],
  ['check left out', /^ +if \(.+\) throw .+;$/, ''],
  ['call left out', /^ +(?:await )?[\w.]+\([^()]*\);$/, ''],
];

interface Mutant {
  area: string;
  file: string;
  line: number;
  change: string;
  text: string;
}
const listMutants = (area: string): Mutant[] =>
  ['src', 'schema']
    .flatMap((folder) =>
      (readdirSync(join(root, folder), { recursive: true }) as string[]).map((name) => `${folder}/${name}`),
    )
    .filter((file) => file.endsWith('.ts') && areas[area]!.test(file))
    .sort()
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((text, at) =>
          /^\s*(\/\/|\/?\*|import )/.test(text)
            ? []
            : changes
                .filter(([, from]) => from.test(text))
                .map(([change, from, to]) => ({ area, file, line: at + 1, change, text: text.replace(from, to) })),
        ),
    );

const program = new Command('mutants')
  .description(
    'Changes one place of the sources at a time, and runs the tests near it, then npm test, then the rest, until one fails. Hours: what was found is kept in a file, and a later run goes on from there.',
  )
  .option('--count <number>', 'how many mutants', parseWholeNumber(1, 10_000), 60)
  .option('--seed <text>', 'by which they are drawn', '1')
  .option('--until <level>', 'the last tests to run: near, small or rest', 'rest')
  .option('--out <file>', 'what was found, a line of JSON for each', '.mutants.jsonl')
  .parse();
const { count, seed, until, out } = program.opts<{ count: number; seed: string; until: string; out: string }>();

const levels = ['near', 'small', 'rest'];
if (!levels.includes(until)) program.error(`mutants: --until is one of ${levels.join(', ')}, and not ${until}`);
const names = Object.keys(areas);
const drawn = names.flatMap((area, at) =>
  createChance(seedOf(`${area} ${seed}`, count))
    .shuffle(listMutants(area))
    .slice(0, Math.floor((count + at) / names.length)),
);

const copy = join(mkdtempSync(join(tmpdir(), 'muster-mutants-')), 'muster');
process.on('exit', () => rmSync(join(copy, '..'), { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
execFileSync('git', ['clone', '-q', '--shared', root, copy]);
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));

const fails = (size: string, files: string[] = []): boolean => {
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--bail', '1', ...files];
  const env = { ...process.env, TEST_SIZE: size, TEST_SEED: seed };
  return spawnSync(process.execPath, args, { cwd: copy, env, stdio: 'ignore' }).status !== 0;
};
const listNear = (file: string): string[] => {
  const args = ['--import', 'tsx', 'test/harness/near.ts', '--list', file];
  return spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8' }).stdout.split('\n').filter(Boolean);
};
/** The first tests that notice it: near, small, rest, or none of those that ran. */
const findLevel = ({ file, line, text }: Mutant): string => {
  const path = join(copy, file);
  const sound = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    sound
      .split('\n')
      .with(line - 1, text)
      .join('\n'),
  );
  try {
    const near = listNear(file);
    // In the size that has all files: a run without any fails, too.
    if (near.length > 0 && fails('all', near)) return 'near';
    if (until !== 'near' && fails('small')) return 'small';
    return until === 'rest' && fails('rest') ? 'rest' : 'none';
  } finally {
    writeFileSync(path, sound);
  }
};

type Found = Mutant & { level: string };
const lines = existsSync(out) ? readFileSync(out, 'utf8').trim().split('\n').filter(Boolean) : [];
const found: Found[] = lines.map((line) => JSON.parse(line));
const isSame = (one: Mutant, other: Mutant): boolean =>
  one.file === other.file && one.line === other.line && one.text === other.text;
for (const [at, mutant] of drawn.entries()) {
  // What passed fewer tests in an earlier run is tried again.
  if (found.some((one) => isSame(one, mutant) && one.level !== 'none')) continue;
  const level = findLevel(mutant);
  found.push({ ...mutant, level });
  appendFileSync(out, `${JSON.stringify({ ...mutant, level })}\n`);
  console.error(`${at + 1} of ${drawn.length}: ${level}: ${mutant.file}:${mutant.line} ${mutant.change}`);
}

const latest = drawn.map((mutant) => found.findLast((one) => isSame(one, mutant))!);
console.log('| Area | Mutants | Near | `npm test` | Rest | None |\n| --- | --: | --: | --: | --: | --: |');
for (const area of names) {
  const of = latest.filter((one) => one.area === area);
  const counts = [...levels, 'none'].map((level) => of.filter((one) => one.level === level).length);
  console.log(`| ${area} | ${of.length} | ${counts.join(' | ')} |`);
}
for (const { level, file, line, change, text } of latest.filter((one) => ['rest', 'none'].includes(one.level)))
  console.log(`- ${level}: ${file}:${line} (${change}) \`${text.trim()}\``);
