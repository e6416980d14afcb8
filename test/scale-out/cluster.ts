// PostgreSQL servers from the machine's own binaries, for replication, which the embedded server lacks: a primary, and a streaming replica.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { cleanUpAfterFile } from '../harness/cleanup.ts';
import { findFreePort } from '../harness/free-port.ts';
import { waitUntil } from '../harness/waiting.ts';

/** The folder where Debian installs servers. */
const versions = '/usr/lib/postgresql';
const folders = [
  ...(process.env.PATH ?? '').split(delimiter),
  ...(fs.existsSync(versions) ? fs.readdirSync(versions).map((version) => join(versions, version, 'bin')) : []),
];
const containsAll = (folder: string, names: string[]): boolean =>
  names.every((name) => fs.existsSync(join(folder, name)));
const bin = folders.find((folder) => containsAll(folder, ['postgres', 'initdb', 'pg_basebackup']));
export const pgbouncer = [...folders, '/usr/sbin'].find((folder) => containsAll(folder, ['pgbouncer']));

/** Servers refuse to run as root. */
const isRoot = process.getuid?.() === 0;
const entry = /^postgres:[^:]*:(\d+):(\d+):/m.exec(isRoot ? fs.readFileSync('/etc/passwd', 'utf8') : '');
export const runAs = isRoot && entry ? { uid: Number(entry[1]), gid: Number(entry[2]) } : {};

/** Why servers cannot run here; undefined when they can. */
export const missing = !bin
  ? 'no postgres, initdb and pg_basebackup on this machine'
  : isRoot && !entry
    ? 'run by root, and there is no OS user postgres'
    : undefined;

/** Reports on stderr why tests are skipped. */
export const logMissing = (what: string, reason: string | undefined): boolean => {
  if (reason) console.error(`${what}: left out, ${reason}`);
  return reason !== undefined;
};

const children: ChildProcess[] = [];
const made: string[] = [];
cleanUpAfterFile(async () => {
  for (const child of children.splice(0))
    if (child.exitCode === null && child.signalCode === null) await endProcess(child, 'SIGQUIT');
  for (const folder of made.splice(0)) fs.rmSync(folder, { recursive: true, force: true });
});

export const endProcess = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
};

/** A folder that the servers may write to. */
export const createServerFolder = (): string => {
  const folder = fs.mkdtempSync(join(tmpdir(), 'muster-scale-'));
  made.push(folder);
  if (runAs.uid) fs.chownSync(folder, runAs.uid, runAs.gid!);
  return folder;
};

export const launchServer = (command: string, args: string[], log: string): ChildProcess => {
  const output = fs.openSync(log, 'a');
  const child = spawn(command, args, { stdio: ['ignore', output, output], ...runAs });
  fs.closeSync(output);
  children.push(child);
  return child;
};

const run = (name: string, args: string[]): void => {
  const { status, stderr } = spawnSync(join(bin!, name), args, { encoding: 'utf8', ...runAs });
  if (status !== 0) throw new Error(`${name}: ${stderr}`);
};

/** Waits until a server answers. Fails with its log when it exits instead. */
export const waitForServer = async (url: string, child: ChildProcess, log: string): Promise<void> => {
  for (const deadline = Date.now() + 30_000; ; await sleep(50)) {
    const client = new pg.Client(url);
    client.on('error', () => {});
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      if (child.exitCode !== null || Date.now() > deadline)
        throw new Error(`${error}\n${fs.readFileSync(log, 'utf8').slice(-2000)}`);
    }
  }
};

export interface Server {
  folder: string;
  port: number;
  url(database: string): string;
  start(): Promise<void>;
  stop(signal: NodeJS.Signals): Promise<void>;
  /** Runs any SQL, by default in the database muster, and returns the rows. */
  sql(text: string, database?: string): Promise<Record<string, unknown>[]>;
}

const serverOn = (folder: string, port: number): Server => {
  const log = join(folder, 'server.log');
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    shared_buffers: '32MB',
    wal_level: 'replica',
    timezone: 'UTC',
  };
  let child: ChildProcess;
  const url = (database: string): string => `postgres://muster@127.0.0.1:${port}/${database}`;
  return {
    folder,
    port,
    url,
    async start() {
      const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
      child = launchServer(join(bin!, 'postgres'), ['-D', join(folder, 'data'), '-p', String(port), ...args], log);
      await waitForServer(url('postgres'), child, log);
    },
    stop: (signal) => endProcess(child, signal),
    async sql(text, database = 'muster') {
      const client = new pg.Client(url(database));
      client.on('error', () => {});
      await client.connect();
      try {
        return (await client.query(text)).rows;
      } finally {
        await client.end();
      }
    },
  };
};

/** A server with an empty database muster. Both have the encoding. */
export const startPrimary = async (encoding = 'UTF8', locale = 'C.UTF-8'): Promise<Server> => {
  const server = serverOn(createServerFolder(), await findFreePort());
  run('initdb', [
    '-D',
    join(server.folder, 'data'),
    '-U',
    'muster',
    '-A',
    'trust',
    '-E',
    encoding,
    `--locale=${locale}`,
    '-N',
  ]);
  await server.start();
  await server.sql('create database muster', 'postgres');
  return server;
};

/** A replica of `primary`, which follows it from now on. */
export const startReplica = async (primary: Server): Promise<Server> => {
  const server = serverOn(createServerFolder(), await findFreePort());
  const from = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'muster'];
  run('pg_basebackup', [...from, '-D', join(server.folder, 'data'), '-R', '-X', 'stream', '-c', 'fast', '-N']);
  await server.start();
  return server;
};

/** Pauses the replay: the replica then lacks what is written from now on. */
export const pauseReplay = async (replica: Server): Promise<void> => {
  await replica.sql('select pg_wal_replay_pause()');
  await waitUntil(
    'it pauses',
    async () => (await replica.sql('select pg_get_wal_replay_pause_state() as s'))[0]!.s === 'paused',
  );
};

/** Resolves when the replica has replayed everything that the primary has written up to now. */
export const waitForReplay = async (primary: Server, replica: Server): Promise<void> => {
  const [{ lsn }] = (await primary.sql('select pg_current_wal_lsn() as lsn')) as [{ lsn: string }];
  await waitUntil(
    'the replica has it all',
    async () => (await replica.sql(`select pg_last_wal_replay_lsn() >= '${lsn}' as all`))[0]!.all,
  );
};
