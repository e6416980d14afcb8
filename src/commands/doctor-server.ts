// Checks of the PostgreSQL server: its version, settings, connections, poolers, replica, clock.
import { availableParallelism } from 'node:os';
import { type Config, divideByWorkers } from '../config/config.ts';
import { Database, jobConnections } from '../database/database.ts';
import { describeTexts, findTextFault, textCure } from '../database/migrate.ts';
import { DiagnosticConnection } from '../database/open-client.ts';
import { buildWrongCondition, fixedSettings, WrongSettings } from '../database/session-settings.ts';
import { type Checks, fail, formatBytes, listNames, ok, warn } from './doctor-check.ts';

const versions = { lowest: 15, newestTested: 18 };

/** How many connections an instance opens at most: its pools, times its workers. */
export const countConnections = (config: Config): { sum: number; terms: string } => {
  const workers = config.WORKERS === 'auto' ? availableParallelism() : config.WORKERS;
  const share = workers === 1 ? config : divideByWorkers(config, workers);
  const jobs = config.JOBS === 'on' ? jobConnections : 0;
  const each = Math.max(2, share.POOL_SIZE) + 2 * share.SEARCH_POOL_SIZE + jobs;
  return {
    sum: workers * each,
    terms: `${workers} × (POOL_SIZE ${share.POOL_SIZE} + 2 × SEARCH_POOL_SIZE ${share.SEARCH_POOL_SIZE} + ${jobs} for jobs)`,
  };
};

/** Plans that no session of ours switches off, or only some. */
const plans = ['bitmapscan', 'hashjoin', 'indexonlyscan', 'indexscan', 'material', 'mergejoin', 'nestloop', 'sort'];

/** Below this size, a database fits into any memory, and defaults do. */
const largeFrom = 2 ** 30;
const walOfLarge = 4 * 2 ** 30;

/** In seconds. Tokens of an identity provider, retention and expiry depend on the clocks. */
const clockBounds = { warn: 2, fail: 30 };

