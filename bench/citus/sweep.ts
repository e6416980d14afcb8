// Asks for every attribute with every operator on one PostgreSQL, and on a cluster that has the same rows.
import { tokenOf } from '../harness/database.ts';
import { limitless, startMuster } from '../harness/process.ts';
import { connectByHand } from '../search/by-hand.ts';
import { describeMachine } from '../search/machine.ts';
import { ms, number, table } from '../search/report.ts';
import { findLargestSpace, formatSpread } from '../search/run-sweep.ts';
import { createAsker } from '../search/service.ts';
import { type Cell, measureCells, type Way, ways } from '../search/sweep.ts';

const formatRow = (way: Way, plain: readonly Cell[], cluster: readonly Cell[]): string[] => {
  const pairs = plain
    .map((cell, place) => ({ cell, here: cell.times[way], there: cluster[place]!.times[way] }))
    .filter(
      (one): one is { cell: Cell; here: number; there: number } => one.here !== undefined && one.there !== undefined,
    )
    .toSorted((a, b) => b.there - a.there);
  const slowest = pairs
    .slice(0, 2)
    .map(({ cell, here, there }) => `\`${cell.name}\` ${cell.share} ${ms(there)} (${ms(here)})`);
  return [
    way,
    number(pairs.length),
    formatSpread(pairs.map(({ here }) => here)),
    formatSpread(pairs.map(({ there }) => there)),
    slowest.join(', '),
  ];
};

/** The table, in Markdown. Fails when a condition fails on one of the two, or they count differently. */
export const compareSweeps = async (
  { plain, cluster }: { plain: string; cluster: string },
  { only, command }: { only: string[] | undefined; command: string },
): Promise<string> => {
  // Values are chosen once for both.
  const client = await connectByHand(plain);
  try {
    const { space, contacts, user } = await findLargestSpace(client);
    const sweep = async (url: string): Promise<Cell[]> => {
      const service = await startMuster(url, limitless);
      try {
        const ask = createAsker(service.port, await tokenOf(url, space, user));
        return await measureCells(client, ask, { space, contacts, repeat: 0, only });
      } finally {
        await service.stop();
      }
    };
    const [here, there] = [await sweep(plain), await sweep(cluster)];
    const faults = here.flatMap((cell, place) => {
      const other = there[place]!;
      // What is within the last days is less by the time that the second database is asked.
      const isSame = cell.matches === other.matches || cell.name.endsWith(' within');
      const differs = isSame ? undefined : `${cell.matches} on one PostgreSQL, ${other.matches} on the cluster`;
      const problem = cell.problem ?? other.problem ?? differs;
      return problem ? [`${cell.name}, ${cell.share}: ${problem}`] : [];
    });
    if (faults.length > 0) throw new Error(faults.join('\n'));
    return `\`${command}\` on ${describeMachine()}
${number(here.length)} conditions, each asked alone in a space of ${number(contacts)} contacts, as in [the sweep over one PostgreSQL](benchmarks.md#every-attribute-with-every-operator). Milliseconds: median, 90th and 95th percentile, and the slowest; the slowest of the cluster, with what one PostgreSQL takes for it. All counts were the same, but for spans that end now.

${table(
  ['way', 'conditions', 'one PostgreSQL', 'cluster', 'the slowest of the cluster'],
  ways.map((way) => formatRow(way, here, there)),
)}`;
  } finally {
    await client.end();
  }
};
