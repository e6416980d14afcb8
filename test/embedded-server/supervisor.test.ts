// An embedded PostgreSQL that dies is restarted in place by one of its users, until restarts are useless.
import { once } from 'node:events';
import fs from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type EmbeddedServer, findEmbedded } from '../../packages/embedded-server/server.ts';
import type { EmbeddedEvent } from '../../packages/embedded-server/supervisor.ts';
import { waitUntil } from '../harness/waiting.ts';
import {
  createTempFolder,
  findProcesses,
  killPostmaster,
  queryDatabase,
  readPostmasterPid,
  startCluster,
  startInChild,
} from './clusters.ts';

const quick = { first: 20, longest: 100, calm: 100 };

const startWatched = async (folder: string, pauses = quick) => {
  const events: EmbeddedEvent[] = [];
  const report = (event: EmbeddedEvent): void => void events.push(event);
  const server = await startCluster(folder, { watch: { report, pauses } });
  // A test that fails must not leave it running for the check of the whole file.
  onTestFinished(() => server.stop().catch(() => {}));
  const eventsOf = (kind: EmbeddedEvent['event']): EmbeddedEvent[] => events.filter(({ event }) => event === kind);
  return { server, events, eventsOf };
};
const isAnswering = ({ url }: EmbeddedServer): Promise<boolean> =>
  queryDatabase(url, 'select').then(
    () => true,
    () => false,
  );

test('a killed server is restarted on its port, each time, with all committed data', async () => {
  const folder = createTempFolder();
  const { server, events, eventsOf } = await startWatched(folder);
  await queryDatabase(server.url, 'create table kept (round int)');
  for (let round = 1; round <= 3; round++) {
    await queryDatabase(server.url, `insert into kept values (${round})`);
    await sleep(quick.calm * 2);
    killPostmaster(folder);
    await waitUntil('it runs again', () => eventsOf('restarted').length === round);
    expect(await queryDatabase(server.url, 'select count(*) from kept')).toEqual([{ count: String(round) }]);
    expect(await findEmbedded(folder)).toBe(server.url);
  }
  expect(events.map(({ event }) => event)).toEqual(Array.from({ length: 3 }, () => ['ended', 'restarted']).flat());
  expect(events[0]).toEqual({ event: 'ended', log: expect.arrayContaining([expect.stringContaining('LOG:')]) });
  expect(events[1]).toEqual({ event: 'restarted', pid: expect.any(Number), ms: expect.any(Number) });
  await server.stop();
  expect(findProcesses(folder)).toEqual([]);
});

test('a server that is shut down is restarted; one with a crashed process recovers by itself', async () => {
  const folder = createTempFolder();
  const { server, events } = await startWatched(folder);
  const [backend] = await queryDatabase(server.url, `select pid from pg_locks where locktype = 'advisory'`);
  process.kill(backend.pid, 'SIGKILL');
  await waitUntil('the server recovers', async () => {
    // A connection may still be cut after an earlier one was accepted.
    const [held] = await queryDatabase(server.url, `select pid from pg_locks where locktype = 'advisory'`).catch(
      () => [],
    );
    return held && held.pid !== backend.pid;
  });
  expect(events).toEqual([]);
  await sleep(quick.calm * 2);
  process.kill(readPostmasterPid(join(folder, 'pg')), 'SIGINT');
  await waitUntil('it runs again', () => events.length === 2);
  expect(await isAnswering(server)).toBe(true);
  await server.stop();
  expect(findProcesses(folder)).toEqual([]);
});

test('processes of a killed server that are still running are awaited, which is no failure', async () => {
  const folder = createTempFolder();
  const { server, eventsOf } = await startWatched(folder);
  // The process computes, and does not check whether its server lives.
  const work = queryDatabase(server.url, 'select count(*) from generate_series(1, 20000000) n where n % 7 = 3').catch(
    () => {},
  );
  await sleep(quick.calm * 2);
  killPostmaster(folder);
  await waitUntil('it runs again', () => eventsOf('restarted').length === 1);
  expect(eventsOf('failed').map((event) => 'reason' in event && event.reason)).toEqual([]);
  expect(fs.readFileSync(join(folder, 'pg.log'), 'utf8')).toContain('is still in use');
  await work;
  await server.stop();
  expect(findProcesses(folder)).toEqual([]);
});

