// In charge of the life of the embedded PostgreSQL server of a data folder: start it or attach to it, find it, stop it.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { environment, errorCode, locate, prepareFiles, readText } from './embedded-files.ts';
import { keepShort, textSince } from './embedded-log.ts';
import { giveToOwner, owner, type Role, superuser } from './embedded-owner.ts';

export interface EmbeddedServer {
  url: string;
  port: number;
  attached: boolean;
  /** Of PostgreSQL. */
  version: string;
  stop(): Promise<void>;
}
type Files = Awaited<ReturnType<typeof prepareFiles>>;
type Postmaster = { pid: number; port: number };

const host = '127.0.0.1';
/** In milliseconds. The log is looked at every so often. */
const limits = { start: 30_000, stop: 60_000, log: 60_000 };
const usersLock = 1;
const defaultSettings = {
  listen_addresses: host,
  unix_socket_directories: '',
  timezone: 'UTC',
  max_connections: '100',
  shared_buffers: '256MB',
  wal_compression: 'on',
  jit: 'off',
  log_checkpoints: 'off',
  // Statements and the messages of their errors hold personal data. What is left tells of starts, stops, crashes and logins.
  log_min_messages: 'log',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  log_statement: 'none',
  log_min_duration_statement: '-1',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
};

/** Starts (or attaches to) the PostgreSQL of `dataDir` and makes sure the database exists. */
export async function startEmbedded(
  dataDir: string,
  options: { database?: string; settings?: Record<string, string>; onStep?: (text: string) => void } = {},
): Promise<EmbeddedServer> {
  const { database = 'muster', settings = {}, onStep = () => {} } = options;
  const files = await prepareFiles(dataDir, settings.fsync !== 'off', onStep).catch((error) => {
    throw error.syscall ? new Error(`Muster cannot use its data folder: ${error.message}`, { cause: error }) : error;
  });
  const { cluster, log } = files;
  const portFile = join(files.folder, 'pg-port');
  keepShort(log);
  for (const deadline = Date.now() + limits.start; ; await sleep(50)) {
    const logged = fs.statSync(log, { throwIfNoEntry: false })?.size ?? 0;
    const running = findPostmaster(cluster);
    const port = running?.port ?? (await openPort(Number(readText(portFile))).catch(() => openPort(0)));
    const server = running ?? (await launch(files, port, { ...defaultSettings, ...settings }));
    const entered = await enter(files, server, database, deadline).catch((error) => {
      throw withLog(`PostgreSQL gives no access on port ${port}: ${error.message}.`, log);
    });
    if (entered) {
      if (!running) fs.writeFileSync(portFile, String(port), { mode: 0o600 });
      const stop = useUntilStopped(files, server, entered.client);
      const url = urlOf(port, owner, files.passwords[owner], database);
      return { url, port, attached: running !== undefined, version: entered.version, stop };
    }
    // It was at its end, or a start beside ours took the cluster or the port first: the next round sees.
    const passing = running || /lock file|in use/.test(textSince(log, logged));
    if (!passing || Date.now() > deadline) throw withLog('PostgreSQL could not start.', log);
  }
}

/** The URL of a server already running on `dataDir`, or undefined: how other commands find the one of `npm start`. */
export async function findEmbedded(
  dataDir: string,
  database = 'muster',
  role: Role = owner,
): Promise<string | undefined> {
  const { cluster, passwordOf } = locate(dataDir);
  const server = findPostmaster(cluster);
  const password = server?.ready && passwordOf(role);
  return password ? urlOf(server.port, role, password, database) : undefined;
}

const urlOf = (port: number, role: Role, password: string, database: string) =>
  `postgres://${role}:${password}@${host}:${port}/${encodeURIComponent(database)}`;

/** The live server of the cluster, as its postmaster.pid tells; the folder it names differs in a copied cluster. */
function findPostmaster(cluster: string): (Postmaster & { ready: boolean }) | undefined {
  const [pid, folder, , port, , , , state] = readText(join(cluster, 'postmaster.pid'))?.split('\n') ?? [];
  if (!folder || resolve(folder) !== cluster || !runs(Number(pid), cluster)) return undefined;
  return { pid: Number(pid), port: Number(port), ready: state?.trim() === 'ready' };
}

