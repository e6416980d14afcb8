// Servers for tests of the embedded PostgreSQL: in temporary folders, started by child processes that may be killed, none left running.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { expect, vi } from 'vitest';
import { startEmbedded } from '../../packages/embedded-server/server.ts';
import { cleanUpAfterFile, cleanUpAfterTest } from '../harness/cleanup.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

export const root = resolve(import.meta.dirname, '../..');
export const settings = { fsync: 'off', shared_buffers: '16MB' };
export const isRoot = process.getuid?.() === 0;
export const nobody = { uid: 65534, gid: 65534 };
export const folders: string[] = [];
export const children: ChildProcess[] = [];

export function createTempFolder(): string {
  const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'muster-embedded-')));
  fs.chmodSync(folder, 0o755);
  folders.push(folder);
  return folder;
}

export const startCluster = (folder: string, more: Parameters<typeof startEmbedded>[1] = {}) =>
  startEmbedded(folder, { ...more, settings: { ...settings, ...more.settings } });

export async function queryDatabase(url: string, text: string) {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

export const readPostmasterPid = (cluster: string) =>
  Number(fs.readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0]);

/** Kills the PostgreSQL of a data folder with SIGKILL. */
export const killPostmaster = (data: string): void => void process.kill(readPostmasterPid(join(data, 'pg')), 'SIGKILL');

/** The commands of all running processes that name the path. */
export function findProcesses(path: string): { pid: number; command: string }[] {
  const { stdout } = spawnSync('ps', ['-eww', '-o', 'pid=,command='], { encoding: 'utf8' });
  const found = stdout.split('\n').filter((line) => line.includes(` -D ${path}`));
  return found.map((line) => ({ pid: Number.parseInt(line, 10), command: line }));
}

/** Starts the server from another Node process, in its own process group, which stops when its standard input says so. */
export async function startInChild(
  folder: string,
  more: { program?: string; user?: typeof nobody; temp?: string; watched?: boolean } = {},
) {
  const module = pathToFileURL(join(more.program ?? root, 'packages/embedded-server/server.ts'));
  const code = `
    const { startEmbedded } = await import(${JSON.stringify(module.href)});
    const steps = [];
    const onStep = (text) => steps.push(text);
    const watch = ${more.watched ? '{ report: () => {} }' : 'undefined'};
    const settings = ${JSON.stringify(settings)};
    const server = await startEmbedded(${JSON.stringify(folder)}, { settings, onStep, watch });
    console.log(JSON.stringify({ ...server, steps }));
    process.stdin.once('data', async () => { await server.stop(); console.log('stopped'); process.exit(); });`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code], {
    cwd: root,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: folder, TMPDIR: more.temp ?? tmpdir() },
    ...more.user,
  });
  children.push(child);
  let errors = '';
  child.stderr.on('data', (data) => {
    errors += data;
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.done) throw new Error(errors);
  const server: { url: string; port: number; attached: boolean; steps: string[] } = JSON.parse(first.value);
  return {
    ...server,
    child,
    async stop() {
      child.stdin.write('stop\n');
      expect((await lines.next()).value, errors).toBe('stopped');
    },
    async kill() {
      process.kill(-Number(child.pid), 'SIGKILL');
      await once(child, 'close');
    },
  };
}

cleanUpAfterTest(() => vi.restoreAllMocks());

cleanUpAfterFile(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  const places = folders.splice(0).flatMap((folder) => {
    const pointers = spawnSync('find', [folder, '-name', 'pg-place'], { encoding: 'utf8' }).stdout.split('\n');
    return [folder, ...pointers.filter(Boolean).map((file) => fs.readFileSync(file, 'utf8'))];
  });
  const left = places.flatMap(findProcesses);
  for (const { pid } of left) process.kill(pid, 'SIGQUIT');
  while (places.flatMap(findProcesses).length) await sleep(50);
  for (const place of places) fs.rmSync(place, { recursive: true, force: true });
  expect(left, 'servers the tests left running').toEqual([]);
});
