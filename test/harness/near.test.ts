// npm run near: which tests are near a source, and what it says when there is none.
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

const near = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', 'test/harness/near.ts', ...args], {
    encoding: 'utf8',
  });
  return { status, out: stdout.trim().split('\n'), err: stderr.trim() };
};

it.each([
  ['src/database/batcher.ts', ['test/database/batcher.test.ts']],
  [
    'src/data/contact/tag.ts',
    ['test/contract/contact.test.ts', 'test/graphql/contacts.test.ts', 'test/graphql/tags.test.ts'],
  ],
  ['packages/embedded-server/log-file.ts', ['test/embedded-server/log-file.test.ts']],
  // No test has its name.
  [
    'src/telemetry/metrics.ts',
    ['test/deploy/services.test.ts', 'test/telemetry/monitoring.test.ts', 'test/telemetry/series.test.ts'],
  ],
])('of %s', (source, tests) => {
  expect(near('--list', source)).toEqual({ status: 0, out: tests, err: '' });
});

it.each([
  ['src/none.ts', 'near: there is no file src/none.ts'],
  ['README.md', 'near: README.md is no source file of src, packages or schema'],
])('of %s is refused', (source, err) => {
  expect(near(source)).toMatchObject({ status: 1, err });
});

it('has a help', () => {
  expect(near('--help').out.join('\n')).toMatch(/Usage: near .*sources[\s\S]*test\/x\/y\*/);
});
