// muster seed: fills an empty database with demo data.
import { Command } from 'commander';
import { readConfig } from '../config/config.ts';
import { migrateDatabase } from '../database/migrate.ts';
import { parseWholeNumber } from './arguments.ts';
import { findDatabaseUrl } from './database-url.ts';
import { createProgressBar } from './progress-bar.ts';

/** Seeds a database, with a progress bar and a summary on stderr. */
export const seedWithProgress = async (url: string, contacts: number, number: number): Promise<void> => {
  // Imported on demand: the module is large, and other commands do not need it.
  const { createDemoPlan, seedDatabase } = await import('../seed/index.ts');
  const bar = await createProgressBar(
    '{step} {bar} {percentage}% | {value}/{total} contacts | {duration_formatted} | {eta_formatted} left',
  );
  const plan = createDemoPlan(contacts, number);
  bar.start(
    plan.spaces.reduce((sum, space) => sum + space.contacts, 0),
    { step: 'seeding' },
  );
  try {
    const result = await seedDatabase(url, plan, ({ step, done }) => bar.update(done, { step }));
    bar.stop();
    console.error(`${result.contacts} contacts, ${result.rows} rows in ${result.seconds.toFixed(1)} s`);
  } finally {
    bar.stop();
  }
};

export const createSeedCommand = (): Command =>
  new Command('seed')
    .description('Fill an empty database with invented people: space 1 of the given size, and a small space 2.')
    .option('--contacts <number>', 'contacts in space 1', parseWholeNumber(1, 10_000_000), 10_000)
    .option('--seed <number>', 'the same number gives the same data', parseWholeNumber(0, 2 ** 32 - 1), 1)
    .action(async (options: { contacts: number; seed: number }) => {
      const url = await findDatabaseUrl(readConfig());
      await migrateDatabase(url);
      await seedWithProgress(url, options.contacts, options.seed);
    });
