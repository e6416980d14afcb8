// The folders of a run: one of its own, and a kept one that is filled once and copied by each run. So two runs never meet, and a killed run damages nothing that is kept.
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findPostmaster } from '../../packages/embedded-server/server-process.ts';

const leastFree = 2 * 1024 ** 3;

/** Memory where there is enough: PostgreSQL clones a database there in a twentieth of the time. As root the binaries may be copied there too, and must be allowed to run. */
export const choosePlace = (): string => {
  const memory = '/dev/shm';
  const { bavail, bsize } = fs.existsSync(memory) ? fs.statfsSync(memory) : { bavail: 0, bsize: 0 };
  const isUsable =
    bavail * bsize >= leastFree &&
    (process.getuid?.() !== 0 || !/ \/dev\/shm \S+ \S*\bnoexec\b/.test(fs.readFileSync('/proc/mounts', 'utf8')));
  return isUsable ? memory : fs.realpathSync(tmpdir());
};

const isOwn = (path: string): boolean => {
  const found = fs.lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === (process.getuid?.() ?? found.uid) && (found.mode & 0o022) === 0;
};

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

const remove = (folder: string): Promise<void> =>
  fs.promises.rm(folder, { recursive: true, force: true, maxRetries: 10 });

const runs = `muster-run-${hostname()}-`;
/** The data folder of a run. */
export const getDataFolder = (run: string): string => join(run, 'data');

/** Creates the folder of this process, and removes those of dead processes, whose servers it ends. */
export const makeRunFolder = async (place: string): Promise<string> => {
  for (const name of fs.readdirSync(place).filter((one) => one.startsWith(runs))) {
    const folder = join(place, name);
    if (isAlive(Number.parseInt(name.slice(runs.length), 10)) || !isOwn(folder)) continue;
    const server = findPostmaster(join(getDataFolder(folder), 'pg'));
    if (server) process.kill(server.pid, 'SIGKILL');
    await remove(folder);
  }
  const folder = fs.mkdtempSync(join(place, `${runs}${process.pid}-`));
  // The OS user of PostgreSQL, which is another one for root, passes through.
  fs.chmodSync(folder, 0o711);
  return folder;
};

/** The folder of this user's kept ones; undefined when it is somebody else's, who was here first. */
const openHome = (place: string): string | undefined => {
  const home = join(place, `muster-kept-${process.getuid?.() ?? 'here'}`);
  try {
    fs.mkdirSync(home, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return isOwn(home) ? home : undefined;
};

const copy = (from: string, to: string): Promise<unknown> => promisify(execFile)('cp', ['-a', from, to]);

/** Copies a kept folder. Returns false when another run removes it meanwhile, which takes its name away first. */
const copyWhole = async (kept: string, to: string): Promise<boolean> => {
  const find = (): number | undefined => fs.statSync(kept, { throwIfNoEntry: false })?.ino;
  const found = find();
  if (!found) return false;
  // The newest are those used last.
  fs.utimesSync(kept, new Date(), new Date());
  const isWhole = await copy(kept, to).then(
    () => find() === found,
    () => false,
  );
  if (!isWhole) await remove(to);
  return isWhole;
};

/** Fills the data folder of a run: from the one that is kept under this name, or with `fill`, which returns whether it may be kept. */
export const copyKept = async (
  run: string,
  place: string,
  name: string,
  fill: (folder: string) => Promise<boolean>,
): Promise<void> => {
  const home = openHome(place);
  const data = getDataFolder(run);
  if (home && (await copyWhole(join(home, name), data))) return;
  const mayKeep = await fill(data);
  if (!home || !mayKeep) return;
  const draft = join(run, 'draft');
  await copy(data, draft);
  // Only a complete one gets the name. Another run may have been faster.
  await fs.promises.rename(draft, join(home, name)).catch(() => remove(draft));
  const ages = fs
    .readdirSync(home)
    .map((one) => ({ one, used: fs.statSync(join(home, one), { throwIfNoEntry: false })?.mtimeMs ?? 0 }));
  for (const [place, { one }] of ages
    .sort((a, b) => b.used - a.used)
    .slice(2)
    .entries()) {
    const old = join(run, `old-${place}`);
    await fs.promises.rename(join(home, one), old).catch(() => {});
    await remove(old);
  }
};
