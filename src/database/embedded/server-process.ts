// In charge of the process of the embedded PostgreSQL: find it by its files, start it, shut it down.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { environment, type Files, getErrorCode, readTextFile } from './cluster-files.ts';
import { createErrorWithLog } from './log-file.ts';

export interface Postmaster {
  pid: number;
  port: number;
}

export const host = '127.0.0.1';
/**
 * How a server is ended, and how many milliseconds it has for it: in order, then at once, then by force. PostgreSQL 18 may hang when
 * it is to end while it recovers. Nothing that was committed is lost by any of them.
 */
const endings: [NodeJS.Signals, number][] = [
  ['SIGINT', 20_000],
  ['SIGQUIT', 10_000],
  ['SIGKILL', 30_000],
];

/** The live server of the cluster, as its postmaster.pid tells; the folder it names differs in a copied cluster. */
export function findPostmaster(cluster: string): (Postmaster & { ready: boolean }) | undefined {
  const [pid, folder, , port, , , , state] = readTextFile(join(cluster, 'postmaster.pid'))?.split('\n') ?? [];
  if (!folder || resolve(folder) !== cluster || !isServerOf(Number(pid), cluster)) return undefined;
  return { pid: Number(pid), port: Number(port), ready: state?.trim() === 'ready' };
}

/** Whether `pid` is the server of the cluster, not another program that was given the pid of a dead one. */
export function isServerOf(pid: number, cluster: string): boolean {
  try {
    if (process.platform === 'win32') return process.kill(pid, 0);
    const command =
      process.platform === 'linux'
        ? fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
        : execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    return command.includes(` -D ${cluster} `);
  } catch {
    return false;
  }
}

const isTaken = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return getErrorCode(error) === 'EPERM';
  }
};

export const findOpenPort = (port: number) =>
  new Promise<number>((found, failed) => {
    const probe = createServer().once('error', failed);
    probe.listen(port, host, () => {
      const opened = probe.address() as AddressInfo;
      probe.close(() => found(opened.port));
    });
  });

export async function launchPostmaster(
  files: Files,
  port: number,
  settings: Record<string, string>,
): Promise<Postmaster> {
  // PostgreSQL would not start when another program now has the pid in a left-over postmaster.pid. It disregards a file
  // that names its own parent, and still looks whether an old backend is at work, which deleting the file would skip.
  // A file with the pid of nobody is left to PostgreSQL: a start beside ours may be writing its own this very moment.
  const pidFile = join(files.cluster, 'postmaster.pid');
  const leftOver = readTextFile(pidFile);
  if (leftOver && isTaken(Number.parseInt(leftOver, 10)) && !findPostmaster(files.cluster))
    fs.writeFileSync(pidFile, leftOver.replace(/^\d+/, String(process.pid)).concat('\n'));

  const args = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const output = fs.openSync(files.log, 'a', 0o600);
  const child = spawn(join(files.bin, 'postgres'), ['-D', files.cluster, '-p', String(port), ...args], {
    // A session of its own: Ctrl-C at the terminal must reach us alone, who stop it once our work is drained.
    detached: true,
    stdio: ['ignore', output, output],
    cwd: files.home,
    env: environment,
    ...files.user,
  });
  await once(child, 'spawn').finally(() => fs.closeSync(output));
  child.unref();
  return { pid: Number(child.pid), port };
}

/** The last two of them. */
export const atOnce = endings.slice(1);

/** Ends a server. Throws when it still runs after all of it. */
export async function shutDownPostmaster(
  { bin, cluster, log }: Pick<Files, 'bin' | 'cluster' | 'log'>,
  pid: number,
  steps = endings,
) {
  const isOver = async (patience: number): Promise<boolean> => {
    for (const deadline = Date.now() + patience; isServerOf(pid, cluster); await sleep(10))
      if (Date.now() > deadline) return false;
    return true;
  };
  const signal = async (name: NodeJS.Signals): Promise<void> => {
    // Windows has no signals, there pg_ctl knows the way.
    const args = ['stop', '-D', cluster, '-W', '-m', name === 'SIGINT' ? 'fast' : 'immediate'];
    if (process.platform !== 'win32') process.kill(pid, name);
    else await promisify(execFile)(join(bin, 'pg_ctl'), args, { env: environment });
  };
  for (const [name, patience] of steps) {
    await signal(name);
    if (await isOver(patience)) return;
  }
  throw createErrorWithLog(`PostgreSQL (pid ${pid}) cannot be stopped.`, log);
}
