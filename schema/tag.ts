// Tags of a space.
import { createTag, deleteTag, tagList, updateTag } from '../src/data/tag.ts';
import { convertToColumns } from '../src/input/snake-case.ts';
import { builder } from './builder.ts';
import { Tag } from './contact.ts';
import { Deletion } from './delete-payload.ts';
import { defineListConnection } from './list-connection.ts';
import { acceptId, registerNode } from './node.ts';
import { nonBlank, refuseNullFields, shortText } from './validators.ts';

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
      id: t.arg({ ...acceptId('Tag'), required: true, description: 'Id of the tag.' }),
      input: t.arg({ type: TagChange, required: true, description: 'What to change.' }),
    },
    resolve: (_, { id, input }, { space }) => updateTag(space, id, convertToColumns(input)),
  }),
  deleteTag: t.field({
    type: Deletion,
    extensions: { role: 'manager', cost: 5 },
    description: 'Deletes a tag and takes it off all contacts, each of which is changed by that.',
    args: { id: t.arg({ ...acceptId('Tag'), required: true, description: 'Id of the tag.' }) },
    resolve: async (_, { id }, { space, caller }) => ({ id: await deleteTag(space, id, caller.userId), type: 'Tag' }),
  }),
}));

defineListConnection({
  field: 'tags',
  type: Tag,
  list: tagList,
  description: 'The tags of the space.',
});
registerNode(Tag, ({ space }, ids) => tagList.readByIds(space, ids));
