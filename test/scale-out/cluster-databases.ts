// Databases on a Citus cluster: each exists on every node under one name.
import pg from 'pg';
import { parseNode } from '../../src/commands/distribute.ts';
import { applyNodeSettings, distributeDatabase, joinWorkers } from '../../src/database/citus/distribute.ts';

const workers = (): string[] => (process.env.CITUS_WORKERS ?? '').split(',').filter(Boolean);

const run = async (url: string, ...texts: string[]): Promise<pg.QueryResult> => {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  try {
    let result: pg.QueryResult | undefined;
    for (const text of texts) result = await client.query(text);
    return result!;
  } finally {
    await client.end();
  }
};

const urlOf = (coordinator: string, database: string, node?: string): string => {
  const url = new URL(coordinator);
  url.pathname = `/${database}`;
  if (node) url.host = node;
  return url.href;
};

/** The URLs of all nodes for a database. */
const nodeUrls = (coordinator: string, database: string): string[] =>
  [undefined, ...workers()].map((node) => urlOf(coordinator, database, node));

/** An empty database on every node of the cluster, which are known to each other. */
export const createOnCluster = async (coordinator: string, name: string): Promise<void> => {
  for (const url of nodeUrls(coordinator, 'postgres')) await run(url, `create database ${name}`);
  await joinWorkers(urlOf(coordinator, name), workers().map(parseNode));
};

/** Distributes the template, and closes it: a database that somebody is connected to cannot be copied, and Citus itself would be. */
export const distributeTemplate = async (coordinator: string, name: string): Promise<void> => {
  await distributeDatabase(urlOf(coordinator, name));
  for (const url of nodeUrls(coordinator, 'postgres'))
    await run(
      url,
      `alter database ${name} allow_connections false`,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    );
};

export const cloneOnCluster = async (coordinator: string, name: string, template: string): Promise<void> => {
  await Promise.all(
    nodeUrls(coordinator, 'postgres').map((url) =>
      run(url, `create database ${name} template ${template} strategy file_copy`),
    ),
  );
  const client = new pg.Client(urlOf(coordinator, name));
  await client.connect();
  await applyNodeSettings(client);
  await client.end();
};

export const dropOnCluster = async (coordinator: string, name: string): Promise<void> => {
  for (const url of nodeUrls(coordinator, 'postgres')) await run(url, `drop database if exists ${name} with (force)`);
};
