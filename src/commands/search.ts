// muster search rebuild | verify: repairs or checks the search rows.
import { Command } from 'commander';
import {
  type Batch,
  type Derived,
  rowTables,
  SearchRows,
  type VerifyOptions,
  type WrongRow,
} from '../data/search/verify.ts';
import { parseId, parseWholeNumber } from './arguments.ts';
import { findMigratedUrl } from './database-url.ts';
import { createProgressBar } from './progress-bar.ts';
import { formatCount } from './table.ts';

interface Options {
  space?: number;
  batch: number;
}

const names: Record<Derived, string> = {
  contact_search: 'search rows',
  contact_emails: 'e-mail search rows',
  search_words: 'words of quick search',
  answers: 'answers of contacts',
};
const countNoun = (number: number, noun: string): string => `${formatCount(number)} ${noun}${number === 1 ? '' : 's'}`;

/** Checks or repairs rows batch by batch, with a progress bar on stderr. */
const runBatches = async (
  options: VerifyOptions,
  onBatch: (batch: Batch) => void,
  finish: (rows: SearchRows) => Promise<void> = async () => {},
): Promise<void> => {
  const rows = await SearchRows.open(await findMigratedUrl());
  const bar = await createProgressBar(
    'space {space} {bar} {percentage}% | {value}/{total} contacts | {rate}/s | {eta_formatted} left',
  );
  const stop = (): void => {
    bar.stop();
    console.error('muster: stopped; the finished batches are kept');
    process.exit(1);
  };
  for (const signal of signals) process.once(signal, stop);
  try {
    const total = await rows.size(options.space);
    const started = performance.now();
    let done = 0;
    bar.start(total, 0, { space: options.space ?? '', rate: 0 });
    for await (const batch of rows.readBatches(options)) {
      done += batch.contacts;
      onBatch(batch);
      bar.update(done, {
        space: batch.space,
        rate: formatCount(Math.round((done * 1000) / (performance.now() - started))),
      });
    }
    await finish(rows);
  } finally {
    for (const signal of signals) process.removeListener(signal, stop);
    bar.stop();
    await rows.close();
  }
};
const signals = ['SIGINT', 'SIGTERM'] as const;

const rebuild = async ({ space, batch }: Options): Promise<void> => {
  let contacts = 0;
  const spaces = new Set<number>();
  const tally = new Map<Derived, { written: number; removed: number }>(
    [...rowTables, 'search_words' as const, 'answers' as const].map((table) => [table, { written: 0, removed: 0 }]),
  );
  let unusedWords = 0;
  const countBatch = (done: Batch): void => {
    contacts += done.contacts;
    spaces.add(done.space);
    for (const { table, kind } of done.wrong) tally.get(table)![kind === 'left over' ? 'removed' : 'written']++;
  };
  await runBatches({ space, batch, again: false, repair: true }, countBatch, async (rows) => {
    unusedWords = await rows.removeUnusedWords(space);
  });
  const changes = rowTables.map((table) => {
    const { written, removed } = tally.get(table)!;
    return `${formatCount(written)} ${names[table]} written, ${formatCount(removed)} removed`;
  });
  const worded = tally.get('search_words')!.written;
  if (worded > 0) changes.push(`words of ${countNoun(worded, 'contact')} added`);
  if (unusedWords > 0) changes.push(`${countNoun(unusedWords, 'word')} of nobody removed`);
  const answers = tally.get('answers')!.written;
  if (answers > 0) changes.push(`answers of ${countNoun(answers, 'contact')} normalized again`);
  console.log(`${countNoun(contacts, 'contact')} of ${countNoun(spaces.size, 'space')}: ${changes.join('; ')}`);
};

/** Ids that are printed for one kind of error. */
const maxPrinted = 20;

/** The wrong rows of a space: their number by kind, and the first ids of each kind. */
interface SpaceReport {
  contacts: number;
  kinds: Map<string, { rows: number; first: string[] }>;
}

const addWrongRow = ({ kinds }: SpaceReport, { table, kind, id, columns }: WrongRow): void => {
  const name = `${names[table]} ${kind}`;
  const entry = kinds.get(name) ?? { rows: 0, first: [] };
  kinds.set(name, entry);
  entry.rows++;
  if (entry.first.length < maxPrinted)
    entry.first.push(columns.length > 0 ? `${id} (${columns.join(', ')})` : String(id));
};

const printReport = (space: number, { contacts, kinds }: SpaceReport): void => {
  const verdict = kinds.size === 0 ? 'all rows are correct' : 'some rows are wrong';
  console.log(`space ${space}, ${countNoun(contacts, 'contact')}: ${verdict}`);
  for (const [name, { rows, first }] of kinds) {
    const more = rows > first.length ? ` and ${formatCount(rows - first.length)} more` : '';
    console.log(`  ${name} (${formatCount(rows)}): ${first.join(', ')}${more}`);
  }
};

const verify = async ({ space, batch, repair = false }: Options & { repair?: boolean }): Promise<void> => {
  const reports = new Map<number, SpaceReport>();
  await runBatches({ space, batch, again: true, repair }, (done) => {
    const report = reports.get(done.space) ?? { contacts: 0, kinds: new Map() };
    reports.set(done.space, report);
    report.contacts += done.contacts;
    for (const row of done.wrong) addWrongRow(report, row);
  });
  for (const [id, report] of reports) printReport(id, report);
  if ([...reports.values()].every(({ kinds }) => kinds.size === 0)) return;
  process.exitCode = 1;
  console.log(repair ? 'The wrong rows are repaired.' : 'To repair them: muster search verify --repair');
};

export const createCommand = (): Command => {
  const command = new Command('search')
    .description('The search rows, which contact search reads. They are derived from the contacts and their records.')
    .helpCommand(false);
  const addSubcommand = (name: string, description: string): Command =>
    command
      .command(name)
      .description(`${description} Migrates the database first, as every start does.`)
      .option('--space <id>', 'only this space', parseId)
      .option('--batch <contacts>', 'contacts in a batch', parseWholeNumber(1, 100_000), 1000);
  addSubcommand(
    'rebuild',
    'Bring every row up to date, and remove rows of deleted contacts. It is safe while the server runs, leaves correct rows alone, and can be interrupted at any time.',
  ).action(rebuild);
  addSubcommand(
    'verify',
    'Compare every row with its contact, without locks. The exit code is 0 when all rows are correct, 1 when any was wrong.',
  )
    .option('--repair', 'also repair the wrong rows')
    .action(verify);
  return command;
};
