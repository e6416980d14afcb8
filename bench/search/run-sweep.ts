// Runs the sweep in the largest space of a database, and formats its tables.
import type pg from 'pg';
import { tokenOf } from '../harness/database.ts';
import { limitless, startMuster } from '../harness/process.ts';
import { connectByHand } from './by-hand.ts';
import { describeMachine } from './machine.ts';
import { quantile } from './measure.ts';
import { ms, number, table } from './report.ts';
import { createAsker } from './service.ts';
import { startWatched } from './statements.ts';
import { type Cell, measureCells, ways } from './sweep.ts';
import { explainSlowest, type Slow, writePlans } from './sweep-plans.ts';

/** The cells that are printed, and those of which the plans are kept. */
const [printed, kept] = [20, 5];

/** Median, 90th and 95th percentile, and the slowest. */
export const formatSpread = (values: number[], shares = [0.5, 0.9, 0.95, 1]): string =>
  shares.map((share) => ms(quantile(values, share))).join(' / ');

const formatCells = (cells: readonly Cell[], contacts: number, command: string): string => {
  const rows = ways.map((way) => {
    const measured = cells.filter(({ times }) => times[way] !== undefined);
    const slowest = measured.toSorted((a, b) => b.times[way]! - a.times[way]!).slice(0, 4);
    const names = slowest.map(({ name, share, times }) => `\`${name}\` ${share} ${ms(times[way]!)}`);
    return [
      way,
      number(measured.length),
      formatSpread(measured.map(({ times }) => times[way]!)),
      // What a vacuum used that ended meanwhile is in the largest.
      formatSpread(
        measured.map(({ cpu }) => cpu[way]!),
        [0.5, 0.9, 0.95],
      ),
      names.join(', '),
    ];
  });
  return `## Every attribute with every operator

\`${command}\` on ${describeMachine()}
${number(cells.length)} conditions, each asked alone in a space of ${number(contacts)} contacts, by surname, 50 to a page, for values of nobody, of few contacts, of a tenth and of most, as far as the data has them. Milliseconds over
HTTP, one request after the other: medians of each condition, and over all conditions their median, 90th and 95th percentile and the slowest; \`CPU\` is that of PostgreSQL for one request, without the slowest. \`jump\` is a page out of turn at nine tenths of the matches, \`next\` the one after it; \`ceiling\` is \`count\`, which ends at 10,000.

${table(['way', 'conditions', 'median / 90 % / 95 % / slowest', 'CPU', 'the slowest'], rows)}`;
};

const formatSlowest = (slowest: readonly Slow[]): string =>
  slowest
    .map(
      ({ cell, way, ms: took, plan }) =>
        `${ms(took)} ms: ${cell.name}, ${cell.share}, ${number(cell.matches)} matches, ${way}, ${ms(cell.cpu[way] ?? 0)} ms of CPU\n${plan}`,
    )
    .join('\n\n');

/** The space that has most contacts, and one of its members, who may read everything. */
export const findLargestSpace = async (
  client: pg.Client,
): Promise<{ space: number; contacts: number; user: number }> => {
  const { rows } = await client.query(
    `select space, contacts, (select min(m.user_id)::int from members m where m.group_id = space) as user
       from (select group_id::int as space, count(*)::int as contacts from contact_search group by 1 order by 2 desc limit 1) s`,
  );
  return rows[0];
};

/** The table, in Markdown. The slowest are printed with their plans, and those of the very slowest written if `keepsPlans`. */
export const measureSweep = async (
  url: string,
  {
    repeat,
    only,
    command,
    keepsPlans,
  }: { repeat: number; only: string[] | undefined; command: string; keepsPlans: boolean },
): Promise<string> => {
  const client = await connectByHand(url);
  const service = await startMuster(url, limitless);
  const watched = await startWatched(url);
  try {
    const { space, contacts, user } = await findLargestSpace(client);
    const token = await tokenOf(url, space, user);
    const cells = await measureCells(client, createAsker(service.port, token), { space, contacts, repeat, only });
    const slowest = await explainSlowest(client, { watched, ask: watched.asker(token) }, cells, printed);
    console.error(formatSlowest(slowest));
    if (keepsPlans) writePlans(slowest.slice(0, kept));
    const faulty = cells.filter(({ problem }) => problem);
    for (const { name, share, problem } of faulty) console.error(`${name}, ${share}: ${problem}`);
    if (faulty.length > 0) process.exitCode = 1;
    return formatCells(cells, contacts, command);
  } finally {
    await watched.stop();
    await service.stop();
    await client.end();
  }
};
