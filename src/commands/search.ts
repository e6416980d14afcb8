// muster search rebuild | verify
import { Command } from 'commander';
import { readConfig } from '../config.ts';
import {
  type Batch,
  type Derived,
  rowTables,
  SearchRows,
  type VerifyOptions,
  type WrongRow,
} from '../data/search/verify.ts';
import { migrateDatabase } from '../database/migrate.ts';
import { parseWholeNumber } from './arguments.ts';
import { findDatabaseUrl } from './database-url.ts';
import { createProgressBar } from './progress-bar.ts';

interface Options {
  space?: number;
  batch: number;
}

const names: Record<Derived, string> = {
  contact_search: 'search rows',
  contact_emails: 'rows of e-mails',
  answers: 'answers of contacts',
};
const count = (number: number): string => number.toLocaleString('en-US');
const counted = (number: number, one: string): string => `${count(number)} ${one}${number === 1 ? '' : 's'}`;

/** Walks with a bar on stderr, when that is a terminal. */
const walk = async (options: VerifyOptions, learn: (batch: Batch) => void): Promise<void> => {
  const url = await findDatabaseUrl(readConfig());
  await migrateDatabase(url);
  const rows = await SearchRows.open(url);
  const bar = await createProgressBar(
    'space {space} {bar} {percentage}% | {value}/{total} contacts | {rate}/s | {eta_formatted} left',
  );
  const stop = (): void => {
    bar.stop();
    console.error('muster: stopped; what was done is kept');
    process.exit(1);
  };
  for (const signal of signals) process.once(signal, stop);
  try {
    const total = await rows.size(options.space);
    const started = performance.now();
    let done = 0;
    bar.start(total, { space: options.space ?? '', rate: 0 });
    for await (const batch of rows.readBatches(options)) {
      done += batch.contacts;
      learn(batch);
      bar.update(done, { space: batch.space, rate: count(Math.round((done * 1000) / (performance.now() - started))) });
    }
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
    [...rowTables, 'answers' as const].map((table) => [table, { written: 0, removed: 0 }]),
  );
  await walk({ space, batch, again: false, repair: true }, (done) => {
    contacts += done.contacts;
    spaces.add(done.space);
    for (const { table, kind } of done.wrong) tally.get(table)![kind === 'left over' ? 'removed' : 'written']++;
  });
  const changes = rowTables.map((table) => {
    const { written, removed } = tally.get(table)!;
    return `${count(written)} ${names[table]} written, ${count(removed)} removed`;
  });
  const answers = tally.get('answers')!.written;
  if (answers > 0) changes.push(`answers of ${counted(answers, 'contact')} folded anew`);
  console.log(`${counted(contacts, 'contact')} of ${counted(spaces.size, 'space')}: ${changes.join('; ')}`);
};

/** Ids shown of one kind. */
const shown = 20;

/** What is wrong with the rows of a space: of each kind how many, and the first of them. */
interface Finding {
  contacts: number;
  kinds: Map<string, { rows: number; first: string[] }>;
}

const add = ({ kinds }: Finding, { table, kind, id, columns }: WrongRow): void => {
  const name = `${names[table]} ${kind}`;
  const entry = kinds.get(name) ?? { rows: 0, first: [] };
  kinds.set(name, entry);
  entry.rows++;
  if (entry.first.length < shown) entry.first.push(columns.length > 0 ? `${id} (${columns.join(', ')})` : String(id));
};

const report = (space: number, { contacts, kinds }: Finding): void => {
  const verdict = kinds.size === 0 ? 'every row is right' : 'not every row is right';
  console.log(`space ${space}, ${counted(contacts, 'contact')}: ${verdict}`);
  for (const [name, { rows, first }] of kinds) {
    const more = rows > first.length ? ` and ${count(rows - first.length)} more` : '';
    console.log(`  ${name} (${count(rows)}): ${first.join(', ')}${more}`);
  }
};

const verify = async ({ space, batch, repair = false }: Options & { repair?: boolean }): Promise<void> => {
  const findings = new Map<number, Finding>();
  await walk({ space, batch, again: true, repair }, (done) => {
    const finding = findings.get(done.space) ?? { contacts: 0, kinds: new Map() };
    findings.set(done.space, finding);
    finding.contacts += done.contacts;
    for (const row of done.wrong) add(finding, row);
  });
  for (const [id, finding] of findings) report(id, finding);
  if ([...findings.values()].every(({ kinds }) => kinds.size === 0)) return;
  process.exitCode = 1;
  console.log(repair ? 'What was wrong is repaired.' : 'To repair it: muster search verify --repair');
};

export const createSearchCommand = (): Command => {
  const command = new Command('search')
    .description('The rows that contact search reads, derived from the contacts and what hangs on them.')
    .helpCommand(false);
  const subcommand = (name: string, description: string): Command =>
    command
      .command(name)
      .description(`${description} Migrates the database first, as every start does.`)
      .option('--space <id>', 'only this space', parseWholeNumber(0, Number.MAX_SAFE_INTEGER))
      .option('--batch <contacts>', 'contacts looked at together', parseWholeNumber(1, 100_000), 1000);
  subcommand(
    'rebuild',
    'Bring every row up to date, and remove those of deleted contacts. Safe while serving; what is right is not touched, and nothing is lost when it is broken off.',
  ).action(rebuild);
  subcommand(
    'verify',
    'Compare every row with what its contact says now, without locks: exit code 0 when all are right, 1 when any was wrong.',
  )
    .option('--repair', 'also bring up to date what was wrong')
    .action(verify);
  return command;
};
