// Derives the search rows of a space again while it is used, some contacts at a time: by other rules of comparison, or by another country of the space.
import type { Database } from '../../database/database.ts';
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';

/** Contacts of one transaction. Writers of one of them wait until it ends. */
const contactsAtOnce = 500;

const rederive = defineStatement('search.rederive', 'select rederive_search(:group, :many) as done');

/** The spaces with rows to derive again. */
export const findSpacesToRederive = async (database: Database): Promise<number[]> =>
  (
    await database.jobPool.run<{ id: number }>(
      'select id from spaces where rederived_to is not null order by id',
      {},
      'search.spaces_to_rederive',
    )
  ).map(({ id }) => id);

/** Ends early when `signal` aborts: the next call goes on there. */
export const rederiveSearch = async (space: Space, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted && (await space.row<{ done: number }>(rederive, { many: contactsAtOnce }))!.done > 0);
};

const progress = defineStatement(
  'search.rederive_progress',
  `select cast(count(*) filter (where c.id <= s.rederived_to) as int) as done, cast(count(*) as int) as total
     from contacts c join spaces s on s.id = :group where c.group_id = :group`,
);

/** How many contacts of a space have been derived again, of how many. */
export const readRederiveProgress = async (space: Space): Promise<{ done: number; total: number }> =>
  (await space.row<{ done: number; total: number }>(progress, {}))!;
