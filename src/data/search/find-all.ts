// All contacts that a search finds at one moment: one statement reads their ids in order, and the contacts are read later by these ids.

import { takesLong } from '../../database/search-pool.ts';
import type { Space } from '../../database/space.ts';
import { prepareStatement } from '../../database/statement.ts';
import { allValues, buildAllIdsSql, matchesMany } from '../../search/page-plan.ts';
import { type ContactRelation, selectContactColumns } from '../contact/read.ts';
import { estimateMatches, type FoundContact, type Search } from './find.ts';
import { getSearchMemory } from './match-counts.ts';

/**
 * The ids of all contacts that a search finds, in its order, 8 bytes each. One statement reads them, so they are of one moment: a contact
 * whose sort key changes meanwhile is neither missed nor repeated.
 */
export const findContactIds = (space: Space, search: Search): Promise<Float64Array> =>
  space.runSlow(
    async (rows) => {
      const bound = await search.plan.bind(rows);
      const memory = getSearchMemory(space).of(space.id, search.words);
      const estimate = await estimateMatches(rows, space, search, { memory, bound });
      const { where, values } = matchesMany(estimate) ? bound.getCount() : bound.getFind();
      const lists = await rows<{ ids: number[] }>(prepareStatement('search.all', buildAllIdsSql(search.order, where)), {
        ...values,
        ...allValues,
      });
      const ids = new Float64Array(lists.reduce((sum, list) => sum + list.ids.length, 0));
      let length = 0;
      for (const list of lists) {
        ids.set(list.ids, length);
        length += list.ids.length;
      }
      return ids;
    },
    { expectedMs: takesLong },
  );

/** The contacts of these ids in the order of the ids, as they are now. Deleted contacts are dropped. */
export const readContactsInOrder = (
  space: Space,
  ids: readonly number[],
  parts: readonly ContactRelation[],
): Promise<FoundContact[]> => {
  const one = `select ${selectContactColumns(parts)} from contacts c
    where c.group_id = :group and c.id = page.id and c.deleted_at is null offset 0`;
  // The number of a contact is its position: its sort key may have changed.
  const sql = `select cast(page.part as int) as part, cast(null as text) as key, r.*
    from unnest(cast(:ids as bigint[])) with ordinality page (id, part) cross join lateral (${one}) r order by page.part`;
  return space.rows(prepareStatement('search.by_ids', sql, true), { ids });
};
