// Begins a new epoch of every feed: after a restore, positions come again, and cursors of before would pass over changes.
import type pg from 'pg';

/** Refuses all cursors that were given before. */
export const renewFeeds = async (client: pg.Client): Promise<void> => {
  await client.query('update change_feeds set epoch = gen_random_uuid()');
};
