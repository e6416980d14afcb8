// Compares one PostgreSQL with a Citus cluster behind the same server: rates, and the time of a single request.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import pg from 'pg';
import { parseWholeNumber } from '../../src/commands/arguments.ts';
import { formatNode, parseNode } from '../../src/commands/distribute.ts';
import { tablesOfContacts } from '../../src/data/import/record-types.ts';
import { distributeDatabase, joinWorkers, type NodeAddress } from '../../src/database/citus/distribute.ts';
import { Database } from '../../src/database/database.ts';
import { startEmbedded } from '../../src/database/embedded/server.ts';
import { migrateDatabase } from '../../src/database/migrate.ts';
import { createAccessToken } from '../../src/gate/token.ts';
import { createDemoPlan, seedDatabase } from '../../src/seed/index.ts';
import type { Sent } from '../abuse/attacks.ts';
import { percentile } from '../abuse/load.ts';
import { type Server, startMuster } from '../harness/process.ts';
import { writeSection } from '../harness/section.ts';
import { flood } from '../overload/flood.ts';

interface Options {
  contacts: number;
  seconds: number;
  rounds: number;
  out?: string;
}

const program = new Command('bench:citus')
  .description(
    'Compares one embedded PostgreSQL with a cluster, whose coordinator CITUS_URL names, and whose workers are in CITUS_WORKERS (host:port,…). It creates a database there, and drops it.',
  )
  .option('--contacts <number>', 'contacts of all spaces together', parseWholeNumber(1000, 2_000_000), 20_000)
  .option('--seconds <number>', 'seconds of each load', parseWholeNumber(1, 600), 4)
  .option('--rounds <number>', 'rounds; the table has their medians', parseWholeNumber(1, 99), 3)
  .option('--out <file>', 'write the table into this Markdown file, between its markers');

/** One side of the comparison. */
interface Side {
  server: Server;
  bearer: string;
  ids: number[];
}

const busy = 16;

const post = (bearer: string, query: string): Sent => ({
  method: 'POST',
  path: '/graphql',
  headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
  body: JSON.stringify({ query }),
});
const read = ({ bearer }: Side, id: number): Sent => ({
  method: 'GET',
  path: `/v1/contacts/${id}`,
  headers: { Authorization: `Bearer ${bearer}` },
});
const list = ({ bearer }: Side): Sent =>
  post(
    bearer,
    '{ contacts(first: 50) { nodes { id firstName lastName email tags { name } notes { nodes { content } } } } }',
  );
const note = ({ bearer }: Side, id: number): Sent =>
  post(bearer, `mutation { createNote(input: { contactId: "${id}", content: "measured" }) { note { id } } }`);

/** By name, with what each is. */
const workloads: { name: string; requests(side: Side): Sent[] }[] = [
  { name: 'single: a contact by id', requests: (side) => side.ids.map((id) => read(side, id)) },
  { name: 'list50: a page of 50 with tags and notes', requests: (side) => [list(side)] },
  {
    name: 'search: the first 50 whose name begins with a letter',
    requests: ({ bearer }) => [
      post(bearer, '{ searchContacts(query: { lastName: { startsWith: "a" } }, first: 50) { nodes { id lastName } } }'),
    ],
  },
  { name: 'note: write a note', requests: (side) => side.ids.map((id) => note(side, id)) },
  {
    name: 'mix: 7 single, 2 list50, 1 note',
    requests: (side) =>
      side.ids.map((id, place) => (place % 10 === 9 ? note(side, id) : place % 5 === 3 ? list(side) : read(side, id))),
  },
];

