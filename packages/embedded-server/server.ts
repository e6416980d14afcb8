// Starts the embedded PostgreSQL server of a data folder or attaches to it, finds it, and stops it.
import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Files, getErrorCode, locateCluster, prepareClusterFiles, readTextFile } from './cluster-files.ts';
import { explainFullDisk } from './disk.ts';
import { explainDenial, findFileFault } from './file-access.ts';
import {
  createErrorWithLog,
  isEndedByOther,
  isTakenByOther,
  readLastLines,
  readLogSince,
  truncateLongLog,
} from './log-file.ts';
import { grantToOwner, owner, type Role, superuser } from './owner-role.ts';
import {
  findOpenPort,
  findPostmaster,
  host,
  immediateSteps,
  impatientSteps,
  isServerOf,
  launchPostmaster,
  type Postmaster,
  shutDownPostmaster,
} from './server-process.ts';
import { type ServerSession, Supervisor, type WatchOptions } from './supervisor.ts';

export interface EmbeddedServer {
  url: string;
  port: number;
  attached: boolean;
  /** The version of PostgreSQL. */
  version: string;
  /** Rejects when the server is watched and cannot be kept running. */
  failed: Promise<never>;
  /** Runs work that only one process may do at a time on this server, such as filling a new database. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
  stop(): Promise<void>;
}

/**
 * In milliseconds. Recovery after a crash takes long after many writes. A server that is shutting down may hang when the process that
 * stopped it is gone. `log` is the interval between checks of the log's size.
 */
const limits = { start: 30_000, recovery: 600_000, ending: 25_000, leave: 1000, portRefused: 1500, log: 60_000 };
const usersLock = 1;
const exclusiveWorkLock = 3;
const defaultSettings = {
  listen_addresses: host,
  unix_socket_directories: '',
  timezone: 'UTC',
  max_connections: '100',
  shared_buffers: '256MB',
  wal_compression: 'on',
  jit: 'off',
  log_checkpoints: 'off',
  // Statements and their error messages contain personal data. The log keeps only starts, stops, crashes and logins.
  log_min_messages: 'log',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  log_statement: 'none',
  log_min_duration_statement: '-1',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
};

/**
 * Starts the PostgreSQL of `dataDir`, or attaches to it, and makes sure that the database exists. With `watch` it is restarted
 * on the same port when it dies.
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
    const advice = 'Set MUSTER_DATA_DIR to a folder that it may write, or DATABASE_URL to a PostgreSQL of your own.';
    const reason = explainDenial(error, dataDir) ?? `${error.message}. ${advice}`;
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
    const session = { server: again.server, client: again.entered };
    if (session.server.port === port) return session;
    await session.client.end();
    throw new Error(`PostgreSQL was started on port ${session.server.port}, but is needed on port ${port}`);
  });
  const url = formatUrl(port, owner, files.passwords[owner], database);
  const inTurn = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const client = createClient(files, server, owner);
    await client.connect();
    try {
      await client.query('select pg_advisory_lock($1)', [exclusiveWorkLock]);
      return await work();
    } finally {
      await client.end();
    }
  };
  return { url, port, attached, version: entered.version, failed, inTurn, stop };
}

/** How a start chooses its port and enters the server. `enter` resolves to undefined when the server ends meanwhile. */
interface StartOptions<Entered> {
  choosePort(): Promise<number>;
  enter(server: Postmaster, deadline: number): Promise<Entered | undefined>;
  signal?: AbortSignal;
}

async function startOrAttach<Entered>(
  files: Files,
  settings: Record<string, string>,
  { choosePort, enter, signal }: StartOptions<Entered>,
): Promise<{ server: Postmaster; entered: Entered; attached: boolean }> {
  const { cluster, log, user } = files;
  truncateLongLog(log);
  let pause = 50;
  let refusedSince = Number.POSITIVE_INFINITY;
  for (const deadline = Date.now() + limits.start; ; await sleep(pause, undefined, { signal })) {
    const logged = fs.statSync(log, { throwIfNoEntry: false })?.size ?? 0;
    const running = findPostmaster(cluster);
    const port =
      running?.port ??
      (await choosePort().catch((error) => {
        // A concurrent start takes the port for a moment to try it, and before its files say so.
        refusedSince = Math.min(refusedSince, Date.now());
        if (!findPostmaster(cluster) && Date.now() - refusedSince > limits.portRefused) throw error;
      }));
    // A concurrent start was faster.
    if (!port) continue;
    const server = running ?? (await launchPostmaster(files, port, settings));
    const entered = await enter(server, deadline).catch(async (error) => {
      // A new server may not have written its files yet.
      if (signal?.aborted && !running && isServerOf(server.pid, cluster))
        await shutDownPostmaster(files, server.pid, impatientSteps);
      throw createErrorWithLog(`PostgreSQL gives no access on port ${port}: ${error.message}.`, log);
    });
    if (entered) {
      // Our own server may be ending, if we entered that of a faster concurrent start.
      const found = findPostmaster(cluster) ?? server;
      return { server: found, entered, attached: running !== undefined || found.pid !== server.pid };
    }
    // The server was ending or has just been ended, processes of a killed server still run, or a concurrent start took the
    // cluster or the port. The next attempt finds out.
    const told = readLogSince(log, logged);
    const isTemporary = running || isTakenByOther(told) || isEndedByOther(told);
    if (!isTemporary || Date.now() > deadline) {
      const fault = findFileFault(cluster, user);
      throw fault ? new Error(fault) : createErrorWithLog('PostgreSQL could not start.', log);
    }
    pause = Math.min(pause * 1.5, 500);
  }
}

/** Finds the URL of a running server on `dataDir`, or undefined. Other commands find the server of `npm start` with it. */
export async function findEmbedded(
  dataDir: string,
  database = 'muster',
  role: Role = owner,
): Promise<string | undefined> {
  const { cluster, readPassword } = locateCluster(dataDir);
  const server = findPostmaster(cluster);
  const password = server?.ready && readPassword(role);
  return password ? formatUrl(server.port, role, password, database) : undefined;
}

/** Says that a server that failed has no room left on its disk; undefined when it has some. */
export function explainByDisk(dataDir: string): string | undefined {
  try {
    return explainFullDisk(locateCluster(dataDir).cluster);
  } catch {
    // There is no server.
    return undefined;
  }
}

const formatUrl = (port: number, role: Role, password: string, database: string) =>
  `postgres://${role}:${password}@${host}:${port}/${encodeURIComponent(database)}`;

/**
 * Enters a server as its superuser, transfers the ownership, and then stays as the owner. Returns undefined
 * when the server ends meanwhile. Each session counts as a user of the server, so that no other process stops it in between.
 */
async function enter(files: Files, server: Postmaster, database: string, deadline: number) {
  const admin = await connect(files, server, superuser, deadline);
  if (!admin) return undefined;
  try {
    const { version } = (await admin.query("select split_part(current_setting('server_version'), ' ', 1) as version"))
      .rows[0];
    await grantToOwner(admin, files.passwords[owner], database, async () => {
      const session = createClient(files, server, superuser, database);
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

const createClient = (files: Files, { port }: Postmaster, role: Role, database = 'postgres') =>
  new pg.Client({
    connectionString: formatUrl(port, role, files.passwords[role], database),
    ssl: false,
    connectionTimeoutMillis: 5_000,
  }).on('error', () => {});

/** Connects as a user of the server as soon as it answers. Returns undefined when it ends instead. */
async function connect(
  files: Files,
  server: Postmaster,
  role: Role,
  deadline: number,
  signal?: AbortSignal,
): Promise<pg.Client | undefined> {
  const recoveryDeadline = Date.now() + limits.recovery;
  let endingSince: number | undefined;
  // Pauses grow, since each attempt writes a line to the server's log.
  let pause = 20;
  for (; ; await sleep(pause, undefined, { signal })) {
    pause = Math.min(pause * 1.2, 500);
    const client = createClient(files, server, role);
    try {
      await client.connect();
      await client.query('select pg_advisory_lock_shared($1)', [usersLock]);
      return client;
    } catch (error) {
      if (!isServerOf(server.pid, files.cluster)) return undefined;
      const isRecovering = getErrorCode(error) === '57P03';
      if (/shutting down/.test((error as Error).message)) endingSince ??= Date.now();
      if (endingSince && Date.now() - endingSince > limits.ending)
        await shutDownPostmaster(files, server.pid, immediateSteps);
      if (getErrorCode(error)?.startsWith('28') || Date.now() > (isRecovering ? recoveryDeadline : deadline))
        throw error;
    }
  }
}

/**
 * Each process that uses the server has a shared lock in it, and stop() ends the server only for the last process. The
 * lock of a killed process disappears, which a file of pids would not. A start that arrives while the last
 * process has the exclusive lock waits, loses its connection in the shutdown, and starts a new server.
 */
function useUntilStopped(
  files: Files,
  first: ServerSession,
  options: WatchOptions | undefined,
  restart: (signal: AbortSignal) => Promise<ServerSession>,
): { failed: Promise<never>; stop: () => Promise<void> } {
  const watch = new Supervisor(
    first,
    {
      reenter: async ({ server }, signal) => {
        const client = await connect(files, server, owner, Number.POSITIVE_INFINITY, signal);
        if (!client || isServerOf(server.pid, files.cluster)) return client;
        // Another process has restarted it already.
        await client.end();
        return undefined;
      },
      lastLines: () => readLastLines(files.log),
      ...(options && { restart }),
    },
    options,
  );
  const truncating = setInterval(() => truncateLongLog(files.log), limits.log).unref();
  let stopped: Promise<void> | undefined;
  return {
    failed: watch.failed,
    stop: () => {
      clearInterval(truncating);
      // A server that was just starting has no session yet.
      stopped ??= watch
        .end()
        .then(({ server, client }) => leave(files, findPostmaster(files.cluster) ?? server, client));
      return stopped;
    },
  };
}

async function leave(files: Files, server: Postmaster, client: pg.Client) {
  // The lock is released before the check, so that one of two processes that leave at the same time finds itself alone.
  const isAlone = await client
    .query('select pg_advisory_unlock_all()')
    .then(() => client.query('select pg_try_advisory_lock($1) as alone', [usersLock]))
    .then(({ rows: [row] }) => row.alone)
    // The session is lost: the server has crashed, and may be recovering.
    .catch(() => undefined);
  if (isAlone !== false && isServerOf(server.pid, files.cluster))
    await shutDownPostmaster(files, server.pid, isAlone ? undefined : impatientSteps);
  await client.end();
}
