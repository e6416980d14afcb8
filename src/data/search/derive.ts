// Derives the search rows of whole spaces that have none yet, range by range: after the demo was filled, and after a backup was restored.
import type pg from 'pg';

/** Tables whose rows are derived from the others. */
export const derivedTables = ['contact_search', 'contact_emails', 'search_words'] as const;

/** A range of consecutive contacts of one space. */
interface ContactRange {
  space: string;
  first: string;
  last: string;
  contacts: number;
}

const derivations = [
  ['contact_search', 'search_rows'],
  ['contact_emails', 'email_rows'],
];

const ranges = `
  select group_id as space, min(id) as first, max(id) as last, count(*)::int as contacts
    from (select group_id, id, (row_number() over (partition by group_id order by id) - 1) / 2000 as place
            from contacts where $1::bigint[] is null or group_id = any($1)) numbered
   group by group_id, place order by group_id, place`;

/** Divides the contacts of these spaces, or of all, into ranges of some thousand. */
export const listContactRanges = async (client: pg.Client, spaces?: number[]): Promise<ContactRange[]> =>
  (await client.query(ranges, [spaces ?? null])).rows;

/** Creates the search rows of these contacts. */
export const deriveSearchRows = async (client: pg.Client, { space, first, last }: ContactRange): Promise<void> => {
  const ids = 'array(select id from contacts where group_id = $1 and id between $2 and $3)';
  for (const [table, rows] of derivations)
    await client.query(`insert into ${table} select * from ${rows}($1, ${ids})`, [space, first, last]);
  await client.query(`select refresh_search_words($1, ${ids})`, [space, first, last]);
};
