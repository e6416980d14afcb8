// Verifies every foreign key once, since the tables were loaded with triggers off.
import type { Client } from 'pg';
import type { Job } from './lanes.ts';

interface ForeignKey {
  name: string;
  child: string;
  parent: string;
  childColumns: string[];
  parentColumns: string[];
}

const foreignKeys = async (client: Client): Promise<ForeignKey[]> => {
  const columns = (table: string, keys: string): string =>
    `(select json_agg(quote_ident(a.attname) order by k.place) from unnest(c.${keys}) with ordinality k (number, place)
       join pg_attribute a on a.attrelid = c.${table} and a.attnum = k.number)`;
  const { rows } = await client.query<ForeignKey>(
    `select c.conname as name, c.conrelid::regclass::text as child, c.confrelid::regclass::text as parent,
        ${columns('conrelid', 'conkey')} as "childColumns", ${columns('confrelid', 'confkey')} as "parentColumns"
       from pg_constraint c join pg_class t on t.oid = c.conrelid
      where c.contype = 'f' and c.connamespace = 'public'::regnamespace and c.conparentid = 0 and t.reltuples <> 0
      order by t.reltuples desc`,
  );
  return rows;
};

/** Each job fails at the first row without its parent. It uses a join, because a subquery could run once per row. */
export const planVerificationJobs = async (client: Client): Promise<Job[]> =>
  (await foreignKeys(client)).map(({ name, child, parent, childColumns, parentColumns }) => ({
    name: `${name} of ${child}`,
    sql: `select 1 / case when count(*) = 0 then 1 else 0 end from ${child} c
        left join ${parent} p on ${childColumns.map((column, place) => `p.${parentColumns[place]} = c.${column}`).join(' and ')}
       where p.${parentColumns[0]} is null and ${childColumns.map((column) => `c.${column} is not null`).join(' and ')}`,
  }));
