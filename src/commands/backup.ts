// muster backup: writes the whole database to one file, while it serves.
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { SingleBar } from 'cli-progress';
import { Command } from 'commander';
import { fileTables } from '../data/import/import-file.ts';
import { derivedTables } from '../data/search/derive.ts';
import { useSession } from '../database/backup/session.ts';
import { writeBackup } from '../database/backup/write.ts';
import { readPackage } from '../database/package-file.ts';
import { checkTarget, standardStream, writeBackupFile } from './backup-file.ts';
import { useDatabaseServer } from './database-url.ts';
import { printNotice, showProgress } from './progress-bar.ts';
import { runAbortable } from './stopped.ts';

/** The usual level, 6, takes more than twice the time for 7 % less. */
const gzipLevel = 4;

const runBackup = async (path: string, { force = false }: { force?: boolean }): Promise<void> => {
  await checkTarget(path, force);
  const { version } = readPackage();
  const started = performance.now();
  const write = (url: string, signal: AbortSignal, bar: SingleBar) =>
    useSession(url, 'muster backup', signal, (client) =>
      writeBackupFile(path, force, async (target) => {
        const pieces = writeBackup(client, {
          version,
          derived: [...derivedTables, ...fileTables],
          onForeign: (names) => printNotice(`Not in the backup, since they are not Muster's: ${names.join(', ')}`),
          onProgress: ({ table, done, total }) => {
            if (!bar.isActive) bar.start(total, 0, { table });
            bar.update(done, { table });
          },
        });
        await pipeline(pieces, createGzip({ level: gzipLevel }), target, { signal });
      }),
    );
  const size = await showProgress('{bar} {percentage}% | {table} | {duration_formatted}', (bar) =>
    runAbortable((signal) => useDatabaseServer({ mayCreate: false }, ({ url }) => write(url, signal, bar))),
  );
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.error(`${path === standardStream ? 'backup' : path}: ${(size / 1_000_000).toFixed(1)} MB in ${seconds} s`);
};

export const createCommand = (): Command =>
  new Command('backup')
    .description(
      'Write the whole database to one compressed file: all spaces, users and digests of tokens, as they are at one moment. Servers go on meanwhile.',
    )
    .argument('<file>', 'the file to write, readable by its owner only; - for standard output')
    .option('--force', 'replace an existing file')
    .addHelpText(
      'after',
      '\nIt needs no PostgreSQL tools, and backs up the embedded database whether it runs or not. The file exists only when it is complete.\nCheck it with: muster restore --verify <file>',
    )
    .action(runBackup);
