// Signals that come twice, to a server that brings its own PostgreSQL: neither is ever left running.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { findEmbedded } from '../../src/database/embedded/server.ts';
import { launch, lockContact, programFolder } from '../harness/serving.ts';
import { session, waiting } from '../harness/session.ts';
import { until } from '../harness/waiting.ts';
import { makeServedFolder } from './served-folder.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let served: Awaited<ReturnType<typeof makeServedFolder>>;
beforeAll(async () => {
  served = await makeServedFolder();
});

describe.each([
  ['one process', []],
  ['two workers', ['--workers', '2']],
])('%s', (_, options) => {
  const serve = () => launch({ MUSTER_DATA_DIR: served.data, DRAIN_SECONDS: '20' }, options);

  /** A server that is asked something it cannot answer yet, and has been told to stop. */
  const stopAtWork = async () => {
    const server = await serve();
    const holder = await session(served.url);
    const watch = await session(served.url);
    const { path, note } = await lockContact(holder);
    const answer = server.ask(served.token, 'POST', path, note).then(
      ({ status }) => status,
      () => 'cut',
    );
    await until('it waits', async () => (await waiting(watch)) === 1);
    server.child.kill('SIGTERM');
    await until('it stops', () => server.logged().some(({ msg }) => msg === 'stopping'));
    return { server, answer, release: () => holder.query('rollback') };
  };

  it('the same signal twice within a second is one: what was asked is answered', async () => {
    const { server, answer, release } = await stopAtWork();
    server.child.kill('SIGTERM');
    server.child.kill('SIGINT');
    await sleep(300);
    expect(server.child.exitCode).toBe(null);
    await release();
    expect([await answer, await server.ended, await findEmbedded(served.data)]).toEqual([201, 0, undefined]);
  });

  it('a later one ends it at once, and its database with it', async () => {
    const { server, answer } = await stopAtWork();
    await sleep(1100);
    const before = performance.now();
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(1);
    expect(performance.now() - before).toBeLessThan(5000);
    // It was cut off, or told that the database is gone.
    expect([503, 'cut']).toContain(await answer);
    await until('the database is gone', async () => !(await findEmbedded(served.data)), 5000);
  });
});

it.each([
  'SIGINT',
  'SIGTERM',
] as const)('npm start, whose process group is sent %s, stops as it should', async (signal) => {
  const child = spawn('npm', ['start', '--silent'], {
    cwd: programFolder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', MUSTER_DATA_DIR: served.data },
  });
  const said = { out: '', err: '' };
  child.stdout.on('data', (text) => (said.out += text));
  child.stderr.on('data', (text) => (said.err += text));
  const ended = once(child, 'close');
  await until('it listens', () => said.out.includes('"listening"') || child.exitCode !== null);
  expect(child.exitCode, said.err).toBe(null);
  process.kill(-child.pid!, signal);
  await ended;
  expect(said.out).toContain('"stopped"');
  expect(await findEmbedded(served.data)).toBeUndefined();
});
