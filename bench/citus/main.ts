// Compares one PostgreSQL with a Citus cluster: servers beside the coordinator, and beside the workers.
import { randomUUID } from 'node:crypto';
import { cpus } from 'node:os';
import { Command } from 'commander';
import type pg from 'pg';
import { parseWholeNumber } from '../../src/commands/arguments.ts';
import { formatNode, parseNode } from '../../src/commands/distribute.ts';
import { seedDatabase } from '../../src/commands/seed.ts';
import { matchContactIdSql, selectContactColumns } from '../../src/data/contact/read.ts';
import { tablesOfContacts } from '../../src/data/import/record-types.ts';
import { distributeDatabase, joinWorkers, type NodeAddress } from '../../src/database/citus/distribute.ts';
import { Database } from '../../src/database/database.ts';
import { migrateDatabase } from '../../src/database/migrate.ts';
import { sessionSettings } from '../../src/database/pool.ts';
import { createAccessToken } from '../../src/gate/token.ts';
import { findFreePort } from '../../test/harness/free-port.ts';
import { computePercentile } from '../abuse/load.ts';
import { useClient } from '../harness/database.ts';
import { computeMedian } from '../harness/median.ts';
import { limitless, type Server, startMuster } from '../harness/process.ts';
import { runProgram } from '../harness/run-program.ts';
import { printSection } from '../harness/section.ts';
import { runFlood } from '../overload/flood.ts';
import { compareSweeps } from './sweep.ts';
import { listWorkloads, type Subject, type Workload } from './workloads.ts';

interface Options {
  contacts: number;
  spaces: number;
  seconds: number;
  rounds: number;
  sweep: boolean;
  only: string[] | undefined;
  out?: string;
}

const program = new Command('bench:citus')
  .description(
    'Compares one PostgreSQL with a cluster, whose coordinator CITUS_URL names, and whose workers are in CITUS_WORKERS (host:port,…). ' +
      'The one PostgreSQL is a database of the coordinator that is not distributed. The command creates both databases there, and drops them.',
  )
  .option('--contacts <number>', 'contacts of the large space', parseWholeNumber(1000, 2_000_000), 20_000)
  .option('--spaces <number>', 'other spaces, of a thousandth of its contacts', parseWholeNumber(1, 10_000), 200)
  .option('--seconds <number>', 'seconds of each load', parseWholeNumber(1, 600), 4)
  .option('--rounds <number>', 'rounds; the table has their medians', parseWholeNumber(1, 99), 3)
  .option('--sweep', 'ask for every attribute and operator alone, in the large space of both', false)
  .option('--only <names>', 'with --sweep: beginnings of attributes, such as EMAILS,NOTES', (text) =>
    text.toUpperCase().split(','),
  )
  .option('--out <file>', 'write the table into this Markdown file, between its markers');

/** Connections of the load that measures rates. */
const busy = 16;

/** A server, and where its database is. */
interface Side {
  name: string;
  server: Server;
  metricsPort: number;
}

const runSql = (url: string, sql: string): Promise<pg.QueryResult> => useClient(url, (client) => client.query(sql));

const log = (text: string): void => console.error(`${new Date().toISOString().slice(11, 19)} ${text}`);

/** Logs every tenth of the progress. */
const createProgressLog = (): ((progress: { step: string; done: number; total: number }) => void) => {
  let logged = '';
  return ({ step, done, total }) => {
    const text = `${step}: ${Math.floor((done / total) * 10) * 10} %`;
    if (text !== logged) log(text);
    logged = text;
  };
};

/** Fills the database, and makes a token for a superadmin of each space. */
const fillDatabase = async (url: string, { contacts, spaces }: Options): Promise<Subject[]> => {
  const others = Array.from({ length: spaces }, (_, place) => ({
    id: place + 2,
    contacts: Math.ceil(contacts / 1000),
  }));
  await migrateDatabase(url);
  await seedDatabase(url, { seed: 7, spaces: [{ id: 1, contacts }, ...others] }, createProgressLog());
  const database = new Database(url, { poolSize: 1 });
  try {
    await database.gatherStatistics(tablesOfContacts);
    const { rows } = await database.readers.knex.raw(
      `select s.id::int as space,
              (select min(m.user_id)::int from members m join roles r on r.group_id = m.group_id and r.id = m.role_id
                where m.group_id = s.id and r.type = 'superadmin') as user,
              array(select c.id::int from contacts c where c.group_id = s.id and c.deleted_at is null order by c.id limit 200) as ids
         from spaces s order by s.id`,
    );
    const subjects: Subject[] = [];
    for (const { space, user, ids } of rows as { space: number; user: number; ids: number[] }[])
      subjects.push({ bearer: await createAccessToken(database, space, user), ids });
    return subjects;
  } finally {
    await database.close();
  }
};

