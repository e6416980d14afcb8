// The embedded PostgreSQL survives kills, crashes, races and unusual folders.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { locateCluster } from '../../packages/embedded-server/cluster-files.ts';
import { superuser } from '../../packages/embedded-server/owner-role.ts';
import { type EmbeddedServer, findEmbedded } from '../../packages/embedded-server/server.ts';
import { isServerOf, shutDownPostmaster } from '../../packages/embedded-server/server-process.ts';
import {
  children,
  createTempFolder,
  findProcesses,
  isRoot,
  queryDatabase,
  readPostmasterPid,
  startCluster,
  startInChild,
} from './clusters.ts';

test('a first start creates a cluster that only 127.0.0.1 reaches, with a password', async () => {
  const folder = join(createTempFolder(), 'data');
  const steps: string[] = [];
  const before = performance.now();
  const server = await startCluster(folder, { onStep: (text) => steps.push(text), settings: { work_mem: '7MB' } });
  console.log(`cold start: ${Math.round(performance.now() - before)} ms`);
  try {
    expect(server.attached).toBe(false);
    expect(steps).toEqual([expect.stringContaining('first start')]);
    const [facts] = await queryDatabase(
      server.url,
      `select current_database() as name, current_user as role, datlocprovider as provider, datlocale as locale,
         pg_encoding_to_char(encoding) as encoding, current_setting('data_checksums') as checksums,
         current_setting('timezone') as zone, current_setting('listen_addresses') as addresses,
         current_setting('work_mem') as memory
       from pg_database where datname = current_database()`,
    );
    expect(facts).toEqual({
      name: 'muster',
      role: 'muster_owner',
      provider: 'b',
      locale: 'C.UTF-8',
      encoding: 'UTF8',
      checksums: 'on',
      zone: 'UTC',
      addresses: '127.0.0.1',
      memory: '7MB',
    });
    const asSuperuser = (await findEmbedded(folder, 'muster', superuser))!;
    expect(await queryDatabase(asSuperuser, 'show unix_socket_directories')).toEqual([{ unix_socket_directories: '' }]);
    expect(fs.statSync(join(folder, 'pg-password')).mode & 0o777).toBe(0o600);
    await expect(queryDatabase(server.url.replace(/:[^:@]+@/, ':guess@'), 'select 1')).rejects.toMatchObject({
      code: '28P01',
    });
  } finally {
    await server.stop();
  }
});

