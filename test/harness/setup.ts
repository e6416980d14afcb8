// Runs beside every test file: cleans up after its helpers.
import { afterAll, afterEach } from 'vitest';
import { runFileCleanups, runTestCleanups } from './cleanup.ts';

afterEach(runTestCleanups);
afterAll(runFileCleanups);
