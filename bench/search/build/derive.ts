// In charge of the search rows: derived from the loaded tables by the same functions that every writer of the product calls.
import type { Client } from 'pg';
import { dropIndexes, indexJobs, listIndexes } from './indexes.ts';
import type { Job, Lanes } from './lanes.ts';

export const derivedTables = ['contact_search', 'contact_emails', 'search_words'];

/** Contacts of one space in one statement. */
const batch = 5000;

const derivation = `with rows as (insert into contact_search select * from search_rows($1, $2))
  insert into contact_emails select * from email_rows($1, $2)`;

export const planDerivationJobs = async (client: Client): Promise<Job[]> => {
  const { rows } = await client.query<{ space: string; ids: string }>(
    // Ids stay text, since this code only passes them on.
    `select group_id as space, array_agg(id order by id)::text as ids
       from (select group_id, id, (row_number() over (partition by group_id order by id) - 1) / ${batch} as nth from contacts) c
      group by group_id, nth order by group_id, nth`,
  );
  return rows.map(({ space, ids }) => ({
    name: `search rows of space ${space}`,
    sql: derivation,
    values: [space, ids],
  }));
};

/** Adds the words of the search rows, after them. */
export const planWordJobs = async (client: Client): Promise<Job[]> => {
  const { rows } = await client.query<{ space: string }>(
    'select group_id as space from contacts group by 1 order by count(*) desc',
  );
  const sql = 'select refresh_search_words($1, array(select contact_id from contact_search where group_id = $1))';
  return rows.map(({ space }) => ({ name: `words of space ${space}`, sql, values: [space] }));
};

/** Empties the derived tables and drops their indexes. Returns the jobs that create them again. */
export const prepareDerivation = async (lanes: Lanes): Promise<() => Promise<Job[]>> => {
  const { first: client } = lanes;
  const indexes = await listIndexes(client, derivedTables);
  await client.query(`truncate ${derivedTables.join(', ')}`);
  await dropIndexes(client, indexes);
  return () => indexJobs(client, indexes);
};

/** A digest of the functions and columns on which the rows depend. After a change the rows are derived again. */
export const digestDerivation = async (client: Client): Promise<string> => {
  const { rows } = await client.query<{ print: string }>(
    `select md5(string_agg(part, ' ' order by part)) as print from (
       select pg_get_functiondef(p.oid) as part from pg_proc p join pg_language l on l.oid = prolang
        where pronamespace = 'public'::regnamespace and lanname = 'sql'
          and not exists (select from pg_depend where objid = p.oid and deptype = 'e')
       union all
       select format('%s %s %s', attrelid::regclass, attnum, format_type(atttypid, atttypmod)) from pg_attribute
        where attrelid = any($1::text[]::regclass[]) and attnum > 0 and not attisdropped
     ) parts`,
    [derivedTables],
  );
  return rows[0]!.print;
};
