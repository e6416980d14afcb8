// Runs beside every test file: leaves out what another run has passed, and cleans up after its helpers.
import { afterAll, afterEach, beforeEach } from 'vitest';
import { runFileCleanups, runTestCleanups } from './cleanup.ts';
import { hasPassed } from './passed.ts';

beforeEach(({ task, skip }) => {
  if (hasPassed(task.file.filepath, task.fullTestName)) skip('another run has passed it');
});

afterEach(runTestCleanups);
afterAll(runFileCleanups);
