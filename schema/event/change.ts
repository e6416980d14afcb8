// The change feed of the space: what changed, in the order in which it became visible.
import { type GraphQLSchema, getNullableType, isObjectType } from 'graphql';
import { z } from 'zod';
import type { Caller, Context } from '../../src/context.ts';
import {
  type ChangeFilter,
  type ChangeOperation,
  type ChangeRow,
  type FeedPosition,
  readChanges,
} from '../../src/data/event/change.ts';
import {
  findPublishedColumns,
  getPublishedFields,
  type PublishedType,
  publishedTypes,
  ungraphedParts,
} from '../../src/data/event/published.ts';
import { buildVisibility } from '../../src/data/event/visibility.ts';
import { usualPageSize } from '../../src/data/noun/page.ts';
import { formatGlobalId } from '../../src/input/global-id.ts';
import { limitListLength } from '../../src/input/list-length.ts';
import { limits } from '../../src/limits/limits.ts';
import { createInvalidProblem } from '../../src/problem.ts';
import { builder, defineEnumValues } from '../graph/builder.ts';
import { decodeCursor, encodeCursor } from '../graph/connection.ts';
import { acceptIds, loadRecord, Node, nodeExtensions } from '../graph/node.ts';
import { cursorText, shortText } from '../graph/validators.ts';

/** `MembershipPrice` is `MEMBERSHIP_PRICE`. */
const toEnumName = (type: string): string => type.replace(/(?<=[a-z])[A-Z]/g, '_$&').toUpperCase();

const ChangeType = builder.enumType('ChangeType', {
  description: 'The types of records whose changes are published.',
  values: Object.fromEntries(
    publishedTypes.map((type) => [toEnumName(type), { value: type, description: `Records of the type \`${type}\`.` }]),
  ) as Record<string, { value: PublishedType; description: string }>,
});

const ChangeOperationType = builder.enumType('ChangeOperation', {
  description: 'What became of a record.',
  values: defineEnumValues<ChangeOperation>({
    created: 'It was created. A user was: they joined the space.',
    updated: 'Some of its fields changed.',
    deleted: 'It was deleted: this is its tombstone.',
    restored: 'It is there again after it was deleted.',
    entered: 'A contact entered the segment, which is watched.',
    left: 'A contact left the segment, which is watched.',
  }),
});

/** A change with the epoch of its feed. */
type PlacedChange = ChangeRow & { epoch: string };

const cursorPlace = z.tuple([z.uuid(), z.int().min(0)]);

/** The cursor of a position of the feed. */
export const encodeFeedCursor = ({ epoch, position }: FeedPosition): string => encodeCursor('changes', epoch, position);

/** Throws 400 for a text that is no cursor of the feed. */
export const decodeFeedCursor = (text: string, location: string): FeedPosition => {
  const [epoch, position] = decodeCursor('changes', cursorPlace, text, location);
  return { epoch, position };
};

export const Change = builder.objectRef<PlacedChange>('Change').implement({
  description:
    'A change of one record by one transaction. Its parts count as its fields: the tags of a contact, the users of a team.',
  fields: (t) => ({
    cursor: t.string({ description: 'Its place in the feed.', resolve: encodeFeedCursor }),
    at: t.expose('created_at', { type: 'DateTime', description: 'When its transaction began.' }),
    type: t.field({
      type: ChangeType,
      description: 'The type of the record.',
      resolve: ({ type }) => type as PublishedType,
    }),
    operation: t.expose('operation', { type: ChangeOperationType, description: 'What became of the record.' }),
    recordId: t.id({
      description: 'The id of the record.',
      resolve: ({ type, record_id }) => formatGlobalId(type, record_id),
    }),
    contactId: t.id({
      nullable: true,
      description:
        'The contact that the record belongs to, or is, or that entered or left the segment; null for a record of no contact.',
      resolve: ({ contact_id }) => (contact_id === null ? null : formatGlobalId('Contact', contact_id)),
    }),
    fields: t.stringList({
      description:
        'The fields that an update changed, without their values. When a contact entered or left a segment, the families of records that the segment reads. Empty for other operations.',
      resolve: ({ type, fields }) => getPublishedFields(type, fields),
    }),
    node: t.field({
      type: Node,
      nullable: true,
      description: 'The record as it is now; null when it is deleted, or the caller may not see it.',
      extensions: nodeExtensions,
      resolve: ({ type, record_id: id }, _, context, info) => loadRecord(context, info, { type, id }),
    }),
  }),
});

interface ChangeListShape {
  nodes: PlacedChange[];
  cursor: string;
  hasMore: boolean;
}

