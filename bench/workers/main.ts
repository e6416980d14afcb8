// Compares one worker with two, by rate and by CPU, since the server shares its cores with PostgreSQL and the load.
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { parseWholeNumber } from '../../src/commands/arguments.ts';
import { readAnswer, sendRequest } from '../harness/compare-answers.ts';
import { startDatabase, tokenOf } from '../harness/database.ts';
import { computeMedian } from '../harness/median.ts';
import { buildGraphRequest, musterGraphql, type Request } from '../harness/requests.ts';
import { runProgram } from '../harness/run-program.ts';
import { printSection } from '../harness/section.ts';
import { drawValues } from '../harness/workloads.ts';
import { pauseFor, requireWrk, writeScript } from '../harness/wrk.ts';
import { startMuster } from '../peers/launch.ts';
import { loadOnce, type Round } from '../peers/run.ts';

interface Options {
  seconds: number;
  rounds: number;
  people: number;
  only: string;
  dataDir: string;
  rebuild: boolean;
  out?: string;
}

const program = new Command('bench:workers')
  .description(
    'Compares one worker with two, on requests that need almost no database work, some, and mostly database work. Needs wrk.',
  )
  .option('--seconds <number>', 'seconds of load in a round', parseWholeNumber(1, 600), 5)
  .option('--rounds <number>', 'rounds; the table has their median', parseWholeNumber(1, 99), 3)
  .option('--people <number>', 'how many people to load', parseWholeNumber(4000, 1_000_000), 100_000)
  .option('--only <text>', 'load only of questions whose name contains this', '')
  .option('--data-dir <folder>', 'folder of the embedded server', '.muster-peers/data')
  .option('--rebuild', 'load the people again', false)
  .option('--out <file>', 'write the table into this Markdown file, between its markers');

/** A query with a variable is executed each time, without the cache. Only the gate uses the database. */
const executed = `query ($all: Boolean = true) { __schema { types { kind name description
  fields(includeDeprecated: $all) { name description args { name description defaultValue type { name kind } } type { name kind ofType { name kind } } }
  inputFields { name description defaultValue type { name kind } } enumValues(includeDeprecated: $all) { name description } } } }`;

const questions: { name: string; what: string; requests: Request[] }[] = [
  {
    name: 'executed',
    what: 'introspection, executed each time: only the gate uses the database',
    requests: [buildGraphRequest(executed, {}, '__schema.types')],
  },
  {
    name: 'introspect',
    what: 'the standard introspection query, which is cached',
    requests: [musterGraphql.introspect!(drawValues(1, 4000, 7)[0]!)],
  },
  {
    name: 'list50',
    what: 'a page of 50 contacts, with tags and notes',
    requests: drawValues(1000, 4000, 7).map((draw) => musterGraphql.list50!(draw)),
  },
];

const connections = 8;
const counts = [1, 2];

const figure = (value: number): string => (value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en-US'));

/** One row per request and number of workers, with the ratio to one worker in brackets. */
const rowsOf = (name: string, byCount: Map<number, Round[]>): string[] => {
  const of = (count: number, what: (round: Round) => number): number => computeMedian(byCount.get(count)!.map(what));
  const rate = (count: number): number => of(count, (round) => round.rate);
  const perSecond = (count: number): number => of(count, (round) => 1e6 / round.gateway);
  return counts.map((count) => {
    const cells = [
      name,
      String(count),
      `${figure(rate(count))} (${(rate(count) / rate(1)).toFixed(2)})`,
      `${figure(perSecond(count))} (${(perSecond(count) / perSecond(1)).toFixed(2)})`,
      figure(of(count, (round) => round.gateway)),
      figure(of(count, (round) => round.database)),
      of(count, (round) => (round.gateway * round.rate) / 1e6).toFixed(2),
      of(count, (round) => (round.database * round.rate) / 1e6).toFixed(2),
      of(count, (round) => round.others).toFixed(2),
    ];
    return `| ${cells.join(' | ')} |`;
  });
};

const measure = async (url: string, { seconds, rounds, only }: Options): Promise<string[]> => {
  const headers = { Authorization: `Bearer ${await tokenOf(url)}` };
  const servers = await Promise.all(counts.map((count) => startMuster(url, undefined, ['--workers', String(count)])));
  try {
    for (const { requests } of questions)
      for (const { port } of servers) readAnswer(await sendRequest(port, requests[0]!, headers), requests[0]!);
    const chosen = questions.filter(({ name }) => name.includes(only));
    if (chosen.length === 0) throw new Error(`No question has a name that contains ${only}`);
    const rows: string[] = [];
    for (const { name, requests } of chosen) {
      const script = join(tmpdir(), `muster-workers-${name}.lua`);
      writeScript(script, requests, [headers]);
      const byCount = new Map<number, Round[]>(counts.map((count) => [count, []]));
      for (let round = 0; round <= rounds; round++) {
        for (const index of round % 2 ? [0, 1] : [1, 0]) {
          await sleep(pauseFor(seconds));
          const result = await loadOnce(url, { server: servers[index]! }, script, { connections, seconds });
          if (result.errors > 0) throw new Error(`${result.errors} requests of ${name} failed`);
          // The first round warms up.
          if (round > 0) byCount.get(counts[index]!)!.push(result);
        }
      }
      rows.push(...rowsOf(name, byCount));
    }
    return rows;
  } finally {
    for (const server of servers) await server.stop();
  }
};

const start = async (options: Options): Promise<void> => {
  requireWrk();
  const database = await startDatabase(options);
  try {
    const rows = await measure(database.url, options);
    const { seconds, rounds } = options;
    const text = [
      '## Workers',
      `\`npm run bench:workers -- --seconds ${seconds} --rounds ${rounds}\` on ${new Date().toISOString().slice(0, 10)}: Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'CPU'};
load (wrk, ${connections} connections), server and database on this one machine. Medians; in brackets beside one worker. Answers per second of the server's own
CPU tell whether two workers do as well as one. How much of that is seen in the rate depends on what the database and all else leave of the cores.`,
      questions.map(({ name, what }) => `- \`${name}\`: ${what}`).join('\n'),
      [
        '| question | workers | requests per second | per second of its CPU | server, µs | PostgreSQL, µs | cores: server | PostgreSQL | all else |',
        '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
        ...rows,
      ].join('\n'),
    ].join('\n\n');
    printSection('workers', text, options.out);
  } finally {
    await database.stop();
  }
};

await runProgram<Options>(program, start);
