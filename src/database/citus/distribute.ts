// Spreads a migrated database over the nodes of a Citus cluster, by space.
import pg from 'pg';
import { listMigrations, migrationLock, requireMigrated, runMigrations } from '../migrate.ts';
import { useClient } from '../open-client.ts';
import { gatherShardStatistics, hasCitus, placingSettings, planPlaces, type Step } from '../places.ts';
import { searchSettings } from '../search-pool.ts';
import { fixedSettings } from '../session-settings.ts';

/** A server of the cluster. */
export interface NodeAddress {
  host: string;
  port: number;
}

const { session_replication_role, synchronous_commit, ...settingsOfValues } = fixedSettings;
const { work_mem, hash_mem_multiplier } = searchSettings;

/**
 * Settings of sessions on the nodes, where Citus sends statements over connections of its own. Functions of a space call others of it there, which
 * Citus takes for statements that may leave the node. A transaction that changes a table with copies on all nodes keeps its connections. Plans
 * are those of our own sessions (../pool.ts), and so is what values depend on. Searches arrive over the same connections as all else, so the memory
 * they need is every session's. Citus passes on whether triggers run, and when a commit is safe is the operator's.
 */
const nodeSettings = {
  ...settingsOfValues,
  'citus.allow_nested_distributed_execution': 'on',
  'citus.enable_unsafe_triggers': 'on',
  'citus.multi_shard_modify_mode': 'sequential',
  enable_seqscan: 'off',
  jit: 'off',
  work_mem,
  hash_mem_multiplier,
};

const program = 'muster distribute';

/** The same database on another server, or another database on it. */
const addressOf = (url: string, { host, port }: NodeAddress, database?: string): string => {
  const address = new URL(url);
  address.hostname = host;
  address.port = String(port);
  if (database !== undefined) address.pathname = `/${database}`;
  return address.href;
};

const createExtension = (url: string, server: string): Promise<void> =>
  useClient(url, program, async (client) => {
    await client.query('create extension if not exists citus').catch((error: Error) => {
      throw new Error(
        `Citus cannot be installed on ${server}: ${error.message}. Install its package, set shared_preload_libraries = 'citus', and start the server again`,
        { cause: error },
      );
    });
  });

const createDatabase = (url: string, node: NodeAddress): Promise<void> =>
  useClient(addressOf(url, node, 'postgres'), program, async (client) => {
    const name = decodeURIComponent(new URL(url).pathname.slice(1));
    const { rows } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rows.length === 0) await client.query(`create database ${pg.escapeIdentifier(name)}`);
  });

/**
 * Makes a cluster of the server of this database, which coordinates, and these workers. Each gets a database of the same name, if it has
 * none, and the extension. Nodes that are known already stay as they are, so it can be called again.
 */
export const joinWorkers = async (
  url: string,
  workers: readonly NodeAddress[],
  onStep: (name: string) => void = () => {},
): Promise<void> => {
  const { hostname, port } = new URL(url);
  await createExtension(url, 'the coordinator');
  for (const node of workers) {
    onStep(`${node.host}:${node.port}, its database`);
    await createDatabase(url, node);
    await createExtension(addressOf(url, node), `${node.host}:${node.port}`);
  }
  await useClient(url, program, async (client) => {
    const known = (await client.query<NodeAddress>('select nodename as host, nodeport as port from pg_dist_node')).rows;
    if (known.length === 0)
      await client.query('select citus_set_coordinator_host($1, $2)', [hostname, Number(port) || 5432]);
    for (const node of workers) {
      if (known.some(({ host, port }) => host === node.host && port === node.port)) continue;
      onStep(`${node.host}:${node.port}, added`);
      await client.query('select citus_add_node($1, $2)', [node.host, node.port]);
    }
  });
};

/** Sets what sessions on all nodes need, for new connections. */
export const applyNodeSettings = async (client: pg.Client): Promise<void> => {
  for (const { sql } of await planNodeSettings(client)) await client.query(sql);
};

const planNodeSettings = async (client: pg.Client): Promise<Step[]> => {
  const { rows } = await client.query('select current_database() as name');
  return Object.entries(nodeSettings).map(([name, value]) => ({
    name: `${name} on all nodes`,
    sql: `select run_command_on_all_nodes(${pg.escapeLiteral(`alter database ${pg.escapeIdentifier(rows[0].name)} set ${name} = '${value}'`)})`,
  }));
};

/** The steps that distribution would take, with the statements. It changes nothing, and needs no cluster. */
export const planDistribution = (url: string): Promise<Step[]> =>
  useClient(url, program, async (client) => {
    await requireMigrated(client);
    const places = await planPlaces(client);
    if (places.length === 0) return [];
    return [
      ...(await planNodeSettings(client)),
      ...placingSettings.map((sql) => ({ name: 'a setting of the transaction', sql })),
      ...places,
    ];
  });

/** The nodes get functions that are created from now on, and those that tables need: not the others that were there before. */
const copyFunctionsSql = `
  select create_distributed_function(cast(p.oid as regprocedure))
    from pg_proc p
   where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'
     and not exists (select 1 from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
     and not exists (select 1 from pg_dist_object o where o.classid = 'pg_proc'::regclass and o.objid = p.oid)`;
/** Indexes call it through `fold`. Citus copies the functions that an index calls, but does not know what a function in PL/pgSQL calls. */
const copyFoldSql = `select create_distributed_function('fold_inline(text)')`;

/**
 * Gives every table its place, in one transaction: the database is distributed as a whole, or not at all. Writers wait meanwhile. Yields false
 * when nothing was left to do. Throws when the database is not migrated, or its cluster has no worker.
 */
export const distributeDatabase = (
  url: string,
  onStep: (name: string, done: number, total: number) => void = () => {},
): Promise<boolean> =>
  useClient(url, program, async (client) => {
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    await requireMigrated(client);
    await requireWorkers(client);
    // Also when no table is left: a worker that came later has none of them.
    await applyNodeSettings(client);
    const steps = await planPlaces(client);
    if (steps.length === 0) {
      // A former call may have been stopped after the transaction.
      await gatherShardStatistics(client);
      return false;
    }
    await client.query('begin');
    for (const sql of [...placingSettings, copyFoldSql]) await client.query(sql);
    const total = steps.length + 2;
    for (const [done, { name, sql }] of steps.entries()) {
      onStep(name, done, total);
      await client.query(sql);
    }
    onStep('functions and triggers', steps.length, total);
    const repeatable = listMigrations().filter((one) => one.repeatable);
    await runMigrations(client, repeatable, true);
    await client.query(copyFunctionsSql);
    await client.query('commit');
    onStep('statistics', total - 1, total);
    await gatherShardStatistics(client);
    return true;
  });

const requireWorkers = async (client: pg.Client): Promise<void> => {
  if (!(await hasCitus(client)))
    throw new Error('This database has no extension citus: name the workers with --workers');
  const workers = await client.query('select 1 from pg_dist_node where shouldhaveshards and isactive');
  if (workers.rows.length === 0) throw new Error('The cluster has no worker: name them with --workers');
};