const ChangeList = builder.objectRef<ChangeListShape>('ChangeList').implement({
  description: 'Some changes in their order.',
  fields: (t) => ({
    nodes: t.expose('nodes', { type: [Change], description: 'The changes.' }),
    cursor: t.exposeString('cursor', {
      description:
        'Where to go on: `after` of the next call. It moves on also when no change fits the filter, so keep it even if `nodes` is empty.',
    }),
    hasMore: t.exposeBoolean('hasMore', { description: 'Whether there are more changes to look at by now.' }),
  }),
});

export const ChangeFilterInput = builder.inputType('ChangeFilter', {
  description: 'Which changes are wanted.',
  fields: (t) => ({
    types: t.field({ type: [ChangeType], description: 'Only changes of records of these types.' }),
    operations: t.field({ type: [ChangeOperationType], description: 'Only these operations.' }),
    fields: t.stringList({
      validate: limitListLength([0, limits.webhook.events], 'fields', (list) => list.pipe(z.array(shortText))),
      description:
        'Only updates of at least one of these fields, such as `email` or `tags`. It leaves out no creation, deletion or restoration.',
    }),
    contactIds: t.field({
      ...acceptIds('Contact'),
      validate: limitListLength([1, limits.change.contacts], 'contacts'),
      description: `Only changes of these contacts and of what belongs to them, 1 to ${limits.change.contacts}.`,
    }),
  }),
});

/** The filter as clients send it. */
export type SentChangeFilter = typeof ChangeFilterInput.$inferInput;

const fieldNamesOf = new WeakMap<GraphQLSchema, ReadonlySet<string>>();

/** The names of all fields of published types, and those of ids that changes name: `author` is `authorId` there. */
const listFieldNames = (schema: GraphQLSchema): ReadonlySet<string> => {
  const known = fieldNamesOf.get(schema);
  if (known) return known;
  const types = publishedTypes.map((name) => schema.getType(name)).filter(isObjectType);
  const fields = types.flatMap((type) => Object.values(type.getFields()));
  const ids = fields.filter(({ type }) => isObjectType(getNullableType(type))).map(({ name }) => `${name}Id`);
  const names = new Set([...fields.map(({ name }) => name), ...ids, ...ungraphedParts]);
  fieldNamesOf.set(schema, names);
  return names;
};

/** The columns and parts of these fields. Throws 400 for a name that no published type has as a field. */
export const readFieldNames = (
  fields: readonly string[] | null | undefined,
  schema: GraphQLSchema,
  location: string,
): string[] | null => {
  if (!fields) return null;
  const names = listFieldNames(schema);
  const faults = fields.flatMap((value, index) =>
    names.has(value)
      ? []
      : [{ location: `${location}[${index}]`, message: 'is a field of no type whose changes are published', value }],
  );
  if (faults.length > 0) throw createInvalidProblem(faults);
  return fields.flatMap(findPublishedColumns);
};

/** The filter of a caller: what they want of what they may see. */
export const buildChangeFilter = (
  caller: Caller,
  sent: SentChangeFilter | null | undefined,
  schema: GraphQLSchema,
): ChangeFilter => ({
  ...buildVisibility({ ...caller, userIds: [caller.userId] }, sent?.types),
  operations: sent?.operations,
  fields: readFieldNames(sent?.fields, schema, 'filter.fields'),
  contactIds: sent?.contactIds,
});

const readPage = async (
  { space }: Context,
  after: string | null | undefined,
  first: number,
  filter: ChangeFilter,
): Promise<ChangeListShape> => {
  const page = await readChanges(space, {
    after: after == null ? null : decodeFeedCursor(after, 'after'),
    first,
    filter,
  });
  const { epoch } = page.end;
  return {
    nodes: page.rows.map((row) => ({ ...row, epoch })),
    cursor: encodeFeedCursor(page.end),
    hasMore: page.hasMore,
  };
};

builder.queryField('changes', (t) =>
  t.field({
    type: ChangeList,
    description:
      'What changed after a cursor, of the types that the caller may read. Without `after` it is an empty page whose cursor is the present end of the feed. A change is in the feed as soon as it is committed, and no later one has an earlier place. Changes are kept for `RETENTION_CHANGE_DAYS`; an older cursor is refused as `changes-gone`.',
    args: {
      after: t.arg.string({ validate: cursorText, description: 'The cursor of an earlier page, or of a change.' }),
      first: t.arg.int({
        extensions: { usualSize: usualPageSize },
        validate: z
          .int()
          .min(0, `must be a whole number from 0 to ${limits.list.page}`)
          .max(limits.list.page, `must be a whole number from 0 to ${limits.list.page}`),
        description: `How many at most, 0 to ${limits.list.page}; ${usualPageSize} without it.`,
      }),
      filter: t.arg({ type: ChangeFilterInput, description: 'Which changes are wanted; without it all.' }),
    },
    resolve: (_, { after, first, filter }, context, { schema }) =>
      readPage(context, after, first ?? usualPageSize, buildChangeFilter(context.caller, filter, schema)),
  }),
);
