// Formats the tables in Markdown: medians over the rounds, beside the reference of each entry.
import { cpus, totalmem } from 'node:os';
import { useClient } from '../harness/database.ts';
import { computeMedian } from '../harness/median.ts';
import { connections, meanings, type Workload } from '../harness/workloads.ts';
import type { Measured, Options, Round } from './run.ts';

export const computeRoundMedian = ({ rounds }: Measured, what: keyof Round): number =>
  computeMedian(rounds.map((round) => round[what]));

const figure = (value: number): string =>
  value >= 1000 ? Math.round(value).toLocaleString('en-US') : value >= 100 ? value.toFixed(0) : value.toFixed(1);
const ratio = (value: number): string => value.toFixed(value < 0.1 ? 3 : 2);

type Cell = (one: Measured, yardstick: Measured | undefined) => string;

const nameOf = (workload: Workload, { connections: insisted }: Options): string =>
  `${workload} c${insisted ?? connections[workload]}`;

const markdown = (head: string[], rows: string[][]): string =>
  [head, head.map((_, place) => (place ? '---:' : '---')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');

const find = (measured: Measured[], name: string, workload: Workload): Measured | undefined =>
  measured.find((one) => one.entry.name === name && one.workload === workload);

/** A column of an entry, from all that was measured of it. */
type EntryColumn = [head: string, cell: (rows: Measured[]) => string];

const table = (measured: Measured[], options: Options, cell: Cell, ...last: EntryColumn[]) => {
  const { entries, workloads } = options;
  const head = ['entry', ...workloads.map((workload) => nameOf(workload, options)), ...last.map(([name]) => name)];
  const rows = entries.map((entry) => [
    entry.name,
    ...workloads.map((workload) => {
      const one = find(measured, entry.name, workload);
      return one ? cell(one, find(measured, entry.yardstick, workload)) : 'n/e';
    }),
    ...last.map(([, cellOf]) => cellOf(measured.filter((one) => one.entry === entry))),
  ]);
  return markdown(head, rows);
};

/** Compares each door of Muster with the fastest peer that gives the same answers: of those with a gate, and of those without. Empty without such peers. */
const besideTheBest = (measured: Measured[], options: Options): string[] => {
  const { entries, workloads } = options;
  const best = (one: Measured, gated: boolean): string => {
    const others = measured.filter(
      ({ entry, workload }) =>
        !['muster', 'floor.ts'].includes(entry.server) &&
        workload === one.workload &&
        entry.yardstick === one.entry.yardstick &&
        (entry.env?.GATE === 'true') === gated,
    );
    const [first] = others.toSorted((a, b) => computeRoundMedian(b, 'rate') - computeRoundMedian(a, 'rate'));
    return first
      ? `${ratio(computeRoundMedian(one, 'rate') / computeRoundMedian(first, 'rate'))} × ${first.entry.name}`
      : '';
  };
  const rows = [true, false].flatMap((gated) =>
    entries
      .filter(({ server }) => server === 'muster')
      .map((entry) => [
        `${entry.name} ÷ the fastest ${gated ? 'behind the gate' : 'of the others'}`,
        ...workloads.map((workload) => {
          const one = find(measured, entry.name, workload);
          return one ? best(one, gated) : '';
        }),
      ])
      .filter(([, ...cells]) => cells.some((cell) => cell !== '')),
  );
  if (rows.length === 0) return [];
  const head = ['', ...workloads.map((workload) => nameOf(workload, options))];
  return ['### Muster beside the fastest peer that answers the same', markdown(head, rows)];
};

const countStatements: Cell = ({ statements }) =>
  statements === undefined ? '?' : String(Number(statements.toFixed(1)));
const rates: Cell = (one, yardstick) => {
  const rate = computeRoundMedian(one, 'rate');
  const beside = yardstick ? ` (${ratio(rate / computeRoundMedian(yardstick, 'rate'))})` : '';
  const counted = one.statements === undefined ? '' : ` [${countStatements(one, yardstick)}]`;
  const errors = one.rounds.reduce((sum, round) => sum + round.errors, 0);
  return `${figure(rate)}${beside}${counted}${errors ? ` ${errors} errors` : ''}`;
};
const latencies: Cell = (one) =>
  `${computeRoundMedian(one, 'p50').toFixed(1)} / ${computeRoundMedian(one, 'p99').toFixed(1)}`;
const processors: Cell = (one, yardstick) => {
  const [gateway, database] = [computeRoundMedian(one, 'gateway'), computeRoundMedian(one, 'database')];
  const beside = yardstick ? ` (${(gateway / computeRoundMedian(yardstick, 'gateway')).toFixed(1)}×)` : '';
  return `${figure(gateway)} + ${Number.isNaN(database) ? '?' : figure(database)}${beside}`;
};
const memory = (rows: Measured[]): string => {
  if (rows.length === 0) return '';
  const most = (some: Measured[]): string =>
    Math.max(...some.flatMap(({ rounds }) => rounds.map((round) => round.memory))).toFixed(0);
  const mixed = rows.filter(({ workload }) => workload === 'mix');
  return mixed.length > 0 ? `${most(mixed)} / ${most(rows)}` : most(rows);
};

const start = ([one]: Measured[]): string => (one ? figure(one.startMs) : '');

export interface Report {
  url: string;
  command: string;
  options: Options;
}

export const formatReport = async (measured: Measured[], { url, command, options }: Report): Promise<string> => {
  const { version, buffers } = await useClient(
    url,
    async (client) =>
      (
        await client.query(
          `select current_setting('server_version') as version, current_setting('shared_buffers') as buffers`,
        )
      ).rows[0],
  );
  const { entries, workloads, people, tokens, rounds, seconds } = options;
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GB`;
  const others = computeMedian(measured.flatMap((one) => one.rounds.map((round) => round.others)));
  const load = `Medians of ${rounds} rounds of ${seconds} s in alternating order, after 2 s of warming up; load and all else on the
machine took ${others.toFixed(2)} of its processors (median).`;
  const ofLoad = (): string[] => [
    '### Requests per second (ratio to the yardstick) [SQL statements per request]',
    table(measured, options, rates),
    ...besideTheBest(measured, options),
    '### Milliseconds, median / 99th percentile',
    table(measured, options, latencies),
    '### Microseconds of CPU per request: server + PostgreSQL (server beside that of the yardstick)',
    table(measured, options, processors, ['MiB after the mix / at most', memory], ['ms to the first answer', start]),
  ];
  return [
    '## Peers',
    `\`${command}\` on ${new Date().toISOString().slice(0, 10)}: Node ${process.versions.node}, PostgreSQL ${version} with ${buffers} of shared
buffers, ${machine}; load (wrk, one thread), servers and database on this one machine.
${people.toLocaleString('en-US')} people, half of them in the one space that is asked about; the same people, relations and ids in a plain schema
that the peers serve and in Muster's. ${rounds > 0 ? load : 'No load was made.'}`,
    entries
      .map(({ name, what, packages = {}, node }) => {
        const versions = Object.entries(packages).map(([of, at]) => `${of} ${at}`);
        if (node) versions.push(`Node ${node} or newer`);
        return `- \`${name}\`: ${what}${versions.length > 0 ? ` (${versions.join(', ')})` : ''}`;
      })
      .join('\n'),
    workloads.map((workload) => `- \`${workload}\`: ${meanings[workload]}`).join('\n'),
    `Each entry is held to the answers of its yardstick, value by value, before it is measured: \`gate\`, and \`gate-rest\` for \`muster-rest\`,
whose contract has one shape of a contact (all fields and answers, one note), and for \`fastify-contract\`. The yardsticks, the peers behind the gate (those named after it, and \`fastify-contract\`) and Muster
authenticate every request and pay its price from the bucket of the space, which is set so high that it never runs dry; Directus looks for the
user of a token; the other peers and the floor let anybody do anything. The requests show ${tokens === 1 ? 'one token' : `${tokens} tokens in turn`}. Muster asks together
for requests that come while it is asking for others: whom to let in, records by their ids, notes. The statements are counted by requests that come alone.
Muster also writes what a note changes of its contact: when and by whom it was changed, its version. \`fastify-gate\` and those like it write
when, too; Directus logs what was written; the others and the yardsticks only insert. Muster's searches fold case and accents; those
that may take long stay within two at a time for a space, as they do by default. Connections to the database: 10 each; Muster has 8 more for searches.
\`c\` is the number of connections that ask at once, \`n/e\` not expressible.`,
    ...(rounds > 0 ? ofLoad() : ['### SQL statements per request', table(measured, options, countStatements)]),
  ].join('\n\n');
};
