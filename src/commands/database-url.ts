// Which database a command works on.
import type { Config } from '../config.ts';
import { findEmbedded } from '../data/embedded.ts';

/** The address of the database: `DATABASE_URL`, or the embedded server that is running on the data folder. */
export const databaseUrl = async ({ DATABASE_URL, MUSTER_DATA_DIR }: Config): Promise<string> => {
  const url = DATABASE_URL ?? (await findEmbedded(MUSTER_DATA_DIR));
  if (url) return url;
  throw new Error(`No database: set DATABASE_URL, or start the embedded server of ${MUSTER_DATA_DIR} with "npm start"`);
};
