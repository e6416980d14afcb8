import { createRequire } from 'node:module';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Two copies of graphql (its CommonJS and its ESM build) would not know each other's types.
  resolve: { alias: [{ find: /^graphql$/, replacement: createRequire(import.meta.url).resolve('graphql') }] },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/harness/global-setup.ts'],
    setupFiles: ['test/harness/setup.ts'],
    // Files share the modules of their worker: building the schema for each would take a fifth of the time.
    isolate: false,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // Many tests wait for servers and clocks: three keep two cores busy.
    maxWorkers: 3,
    reporters: ['default', ['json', { outputFile: '.vitest-report.json' }]],
  },
});
