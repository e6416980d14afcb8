// Formats the tables in Markdown, and writes them into their section of a file.
import { cpus, totalmem } from 'node:os';
import type { Client } from 'pg';
import type { Build } from './build/build.ts';
import type { Times } from './measure.ts';
import type { Row, SpaceResult } from './run-space.ts';
import type { Sync } from './sync.ts';

export const number = (value: number): string => value.toLocaleString('en-US');
export const ms = (value: number): string => (value < 10 ? value.toFixed(1) : value.toFixed(0));
/** Columns of text; the others have numbers. */
const words = [
  'Q',
  'question',
  'condition',
  'way',
  'the slowest',
  'order',
  'indexes by hand',
  'indexes served',
  'answers',
];
export const table = (head: string[], rows: string[][]): string =>
  [head, head.map((_, place) => (words.includes(head[place]!) ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');

const short = (indexes: string[]): string =>
  indexes.map((name) => name.replace(/^contact_search_/, '')).join(', ') || 'none';
const both = ({ median, p95 }: Times): string => `${ms(median)} / ${ms(p95)}`;
const ratio = (served: Times, hand: Times): string => `${(served.median / hand.median).toFixed(1)}`;

const cellsOf = ({ query, matches, hand, served, problem }: Row): string[] => [
  query.id,
  query.title,
  number(matches),
  ...(served
    ? [
        both(served.page),
        both(served.count),
        String(served.statements),
        ratio(served.page, hand.page),
        ratio(served.count, hand.count),
      ]
    : ['', '', '', '', '']),
  both(hand.page),
  both(hand.count),
  short(hand.indexes),
  served ? short(served.indexes) : '',
  problem ? problem.replaceAll(/[|\n]/g, ' ') : served ? 'same' : '',
];

const head =
  `Q|question|matches|page|count|statements|page ÷ hand|count ÷ hand|page by hand|count by hand|indexes by hand|indexes served|answers`.split(
    '|',
  );

export const formatSpaceTable = ({ subject, floor, rows }: SpaceResult): string => {
  const deep = rows.flatMap(({ query, served }) => (query.search.page > 0 && served ? [query.id] : []));
  return [
    `### A space of ${number(subject.contacts)} contacts`,
    table(head, rows.map(cellsOf)),
    ...(floor
      ? [
          `What any page costs: the first 50 contacts by id, without a condition, take ${both(floor.page)} ms; a bare count ${both(floor.count)} ms.`,
        ]
      : []),
    ...(deep.length > 0
      ? [`Deep pages are asked for out of turn, so that nothing tells where each begins: ${deep.join(', ')}.`]
      : []),
  ].join('\n\n');
};

export const syncTable = (syncs: Sync[]): string =>
  [
    '### All contacts, a thousand at a time',
    table(
      [
        'order',
        'contacts',
        'pages',
        'first pages, ms',
        'last pages, ms',
        'last ÷ first',
        'out of turn, ms',
        'contacts per second',
      ],
      syncs.map(({ order, contacts, pages, first, last, jump, seconds }) => [
        order,
        number(contacts),
        number(pages),
        ms(first),
        ms(last),
        (last / first).toFixed(2),
        ms(jump),
        number(Math.round(contacts / seconds)),
      ]),
    ),
    'First and last: medians of the first ten and of the last ten pages, each asked for after the one before. Out of turn: the page nine tenths of the way, asked for alone.',
  ].join('\n\n');

export interface Run {
  /** The command line. */
  command: string;
  repeat: number;
}

export const formatPreamble = async (
  client: Client,
  { parameters, today, timings }: Build,
  run: Run,
): Promise<string> => {
  const { rows } = await client.query(
    `select current_setting('server_version') as version, current_setting('shared_buffers') as buffers`,
  );
  const [{ version, buffers }] = rows;
  const phases = timings.map(({ phase, seconds }) => `${phase} ${seconds.toFixed(0)} s`).join(', ');
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GB`;
  const total = timings.reduce((sum, { seconds }) => sum + seconds, 0);
  return [
    '## Contact search',
    `\`${run.command}\` on ${new Date().toISOString().slice(0, 10)}: Node ${process.versions.node}, PostgreSQL ${version} with
${buffers} of shared buffers, ${machine}; client, server and database on this one machine.
${number(parameters.contacts)} contacts in one space beside ${parameters.spaces - 1} smaller ones, made in ${total.toFixed(0)} s as of ${today}
(${phases}).`,
    `Milliseconds, median / 95th percentile of ${run.repeat} rounds, one request after the other over one connection that is kept, after a round
that is not counted. \`page\` is \`POST /search\`, \`count\` is \`POST /kpi\`, each from sending to the last byte, with the gate, the contacts and
their JSON. The bucket is set so high that it never limits. \`by hand\` is the best SQL that we could write for the same question: it
yields ids alone, and is sent to PostgreSQL directly, with the settings that searches have, names of tags and campaigns already
resolved. \`÷ hand\` compares the medians. Indexes of \`contact_search\` go without that prefix. \`same\`: the ids of the page and the
count are those of the hand-written SQL.`,
  ].join('\n\n');
};
