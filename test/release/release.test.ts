// The files of a release: the same bytes twice, small, and a server that an ordinary user installs into an empty folder, tries, backs up and restores.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { findEmbedded } from '../../packages/embedded-server/server.ts';
import { makeRelease } from '../../packages/release/release.ts';
import { waitUntil } from '../harness/waiting.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const place = mkdtempSync(join(tmpdir(), 'muster-release-test-'));
const [release, home] = [join(place, 'release'), join(place, 'home')];
/** Root cannot be an ordinary user, so it lends its files to one. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const env = { PATH: process.env.PATH, HOME: home, MUSTER_DATA_DIR: join(home, 'data'), PORT: '0' };
const program = join(home, 'node_modules/.bin/muster');
const muster = (args: readonly string[], more: Record<string, string> = {}): string =>
  execFileSync(program, args, { cwd: home, env: { ...env, ...more }, encoding: 'utf8', ...user });

beforeAll(() => {
  chmodSync(place, 0o711);
  makeRelease(release);
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

it('has the same bytes each time, whose sums stand beside them, and is small', () => {
  const listed = readFileSync(join(release, 'SHA256SUMS'), 'utf8').trim().split('\n');
  const names = listed.map((line) => line.split('  ')[1]);
  expect(names).toEqual(['CHANGES.md', 'muster-client-0.1.0.tgz', 'muster-server-0.1.0.tgz', 'sbom.cdx.json']);
  expect(readdirSync(release).sort()).toEqual(['SHA256SUMS', ...(names as string[])].sort());
  for (const line of listed) {
    const [sum, name] = line.split('  ') as [string, string];
    expect([
      name,
      createHash('sha256')
        .update(readFileSync(join(release, name)))
        .digest('hex'),
    ]).toEqual([name, sum]);
  }
  expect(statSync(join(release, 'muster-server-0.1.0.tgz')).size).toBeLessThan(12e6);
  const again = join(place, 'again');
  makeRelease(again);
  expect(readFileSync(join(again, 'SHA256SUMS'), 'utf8').trim().split('\n')).toEqual(listed);
  const { components } = JSON.parse(readFileSync(join(release, 'sbom.cdx.json'), 'utf8'));
  const listedNames = components.map(({ purl }: { purl: string }) => purl);
  for (const name of ['pkg:npm/graphql@', 'pkg:npm/knex@', 'pkg:npm/pg@'])
    expect(listedNames.some((purl: string) => purl.startsWith(name))).toBe(true);
  expect(listedNames.some((purl: string) => purl.startsWith('pkg:npm/vitest@'))).toBe(false);
});

it('is installed into an empty folder, serves the demo, passes the doctor, is backed up and restored', async () => {
  mkdirSync(home);
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  execFileSync('npm', [...install, join(release, 'muster-server-0.1.0.tgz')], { cwd: home });
  if (user.uid) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, home]);
  const kilobytes = Number(execFileSync('du', ['-sk', home], { encoding: 'utf8' }).split('\t')[0]);
  expect(kilobytes / 1024).toBeLessThan(120);
  expect(muster(['--version']).trim()).toBe('0.1.0');

  const serve = async (args: readonly string[], more: Record<string, string>) => {
    const child = spawn(program, ['serve', ...args], { cwd: home, env: { ...env, ...more }, ...user });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
    const ended = once(child, 'close');
    await waitUntil('it serves', () => said.includes('Ctrl-C') || child.exitCode !== null, 120_000);
    const url = /answers at (\S+)/.exec(said)?.[1] ?? said;
    const stop = async () => {
      child.kill('SIGTERM');
      return (await ended)[0];
    };
    const count = async (token: string): Promise<number> => {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ query: '{ searchContacts(query: { tags: { equals: "Bénévole" } }) { totalCount } }' }),
      });
      return (await response.json()).data.searchContacts.totalCount;
    };
    return { url, stop, count, say: () => said };
  };
  // What a shell has set does not matter to the demo.
  const other = 'postgresql://nobody@127.0.0.1:9/none';
  const demo = await serve(['--demo', '--workers', '2'], { DATABASE_URL: other, DATABASE_REPLICA_URL: other });
  // Whoever is answered finds the demo there.
  const token = readFileSync(join(home, 'data/demo-token'), 'utf8').trim();
  const found = await demo.count(token);
  expect(demo.say()).not.toContain('replica');
  expect(found).toBeGreaterThan(100);
  const headers = { Accept: '*/*', Authorization: `Bearer ${token}` };
  for (const path of ['/', '/explore', '/docs', '/docs/guide', '/openapi.json', '/llms.txt', '/graphql/schema.graphql'])
    expect([path, (await fetch(demo.url + path, { headers })).status]).toEqual([path, 200]);
  const graphiql = await fetch(`${demo.url}/graphql`, { headers: { Accept: 'text/html' } });
  expect([graphiql.status, graphiql.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(muster(['doctor'])).toContain('0 failed');
  muster(['backup', 'demo.backup']);
  expect([await demo.stop(), await findEmbedded(env.MUSTER_DATA_DIR)]).toEqual([0, undefined]);

  const elsewhere = { MUSTER_DATA_DIR: join(home, 'copy') };
  muster(['restore', 'demo.backup'], elsewhere);
  const copy = await serve([], elsewhere);
  expect([await copy.count(token), await copy.stop()]).toEqual([found, 0]);
});
