// In charge of the life of the embedded PostgreSQL server of a data folder: start it or attach to it, find it, stop it.
import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Files, getErrorCode, locateCluster, prepareClusterFiles, readTextFile } from './cluster-files.ts';
import { explainDenial, findFileFault } from './file-access.ts';
import { createErrorWithLog, readLastLines, readLogSince, truncateLongLog } from './log-file.ts';
import { grantToOwner, owner, type Role, superuser } from './owner-role.ts';
import {
  atOnce,
  findOpenPort,
  findPostmaster,
  host,
  isServerOf,
  launchPostmaster,
  type Postmaster,
  shutDownPostmaster,
} from './server-process.ts';
import { type Held, Supervisor, type WatchOptions } from './supervisor.ts';

export interface EmbeddedServer {
  url: string;
  port: number;
  attached: boolean;
  /** Of PostgreSQL. */
  version: string;
  /** Rejects when the server is watched, and cannot be kept running. */
  failed: Promise<never>;
  /** Runs the work while nobody else does who uses this server: filling a new database, for one. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
  stop(): Promise<void>;
}

/**
 * In milliseconds. Recovery after a crash takes long when much was written; a server that ends may hang, when whoever told it to is
 * gone; the log is looked at every so often.
 */
const limits = { start: 30_000, recovery: 600_000, ending: 25_000, leave: 1000, log: 60_000 };
const usersLock = 1;
const turnsLock = 3;
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

/**
 * Starts (or attaches to) the PostgreSQL of `dataDir` and makes sure the database exists. With `watch` it is started again,
 * on the same port, whenever it dies.
 */
export async function startEmbedded(
  dataDir: string,
  options: {
    database?: string;
    settings?: Record<string, string>;
    onStep?: (text: string) => void;
    watch?: WatchOptions;
  } = {},
): Promise<EmbeddedServer> {
  const { database = 'muster', settings = {}, onStep = () => {}, watch } = options;
  const files = await prepareClusterFiles(dataDir, settings.fsync !== 'off', onStep).catch((error) => {
    if (!error.syscall) throw error;
    const reason = explainDenial(error, dataDir) ?? error.message;
    throw new Error(`Muster cannot use its data folder: ${reason}`, { cause: error });
  });
  const portFile = join(files.folder, 'pg-port');
  const start = { ...defaultSettings, ...settings };
  const { server, entered, attached } = await startOrAttach(files, start, {
    choosePort: () => findOpenPort(Number(readTextFile(portFile))).catch(() => findOpenPort(0)),
    enter: (found, deadline) => enter(files, found, database, deadline),
  });
  const { port } = server;
  if (!attached) fs.writeFileSync(portFile, String(port), { mode: 0o600 });
  const { failed, stop } = useUntilStopped(files, { server, client: entered.client }, watch, async (signal) => {
    const again = await startOrAttach(files, start, {
      choosePort: () => findOpenPort(port),
      enter: (found, deadline) => connect(files, found, owner, deadline, signal),
      signal,
    });
    const held = { server: again.server, client: again.entered };
    if (held.server.port === port) return held;
    await held.client.end();
    throw new Error(`PostgreSQL was started on port ${held.server.port}, and is needed on port ${port}`);
  });
  const url = urlOf(port, owner, files.passwords[owner], database);
  const inTurn = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const client = clientOf(files, server, owner);
    await client.connect();
    try {
      await client.query('select pg_advisory_lock($1)', [turnsLock]);
      return await work();
    } finally {
      await client.end();
    }
  };
  return { url, port, attached, version: entered.version, failed, inTurn, stop };
}

/** How a start comes to a port, and into the server; undefined when that ends meanwhile. */
interface Way<Entered> {
  choosePort(): Promise<number>;
  enter(server: Postmaster, deadline: number): Promise<Entered | undefined>;
  signal?: AbortSignal;
}

async function startOrAttach<Entered>(
  files: Files,
  settings: Record<string, string>,
  { choosePort, enter, signal }: Way<Entered>,
): Promise<{ server: Postmaster; entered: Entered; attached: boolean }> {
  const { cluster, log, user } = files;
  truncateLongLog(log);
  let pause = 50;
  for (const deadline = Date.now() + limits.start; ; await sleep(pause, undefined, { signal })) {
    const logged = fs.statSync(log, { throwIfNoEntry: false })?.size ?? 0;
    const running = findPostmaster(cluster);
    const port =
      running?.port ??
      (await choosePort().catch((error) => {
        if (!findPostmaster(cluster)) throw error;
      }));
    // A start beside ours was faster.
    if (!port) continue;
    const server = running ?? (await launchPostmaster(files, port, settings));
    const entered = await enter(server, deadline).catch(async (error) => {
      // It may be too young to be found by its files.
      if (signal?.aborted && !running && isServerOf(server.pid, cluster)) await shutDownPostmaster(files, server.pid);
      throw createErrorWithLog(`PostgreSQL gives no access on port ${port}: ${error.message}.`, log);
    });
    if (entered) {
      // Ours may be ending, because of a start beside it that was faster and has let us in.
      const found = findPostmaster(cluster) ?? server;
      return { server: found, entered, attached: running !== undefined || found.pid !== server.pid };
    }
    // It was at its end, processes of a server that was killed are not gone yet, or a start beside ours took the cluster
    // or the port first: the next round sees.
    const passing = running || /lock file ".*" (already exists|is empty)|in use/.test(readLogSince(log, logged));
    if (!passing || Date.now() > deadline) {
      const fault = findFileFault(cluster, user);
      throw fault ? new Error(fault) : createErrorWithLog('PostgreSQL could not start.', log);
    }
    pause = Math.min(pause * 1.5, 500);
  }
}

