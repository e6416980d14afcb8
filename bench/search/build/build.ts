// Runs the phases of the build, and detects a finished build.
import { isDeepStrictEqual } from 'node:util';
import type { Client } from 'pg';
import { migrateDatabase } from '../../../src/database/migrate.ts';
import { type Timing, trackPhase } from '../progress.ts';
import { planPeople } from '../tables/people.ts';
import { planSettingsJobs } from '../tables/settings.ts';
import { derivedTables, digestDerivation, planDerivationJobs, planWordJobs, prepareDerivation } from './derive.ts';
import { clearFoundation, planFoundationJobs } from './foundation.ts';
import { dropIndexes, indexJobs, listIndexes } from './indexes.ts';
import { type Job, Lanes } from './lanes.ts';
import { type Parameters, planSpaces, version } from './parameters.ts';
import { planTableJobs } from './tables.ts';
import { planVerificationJobs } from './verify.ts';

export interface Build {
  parameters: Parameters;
  today: string;
  timings: Timing[];
}

/** Runs jobs as a phase, concurrently on all connections. */
const runPhase = (lanes: Lanes, name: string, jobs: Job[], timings: Timing[]): Promise<number> =>
  trackPhase(name, jobs.length, timings, (done) => lanes.run(jobs, done));

const vacuumJobs = async ({ first: client }: Lanes, tables: string[] | null): Promise<Job[]> => {
  const { rows } = await client.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
        and case when cast($1 as text[]) is null then relname <> all($2) else relname = any($1) end
      order by pg_relation_size(oid) desc`,
    [tables, derivedTables],
  );
  return rows.map(({ name }) => ({ name: `vacuum ${name}`, sql: `vacuum (freeze, analyze, parallel 0) ${name}` }));
};

/** Sets the sequences, so that later writes continue after the existing ids. */
const setSequences = `do $$
  declare t regclass; last bigint;
  begin
    for t in select attrelid from pg_attribute a join pg_class c on c.oid = a.attrelid
              where c.relnamespace = 'public'::regnamespace and attname = 'id' and attidentity <> '' loop
      execute format('select max(id) from %s', t) into last;
      if last is not null then perform setval(pg_get_serial_sequence(t::text, 'id'), last); end if;
    end loop;
  end $$`;

const load = async (lanes: Lanes, parameters: Parameters, today: string, timings: Timing[]): Promise<void> => {
  const { first: client } = lanes;
  const spaces = planSpaces(parameters);
  // Foreign key checks per row would take more time than the rest. The end of the build verifies them at once.
  await lanes.everywhere('set session_replication_role = replica');
  const indexes = await listIndexes(client);
  await dropIndexes(client, indexes);
  await trackPhase('plan', 1, timings, async () => {
    // These run in order, since later ones need earlier ones.
    for (const job of [...planFoundationJobs(today, spaces), ...planSettingsJobs(spaces), planPeople(1)])
      await lanes.run([job]);
    await client.query('analyze');
  });
  const people = spaces.reduce((sum, { contacts }) => sum + contacts, 0);
  await runPhase(lanes, 'tables', planTableJobs(people), timings);
  await lanes.everywhere('reset session_replication_role');
  await client.query(clearFoundation);
  await runPhase(
    lanes,
    'indexes',
    await indexJobs(
      client,
      indexes.filter(({ table }) => !derivedTables.includes(table)),
    ),
    timings,
  );
  await runPhase(lanes, 'vacuum and analyze', await vacuumJobs(lanes, null), timings);
  await client.query(setSequences);
  await runPhase(lanes, 'foreign keys', await planVerificationJobs(client), timings);
  // The derivation removes them itself, so that it can run alone again.
  for (const { definition } of indexes.filter(({ table }) => derivedTables.includes(table)))
    await client.query(definition);
};

const derive = async (lanes: Lanes, timings: Timing[]): Promise<void> => {
  const makeIndexes = await prepareDerivation(lanes);
  await runPhase(lanes, 'search rows', await planDerivationJobs(lanes.first), timings);
  await runPhase(lanes, 'words of search rows', await planWordJobs(lanes.first), timings);
  await runPhase(lanes, 'indexes of search rows', await makeIndexes(), timings);
  await runPhase(lanes, 'vacuum of search rows', await vacuumJobs(lanes, derivedTables), timings);
};

type FoundBuild = Build & { version: number; print: string };

const readBuild = async (client: Client): Promise<FoundBuild | undefined> => {
  const { rows } = await client.query(`select to_regclass('bench.build') as there`);
  return rows[0].there ? (await client.query('select * from bench.build')).rows[0] : undefined;
};

const writeBuild = async (client: Client, { parameters, today, timings }: Build): Promise<void> => {
  await client.query(
    'create table if not exists bench.build (parameters jsonb, version int, today text, timings jsonb, print text)',
  );
  await client.query('insert into bench.build values ($1, $2, $3, $4, $5)', [
    parameters,
    version,
    today,
    JSON.stringify(timings),
    await digestDerivation(client),
  ]);
};

/** Builds what is missing: everything, or only the search rows when their derivation has changed. */
export const buildDatabase = async (url: string, parameters: Parameters): Promise<Build> => {
  await migrateDatabase(url).catch((error: Error) => {
    throw new Error(`${error.message}; --rebuild starts over`, { cause: error });
  });
  const lanes = await Lanes.open(url);
  try {
    const { first: client } = lanes;
    const found = await readBuild(client);
    if (found && !sameBuild(found, parameters))
      throw new Error('Another benchmark was built in this database; use --rebuild');
    if (found && found.print === (await digestDerivation(client))) return found;
    if (!found && (await client.query('select from spaces limit 1')).rowCount)
      throw new Error('The benchmark builds in an empty database of its own, and this one has spaces');
    // If the build is interrupted after this, the database has no mark, and the next run refuses it.
    await client.query('drop table if exists bench.build');
    const today = found?.today ?? new Date().toISOString().slice(0, 10);
    const timings: Timing[] = found?.timings.filter(({ phase: name }) => !name.includes('search rows')) ?? [];
    if (!found) await load(lanes, parameters, today, timings);
    await derive(lanes, timings);
    await client.query('checkpoint');
    await writeBuild(client, { parameters, today, timings });
    return { parameters, today, timings };
  } finally {
    await lanes.close();
  }
};

/** Whether the database is a finished build with these parameters. */
export const isBuilt = async (client: Client, parameters: Parameters): Promise<boolean> => {
  const found = await readBuild(client);
  return found !== undefined && sameBuild(found, parameters) && found.print === (await digestDerivation(client));
};

const sameBuild = (found: FoundBuild, parameters: Parameters): boolean =>
  found.version === version && isDeepStrictEqual(planSpaces(found.parameters), planSpaces(parameters));
