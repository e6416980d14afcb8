// A new installation, as the README describes it: `npm start` in this checkout, with an empty home and an empty data folder.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

export interface Installation {
  url: string;
  /** What a start printed. */
  printed: string;
  /** The environment of a visitor's shell: nothing of ours but the way to programs, and their empty home. */
  env: Record<string, string>;
  /** A folder for files of the visit. */
  folder: string;
}

/** How long the first start may take, in milliseconds: it builds, creates a database and fills it. */
const patience = 180_000;

const children: ChildProcess[] = [];
const folders: string[] = [];

/** Starts a program in its own process group, and waits until it has printed what matches. */
export const startProgram = async (
  [command, ...args]: [string, ...string[]],
  env: Record<string, string>,
  expected: RegExp,
): Promise<{ found: string; printed(): string }> => {
  const child = spawn(command, args, { cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  const said = { out: '', err: '' };
  child.stdout!.on('data', (data) => (said.out += data));
  child.stderr!.on('data', (data) => (said.err += data));
  const found = await new Promise<string>((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`${command} ${args.join(' ')} ${why}:\n${said.out}${said.err}`));
    const timer = setTimeout(() => fail('took too long'), patience);
    child.stdout!.on('data', () => {
      const match = expected.exec(said.out);
      if (!match) return;
      clearTimeout(timer);
      resolve(match[1]!);
    });
    child.once('close', (code) => fail(`ended with ${code}`));
  });
  return { found, printed: () => said.out };
};

export const installMuster = async (): Promise<Installation> => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-tour-'));
  folders.push(folder);
  // Everybody may enter, as in most homes: the embedded server runs as another user when root starts it.
  chmodSync(folder, 0o711);
  const [home, data, files] = ['home', 'data', 'files'].map((name) => join(folder, name)) as [string, string, string];
  for (const path of [home, files]) mkdirSync(path);
  const env = { PATH: process.env.PATH!, HOME: home };
  // Everything else is as on a first start: port 4000 may be taken, and this checkout may have data.
  const settings = { PORT: '0', MUSTER_DATA_DIR: data };
  const started = await startProgram(
    ['npm', 'start', '--silent'],
    { ...env, ...settings },
    /Muster answers at (\S+)[\s\S]*Ctrl-C/,
  );
  return { url: started.found, printed: started.printed(), env, folder: files };
};

/** Stops all programs, the last one first, and removes their files. */
export const removeInstallation = async (): Promise<void> => {
  for (const child of children.splice(0).reverse()) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = once(child, 'close');
    process.kill(-child.pid!, 'SIGTERM');
    await ended;
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
};
