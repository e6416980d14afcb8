// Finds the process of the embedded PostgreSQL by its files, starts it, and shuts it down.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { environment, type Files, getErrorCode, readTextFile } from './cluster-files.ts';
import { createErrorWithLog } from './log-file.ts';

export type Postmaster = Record<'pid' | 'port', number>;

export const host = '127.0.0.1';
/**
 * The signals of a shutdown, each with a time limit in milliseconds: fast, immediate, kill. PostgreSQL 18 may hang when
 * it is stopped during recovery. None of them loses committed data.
 */
const shutdownSteps: [NodeJS.Signals, number][] = [
  ['SIGINT', 20_000],
  ['SIGQUIT', 10_000],
  ['SIGKILL', 30_000],
];

/** Finds the running server of the cluster by its postmaster.pid. A copied cluster is recognised by the other folder in that file. */
export function findPostmaster(cluster: string): (Postmaster & { ready: boolean }) | undefined {
  const [pid, folder, , port, , , , state] = readTextFile(join(cluster, 'postmaster.pid'))?.split('\n') ?? [];
  if (!folder || resolve(folder) !== cluster || !isServerOf(Number(pid), cluster)) return undefined;
  return { pid: Number(pid), port: Number(port), ready: state?.trim() === 'ready' };
}

/** Whether `pid` is the server of the cluster, and not another program with the pid of a dead server. */
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

const isProcessAlive = (pid: number): boolean => {
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
  // PostgreSQL refuses to start when another program has the pid of a left-over postmaster.pid. It ignores a file
  // with the pid of its own parent, and still checks for old backends, which deleting the file would prevent.
  // A file with an unused pid is left to PostgreSQL, because a concurrent start may be writing its own.
  const pidFile = join(files.cluster, 'postmaster.pid');
  const leftOver = readTextFile(pidFile);
  if (leftOver && isProcessAlive(Number.parseInt(leftOver, 10)) && !findPostmaster(files.cluster))
    fs.writeFileSync(pidFile, leftOver.replace(/^\d+/, String(process.pid)).concat('\n'));

  const args = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const output = fs.openSync(files.log, 'a', 0o600);
  const child = spawn(join(files.bin, 'postgres'), ['-D', files.cluster, '-p', String(port), ...args], {
    // A separate session: Ctrl-C at the terminal must reach only Muster, which stops PostgreSQL after draining.
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

/** A shutdown without the fast step. */
export const immediateSteps = shutdownSteps.slice(1);
/** For a server that may be recovering from a crash: PostgreSQL 18 then does not end on SIGINT. It loses nothing on SIGQUIT, and recovers at its next start. */
export const impatientSteps: typeof shutdownSteps = [['SIGINT', 2000], ...immediateSteps];

/** Stops a server. Throws when it still runs after all steps. */
export async function shutDownPostmaster(
  { bin, cluster, log }: Pick<Files, 'bin' | 'cluster' | 'log'>,
  pid: number,
  steps = shutdownSteps,
) {
  const waitForEnd = async (timeoutMs: number): Promise<boolean> => {
    for (const deadline = Date.now() + timeoutMs; isServerOf(pid, cluster); await sleep(10))
      if (Date.now() > deadline) return false;
    return true;
  };
  const signal = async (name: NodeJS.Signals): Promise<void> => {
    // Windows has no signals, so pg_ctl stops the server.
    const args = ['stop', '-D', cluster, '-W', '-m', name === 'SIGINT' ? 'fast' : 'immediate'];
    if (process.platform !== 'win32') process.kill(pid, name);
    else await promisify(execFile)(join(bin, 'pg_ctl'), args, { env: environment });
  };
  for (const [name, timeoutMs] of steps) {
    await signal(name);
    if (await waitForEnd(timeoutMs)) return;
  }
  throw createErrorWithLog(`PostgreSQL (pid ${pid}) cannot be stopped.`, log);
}
