// Repeated signals to a server with an embedded PostgreSQL: neither is ever left running.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { findEmbedded } from '../../packages/embedded-server/server.ts';
import { lockContact, programFolder, spawnServer } from '../harness/serving.ts';
import { countWaitingInEmbedded, openSession } from '../harness/session.ts';
import { waitUntil } from '../harness/waiting.ts';
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
  const serve = () => spawnServer({ MUSTER_DATA_DIR: served.data, DRAIN_SECONDS: '20' }, options);

  /** A server with a request that it cannot answer yet, and that has got the signal to stop. */
  const stopWhileBusy = async () => {
    const server = await serve();
    const holder = await openSession(served.url);
    const watch = await openSession(served.url);
    const { path, note } = await lockContact(holder);
    const answer = server.ask(served.token, 'POST', path, note).then(
      ({ status }) => status,
      () => 'cut',
    );
    await waitUntil('it waits', async () => (await countWaitingInEmbedded(watch)) === 1);
    server.child.kill('SIGTERM');
    await waitUntil('it stops', () => server.logged().some(({ msg }) => msg === 'stopping'));
    return { server, answer, release: () => holder.query('rollback') };
  };

  it('counts the same signal twice within a second as one, and answers its request', async () => {
    const { server, answer, release } = await stopWhileBusy();
    server.child.kill('SIGTERM');
    server.child.kill('SIGINT');
    await sleep(300);
    expect(server.child.exitCode).toBe(null);
    await release();
    expect([await answer, await server.ended, await findEmbedded(served.data)]).toEqual([201, 0, undefined]);
  });

  it('ends at once on a later signal, and so does its database', async () => {
    const { server, answer } = await stopWhileBusy();
    await sleep(1100);
    const before = performance.now();
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(1);
    expect(performance.now() - before).toBeLessThan(5000);
    // The request was cut off, got an error that the database is gone, or was done because the lock's holder was ended first.
    expect([201, 503, 'cut']).toContain(await answer);
    await waitUntil('the database is gone', async () => !(await findEmbedded(served.data)), 5000);
  });
});

it.each(['SIGINT', 'SIGTERM'] as const)('npm start, whose process group gets %s, stops cleanly', async (signal) => {
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
  await waitUntil('it listens', () => said.out.includes('"listening"') || child.exitCode !== null);
  expect(child.exitCode, said.err).toBe(null);
  process.kill(-child.pid!, signal);
  await ended;
  expect(said.out).toContain('"stopped"');
  expect(await findEmbedded(served.data)).toBeUndefined();
});
