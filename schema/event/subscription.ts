// Subscriptions: changes as they happen, over server-sent events. Each ends when the caller's right to it does.
import type { GraphQLSchema } from 'graphql';
import type { Context } from '../../src/context.ts';
import { type ChangeFilter, readChanges } from '../../src/data/event/change.ts';
import type { FollowedChange } from '../../src/data/event/follow.ts';
import { buildVisibility } from '../../src/data/event/visibility.ts';
import { type Import, readImport } from '../../src/data/import/contacts.ts';
import type { Space } from '../../src/database/space.ts';
import { limitListLength } from '../../src/input/list-length.ts';
import { limits } from '../../src/limits/limits.ts';
import { Problem } from '../../src/problem.ts';
import { ImportType } from '../contact/import.ts';
import { builder } from '../graph/builder.ts';
import { acceptIds, requireId } from '../graph/node.ts';
import { cursorText } from '../graph/validators.ts';
import {
  buildChangeFilter,
  Change,
  ChangeFilterInput,
  decodeFeedCursor,
  encodeFeedCursor,
  type SentChangeFilter,
} from './change.ts';

/** The changes as events. Each is paid first: until then the id is that of the event before it, after which a client goes on. */
async function* sendChanges(context: Context, changes: AsyncIterable<FollowedChange>): AsyncGenerator<FollowedChange> {
  for await (const change of changes) {
    await context.stream!.pay();
    beginEvent(context, change);
    yield change;
  }
}

/** Every event has an id of its own; before the first one, it is that of the place where the stream begins. */
const beginEvent = (context: Context, change: FollowedChange): void => {
  context.stream!.eventId = encodeFeedCursor(change);
  // Records are read anew for each event.
  context.writes = (context.writes ?? 0) + 1;
};

/** The changes of a stream from its beginning, or from where the client was before it lost the connection. Throws 400 for what is no cursor. */
const followChanges = async (
  context: Context,
  after: string | null | undefined,
  filter: ChangeFilter,
  until?: AbortSignal,
): Promise<AsyncGenerator<FollowedChange>> => {
  const { stream, space } = context;
  if (!stream) throw new Problem('not-acceptable', 'Subscriptions are sent as text/event-stream');
  const from = stream.lastEventId ?? after;
  const place = stream.lastEventId === null ? 'after' : 'header.Last-Event-ID';
  const sent = from == null ? null : decodeFeedCursor(from, place);
  const start = sent ?? (await readChanges(space, { after: null, first: 0, filter })).end;
  stream.eventId = encodeFeedCursor(start);
  return stream.follower.follow(space, {
    after: start,
    filter,
    signal: until ? AbortSignal.any([stream.signal, until]) : stream.signal,
  });
};

/** The changes that the caller may see and wants, as events. */
const streamChanges = async (
  context: Context,
  schema: GraphQLSchema,
  {
    after,
    filter,
    ids,
  }: {
    after: string | null | undefined;
    filter: SentChangeFilter | null | undefined;
    ids?: readonly number[] | null | undefined;
  },
): Promise<never> => {
  const changes = await followChanges(context, after, buildChangeFilter(context.caller, filter, schema));
  return sendChanges(context, ids ? keepRecords(changes, new Set(ids)) : changes) as never;
};

/** The changes of these records alone. */
async function* keepRecords(
  changes: AsyncIterable<FollowedChange>,
  ids: ReadonlySet<number>,
): AsyncGenerator<FollowedChange> {
  for await (const change of changes) if (ids.has(change.record_id)) yield change;
}

const afterArgument = {
  validate: cursorText,
  description:
    'The cursor of a page or of a change, after which it begins; without it with what changes from now on. `Last-Event-ID`, which clients send when they connect again, comes before it.',
};

/** The source of a field is made by `resolve`, to which the checks of all root fields apply; `schema/index.ts` makes it `subscribe`. */
export const refuseDirectUse = (): never => {
  throw new Error('The schema makes the resolver of a subscription its source');
};

builder.subscriptionType({ description: 'What happens in the space of the caller, as server-sent events.' });

builder.subscriptionFields((t) => ({
  changes: t.field({
    type: Change,
    description: 'Every change that the caller may see, as in the query `changes`, in its order.',
    args: {
      after: t.arg.string(afterArgument),
      filter: t.arg({ type: ChangeFilterInput, description: 'Which changes are wanted; without it all.' }),
    },
    subscribe: refuseDirectUse,
    resolve: (_, { after, filter }, context, { schema }) => streamChanges(context, schema, { after, filter }),
  }),
  contactChanged: t.field({
    type: Change,
    description: 'Every change of contacts with their addresses, tags, actions and answers.',
    args: {
      ids: t.arg({
        ...acceptIds('Contact'),
        validate: limitListLength([1, limits.change.contacts], 'contacts'),
        description: `Only of these contacts, 1 to ${limits.change.contacts}.`,
      }),
      after: t.arg.string(afterArgument),
    },
    subscribe: refuseDirectUse,
    resolve: (_, { ids, after }, context, { schema }) =>
      streamChanges(context, schema, { after, filter: { types: ['Contact'], contactIds: ids } }),
  }),
  segmentChanged: t.field({
    type: Change,
    description: 'Every contact that enters a watched segment or leaves it.',
    args: {
      ids: t.arg({
        ...acceptIds('Segment'),
        validate: limitListLength([1, limits.list.items], 'segments'),
        description: `Only of these segments, 1 to ${limits.list.items}.`,
      }),
      after: t.arg.string(afterArgument),
    },
    subscribe: refuseDirectUse,
    resolve: (_, { ids, after }, context, { schema }) =>
      streamChanges(context, schema, { after, ids, filter: { types: ['Segment'], operations: ['entered', 'left'] } }),
  }),
  importProgressed: t.field({
    type: ImportType,
    description: 'An import as it is now, and after each of its batches, until it is finished or undone.',
    args: { id: t.arg(requireId('Import')) },
    subscribe: refuseDirectUse,
    resolve: (_, { id }, context) => followImportProgress(context, id, readImport) as never,
  }),
}));

/** An import as `read` shows it, now and after each of its batches, until it is over. Throws 404 for a missing one, before anything is sent. */
export const followImportProgress = async <Row extends Pick<Import, 'finished_at' | 'undone_at'>>(
  context: Context,
  id: number,
  read: (space: Space, id: number) => Promise<Row>,
): Promise<AsyncGenerator<Row>> => {
  await read(context.space, id);
  // The feed is followed from before the import is read, so that no batch is missed between the two.
  const over = new AbortController();
  // The feed only tells when to read: it need not be readable by who may read the row.
  const filter = { ...buildVisibility({ ...context.caller, userIds: [] }), types: ['Import'] };
  const changes = await followChanges(context, null, filter, over.signal);
  return (async function* () {
    let next = changes.next();
    next.catch(() => {});
    for (;;) {
      await context.stream!.pay();
      const row = await read(context.space, id);
      yield row;
      if (row.finished_at !== null || row.undone_at !== null) break;
      let found = await next;
      while (!found.done && found.value.record_id !== id) found = await changes.next();
      if (found.done) return;
      beginEvent(context, found.value);
      next = changes.next();
      next.catch(() => {});
    }
    // It waits for a change, and is ended rather than asked to return.
    over.abort();
  })();
};
