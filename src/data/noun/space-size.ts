// How many contacts a space has, as the planner expects it: in a small space, one plan of a statement serves all values.
import { LRUCache } from 'lru-cache';
import { explainStatement } from '../../database/explained-plan.ts';
import { createPerDatabase, type Space } from '../../database/space.ts';
import type { RunStatement, Statement } from '../../database/statement.ts';
import { isSmallSpace } from '../../search/page-plan.ts';

/** How many contacts the planner expects in a space, and in one that it does not know. */
interface SpaceSize {
  contacts: number;
  /** 0 before the first statistics. */
  ofUnknown: number;
}

const getSizes = createPerDatabase(() => new LRUCache<number, SpaceSize>({ max: 10_000, ttl: 60_000 }));

/** The sum of the averages of all partitions. On a cluster, whose coordinator has no rows, 0. */
const unknownSpace: Statement = {
  name: 'search.unknown_space',
  sql: `
    select coalesce(sum(case when s.n_distinct < 0 then -1 / s.n_distinct else c.reltuples / s.n_distinct end), 0) as contacts
      from pg_inherits i
      join pg_class c on c.oid = i.inhrelid
      join pg_stats s on s.tablename = c.relname and quote_ident(s.schemaname) = cast(cast(c.relnamespace as regnamespace) as text)
     where i.inhparent = to_regclass('contact_search') and s.attname = 'group_id' and s.n_distinct <> 0`,
};

/** The size of a space, if it was read within the last minute. */
export const findSpaceSize = (space: Space): SpaceSize | undefined => getSizes(space).get(space.id);

export const readSpaceSize = async (rows: RunStatement, space: Space): Promise<SpaceSize> => {
  const known = findSpaceSize(space);
  if (known) return known;
  const [{ Plan }, [unknown]] = await Promise.all([
    explainStatement(rows, 'select from contact_search s where s.group_id = :group', {}),
    rows<{ contacts: number }>(unknownSpace),
  ]);
  const size = { contacts: Plan['Plan Rows'], ofUnknown: unknown!.contacts };
  getSizes(space).set(space.id, size);
  return size;
};

/**
 * Whether the space is known to be small and not much larger than others. Planning takes longer there than reading, and any plan will do that is not made for
 * far fewer contacts.
 */
export const isPlannedOnce = (space: Space): boolean => {
  const size = findSpaceSize(space);
  return size !== undefined && isSmallSpace(size.contacts) && size.contacts <= 4 * size.ofUnknown;
};
