// Starts servers, and measures the CPU and memory that they and PostgreSQL use.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Client } from 'pg';
import { locatePackageFile } from '../../src/database/package-file.ts';
import { findFreePort } from '../../test/harness/free-port.ts';
import { useClient } from './database.ts';

export interface Server {
  pid: number;
  port: number;
  /** Milliseconds until it answered for the first time. */
  startMs: number;
  stop(): Promise<void>;
}

export interface Command {
  /** The node binary, if not ours. */
  node?: string;
  /** Arguments of node. */
  args: string[];
  cwd: string;
  env: Record<string, string>;
}

const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill();
});

/** Resolves when the server answers at its port, which it gets as PORT. */
export const startProcess = async (
  name: string,
  { node = process.execPath, args, cwd, env }: Command,
): Promise<Server> => {
  const port = await findFreePort();
  const since = performance.now();
  const child = spawn(node, args, {
    cwd,
    env: { ...process.env, NODE_ENV: 'production', ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  children.add(child);
  const stop = async (): Promise<void> => {
    children.delete(child);
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill();
    const late = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await once(child, 'exit');
    clearTimeout(late);
  };
  try {
    await answers(child, port);
  } catch (error) {
    await stop();
    throw new Error(`${name} did not start: ${(error as Error).message}`, { cause: error });
  }
  return { pid: child.pid!, port, startMs: performance.now() - since, stop };
};

/** A bucket that never runs empty, where it is not measured. */
export const limitless = { BUCKET_CAPACITY: '1000000000', BUCKET_REFILL: '1000000000' };

/** Starts this program's server on a database, with these settings and arguments of node. */
export const startMuster = (url: string, env: Record<string, string> = {}, args: string[] = []): Promise<Server> => {
  const folder = fileURLToPath(locatePackageFile('./'));
  return startProcess('muster', {
    args: [...args, join(folder, 'dist/main.js'), 'serve'],
    cwd: folder,
    env: { DATABASE_URL: url, LOG_LEVEL: 'silent', HOST: '127.0.0.1', ...env },
  });
};

const answers = async (child: ChildProcess, port: number): Promise<void> => {
  // A first start may create tables.
  for (const deadline = Date.now() + 180_000; ; await sleep(20)) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    const there = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (there) return;
    if (Date.now() > deadline) throw new Error('it does not answer');
  }
};

/** Clock ticks of /proc: a hundredth of a second on every Linux that Node runs on. */
const tick = 10_000;

/** The fields of /proc/PID/stat after the name of the program. */
const statOf = (pid: number): string[] => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');

/** Microseconds of CPU that a process has used, all its threads; 0 when it is gone, or /proc is not there. */
export const measureCpu = (pid: number): number => {
  try {
    const fields = statOf(pid);
    return (Number(fields[11]) + Number(fields[12])) * tick;
  } catch {
    return 0;
  }
};

/** A process and its children. */
export const listProcessTree = (pid: number): number[] => {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return [pid, ...children.split(' ').filter(Boolean).map(Number)];
  } catch {
    return [pid];
  }
};

/** Microseconds of CPU of the ended children of a process. */
export const measureEndedCpu = (): number => {
  try {
    const fields = statOf(process.pid);
    return (Number(fields[13]) + Number(fields[14])) * tick;
  } catch {
    return Number.NaN;
  }
};

/** Resident memory in MiB. */
export const measureMemory = (pid: number): number => {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
};

/** The CPU of PostgreSQL: of each running process, and of all ended ones together. */
export interface DatabaseCpu {
  living: Map<number, number>;
  ended: number;
}

/** Undefined when its processes run on another machine. */
export const readDatabaseCpu = async (client: Client): Promise<DatabaseCpu | undefined> => {
  const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_activity');
  try {
    const postmaster = Number(statOf(rows[0]!.pid)[1]);
    const waitedFor = statOf(postmaster);
    const ended = (Number(waitedFor[13]) + Number(waitedFor[14])) * tick;
    return { living: new Map([postmaster, ...rows.map(({ pid }) => pid)].map((pid) => [pid, measureCpu(pid)])), ended };
  } catch {
    return undefined;
  }
};
export const measureDatabaseCpu = (url: string): Promise<DatabaseCpu | undefined> => useClient(url, readDatabaseCpu);

/** Microseconds between two readings. Parallel workers that ended in between are in the sum of the ended processes. */
export const computeDatabaseUse = (before: DatabaseCpu | undefined, after: DatabaseCpu | undefined): number => {
  if (!before || !after) return Number.NaN;
  let used = 0;
  for (const [pid, time] of after.living) used += time - (before.living.get(pid) ?? 0);
  let gone = after.ended - before.ended;
  for (const [pid, time] of before.living) if (!after.living.has(pid)) gone -= time;
  return used + Math.max(0, gone);
};

/** Microseconds that all processors of this machine were busy. */
export const measureBusyTime = (): number => {
  const [user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8')
    .split('\n')[0]!
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number) as [number, number, number, number, number, number, number];
  return (user + nice + system + irq + softirq) * tick;
};
