// The command line: builds missing data, measures searches on it, writes the table.
import { Command } from 'commander';
import { parseWholeNumber } from '../../src/commands/arguments.ts';
import { migrateDatabase } from '../../src/database/migrate.ts';
import { hasSpaces, startServer } from '../harness/database.ts';
import { runProgram } from '../harness/run-program.ts';
import { printSection } from '../harness/section.ts';
import { measureDocuments } from './documents.ts';
import { measureGrowth } from './growth.ts';
import { measureLoad } from './load.ts';
import { measureQuickSearch } from './quick.ts';
import { measureSearches } from './run.ts';
import { measureSweep } from './run-sweep.ts';
import { measured, startBench } from './server.ts';

interface Options {
  contacts: number;
  spaces: number;
  repeat: number;
  only: string[] | undefined;
  out?: string;
  dataDir: string;
  rebuild: boolean;
  handOnly: boolean;
  quickOnly: boolean;
  sync: boolean;
  growth: boolean;
  sweep: boolean;
  load: boolean;
  seconds: number;
  buildOnly: boolean;
}

const program = new Command('bench:search')
  .description(
    'Measures contact search: builds spaces full of contacts, asks 25 searches of a large space and of a small one over HTTP, ' +
      'and compares each with the best SQL written by hand. With --sweep, asks for every attribute and operator in demo data instead. Uses an embedded PostgreSQL, or the empty database of DATABASE_URL.',
  )
  .option(
    '--contacts <number>',
    'contacts in the large space; the other spaces scale with it',
    parseWholeNumber(1000, 20_000_000),
    1_000_000,
  )
  .option('--spaces <number>', 'spaces in all', parseWholeNumber(1, 100), 20)
  .option(
    '--repeat <number>',
    'how often each search is asked after a first time, which counts only with 0',
    parseWholeNumber(0, 10_000),
    20,
  )
  .option('--only <ids>', 'some searches only, such as Q01,Q07', (text) => text.toUpperCase().split(','))
  .option('--out <file>', 'write the tables into this Markdown file, between its markers')
  .option('--data-dir <folder>', 'folder of the embedded server', '.muster-bench')
  .option('--rebuild', 'build the data again', false)
  .option('--hand-only', 'measure the SQL written by hand alone', false)
  .option('--quick-only', 'measure quick search and what the graph alone can ask', false)
  .option(
    '--growth',
    'ask in spaces of four sizes: the large one, a fifth, a tenth and a fiftieth of it; all others have a tenth',
    false,
  )
  .option('--no-sync', 'do not fetch all contacts of the large space, as without --only')
  .option(
    '--sweep',
    'ask for every attribute and operator alone, in the largest space that the folder has, or else in demo data; --only takes beginnings of attributes',
    false,
  )
  .option(
    '--load',
    'search by twenty clients at once beside 200 writes a second, in the largest space that the folder has, or else in demo data',
    false,
  )
  .option('--seconds <number>', 'how long --load goes on', parseWholeNumber(1, 3600), 30)
  .option('--build-only', 'build the data and stop', false);

/** The command to repeat elsewhere, without paths of this machine. */
const command = ({ contacts, spaces, repeat, only, quickOnly, growth, sweep, load, seconds }: Options): string =>
  load
    ? `npm run bench:search -- --load --contacts ${contacts} --seconds ${seconds}`
    : `npm run bench:search -- --contacts ${contacts} --spaces ${spaces} --repeat ${repeat}${only ? ` --only ${only}` : ''}${quickOnly ? ' --quick-only' : ''}${growth ? ' --growth' : ''}${sweep ? ' --sweep' : ''}`;

/** The demo data has what people write, where the spaces of the other searches have what is drawn. */
const runOnDemo = async (options: Options): Promise<void> => {
  const { contacts, repeat, only, out, seconds } = options;
  const server = await startServer(options.dataDir, measured);
  try {
    if (await hasSpaces(server.url)) await migrateDatabase(server.url);
    else await (await import('../harness/demo.ts')).loadDemo(server.url, contacts);
    if (options.buildOnly) return;
    const asked = { command: command(options) };
    if (options.load)
      printSection(
        'load',
        await measureLoad(server.url, { ...asked, seconds, searchers: 20, writesPerSecond: 200 }),
        out,
      );
    else
      printSection('sweep', await measureSweep(server.url, { ...asked, repeat, only, keepsPlans: Boolean(out) }), out);
  } finally {
    await server.stop();
  }
};

const run = async (options: Options): Promise<void> => {
  if (options.sweep || options.load) return runOnDemo(options);
  const parameters = { contacts: options.contacts, spaces: options.spaces, growth: options.growth };
  const { server, built } = await startBench(options, parameters);
  try {
    const took = built.timings.reduce((sum, { seconds }) => sum + seconds, 0);
    console.error(`the data is of ${built.today}, built in ${took.toFixed(0)} s`);
    if (options.buildOnly) return;
    if (options.growth) {
      const asked = { ...options, command: command(options) };
      return printSection('growth', await measureGrowth(server.url, built, asked), options.out);
    }
    if (!options.quickOnly) {
      const text = await measureSearches(server.url, built, { ...options, command: command(options) });
      printSection('search', text, options.out);
    }
    if (options.only || options.handOnly) return;
    const asked = { ...options, command: command(options) };
    printSection('quick', await measureQuickSearch(server.url, asked), options.out);
    printSection('documents', await measureDocuments(server.url, asked), options.out);
  } finally {
    await server.stop();
  }
};

await runProgram<Options>(program, run);
