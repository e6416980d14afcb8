// The command line: loads the people, runs the entries on one database, writes the tables.
import { resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { parseWholeNumber } from '../../src/commands/arguments.ts';
import { startDatabase } from '../harness/database.ts';
import { runProgram } from '../harness/run-program.ts';
import { printSection } from '../harness/section.ts';
import { names, type Workload } from '../harness/workloads.ts';
import { requireWrk } from '../harness/wrk.ts';
import { type Entry, entries, findEntry } from './entries.ts';
import { installPackages } from './install.ts';
import { formatReport } from './report.ts';
import { runComparison } from './run.ts';

interface Options {
  peers?: Entry[];
  workloads?: Workload[];
  seconds: number;
  rounds: number;
  people: number;
  tokens: number;
  connections?: number;
  dataDir: string;
  cache: string;
  install: boolean;
  rebuild: boolean;
  out?: string;
}

/** A parser of lists of known words. */
const listOf =
  <Item>(read: (word: string) => Item) =>
  (text: string): Item[] => {
    try {
      return text.split(',').map(read);
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message);
    }
  };
const workloadOf = (word: string): Workload => {
  if (!(names as readonly string[]).includes(word))
    throw new Error(`There is no workload ${word}: ${names.join(', ')}`);
  return word as Workload;
};

const ours = ['floor', 'gate', 'gate-rest', 'muster-graphql', 'muster-rest'];
const program = new Command('bench:peers')
  .description(
    'Muster beside its peers and beside two yardsticks on one PostgreSQL and the same people: requests per second, latency, CPU and ' +
      'memory. Needs wrk. Uses an embedded PostgreSQL, or the empty database of DATABASE_URL.',
  )
  .option(
    '--peers <names>',
    `which entries: ${entries.map(({ name }) => name).join(', ')}; the first five when left out`,
    listOf(findEntry),
  )
  .option('--workloads <names>', `which workloads: ${names.join(', ')}; all when left out`, listOf(workloadOf))
  .option('--seconds <number>', 'seconds of load in a round', parseWholeNumber(1, 600), 10)
  .option(
    '--rounds <number>',
    'rounds, of which the median counts; 0 only compares answers and counts statements',
    parseWholeNumber(0, 100),
    3,
  )
  .option('--people <number>', 'how many people to load', parseWholeNumber(4000, 1_000_000), 100_000)
  .option('--tokens <number>', 'of how many tokens the requests are, in turn', parseWholeNumber(1, 1000), 1)
  .option('--connections <number>', 'how many ask at once, whatever is asked', parseWholeNumber(1, 1000))
  .option('--data-dir <folder>', 'folder of the embedded server', '.muster-peers/data')
  .option('--cache <folder>', 'folder of the packages of the peers', '.muster-peers/cache')
  .option('--install', 'install what the entries need into the cache, exact versions from the registry of npm', false)
  .option('--rebuild', 'load the people again', false)
  .option('--out <file>', 'write the tables into this Markdown file, between their markers');

const start = async (options: Options): Promise<void> => {
  const {
    peers = ours.map(findEntry),
    workloads = [...names],
    seconds,
    rounds,
    people,
    tokens,
    connections,
    out,
  } = options;
  const cache = resolve(options.cache);
  requireWrk();
  if (options.install) await installPackages(peers, cache);
  const database = await startDatabase(options);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void database.stop().finally(() => process.exit(1)));
  try {
    const chosen = { entries: peers, workloads, seconds, rounds, people, tokens, connections, cache };
    const measured = await runComparison(database.url, chosen);
    const command = `npm run bench:peers -- --peers ${peers.map(({ name }) => name)} --workloads ${workloads} --seconds ${seconds} --rounds ${rounds} --tokens ${tokens}${connections ? ` --connections ${connections}` : ''}`;
    const text = await formatReport(measured, { url: database.url, command, options: chosen });
    printSection('peers', text, out);
  } finally {
    await database.stop();
  }
};

await runProgram<Options>(program, start);
