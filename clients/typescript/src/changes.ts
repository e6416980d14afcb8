// Follows the change feed of a space: every change once, in its order, from a cursor that the caller keeps.
import type { MusterClient } from './client.ts';
import { type ChangeDetailsFragment, type ChangeFilter, ListChangesDocument } from './generated/documents.ts';
import { wait } from './transport/retry.ts';

export interface FollowOptions {
  /** The cursor of the last change that was handled; without it, only changes from now on. */
  after?: string;
  /** Which changes are wanted. */
  filter?: ChangeFilter;
  /** In milliseconds: how long to wait when there is nothing new; 5,000. Each look costs a token of the space. */
  everyMs?: number;
  signal?: AbortSignal;
}

/** One change. `cursor` is its place: `after` of the next call. */
export type Change = ChangeDetailsFragment;

const pageSize = 200;

/**
 * Yields changes as they become visible, until the signal is aborted, whose reason it then throws. Keep the `cursor` of each change once it is
 * handled: with it as `after`, a program that was stopped misses nothing. Throws a ProblemError with the code `changes-gone` when the feed no longer goes
 * back that far: read the records again.
 */
export async function* followChanges(
  client: MusterClient,
  { after, filter, everyMs = 5_000, signal }: FollowOptions = {},
): AsyncGenerator<Change, void, undefined> {
  for (let cursor = after; ; ) {
    const { changes } = await client.request(
      ListChangesDocument,
      { after: cursor, filter, first: pageSize },
      { signal },
    );
    yield* changes.nodes;
    cursor = changes.cursor;
    if (!changes.hasMore) await wait(everyMs, signal);
  }
}
