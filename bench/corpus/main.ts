// Compares Muster with one statement by hand for each document of the corpus: first the answers, then the load. Prints a table.
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { parseWholeNumber } from '../../src/commands/arguments.ts';
import { findDifference, sendRequest } from '../harness/compare-answers.ts';
import { runVacuum, tokenOf, useDatabase } from '../harness/database.ts';
import { loadDemo } from '../harness/demo.ts';
import { computeMedian } from '../harness/median.ts';
import { limitless, type Server, startMuster, startProcess } from '../harness/process.ts';
import type { Request } from '../harness/requests.ts';
import { runProgram } from '../harness/run-program.ts';
import { printSection } from '../harness/section.ts';
import { requireWrk, writeScript } from '../harness/wrk.ts';
import { loadOnce, type Round } from '../peers/run.ts';
import { type Case, listCases, prepareWrites, undoWrites, withoutYardstick } from './cases.ts';

interface Options {
  rounds: number;
  seconds: number;
  warmUp: number;
  connections: number;
  contacts: number;
  only: string;
  out?: string;
}

const program = new Command('bench:corpus')
  .description(
    'Compares the answers to documents as front-ends write them, and what they cost, with one SQL statement by hand behind the same gate. Needs wrk.',
  )
  .option(
    '--rounds <number>',
    'rounds of each document, of which the median counts; 0 only compares answers',
    parseWholeNumber(0, 99),
    3,
  )
  .option('--seconds <number>', 'seconds of load in a round', parseWholeNumber(1, 600), 4)
  .option(
    '--warm-up <seconds>',
    'seconds of load before the first round; what has not run some thousand times is not compiled yet',
    parseWholeNumber(1, 600),
    8,
  )
  .option('--connections <number>', 'connections, each with one request at a time', parseWholeNumber(1, 1000), 10)
  .option('--contacts <number>', 'contacts of the demo data', parseWholeNumber(500, 1_000_000), 10_000)
  .option('--only <text>', 'only documents whose name contains this', '')
  .option('--out <file>', 'write the table into this Markdown file, between its markers');

const sides = ['muster', 'yardstick'] as const;
type Side = (typeof sides)[number];
type Servers = Record<Side, Server>;
type Headers = Record<string, string>;

const startYardstick = (url: string): Promise<Server> =>
  startProcess('yardstick', {
    args: ['--import', 'tsx', fileURLToPath(new URL('server.ts', import.meta.url))],
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { DATABASE_URL: url },
  });

const readData = async ({ port }: Server, request: Request, headers: Headers, side: Side, writes: boolean) => {
  const { status, text } = await sendRequest(port, request, headers);
  // Two writes are made at two moments.
  const leaveOutTimes = (key: string, value: unknown): unknown =>
    writes && (key === 'createdAt' || key === 'lastChangedAt') ? undefined : value;
  const body = JSON.parse(text, leaveOutTimes);
  if (status !== 200 || (side === 'muster' && body.errors))
    throw new Error(`${side} answers ${status}: ${text.slice(0, 500)}`);
  return { data: side === 'muster' ? body.data : body, size: Buffer.byteLength(text) };
};

/** Requests of a document that are compared. Each write is undone. */
const compared = { read: 20, write: 5 };

/** Throws at the first difference of an answer, that of the order of its keys included. Returns the bytes of an answer of Muster, the median. */
const compareAnswers = async (url: string, servers: Servers, one: Case, headers: Headers): Promise<number> => {
  const { name, writes } = one;
  const sizes: number[] = [];
  if (writes) await undoWrites(url);
  const count = Math.min(writes ? compared.write : compared.read, one.muster.length);
  for (let place = 0; place < count; place++) {
    const answers = [];
    for (const side of sides) {
      answers.push(await readData(servers[side], one[side][place]!, headers, side, writes));
      if (writes) await undoWrites(url);
    }
    const [ours, theirs] = answers as [{ data: unknown; size: number }, { data: unknown }];
    const differs =
      findDifference(ours.data, theirs.data) ??
      (JSON.stringify(ours.data) === JSON.stringify(theirs.data) ? undefined : 'the order of the keys');
    if (differs) throw new Error(`Muster and the yardstick differ in ${name}: ${differs}`);
    sizes.push(ours.size);
    // Without variables all requests are the same.
    if (one.yardstick[0]!.path === `/${name}?`) break;
  }
  return computeMedian(sizes);
};

interface Measured {
  name: string;
  size: number;
  rounds: Record<Side, Round[]>;
}

const measure = async (
  url: string,
  servers: Servers,
  { one, scripts, options }: { one: Case; scripts: Record<Side, string>; options: Options },
): Promise<Measured['rounds']> => {
  const { rounds, seconds, warmUp, connections } = options;
  const measured: Measured['rounds'] = { muster: [], yardstick: [] };
  // The first one warms up. The order alternates, so that changes of the machine's speed affect both.
  for (let round = 0; rounds > 0 && round <= rounds; round++)
    for (const side of round % 2 ? sides : sides.toReversed()) {
      await sleep(500);
      const load = { connections, seconds: round === 0 ? warmUp : seconds };
      const result = await loadOnce(url, { server: servers[side] }, scripts[side], load);
      if (one.writes) await undoWrites(url).then(() => runVacuum(url));
      if (result.errors > 0) throw new Error(`${result.errors} requests of ${one.name} failed at ${side}`);
      if (round === 0) continue;
      measured[side].push(result);
      console.error(
        `${one.name.padEnd(24)} ${side.padEnd(9)} ${result.rate.toFixed(1).padStart(8)}/s  server ${result.gateway.toFixed(0)} µs, database ${result.database.toFixed(0)} µs, others ${result.others.toFixed(2)}`,
      );
    }
  return measured;
};

