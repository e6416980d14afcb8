// Saved segments: searches with a name, which other searches use as a condition.
import { type GraphQLInputType, type GraphQLSchema, isInputType } from 'graphql';
import type { Context } from '../../src/context.ts';
import { chooseExpected } from '../../src/data/noun/precondition.ts';
import type { Search } from '../../src/data/search/find.ts';
import {
  readEvaluationTimes,
  readSegmentsUsing,
  readUsedSegments,
  type SegmentRow,
  segmentColumns,
  segmentList,
} from '../../src/data/segment/segment.ts';
import { createSegment, deleteSegment, updateSegment } from '../../src/data/segment/segment-write.ts';
import { replaceBlanks } from '../../src/input/blank.ts';
import { writeInput } from '../../src/input/write-input.ts';
import { limits } from '../../src/limits/limits.ts';
import { mapRelated } from '../../src/plan/loader.ts';
import { type Fault, Problem } from '../../src/problem.ts';
import { ContactConnection } from '../contact/contact-connection.ts';
import { FaultType } from '../contact/contact-write.ts';
import { describedText } from '../contact/contacts.ts';
import { builder } from '../graph/builder.ts';
import { definePageArguments } from '../graph/connection.ts';
import { defineListConnection } from '../graph/list-connection.ts';
import { defineDeletion, defineRecordMutation, type InputBuilder } from '../graph/mutation.ts';
import { defineNodeFields, Node, requireId } from '../graph/node.ts';
import { defineColumnFields } from '../graph/noun.ts';
import { createLoaderByColumn } from '../graph/reference.ts';
import { longText, nonBlank, refuseNullFields, searchText } from '../graph/validators.ts';
import { ContactQuery } from '../search/contact-query.ts';
import { ContactOrderInput, countSearch, createSearch, readSelection, searchByQuery } from '../search/search.ts';
import { createQueryRule, findQueryFaults, queryArgument, resolveSearchedQuery } from '../search/search-input.ts';

/** A query as clients send it. */
export const writeStoredQuery = (query: unknown, schema: GraphQLSchema): unknown => {
  const type = schema.getType('ContactQuery');
  if (!isInputType(type)) throw new Error('The schema has no ContactQuery');
  return writeInput({ type: type as GraphQLInputType, extensions: {} }, query);
};

/** In records: finding or counting the contacts of a segment costs as much as reading a page. */
const searchWorth = limits.list.page;

/** The search of a segment, or why the caller cannot run it. */
type Planned = { search: Search } | { faults: readonly Fault[] };
const planned = new WeakMap<Context, WeakMap<SegmentRow, Promise<Planned>>>();

const findFaults = (error: unknown): { faults: readonly Fault[] } => {
  if (error instanceof Problem && error.code === 'invalid-request' && error.errors) return { faults: error.errors };
  if (error instanceof Problem && error.code === 'forbidden')
    return { faults: [{ location: 'query', message: error.message }] };
  throw error;
};

/** A search is planned once for a row in a request, whose caller and instant it depends on. */
const planSegment = (row: SegmentRow, context: Context): Promise<Planned> => {
  const order = { sort: null, ascending: true };
  const plans = planned.get(context) ?? new WeakMap<SegmentRow, Promise<Planned>>();
  planned.set(context, plans);
  const known =
    plans.get(row) ??
    createSearch(context, queryArgument, { sent: row.query, order, size: 0 }).then(
      (search) => ({ search }),
      findFaults,
    );
  plans.set(row, known);
  return known;
};

const usersOf = createLoaderByColumn(readSegmentsUsing, 'of_id');
const usedBy = createLoaderByColumn(readUsedSegments, 'of_id');

const evaluationOf = createLoaderByColumn(readEvaluationTimes, 'id');

