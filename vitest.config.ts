import { createRequire } from 'node:module';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

/** Replace modules, and so need their own. */
const withMocks = ['test/graphql/search-plan.test.ts', 'test/search/plan.test.ts', 'test/data/contact-locks.test.ts'];

const defineProject = (name: string, test: TestProjectInlineConfiguration['test']): TestProjectInlineConfiguration => ({
  // Two copies of graphql (its CommonJS and its ESM build) would not know each other's types.
  resolve: { alias: [{ find: /^graphql$/, replacement: createRequire(import.meta.url).resolve('graphql') }] },
  test: {
    name,
    setupFiles: ['test/harness/setup.ts'],
    // Generous, since machines differ: the same test may take five times as long on another.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Only where a busy machine decides what lands: .ci/run names the tests that pass only when they are repeated.
    retry: Number(process.env.TEST_RETRIES ?? 0),
    ...test,
  },
});

export default defineConfig({
  test: {
    globalSetup: ['test/harness/global-setup.ts'],
    // Many tests wait for servers and clocks: three keep two cores busy.
    maxWorkers: 3,
    experimental: { fsModuleCache: true },
    reporters: ['default', ['json', { outputFile: process.env.TEST_REPORT ?? '.vitest-report.json' }]],
    projects: [
      // Files share the modules of their worker: building the schema for each would take a fifth of the time.
      defineProject('tests', { include: ['test/**/*.test.ts'], exclude: withMocks, isolate: false }),
      defineProject('mocks', { include: withMocks }),
    ],
  },
});
