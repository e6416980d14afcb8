// Changes of many contacts at once, of those that a query or a segment finds, or that are named.
import { z } from 'zod';
import type { Context } from '../../src/context.ts';
import {
  beginContactChange,
  type ChangeExample,
  type ChangePreview,
  type ContactChange,
  cancelContactChange,
  checkContactChange,
  countChange,
  listGivenContacts,
  previewContactChange,
  type RefusedContact,
  readContactChange,
  readContactChanges,
} from '../../src/data/import/contact-change.ts';
import { undoContactChange } from '../../src/data/import/undo.ts';
import { requireKnownReferences } from '../../src/data/noun/references.ts';
import { findContactIds } from '../../src/data/search/find-all.ts';
import { createSearchPlan } from '../../src/data/search/search-plan.ts';
import { readSegmentQueries } from '../../src/data/segment/segment.ts';
import { limitListLength } from '../../src/input/list-length.ts';
import { limits } from '../../src/limits/limits.ts';
import { isPermitted, requirePermission } from '../../src/permissions/authority.ts';
import { createInvalidProblem, Problem } from '../../src/problem.ts';
import { formatMicros } from '../../src/search/datetime.ts';
import { hasEmptyGroup } from '../../src/search/parse.ts';
import { trimLine } from '../../src/search/trim-line.ts';
import { convertToContactWrite, convertToUpsertWrite } from '../contact/contact-content.ts';
import { AnswerInput, ContactSetInput } from '../contact/contact-input.ts';
import { followImportProgress, refuseDirectUse } from '../event/subscription.ts';
import { builder, defineEnumValues } from '../graph/builder.ts';
import { defineMutation, type PayloadBuilder } from '../graph/mutation.ts';
import { acceptId, acceptIds, defineNodeFields, Node, nameRecord, registerNode } from '../graph/node.ts';
import { nonBlank } from '../graph/validators.ts';
import { ContactQuery } from '../search/contact-query.ts';
import { createQueryRule, findQueryFaults, queryArgument, resolveSearchedQuery } from '../search/search-input.ts';

const ContactChangeState = builder.enumType('ContactChangeState', {
  description: 'How far a change of many contacts is.',
  values: defineEnumValues({
    running: 'A job changes them, batch by batch.',
    done: 'All of them were changed, as far as they could be.',
    cancelled: 'It was cancelled: what was changed by then stays.',
    undone: 'It was undone.',
  }),
});

const RefusedContactType = builder.objectRef<RefusedContact>('RefusedContact').implement({
  description: 'A contact that a change left as it is.',
  fields: (t) => ({
    contactId: t.id(nameRecord('Contact', 'contact_id', 'The contact.')),
    message: t.exposeString('message', { description: 'Why.' }),
  }),
});

const ContactChangeType = builder.objectRef<ContactChange>('ContactChange').implement({
  interfaces: [Node],
  description:
    'A change of many contacts at once. It is an import, too, of the family `contact_changes` and the same number.',
  fields: (t) => ({
    ...defineNodeFields(t, 'ContactChange'),
    name: t.exposeString('name', { description: 'What it was called.' }),
    state: t.field({
      type: ContactChangeState,
      description: 'How far it is.',
      resolve: ({ undone_at, cancelled_at, finished_at }) => {
        if (undone_at) return 'undone';
        if (cancelled_at) return 'cancelled';
        return finished_at ? 'done' : 'running';
      },
    }),
    total: t.exposeInt('total', { description: 'How many contacts it is of: those that were found when it began.' }),
    changed: t.exposeInt('changed', { description: 'How many it has changed so far.' }),
    unchanged: t.exposeInt('unchanged', { description: 'How many were so already.' }),
    refused: t.exposeInt('refused', {
      description: 'How many it left as they are, since the change does not fit them.',
    }),
    faults: t.expose('faults', {
      type: [RefusedContactType],
      description: `The first ${limits.bulk.shown} of these, and why.`,
    }),
    startedAt: t.expose('created_at', { type: 'DateTime', description: 'When it began.' }),
    finishedAt: t.expose('finished_at', { type: 'DateTime', nullable: true, description: 'When it ended.' }),
  }),
});
registerNode(ContactChangeType, { read: ({ space }, ids) => readContactChanges(space, ids) });

