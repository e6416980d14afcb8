// Which database a command works on.
import { type Config, readConfig } from '../config.ts';
import { Database } from '../database/database.ts';
import { findEmbedded } from '../database/embedded/server.ts';
import { migrateDatabase } from '../database/migrate.ts';

/** The address of the database, past any pooler: as it is set, or the embedded server that is running on the data folder. */
export const findDatabaseUrl = async ({
  DATABASE_DIRECT_URL,
  DATABASE_URL,
  MUSTER_DATA_DIR,
}: Config): Promise<string> => {
  const url = DATABASE_DIRECT_URL ?? DATABASE_URL ?? (await findEmbedded(MUSTER_DATA_DIR));
  if (url) return url;
  throw new Error(`No database: set DATABASE_URL, or start the embedded server of ${MUSTER_DATA_DIR} with "npm start"`);
};

/** The database, brought up to date, of a command that works on one space, maybe in the name of a user. Throws when either is not there. */
export const openDatabase = async (space: number, user?: number): Promise<Database> => {
  const url = await findDatabaseUrl(readConfig());
  await migrateDatabase(url);
  const database = new Database(url);
  const missing = !(await database.hasSpace(space))
    ? `space ${space}`
    : user !== undefined && !(await database.hasUser(user)) && `user ${user}`;
  if (!missing) return database;
  await database.close();
  throw new Error(`There is no ${missing}`);
};
