// Measures imports and exports of invented people by the command line, on an embedded PostgreSQL.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { parseWholeNumber } from '../../src/commands/arguments.ts';
import { locatePackageFile } from '../../src/database/package-file.ts';
import { useDatabase } from '../harness/database.ts';
import { loadDemo } from '../harness/demo.ts';
import { computeDatabaseUse, measureDatabaseCpu, measureEndedCpu } from '../harness/process.ts';
import { runProgram } from '../harness/run-program.ts';
import { printSection } from '../harness/section.ts';
import { batches, measureEvents } from './events.ts';

interface Options {
  contacts: number;
  out?: string;
}

const program = new Command('bench:import')
  .description('Measures muster import and muster export in contacts a second, search rows included.')
  .option('--contacts <number>', 'contacts in the file', parseWholeNumber(100, 5_000_000), 100_000)
  .option('--out <file>', 'write the table into this Markdown file, between its markers');

/** Creates a CSV of people with an address, a mail, a phone, tags and a birthdate. */
const people = (count: number, city = 'Ville'): string => {
  const head =
    'external_id,firstname,surname,gender,birthdate,mail,mobile,nationality,black_list,address_housenumber,address_street,address_postalcode,address_city,address_country,tags';
  const rows = Array.from({ length: count }, (_, n) => {
    const day = new Date(Date.UTC(1940 + (n % 65), n % 12, 1 + (n % 28))).toISOString().slice(0, 10);
    return `e${n},Prénom${n % 997},Nom${n % 9973},${n % 2 ? 'F' : 'M'},${day},p${n}@example.org,+336${String(n).padStart(8, '0')},FR,false,${1 + (n % 99)},rue ${n % 499},${10_000 + (n % 80_000)},${city} ${n % 4999},FR,t${n % 7}; u${n % 31}`;
  });
  return `${head}\n${rows.join('\n')}\n`;
};

/** Creates a CSV with a donation of each person, in another order. */
const donations = (count: number): string => {
  const rows = Array.from({ length: count }, (_, n) => {
    const day = new Date(Date.UTC(2015 + (n % 10), n % 12, 1 + (n % 28))).toISOString().slice(0, 10);
    return `e${(n * 7919) % count},${500 + 10 * (n % 300)},${day}`;
  });
  return `contact_external_id,amount,transaction_date\n${rows.join('\n')}\n`;
};

const run = async (url: string, place: string, { contacts, out }: Options): Promise<void> => {
  const file = (name: string, text: string): string => {
    const path = join(place, name);
    writeFileSync(path, text);
    return path;
  };
  const everybody = file('people.csv', people(contacts));
  const moved = file('moved.csv', people(contacts, 'Bourg'));
  const gifts = file('donations.csv', donations(contacts));
  const muster = async (...args: string[]): Promise<{ seconds: number; said: string }> => {
    const started = performance.now();
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [locatePackageFile('dist/main.js').pathname, ...args],
      { env: { ...process.env, DATABASE_URL: url }, maxBuffer: 1e9 },
    );
    return { seconds: (performance.now() - started) / 1000, said: `${stdout}${stderr}`.trim() };
  };
  await loadDemo(url, 100);
  const rows: string[] = [];
  const measure = async (what: string, ...args: string[]): Promise<void> => {
    const before = { node: measureEndedCpu(), database: await measureDatabaseCpu(url) };
    const { seconds, said } = await muster(...args);
    console.error(`${what}: ${said}`);
    const rate = Math.round(contacts / seconds).toLocaleString('en-US');
    const used = [measureEndedCpu() - before.node, computeDatabaseUse(before.database, await measureDatabaseCpu(url))];
    const each = used.map((micros) => (micros / contacts).toFixed(0));
    rows.push(`| ${what} | ${seconds.toFixed(1)} | ${rate} | ${each.join(' | ')} |`);
  };
  const into = (space: string, path: string, ...more: string[]): string[] => [
    'import',
    'contacts',
    path,
    '--space',
    space,
    ...more,
  ];
  await measure('create all', ...into('1', everybody, '--mode', 'create'));
  await measure('upsert, nobody there', ...into('2', everybody));
  await measure('upsert, all contacts exist unchanged', ...into('2', everybody));
  await measure('upsert, all contacts exist, each changed', ...into('2', moved));
  await measure('donations, one each', 'import', 'donations', gifts, '--space', '2');
  await measure('undo what was created', 'import', 'undo', '1', '--space', '1');
  await measure('export as NDJSON', 'export', '--space', '2', '--out', join(place, 'out.ndjson'));
  await measure('export as CSV', 'export', '--space', '2', '--format', 'csv', '--out', join(place, 'out.csv'));
  const events = await measureEvents(url, 2);
  const text = `## Import and export

\`npm run bench:import -- --contacts ${contacts}\` on ${new Date().toISOString().slice(0, 10)}: ${contacts.toLocaleString('en-US')} contacts, each with an address, a mail, a
phone, two tags and ten more fields, through the command line and an embedded PostgreSQL that keeps what it commits. Seconds from start to
end of the command; search rows are made. CPU in microseconds per row, of the command (with its start) and of PostgreSQL.

| what | seconds | rows per second | CPU of Node, µs | of PostgreSQL, µs |
| --- | ---: | ---: | ---: | ---: |
${rows.join('\n')}

What becomes of e-mails, through GraphQL in batches of ${batches.events.toLocaleString('en-US')}, two at once: ${events.count.toLocaleString('en-US')} events (each e-mail delivered, opened,
clicked) in ${events.seconds.toFixed(1)} s, ${Math.round(events.count / events.seconds).toLocaleString('en-US')} a second.`;
  printSection('import', text, out);
};

await runProgram<Options>(program, (options) =>
  useDatabase((url, folder) => run(url, folder, options), { shared_buffers: '1GB', max_wal_size: '4GB' }),
);