builder.subscriptionField('contactChangeProgressed', (t) =>
  t.field({
    type: ContactChangeType,
    description: 'A change of many contacts as it is now, and after each of its batches, until it is over.',
    args: { id: t.arg({ ...acceptId('ContactChange'), required: true, description: 'Id of the change.' }) },
    subscribe: refuseDirectUse,
    resolve: (_, { id }, context) => followImportProgress(context, id, readContactChange) as never,
  }),
);

const ValueChange = builder.objectRef<ChangeExample['values'][number]>('ValueChange').implement({
  description: 'A value of a contact before and after a change.',
  fields: (t) => ({
    field: t.exposeString('field', { description: 'The field, such as `address.city`.' }),
    before: t.string({ description: 'The value now, as JSON.', resolve: ({ before }) => JSON.stringify(before) }),
    after: t.string({ description: 'The value afterwards, as JSON.', resolve: ({ after }) => JSON.stringify(after) }),
  }),
});

const ChangeExampleType = builder.objectRef<ChangeExample>('ContactChangeExample').implement({
  description: 'A contact that a change would change.',
  fields: (t) => ({
    contactId: t.id(nameRecord('Contact', 'contact_id', 'The contact.')),
    values: t.expose('values', {
      type: [ValueChange],
      description: 'What would differ; nothing for a contact that would be deleted.',
    }),
  }),
});

const ChangePreviewType = builder.objectRef<ChangePreview>('ContactChangePreview').implement({
  description: `What a change would do, told from the first ${limits.bulk.examined} contacts: the counts add up to fewer than \`total\` when there are more.`,
  fields: (t) => ({
    total: t.exposeInt('total', { description: 'How many contacts it would be of.' }),
    changed: t.exposeInt('changed', { description: 'How many it would change.' }),
    unchanged: t.exposeInt('unchanged', { description: 'How many are so already.' }),
    refused: t.exposeInt('refused', { description: 'How many it does not fit.' }),
    faults: t.expose('faults', {
      type: [RefusedContactType],
      description: `The first ${limits.bulk.shown} of these, and why.`,
    }),
    examples: t.expose('examples', {
      type: [ChangeExampleType],
      description: `The first ${limits.bulk.shown} that it would change; none for a caller who may not read contacts.`,
    }),
  }),
});

const ContactsToChange = builder.inputType('ContactsToChange', {
  isOneOf: true,
  description: 'The contacts that are changed.',
  fields: (t) => ({
    query: t.field({
      type: ContactQuery,
      validate: createQueryRule(queryArgument),
      description: 'Those that a query finds at this moment.',
    }),
    segmentId: t.field({ ...acceptId('Segment'), description: 'Those that a segment has at this moment.' }),
    ids: t.field({
      ...acceptIds('Contact'),
      validate: limitListLength([1, limits.bulk.ids], 'contacts'),
      description: `These, 1 to ${limits.bulk.ids}; all of them must exist.`,
    }),
  }),
});

const tagNames = limitListLength([1, limits.value.tagsOfContact], 'tags', (list) => list.pipe(z.array(nonBlank)));
const actionIds = limitListLength([1, 100], 'actions');

/** Lists of which one adds what the other one removes. */
const opposites = [
  ['addTags', 'removeTags'],
  ['addActionIds', 'removeActionIds'],
] as const;

