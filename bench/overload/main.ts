// Measures a server that gets three times as many requests as it can answer, and prints a table.

import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { parseWholeNumber } from '../../src/commands/arguments.ts';
import { tablesOfContacts } from '../../src/data/import/record-types.ts';
import { Database } from '../../src/database/database.ts';
import type { Sent } from '../abuse/attacks.ts';
import { computePercentile, readSteadily } from '../abuse/load.ts';
import { tokenOf, useDatabase } from '../harness/database.ts';
import { loadDemo } from '../harness/demo.ts';
import { limitless, measureMemory, type Server, startMuster } from '../harness/process.ts';
import { runProgram } from '../harness/run-program.ts';
import { printSection } from '../harness/section.ts';
import { pauseFor } from '../harness/wrk.ts';
import { buildQueryRequest, type Flooded, runFlood } from './flood.ts';

interface Options {
  seconds: number;
  rounds: number;
  times: number;
  only?: string;
  out?: string;
}

const program = new Command('bench:overload')
  .description(
    'Measures an overloaded server: one space sends as many requests as are answered, and then three times as many, ' +
      'while a member of another space reads a contact twenty times a second.',
  )
  .option('--seconds <number>', 'seconds of each round', parseWholeNumber(1, 600), 10)
  .option(
    '--rounds <number>',
    'rounds of each workload; the table shows all of them together',
    parseWholeNumber(1, 99),
    5,
  )
  .option('--times <number>', 'requests sent, as a multiple of the peak rate', parseWholeNumber(1, 20), 3)
  .option('--only <text>', 'only workloads whose name contains this')
  .option('--out <file>', 'write the table into this Markdown file, between its markers');

const everyMs = 50;
/** Connections of the flood: fewer than a server accepts. */
const connections = 1800;
/** Numbers of connections that measure the peak rate, each with one request at a time. */
const busy = [32, 128];

const workloadsOf = (bearer: string, ids: number[]): { name: string; requests: Sent[] }[] => [
  {
    name: 'a page of 50 contacts',
    requests: [
      buildQueryRequest(bearer, '{ contacts(first: 50) { nodes { id firstName lastName email tags { name } } } }'),
    ],
  },
  {
    // Different ones: requests under way share the contacts that they have in common.
    name: 'a search',
    requests: [...'abcdefghijklmnoprstv'].map((letter) =>
      buildQueryRequest(
        bearer,
        `{ searchContacts(query: { lastName: { startsWith: "${letter}" } }, first: 50) { nodes { id lastName } } }`,
      ),
    ),
  },
  {
    name: 'one contact',
    requests: ids.map((id) => ({
      method: 'GET',
      path: `/v1/contacts/${id}`,
      headers: { Authorization: `Bearer ${bearer}` },
    })),
  },
];

const readFor = (port: number, read: Sent, seconds: number): Promise<number[]> => {
  const end = performance.now() + seconds * 1000;
  return readSteadily(port, [read], everyMs, () => performance.now() > end);
};

/** The longest answer time of the two health checks in milliseconds. Each runs ten times a second until `isOver`. */
const watchHealth = async (port: number, isOver: () => boolean): Promise<number> => {
  let longest = 0;
  while (!isOver()) {
    for (const check of ['live', 'ready']) {
      const begun = performance.now();
      const { status } = await fetch(`http://127.0.0.1:${port}/health/${check}`);
      if (status !== 200) throw new Error(`/health/${check} said ${status}`);
      longest = Math.max(longest, performance.now() - begun);
    }
    await sleep(100);
  }
  return longest;
};

const show = (value: number): string =>
  Number.isNaN(value) ? '–' : value < 10 ? value.toFixed(1) : String(Math.round(value));
const countOf = ({ times }: Flooded, status: number): number => times.get(status)?.length ?? 0;

interface Round {
  server: Server;
  requests: Sent[];
  read: Sent;
  options: Options;
}

interface Measured {
  /** Answers a second on the most connections of `busy`, while nobody else asks. */
  lone: number;
  /** Answers a second, for each number of connections in `busy`, beside the other space: before the flood, and after it. */
  rates: number[][];
  /** Milliseconds of the other space's reads. */
  alone: number[];
  beside: number[];
  flooded: Flooded;
  health: number;
  memory: number;
}

const meanOf = (list: number[]): number => list.reduce((sum, one) => sum + one, 0) / list.length;

/** The mean rate of the best number of connections. The best single rate would be a fast moment of the machine. */
const peakOf = (rounds: number[][][]): number =>
  Math.max(...busy.map((_, index) => meanOf(rounds.flatMap((rates) => rates[index]!))));

const measure = async ({ server, requests, read, options: { seconds, times } }: Round): Promise<Measured> => {
  const { port } = server;
  const order = { port, requests, seconds };
  const measureRate = async (connections: number): Promise<number> =>
    countOf(await runFlood({ ...order, connections }), 200) / seconds;
  /** The rate while the other space reads and health is checked, as beside the flood. */
  const measureBeside = async (connections: number): Promise<number> => {
    let isOver = false;
    const others = [watchHealth(port, () => isOver), readSteadily(port, [read], everyMs, () => isOver)];
    const rate = await measureRate(connections);
    isOver = true;
    await Promise.all(others);
    return rate;
  };
  await runFlood({ ...order, connections: busy[0]!, seconds: Math.min(3, seconds) });
  const lone = await measureRate(busy.at(-1)!);
  const rates: number[][] = [];
  for (const count of busy) rates.push([await measureBeside(count)]);
  const pause = pauseFor(seconds);
  await sleep(pause);
  const alone = await readFor(port, read, seconds);
  let isOver = false;
  const flooding = runFlood({ ...order, connections, rate: Math.ceil(peakOf([rates]) * times) });
  const health = watchHealth(port, () => isOver);
  await sleep(pause);
  const beside = await readFor(port, read, seconds - pause / 1000);
  const memory = measureMemory(server.pid);
  const flooded = await flooding;
  isOver = true;
  const longestCheck = await health;
  await sleep(pause);
  // Again, because the speed of the machine changes within a round.
  for (const [index, count] of busy.entries()) rates[index]!.push(await measureBeside(count));
  return { lone, rates, alone, beside, flooded, health: longestCheck, memory };
};

