// Follows the change feed of a space: every change once, in its order, from a cursor that the caller keeps.
import type { MusterClient } from './client.ts';
import {
  type ChangeDetailsFragment,
  type ChangeFilter,
  FollowChangesDocument,
  ListChangesDocument,
} from './generated/documents.ts';
import type { SubscribeOptions } from './subscription.ts';

export interface FollowOptions extends Omit<SubscribeOptions<never, never>, 'resume'> {
  /** The cursor of the last change that was handled; without it, only changes from now on. */
  after?: string;
  /** Which changes are wanted. */
  filter?: ChangeFilter;
}

/** One change. `cursor` is its place: `after` of the next call. */
export type Change = ChangeDetailsFragment;

/**
 * Yields changes as they become visible, until the signal is aborted, whose reason it then throws. A connection that breaks is opened again, and no change
 * is missed. Keep the `cursor` of each change once it is handled: with it as `after`, a program that was stopped misses nothing. Throws a ProblemError
 * with the code `changes-gone` when the feed no longer goes back that far: read the records again.
 */
export async function* followChanges(
  client: MusterClient,
  { after, filter, ...options }: FollowOptions = {},
): AsyncGenerator<Change, void, undefined> {
  const { signal } = options;
  // The present end of the feed, so that a connection which breaks before the first change has a place to go on from.
  const start = after ?? (await client.request(ListChangesDocument, { first: 0 }, { signal })).changes.cursor;
  const resume = ({ changes }: { changes: Change }): { after: string } => ({ after: changes.cursor });
  for await (const { changes } of client.subscribe(
    FollowChangesDocument,
    { after: start, filter },
    { ...options, resume },
  ))
    yield changes;
}