const ContactChangeInput = builder.inputType('ContactChangeInput', {
  description: 'The change of each contact. It has at least one field, and no other field beside `delete`.',
  fields: (t) => ({
    addTags: t.stringList({
      validate: tagNames,
      description: 'Names of tags to add; those that the space does not have are created. A contact has at most 200.',
    }),
    removeTags: t.stringList({ validate: tagNames, description: 'Names of tags to remove.' }),
    addActionIds: t.field({
      ...acceptIds('Action'),
      validate: actionIds,
      description: 'Actions to link them to, in addition to the present ones.',
    }),
    removeActionIds: t.field({
      ...acceptIds('Action'),
      validate: actionIds,
      description: 'Actions to unlink them from.',
    }),
    set: t.field({ type: ContactSetInput, description: 'Fields to set. `optedOut: false` lifts opt-outs.' }),
    answers: t.field({
      type: [AnswerInput],
      validate: limitListLength([1, 100], 'answers'),
      description:
        'Answers to forms, custom fields too. Only the named forms change; an answer to checkboxes is added.',
    }),
    delete: t.boolean({ description: 'True: they are deleted, as `deleteContact` does.' }),
  }),
  validate: z.unknown().superRefine((input, check) => {
    const sent = Object.entries(input as object).filter(
      ([field, value]) => value != null && !(field === 'delete' && value === false),
    );
    const refuse = (message: string, ...path: string[]): void => check.addIssue({ code: 'custom', path, message });
    const fields = Object.fromEntries(sent);
    if (sent.length === 0 || (sent.length === 1 && fields.set && Object.keys(fields.set).length === 0))
      refuse('must have a field of what is changed');
    if (fields.delete && sent.length > 1) refuse('must not stand beside another change', 'delete');
    for (const [adds, removes] of opposites) {
      const removed = new Set((fields[removes] ?? []).map(String).map(trimLine));
      if ((fields[adds] ?? []).some((one: unknown) => removed.has(trimLine(String(one)))))
        refuse(`must have nothing of ${adds}`, removes);
    }
  }),
});

/** The contacts that are meant, by id, found at one moment. */
const findContacts = async (
  of: typeof ContactsToChange.$inferInput,
  isCounted: boolean,
  context: Context,
): Promise<readonly number[]> => {
  const { caller, now, space } = context;
  if (of.ids) return listGivenContacts(space, of.ids, 'input.of.ids');
  requirePermission(caller, 'contacts.read', 'Changing the contacts that are found');
  const { segmentId: id, query = { segment: { in: [id] } } } = of;
  if (typeof id === 'number')
    requireKnownReferences(
      'segment',
      [{ id, location: 'input.of.segmentId' }],
      (await readSegmentQueries(space, [id])).keys(),
    );
  const { group } = await resolveSearchedQuery(queryArgument, query, context, 'input.of.query');
  // A careless client leaves out all its conditions, and would change everybody.
  if (!isCounted && hasEmptyGroup(group)) {
    const message = 'is required: an empty group of the query may find everybody';
    throw createInvalidProblem([{ location: 'input.expectedCount', message }]);
  }
  const plan = createSearchPlan(group, formatMicros(now));
  const words = JSON.stringify(['change', query]);
  return Array.from(await findContactIds(space, { plan, order: { sort: null, ascending: true }, words }));
};

const requireCount = (expected: number | null | undefined, { length }: readonly number[]): void => {
  if (expected == null || expected === length) return;
  const message = `is not the number of contacts: there are ${length}`;
  throw new Problem('conflict', `input.expectedCount ${message}`, {
    errors: [{ location: 'input.expectedCount', message, value: expected }],
  });
};

interface Changed {
  job: ContactChange | null;
  preview: ChangePreview | null;
}

