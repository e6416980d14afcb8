// Each benchmark runs to its end on little data and says what it measured. Nobody asks how fast that was.
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createFolder } from '../harness/folders.ts';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
const names = Object.keys(scripts)
  .filter((name) => name.startsWith('bench:'))
  .map((name) => name.slice('bench:'.length));

const folder = createFolder();
const small: Record<string, string> = {
  abuse: '--rounds 1 --seconds 2 --only token',
  backup: '--contacts 100',
  // The answers to all documents are compared with those of their statements by hand.
  corpus: '--rounds 0 --contacts 500',
  export: '--contacts 1000 --sorts surname',
  faults: '--rounds 1 --writers 2',
  import: '--contacts 1000',
  knex: '--seconds 1 --rounds 1',
  move: '--contacts 100',
  overload: '--seconds 2 --only single',
  // Every workload at both doors is compared with its yardstick. `workers` makes load by the same code.
  peers: `--rounds 0 --people 4000 --data-dir ${folder}/peers`,
  search: `--contacts 1000 --spaces 2 --repeat 1 --data-dir ${folder}/search`,
  segments: `--contacts 1000 --segments 2 --changed 10 --repeat 1 --data-dir ${folder}/segments`,
  workers: `--seconds 1 --rounds 1 --people 4000 --data-dir ${folder}/peers`,
};
/** What the others need, or what runs them. */
const elsewhere: Record<string, string> = {
  citus: 'a running cluster',
  events: 'test/webhook/kill.test.ts',
  guard: 'it runs workers and requests that two others run, for three minutes',
};

it('every benchmark has its smallest run here', () => {
  expect(names.sort()).toEqual([...Object.keys(small), ...Object.keys(elsewhere)].sort());
});

describe.skipIf(spawnSync('wrk', ['--version']).error)('with wrk', () => {
  it.each(Object.entries(small))('bench:%s %s ends', { timeout: 300_000 }, async (name, args) => {
    const line = ['run', '-s', `bench:${name}`, '--', ...args.split(' ')];
    const { stdout } = await promisify(execFile)('npm', line, {
      env: { PATH: process.env.PATH, HOME: folder },
    });
    expect(stdout).toMatch(/^\|.+\|\n\| ?--/m);
  });
});
