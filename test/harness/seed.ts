// What the cases of a run are drawn by.
import { execFileSync } from 'node:child_process';

/** TEST_SEED, or the commit, so that all cases get their turn. */
export const readSeed = (): string => {
  if (process.env.TEST_SEED) return process.env.TEST_SEED;
  try {
    const args = ['rev-parse', '--short', 'HEAD'];
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return 'no commit';
  }
};
