// Drops indexes before tables are filled, and creates them again as the migrations define them.
import type { Client } from 'pg';
import type { Job } from './lanes.ts';

export interface Index {
  name: string;
  table: string;
  definition: string;
}

/**
 * The indexes without a constraint, of all tables or of some. Those of partitions are excluded: the index of the
 * whole table creates them, if its definition does not say ONLY.
 */
export const listIndexes = async (client: Client, tables: string[] | null = null): Promise<Index[]> => {
  const { rows } = await client.query<Index>(
    `select i.indexname as name, i.tablename as table, replace(i.indexdef, ' ON ONLY ', ' ON ') as definition
       from pg_indexes i join pg_class c on c.relnamespace = i.schemaname::regnamespace and c.relname = i.indexname
      where i.schemaname = 'public' and not c.relispartition and (cast($1 as text[]) is null or i.tablename = any($1))
        and not exists (select from pg_constraint where conindid = c.oid)
      order by i.tablename, i.indexname`,
    [tables],
  );
  return rows;
};

export const dropIndexes = async (client: Client, indexes: Index[]): Promise<void> => {
  if (indexes.length > 0) await client.query(`drop index ${indexes.map(({ name }) => `"${name}"`).join(', ')}`);
};

/** Orders the largest tables first, so that the two connections end at about the same time. */
export const indexJobs = async (client: Client, indexes: Index[]): Promise<Job[]> => {
  const { rows } = await client.query<{ table: string; size: string }>(
    `select t as table, sum(pg_relation_size(p.relid)) as size
       from unnest($1::text[]) t, pg_partition_tree(t::regclass) p group by t`,
    [[...new Set(indexes.map(({ table }) => table))]],
  );
  const sizes = new Map(rows.map(({ table, size }) => [table, Number(size)]));
  return indexes
    .toSorted((a, b) => sizes.get(b.table)! - sizes.get(a.table)!)
    .map(({ name, definition }) => ({ name, sql: definition }));
};