/** A row of the table: the reads and answers of all rounds together. */
const summarize = (name: string, rounds: Measured[], seconds: number): unknown[] => {
  const perSecond = (count: (round: Measured) => number): number => meanOf(rounds.map(count)) / seconds;
  const timesOf = (read: (round: Measured) => number[]): number[] => rounds.flatMap(read).sort((a, b) => a - b);
  const answered = (status: number): number[] => timesOf(({ flooded }) => flooded.times.get(status) ?? []);
  const [alone, beside] = [timesOf((round) => round.alone), timesOf((round) => round.beside)];
  const peak = peakOf(rounds.map(({ rates }) => rates));
  const good = perSecond(({ flooded }) => countOf(flooded, 200));
  const unsent = perSecond(({ flooded }) => countOf(flooded, 0) + flooded.unsent);
  const refused = perSecond(({ flooded }) => countOf(flooded, 503));
  const asked = perSecond(
    ({ flooded }) => [...flooded.times.values()].reduce((sum, list) => sum + list.length, 0) + flooded.unsent,
  );
  return [
    name,
    Math.round(meanOf(rounds.map(({ lone }) => lone))),
    Math.round(peak),
    Math.round(asked),
    Math.round(good),
    `${Math.round((good / peak) * 100)} %`,
    show(computePercentile(answered(200), 0.99)),
    Math.round(refused),
    show(computePercentile(answered(503), 0.99)),
    Math.round(unsent),
    show(computePercentile(alone, 0.5)),
    show(computePercentile(beside, 0.5)),
    (computePercentile(beside, 0.5) / computePercentile(alone, 0.5)).toFixed(1),
    show(computePercentile(alone, 0.99)),
    show(computePercentile(beside, 0.99)),
    show(Math.max(...rounds.map((round) => round.health))),
    Math.round(Math.max(...rounds.map((round) => round.memory))),
  ];
};

const head = [
  'workload',
  'answered while nobody else asks, a second',
  'answered at peak, a second',
  'asked, a second',
  'answered',
  'of the peak',
  'p99 ms',
  'refused with 503, a second',
  'p99 ms of these',
  'not sent or ended',
  'another space alone, median ms',
  'beside, median ms',
  'ratio',
  'alone, p99 ms',
  'beside, p99 ms',
  'longest health check, ms',
  'memory, MiB',
];

const run = async (url: string, options: Options): Promise<void> => {
  let server: Server | undefined;
  try {
    await loadDemo(url, 5000);
    const database = new Database(url, { poolSize: 1 });
    await database.gatherStatistics(tablesOfContacts);
    const { rows } = await database.readers.knex.raw(
      `select s.id::int as space, (select min(user_id)::int from members m where m.group_id = s.id) as user,
              array(select c.id::int from contacts c where c.group_id = s.id and c.deleted_at is null order by id limit 200) as ids
         from spaces s order by s.id limit 2`,
    );
    const [busySpace, otherSpace] = rows as { space: number; user: number; ids: number[] }[];
    await database.close();
    const bearer = await tokenOf(url, busySpace!.space, busySpace!.user);
    const other = await tokenOf(url, otherSpace!.space, otherSpace!.user);
    const read: Sent = {
      method: 'GET',
      path: `/v1/contacts/${otherSpace!.ids[0]}`,
      headers: { Authorization: `Bearer ${other}` },
    };
    server = await startMuster(url, limitless);
    const workloads = workloadsOf(bearer, busySpace!.ids).filter(({ name }) => name.includes(options.only ?? ''));
    if (workloads.length === 0) throw new Error(`No workload has a name that contains ${options.only}`);
    const table: unknown[][] = [];
    for (const { name, requests } of workloads) {
      const rounds: Measured[] = [];
      while (rounds.length < options.rounds) {
        rounds.push(await measure({ server, requests, read, options }));
        console.error(summarize(name, rounds.slice(-1), options.seconds).join(' | '));
      }
      table.push(summarize(name, rounds, options.seconds));
    }
    const text = [
      `\`npm run bench:overload -- --seconds ${options.seconds} --rounds ${options.rounds} --times ${options.times}\` on ${new Date().toISOString().slice(0, 10)}: Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'CPU'};
flood, other space, server and database on this one machine, the flood with the lowest priority. While nobody else asks, ${busy.at(-1)} connections ask one after the other. The peak is the same beside the other space and health checks, with ${busy.join(' or ')} connections, whichever answer more: the mean of before and after the flood. The flood has ${connections} connections. Times of the flood count from when a request was due. Of ${options.rounds} rounds: means of the rates; medians and percentiles of all reads together; the longest health check; the most memory.`,
      [head, head.map((_, index) => (index === 0 ? '---' : '---:')), ...table]
        .map((cells) => `| ${cells.join(' | ')} |`)
        .join('\n'),
    ].join('\n\n');
    printSection('overload', text, options.out);
  } finally {
    await server?.stop();
  }
};

await runProgram<Options>(program, (options) => useDatabase((url) => run(url, options)));
