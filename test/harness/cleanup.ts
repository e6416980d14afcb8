// What helpers clean up after each test, and after each file. Files share the modules of their worker, so a hook at the top of a helper would run for one file only.

type Cleanup = () => unknown;

const afterEachTest: Cleanup[] = [];
const afterEachFile: Cleanup[] = [];

/** Runs a function after each test, also of files that do not use the helper. */
export const cleanUpAfterTest = (cleanup: Cleanup): void => void afterEachTest.push(cleanup);
/** Runs a function after the tests of each file. */
export const cleanUpAfterFile = (cleanup: Cleanup): void => void afterEachFile.push(cleanup);

/** The latest first: servers stop before their databases are dropped. */
const runAll = async (cleanups: Cleanup[]): Promise<void> => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
};
export const runTestCleanups = (): Promise<void> => runAll(afterEachTest);
export const runFileCleanups = (): Promise<void> => runAll(afterEachFile);