/** Whether `pid` is the server of the cluster, not another program that was given the pid of a dead one. */
function runs(pid: number, cluster: string): boolean {
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

const openPort = (port: number) =>
  new Promise<number>((found, failed) => {
    const probe = createServer().once('error', failed);
    probe.listen(port, host, () => {
      const opened = probe.address() as AddressInfo;
      probe.close(() => found(opened.port));
    });
  });

async function launch(files: Files, port: number, settings: Record<string, string>): Promise<Postmaster> {
  // PostgreSQL would not start when another program now has the pid in a left-over postmaster.pid. It disregards a file
  // that names its own parent, and still looks whether an old backend is at work, which deleting the file would skip.
  const pidFile = join(files.cluster, 'postmaster.pid');
  const leftOver = readText(pidFile);
  if (leftOver && !findPostmaster(files.cluster))
    fs.writeFileSync(pidFile, leftOver.replace(/^\d+/, String(process.pid)).concat('\n'));

  const args = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const output = fs.openSync(files.log, 'a', 0o600);
  const child = spawn(join(files.bin, 'postgres'), ['-D', files.cluster, '-p', String(port), ...args], {
    // A session of its own: Ctrl-C at the terminal must reach us alone, who stop it once our work is drained.
    detached: true,
    stdio: ['ignore', output, output],
    cwd: files.home,
    env: environment,
    ...files.runAs,
  });
  await once(child, 'spawn').finally(() => fs.closeSync(output));
  child.unref();
  return { pid: Number(child.pid), port };
}

/**
 * Enters a server as its superuser, for as long as it takes to give all to the owner, and from then on as the owner; undefined
 * when the server ends meanwhile. Each session is one more user of the server, so that nobody stops it in between.
 */
async function enter(files: Files, server: Postmaster, database: string, deadline: number) {
  const admin = await connect(files, server, superuser, deadline);
  if (!admin) return undefined;
  try {
    const { version } = (await admin.query("select split_part(current_setting('server_version'), ' ', 1) as version"))
      .rows[0];
    await giveToOwner(admin, files.passwords[owner], database, async () => {
      const session = clientOf(files, server, superuser, database);
      await session.connect();
      return session;
    });
    const client = await connect(files, server, owner, deadline);
    await admin.query('select pg_advisory_unlock_all()').catch(() => {});
    await admin.end();
    return client && { client, version: version as string };
  } catch (error) {
    if (!runs(server.pid, files.cluster)) return undefined;
    await leave(files, server, admin);
    throw error;
  }
}

const clientOf = (files: Files, { port }: Postmaster, role: Role, database = 'postgres') =>
  new pg.Client({
    connectionString: urlOf(port, role, files.passwords[role], database),
    ssl: false,
    connectionTimeoutMillis: 5_000,
  }).on('error', () => {});

/** Connects as one more user of the server, once it answers; undefined when it ends instead. */
async function connect(files: Files, server: Postmaster, role: Role, deadline: number): Promise<pg.Client | undefined> {
  for (; ; await sleep(20)) {
    const client = clientOf(files, server, role);
    try {
      await client.connect();
      await client.query('select pg_advisory_lock_shared($1)', [usersLock]);
      return client;
    } catch (error) {
      if (!runs(server.pid, files.cluster)) return undefined;
      if (errorCode(error)?.startsWith('28') || Date.now() > deadline) throw error;
    }
  }
}

/**
 * Each process that uses the server holds a shared lock in it: a stop() ends the server only when it is the last. The
 * server itself forgets a user who was killed, which files of pids would not; and a start that comes while the last
 * user holds the lock alone waits, loses its connection to the shutdown, and starts a new server.
 */
function useUntilStopped(files: Files, server: Postmaster, first: pg.Client): () => Promise<void> {
  let client = first;
  let stopped: Promise<void> | undefined;
  const hold = (next: pg.Client | undefined) => {
    if (!next || stopped) return void next?.end();
    client = next;
    // The server drops all connections, and the locks with them, when one of its processes crashes.
    next.once('end', () => stopped || connect(files, server, owner, Date.now() + limits.start).then(hold, () => {}));
  };
  hold(first);
  const shortening = setInterval(() => keepShort(files.log), limits.log).unref();
  return () => {
    clearInterval(shortening);
    stopped ??= leave(files, server, client);
    return stopped;
  };
}

async function leave(files: Files, server: Postmaster, client: pg.Client) {
  // Unlocked before the look: of two users who leave at once, the later one finds itself alone.
  const alone = await client
    .query('select pg_advisory_unlock_all()')
    .then(() => client.query('select pg_try_advisory_lock($1) as alone', [usersLock]))
    .then(({ rows: [row] }) => row.alone)
    .catch(() => true);
  if (alone && runs(server.pid, files.cluster)) await shutDown(files, server.pid);
  await client.end();
}

async function shutDown({ bin, cluster, log }: Files, pid: number) {
  // Windows has no signals, there pg_ctl knows the way.
  if (process.platform !== 'win32') process.kill(pid, 'SIGINT');
  else await promisify(execFile)(join(bin, 'pg_ctl'), ['stop', '-D', cluster, '-m', 'fast'], { env: environment });
  for (const deadline = Date.now() + limits.stop; runs(pid, cluster); await sleep(10))
    if (Date.now() > deadline)
      throw withLog(`PostgreSQL (pid ${pid}) has not stopped in ${limits.stop / 1000} s.`, log);
}

const withLog = (message: string, log: string) =>
  new Error([message, `The end of ${log}:`, ...(readText(log) ?? '').split('\n').slice(-10)].join('\n'));
