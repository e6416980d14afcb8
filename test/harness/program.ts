// The program as it is shipped: a build in a folder of its own, which nobody else can be writing while a test starts it.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const parts = ['src', 'schema', 'migrations', 'package.json', 'package-lock.json', 'build.js', 'node_modules'];

/** Builds the program, beside a place for files of the tests. The folder goes after the tests of the file. */
export const buildProgram = (): { folder: string; program: string; place: string } => {
  const folder = fs.mkdtempSync(join(tmpdir(), 'muster-program-'));
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
  for (const name of parts) fs.symlinkSync(join(root, name), join(folder, name));
  execFileSync(process.execPath, [join(root, 'build.js')], { cwd: folder });
  const place = join(folder, 'files');
  fs.mkdirSync(place);
  return { folder, program: join(folder, 'dist/main.js'), place };
};