const format = (head: string[], rows: string[][]): string =>
  [head, head.map((_, place) => (place ? '---:' : '---')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');

const figure = (value: number): string => (value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en-US'));

/** The table of a run with load: the documents whose rate is furthest below that of the yardstick first. */
const formatRates = (measured: Measured[]): string => {
  const rows = measured.map(({ name, rounds }) => {
    const cellsOf = (what: 'rate' | 'gateway' | 'database') => {
      const [ours, theirs] = sides.map((side) => computeMedian(rounds[side].map((round) => round[what])));
      return { ours: ours!, theirs: theirs!, ratio: ours! / theirs! };
    };
    return { name, rate: cellsOf('rate'), gateway: cellsOf('gateway'), database: cellsOf('database') };
  });
  rows.sort((one, other) => one.rate.ratio - other.rate.ratio);
  const medianOf = (what: 'rate' | 'gateway' | 'database'): string =>
    `**${computeMedian(rows.map((row) => row[what].ratio)).toFixed(2)}**`;
  return format(
    [
      'document',
      'requests a second: Muster',
      'yardstick',
      'ratio',
      'µs of CPU: Muster',
      'yardstick',
      'ratio',
      'of PostgreSQL: Muster',
      'yardstick',
      'ratio',
    ],
    [
      ...rows.map(({ name, rate, gateway, database }) => [
        name,
        ...[rate, gateway, database].flatMap(({ ours, theirs, ratio }) => [
          figure(ours),
          figure(theirs),
          ratio.toFixed(2),
        ]),
      ]),
      ['**median**', '', '', medianOf('rate'), '', '', medianOf('gateway'), '', '', medianOf('database')],
    ],
  );
};

const formatReport = (measured: Measured[], options: Options): string => {
  const { rounds, seconds, warmUp, connections, contacts, only } = options;
  const command = `npm run bench:corpus -- --rounds ${rounds} --seconds ${seconds} --warm-up ${warmUp} --connections ${connections} --contacts ${contacts}${only && ` --only ${only}`}`;
  return [
    '## Corpus',
    `\`${command}\` on ${new Date().toISOString().slice(0, 10)}: Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'CPU'};
load (wrk, ${connections} connections), servers and database on this one machine. ${contacts.toLocaleString('en-US')} contacts of the demo data. Each document at Muster, POST /graphql, and as one SQL
statement by hand whose JSON is passed on, behind Muster's gate; both gave equal answers before.${rounds > 0 ? ` Medians of ${rounds} rounds of ${seconds} s in alternating order; the worst ratio first.` : ''}`,
    rounds > 0
      ? formatRates(measured)
      : format(
          ['document', 'bytes of an answer'],
          measured.map(({ name, size }) => [name, figure(size)]),
        ),
    `Without a yardstick: ${Object.entries(withoutYardstick)
      .map(([name, reason]) => `\`${name}\` (${reason})`)
      .join(', ')}.`,
  ].join('\n\n');
};

const run = async (url: string, place: string, options: Options): Promise<void> => {
  const started: Server[] = [];
  const start = async (starting: Promise<Server>): Promise<Server> => {
    const server = await starting;
    started.push(server);
    return server;
  };
  try {
    await loadDemo(url, options.contacts);
    await prepareWrites(url);
    await runVacuum(url);
    const cases = await listCases(url, options.only);
    if (cases.length === 0) throw new Error(`No document with a yardstick has a name that contains ${options.only}`);
    const headers = { Authorization: `Bearer ${await tokenOf(url)}` };
    const servers: Servers = {
      muster: await start(startMuster(url, limitless)),
      yardstick: await start(startYardstick(url)),
    };
    const sizes = new Map<string, number>();
    for (const one of cases) {
      sizes.set(one.name, await compareAnswers(url, servers, one, headers));
      console.error(`${one.name}: equal answers`);
    }
    const measured: Measured[] = [];
    for (const one of cases) {
      const scripts = { muster: join(place, 'muster.lua'), yardstick: join(place, 'yardstick.lua') };
      for (const side of sides) writeScript(scripts[side], one[side], [headers]);
      const rounds = await measure(url, servers, { one, scripts, options });
      measured.push({ name: one.name, size: sizes.get(one.name)!, rounds });
    }
    const text = formatReport(measured, options);
    printSection('corpus', text, options.out);
  } finally {
    for (const server of started) await server.stop();
  }
};

await runProgram<Options>(program, async (options) => {
  if (options.rounds > 0) requireWrk();
  await useDatabase((url, folder) => run(url, folder, options));
});
