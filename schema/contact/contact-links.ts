// Tags of a space, and changes to many contacts at once: their tags, and the actions that they are linked to.
import type { InputFieldMap, InputShapeFromFields } from '@pothos/core';
import { z } from 'zod';
import { linkAction, unlinkAction } from '../../src/data/contact/action.ts';
import {
  addTagToContacts,
  createTag,
  deleteTag,
  removeTagFromContacts,
  tagList,
  updateTag,
} from '../../src/data/contact/tag.ts';
import type { Space } from '../../src/database/space.ts';
import { replaceBlanks } from '../../src/input/blank.ts';
import { limitListLength } from '../../src/input/list-length.ts';
import { convertToColumns } from '../../src/input/snake-case.ts';
import { limits } from '../../src/limits/limits.ts';
import { defineListConnection } from '../graph/list-connection.ts';
import { defineDeletion, defineMutation, defineRecordMutation, type InputBuilder } from '../graph/mutation.ts';
import { acceptId, acceptIds, requireId } from '../graph/node.ts';
import { nonBlank, refuseNullFields, shortText } from '../graph/validators.ts';
import { Contact, Tag } from './contact.ts';
import { readOwner } from './contact-relations.ts';

const nameRule = { validate: nonBlank, description: 'The label; not blank, and no other tag has it.' };
const colorRule = { validate: shortText, description: 'Colour to show it in.' };

defineRecordMutation('createTag', {
  type: Tag,
  description: 'Creates a tag.',
  input: (t) => ({ name: t.string({ required: true, ...nameRule }), color: t.string(colorRule) }),
  resolve: (input, { space }) => {
    const { name, color = null } = replaceBlanks(input, 'null');
    return createTag(space, { name, color });
  },
});

defineRecordMutation('updateTag', {
  type: Tag,
  description: 'Changes a tag, on all contacts that have it. Fields left out stay; null clears the colour.',
  input: (t) => ({
    id: t.field(requireId('Tag')),
    name: t.string(nameRule),
    color: t.string(colorRule),
  }),
  validate: refuseNullFields('name'),
  resolve: ({ id, ...change }, { space }) => updateTag(space, id, convertToColumns(replaceBlanks(change, 'null'))),
});

defineDeletion('deleteTag', {
  type: 'Tag',
  cost: 5,
  description: 'Deletes a tag and takes it off all contacts, each of which is changed by that.',
  remove: ({ space, caller }, id) => deleteTag(space, id, caller.userId),
});

defineListConnection({ field: 'tags', type: Tag, list: tagList });

const defineContactsField = (t: InputBuilder) =>
  t.field({
    ...acceptIds('Contact'),
    required: true,
    validate: limitListLength([1, 1000], 'contacts'),
    description: 'The contacts, 1 to 1000; all of them must exist.',
  });

const defineLinkInput = (t: InputBuilder) => ({
  actionId: t.field({ ...acceptId('Action'), required: true, description: 'The action.' }),
  contactIds: defineContactsField(t),
});

/** The rule of names applies to each tag, at its place. */
const names = limitListLength([1, limits.value.tagsOfContact], 'tags', (list) => list.pipe(z.array(nonBlank)));

const defineTagsInput = (whatFor: string) => (t: InputBuilder) => ({
  contactIds: defineContactsField(t),
  tags: t.stringList({ required: true, validate: names, description: `Names of the tags to ${whatFor}` }),
});

/** Adds a mutation that changes many contacts, all or none. */
const defineContactsMutation = <Fields extends InputFieldMap>(
  name: string,
  description: string,
  input: (t: InputBuilder) => Fields,
  change: (space: Space, wanted: InputShapeFromFields<Fields> & { userId: number }) => Promise<number[]>,
) =>
  defineMutation(name, {
    cost: 5,
    description,
    input,
    resolve: async (wanted, { space, caller }) => ({
      contactIds: await change(space, { ...wanted, userId: caller.userId }),
    }),
    audit: ({ contactIds }) => ({ type: 'Contact', ids: contactIds }),
    payload: (t) => ({
      count: t.int({ description: 'How many contacts were changed.', resolve: ({ contactIds }) => contactIds.length }),
      contacts: t.field({
        type: [Contact],
        description: 'The contacts that were changed, by id; those that were as wanted already are not among them.',
        resolve: ({ contactIds }, _, context, info) => contactIds.map((id) => readOwner(context, info, id)),
      }),
    }),
  });

defineContactsMutation('linkAction', 'Links contacts to an action, all or none.', defineLinkInput, linkAction);
defineContactsMutation(
  'unlinkAction',
  'Removes the links of contacts to an action, all or none.',
  defineLinkInput,
  unlinkAction,
);
defineContactsMutation(
  'tagContacts',
  'Adds tags to contacts, all or none. Tags that the space does not have are created.',
  defineTagsInput('add, 1 to 200; a contact has at most 200.'),
  addTagToContacts,
);
defineContactsMutation(
  'untagContacts',
  'Removes tags from contacts, all or none.',
  defineTagsInput('remove, 1 to 200; a contact without one of them stays as it is.'),
  removeTagFromContacts,
);
