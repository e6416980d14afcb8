// muster retention run: deletes what has been kept long enough, as the server does every hour.
import { Command } from 'commander';
import { readConfig, readRetention } from '../config/config.ts';
import { type RetentionCounts, runRetention } from '../data/upkeep/retention.ts';
import { withMigratedDatabase } from './database-url.ts';
import { runAbortable } from './stopped.ts';

const run = ({ dryRun = false }: { dryRun?: boolean }): Promise<void> =>
  runAbortable((signal) =>
    withMigratedDatabase(async (database) => {
      const periods = readRetention(readConfig());
      const counts: RetentionCounts = {};
      let isBusy = false;
      try {
        await runRetention(database, periods, { dryRun, signal, counts, onBusy: () => (isBusy = true) });
        if (Object.keys(counts).length === 0 && !isBusy && !signal.aborted) console.log('nothing to delete');
      } finally {
        if (Object.keys(counts).length > 0)
          console.log(`${dryRun ? 'dry run, nothing was deleted; rows that would be' : 'deleted rows'}, by table:`);
        for (const [table, count] of Object.entries(counts)) console.log(`  ${table}: ${count}`);
      }
      if (isBusy) {
        console.error('muster: another process deletes at this moment, so this run has ended early; run it again');
        process.exitCode = 1;
      }
      if (signal.aborted) console.error('muster: finished batches are kept');
      signal.throwIfAborted();
    }),
  );

export const createCommand = (): Command => {
  const command = new Command('retention')
    .description('Delete for good what has been kept long enough.')
    .helpCommand(false);
  command
    .command('run')
    .description(
      'Delete what the settings RETENTION_DELETED_DAYS, RETENTION_IMPORT_DAYS, RETENTION_AUDIT_DAYS and RETENTION_CHANGE_DAYS allow, in small batches. The server does the same every hour; one process works at a time.',
    )
    .option(
      '--dry-run',
      'only count what would be deleted; rows of deleted contacts are not counted, but the contacts are',
    )
    .action(run);
  return command;
};
