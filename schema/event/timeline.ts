// The timeline of a contact in the graph: its kinds of entries, their items, and the connection that lists them.
import { z } from 'zod';
import type { Context } from '../../src/context.ts';
import {
  readChangesAt,
  readTimelines,
  type TimelineEntry,
  type TimelineKind,
  type TimelinePlace,
  timelineKinds,
  timelineSources,
} from '../../src/data/event/timeline.ts';
import { buildVisibility } from '../../src/data/event/visibility.ts';
import { readPageSize } from '../../src/data/noun/page.ts';
import { limitListLength } from '../../src/input/list-length.ts';
import { isPermitted } from '../../src/permissions/authority.ts';
import { findTypePermission } from '../../src/permissions/permissions.ts';
import { createRelationLoader, mapRelated, takeFirstRelated } from '../../src/plan/loader.ts';
import { Answer } from '../contact/answer.ts';
import { ConsentChangeType } from '../contact/consent.ts';
import { Contact } from '../contact/contact.ts';
import { Email } from '../contact/email.ts';
import { Interaction } from '../contact/interaction.ts';
import { Note } from '../contact/note.ts';
import { builder } from '../graph/builder.ts';
import { applyUsualSize, decodeCursor, definePageArguments, encodeCursor, PageInfo } from '../graph/connection.ts';
import { findTypeOfRow, loadRecord } from '../graph/node.ts';
import { Donation, Membership, Sanction, Transaction } from '../money/records.ts';
import { Change } from './change.ts';

const TimelineKindType = builder.enumType('TimelineKind', {
  description: 'What an entry of a timeline tells.',
  values: Object.fromEntries(
    timelineKinds.map((kind) => [kind, { value: kind, description: timelineSources[kind].description }]),
  ) as Record<TimelineKind, { value: TimelineKind; description: string }>,
});

const TimelineItem = builder.unionType('TimelineItem', {
  description: 'What an entry of a timeline is about.',
  types: [Answer, Change, ConsentChangeType, Donation, Email, Interaction, Membership, Note, Sanction, Transaction],
  resolveType: (row) => findTypeOfRow(row) ?? 'Change',
});

const changeAt = createRelationLoader(
  ({ space }, positions) => readChangesAt(space, positions),
  ({ position }) => position,
);

const TimelineEntryType = builder.objectRef<TimelineEntry>('TimelineEntry').implement({
  description: 'Something that happened with a contact.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When it happened.' }),
    kind: t.expose('kind', { type: TimelineKindType, description: 'What happened.' }),
    item: t.field({
      type: TimelineItem,
      nullable: true,
      extensions: { leavesOutForbidden: true },
      description:
        'The record, or the change in the feed. Null for the creation of the contact, and for a record that was deleted since the page was read.',
      resolve: ({ kind, id }, _, context, info) => {
        const { type } = timelineSources[kind];
        if (type === 'Contact') return null;
        return type === 'Change'
          ? takeFirstRelated(changeAt(context, id))
          : (loadRecord(context, info, { type, id }) as never);
      },
    }),
  }),
});

interface TimelinePage {
  entries: readonly TimelineEntry[];
  hasNextPage: boolean;
  hasPreviousPage: boolean;
}

const formatPlace = ({ micros, kind, id }: TimelineEntry): string => encodeCursor('timeline', micros, kind, id);
const place: z.ZodType<TimelinePlace> = z.tuple([z.int(), z.string(), z.int()]);

const TimelineEdge = builder.objectRef<TimelineEntry>('TimelineEdge').implement({
  description: 'An entry in a page of a timeline.',
  fields: (t) => ({
    cursor: t.string({ description: 'Its place in the timeline.', resolve: formatPlace }),
    node: t.field({ type: TimelineEntryType, description: 'The entry.', resolve: (entry) => entry }),
  }),
});

const TimelineConnection = builder.objectRef<TimelinePage>('TimelineConnection').implement({
  description: 'A page of a timeline.',
  fields: (t) => ({
    nodes: t.field({ type: [TimelineEntryType], description: 'The entries.', resolve: ({ entries }) => entries }),
    edges: t.field({
      type: [TimelineEdge],
      description: 'The entries, with their cursors.',
      resolve: ({ entries }) => entries,
    }),
    pageInfo: t.field({
      type: PageInfo,
      description: 'Where the page is in the timeline.',
      resolve: ({ entries, ...page }) => ({
        first: entries[0] && formatPlace(entries[0]),
        last: entries.at(-1) && formatPlace(entries.at(-1)!),
        ...page,
      }),
    }),
  }),
});

/** The kinds of entries that the caller may see, of these or of all. */
const listVisibleKinds = ({ caller }: Context, kinds: readonly TimelineKind[] | null | undefined): TimelineKind[] =>
  timelineKinds.filter((kind) => {
    const { type } = timelineSources[kind];
    const permission = type === 'Change' ? 'changes.read' : findTypePermission(type);
    return (!kinds || kinds.includes(kind)) && (!permission || isPermitted(caller, permission));
  });

/** Readers of timelines by their arguments: selections that ask for the same page share it, and it is read for all contacts at once. */
const readersOf = new WeakMap<Context, Map<string, ReturnType<typeof createTimelineReader>>>();
const createTimelineReader = (
  context: Context,
  {
    kinds,
    after,
    size,
  }: { kinds: readonly TimelineKind[] | null | undefined; after: TimelinePlace | null; size: number },
) => {
  const { caller } = context;
  const options = {
    kinds: listVisibleKinds(context, kinds),
    visibility: buildVisibility({ ...caller, userIds: [caller.userId] }),
    after,
    limit: size + 1,
  };
  const load = createRelationLoader(
    ({ space }, ids) => readTimelines(space, ids, options),
    ({ contact_id }) => contact_id,
  );
  return (id: number): TimelinePage | Promise<TimelinePage> =>
    mapRelated(load(context, id), (entries) => ({
      entries: entries.slice(0, size),
      hasNextPage: entries.length > size,
      hasPreviousPage: after !== null,
    }));
};

builder.objectField(Contact, 'timeline', (t) => {
  const { first, after } = definePageArguments(t);
  return t.field({
    type: TimelineConnection,
    description:
      'What happened with them, the latest first: notes, interactions, e-mails, money, answers, consent, and the changes that the feed still keeps (`RETENTION_CHANGE_DAYS`). Kinds that the caller may not read are left out.',
    args: {
      first,
      after,
      kinds: t.arg({
        type: [TimelineKindType],
        validate: limitListLength([1, timelineKinds.length], 'kinds'),
        description: 'Only these kinds; all without it.',
      }),
    },
    resolve: ({ id }, { kinds, ...page }, context) => {
      const readers = readersOf.get(context) ?? new Map();
      readersOf.set(context, readers);
      const key = JSON.stringify([kinds, page.first, page.after]);
      const known = readers.get(key);
      if (known) return known(id);
      const { size } = readPageSize(applyUsualSize({ first: page.first, last: null }));
      const position = page.after == null ? null : decodeCursor('timeline', place, page.after, 'after');
      const reader = createTimelineReader(context, { kinds, after: position, size });
      readers.set(key, reader);
      return reader(id);
    },
  });
});
