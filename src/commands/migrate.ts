// muster migrate
import { Command } from 'commander';
import { readConfig } from '../config.ts';
import { migrateDatabase } from '../database/migrate.ts';
import { findDatabaseUrl } from './database-url.ts';

export const createMigrateCommand = (): Command =>
  new Command('migrate')
    .description('Bring the schema of the database up to this version. Safe to run from many instances at once.')
    .action(async () => {
      const applied = await migrateDatabase(await findDatabaseUrl(readConfig()), (name) =>
        console.log(`applied ${name}`),
      );
      if (applied.length === 0) console.log('nothing to do: the schema is up to date');
    });
