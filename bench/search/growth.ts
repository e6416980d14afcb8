// Asks the searches in spaces of four sizes, all in one database: which of them grow with the space, and which do not.
import type { Client } from 'pg';
import { computeMedian } from '../harness/median.ts';
import { limitless, measureMemory, startMuster } from '../harness/process.ts';
import type { Build } from './build/build.ts';
import { listGrowthSpaces, planSpaces } from './build/parameters.ts';
import { connectByHand } from './by-hand.ts';
import { describeMachine } from './machine.ts';
import { quantile } from './measure.ts';
import { ms, number, table } from './report.ts';
import { createSpaceToken } from './run.ts';
import { runSpace, type SpaceResult } from './run-space.ts';
import { createAsker } from './service.ts';

interface Asked {
  command: string;
  repeat: number;
  only: string[] | undefined;
}

/** Sizes in bytes, of the database, and of the search rows with their indexes; and the shared buffers of the server. */
const readSizes = async (client: Client): Promise<{ all: number; searched: number; buffers: string }> => {
  const { rows } = await client.query(
    `select pg_database_size(current_database())::float8 as all,
            (select sum(pg_total_relation_size(relid)) from pg_partition_tree('contact_search'))::float8 as searched,
            current_setting('shared_buffers') as buffers`,
  );
  return rows[0];
};

/** Changes the search rows of one contact in a thousand of a space, and back: their old versions stand in every index. Returns how many versions. */
const changeSearchRows = async (client: Client, space: number): Promise<number> => {
  const change = async (surname: string): Promise<number> => {
    const sql = `update contact_search set surname = ${surname} where group_id = $1 and contact_id % 1000 = 0`;
    return (await client.query(sql, [space])).rowCount!;
  };
  // In one transaction: an interruption leaves the names as they were.
  await client.query('begin');
  const changed = (await change(`surname || '~'`)) + (await change('left(surname, -1)'));
  await client.query('commit');
  return changed;
};

/** In seconds. */
const measureSeconds = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
};

const formatTable = (results: SpaceResult[]): string => {
  const rows = results[0]!.rows.map(({ query, matches }, place) => {
    const served = results.map((result) => result.rows[place]!);
    return [
      query.id,
      query.title,
      number(matches),
      ...served.map((row) => (row.served ? `${ms(row.served.page.median)} / ${ms(row.served.count.median)}` : '')),
      served.find(({ problem }) => problem)?.problem?.replaceAll(/[|\n]/g, ' ') ?? 'same',
    ];
  });
  const over = (what: 'page' | 'count', summarise: (medians: number[]) => number): string[] =>
    results.map(({ rows: all }) => ms(summarise(all.flatMap(({ served }) => (served ? [served[what].median] : [])))));
  const summary = (name: string, summarise: (medians: number[]) => number): string[] => {
    const [pages, counts] = [over('page', summarise), over('count', summarise)];
    return [name, '', '', ...pages.map((page, place) => `${page} / ${counts[place]}`), ''];
  };
  return table(
    ['Q', 'question', 'matches', ...results.map(({ subject }) => number(subject.contacts)), 'answers'],
    [...rows, summary('**median**', computeMedian), summary('**slowest**', (all) => quantile(all, 1))],
  );
};

/** Which searches grow between the two largest spaces: pages that are not flat, and counts that grow more than the space does. */
const formatSteps = ([largest, next]: SpaceResult[]): string[] => {
  if (!largest || !next) return [];
  const size = largest.subject.contacts / next.subject.contacts;
  const list = (what: 'page' | 'count', factor: number): string =>
    largest.rows
      .filter(({ served }, place) => {
        const before = next.rows[place]!.served;
        return served && before && served[what].median > factor * before[what].median;
      })
      .map(({ query }) => query.id)
      .join(', ') || 'none';
  return [
    `From ${number(next.subject.contacts)} to ${number(largest.subject.contacts)} contacts, these pages take more than twice as long: ${list('page', 2)}. These counts take more than ${ms(size * 1.25)} times as long: ${list('count', size * 1.25)}.`,
  ];
};

/** The table, in Markdown: a column for each size, the largest first. */
export const measureGrowth = async (url: string, build: Build, { command, repeat, only }: Asked): Promise<string> => {
  const client = await connectByHand(url);
  const service = await startMuster(url, limitless);
  try {
    const results: SpaceResult[] = [];
    for (const space of listGrowthSpaces(build.parameters)) {
      const ask = createAsker(service.port, await createSpaceToken(url, space));
      const doors = { ask, countStatements: async () => 0 };
      results.push(await runSpace(client, space, { doors, repeat, only }));
    }
    const memory = measureMemory(service.pid);
    const { all, searched, buffers } = await readSizes(client);
    const changed = await changeSearchRows(client, 1);
    const vacuum = await measureSeconds(() => client.query('vacuum contact_search'));
    const contacts = planSpaces(build.parameters).reduce((sum, one) => sum + one.contacts, 0);
    const built = build.timings.reduce((sum, { seconds }) => sum + seconds, 0);
    const bytes = (size: number): string => number(Math.round(size / contacts));
    return `## Growth

\`${command}\` on ${describeMachine()}
The searches of the section above, in spaces of four sizes of one database: ${number(contacts)} contacts in ${build.parameters.spaces} spaces, with ${buffers} of shared buffers. Milliseconds,
medians of ${repeat} rounds, of a page / of its exact count; the column of matches is of the largest space.

${table(
  ['', 'of the database'],
  [
    ['size, GiB', (all / 2 ** 30).toFixed(1)],
    ['bytes a contact', bytes(all)],
    ['of these, search rows with their indexes', bytes(searched)],
    ['seconds of building it', number(Math.round(built))],
    [`seconds of a vacuum of the search rows, after ${number(changed)} changes`, ms(vacuum)],
    ['MiB of Muster, after all searches', number(Math.round(memory))],
  ],
)}

${[formatTable(results), ...formatSteps(results)].join('\n\n')}`;
  } finally {
    await service.stop();
    await client.end();
  }
};
