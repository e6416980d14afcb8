// Space 2 as the foreign space: canaries in its texts, which no answer may contain, and checksums to compare its tables.
import type { Door, Json } from './app.ts';

/** Puts a canary into every text column of space 2, and into the accounts that are not in space 1. */
export const writeCanaries = async (door: Door): Promise<void> => {
  const columns = await door.sql(`select c.table_name, c.column_name from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and c.table_name <> 'audit_log' and t.table_type = 'BASE TABLE' and c.data_type = 'text' and c.is_generated = 'NEVER'
      and exists (select from information_schema.columns g where g.table_name = c.table_name and g.column_name = 'group_id')
      and exists (select from information_schema.columns g where g.table_name = c.table_name and g.column_name = 'id')`);
  for (const { table_name, column_name } of columns) {
    const sql = `update ${table_name} set ${column_name} = 'CANARY-' || id where group_id = 2 and ${column_name} is not null`;
    // Columns with a closed list of values refuse it, and need none.
    await door.sql(sql).catch((error) => {
      if (error.code !== '23514') throw error;
    });
  }
  // Its lines cannot be changed, so one is added.
  await door.sql(
    `insert into audit_log (group_id, operation, type, record_id, request_id, fields) values (2, 'CANARY-1', 'CANARY', 1, 'CANARY-2', array['CANARY-3'])`,
  );
  for (const derived of ['search', 'emails'])
    await door.sql(`select refresh_${derived}(2, array(select id from contacts where group_id = 2))`);
  await door.sql(
    `update users set firstname = 'CANARY-' || id, mail = 'canary-' || id || '@example.org' where id not in (select user_id from members where group_id = 1)`,
  );
};

/** A checksum for each table of space 2; the last one is for the accounts of its members. For `loose` tables it omits the columns that count changes. */
export const computeChecksums = async (door: Door, loose: readonly string[] = []): Promise<Json[]> => {
  const tables = await door.sql(
    `select table_name from information_schema.columns where table_schema = 'public' and column_name = 'group_id' and table_name not in ('rate_buckets', 'tokens')`,
  );
  const sumOf = (name: string, rows: string): string => {
    const text = loose.includes(name) ? `(to_jsonb(t) - '{version,updated_at}'::text[])::text` : 't::text';
    return `select '${name}' as name, md5(coalesce(string_agg(${text}, ',' order by ${text}), '')) as sum from ${rows}`;
  };
  const sums = tables.map(({ table_name }) => sumOf(table_name, `${table_name} t where group_id = 2`));
  const users = sumOf('users', 'users t where id in (select user_id from members where group_id = 2)');
  return door.sql([...sums, users].join(' union all '));
};