const findNodeOf = async (url: string, space: number): Promise<string> => {
  const { rows } = await runSql(
    url,
    `select nodename || ':' || nodeport as node from pg_dist_placement join pg_dist_node using (groupid)
      where shardid = get_shard_id_for_distribution_column('contacts', ${space}::bigint)`,
  );
  return rows[0].node;
};

const startSide = async (name: string, url: string, settings: Record<string, string> = {}): Promise<Side> => {
  const metricsPort = await findFreePort();
  const server = await startMuster(url, {
    ...limitless,
    METRICS_PORT: String(metricsPort),
    ...settings,
  });
  return { name, server, metricsPort };
};

/** Statements that a server has sent since it started. */
const countStatements = async ({ metricsPort }: Side): Promise<number> => {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const counts = text.matchAll(/^muster_statement_duration_seconds_count\{[^}]*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
};

interface Loaded {
  /** Answers a second of many connections. */
  rate: number;
  /** The median time of an answer on one connection, in milliseconds. */
  alone: number;
  /** Statements of an answer on one connection. */
  statements: number;
}

const load = async (side: Side, { requests }: Workload, seconds: number): Promise<Loaded> => {
  const order = { port: side.server.port, requests, seconds };
  const many = await runFlood({ ...order, connections: busy });
  const before = await countStatements(side);
  const one = await runFlood({ ...order, connections: 1 });
  const sent = (await countStatements(side)) - before;
  for (const { times } of [many, one])
    for (const [status, { length }] of times)
      if (status !== 200) throw new Error(`${side.name}: ${length} answers of status ${status}`);
  const answers = one.times.get(200)!;
  return {
    rate: many.times.get(200)!.length / seconds,
    alone: computePercentile(answers, 0.5),
    statements: sent / answers.length,
  };
};

/** The rows of the table: each workload on each side. */
const measure = async (sides: Side[], subjects: Subject[], { seconds, rounds }: Options): Promise<string[]> => {
  const rows: string[] = [];
  for (const workload of listWorkloads(subjects)) {
    const measured: Loaded[][] = [];
    for (let round = 0; round <= rounds; round++) {
      const loaded: Loaded[] = [];
      for (const side of sides) loaded.push(await load(side, workload, seconds));
      // The first round warms up.
      if (round > 0) measured.push(loaded);
      log(`${workload.name}, round ${round}: ${loaded.map(({ rate }) => Math.round(rate)).join(', ')} a second`);
    }
    for (const [place, { name }] of sides.entries()) {
      const medianOf = (read: (side: Loaded, plain: Loaded) => number): number =>
        computeMedian(measured.map((loaded) => read(loaded[place]!, loaded[0]!)));
      const statements = medianOf((side) => side.statements);
      const more = medianOf((side, plain) => side.alone - plain.alone);
      rows.push(
        `| ${[
          workload.name,
          name,
          Math.round(medianOf(({ rate }) => rate)),
          medianOf((side, plain) => side.rate / plain.rate).toFixed(2),
          medianOf(({ alone }) => alone).toFixed(1),
          statements.toFixed(1),
          place === 0 ? '–' : (more / statements).toFixed(1),
        ].join(' | ')} |`,
      );
    }
  }
  return rows;
};

/** The median planning times of the read of a contact with its records, in milliseconds: of this server, and of the node that runs it. */
const measurePlanning = (url: string, id: number): Promise<{ here: number; node: number }> =>
  useClient(url, async (client) => {
    const read = `select ${selectContactColumns(['address', 'tags', 'actions', 'answers', 'notes'])} from contacts c where ${matchContactIdSql('c')}`;
    const sql = read.replaceAll(':group', '1').replaceAll(':id', String(id));
    const times: { here: number; node: number }[] = [];
    for (let count = 0; count < 200; count++) {
      const { rows } = await client.query(`explain (summary, format json) ${sql}`);
      const [plan] = rows[0]['QUERY PLAN'];
      const [[task]] = plan.Plan['Distributed Query']?.Job.Tasks[0]['Remote Plan'] ?? [[{}]];
      times.push({ here: plan['Planning Time'], node: task['Planning Time'] ?? 0 });
    }
    return { here: computeMedian(times.map(({ here }) => here)), node: computeMedian(times.map(({ node }) => node)) };
  });

interface Databases {
  /** A database of the coordinator that is not distributed. */
  plain: string;
  /** The same rows, distributed. */
  cluster: string;
  workers: NodeAddress[];
  subjects: Subject[];
  /** The address of the distributed database on a node. */
  urlOf(host: string): string;
}

/** Fills the two databases, works with them, and drops them. */
const useDatabases = async (options: Options, work: (both: Databases) => Promise<void>): Promise<void> => {
  const coordinator = process.env.CITUS_URL;
  const workers: NodeAddress[] = (process.env.CITUS_WORKERS ?? '').split(',').filter(Boolean).map(parseNode);
  if (!coordinator || workers.length < 2) throw new Error('Set CITUS_URL and CITUS_WORKERS to those of a cluster');
  const name = `muster_bench_${randomUUID().replaceAll('-', '')}`;
  const locate = (database: string, host = new URL(coordinator).host): string =>
    Object.assign(new URL(coordinator), { pathname: `/${database}`, host }).href;
  const [plain, cluster] = [locate(`${name}_plain`), locate(name)];
  const urlOf = (host: string): string => locate(name, host);
  try {
    await runSql(coordinator, `create database ${name}_plain`);
    const subjects = await fillDatabase(plain, options);
    log('copying the database');
    await runSql(coordinator, `create database ${name} template ${name}_plain strategy file_copy`);
    await joinWorkers(cluster, workers);
    await distributeDatabase(cluster, log);
    log('gathering statistics');
    for (const url of [plain, cluster]) await runSql(url, 'vacuum analyze');
    await work({ plain, cluster, workers, subjects, urlOf });
  } finally {
    for (const place of [plain, cluster, ...workers.map((node) => urlOf(formatNode(node)))]) {
      const url = new URL(place);
      const database = url.pathname.slice(1);
      url.pathname = '/postgres';
      await runSql(url.href, `drop database if exists ${database} with (force)`).catch(({ message }) => log(message));
    }
  }
};

/** The command to repeat elsewhere. */
const formatCommand = ({ contacts, spaces, seconds, rounds, sweep, only }: Options): string =>
  `npm run bench:citus -- --contacts ${contacts} --spaces ${spaces}${sweep ? ` --sweep${only ? ` --only ${only}` : ''}` : ` --seconds ${seconds} --rounds ${rounds}`}`;

const compareWorkloads = async (
  options: Options,
  { plain, cluster, workers, subjects, urlOf }: Databases,
): Promise<void> => {
  const own = await findNodeOf(cluster, 1);
  const other = workers.map(formatNode).find((node) => node !== own)!;
  const beside = { DATABASE_DIRECT_URL: cluster, JOBS: 'off' };
  const sides: Side[] = [];
  try {
    sides.push(await startSide('one PostgreSQL', plain));
    // A server behind a pooler sets nothing itself.
    for (const [setting, value] of Object.entries(sessionSettings))
      await runSql(plain, `alter database ${new URL(plain).pathname.slice(1)} set ${setting} = '${value}'`);
    const unprepared = { DATABASE_POOLER: 'transaction', DATABASE_DIRECT_URL: plain };
    sides.push(await startSide('one PostgreSQL, nothing prepared', plain, unprepared));
    sides.push(await startSide('coordinator', cluster));
    sides.push(await startSide('worker that has the large space', urlOf(own), beside));
    sides.push(await startSide('another worker', urlOf(other), beside));
    const rows = await measure(sides, subjects, options);
    const [alone, spread] = [
      await measurePlanning(plain, subjects[0]!.ids[0]!),
      await measurePlanning(cluster, subjects[0]!.ids[0]!),
    ];
    const text = [
      `\`${formatCommand(options)}\` on ${new Date().toISOString().slice(0, 10)}: Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'CPU'};
load, servers, and a coordinator with ${workers.length} workers on this one machine; the one PostgreSQL is a database of the coordinator that is not distributed. ${options.contacts} contacts in one space, ${Math.ceil(options.contacts / 1000)} in each of ${options.spaces} others. Rates with ${busy} connections, times and statements of one; medians. Planning the read of a contact with its records takes ${alone.here.toFixed(1)} ms on one PostgreSQL, which does it once for each connection; a cluster does it for each request, in ${spread.here.toFixed(1)} ms on the coordinator and ${spread.node.toFixed(1)} ms on the node.`,
      [
        '| workload | server connects to | a second | ratio | ms | statements | more ms for each |',
        '| --- | --- | ---: | ---: | ---: | ---: | ---: |',
        ...rows,
      ].join('\n'),
    ].join('\n\n');
    printSection('citus', text, options.out);
  } finally {
    for (const { server } of sides) await server.stop();
  }
};

const run = (options: Options): Promise<void> =>
  useDatabases(options, async (databases) => {
    if (!options.sweep) return compareWorkloads(options, databases);
    printSection(
      'citus-sweep',
      await compareSweeps(databases, { ...options, command: formatCommand(options) }),
      options.out,
    );
  });

await runProgram<Options>(program, run);
