// Measures attacks: the server's CPU for each request, the latency of a neighbour, and memory, as a table.
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { parseWholeNumber } from '../../src/commands/arguments.ts';
import { tokenOf, useClient, useDatabase } from '../harness/database.ts';
import { loadDemo } from '../harness/demo.ts';
import { computeMedian } from '../harness/median.ts';
import { measureCpu, measureMemory, type Server, startMuster } from '../harness/process.ts';
import { runProgram } from '../harness/run-program.ts';
import { printSection } from '../harness/section.ts';
import { pauseFor } from '../harness/wrk.ts';
import { runAttack } from './attacker.ts';
import { listAttacks, type Sent } from './attacks.ts';
import { computePercentile, readSteadily } from './load.ts';
import { allowedMs, formatLongInput, measureLongInput } from './long-input.ts';

interface Options {
  seconds: number;
  rounds: number;
  only?: string;
  longInput?: true;
  out?: string;
}

const program = new Command('bench:abuse')
  .description(
    'Measures attacks: strangers and a member attack a server with its default limits and a heap of 1 GB, ' +
      'while members of other spaces read a contact 50 times a second.',
  )
  .option('--seconds <number>', 'seconds of each round', parseWholeNumber(1, 600), 8)
  .option('--rounds <number>', 'rounds of each attack; the table has their median', parseWholeNumber(1, 100), 3)
  .option('--only <text>', 'only attacks whose name contains this')
  .option('--long-input', 'only the longest headers and files, with the worst texts: fails above 2 ms for a stranger')
  .option('--out <file>', 'write the table into this Markdown file, between its markers');

const everyMs = 20;
/** In seconds: how long an attack spends the full bucket. The table has this time in its own column. */
const burst = 3;
const heapMiB = 1024;

/** The number of neighbour spaces. Their reads rotate, since one space would exhaust its own bucket. */
const neighbours = 8;

/** Creates the spaces: space 1 attacks and has contacts with many e-mails; each neighbour has a space with a contact. */
const prepare = async (url: string): Promise<{ attacker: string; reads: Sent[] }> => {
  await loadDemo(url, 2000);
  const reads: Sent[] = [];
  await useClient(url, async (client) => {
    await client.query(
      `insert into emails (group_id, contact_id, type, clicked_urls)
       select 1, c.id, 'newsletter', array['https://example.org/' || c.id || '/' || n] from contacts c, generate_series(1, 20) n where c.group_id = 1`,
    );
    for (let n = 0; n < neighbours; n++) {
      const { rows } = await client.query<{ space: number; user_id: number; contact: number }>(
        `with space as (insert into spaces (name) values ('Neighbour') returning id),
              person as (insert into users (mail) values ($1) returning id),
              role as (insert into roles (group_id, name, type) select id, 'User', 'user' from space returning group_id, id),
              belonging as (insert into members (group_id, user_id, role_id) select group_id, person.id, role.id from role, person),
              contact as (insert into contacts (group_id, surname) select id, 'Neighbour' from space returning id)
         select space.id::int as space, person.id::int as user_id, contact.id::int as contact from space, person, contact`,
        [`neighbour-${n}@example.org`],
      );
      const { space, user_id, contact } = rows[0]!;
      const token = await tokenOf(url, space, user_id);
      reads.push({ method: 'GET', path: `/v1/contacts/${contact}`, headers: { Authorization: `Bearer ${token}` } });
    }
    await client.query('analyze');
  });
  return { attacker: await tokenOf(url), reads };
};

/** The largest asset of GraphiQL's page. */
const assetOf = async (port: number): Promise<string> => {
  const page = await fetch(`http://127.0.0.1:${port}/graphql`, { headers: { Accept: 'text/html' } });
  const path = /<script defer src="([^"]+)"/.exec(await page.text())?.[1];
  if (!path) throw new Error('GraphiQL shows no script');
  return path;
};

const show = (value: number): string => (value < 10 ? value.toFixed(1) : String(Math.round(value)));

interface Round {
  reads: readonly Sent[];
  seconds: number;
  bearer: string;
  asset: string;
}

const readFor = (server: Server, reads: readonly Sent[], seconds: number): Promise<number[]> => {
  const end = performance.now() + seconds * 1000;
  return readSteadily(server.port, reads, everyMs, () => performance.now() > end);
};

