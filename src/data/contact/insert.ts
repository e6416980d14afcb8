// Creates contacts, any number in a few statements: nothing of theirs was there before, so that nothing is looked for, locked or replaced.

import type { Space } from '../../database/space.ts';
import { statement } from '../../database/statement.ts';
import { writeAnswers } from './answers.ts';
import { makeTags, type Placed, writeActions } from './children.ts';
import { addressColumnNames, arraysOf, type ContactContent, contactColumnNames, given, inArrays } from './patch.ts';

const insert = statement(
  'contact.insert',
  `insert into contacts (group_id, user_id, version, ${contactColumnNames.join(', ')})
   select :group, :by, g.version, ${contactColumnNames.map(given).join(', ')}
     from unnest(cast(:versions as int[]), ${arraysOf(contactColumnNames)}) with ordinality g (version, ${contactColumnNames.join(', ')}, nth)
    order by g.nth returning id`,
);
const insertAddresses = statement(
  'contact.insert_addresses',
  `insert into addresses (group_id, contact_id, ${addressColumnNames.join(', ')})
   select :group, g.* from unnest(cast(:ids as bigint[]), ${arraysOf(addressColumnNames)}) g`,
);
const insertTags = statement(
  'contact.insert_tags',
  `insert into contact_tags (group_id, contact_id, tag_id)
   select :group, g.id, t.id from unnest(cast(:ids as bigint[]), cast(:names as text[])) g (id, name)
     join tags t on t.group_id = :group and t.name = g.name`,
);
const addSearch = statement('contact.add_search', 'select add_search(:group, cast(:ids as bigint[]))');

const writeParts = async (tx: Space, placed: readonly Placed[]): Promise<void> => {
  const housed = placed.filter(({ content: { address } }) => address && Object.keys(address).length > 0);
  if (housed.length > 0) {
    const addresses = housed.map(({ content }) => content.address!);
    await tx.rows(insertAddresses, { ids: housed.map(({ id }) => id), ...inArrays(addressColumnNames, addresses) });
  }
  const tags = placed.flatMap(({ id, content }) =>
    [...new Set(content.tags?.map(({ name }) => name))].map((name) => ({ id, name })),
  );
  if (tags.length > 0) {
    await makeTags(
      tx,
      placed.flatMap(({ content }) => content.tags ?? []),
    );
    await tx.rows(insertTags, { ids: tags.map(({ id }) => id), names: tags.map(({ name }) => name) });
  }
  await writeActions(tx, placed);
  await writeAnswers(tx, placed);
};

/** Creates contacts within a transaction; their ids, in order. They are checked already. */
export const insertContacts = async (
  tx: Space,
  contents: readonly { content: ContactContent; versions?: number }[],
  by: number | null,
): Promise<number[]> => {
  if (contents.length === 0) return [];
  const columns = inArrays(
    contactColumnNames,
    contents.map(({ content }) => content.columns),
  );
  const ids = (
    await tx.rows<{ id: number }>(insert, { by, versions: contents.map(({ versions = 1 }) => versions), ...columns })
  ).map(({ id }) => id);
  await writeParts(
    tx,
    contents.map(({ content }, index) => ({ id: ids[index]!, content })),
  );
  await tx.rows(addSearch, { ids });
  return ids;
};
