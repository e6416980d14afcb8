// Tags of a space: making them, and putting them on contacts.
import { z } from 'zod';
import { addTagToContacts, createTag, deleteTag, listTags, removeTagFromContacts, updateTag } from '../src/data/tag.ts';
import { limitListLength } from '../src/input/list-length.ts';
import { convertToColumns } from '../src/input/snake-case.ts';
import { limits } from '../src/limits.ts';
import { builder } from './builder.ts';
import { ChangedContacts, defineContactIdsArg } from './changed-contacts.ts';
import { Tag } from './contact.ts';
import { Deletion } from './delete-payload.ts';
import { definePageType, defineSliceArgs } from './page.ts';
import { nonBlank, refuseNullFields, shortText } from './validators.ts';

const TagList = definePageType(Tag, 'tags');

const TagInput = builder.inputType('TagInput', {
  description: 'A tag to create.',
  fields: (t) => ({
    name: t.string({
      required: true,
      validate: nonBlank,
      description: 'The label; not blank, and no other tag has it.',
    }),
    color: t.string({ validate: shortText, description: 'Colour to show it in.' }),
  }),
});

const TagChange = builder.inputType('TagChange', {
  description: 'What to change of a tag. Fields left out stay; null clears the colour.',
  fields: (t) => ({
    name: t.string({ validate: nonBlank, description: 'The label; not blank, and no other tag has it.' }),
    color: t.string({ validate: shortText, description: 'Colour to show it in.' }),
  }),
  validate: refuseNullFields('name'),
});

type MutationBuilder = Parameters<Parameters<typeof builder.mutationFields>[0]>[0];

/** Each name is held to the rule of names, at its place. */
const names = limitListLength([1, limits.value.tagsOfContact], 'tags', (list) => list.pipe(z.array(nonBlank)));

const taggingArgs = (t: MutationBuilder, description: string) => ({
  contactIds: defineContactIdsArg(t),
  tags: t.arg.stringList({ required: true, validate: names, description }),
});

builder.queryField('tags', (t) =>
  t.field({
    type: TagList,
    description: 'The tags of the space.',
    args: defineSliceArgs(t),
    resolve: (_, slice, { space }) => listTags(space, slice),
  }),
);

builder.mutationFields((t) => ({
  createTag: t.field({
    type: Tag,
    extensions: { role: 'manager' },
    description: 'Creates a tag.',
    args: { input: t.arg({ type: TagInput, required: true, description: 'The tag.' }) },
    resolve: (_, { input }, { space }) => createTag(space, { name: input.name, color: input.color ?? null }),
  }),
  updateTag: t.field({
    type: Tag,
    extensions: { role: 'manager' },
    description: 'Changes a tag, on all contacts that have it.',
    args: {
      id: t.arg({ type: 'Id', required: true, description: 'Id of the tag.' }),
      input: t.arg({ type: TagChange, required: true, description: 'What to change.' }),
    },
    resolve: (_, { id, input }, { space }) => updateTag(space, id, convertToColumns(input)),
  }),
  deleteTag: t.field({
    type: Deletion,
    extensions: { role: 'manager', cost: 5 },
    description: 'Deletes a tag and takes it off all contacts, each of which is changed by that.',
    args: { id: t.arg({ type: 'Id', required: true, description: 'Id of the tag.' }) },
    resolve: async (_, { id }, { space, caller }) => ({ id: await deleteTag(space, id, caller.userId), noun: 'Tag' }),
  }),
  tagContacts: t.field({
    type: ChangedContacts,
    extensions: { cost: 5 },
    description: 'Puts tags on contacts, all or none. Tags that the space does not have are created.',
    args: taggingArgs(t, 'Names of the tags to put on, 1 to 200; a contact has at most 200.'),
    resolve: async (_, { contactIds, tags }, { space, caller }) => ({
      contactIds: await addTagToContacts(space, { contactIds, tags, userId: caller.userId }),
    }),
  }),
  untagContacts: t.field({
    type: ChangedContacts,
    extensions: { cost: 5 },
    description: 'Takes tags off contacts, all or none.',
    args: taggingArgs(t, 'Names of the tags to take off, 1 to 200; a contact that does not have one stays without it.'),
    resolve: async (_, { contactIds, tags }, { space, caller }) => ({
      contactIds: await removeTagFromContacts(space, { contactIds, tags, userId: caller.userId }),
    }),
  }),
}));
