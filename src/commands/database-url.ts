// Finds and opens the database of a command.
import { hasCluster } from '../../packages/embedded-server/cluster-files.ts';
import { superuser } from '../../packages/embedded-server/owner-role.ts';
import { findEmbedded, startEmbedded } from '../../packages/embedded-server/server.ts';
import { type Config, readConfig } from '../config/config.ts';
import { type AuditedRecords, addAuditLines, describeCommand } from '../data/noun/audit.ts';
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

/** The address of the database, which is migrated first. */
export const findMigratedUrl = async (config = readConfig()): Promise<string> => {
  const url = await findDatabaseUrl(config);
  await migrateDatabase(url, { onWait: console.error });
  return url;
};

const runAndClose = async <Result>(database: Database, work: (database: Database) => Promise<Result>) => {
  try {
    return await work(database);
  } finally {
    await database.close();
  }
};

const findSpace = async (database: Database, id: number, mayBeDeleted?: boolean): Promise<Space> => {
  if (await database.hasSpace(id, mayBeDeleted)) return database.space(id);
  throw new Error(`There is no space ${id}`);
};

/** Runs the long work of a command. Migrates first. */
export const withMigratedDatabase = async <Result>(work: (database: Database) => Promise<Result>): Promise<Result> =>
  runAndClose(new Database(await findMigratedUrl(), { statementTimeout: commandStatementTimeout }), work);

/** Runs the long work of a command in one space, for some commands as a user. Migrates first. Throws when the space or the user does not exist. */
export const workInSpace = async <Result>(
  { space: id, user, mayBeDeleted }: { space: number; user?: number | undefined; mayBeDeleted?: boolean },
  work: (space: Space, database: Database) => Promise<Result>,
): Promise<Result> =>
  withMigratedDatabase(async (database) => {
    const space = await findSpace(database, id, mayBeDeleted);
    if (user !== undefined && !(await database.hasUser(user))) throw new Error(`There is no user ${user}`);
    return work(space, database);
  });

/** Runs the work of a command that needs few connections. It does not migrate the database. Throws when the given space never existed. */
export const withDatabase = async <Result>(
  work: (database: Database) => Promise<Result>,
  space?: number,
): Promise<Result> =>
  runAndClose(new Database(await findDatabaseUrl(readConfig()), { poolSize: 1 }), async (database) => {
    if (space !== undefined) await findSpace(database, space, true);
    return work(database);
  });

/** Runs the work of a command in one space. Throws when there is no such space. */
export const withSpace = <Result>(id: number, work: (space: Space) => Promise<Result>) =>
  withDatabase(async (database) => work(await findSpace(database, id)));

/** Runs the write of a command in one space: with its lines in the audit log, it is one transaction. Throws when there is no such space. */
export const writeInSpace = <Result>(
  id: number,
  operation: string,
  write: (tx: Space) => Promise<Result>,
  describeRecords: (result: Result) => AuditedRecords,
): Promise<Result> =>
  withSpace(id, (space) =>
    space.transaction(async (tx) => {
      const result = await write(tx);
      await addAuditLines(tx, describeCommand(operation), describeRecords(result));
      return result;
    }),
  );