test('a start whose server is ended by another process before it has a session there starts it again', async () => {
  const folder = createTempFolder();
  await startCluster(folder).then((server) => server.stop());
  const { cluster } = locateCluster(folder);
  const starting = startCluster(folder);
  // What a command does that has attached to it meanwhile, and finds itself alone.
  let ended = 0;
  for (const deadline = Date.now() + 20_000; ended === 0 && Date.now() < deadline; await sleep(1))
    if (fs.existsSync(join(cluster, 'postmaster.pid'))) {
      ended = readPostmasterPid(cluster);
      if (ended > 0) process.kill(ended, 'SIGINT');
    }
  const server = await starting;
  try {
    expect(ended).toBeGreaterThan(0);
    expect(readPostmasterPid(cluster)).not.toBe(ended);
    expect(await queryDatabase(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  } finally {
    await server.stop();
  }
});

test('a restart keeps the data and the port, and is fast', async () => {
  const folder = createTempFolder();
  const asked = performance.now();
  const first = await startCluster(folder);
  const cold = performance.now() - asked;
  await queryDatabase(first.url, 'create table kept as select 42 as answer');
  await first.stop();
  await first.stop();
  expect(findProcesses(folder)).toEqual([]);

  const took: number[] = [];
  for (let round = 0; round < 3; round++) {
    const before = performance.now();
    const server = await startCluster(folder);
    took.push(Math.round(performance.now() - before));
    expect(server).toMatchObject({ attached: false, port: first.port, url: first.url });
    expect(await queryDatabase(server.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
    await server.stop();
  }
  console.log(`cold start: ${Math.round(cold)} ms, warm starts: ${took.join(', ')} ms`);
  // Nothing is created again. By how much that is faster depends on the disk.
  expect(Math.min(...took)).toBeLessThan(cold);
});

test('a port in use by another program is replaced by a free one', async () => {
  const folder = createTempFolder();
  const { port, stop } = await startCluster(folder);
  await stop();
  const other = createServer().listen(port, '127.0.0.1');
  await once(other, 'listening');
  try {
    const server = await startCluster(folder);
    expect(server.port).not.toBe(port);
    expect(await queryDatabase(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await server.stop();
  } finally {
    other.close();
  }
});

test('findEmbedded finds the server only while it is running', async () => {
  const folder = join(createTempFolder(), 'data');
  expect(await findEmbedded(folder)).toBeUndefined();
  const server = await startCluster(folder, { database: 'of a "test"' });
  expect(await findEmbedded(folder, 'of a "test"')).toBe(server.url);
  expect(await queryDatabase(server.url, 'select current_database() as name')).toEqual([{ name: 'of a "test"' }]);
  await server.stop();
  expect(await findEmbedded(folder)).toBeUndefined();
});

test('after a kill -9 of the process group that started it, the server lives on and a new start attaches', async () => {
  const folder = createTempFolder();
  const killed = await startInChild(folder);
  expect(killed.attached).toBe(false);
  await queryDatabase(killed.url, 'create table kept as select 42 as answer');
  await killed.kill();

  const server = await startCluster(folder);
  expect(server).toMatchObject({ attached: true, url: killed.url });
  expect(await queryDatabase(server.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  await server.stop();
  expect(findProcesses(folder)).toEqual([]);
});

test('two concurrent first starts share one server, which stops with its last user, whoever started it', async () => {
  for (const firstToStop of ['starter', 'guest']) {
    const folder = createTempFolder();
    const both = await Promise.all([startInChild(folder), startInChild(folder)]);
    const starter = both.find(({ attached }) => !attached);
    const guest = both.find(({ attached }) => attached);
    if (!starter || !guest) throw new Error('Exactly one should have started the server.');
    expect(guest.url).toBe(starter.url);

    const [leaving, staying] = firstToStop === 'starter' ? [starter, guest] : [guest, starter];
    await leaving.stop();
    expect(await queryDatabase(staying.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(fs.readdirSync(folder).filter((name) => name.includes('draft'))).toEqual([]);
    await staying.stop();
    expect(findProcesses(folder)).toEqual([]);
  }
});

test('of two starts that create the password at once, the later one uses that of the other, and neither reads half of it', async () => {
  const folder = createTempFolder();
  const link = fs.linkSync;
  vi.spyOn(fs, 'linkSync').mockImplementation((draft, file) => {
    expect(fs.readFileSync(draft, 'utf8')).toMatch(/^[0-9a-f]{48}$/);
    expect(fs.existsSync(file)).toBe(false);
    fs.writeFileSync(file, 'of-the-other');
    link(draft, file);
  });
  const server = await startCluster(folder);
  expect(new URL(server.url).password).toBe('of-the-other');
  expect(fs.readdirSync(folder).filter((name) => name.includes('draft'))).toEqual([]);
  expect(await queryDatabase(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  await server.stop();
});

test('many concurrent starts of a stopped server start one server', async () => {
  const folder = createTempFolder();
  await (await startCluster(folder)).stop();
  for (let round = 0; round < 3; round++) {
    const servers = await Promise.all([1, 2, 3, 4].map(() => startCluster(folder)));
    expect(servers.map(({ attached }) => attached).sort()).toEqual([false, true, true, true]);
    expect(new Set(servers.map(({ url }) => url)).size).toBe(1);
    expect(fs.readFileSync(join(folder, 'pg-port'), 'utf8')).toBe(String(servers[0]?.port));
    await Promise.all(servers.map(({ stop }) => stop()));
  }
});

test('a start while the last user stops still gets a server', async () => {
  const folder = createTempFolder();
  let server = await startCluster(folder);
  for (let round = 0; round < 8; round++) {
    const stopping = server.stop();
    await sleep(round * 4);
    const [next] = await Promise.all([startCluster(folder), stopping]);
    expect(await queryDatabase(next.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    server = next;
  }
  await server.stop();
});

test('users who stop at the same moment do stop the server', async () => {
  const folder = createTempFolder();
  const servers: EmbeddedServer[] = [];
  for (let user = 0; user < 5; user++) servers.push(await startCluster(folder));
  expect(servers.map(({ attached }) => attached)).toEqual([false, true, true, true, true]);
  await Promise.all(servers.map(({ stop }) => stop()));
  expect(findProcesses(folder)).toEqual([]);
});

test('a crash of one process of the server does not lose its users', async () => {
  const folder = createTempFolder();
  const server = await startCluster(folder);
  const [holder] = await queryDatabase(server.url, `select pid from pg_locks where locktype = 'advisory'`);
  process.kill(holder.pid, 'SIGKILL');
  await vi.waitFor(async () => {
    const [held] = await queryDatabase(server.url, `select pid from pg_locks where locktype = 'advisory'`);
    expect(held.pid).not.toBe(holder.pid);
  }, 10_000);

  const guest = await startCluster(folder);
  expect(guest.attached).toBe(true);
  await guest.stop();
  expect(await queryDatabase(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  await server.stop();
  expect(findProcesses(folder)).toEqual([]);
});

test('a postmaster.pid left by a crash does not block, even when another program now has its pid', async () => {
  const folder = createTempFolder();
  const cluster = join(folder, 'pg');
  for (const reused of [false, true]) {
    const server = await startCluster(folder);
    await queryDatabase(server.url, 'create table if not exists kept as select 42 as answer');
    const pid = readPostmasterPid(cluster);
    process.kill(pid, 'SIGKILL');
    await vi.waitFor(() => expect(findProcesses(folder)).toEqual([]), 10_000);
    await server.stop();
    expect(await findEmbedded(folder)).toBeUndefined();

    // PostgreSQL itself ignores a process of another OS user, so the other program runs as the same user.
    const { uid, gid } = fs.statSync(cluster);
    const other = spawn('sleep', ['60'], isRoot ? { uid, gid } : {});
    children.push(other);
    const file = join(cluster, 'postmaster.pid');
    if (reused) fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/^\d+/, String(other.pid)));
    expect(await findEmbedded(folder)).toBeUndefined();

    const again = await startCluster(folder);
    expect(again.attached).toBe(false);
    expect(await queryDatabase(again.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
    await again.stop();
    other.kill();
  }
});

test.skipIf(process.platform === 'win32')('a server that does not shut down properly is killed', async () => {
  const folder = createTempFolder();
  const server = await startCluster(folder);
  const { cluster } = locateCluster(folder);
  await queryDatabase(server.url, 'create table kept as select 42 as answer');
  const pid = readPostmasterPid(cluster);
  process.kill(pid, 'SIGSTOP');
  await shutDownPostmaster({ bin: '', cluster, log: join(folder, 'pg.log') }, pid, [
    ['SIGINT', 200],
    ['SIGQUIT', 200],
    ['SIGKILL', 10_000],
  ]);
  expect(isServerOf(pid, cluster)).toBe(false);
  const next = await startCluster(folder);
  expect(await queryDatabase(next.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  await next.stop();
  await server.stop();
});
