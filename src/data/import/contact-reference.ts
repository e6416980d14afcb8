// Finds the contact of a record in a file: by its id here, its id in the file of another import, its external id or its mail.

import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import type { Fault } from '../../problem.ts';
import { buildExternalIdSql } from '../contact/read.ts';

/** The column of a file for each way to name the contact of a record. */
const columnOfWay = { id: 'contact_id', file: 'contact_id', external: 'contact_external_id', mail: 'contact_mail' };
export type Way = keyof typeof columnOfWay;

export interface Naming {
  way: Way;
  key: string;
}

/** The old id of a merged contact means its survivor, as long as that lives. */
const survivor = (id: string): string =>
  `select l.id from contacts c join contacts l on l.group_id = :group and l.id = coalesce(c.merged_into, c.id) and l.deleted_at is null
    where c.group_id = :group and c.id = ${id}`;

const find = defineStatement(
  'import.find_contacts',
  `select array(
     ${survivor(`case when g.way = 'id' then cast(g.key as bigint) end`)}
     union
     select s.id from import_keys k cross join lateral (${survivor('k.record_id')}) s
      where g.way = 'file' and k.group_id = :group and k.import_id = :import and k.source_key = g.key
     union
     select e.id from (${buildExternalIdSql(`case when g.way = 'external' then g.key end`)}) e where e.id is not null
     union
     select s.contact_id from contact_search s where g.way = 'mail' and s.group_id = :group and s.mail = fold(g.key) and s.mail <> '') as ids
     from unnest(cast(:ways as text[]), cast(:keys as text[])) with ordinality g (way, key, nth) order by g.nth`,
);

/** The living contacts that each naming means. Keys of the way `id` are numbers; those of `file` are row ids of `import`. */
export const findReferencedContacts = async (
  tx: Space,
  namings: readonly Naming[],
  imported: number | null,
): Promise<number[][]> => {
  const rows = await tx.rows<{ ids: number[] }>(find, {
    ways: namings.map(({ way }) => way),
    keys: namings.map(({ key }) => key),
    import: imported,
  });
  return rows.map(({ ids }) => ids);
};

/** The fault of a naming that means this many contacts. */
export const findReferenceFaults = ({ way, key }: Naming, contacts: number, imported: number | null): Fault[] => {
  if (contacts === 1) return [];
  const many =
    way === 'mail' ? `is the mail of ${contacts} contacts` : `is the id of ${contacts} rows of import ${imported}`;
  return [{ location: columnOfWay[way], message: contacts === 0 ? 'is no contact of the space' : many, value: key }];
};
