// A server that restarts on its port after each kill.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { locatePackageFile } from '../../src/database/package-file.ts';
import { listProcessTree } from '../harness/process.ts';

const folder = fileURLToPath(locatePackageFile('./'));

/** The child processes of a process. */
export const listChildProcesses = (pid: number): number[] => listProcessTree(pid).slice(1);

/** The command line of a process; empty when it has ended. */
export const readCommand = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
};

/** A server with an embedded database and two workers, which restarts when it ends, as under a supervisor. */
export class Program {
  readonly url: string;
  readonly #env: Record<string, string>;
  #child: ChildProcess;
  #isOver = false;

  constructor(port: number, dataDir: string) {
    this.url = `http://127.0.0.1:${port}`;
    this.#env = {
      PATH: process.env.PATH ?? '',
      PORT: String(port),
      MUSTER_DATA_DIR: dataDir,
      LOG_LEVEL: 'silent',
      BUCKET_CAPACITY: '1000000000',
      BUCKET_REFILL: '1000000000',
      DRAIN_DELAY: '0',
    };
    this.#child = this.#start();
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get workers(): number[] {
    return listChildProcesses(this.pid).filter((pid) => readCommand(pid).includes('main.js'));
  }

  #start(): ChildProcess {
    const child = spawn(process.execPath, [join(folder, 'dist/main.js'), 'serve', '--workers', '2'], {
      cwd: folder,
      env: this.#env,
      stdio: 'ignore',
    });
    child.once('exit', () => {
      if (!this.#isOver) this.#child = this.#start();
    });
    return child;
  }

  async ready(): Promise<void> {
    for (const deadline = Date.now() + 180_000; ; await sleep(50)) {
      const status = await fetch(`${this.url}/health/ready`).then(
        (response) => response.status,
        () => 0,
      );
      if (status === 200) return;
      if (Date.now() > deadline) throw new Error('The server does not get ready');
    }
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    const ended = once(this.#child, 'exit');
    this.#child.kill();
    await ended;
  }
}
