// The demo data of benchmarks. Its sources take long to load, so only those import it that need it.
import { migrateDatabase } from '../../src/database/migrate.ts';
import { createDemoPlan, seedDatabase } from '../../src/seed/index.ts';

/** Fills an empty database. */
export const loadDemo = async (url: string, contacts: number): Promise<{ rows: number }> => {
  await migrateDatabase(url);
  return seedDatabase(url, createDemoPlan(contacts, 7));
};
