// Each benchmark runs to its end on little data and says what it measured, half of them in a share of a run. Nobody asks how fast that was.
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadPeople, resetDatabase, startOwnServer } from '../../bench/harness/database.ts';
import { migrateDatabase } from '../../src/database/migrate.ts';
import { attributes } from '../../src/search/attributes.ts';
import { createFolder } from '../harness/folders.ts';
import { choosePlace, getDataFolder, makeRunFolder } from '../harness/kept-folder.ts';
import { drawSample, readShares } from '../harness/sizes.ts';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
const names = Object.keys(scripts)
  .filter((name) => name.startsWith('bench:'))
  .map((name) => name.slice('bench:'.length));

/** As few as have pages of a thousand. */
const people = 4000;

/** Those that take longest come first. */
const small: Record<string, string> = {
  // Every search is compared with SQL by hand.
  search: '--contacts 1000 --spaces 2 --repeat 0',
  // So are the attributes that are drawn, where the question is a plain one.
  'search --sweep': `--contacts 1000 --repeat 0 --only ${drawSample(Object.keys(attributes), { all: 8 })}`,
  'search --growth': '--contacts 20000 --spaces 4 --repeat 0',
  'search --load': '--contacts 1000 --seconds 1',
  overload: '--seconds 1 --rounds 1 --only one',
  workers: `--seconds 1 --rounds 1 --people ${people} --only list50`,
  // Every workload at both doors is compared with its yardstick. `workers` makes load by the same code.
  peers: `--rounds 0 --people ${people}`,
  import: '--contacts 100',
  abuse: '--rounds 1 --seconds 1 --only guesses',
  // The answers to all documents are compared with those of their statements by hand.
  corpus: '--rounds 0 --contacts 500',
  move: '--contacts 100',
  // It kills its own PostgreSQL.
  faults: '--rounds 1 --writers 2',
  knex: '--seconds 1 --rounds 1',
  backup: '--contacts 100',
  export: '--contacts 1000 --sorts surname',
  changes: '--contacts 1000 --seconds 2 --rounds 1 --pages 1',
  segments: '--contacts 1000 --segments 2 --changed 10 --repeat 1',
};
/** What the others need, or what runs them. */
const elsewhere: Record<string, string> = {
  citus: 'a running cluster',
  events: 'test/webhook/kill.test.ts',
  start: 'its parts are in test/release, test/deploy/image.test.ts and test/commands/serve.test.ts',
  guard: 'it runs workers and requests that two others run, for three minutes',
};

it('every benchmark has its smallest run here', () => {
  const covered = [...Object.keys(small), ...Object.keys(elsewhere)].map((key) => key.split(' ')[0]);
  expect(names.sort()).toEqual([...new Set(covered)].sort());
});

describe.skipIf(spawnSync('wrk', ['--version']).error)('with wrk', () => {
  const home = createFolder();
  let run: string;
  let server: Awaited<ReturnType<typeof startOwnServer>>;

  // One server for all, each with a copy of a database that is migrated, or has the people already. Nothing is to survive a crash.
  beforeAll(async () => {
    run = await makeRunFolder(choosePlace());
    server = await startOwnServer(getDataFolder(run), {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      max_connections: '300',
      shared_preload_libraries: 'pg_stat_statements',
    });
    await migrateDatabase(await resetDatabase(server.url, 'migrated'));
    await loadPeople(await resetDatabase(server.url, 'people', 'migrated'), people);
  });
  afterAll(async () => {
    await server.stop();
    rmSync(run, { recursive: true, force: true });
  });

  // The longest takes two minutes alone, and several times that beside the others on a slow machine.
  const drawn = drawSample(Object.entries(small), { all: readShares() > 1 ? 2 : 1 });
  it.concurrent.each(drawn)('bench:%s %s ends', { timeout: 600_000 }, async (key, args) => {
    const [name, ...flags] = key.split(' ');
    const url = await resetDatabase(
      server.url,
      `bench_${key.replaceAll(/\W+/g, '_')}`,
      args.includes('--people') ? 'people' : 'migrated',
    );
    const { stdout } = await promisify(execFile)(
      'npm',
      ['run', '-s', `bench:${name}`, '--', ...flags, ...args.split(' ')],
      {
        env: { PATH: process.env.PATH, HOME: home, DATABASE_URL: url },
      },
    );
    expect(stdout).toMatch(/^\|.+\|\n\| ?--.+\|\n\|/m);
  });
});
