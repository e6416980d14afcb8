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
import { limitListLength } from '../../src/input/list-length.ts';
import { isPermitted } from '../../src/permissions/authority.ts';
import { findTypePermission } from '../../src/permissions/permissions.ts';
import { createRelationLoader, mapRelated, takeFirstRelated } from '../../src/plan/loader.ts';
import { Answer } from '../contact/answer.ts';
import { ConsentChangeType } from '../contact/consent.ts';
import { Contact } from '../contact/contact.ts';
import { cutPage, readPageArguments } from '../contact/contact-connection.ts';
import { Email } from '../contact/email.ts';
import { Interaction } from '../contact/interaction.ts';
import { Note } from '../contact/note.ts';
import { builder } from '../graph/builder.ts';
import { decodeCursor, definePageArguments, encodeCursor, PageInfo } from '../graph/connection.ts';
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
  rows: readonly TimelineEntry[];
  hasNextPage: boolean;
  hasPreviousPage: boolean;
}

const formatPlace = ({ micros, kind, id }: TimelineEntry): string => encodeCursor('timeline', micros, kind, id);
/** Earlier versions wrote a number. */
const micros = z.union([z.string().regex(/^-?\d{1,18}$/), z.int().transform(String)]);
const place: z.ZodType<TimelinePlace> = z.tuple([micros, z.string(), z.int()]);
const decodePlace = (cursor: string, location: string): TimelinePlace =>
  decodeCursor('timeline', place, cursor, location);

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
    nodes: t.field({ type: [TimelineEntryType], description: 'The entries.', resolve: ({ rows }) => rows }),
    edges: t.field({
      type: [TimelineEdge],
      description: 'The entries, with their cursors.',
      resolve: ({ rows }) => rows,
    }),
    pageInfo: t.field({
      type: PageInfo,
      description: 'Where the page is in the timeline.',
      resolve: ({ rows, ...page }) => ({
        first: rows[0] && formatPlace(rows[0]),
        last: rows.at(-1) && formatPlace(rows.at(-1)!),
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
  kinds: readonly TimelineKind[] | null | undefined,
  page: ReturnType<typeof readPageArguments<TimelinePlace>>,
) => {
  const { caller } = context;
  const options = {
    ...page,
    kinds: listVisibleKinds(context, kinds),
    visibility: buildVisibility({ ...caller, userIds: [caller.userId] }),
    limit: page.size + 1,
  };
  const load = createRelationLoader(
    ({ space }, ids) => readTimelines(space, ids, options),
    ({ contact_id }) => contact_id,
  );
  return (id: number): TimelinePage | Promise<TimelinePage> =>
    mapRelated(load(context, id), (found) => cutPage(found, page));
};

builder.objectField(Contact, 'timeline', (t) =>
  t.field({
    type: TimelineConnection,
    description:
      'What happened with them, the latest first: notes, interactions, e-mails, money, answers, consent, and the changes that the feed still keeps (`RETENTION_CHANGE_DAYS`). Kinds that the caller may not read are left out.',
    args: {
      ...definePageArguments(t),
      kinds: t.arg({
        type: [TimelineKindType],
        validate: limitListLength([1, timelineKinds.length], 'kinds'),
        description: 'Only these kinds; all without it.',
      }),
    },
    resolve: ({ id }, { kinds, ...args }, context) => {
      const readers = readersOf.get(context) ?? new Map();
      readersOf.set(context, readers);
      const key = JSON.stringify([kinds, args.first, args.after, args.last, args.before]);
      const reader = readers.get(key) ?? createTimelineReader(context, kinds, readPageArguments(args, decodePlace));
      readers.set(key, reader);
      return reader(id);
    },
  }),
);
