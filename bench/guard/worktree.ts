// Checks the other commit out beside this one, builds it with its own packages, and removes it again.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { locatePackageFile } from '../../src/database/package-file.ts';

const run = promisify(execFile);
export const here = fileURLToPath(locatePackageFile('./'));
const git = async (...args: string[]): Promise<string> => (await run('git', args, { cwd: here })).stdout.trim();

/** The default commit to compare with: origin/main, or the previous commit if that is the current one or missing. */
export const findDefaultReference = async (): Promise<string> => {
  const [main, head] = await Promise.all([
    git('rev-parse', '--verify', '--quiet', 'origin/main^{commit}').catch(() => ''),
    git('rev-parse', 'HEAD'),
  ]);
  return main && main !== head ? 'origin/main' : 'HEAD~1';
};

export interface Worktree {
  folder: string;
  /** The short hash of the commit. */
  commit: string;
  remove(): Promise<void>;
}

const lockfile = (folder: string): string => readFileSync(join(folder, 'package-lock.json'), 'utf8');

/** Throws when the commit does not exist or its build fails. */
export const checkOut = async (reference: string): Promise<Worktree> => {
  const commit = await git('rev-parse', '--verify', '--quiet', '--short', `${reference}^{commit}`).catch(() => {
    throw new Error(`There is no commit ${reference} here. Name another one with --against (a shallow clone has few)`);
  });
  const place = mkdtempSync(join(tmpdir(), 'muster-bench-guard-'));
  const folder = join(place, 'other');
  const remove = async (): Promise<void> => {
    await git('worktree', 'remove', '--force', folder).catch(() => {});
    rmSync(place, { recursive: true, force: true });
    await git('worktree', 'prune').catch(() => {});
  };
  try {
    await git('worktree', 'add', '--detach', folder, commit);
    // Identical packages are not fetched again.
    if (lockfile(folder) === lockfile(here))
      symlinkSync(join(here, 'node_modules'), join(folder, 'node_modules'), 'dir');
    else await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder });
    await run(process.execPath, ['build.js'], { cwd: folder });
    return { folder, commit, remove };
  } catch (error) {
    await remove();
    throw error;
  }
};

const migrationsOf = (folder: string): string =>
  readdirSync(join(folder, 'migrations'))
    .sort()
    .map((name) => `${name}\n${readFileSync(join(folder, 'migrations', name), 'utf8')}`)
    .join('\n');

/** Whether two folders have the same migrations. */
export const hasSameMigrations = (one: string, other: string): boolean => migrationsOf(one) === migrationsOf(other);

/** Brings a database up to the version of a folder. */
export const migrateWith = async (folder: string, url: string): Promise<void> => {
  await run(process.execPath, [join(folder, 'dist/main.js'), 'migrate'], {
    cwd: folder,
    env: { ...process.env, DATABASE_URL: url },
  });
};
