// Starts one PostgreSQL for the whole run, with one template: migrated, with the seeded spaces 1 and 2. Tests clone the template.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { owner, superuser } from '../../src/database/embedded/owner-role.ts';
import { findEmbedded, startEmbedded } from '../../src/database/embedded/server.ts';
import { migrateDatabase } from '../../src/database/migrate.ts';
import { createDemoPlan, seedDatabase } from '../../src/seed/index.ts';
import { createOnCluster, distributeTemplate, dropOnCluster } from '../scale-out/cluster-databases.ts';
import { leftOutOnCitus } from '../scale-out/left-out-on-citus.ts';

/** Data need not survive a crash. Many connections are allowed: tests run several servers at once, each with its pools. */
const quick = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

declare module 'vitest' {
  export interface ProvidedContext {
    /** The URL of the server; tests create their own databases in it. */
    serverUrl: string;
    /** The URL with the superuser role, if there is one: for tests that disable triggers or create roles. */
    adminUrl: string;
    template: string;
    /** Whether the server is the coordinator of a Citus cluster, and the template is distributed. */
    onCluster: boolean;
    /** A folder for the build of the program. */
    programFolder: string;
    /** Tables with a column group_id, and functions whose first argument is a space. */
    catalogue: { tables: string[]; functions: string[] };
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cluster = process.env.CITUS_URL;
  const given = cluster ?? process.env.TEST_DATABASE_URL;
  const folder = given ? undefined : await mkdtemp(join(tmpdir(), 'muster-test-'));
  // Nothing here has to survive a crash.
  const embedded = folder ? await startEmbedded(folder, { settings: { ...quick, max_connections: '400' } }) : undefined;
  const serverUrl = given ?? embedded!.url;
  // Tests run with the role of the server, which is no superuser, but may create databases.
  const adminUrl = given ?? (await findEmbedded(folder!, 'muster', superuser))!;
  if (!given) await admin(adminUrl, `alter role ${owner} createdb`);
  const template = `muster_template_${process.pid}`;
  const url = withDatabase(serverUrl, template);
  if (cluster)
    for (const { files, titled, reason } of leftOutOnCitus)
      console.log(`left out on a cluster: ${files.join(', ')}${titled ? ` (${titled.source})` : ''}: ${reason}`);
  if (cluster) await createOnCluster(cluster, template);
  else await admin(serverUrl, `create database ${template}`);
  await migrateDatabase(url);
  await seedDatabase(url, createDemoPlan(400, 7));
  project.provide('catalogue', await readCatalogue(url));
  if (cluster) await distributeTemplate(cluster, template);
  project.provide('serverUrl', serverUrl);
  project.provide('onCluster', cluster !== undefined);
  project.provide('adminUrl', adminUrl);
  project.provide('template', template);
  const programFolder = await mkdtemp(join(tmpdir(), 'muster-build-'));
  project.provide('programFolder', programFolder);
  return async () => {
    if (cluster) await dropOnCluster(cluster, template);
    await admin(adminUrl, `drop database if exists ${template} with (force)`);
    await embedded?.stop();
    for (const one of [folder, programFolder]) if (one) await rm(one, { recursive: true, force: true });
  };
}

const readCatalogue = async (connectionString: string): Promise<{ tables: string[]; functions: string[] }> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const names = async (sql: string): Promise<string[]> => (await client.query(sql)).rows.map(({ name }) => name);
  const tables = await names(
    `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'group_id'`,
  );
  const functions = await names(
    `select proname as name from pg_proc where pronamespace = 'public'::regnamespace and proargnames[1] = 'space'`,
  );
  await client.end();
  return { tables, functions };
};

export const withDatabase = (serverUrl: string, name: string): string => {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
};

export const admin = async (serverUrl: string, sql: string): Promise<void> => {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
};
