// The measured PostgreSQL with its people: in a plain schema for the peers, and in Muster's own.
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { superuser } from '../../packages/embedded-server/owner-role.ts';
import { findEmbedded, startEmbedded } from '../../packages/embedded-server/server.ts';
import { Database } from '../../src/database/database.ts';
import { migrateDatabase } from '../../src/database/migrate.ts';
import { createAccessToken } from '../../src/gate/token.ts';
import { buildDatabaseUrl } from '../../test/harness/databases.ts';
import { noteText } from './requests.ts';

/** Increased with every change of the loaded data. */
const version = 1;

export interface BenchDatabase {
  url: string;
  stop(): Promise<void>;
}

/** Settings for a machine with 16 GB and little other load. Statements are counted for all entries. */
const measured = {
  shared_buffers: '1GB',
  max_wal_size: '4GB',
  max_connections: '300',
  shared_preload_libraries: 'pg_stat_statements',
};

export const useClient = async <Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> => {
  const client = new pg.Client({ connectionString: url, application_name: 'muster bench' });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

const text = (name: string): string => readFileSync(new URL(`data/${name}.sql`, import.meta.url), 'utf8');

/** Fills an empty database with the schema of Muster. 100,000 people take some tens of seconds. */
export const loadPeople = (url: string, people: number): Promise<void> =>
  useClient(url, async (client) => {
    if ((await client.query('select from spaces limit 1')).rowCount)
      throw new Error('The people are loaded into an empty database of their own, and this one has spaces');
    await client.query(`set timezone = 'UTC'; set synchronous_commit = off; set peers.people = ${people}`);
    await client.query(text('plain'));
    await client.query(text('muster'));
    await client.query('vacuum (freeze, analyze)');
    await client.query('create extension if not exists pg_stat_statements').catch(() => {});
    await client.query(`comment on schema plain is '${mark(people)}'`);
    await client.query('checkpoint').catch(() => {});
  });

/** Leaves tables as they are after a load: all pages marked as visible, statistics fresh. A migration rewrites rows. */
export const runVacuum = (url: string): Promise<void> =>
  useClient(url, async (client) => void (await client.query('vacuum (freeze, analyze)')));

const mark = (people: number): string => `${people} people, version ${version}`;

const found = async (url: string): Promise<string | undefined> =>
  useClient(url, async (client) => {
    const sql = `select obj_description(oid, 'pg_namespace') as mark from pg_namespace where nspname = 'plain'`;
    const { rows } = await client.query<{ mark: string | null }>(sql);
    return rows[0] && (rows[0].mark ?? 'cut off');
  });

/** Drops and creates a database, as a copy of the template if there is one. */
export const resetDatabase = (url: string, database: string, template?: string): Promise<string> =>
  useClient(buildDatabaseUrl(url, 'postgres'), async (client) => {
    const name = pg.escapeIdentifier(database);
    await client.query(`drop database if exists ${name} with (force)`);
    await client.query(`create database ${name}${template ? ` template ${pg.escapeIdentifier(template)}` : ''}`);
    return buildDatabaseUrl(url, database);
  });

export interface Place {
  dataDir: string;
  people: number;
  rebuild: boolean;
}

/** The database of DATABASE_URL, if there is one. Nobody stops its server. */
export const findGivenDatabase = (): BenchDatabase | undefined => {
  const url = process.env.DATABASE_URL;
  return url ? { url, stop: async () => {} } : undefined;
};

export const startOwnServer = async (
  dataDir: string,
  settings: Record<string, string> = measured,
): Promise<BenchDatabase & { attached: boolean }> => {
  const server = await startEmbedded(dataDir, { settings, onStep: (step) => console.error(step) });
  // The superuser is needed to create databases and to reset counters.
  return { ...server, url: (await findEmbedded(dataDir, 'muster', superuser))! };
};

/** The database of DATABASE_URL, else that of an embedded server in this folder. */
export const startServer = async (dataDir: string, settings?: Record<string, string>): Promise<BenchDatabase> =>
  findGivenDatabase() ?? (await startOwnServer(dataDir, settings));

export const hasSpaces = (url: string): Promise<boolean> =>
  useClient(url, async (client) => {
    const { rows } = await client.query(`select to_regclass('public.spaces') as there`);
    return rows[0].there !== null && (await client.query('select from spaces limit 1')).rowCount! > 0;
  });

/** Works on an empty database, that of DATABASE_URL or of an embedded server, and with a folder for files. Folder and embedded server are gone afterwards. */
export const useDatabase = async <Result>(
  work: (url: string, folder: string) => Promise<Result>,
  settings: Record<string, string> = {},
): Promise<Result> => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  // The OS user of PostgreSQL, which is another one for root, passes through.
  chmodSync(folder, 0o711);
  try {
    const server = await startServer(join(folder, 'data'), settings);
    try {
      if (await hasSpaces(server.url)) throw new Error('A benchmark needs an empty database, and this one has spaces');
      return await work(server.url, folder);
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Creates a second empty database on the server of the first, and replaces that of an earlier run. */
export const createSecondDatabase = (url: string): Promise<string> =>
  resetDatabase(url, `${new URL(url).pathname.slice(1)}_second`);

/** The version of PostgreSQL. */
export const readVersion = (url: string): Promise<string> =>
  useClient(url, async (client) => {
    const { rows } = await client.query(`select split_part(current_setting('server_version'), ' ', 1) as version`);
    return rows[0].version;
  });

/** Starts a server and loads missing people. */
export const startDatabase = async (place: Place): Promise<BenchDatabase> => {
  const server = await startServer(place.dataDir);
  try {
    if (place.rebuild && findGivenDatabase())
      throw new Error('--rebuild is for the embedded server: empty the database of DATABASE_URL yourself');
    if (place.rebuild) await resetDatabase(server.url, new URL(server.url).pathname.slice(1));
    await migrateDatabase(server.url).catch((error: Error) => {
      throw new Error(`${error.message}; --rebuild starts over`, { cause: error });
    });
    const there = await found(server.url);
    if (there && there !== mark(place.people))
      throw new Error(`The database has ${there}, and ${mark(place.people)} are wanted: use --rebuild`);
    if (!there) {
      console.error(`loading ${place.people} people`);
      await loadPeople(server.url, place.people);
    }
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
};

/** The address of the same database with `search_path` set to the plain schema. The gate is in Muster's schema. */
export const buildPlainUrl = (url: string): string => {
  const plain = new URL(url);
  plain.searchParams.set('options', '-c search_path=plain,public');
  return plain.href;
};

/** Creates a token: that of a superadmin of space 1, unless it is said whose. */
export const tokenOf = async (url: string, space = 1, user = 1): Promise<string> => {
  const database = new Database(url, { poolSize: 1 });
  try {
    return await createAccessToken(database, space, user);
  } finally {
    await database.close();
  }
};

/** Columns of contacts that notes change. */
const asBefore = `
  update contacts c set (lastchange, updated_at, user_id, version) = (select p.lastchange, p.updated_at, p.user_id, 1 from plain.contact p where p.id = c.id)
   where group_id = 1 and version > 1`;

/** Removes the rows of a write workload, so that the next one starts with the same tables. */
export const cleanUp = (url: string): Promise<void> =>
  useClient(url, async (client) => {
    for (const table of ['plain.note', 'notes'])
      await client.query(`delete from ${table} where content = $1`, [noteText]);
    await client.query(asBefore);
    await client.query('vacuum plain.note, notes, contacts');
  });