/** Checks of the server, in the order in which they are printed. */
export const serverChecks: Checks = {
  async version({ connection }) {
    const { number, full } = await connection.row<{ number: number; full: string }>(
      `select cast(current_setting('server_version_num') as int) as number, current_setting('server_version') as full`,
    );
    const major = Math.floor(number / 10_000);
    if (major < versions.lowest)
      return fail(`PostgreSQL ${full} is too old`, `Use PostgreSQL ${versions.lowest} or newer`);
    if (major > versions.newestTested)
      return warn(
        `PostgreSQL ${full} is newer than those that Muster is tested with`,
        `Use PostgreSQL ${versions.newestTested} if something fails`,
      );
    return ok(`PostgreSQL ${full}`);
  },

  async writable({ connection }) {
    const { recovering, readonly } = await connection.row<{ recovering: boolean; readonly: boolean }>(
      `select pg_is_in_recovery() as recovering, current_setting('transaction_read_only') = 'on' as readonly`,
    );
    if (recovering) return fail('The server is a replica, which takes no writes', 'Let DATABASE_URL name the primary');
    if (readonly)
      return fail(
        'Transactions are read-only here',
        'alter role … reset default_transaction_read_only; the same for the database',
      );
    return ok('It takes writes');
  },

  async encoding({ connection }) {
    const fault = findTextFault(await connection.row(describeTexts));
    return fault ? fail(fault, textCure) : ok('UTF8');
  },

  async connections({ connection, config, instances }) {
    const { allowed, others } = await connection.row<{
      allowed: number;
      others: number;
    }>(`select cast(current_setting('max_connections') as int) - cast(current_setting('superuser_reserved_connections') as int) as allowed,
              cast((select count(*) from pg_stat_activity where backend_type = 'connection backend' and application_name not like 'muster%') as int) as others`);
    if (config.DATABASE_POOLER !== 'none')
      return ok(`max_connections allows ${allowed}; the pooler decides how many are used`);
    const { sum, terms } = countConnections(config);
    const all = sum * instances;
    const found = `${instances} × ${terms} = ${all} connections at most, and ${others} of other programs now; the server allows ${allowed}`;
    // A command, such as a backup, takes two or three more.
    return all + others + 3 <= allowed
      ? ok(found)
      : fail(found, 'Lower POOL_SIZE, SEARCH_POOL_SIZE or WORKERS, or raise max_connections of PostgreSQL');
  },

  async session({ connection }) {
    // Our own session has what it needs. This is what any other session of the role gets.
    const others = await connection.rows<{ found: string }>(
      `select name || ' = ' || reset_val as found
         from pg_settings join unnest(cast($1 as text[]), cast($2 as text[])) due (key, value) on key = lower(name)
        where ${buildWrongCondition('reset_val', 'key')} order by name`,
      [Object.keys(fixedSettings), Object.values(fixedSettings)],
    );
    const off = await connection.rows<{ name: string }>(
      `select name from pg_settings where name = any($1) and reset_val = 'off' order by name`,
      [plans.map((name) => `enable_${name}`)],
    );
    if (off.length > 0)
      return warn(
        `The role or the database has ${listNames(off.map(({ name }) => `${name} = off`))}: searches may take very long`,
        `alter role … reset ${off[0]!.name}; the same for the database, and alter system`,
      );
    return ok(
      others.length === 0
        ? 'The role and the database change no setting that answers depend on'
        : `The sessions of Muster override ${listNames(
            others.map(({ found }) => found),
            20,
          )}`,
    );
  },

  async pooler({ config }) {
    if (config.DATABASE_POOLER === 'none' || !config.DATABASE_URL) return undefined;
    const database = new Database(config.DATABASE_URL, { poolSize: 1, pooler: config.DATABASE_POOLER });
    try {
      const missing = await database.missingSettings();
      if (missing.length === 0) return ok('The sessions of the pooler have the settings that they need');
      const [own] = await database.readers.run<{ role: string }>('select quote_ident(session_user) as role', []);
      const cure = missing.map((one) => `alter role ${own!.role} set ${one};`).join(' ');
      return warn(`The sessions of the pooler lack ${missing.join(', ')}`, `${cure} -- then RECONNECT on its console`);
    } catch (error) {
      if (error instanceof WrongSettings) return fail(error.found, error.cure);
      throw error;
    } finally {
      await database.close();
    }
  },

  async replica({ config, connection }) {
    const { DATABASE_REPLICA_URL: connectionString, REPLICA_MAX_LAG: maxLag } = config;
    if (!connectionString) return undefined;
    let replica: DiagnosticConnection | undefined;
    try {
      const opened = await DiagnosticConnection.open(connectionString, { connectTimeout: 3000, answerTimeout: 3000 });
      replica = opened;
      const identity = `select cast(system_identifier as text) as id from pg_control_system()`;
      const [mine, its] = await Promise.all([connection, opened].map((one) => one.row<{ id: string }>(identity)));
      const state = await opened.row<{
        recovering: boolean;
        behind: number | null;
      }>(`select pg_is_in_recovery() as recovering,
                case when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0
                     else extract(epoch from now() - pg_last_xact_replay_timestamp()) end as behind`);
      if (!state.recovering)
        return fail('DATABASE_REPLICA_URL leads to a server that is no replica', 'Correct or remove the setting');
      if (mine!.id !== its!.id)
        return fail('DATABASE_REPLICA_URL leads to the replica of another server', 'Correct or remove the setting');
      const behind = Number(state.behind ?? 0);
      const found = `The replica is ${behind.toFixed(1)} s behind`;
      return behind > maxLag
        ? warn(found, 'Look at pg_stat_replication of the primary, and at the load and the disk of the replica')
        : ok(found);
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      return fail(`The replica does not answer (${code ?? message})`, 'Start it, or remove DATABASE_REPLICA_URL');
    } finally {
      await replica?.close();
    }
  },

  async autovacuum({ connection }) {
    const off = await connection.rows<{ name: string }>(
      `select name from pg_settings where name in ('autovacuum', 'track_counts') and setting = 'off'`,
    );
    const tables = await connection.rows<{ name: string }>(`select oid::regclass::text as name from pg_class
        where relkind = 'r' and relnamespace = quote_ident(current_schema())::regnamespace and 'autovacuum_enabled=false' = any(reloptions)`);
    if (off.length > 0)
      return fail(
        `${off.map(({ name }) => name).join(' and ')} of PostgreSQL is off: tables bloat, and statistics grow old`,
        `alter system set ${off[0]!.name} = on; select pg_reload_conf();`,
      );
    if (tables.length > 0)
      return fail(
        `Autovacuum is off for ${listNames(tables.map(({ name }) => name))}`,
        `alter table ${tables[0]!.name} reset (autovacuum_enabled);`,
      );
    return ok('Autovacuum is on');
  },

  async memory({ connection }) {
    const { size, shared, random, cache, wal } = await connection.row<
      Record<'size' | 'shared' | 'random' | 'cache' | 'wal', string>
    >(`select pg_database_size(current_database()) as size,
              pg_size_bytes(current_setting('shared_buffers')) as shared,
              current_setting('random_page_cost') as random, pg_size_bytes(current_setting('effective_cache_size')) as cache,
              pg_size_bytes(current_setting('max_wal_size')) as wal`);
    const found = `The database has ${formatBytes(Number(size))}; shared_buffers is ${formatBytes(Number(shared))}, effective_cache_size ${formatBytes(Number(cache))}, max_wal_size ${formatBytes(Number(wal))}, random_page_cost ${random}`;
    if (Number(size) < largeFrom) return ok(found);
    const todo = [
      Number(shared) * 8 < Number(size) && 'shared_buffers to a quarter of the memory',
      Number(cache) < Number(shared) * 2 && 'effective_cache_size to three quarters of it',
      Number(wal) < walOfLarge && 'max_wal_size to 4GB, so that large imports and changes write fewer pages twice',
      Number(random) > 2 && 'random_page_cost to 1.1 if the disk is an SSD',
    ].filter(Boolean);
    return todo.length > 0 ? warn(found, `Set ${todo.join(', ')} (alter system set …, then restart)`) : ok(found);
  },

  async clock({ connection }) {
    const before = Date.now();
    const { now } = await connection.row<{ now: string }>(`select extract(epoch from clock_timestamp()) as now`);
    const after = Date.now();
    const difference = Math.abs(Number(now) - (before + after) / 2000);
    // It cannot be measured better than the time of an answer.
    const sure = Math.max(0, difference - (after - before) / 2000);
    const found = `The clocks of this host and of the database differ by ${sure.toFixed(1)} s`;
    const todo = 'Let NTP set the clocks of both: timedatectl set-ntp true';
    return sure > clockBounds.fail ? fail(found, todo) : sure > clockBounds.warn ? warn(found, todo) : ok(found);
  },
};