/** The URL of a server already running on `dataDir`, or undefined: how other commands find the one of `npm start`. */
export async function findEmbedded(
  dataDir: string,
  database = 'muster',
  role: Role = owner,
): Promise<string | undefined> {
  const { cluster, passwordOf } = locateCluster(dataDir);
  const server = findPostmaster(cluster);
  const password = server?.ready && passwordOf(role);
  return password ? urlOf(server.port, role, password, database) : undefined;
}

const urlOf = (port: number, role: Role, password: string, database: string) =>
  `postgres://${role}:${password}@${host}:${port}/${encodeURIComponent(database)}`;

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
    await grantToOwner(admin, files.passwords[owner], database, async () => {
      const session = clientOf(files, server, superuser, database);
      await session.connect();
      return session;
    });
    const client = await connect(files, server, owner, deadline);
    await admin.query('select pg_advisory_unlock_all()').catch(() => {});
    await admin.end();
    return client && { client, version: version as string };
  } catch (error) {
    if (!isServerOf(server.pid, files.cluster)) return undefined;
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
async function connect(
  files: Files,
  server: Postmaster,
  role: Role,
  deadline: number,
  signal?: AbortSignal,
): Promise<pg.Client | undefined> {
  const recovered = Date.now() + limits.recovery;
  let endingSince: number | undefined;
  // Each attempt is a line in its log.
  let pause = 20;
  for (; ; await sleep(pause, undefined, { signal })) {
    pause = Math.min(pause * 1.2, 500);
    const client = clientOf(files, server, role);
    try {
      await client.connect();
      await client.query('select pg_advisory_lock_shared($1)', [usersLock]);
      return client;
    } catch (error) {
      if (!isServerOf(server.pid, files.cluster)) return undefined;
      const isRecovering = getErrorCode(error) === '57P03';
      if (/shutting down/.test((error as Error).message)) endingSince ??= Date.now();
      if (endingSince && Date.now() - endingSince > limits.ending) await shutDownPostmaster(files, server.pid, atOnce);
      if (getErrorCode(error)?.startsWith('28') || Date.now() > (isRecovering ? recovered : deadline)) throw error;
    }
  }
}

/**
 * Each process that uses the server holds a shared lock in it: a stop() ends the server only when it is the last. The
 * server itself forgets a user who was killed, which files of pids would not; and a start that comes while the last
 * user holds the lock alone waits, loses its connection to the shutdown, and starts a new server.
 */
function useUntilStopped(
  files: Files,
  first: Held,
  options: WatchOptions | undefined,
  restart: (signal: AbortSignal) => Promise<Held>,
): { failed: Promise<never>; stop: () => Promise<void> } {
  const watch = new Supervisor(
    first,
    {
      reenter: async ({ server }, signal) => {
        const client = await connect(files, server, owner, Number.POSITIVE_INFINITY, signal);
        if (!client || isServerOf(server.pid, files.cluster)) return client;
        // Somebody else has started it again already.
        await client.end();
        return undefined;
      },
      lastLines: () => readLastLines(files.log),
      ...(options && { restart }),
    },
    options,
  );
  const shortening = setInterval(() => truncateLongLog(files.log), limits.log).unref();
  let stopped: Promise<void> | undefined;
  return {
    failed: watch.failed,
    stop: () => {
      clearInterval(shortening);
      // What was just being started has no session yet.
      stopped ??= watch
        .end()
        .then(({ server, client }) => leave(files, findPostmaster(files.cluster) ?? server, client));
      return stopped;
    },
  };
}

async function leave(files: Files, server: Postmaster, client: pg.Client) {
  // Unlocked before the look: of two users who leave at once, the later one finds itself alone.
  const alone = await client
    .query('select pg_advisory_unlock_all()')
    .then(() => client.query('select pg_try_advisory_lock($1) as alone', [usersLock]))
    .then(({ rows: [row] }) => row.alone)
    .catch(() => true);
  if (alone && isServerOf(server.pid, files.cluster)) await shutDownPostmaster(files, server.pid);
  await client.end();
}
