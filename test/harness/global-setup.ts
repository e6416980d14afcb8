// Starts one PostgreSQL for the whole run, or uses one that is given, with one template. Tests clone the template.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { createOnCluster, distributeTemplate, dropOnCluster } from '../scale-out/cluster-databases.ts';
import { leftOutOnCitus } from '../scale-out/left-out-on-citus.ts';
import { buildDatabaseUrl, runStatement } from './databases.ts';
import { fillTemplate, startSeeded } from './seeded-server.ts';

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

/** Adds a template to a server. Other runs may be using the server. */
const useServer = async (url: string, onCluster: boolean) => {
  const template = `muster_template_${process.pid}`;
  const programFolder = await mkdtemp(join(tmpdir(), 'muster-build-'));
  if (onCluster)
    for (const { files, titled, reason } of leftOutOnCitus)
      console.log(`left out on a cluster: ${files.join(', ')}${titled ? ` (${titled.source})` : ''}: ${reason}`);
  await (onCluster ? createOnCluster(url, template) : runStatement(url, `create database ${template}`));
  await fillTemplate(buildDatabaseUrl(url, template));
  const stop = async (): Promise<void> => {
    await (onCluster
      ? dropOnCluster(url, template)
      : runStatement(url, `drop database if exists ${template} with (force)`));
    await rm(programFolder, { recursive: true, force: true });
  };
  return { url, adminUrl: url, template, programFolder, stop };
};

export default async function setup({ vitest }: TestProject): Promise<(() => Promise<void>) | undefined> {
  // Each project that needs it sets up, one after the other.
  if ('serverUrl' in vitest.getProvidedContext()) return undefined;
  const cluster = process.env.CITUS_URL;
  const given = cluster ?? process.env.TEST_DATABASE_URL;
  const onCluster = cluster !== undefined;
  const { url, adminUrl, template, programFolder, stop } = await (given ? useServer(given, onCluster) : startSeeded());
  vitest.provide('catalogue', await readCatalogue(buildDatabaseUrl(url, template)));
  if (onCluster) await distributeTemplate(url, template);
  vitest.provide('serverUrl', url);
  vitest.provide('onCluster', onCluster);
  vitest.provide('adminUrl', adminUrl);
  vitest.provide('template', template);
  vitest.provide('programFolder', programFolder);
  return stop;
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