export const Segment = builder.objectRef<SegmentRow>('Segment');
Segment.implement({
  interfaces: [Node],
  description:
    'A search with a name. Its query is stored and not its contacts: relative dates are relative to the instant of each use.',
  fields: (t) => ({
    ...defineNodeFields(t, 'Segment'),
    ...defineColumnFields(t, segmentColumns.columns),
    query: t.field({
      type: 'ContactQueryJSON',
      description: 'Its query, to show it, or to change it and send it back.',
      resolve: ({ query }, _, __, { schema }) => writeStoredQuery(query, schema),
    }),
    tree: t.field({
      type: 'QueryTree',
      description: 'The query tree of the contract that finds its contacts, for `POST /search`, `/export` and `/kpi`.',
      resolve: ({ id }) => ({
        $all: [{ $all: [{ $condition: { attr: 'segment', ope: 'any_of', value: [id] } }] }],
      }),
    }),
    contactCount: t.int({
      nullable: true,
      extensions: { worth: searchWorth },
      description: 'How many contacts it has now; null when `faults` says why the caller cannot run its query.',
      resolve: async (row, _, context) => {
        const plan = await planSegment(row, context);
        return 'faults' in plan ? null : countSearch(context, plan.search);
      },
    }),
    contacts: t.field({
      type: ContactConnection,
      extensions: { worth: searchWorth },
      description: 'Its contacts now, page by page, as `searchContacts` finds them.',
      args: {
        search: t.arg.string({ validate: searchText, description: describedText }),
        orderBy: t.arg({
          type: ContactOrderInput,
          description: 'Their order; without it by relevance if there is a text, else by id.',
        }),
        ...definePageArguments(t),
      },
      resolve: ({ query }, args, context, info) =>
        searchByQuery({ ...args, query }, context, readSelection(context, info)),
    }),
    faults: t.field({
      type: [FaultType],
      description:
        'Why the caller cannot run its query, each with its place below `query`: a form that was deleted since, a permission that the caller lacks.',
      resolve: async (row, _, context) => {
        const plan = await planSegment(row, context);
        return 'faults' in plan ? [...plan.faults] : [];
      },
    }),
    uses: t.field({
      type: [Segment],
      description: 'The segments that its query names.',
      resolve: ({ id }, _, context) => usedBy(context, id),
    }),
    usedBy: t.field({
      type: [Segment],
      description: 'The segments whose queries name it. As long as there are any, it cannot be deleted.',
      resolve: ({ id }, _, context) => usersOf(context, id),
    }),
    evaluatedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'When all contacts were last looked at for this. Null before the first time: who is in the segment by then has not entered it.',
      resolve: ({ id }, _, context) => mapRelated(evaluationOf(context, id), ([found]) => found?.evaluated_at ?? null),
    }),
  }),
});

const defineFields = (t: InputBuilder, required: boolean) => ({
  name: t.string({
    required,
    validate: nonBlank,
    description: 'Its name; not blank, and no other segment of the space has it.',
  }),
  description: t.string({ validate: longText, description: 'What it is for.' }),
  query: t.field({
    type: ContactQuery,
    required,
    validate: createQueryRule(queryArgument),
    description: 'Its query. It may name other segments, but not lead back to itself.',
  }),
  isWatched: t.boolean({ description: 'Whether to record which contacts enter it and leave it; false without it.' }),
});

const place = 'input.query';
const check = async ({ query }: { query?: object | null }, { now }: Context): Promise<Fault[]> =>
  query ? findQueryFaults(query, now, place) : [];

/** Refuses a query that the caller may not run: a watched segment would tell them what they may not read. */
const checkQuery = async (context: Context, query: object): Promise<void> =>
  void (await resolveSearchedQuery(queryArgument, query, context, place));

defineRecordMutation('createSegment', {
  type: Segment,
  description: 'Saves a search as a segment.',
  check,
  input: (t) => defineFields(t, true),
  resolve: async (input, context) => {
    const { name, description = null, query, isWatched } = replaceBlanks(input, 'null');
    await checkQuery(context, query!);
    const content = { name: name!, description, query: query!, isWatched: isWatched ?? false };
    return createSegment(context.space, content, context.caller.userId);
  },
});

defineRecordMutation('updateSegment', {
  type: Segment,
  description: 'Changes a segment: its name, its query. Fields left out stay; null clears the description.',
  check,
  input: (t) => ({
    id: t.field(requireId('Segment')),
    ...defineFields(t, false),
    expectedVersion: t.int({ description: 'Fails with 412 unless the segment has this version.' }),
  }),
  validate: refuseNullFields('name', 'query', 'isWatched'),
  resolve: async ({ id, expectedVersion, ...patch }, context) => {
    if (patch.query) await checkQuery(context, patch.query);
    const expected = chooseExpected(expectedVersion, context.precondition);
    const change = replaceBlanks(patch, 'null') as Parameters<typeof updateSegment>[2];
    return updateSegment(context.space, id, change, context.caller, expected);
  },
});

defineDeletion('deleteSegment', {
  type: 'Segment',
  description: 'Deletes a segment that no other segment uses. Its contacts stay.',
  hasVersion: true,
  remove: ({ space, caller }, id, expected) => deleteSegment(space, id, caller, expected),
});

defineListConnection({
  field: 'segments',
  type: Segment,
  list: segmentList,
  description: 'The saved segments of the space.',
});