/** Measures the neighbours alone, and then beside the attack. Times are in milliseconds, `cpu` is for all requests of the attack, `memory` in MiB. */
const measureRound = async (server: Server, name: string, { reads, seconds, ...as }: Round) => {
  const rested = measureCpu(server.pid);
  const alone = await readFor(server, reads, seconds);
  const idle = (measureCpu(server.pid) - rested) / seconds;
  let memory = 0;
  const watch = setInterval(() => {
    memory = Math.max(memory, measureMemory(server.pid));
  }, 50);
  const begun = measureCpu(server.pid);
  const attacking = runAttack({ port: server.port, name, seconds: burst + seconds, ...as });
  const first = await readFor(server, reads, burst);
  const beside = await readFor(server, reads, seconds);
  const attacked = await attacking;
  clearInterval(watch);
  return {
    ...attacked,
    // The CPU of the neighbours' reads does not count.
    cpu: Math.max(0, measureCpu(server.pid) - begun - idle * (burst + seconds)) / 1000,
    alone: computePercentile(alone, 0.99),
    beside: computePercentile(beside, 0.99),
    longest: first.at(-1)!,
    memory,
  };
};

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** A row of the table. */
const measure = async (server: Server, name: string, count: number, round: Round): Promise<unknown[]> => {
  const rounds: Awaited<ReturnType<typeof measureRound>>[] = [];
  for (let n = 0; n < count; n++) {
    await sleep(2 * pauseFor(round.seconds));
    rounds.push(await measureRound(server, name, round));
  }
  const requests = sum(rounds.map((one) => one.requests));
  const statuses = new Map<number, number>();
  for (const one of rounds)
    for (const [status, times] of one.statuses) statuses.set(status, (statuses.get(status) ?? 0) + times);
  const answers = [...statuses]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([status, times]) => `${times} × ${status || 'ended'}`);
  const ratios = rounds.map(({ alone, beside }) => beside / alone);
  return [
    name,
    Math.round(requests / count / (burst + round.seconds)),
    answers.join(', '),
    show(sum(rounds.map(({ cpu }) => cpu)) / requests),
    show(computeMedian(rounds.map(({ alone }) => alone))),
    show(computeMedian(rounds.map(({ beside }) => beside))),
    computeMedian(ratios).toFixed(1),
    `${Math.min(...ratios).toFixed(1)} to ${Math.max(...ratios).toFixed(1)}`,
    show(Math.max(...rounds.map(({ longest }) => longest))),
    Math.round(Math.max(...rounds.map(({ memory }) => memory))),
  ];
};

const describeMachine = (): string =>
  `on ${new Date().toISOString().slice(0, 10)}: Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'CPU'};`;

/** Measures the longest headers and files. Throws when one takes longer than a stranger may make a server work. */
const runLongInput = async (server: Server, rounds: number, out?: string): Promise<void> => {
  await measureLongInput(server, 1);
  const rows = await measureLongInput(server, rounds);
  const text = [
    `\`npm run bench:abuse -- --long-input --rounds ${rounds}\` ${describeMachine()} the CPU of all threads of the server for a request, the least of ${rounds}, and for as many letters in its place; for files that of the reader.`,
    formatLongInput(rows),
  ].join('\n\n');
  printSection('long-input', text, out);
  // Files are not of strangers.
  const dear = rows.filter(({ what, ms, harmless }) => what.includes(' at ') && ms - harmless > allowedMs);
  if (dear.length > 0)
    throw new Error(
      `more than ${allowedMs} ms of CPU above letters: ${dear.map(({ what, worst, ms }) => `${what} (${worst}): ${ms.toFixed(1)} ms`).join(', ')}`,
    );
};

const run = async (url: string, { seconds, rounds, only, longInput, out }: Options): Promise<void> => {
  let server: Server | undefined;
  try {
    const { attacker, reads } = await prepare(url);
    server = await startMuster(url, {}, [`--max-old-space-size=${heapMiB}`]);
    if (longInput) return await runLongInput(server, rounds, out);
    const as = { bearer: attacker, asset: await assetOf(server.port) };
    const attacks = listAttacks(as).filter(({ name }) => !only || name.includes(only));
    if (attacks.length === 0) throw new Error(`No attack has a name that contains ${only}`);
    const rows: unknown[][] = [];
    // The first reads only warm up the server.
    await readFor(server, reads, Math.min(5, seconds));
    for (const { name } of attacks) {
      const row = await measure(server, name, rounds, { reads, seconds, ...as });
      console.error(row.join(' | '));
      rows.push(row);
    }
    const head = [
      'attack',
      'requests a second',
      'answers',
      'server CPU per request, ms',
      'neighbour alone, p99 ms',
      'beside, p99 ms',
      'ratio',
      'in the rounds',
      'longest in the burst, ms',
      'peak memory, MiB',
    ];
    const text = [
      `\`npm run bench:abuse -- --seconds ${seconds} --rounds ${rounds}\` ${describeMachine()}
attacker, neighbours, server (heap of ${heapMiB} MiB) and database on this one machine. In each round ${neighbours} neighbours read ${1000 / everyMs} times a second, alone and then beside the attack;
99th percentiles and ratios are the medians of the rounds. The first ${burst} seconds beside it, in which a member spends the full bucket, are not in them: the longest read
of those is in a column of its own.`,
      attacks.map(({ name, what, rate }) => `- ${name}: ${what}; ${rate} a second at most`).join('\n'),
      [head, head.map((_, index) => (index === 0 || index === 2 ? '---' : '---:')), ...rows]
        .map((cells) => `| ${cells.join(' | ')} |`)
        .join('\n'),
    ].join('\n\n');
    printSection('abuse', text, out);
  } finally {
    await server?.stop();
  }
};

await runProgram<Options>(program, (options) => useDatabase((url) => run(url, options)));
