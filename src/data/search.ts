// Contact search: the ids that a checked search finds, and how many there are.
import type { Search } from '../search/check.ts';
import { compile } from '../search/compile.ts';
import { countSql, pageSql } from '../search/order.ts';
import { type Space, statement } from './space.ts';

/** The ids of one page of a search, in order. `now` is the one instant of the request, as text. */
export const foundIds = async (space: Space, search: Search, now: string): Promise<number[]> => {
  const where = compile(search.query, now);
  const offset = search.page * search.perPage;
  const rows = await space.rows<{ contact_id: number }>(statement(null, pageSql(search, where)), {
    ...where.values,
    limit: search.perPage,
    offset,
    reach: offset + search.perPage,
  });
  return rows.map((row) => row.contact_id);
};

export const countFound = async (space: Space, search: Pick<Search, 'query'>, now: string): Promise<number> => {
  const where = compile(search.query, now);
  return (await space.row<{ total: number }>(statement(null, countSql(where)), where.values))!.total;
};
