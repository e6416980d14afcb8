// The settings of sessions that answers and writes depend on. They are the same whatever the role, the database or the server says.
import type pg from 'pg';

/** In every session, of a pool or of a command. `default_transaction_read_only` is not among them: an operator stops writes by it, and they fail. */
export const fixedSettings = {
  timezone: 'UTC',
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
  array_nulls: 'on',
  standard_conforming_strings: 'on',
  transform_null_equals: 'off',
  quote_all_identifiers: 'off',
  // Otherwise searches would find some of what they should.
  gin_fuzzy_search_limit: '0',
  // Writers lock what they compare. A stricter level would fail those that meet.
  default_transaction_isolation: 'read committed',
  // Writes that were answered outlive a crash.
  synchronous_commit: 'on',
  // Triggers write the feed, and check foreign keys.
  session_replication_role: 'origin',
  exit_on_error: 'off',
};

/** Limits of time that no session has. The second is one of PostgreSQL 17; a server that does not know a setting is not told it. */
const unlimited = { idle_session_timeout: 0, transaction_timeout: 0 };

/** For work that is no request: nothing times out. */
export const commandSettings = {
  statement_timeout: 0,
  lock_timeout: 0,
  idle_in_transaction_session_timeout: 0,
  client_connection_check_interval: 500,
  jit: 'off',
};

/** Other values that are as good. */
const alsoRight = `('extra_float_digits', '2'), ('extra_float_digits', '3'), ('default_transaction_isolation', 'read uncommitted'),
  ('synchronous_commit', 'local'), ('synchronous_commit', 'remote_write'), ('synchronous_commit', 'remote_apply')`;

/** The condition that a setting has another value than the column `value`, and none that is as good. */
export const buildWrongCondition = (current: string, name = 'name'): string =>
  `${current} <> value and (${name}, ${current}) not in (${alsoRight})`;

/** A pooler that pools by transaction keeps these for each of its clients. Others would stay with the server's session, for whoever has it next. */
const keptByPooler = ['timezone', 'datestyle', 'standard_conforming_strings'];

/**
 * Sets what is wrong, and yields what it may not set (`$3` names all that it may; null is everything), each with the statement that mends it.
 * The tables are looked for where Muster's are, first of all. A cluster plans statements for their values, since Citus finds the node by the space.
 */
const settingsSql = `
  with due (name, value) as (
    select * from unnest(cast($1 as text[]), cast($2 as text[]))
    union all
    select 'plan_cache_mode', 'auto' from pg_extension where extname = 'citus' and cast($3 as text[]) is null
    union all
    select 'search_path', concat_ws(', ', quote_ident(n.nspname), nullif(current_setting('search_path'), ''))
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where p.oid = coalesce(to_regproc('enter_gate'), to_regproc('public.enter_gate')) and n.nspname is distinct from current_schema()),
  wrong as materialized (select name, value, current_setting(name, true) as current from due where ${buildWrongCondition('current_setting(name, true)')})
  select name, current,
         format('alter role %I in database %I set %s = %s;', session_user, current_database(), name,
                case name when 'search_path' then value else quote_literal(value) end) as cure
    from wrong
   where case when (cast($3 as text[]) is null or name = any($3))
               and (name <> 'session_replication_role' or has_parameter_privilege(name, 'set'))
              then set_config(name, value, false) is null else true end`;

/** A session has settings that it may not change, and that answers depend on. It is used for nothing. The code makes it one that the server refused. */
export class WrongSettings extends Error {
  readonly code = '08004';
  readonly found: string;
  /** The statements that mend it. */
  readonly cure: string;

  constructor(wrong: readonly { name: string; current: string; cure: string }[], cause: string) {
    const settings = wrong.map(({ name, current }) => `${name} = ${current}`).join(', ');
    const found = `Answers would depend on settings of the role or the database (${settings}), and ${cause}`;
    const cure = wrong.map((one) => one.cure).join(' ');
    super(`${found}. Mend it: ${cure}`);
    this.found = found;
    this.cure = cure;
  }
}

/** Makes the settings of a session right, in one statement. Throws `WrongSettings`. Behind a pooler by transaction they must be right already. */
export const applySettings = async (
  client: pg.Client,
  settings: Readonly<Record<string, string | number>>,
  isPooled = false,
): Promise<void> => {
  const due = isPooled ? fixedSettings : { ...fixedSettings, ...unlimited, ...settings };
  const values = [Object.keys(due), Object.values(due).map(String), isPooled ? keptByPooler : null];
  const { rows } = await client.query(settingsSql, values).catch(async (error) => {
    // A replica refuses reads at the serializable level, but lets a session set another one.
    if (isPooled || error.code !== '0A000') throw error;
    await client.query(`set default_transaction_isolation = '${fixedSettings.default_transaction_isolation}'`);
    return client.query(settingsSql, values);
  });
  if (rows.length === 0) return;
  const cause = isPooled
    ? 'Muster cannot set them behind a pooler, which must connect to the server anew afterwards (RECONNECT)'
    : 'only a superuser may set them';
  throw new WrongSettings(rows, cause);
};
