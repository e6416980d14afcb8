// muster import, muster import undo
import { createWriteStream, existsSync, readFileSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type ImportMode, readImport } from '../data/import.ts';
import { undoImport } from '../data/import-undo.ts';
import type { DayOrder } from '../import/columns.ts';
import type { ReadOptions } from '../import/read.ts';
import type { Refused, Step } from '../import/run.ts';
import { wholeNumber } from './arguments.ts';
import { openDatabase } from './database-url.ts';
import { progressBar } from './progress-bar.ts';

interface Options {
  space: number;
  user?: number;
  format?: 'csv' | 'ndjson';
  encoding: 'utf8' | 'latin1';
  map?: Record<string, string>;
  days: DayOrder;
  ids?: true;
  mode: ImportMode;
  batch: number;
  dryRun?: true;
  resume?: true;
  faults?: string;
}

const count = (number: number): string => number.toLocaleString('en-US');

/** `Nom=surname,CP=address_postalcode`, or a file with such an object as JSON. */
const readMap = (text: string): Record<string, string> => {
  if (existsSync(text)) return JSON.parse(readFileSync(text, 'utf8'));
  return Object.fromEntries(
    text.split(',').map((pair) => {
      const at = pair.lastIndexOf('=');
      if (at < 1) throw new InvalidArgumentError(`${pair} must be <column of the file>=<column of contacts>`);
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    }),
  );
};

/** Faults shown; all of them go to the file of --faults. */
const shown = 20;

/** Tells of rows that are left out: the first of them on stderr, all of them in the file of --faults. */
const reporter = (file: string | undefined) => {
  const target = file ? createWriteStream(file) : undefined;
  let told = 0;
  return {
    tell(refused: Refused[], clear: () => void): void {
      for (const one of refused) {
        target?.write(`${JSON.stringify(one)}\n`);
        for (const { location, message } of one.faults) {
          if (told === 0) clear();
          if (told < shown) console.error(`row ${one.row}: ${location} ${message}`);
          if (told === shown)
            console.error(`… more; ${file ? `all of them are in ${file}` : 'see all with --faults <file>'}`);
          told++;
        }
      }
    },
    end: () => new Promise<void>((resolve) => (target ? target.end(resolve) : resolve())),
  };
};

const formatOf = (file: string): 'csv' | 'ndjson' => (/\.(nd)?jsonl?(\.gz)?$/i.test(file) ? 'ndjson' : 'csv');

