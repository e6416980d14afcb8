// The demo data of benchmarks. Its sources take long to load, so only those import it that need it.
import { createDemoPlan } from '../../packages/demo-data/index.ts';
import { seedDatabase } from '../../src/commands/seed.ts';
import { migrateDatabase } from '../../src/database/migrate.ts';

/** Fills an empty database. */
export const loadDemo = async (url: string, contacts: number): Promise<{ rows: number }> => {
  await migrateDatabase(url);
  return seedDatabase(url, createDemoPlan(contacts, 7));
};
