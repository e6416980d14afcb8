// A Citus cluster of its own, whose nodes can be killed: a coordinator and two workers, with four seeded spaces on both.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { parseNode } from '../../src/commands/distribute.ts';
import { seedDatabase } from '../../src/commands/seed.ts';
import { distributeDatabase, joinWorkers } from '../../src/database/citus/distribute.ts';
import { listLargestSpaces } from '../../src/database/citus/status.ts';
import { migrateDatabase } from '../../src/database/migrate.ts';
import { cleanUpAfterFile } from '../harness/cleanup.ts';
import { waitUntil } from '../harness/waiting.ts';

const prefix = process.env.CITUS_PREFIX;
/** Why there is no cluster; undefined when there is one. */
export const missingCitus = prefix ? undefined : 'no CITUS_PREFIX: test/scale-out/citus.sh builds Citus there';

/** Below those that systems give to clients. */
const port = 20_000 + (process.pid % 3000) * 3;
const url = `postgres://muster@127.0.0.1:${port}/muster`;
const workers = [1, 2].map((nth) => `127.0.0.1:${port + nth}`);

const runScript = (...args: string[]): void =>
  void execFileSync('bash', [join(import.meta.dirname, 'citus.sh'), ...args], {
    env: { ...process.env, CITUS_PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });

const queryDatabase = async (text: string, values: unknown[] = [], from = url) => {
  const client = new pg.Client(from);
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
};

export interface CitusCluster {
  /** The database on the coordinator. */
  url: string;
  /** The same on each worker. */
  workerUrls: string[];
  /** The node of each space. */
  nodes: ReadonlyMap<number, string>;
  query: typeof queryDatabase;
  /** Kills the server of a node, and all of its processes, as an operating system without memory would. */
  killNode(node: string): void;
  /** Starts the nodes that do not run. */
  startNodes(): Promise<void>;
}

/** The folders of the clusters that run. */
const folders: string[] = [];
cleanUpAfterFile(() => {
  for (const data of folders.splice(0)) {
    runScript('stop', data);
    fs.rmSync(data, { recursive: true, force: true });
  }
});

/** Starts it and distributes its database. It ends with the test file. */
export const startCitusCluster = async (spaces: readonly number[]): Promise<CitusCluster> => {
  const data = fs.mkdtempSync(join(tmpdir(), 'muster-citus-'));
  folders.push(data);
  fs.chmodSync(data, 0o755);
  runScript('start', prefix!, data);
  await queryDatabase('create database muster', [], url.replace(/muster$/, 'postgres'));
  await migrateDatabase(url);
  await joinWorkers(url, workers.map(parseNode));
  await distributeDatabase(url);
  await seedDatabase(url, { seed: 1, spaces: spaces.map((id) => ({ id, contacts: 40 })) });
  const client = new pg.Client(url);
  await client.connect();
  const nodes = new Map((await listLargestSpaces(client, spaces.length)).map(({ space, node }) => [space, node]));
  await client.end();
  return {
    url,
    workerUrls: workers.map((node) => url.replace(`127.0.0.1:${port}`, node)),
    nodes,
    query: queryDatabase,
    killNode(node) {
      const folder = join(data, `worker-${workers.indexOf(node) + 1}`);
      const pid = fs.readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]!;
      const children = execFileSync('pgrep', ['-P', pid], { encoding: 'utf8' }).trim().split('\n');
      for (const one of [pid, ...children]) process.kill(Number(one), 'SIGKILL');
    },
    startNodes: () =>
      waitUntil('the nodes run', () => {
        try {
          runScript('start', prefix!, data);
          return true;
        } catch {
          return false;
        }
      }),
  };
};
