// Builds the program as it is shipped, once for the whole run, and gives each test file that runs it a folder of its own.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join, resolve } from 'node:path';
import { inject } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const pages = fs.readdirSync(root).filter((name) => name.endsWith('.md'));
const parts = [
  'src',
  'packages',
  'schema',
  'migrations',
  'docs',
  ...pages,
  'openapi.json',
  'package.json',
  'package-lock.json',
  'build.js',
  'node_modules',
];

/** Builds into a temporary folder, which is then renamed: other test files see a complete build, or none. */
const buildShared = (shared: string): void => {
  const folder = fs.mkdtempSync(`${shared}-`);
  for (const name of parts) fs.symlinkSync(join(root, name), join(folder, name));
  execFileSync(process.execPath, [join(root, 'build.js')], { cwd: folder });
  try {
    fs.renameSync(folder, shared);
  } catch {
    // Another test file was first.
    fs.rmSync(folder, { recursive: true });
  }
};

/** The program, a folder to run it in, and one for files of the tests. They are removed after the whole run. */
export const buildProgram = (): { folder: string; program: string; place: string } => {
  const shared = join(inject('programFolder'), 'program');
  if (!fs.existsSync(shared)) buildShared(shared);
  // Everybody may enter, as in most homes: the embedded server runs as another user when the tests run as root.
  fs.chmodSync(inject('programFolder'), 0o711);
  const folder = fs.mkdtempSync(join(inject('programFolder'), 'run-'));
  for (const name of [...parts, 'dist']) fs.symlinkSync(join(shared, name), join(folder, name));
  const place = join(folder, 'files');
  fs.mkdirSync(place);
  return { folder, program: join(folder, 'dist/main.js'), place };
};
