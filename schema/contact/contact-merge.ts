// The mutations that merge contacts which are one person, and that undo it.

import { getFieldName } from '../../src/data/contact/columns.ts';
import type { Conflict } from '../../src/data/contact/combine.ts';
import { type MergeReport, mergeContacts } from '../../src/data/import/merge.ts';
import { undoContactMerge } from '../../src/data/import/undo.ts';
import { formatGlobalId } from '../../src/input/global-id.ts';
import { limitListLength } from '../../src/input/list-length.ts';
import { listFieldsBelow } from '../../src/plan/selection.ts';
import { builder } from '../graph/builder.ts';
import { defineMutation } from '../graph/mutation.ts';
import { acceptId, acceptIds, nameRecord } from '../graph/node.ts';
import { Contact } from './contact.ts';
import { listSelectedParts, preloadOwnParts, readOwner } from './contact-relations.ts';

const MergeConflict = builder.objectRef<Conflict>('MergeConflict').implement({
  description: 'A value that the survivor does not take over, because it has another one.',
  fields: (t) => ({
    contactId: t.id(nameRecord('Contact', 'contact_id', 'The contact whose value is dropped.')),
    field: t.string({
      description: 'The field; for an answer the id of its form.',
      resolve: ({ field }) => getFieldName(field),
    }),
    kept: t.exposeString('kept', {
      description: 'The value that is kept; empty for a part of an address that is dropped as a whole.',
    }),
    dropped: t.exposeString('dropped', { description: 'The value that is dropped.' }),
  }),
});

const MovedRecords = builder.objectRef<MergeReport['moved'][number]>('MovedRecords').implement({
  description: 'How many records of one kind move to the survivor, of those that the caller may read.',
  fields: (t) => ({
    relation: t.exposeString('relation', { description: 'The kind of records.' }),
    count: t.exposeInt('count', { description: 'How many.' }),
  }),
});

defineMutation('mergeContacts', {
  cost: 5,
  description:
    'Merges contacts into one: their records move to the survivor, their values fill its empty fields, and their ids lead to it.',
  input: (t) => ({
    survivorId: t.field({ ...acceptId('Contact'), required: true, description: 'The contact that stays.' }),
    ids: t.field({
      ...acceptIds('Contact'),
      required: true,
      validate: limitListLength([1, 100], 'contacts'),
      description: 'The contacts that are merged into it, at most 100; the first one listed takes precedence.',
    }),
    dryRun: t.boolean({
      defaultValue: false,
      required: true,
      description: 'Whether to return the result without making the changes.',
    }),
  }),
  resolve: async ({ survivorId, ids, dryRun }, context, info) => {
    const parts = listSelectedParts(listFieldsBelow(info, 'contact'));
    const { space, caller } = context;
    const options = { survivor: survivorId, others: ids, dryRun, by: caller.userId, reader: caller, parts };
    const merge = await mergeContacts(space, options);
    preloadOwnParts(context, merge.contact, parts);
    return merge;
  },
  audit: (_, { survivorId, ids, dryRun }) => (dryRun ? undefined : { type: 'Contact', ids: [survivorId, ...ids] }),
  payload: (t) => ({
    contact: t.field({
      type: Contact,
      description: 'The survivor, as it is now.',
      resolve: ({ contact }) => contact,
    }),
    mergeId: t.id({
      nullable: true,
      description:
        'The merge, which `undoContactMerge` undoes; null in a dry run. It is an import, too, of the family `contact_merges`.',
      resolve: ({ mergeId }) => mergeId && formatGlobalId('Import', mergeId),
    }),
    conflicts: t.expose('conflicts', {
      type: [MergeConflict],
      description: 'The values that are dropped; none for a caller who may not read contacts.',
    }),
    moved: t.expose('moved', {
      type: [MovedRecords],
      description: 'The records that move to the survivor; those that the caller may not read move uncounted.',
    }),
  }),
});

defineMutation('undoContactMerge', {
  cost: 5,
  description:
    'Undoes a merge, of those that are not undone the latest of its survivor. The merged contacts live again with their records, tags and answers; what was given to the survivor since stays with it. An opt-out that was made since is that of all of them, and an answer on consent that was changed since does not come back.',
  input: (t) => ({
    id: t.field({ ...acceptId('Import'), required: true, description: 'The `mergeId` of the merge.' }),
  }),
  resolve: ({ id }, { space, caller, action }) => undoContactMerge(space, id, caller.userId, action!, caller),
  // As an import, it can be undone by other doors too.
  audit: 'by-verb',
  payload: (t) => ({
    contacts: t.field({
      type: [Contact],
      description: 'The survivor, and the contacts that live again.',
      resolve: ({ contacts }, _, context, info) => contacts.map((id) => readOwner(context, info, id)),
    }),
    left: t.exposeInt('left', {
      description:
        'How many values and records stay as they are, since somebody has changed or deleted them since. Records that the caller may not read are not counted.',
    }),
  }),
});
