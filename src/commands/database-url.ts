// Finds and opens the database of a command.
import { hasCluster } from '../../packages/embedded-server/cluster-files.ts';
import { superuser } from '../../packages/embedded-server/owner-role.ts';
import { findEmbedded, startEmbedded } from '../../packages/embedded-server/server.ts';
import { type Config, readConfig } from '../config/config.ts';
import { Database } from '../database/database.ts';
import { migrateDatabase } from '../database/migrate.ts';
import type { Space } from '../database/space.ts';

/** The address of the database without any pooler: the configured one, or that of the embedded server that runs on the data folder. */
export const findDatabaseUrl = async ({
  DATABASE_DIRECT_URL,
  DATABASE_URL,
  MUSTER_DATA_DIR,
}: Config): Promise<string> => {
  const url = DATABASE_DIRECT_URL ?? DATABASE_URL ?? (await findEmbedded(MUSTER_DATA_DIR));
  if (url) return url;
  throw new Error(
    `No database: set DATABASE_URL, or start the embedded server of ${MUSTER_DATA_DIR} with "muster serve" ("npm start" in a checkout)`,
  );
};

/** A running server of PostgreSQL, for commands that work on the database as a whole. */
export interface DatabaseServer {
  /** The address of the database. */
  url: string;
  /** The address of a role that may create databases, if we know one. */
  adminUrl: string;
  /** The data folder of the embedded server. */
  folder?: string;
}

/**
 * Runs work on the configured database, or on the embedded one. The embedded server is started when it is not running, and keeps running
 * until the work is done, whatever other processes do.
 */
export const useDatabaseServer = async <Result>(
  { mayCreate }: { mayCreate: boolean },
  work: (server: DatabaseServer) => Promise<Result>,
): Promise<Result> => {
  const { DATABASE_DIRECT_URL, DATABASE_URL, MUSTER_DATA_DIR: folder } = readConfig();
  const url = DATABASE_DIRECT_URL ?? DATABASE_URL;
  if (url) return work({ url, adminUrl: url });
  if (!mayCreate && !hasCluster(folder))
    throw new Error(`There is no database in ${folder}: set DATABASE_URL, or MUSTER_DATA_DIR to its folder`);
  const server = await startEmbedded(folder, { onStep: (text) => console.error(text) });
  try {
    return await work({ url: server.url, adminUrl: (await findEmbedded(folder, 'muster', superuser))!, folder });
  } finally {
    await server.stop();
  }
};

/** In milliseconds. A command waits longer than a request: on a busy server it should rather be slow than fail. */
const commandStatementTimeout = 60_000;

/** Migrates and opens the database for a command that works in one space, for some commands as a user. Throws when the space or the user does not exist. */
export const openDatabase = async (space: number, user?: number): Promise<Database> => {
  const url = await findDatabaseUrl(readConfig());
  await migrateDatabase(url, { onWait: console.error });
  const database = new Database(url, { statementTimeout: commandStatementTimeout });
  const missing = !(await database.hasSpace(space))
    ? `space ${space}`
    : user !== undefined && !(await database.hasUser(user)) && `user ${user}`;
  if (!missing) return database;
  await database.close();
  throw new Error(`There is no ${missing}`);
};

/** Runs the work of a command that needs few connections. It does not migrate the database. */
export const withDatabase = async <Result>(work: (database: Database) => Promise<Result>): Promise<Result> => {
  const database = new Database(await findDatabaseUrl(readConfig()), { poolSize: 1 });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
};

/** Runs the work of a command in one space. Throws when there is no such space. */
export const withSpace = <Result>(id: number, work: (space: Space, database: Database) => Promise<Result>) =>
  withDatabase(async (database) => {
    if (!(await database.hasSpace(id))) throw new Error(`There is no space ${id}`);
    return work(database.space(id), database);
  });