test('five failures in a row end the restarts: failed starts, and servers that die at once', async () => {
  const folder = createTempFolder();
  const { server, eventsOf } = await startWatched(folder);
  const control = join(folder, 'pg/global/pg_control');
  fs.renameSync(control, `${control}-away`);
  await sleep(quick.calm * 2);
  killPostmaster(folder);
  await expect(server.failed).rejects.toThrow(
    /cannot be kept running.*could not find the database system.*pg_control/s,
  );
  expect(eventsOf('failed').map((event) => 'failures' in event && event.failures)).toEqual([1, 2, 3, 4, 5]);
  await server.stop();
  expect(findProcesses(folder)).toEqual([]);
  fs.renameSync(`${control}-away`, control);

  const again = await startWatched(folder, { ...quick, calm: 60_000 });
  for (let round = 1; round < 5; round++) {
    killPostmaster(folder);
    await waitUntil('it runs again', () => again.eventsOf('restarted').length === round);
  }
  killPostmaster(folder);
  await expect(again.server.failed).rejects.toThrow('cannot be kept running: it ended soon after its start');
  await again.server.stop();
  expect(findProcesses(folder)).toEqual([]);
});

test('temporary failures are overcome: a missing file, a port that another program uses for a while', async () => {
  const folder = createTempFolder();
  const { server, eventsOf } = await startWatched(folder, { first: 300, longest: 300, calm: 100 });
  const reasons = (): string[] => eventsOf('failed').map((event) => ('reason' in event ? event.reason : ''));
  const control = join(folder, 'pg/global/pg_control');
  await sleep(300);
  fs.renameSync(control, `${control}-away`);
  killPostmaster(folder);
  await waitUntil('a start has failed', () => reasons().length === 1);
  const other = createServer().listen(server.port, '127.0.0.1');
  await once(other, 'listening');
  fs.renameSync(`${control}-away`, control);
  await waitUntil('another start has failed', () => reasons().length === 2);
  other.close();
  await waitUntil('it runs again', () => eventsOf('restarted').length === 1);
  expect(reasons()).toEqual([expect.stringContaining('could not start'), expect.stringContaining('EADDRINUSE')]);
  expect(await findEmbedded(folder)).toBe(server.url);
  await server.stop();
});

test('one of two processes that watch a server restarts it, and both continue with it', async () => {
  const folder = createTempFolder();
  const both = await Promise.all([startWatched(folder), startWatched(folder)]);
  for (let round = 1; round <= 8; round++) {
    await sleep(quick.calm * 2);
    killPostmaster(folder);
    await waitUntil('both have the server again', () =>
      both.every(({ eventsOf }) => eventsOf('restarted').length === round),
    );
    await waitUntil('the other start has ended', () => findProcesses(folder).length === 1);
    const pids = both
      .map(({ eventsOf }) => eventsOf('restarted').at(-1))
      .map((event) => event && 'pid' in event && event.pid);
    expect(pids).toEqual([readPostmasterPid(join(folder, 'pg')), readPostmasterPid(join(folder, 'pg'))]);
  }
  expect(both.flatMap(({ eventsOf }) => eventsOf('failed'))).toEqual([]);
  await both[0].server.stop();
  expect(await isAnswering(both[1].server)).toBe(true);
  await both[1].server.stop();
  expect(findProcesses(folder)).toEqual([]);
});

test('a stop during a restart leaves nothing running', async () => {
  const folder = createTempFolder();
  for (const delay of [0, 10, 30, 60, 100, 200]) {
    const { server } = await startWatched(folder);
    await sleep(quick.calm * 2);
    killPostmaster(folder);
    await sleep(delay);
    await server.stop();
    expect(findProcesses(folder)).toEqual([]);
  }
});

test('a process that is killed while it restarts the server leaves one that the next start finds, or none', async () => {
  const folder = createTempFolder();
  await (await startCluster(folder)).stop();
  for (const delay of [0, 20, 40, 60, 90, 150]) {
    const watching = await startInChild(folder, { watched: true });
    await queryDatabase(
      watching.url,
      `create table if not exists kept (delay int); insert into kept values (${delay})`,
    );
    killPostmaster(folder);
    await sleep(delay);
    await watching.kill();
    const next = await startCluster(folder);
    expect(next.url).toBe(watching.url);
    expect(findProcesses(folder)).toHaveLength(1);
    expect(await queryDatabase(next.url, `select count(*) from kept where delay = ${delay}`)).toEqual([{ count: '1' }]);
    await next.stop();
    expect(findProcesses(folder)).toEqual([]);
  }
});
