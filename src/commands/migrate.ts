// muster migrate: brings the schema of the database up to this version.
import { Command } from 'commander';
import { readConfig } from '../config/config.ts';
import { migrateDatabase } from '../database/migrate.ts';
import { findDatabaseUrl } from './database-url.ts';

export const createCommand = (): Command =>
  new Command('migrate')
    .description('Bring the schema of the database up to this version. Many instances may run it at the same time.')
    .action(async () => {
      const applied = await migrateDatabase(await findDatabaseUrl(readConfig()), {
        onApply: (name) => console.log(`applied ${name}`),
        onWait: console.error,
      });
      if (applied.length === 0) console.log('nothing to do: the schema is up to date');
    });
