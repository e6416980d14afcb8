// Measures a backup, a restore and a verification: seconds, CPU of the command, size of the file.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { parseWholeNumber } from '../../src/commands/arguments.ts';
import { startEmbedded } from '../../src/database/embedded/server.ts';
import { migrateDatabase } from '../../src/database/migrate.ts';
import { locatePackageFile } from '../../src/database/package-file.ts';
import { createDemoPlan, seedDatabase } from '../../src/seed/index.ts';
import { writeSection } from '../harness/section.ts';

const program = new Command('bench:backup')
  .description('Backs up a database of the embedded PostgreSQL, restores it into a new one, and verifies the file.')
  .option('--contacts <number>', 'contacts in the larger space', parseWholeNumber(100, 5_000_000), 100_000)
  .option('--out <file>', 'write the table into this Markdown file, between its markers')
  .parse();
const { contacts, out } = program.opts<{ contacts: number; out?: string }>();

const main = fileURLToPath(locatePackageFile('dist/main.js'));
const folder = mkdtempSync(join(tmpdir(), 'muster-bench-backup-'));
const file = join(folder, 'muster.backup');

/** Runs a command on a data folder, and returns its seconds. */
const time = (data: string, ...args: string[]): number => {
  const started = performance.now();
  const { PATH } = process.env;
  const { status, stderr } = spawnSync(process.execPath, [main, ...args], {
    env: { PATH, MUSTER_DATA_DIR: join(folder, data) },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`muster ${args.join(' ')} failed: ${stderr}`);
  return (performance.now() - started) / 1000;
};

try {
  const source = await startEmbedded(join(folder, 'source'));
  const target = await startEmbedded(join(folder, 'target'));
  try {
    await migrateDatabase(source.url);
    const { rows } = await seedDatabase(source.url, createDemoPlan(contacts));
    const results = [
      ['`muster backup`', time('source', 'backup', file)],
      ['`muster restore` into a new database', time('target', 'restore', file)],
      ['`muster restore --verify`', time('source', 'restore', '--verify', file)],
    ] as const;
    const size = statSync(file).size / 1_000_000;
    const text = [
      '## Backups',
      '',
      `\`npm run bench:backup -- --contacts ${contacts}\` on ${new Date().toISOString().slice(0, 10)}: ${rows.toLocaleString('en-US')} rows of the demo`,
      `(${contacts.toLocaleString('en-US')} contacts in the larger space), on the embedded PostgreSQL ${source.version} with its usual settings, ${cpus().length} × ${cpus()[0]!.model.trim()},`,
      `Node ${process.versions.node}. The file has ${size.toFixed(1)} MB. The server runs already; each time is that of the whole command.`,
      '',
      '| Command | seconds |',
      '| --- | ---: |',
      ...results.map(([name, seconds]) => `| ${name} | ${seconds.toFixed(1)} |`),
    ].join('\n');
    console.log(text);
    if (out) writeSection(out, 'backup', text);
  } finally {
    await Promise.all([source.stop(), target.stop()]);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