defineMutation('changeContacts', {
  cost: 5,
  description: `Changes many contacts alike, each as if it were changed alone. They are found once: what the change makes of them neither adds nor drops any. Up to ${limits.bulk.atOnce} are changed at once; more by a job, whose state \`contactChange\` shows.`,
  input: (t) => ({
    of: t.field({ type: ContactsToChange, required: true, description: 'The contacts.' }),
    change: t.field({ type: ContactChangeInput, required: true, description: 'What is changed of each.' }),
    expectedCount: t.int({
      description:
        'Fails with 409, which tells the count, unless they are as many. Required for a query with an empty `and` or `or`.',
    }),
    dryRun: t.boolean({
      defaultValue: false,
      required: true,
      description: 'Whether to tell what would change, and to change nothing.',
    }),
    name: t.string({
      validate: nonBlank,
      defaultValue: 'change',
      required: true,
      description: 'What to call it, such as its reason: it is the source of changes of consent.',
    }),
  }),
  check: async ({ of }, { now }) => (of?.query ? findQueryFaults(of.query, now, 'input.of.query') : []),
  resolve: async ({ of, change: sent, expectedCount, dryRun, name }, context): Promise<Changed> => {
    const { space, caller } = context;
    const { addTags, removeTags, addActionIds, removeActionIds, set, answers } = sent;
    const added = convertToUpsertWrite(
      { tags: addTags?.map((tag) => ({ name: tag })), actionIds: addActionIds, answers: answers ?? undefined },
      'input.change',
    );
    const content = {
      ...added.content,
      ...convertToContactWrite(set ?? {}).content,
      ...(removeTags && { removedTags: removeTags }),
      ...(removeActionIds && { removedActions: removeActionIds }),
    };
    const ids = await findContacts(of, dryRun || expectedCount != null, context);
    requireCount(expectedCount, ids);
    // After the search, since it may lock names of tags.
    await checkContactChange(space, content, {
      addActionIds: addActionIds ?? [],
      removeActionIds: removeActionIds ?? [],
    });
    const change = { content, deletes: sent.delete ?? false };
    if (dryRun) {
      const preview = await previewContactChange(space, change, ids);
      if (isPermitted(caller, 'contacts.read')) return { job: null, preview };
      // A caller who may not read contacts is not told which have the value already.
      const changed = preview.changed + preview.unchanged;
      return { job: null, preview: { ...preview, changed, unchanged: 0, examples: [] } };
    }
    return { job: await beginContactChange(space, { change, ids, name, by: caller.userId }), preview: null };
  },
  audit: ({ job }) => (job ? { type: 'Import', ids: [job.id], counts: countChange(job) } : undefined),
  payload: (t) => ({
    job: t.expose('job', { type: ContactChangeType, nullable: true, description: 'The change; null in a dry run.' }),
    preview: t.expose('preview', {
      type: ChangePreviewType,
      nullable: true,
      description: 'What the change would do; only in a dry run.',
    }),
  }),
});

const defineJobPayload = (t: PayloadBuilder<{ job: ContactChange }>) => ({
  job: t.expose('job', { type: ContactChangeType, description: 'The change, as it is now.' }),
});

const idField = { ...acceptId('ContactChange'), required: true as const, description: 'Id of the change.' };

defineMutation('cancelContactChange', {
  description: 'Ends a change that a job works on: what it has changed stays, and can be undone.',
  input: (t) => ({ id: t.field(idField) }),
  resolve: async ({ id }, { space }) => ({ job: await cancelContactChange(space, id) }),
  audit: ({ job }) => ({ type: 'Import', ids: [job.id], counts: countChange(job) }),
  payload: defineJobPayload,
});

defineMutation('undoContactChange', {
  cost: 5,
  description:
    'Undoes a change that is over: restores the contacts that it changed or deleted, except those that changed since. It goes on where an interrupted one ended.',
  input: (t) => ({ id: t.field(idField) }),
  resolve: ({ id }, { space, caller, action }) => undoContactChange(space, id, caller, action!),
  // The verb has transactions of its own.
  audit: 'by-verb',
  payload: (t) => ({
    restored: t.exposeInt('restored', { description: 'Contacts that are as before.' }),
    left: t.exposeInt('left', {
      description:
        'Contacts that somebody has changed since, or whose external id somebody else has now; they stay as they are.',
    }),
  }),
});