const run = async (file: string, options: Options): Promise<void> => {
  const { space, mode, batch, user, map, days, ids, encoding } = options;
  // Loaded here, since most commands do without the graph.
  const [{ fingerprintOf, readRows }, { runImport }] = await Promise.all([
    import('../import/read.ts'),
    import('../import/run.ts'),
  ]);
  const format = options.format ?? formatOf(file);
  const how: ReadOptions = { format, encoding, map, days, ids: ids ?? false };
  const { fingerprint, size } = await fingerprintOf(file, { ...how, mode, batch });
  const database = await openDatabase(space);
  const progress = { bytes: 0 };
  const rows = readRows(file, how, progress);
  const report = reporter(options.faults);
  const bar = await progressBar('{bar} {percentage}% | {rows} rows | {rate}/s | {eta_formatted} left');
  const started = performance.now();
  const sum = { id: 0, rows: 0, created: 0, updated: 0, refused: 0 };
  const learn = (step: Step & { id?: number }): void => {
    sum.id = step.id ?? 0;
    sum.rows += step.rows;
    sum.created += step.created;
    sum.updated += step.updated;
    sum.refused += step.refused.length;
    report.tell(step.refused, () => bar.clear());
    const rate = count(Math.round((sum.rows * 1000) / (performance.now() - started)));
    bar.update(progress.bytes, { rows: count(sum.rows), rate });
  };
  bar.start(Math.max(size, 1), { rows: 0, rate: 0 });
  try {
    const by = user ?? null;
    if (options.dryRun)
      for await (const { row, faults } of rows)
        learn({ rows: 1, created: 0, updated: 0, refused: faults.length > 0 ? [{ row, faults }] : [] });
    else {
      const grown = () => database.gatherStatistics();
      const source = { name: file, fingerprint, mode, by, batch, resume: options.resume ?? false, grown };
      for await (const step of runImport(database.space(space), rows, source)) learn(step);
    }
  } finally {
    bar.stop();
    await report.end();
    await database.close();
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (options.dryRun)
    console.log(`${count(sum.rows)} rows read in ${seconds} s, ${count(sum.refused)} with faults; nothing was written`);
  else
    console.log(
      `import ${sum.id}: ${count(sum.rows)} rows in ${seconds} s, ${count(sum.created)} contacts created, ${count(sum.updated)} updated, ${count(sum.refused)} rows left out`,
    );
  if (sum.refused > 0) process.exitCode = 1;
};

const undo = async (text: string, { space, user }: { space: number; user?: number }): Promise<void> => {
  const id = wholeNumber(0, Number.MAX_SAFE_INTEGER)(text);
  const database = await openDatabase(space);
  try {
    const rows = database.space(space);
    const { created, updated } = await readImport(rows, id);
    const bar = await progressBar('{bar} {percentage}% | {value} of {total} contacts | {eta_formatted} left');
    bar.start(created + updated, {});
    const sum = { deleted: 0, restored: 0, left: 0 };
    for await (const step of undoImport(rows, id, user ?? null)) {
      for (const key of ['deleted', 'restored', 'left'] as const) sum[key] += step[key];
      bar.update(sum.deleted + sum.restored + sum.left, {});
    }
    bar.stop();
    console.log(
      `import ${id} undone: ${count(sum.deleted)} contacts deleted, ${count(sum.restored)} as they were before, ${count(sum.left)} left as somebody has changed them since`,
    );
  } finally {
    await database.close();
  }
};

const spaceOption = () =>
  new Option('--space <id>', 'the space').argParser(wholeNumber(0, Number.MAX_SAFE_INTEGER)).makeOptionMandatory();
const userOption = () =>
  new Option('--user <id>', 'the user in whose name contacts change').argParser(
    wholeNumber(0, Number.MAX_SAFE_INTEGER),
  );

export const importCommand = (): Command => {
  const command = new Command('import').description('Bring contacts in from a file, or undo that.');
  command
    .command('contacts <file>')
    .description('Write the rows of a CSV or NDJSON file (or either with .gz) as contacts.')
    .addOption(spaceOption())
    .addOption(userOption())
    .addOption(new Option('--format <format>', 'what the file is; by its name without it').choices(['csv', 'ndjson']))
    .addOption(new Option('--encoding <encoding>', 'how text is encoded').choices(['utf8', 'latin1']).default('utf8'))
    .option(
      '--map <pairs>',
      'what columns are: Nom=surname,CP=address_postalcode,News=form:consent:Newsletter, or a JSON file of the same; the others are left out',
      readMap,
    )
    .addOption(
      new Option('--days <order>', 'how dates such as 01/02/2003 are meant')
        .choices(['ymd', 'dmy', 'mdy'])
        .default('ymd'),
    )
    .option('--ids', 'ids in the file are of this space; without it they are passed over')
    .addOption(
      new Option('--mode <mode>', 'upsert: change the contact that a row means, or create it; create: always create')
        .choices(['upsert', 'create'])
        .default('upsert'),
    )
    .option('--batch <rows>', 'rows in a transaction, 1 to 5000', wholeNumber(1, 5000), 1000)
    .option('--dry-run', 'read every row and tell its faults; write nothing')
    .option('--resume', 'go on with an import of the same file and options that was cut off')
    .option('--faults <file>', 'write the faults of all rows to this file, as NDJSON')
    .addHelpText(
      'after',
      '\nA row with a fault is left out and told; the others are written. Exit code 1 says that some were left out.',
    )
    .action(run);
  command
    .command('undo <id>')
    .description('Undo an import: delete what it created, bring back what it changed, but for what changed since.')
    .addOption(spaceOption())
    .addOption(userOption())
    .action(undo);
  return command;
};
