// Measures a backup, a restore and a verification: seconds, CPU of the command, size of the file.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { parseWholeNumber } from '../../src/commands/arguments.ts';
import { locatePackageFile } from '../../src/database/package-file.ts';
import { createSecondDatabase, readVersion, useDatabase } from '../harness/database.ts';
import { loadDemo } from '../harness/demo.ts';
import { runProgram } from '../harness/run-program.ts';
import { printSection } from '../harness/section.ts';

interface Options {
  contacts: number;
  out?: string;
}

const program = new Command('bench:backup')
  .description('Backs up a database, restores it into a new one, and verifies the file.')
  .option('--contacts <number>', 'contacts in the larger space', parseWholeNumber(100, 5_000_000), 100_000)
  .option('--out <file>', 'write the table into this Markdown file, between its markers');

const main = fileURLToPath(locatePackageFile('dist/main.js'));

/** Runs a command on a database, and returns its seconds. */
const time = (url: string, ...args: string[]): number => {
  const started = performance.now();
  const { PATH } = process.env;
  const { status, stderr } = spawnSync(process.execPath, [main, ...args], {
    env: { PATH, DATABASE_URL: url },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`muster ${args.join(' ')} failed: ${stderr}`);
  return (performance.now() - started) / 1000;
};

const run = async (url: string, folder: string, { contacts, out }: Options): Promise<void> => {
  const { rows } = await loadDemo(url, contacts);
  const file = join(folder, 'muster.backup');
  const results = [
    ['`muster backup`', time(url, 'backup', file)],
    ['`muster restore` into a new database', time(await createSecondDatabase(url), 'restore', file)],
    ['`muster restore --verify`', time(url, 'restore', '--verify', file)],
  ] as const;
  const size = statSync(file).size / 1_000_000;
  const text = [
    '## Backups',
    '',
    `\`npm run bench:backup -- --contacts ${contacts}\` on ${new Date().toISOString().slice(0, 10)}: ${rows.toLocaleString('en-US')} rows of the demo`,
    `(${contacts.toLocaleString('en-US')} contacts in the larger space), on PostgreSQL ${await readVersion(url)} with its usual settings, ${cpus().length} × ${cpus()[0]!.model.trim()},`,
    `Node ${process.versions.node}. The file has ${size.toFixed(1)} MB. The server runs already; each time is that of the whole command.`,
    '',
    '| Command | seconds |',
    '| --- | ---: |',
    ...results.map(([name, seconds]) => `| ${name} | ${seconds.toFixed(1)} |`),
  ].join('\n');
  printSection('backup', text, out);
};

await runProgram<Options>(program, (options) => useDatabase((url, folder) => run(url, folder, options)));
