// The tests that another run of the same sources has passed, from its report, which TEST_PASSED names: the rest need not repeat what `npm test` ran.
import { readFileSync } from 'node:fs';
import { createCacheKey } from '../../src/cache-key.ts';

interface Report {
  testResults: { name: string; assertionResults: { ancestorTitles: string[]; title: string; status: string }[] }[];
}

const readPassed = (path: string | undefined): ReadonlySet<string> => {
  if (!path) return new Set();
  const { testResults }: Report = JSON.parse(readFileSync(path, 'utf8'));
  return new Set(
    testResults.flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ status }) => status === 'passed')
        .map(({ ancestorTitles, title }) => createCacheKey(name, [...ancestorTitles, title].join(' > '))),
    ),
  );
};
const passed = readPassed(process.env.TEST_PASSED);

/** Whether it has passed: by its file, and the titles of its suites and its own, as Vitest joins them. */
export const hasPassed = (file: string, titles: string): boolean => passed.has(createCacheKey(file, titles));
