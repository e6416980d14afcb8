// Folders for the files that a test writes.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanUpAfterFile } from './cleanup.ts';

const made: string[] = [];
cleanUpAfterFile(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Creates a folder that is removed after the tests of the file. */
export const createFolder = (): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'muster-test-')));
  made.push(folder);
  return folder;
};