const median = (values: number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!;

const openSide = async (url: string): Promise<Side> => {
  const database = new Database(url, { poolSize: 1 });
  try {
    await database.gatherStatistics(tablesOfContacts);
    const { rows } = await database.knex.raw(
      `select c.group_id::int as space, (array_agg(c.id::int order by c.id))[:200] as ids from contacts c where c.deleted_at is null
        group by c.group_id order by count(*) desc limit 1`,
    );
    const [{ space, ids }] = rows as [{ space: number; ids: number[] }];
    const { rows: members } = await database.knex.raw(
      `select m.user_id::int as user from members m join roles r on r.group_id = m.group_id and r.id = m.role_id and r.type = 'superadmin' where m.group_id = ${space} limit 1`,
    );
    const bearer = await createAccessToken(database, space, members[0].user);
    return {
      server: await startMuster(url, { BUCKET_CAPACITY: '1000000000', BUCKET_REFILL: '1000000000' }),
      bearer,
      ids,
    };
  } finally {
    await database.close();
  }
};

interface Loaded {
  /** Answers a second of many connections. */
  rate: number;
  /** The median time of an answer on one connection, in milliseconds. */
  alone: number;
}

const load = async (side: Side, requests: Sent[], seconds: number): Promise<Loaded> => {
  const order = { port: side.server.port, requests, seconds };
  const [many, one] = [await flood({ ...order, connections: busy }), await flood({ ...order, connections: 1 })];
  for (const { times } of [many, one])
    for (const [status, { length }] of times)
      if (status !== 200) throw new Error(`${length} answers of status ${status}`);
  return { rate: many.times.get(200)!.length / seconds, alone: percentile(one.times.get(200)!, 0.5) };
};

const measure = async (sides: Side[], { seconds, rounds }: Options): Promise<string[]> => {
  const rows: string[] = [];
  for (const { name, requests } of workloads) {
    const measured: Loaded[][] = [];
    for (let round = 0; round <= rounds; round++) {
      const of: Loaded[] = [];
      for (const side of sides) of.push(await load(side, requests(side), seconds));
      // The first round warms up.
      if (round > 0) measured.push(of);
      console.error(`${name}, round ${round}: ${of.map(({ rate }) => Math.round(rate)).join(' and ')} a second`);
    }
    const figures = [0, 1].map((side) => ({
      rate: median(measured.map((of) => of[side]!.rate)),
      alone: median(measured.map((of) => of[side]!.alone)),
    }));
    const [plain, cluster] = figures as [Loaded, Loaded];
    const ratio = median(measured.map(([one, other]) => other!.rate / one!.rate));
    rows.push(
      `| ${[name, Math.round(plain.rate), Math.round(cluster.rate), ratio.toFixed(2), plain.alone.toFixed(1), cluster.alone.toFixed(1), (cluster.alone - plain.alone).toFixed(1)].join(' | ')} |`,
    );
  }
  return rows;
};

const run = async (options: Options): Promise<void> => {
  const coordinator = process.env.CITUS_URL;
  const workers: NodeAddress[] = (process.env.CITUS_WORKERS ?? '').split(',').filter(Boolean).map(parseNode);
  if (!coordinator || workers.length === 0) throw new Error('Set CITUS_URL and CITUS_WORKERS to those of a cluster');
  const name = `muster_bench_${randomUUID().replaceAll('-', '')}`;
  const clusterUrl = Object.assign(new URL(coordinator), { pathname: `/${name}` }).href;
  const admin = async (url: string, sql: string): Promise<void> => {
    const client = new pg.Client(url);
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  const place = mkdtempSync(join(tmpdir(), 'muster-bench-citus-'));
  const embedded = await startEmbedded(join(place, 'data'), { onStep: (text) => console.error(text) });
  const sides: Side[] = [];
  try {
    await admin(coordinator, `create database ${name}`);
    await joinWorkers(clusterUrl, workers);
    for (const url of [embedded.url, clusterUrl]) {
      await migrateDatabase(url);
      await seedDatabase(url, createDemoPlan(options.contacts, 7));
    }
    await distributeDatabase(clusterUrl, (step) => console.error(step));
    for (const url of [embedded.url, clusterUrl]) sides.push(await openSide(url));
    const text = [
      `\`npm run bench:citus -- --contacts ${options.contacts} --seconds ${options.seconds} --rounds ${options.rounds}\` on ${new Date().toISOString().slice(0, 10)}: Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'CPU'};
load, servers, one embedded PostgreSQL, and a coordinator with ${workers.length} workers on this one machine. Rates with ${busy} connections, times of one connection; medians.`,
      [
        '| workload | one PostgreSQL, a second | cluster, a second | ratio | one PostgreSQL, ms | cluster, ms | more, ms |',
        '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
        ...(await measure(sides, options)),
      ].join('\n'),
    ].join('\n\n');
    console.log(text);
    if (options.out) writeSection(options.out, 'citus', text);
  } finally {
    for (const { server } of sides) await server.stop();
    const hosts = [new URL(coordinator).host, ...workers.map(formatNode)];
    for (const host of hosts)
      await admin(
        Object.assign(new URL(coordinator), { host }).href,
        `drop database if exists ${name} with (force)`,
      ).catch((error) => console.error(error.message));
    await embedded.stop();
    rmSync(place, { recursive: true, force: true });
  }
};

try {
  await run(program.parse().opts<Options>());
} catch (error) {
  console.error(`bench:citus: ${(error as Error).message}`);
  process.exitCode = 1;
}
