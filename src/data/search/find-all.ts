// All that a search finds, as it was at one moment: the ids in their order by one statement, and later the contacts by these ids.

import type { Space } from '../../database/space.ts';
import { prepareStatement } from '../../database/statement.ts';
import { compileSearch } from '../../search/compile.ts';
import { allValues, buildAllIdsSql, matchesMany } from '../../search/order.ts';
import { type ContactRelation, selectContactColumns } from '../contact/read.ts';
import { type BoundCondition, bindSearchQuery, estimateMatches, type FoundContact, type Search } from './find.ts';
import { getSearchMemory } from './match-counts.ts';

/**
 * The ids of all that a search finds, in its order: 8 bytes each. One statement reads them, so they are those of one moment, whatever
 * is written meanwhile: nobody is missed or comes twice because of a change to what is sorted by.
 */
export const findContactIds = (space: Space, search: Search): Promise<Float64Array> =>
  space.runSlow(async (rows) => {
    const { boundFor, found } = await bindSearchQuery(rows, search.query, search.now);
    const find = (): BoundCondition => boundFor('find');
    const memory = getSearchMemory(space).of(space.id, search.words);
    const expected = await estimateMatches(rows, space, search, { memory, find });
    const where = matchesMany(expected) ? compileSearch(search.query, search.now, 'count', found) : find().where;
    const lists = await rows<{ ids: number[] }>(prepareStatement('search.all', buildAllIdsSql(search.order, where)), {
      ...where.values,
      ...found,
      ...allValues,
    });
    const ids = new Float64Array(lists.reduce((sum, list) => sum + list.ids.length, 0));
    let length = 0;
    for (const list of lists) {
      ids.set(list.ids, length);
      length += list.ids.length;
    }
    return ids;
  });

/** The contacts of these ids in the order of the ids, each as it is now; those that were deleted since are left out. */
export const readContactsInOrder = (
  space: Space,
  ids: readonly number[],
  parts: readonly ContactRelation[],
): Promise<FoundContact[]> => {
  const one = `select ${selectContactColumns(parts)} from contacts c
    where c.group_id = :group and c.id = page.id and c.deleted_at is null offset 0`;
  // The place of each is its number: that in the order of the search may be another by now.
  const sql = `select cast(page.part as int) as part, cast(null as text) as key, r.*
    from unnest(cast(:ids as bigint[])) with ordinality page (id, part) cross join lateral (${one}) r order by page.part`;
  return space.rows(prepareStatement('search.by_ids', sql, true), { ids });
};
