// Creates contacts, any number in a few statements: new contacts have nothing to look up, lock or replace.

import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { createMissingTags, type PlacedContent, writeContactActions } from './child-rows.ts';
import { addressColumnNames, type ContactColumn, contactColumnNames } from './columns.ts';
import { bindAsArrays, buildArraysSql, type ContactContent, insertValueSql } from './patch.ts';
import { writeContactAnswers } from './write-answers.ts';

/** People who opted out and were deleted are created opted out again. Digests are computed only where the space has any. */
const optOutSql = `coalesce(g.black_list, false) or case when exists (select 1 from opt_outs where group_id = :group)
  then exists (select 1 from opt_outs o where o.group_id = :group and o.digest = any(digest_opt_out(:group, g.mail, g.phone, g.mobile))) else false end`;

const buildValueSql = (column: ContactColumn): string => (column === 'black_list' ? optOutSql : insertValueSql(column));

const insert = defineStatement(
  'contact.insert',
  `insert into contacts (group_id, user_id, version, ${contactColumnNames.join(', ')})
   select :group, :by, g.version, ${contactColumnNames.map(buildValueSql).join(', ')}
     from unnest(cast(:versions as int[]), ${buildArraysSql(contactColumnNames)}) with ordinality g (version, ${contactColumnNames.join(', ')}, nth)
    order by g.nth returning id`,
);
/** Contacts of another server keep their ids. A contact without one gets the next id. */
const insertWithIds = defineStatement(
  'contact.insert_with_ids',
  `insert into contacts (group_id, id, user_id, version, ${contactColumnNames.join(', ')})
   select :group, coalesce(g.own_id, nextval('contacts_id_seq')), :by, g.version, ${contactColumnNames.map(buildValueSql).join(', ')}
     from unnest(cast(:ownIds as bigint[]), cast(:versions as int[]), ${buildArraysSql(contactColumnNames)})
       with ordinality g (own_id, version, ${contactColumnNames.join(', ')}, nth)
    order by g.nth returning id`,
);
const insertAddresses = defineStatement(
  'contact.insert_addresses',
  `insert into addresses (group_id, contact_id, ${addressColumnNames.join(', ')})
   select :group, g.* from unnest(cast(:ids as bigint[]), ${buildArraysSql(addressColumnNames)}) g`,
);
const insertTags = defineStatement(
  'contact.insert_tags',
  `insert into contact_tags (group_id, contact_id, tag_id)
   select :group, g.id, t.id from unnest(cast(:ids as bigint[]), cast(:names as text[])) g (id, name)
     join tags t on t.group_id = :group and t.name = g.name`,
);
const addSearch = defineStatement('contact.add_search', 'select add_search(:group, cast(:ids as bigint[]))');

const insertChildRows = async (tx: Space, placed: readonly PlacedContent[]): Promise<void> => {
  const withAddress = placed.filter(({ content: { address } }) => address && Object.keys(address).length > 0);
  if (withAddress.length > 0) {
    const addresses = withAddress.map(({ content }) => content.address!);
    await tx.rows(insertAddresses, {
      ids: withAddress.map(({ id }) => id),
      ...bindAsArrays(addressColumnNames, addresses),
    });
  }
  const tags = placed.flatMap(({ id, content }) =>
    [...new Set(content.tags?.map(({ name }) => name))].map((name) => ({ id, name })),
  );
  if (tags.length > 0) {
    const nameOf = await createMissingTags(
      tx,
      placed.flatMap(({ content }) => content.tags ?? []),
    );
    await tx.rows(insertTags, { ids: tags.map(({ id }) => id), names: tags.map(({ name }) => nameOf(name)) });
  }
  await writeContactActions(tx, placed);
  await writeContactAnswers(tx, placed);
};

/** A contact to create. `newId` is an id that is free in the space; without it the database assigns one. */
interface NewContact {
  content: ContactContent;
  versions: number;
  newId?: number | undefined;
}

/** Creates contacts within a transaction; yields their ids in the same order. Their contents are validated already. */
export const insertContacts = async (
  tx: Space,
  contents: readonly NewContact[],
  by: number | null,
): Promise<number[]> => {
  if (contents.length === 0) return [];
  const columns = bindAsArrays(
    contactColumnNames,
    contents.map(({ content }) => content.columns),
  );
  const values = { by, versions: contents.map(({ versions }) => versions), ...columns };
  const ownIds = contents.map(({ newId }) => newId ?? null);
  const rows = ownIds.some((id) => id !== null)
    ? await tx.rows<{ id: number }>(insertWithIds, { ...values, ownIds })
    : await tx.rows<{ id: number }>(insert, values);
  const ids = rows.map(({ id }) => id);
  await insertChildRows(
    tx,
    contents.map(({ content }, index) => ({ id: ids[index]!, content })),
  );
  await tx.rows(addSearch, { ids });
  return ids;
};
