// The measured PostgreSQL with its people: in a plain schema for the peers, and in Muster's own.
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { Database } from '../../src/database/database.ts';
import { superuser } from '../../src/database/embedded/owner-role.ts';
import { findEmbedded, startEmbedded } from '../../src/database/embedded/server.ts';
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
  databaseUrl?: string;
  people: number;
  rebuild: boolean;
}

/** The server of DATABASE_URL, else an embedded one in its own folder. */
export const startServer = async ({
  dataDir,
  databaseUrl,
}: Pick<Place, 'dataDir' | 'databaseUrl'>): Promise<BenchDatabase> => {
  if (databaseUrl) return { url: databaseUrl, stop: async () => {} };
  const { stop } = await startEmbedded(dataDir, { settings: measured, onStep: (step) => console.error(step) });
  // The superuser is needed to create databases and to reset counters.
  return { url: (await findEmbedded(dataDir, 'muster', superuser))!, stop };
};

/** Starts a server and loads missing people. */
export const startDatabase = async (place: Place): Promise<BenchDatabase> => {
  const server = await startServer(place);
  try {
    if (place.rebuild && place.databaseUrl)
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

/** Creates a token of a superadmin of space 1, which has half of the people. */
export const tokenOf = async (url: string): Promise<string> => {
  const database = new Database(url, { poolSize: 1 });
  try {
    return await createAccessToken(database, 1, 1);
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
