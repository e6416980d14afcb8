import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { LongestFirst } from './test/harness/longest-first.ts';
import { findProject, listTestFiles, type Project, projects } from './test/harness/projects.ts';
import { readSeed } from './test/harness/seed.ts';
import { readShares, readSize } from './test/harness/sizes.ts';

const server = {
  globalSetup: ['test/harness/global-setup.ts'],
  setupFiles: ['test/harness/setup.ts', 'test/harness/setup-server.ts'],
};
// Files share the modules of their worker: building the schema for each would take a fifth of the time.
const settings: Record<Project, TestProjectInlineConfiguration['test']> = {
  unit: { isolate: false },
  app: { isolate: false, ...server },
  mocks: server,
  process: { isolate: false, ...server },
  browser: {
    isolate: false,
    ...server,
    globalSetup: [...server.globalSetup, 'test/harness/browser-setup.ts'],
  },
};

// The workers draw by it too.
process.env.TEST_SEED = readSeed();
const size = readSize();
const shares = readShares();
const seed = process.env.TEST_SEED;
const drawn = `Drawn with TEST_SIZE=${size} TEST_SEED=${seed}${shares > 1 ? ` TEST_SHARES=${shares}` : ''}`;
const files = listTestFiles(size, { shares, seed });
const defineProject = (name: Project): TestProjectInlineConfiguration => ({
  // Two copies of graphql (its CommonJS and its ESM build) would not know each other's types.
  resolve: { alias: [{ find: /^graphql$/, replacement: createRequire(import.meta.url).resolve('graphql') }] },
  test: {
    name,
    include: files.filter((file) => findProject(file) === name),
    // Workers keep the cores busy already: their garbage is collected seldom, and in no other thread.
    execArgv: ['--max-semi-space-size=64', '--single-threaded-gc'],
    setupFiles: ['test/harness/setup.ts'],
    // Generous, since machines differ: the same test may take five times as long on another.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Programs that run at once in a file, one for each core of a small machine.
    maxConcurrency: 2,
    expect: { poll: { timeout: 30_000 } },
    // Only where a busy machine decides what lands: .ci/run names the tests that pass only when they are repeated.
    retry: Number(process.env.TEST_RETRIES ?? 0),
    ...settings[name],
  },
});

export default defineConfig({
  test: {
    // Projects share the workers. Many files wait for servers and clocks: three keep two cores busy.
    maxWorkers: Math.min(availableParallelism(), 4) + 1,
    experimental: { fsModuleCache: true },
    sequence: { sequencer: LongestFirst },
    reporters: [
      'default',
      ['json', { outputFile: process.env.TEST_REPORT ?? '.vitest-report.json' }],
      {
        onTestRunStart: () => console.log(drawn),
        onTestRunEnd: (_, __, reason) => {
          if (reason === 'failed') console.error(`${drawn}: set both to draw the same cases`);
        },
      },
    ],
    projects: projects.map(defineProject),
  },
});
