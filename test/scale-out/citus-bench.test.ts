// The benchmark of a cluster ends, and its two databases give the same answers.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const reason = process.env.CITUS_URL ? undefined : 'no CITUS_URL: test/scale-out/citus.sh starts a cluster';

it.skipIf(reason)(
  'bench:citus compares searches on one PostgreSQL and on a cluster',
  { timeout: 300_000 },
  async () => {
    const args = '--contacts 1000 --spaces 1 --sweep --only NOTES.COUNT,EMAILS.TYPE';
    const { stdout } = await promisify(execFile)('npm', ['run', '-s', 'bench:citus', '--', ...args.split(' ')]);
    expect(stdout).toMatch(/^\| count \| \d+ \|/m);
  },
);
