// npm run test:times: which files take the time, from the report of the last run. The order of a run is kept here, too: long files first.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { Command } from 'commander';
import { findProject } from './projects.ts';

const root = resolve(import.meta.dirname, '../..');
const program = new Command('times')
  .description('Prints the slowest 20 test files and the seconds of each project, from the report of the last run.')
  .option('--report <file>', 'the report', '.vitest-report.json')
  .option('--write', 'also keep the seconds in test/harness/durations.json, by which a run starts long files first')
  .parse();
const { report, write } = program.opts<{ report: string; write?: boolean }>();

interface Timed {
  name: string;
  startTime: number;
  endTime: number;
}
const read = (): Timed[] => {
  try {
    return JSON.parse(readFileSync(join(root, report), 'utf8')).testResults;
  } catch (error) {
    return program.error(`times: ${report} is no report of a run: ${(error as Error).message}`);
  }
};
const files = read()
  .filter(({ name }) => existsSync(name))
  .map(({ name, startTime, endTime }) => ({ name: relative(root, name), seconds: (endTime - startTime) / 1000 }))
  .sort((a, b) => b.seconds - a.seconds);

const byProject = new Map<string, { files: number; seconds: number }>();
for (const { name, seconds } of files) {
  const project = findProject(join(root, name));
  const sum = byProject.get(project) ?? { files: 0, seconds: 0 };
  byProject.set(project, { files: sum.files + 1, seconds: sum.seconds + seconds });
}

console.log('| File | Seconds |\n| --- | --: |');
for (const { name, seconds } of files.slice(0, 20)) console.log(`| ${name} | ${seconds.toFixed(1)} |`);
console.log('\n| Project | Files | Seconds |\n| --- | --: | --: |');
for (const [project, sum] of byProject) console.log(`| ${project} | ${sum.files} | ${sum.seconds.toFixed(0)} |`);

if (write) {
  const path = join(root, 'test/harness/durations.json');
  // Files that this run left out keep theirs. Short ones need none.
  const kept: Record<string, number> = JSON.parse(readFileSync(path, 'utf8'));
  for (const { name, seconds } of files) kept[name] = Math.round(seconds);
  const long = Object.entries(kept)
    .filter(([name, seconds]) => seconds >= 5 && existsSync(join(root, name)))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(path, `${JSON.stringify(Object.fromEntries(long), null, 2)}\n`);
}
