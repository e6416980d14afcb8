// Measures watched segments: the first evaluation of all of them, one after some contacts changed, and one of all contacts again.
import { cpus, totalmem } from 'node:os';
import { Command } from 'commander';
import pg from 'pg';
import { parseWholeNumber } from '../../src/commands/arguments.ts';
import { evaluateSegments } from '../../src/data/segment/segment-evaluation.ts';
import { createSegment } from '../../src/data/segment/segment-write.ts';
import { Database } from '../../src/database/database.ts';
import type { Space } from '../../src/database/space.ts';
import { runProgram } from '../harness/run-program.ts';
import { printSection } from '../harness/section.ts';
import { startBench } from '../search/server.ts';
import { listQueries } from './queries.ts';

interface Options {
  contacts: number;
  segments: number;
  changed: number;
  repeat: number;
  out?: string;
  dataDir: string;
  rebuild: boolean;
}

const program = new Command('bench:segments')
  .description(
    'Measures the evaluation of watched segments in a space full of contacts. It uses the data of bench:search: an embedded PostgreSQL, or the empty database of DATABASE_URL.',
  )
  .option('--contacts <number>', 'contacts of the space', parseWholeNumber(1000, 20_000_000), 1_000_000)
  .option('--segments <number>', 'watched segments', parseWholeNumber(1, 500), 50)
  .option('--changed <number>', 'contacts that change before an evaluation', parseWholeNumber(1, 50_000), 1000)
  .option('--repeat <number>', 'how often contacts change', parseWholeNumber(1, 100), 5)
  .option('--out <file>', 'write the table into this Markdown file, between its markers')
  .option('--data-dir <folder>', 'folder of the embedded server', '.muster-bench')
  .option('--rebuild', 'build the data again', false);

const spaceId = 1;

const time = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
};

const empty = async (client: pg.Client): Promise<void> => {
  for (const table of ['segment_members', 'segment_evaluations', 'segment_uses', 'segments', 'change_queue', 'changes'])
    await client.query(`truncate ${table} cascade`);
  await client.query('delete from change_feeds');
};

const saveSegments = async (space: Space, count: number): Promise<void> => {
  const ids: number[] = [];
  for (const [index, query] of listQueries(count).entries()) {
    const content = { name: `Segment ${index}`, description: null, query: query(ids), isWatched: true };
    ids.push((await createSegment(space, content, 100)).id);
  }
};

/** Changes the gender, the name and the city of some contacts anywhere in the space, as a write of the program does. */
const changeContacts = async (client: pg.Client, count: number, turn: number): Promise<void> => {
  await client.query('begin');
  const { rows } = await client.query<{ id: string }>(
    `update contacts set gender = case gender when 'F' then 'M' else 'F' end, surname = $3 || ' ' || surname, updated_at = now(), lastchange = now()
      where group_id = $1 and id in (select id from contacts where group_id = $1 and deleted_at is null order by hashint8(id + $4) limit $2) returning id`,
    [spaceId, count, 'Dé', turn],
  );
  await client.query('select refresh_search($1, $2)', [spaceId, rows.map(({ id }) => id)]);
  await client.query('commit');
};

const readNumber = async (client: pg.Client, sql: string): Promise<number> =>
  Number(Object.values((await client.query<Record<string, string>>(sql)).rows[0]!)[0]);

const formatSeconds = (seconds: number): string => (seconds < 10 ? seconds.toFixed(2) : seconds.toFixed(0));
const formatNumber = (value: number): string => value.toLocaleString('en-US');

const measure = async (url: string, { contacts, segments, changed, repeat }: Options): Promise<string> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const database = new Database(url);
  const space = database.space(spaceId);
  const evaluate = (): Promise<number> => time(() => evaluateSegments(space));
  const countEvents = (): Promise<number> =>
    readNumber(
      client,
      `select (select count(*) from change_queue where type = 'Segment') + (select count(*) from changes where type = 'Segment')`,
    );
  try {
    await empty(client);
    await saveSegments(space, segments);
    const first = await evaluate();
    const members = await readNumber(client, 'select count(*) from segment_members');
    await client.query('vacuum analyze segment_members');
    const before = await countEvents();
    const idle = await evaluate();
    const incremental: number[] = [];
    for (let turn = 0; turn < repeat; turn++) {
      await changeContacts(client, changed, turn);
      incremental.push(await evaluate());
    }
    incremental.sort((one, other) => one - other);
    const events = (await countEvents()) - before;
    await client.query('update segment_evaluations set due_at = now()');
    const again = await evaluate();
    const median = incremental[Math.floor(incremental.length / 2)]!;
    const rows: [string, string, string][] = [
      ['the first evaluation: all contacts, members written', formatSeconds(first), `${formatNumber(members)} members`],
      [
        `after ${formatNumber(changed)} changed contacts, median of ${repeat}`,
        formatSeconds(median),
        `${formatNumber(Math.round(events / repeat))} entered or left`,
      ],
      ['after no change', formatSeconds(idle), ''],
      ['all contacts again, as relative dates need it once an hour', formatSeconds(again), ''],
    ];
    const machine = `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]!.model.replace(/ \d+-Core.*/, '')}, ${Math.round(totalmem() / 2 ** 30)} GB`;
    return [
      '## Watched segments',
      '',
      `\`npm run bench:segments -- --contacts ${contacts} --segments ${segments} --changed ${changed} --repeat ${repeat}\` on ${new Date().toISOString().slice(0, 10)}: ${machine}.`,
      `${formatNumber(contacts)} contacts and ${segments} watched segments, from ten kinds of queries: names, tags, sums, ages, e-mails, memberships, campaigns, and segments of segments. Two in ten depend on time.`,
      'Seconds for all segments together, in one process.',
      '',
      '| Evaluation | Seconds | Result |',
      '| --- | ---: | ---: |',
      ...rows.map((row) => `| ${row.join(' | ')} |`),
    ].join('\n');
  } finally {
    await database.close();
    await client.end();
  }
};

await runProgram<Options>(program, async (options) => {
  const { server } = await startBench(options, { contacts: options.contacts, spaces: 1 });
  try {
    printSection('segments', await measure(server.url, options), options.out);
  } finally {
    await server.stop();
  }
});
