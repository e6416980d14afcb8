// muster restore: fills an empty database from a backup, or verifies a backup in a scratch database.
import type { Readable } from 'node:stream';
import { Command } from 'commander';
import { renewFeeds } from '../data/event/change.ts';
import { pauseRestoredWebhooks } from '../data/event/webhook.ts';
import { fileTables } from '../data/import/import-file.ts';
import { derivedTables, deriveSearchRows, listContactRanges } from '../data/search/derive.ts';
import { countWrongRows } from '../data/search/verify.ts';
import { openBackup } from '../database/backup/format.ts';
import { DatabaseNotEmpty, type Restored, restoreBackup, useScratchDatabase } from '../database/backup/restore.ts';
import { useSession } from '../database/backup/session.ts';
import { openBackupFile } from './backup-file.ts';
import { type DatabaseServer, useDatabaseServer } from './database-url.ts';
import { createProgressBar } from './progress-bar.ts';
import { runAbortable } from './stopped.ts';
import { formatCount } from './table.ts';

/** Restores into a database, with progress on stderr. Returns how many webhooks it has paused too. */
const restoreInto = async (
  url: string,
  { source, size }: { source: Readable; size?: number },
  { readsAgain = false, sendsWebhooks = false }: { readsAgain?: boolean; sendsWebhooks?: boolean | undefined },
  signal: AbortSignal,
): Promise<Restored & { paused: number }> => {
  let paused = 0;
  const bar = await createProgressBar('{bar} {percentage}% | {step} | {duration_formatted}');
  let [step, read, total] = ['rows', 0, size ?? 0];
  bar.start(total, 0, { step });
  source.on('data', (chunk: Buffer) => {
    read += chunk.length;
    if (step.startsWith('rows')) bar.update(size === undefined ? 0 : read, { step });
  });
  source.pause();
  // Otherwise a stop would wait for the next piece of the file.
  const stop = (): void => void source.destroy(signal.reason);
  signal.addEventListener('abort', stop);
  try {
    const restored = await useSession(url, 'muster restore', signal, async (client) =>
      restoreBackup(client, await openBackup(source), {
        derived: [...derivedTables, ...fileTables],
        readsAgain,
        onStep: (name, table) => {
          step = table ? `${name} of ${table}` : name;
          bar.update(read, { step });
        },
        derive: async () => {
          await renewFeeds(client);
          if (!sendsWebhooks) paused = await pauseRestoredWebhooks(client);
          const ranges = await listContactRanges(client);
          [total, read] = [ranges.reduce((sum, { contacts }) => sum + contacts, 0), 0];
          bar.start(total, 0, { step });
          for (const range of ranges) {
            await deriveSearchRows(client, range);
            read += range.contacts;
            bar.update(read, { step });
          }
        },
      }),
    );
    return { ...restored, paused };
  } finally {
    signal.removeEventListener('abort', stop);
    bar.stop();
  }
};

/** Says how to go on with a database that has data. */
const explainNotEmpty = (error: unknown, { folder }: DatabaseServer): never => {
  if (!(error instanceof DatabaseNotEmpty)) throw error;
  const advice = folder
    ? `Stop Muster, move ${folder} away, and run this again: it makes a new one`
    : 'Create a new database, and name it in DATABASE_URL';
  throw new Error(`${error.message}. Nothing was changed. ${advice}`, { cause: error });
};

const runRestore = (path: string, sendsWebhooks: boolean | undefined): Promise<void> =>
  runAbortable(async (signal) => {
    const started = performance.now();
    const file = await openBackupFile(path);
    const { manifest, tables, paused } = await useDatabaseServer({ mayCreate: true }, (server) =>
      restoreInto(server.url, file, { sendsWebhooks }, signal).catch((error) => explainNotEmpty(error, server)),
    );
    const rows = Object.values(tables).reduce((sum, table) => sum + table.rows, 0);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.error(`restored: ${formatCount(rows)} rows of ${manifest.createdAt} in ${seconds} s`);
    if (paused > 0)
      console.error(
        `${formatCount(paused)} webhooks are paused, since a copy must not write to the receivers of the original: updateWebhook(isActive: true) has one go on where it was`,
      );
  });

const runVerify = (path: string): Promise<void> =>
  runAbortable(async (signal) => {
    const file = await openBackupFile(path);
    const found = await useDatabaseServer({ mayCreate: true }, (server) =>
      useScratchDatabase(server, async (url) => ({
        ...(await restoreInto(url, file, { readsAgain: true }, signal)),
        search: await countWrongRows(url, { again: false, signal }),
      })),
    );
    const { manifest, tables, search } = found;
    const lines = Object.entries(tables).map(([name, { rows }]) => [name, formatCount(rows)] as const);
    const width = (column: 0 | 1): number => Math.max(...lines.map((line) => line[column].length));
    console.log(`Muster ${manifest.muster}, PostgreSQL ${manifest.postgresql}, ${manifest.createdAt}`);
    for (const [name, rows] of lines) console.log(`${name.padEnd(width(0))}  ${rows.padStart(width(1))} rows`);
    if (search.wrong > 0) {
      console.log(`not good: ${formatCount(search.wrong)} search rows are not what a rebuild yields`);
      process.exitCode = 1;
    } else
      console.log(
        `good: all rows are those that were written, and the search rows of ${formatCount(search.contacts)} contacts are right`,
      );
  });

export const createCommand = (): Command =>
  new Command('restore')
    .description(
      'Fill an empty database from a backup, and migrate it to this version. It refuses a database that has data.',
    )
    .argument('<file>', 'the backup; - for standard input')
    .option(
      '--verify',
      'change nothing: restore into a scratch database on the same server, compare everything, and drop it',
    )
    .option(
      '--send-webhooks',
      'keep active webhooks active: this database takes the place of the one that was backed up',
    )
    .addHelpText(
      'after',
      '\nThe database is that of DATABASE_URL, else that of the embedded server, which is made when there is none.\nA restore is one transaction: when it fails or is stopped, nothing has changed, and it can be run again.',
    )
    .action((path: string, { verify, sendWebhooks }: { verify?: true; sendWebhooks?: true }) =>
      verify ? runVerify(path) : runRestore(path, sendWebhooks),
    );
