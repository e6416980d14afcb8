// Tags of a space.

import { createTag, deleteTag, tagList, updateTag } from '../../src/data/contact/tag.ts';
import { describeAudited } from '../../src/data/noun/audit.ts';
import { convertToColumns } from '../../src/input/snake-case.ts';
import { defineListConnection } from '../graph/list-connection.ts';
import { defineDeletion, defineMutation } from '../graph/mutation.ts';
import { acceptId } from '../graph/node.ts';
import { nonBlank, refuseNullFields, shortText } from '../graph/validators.ts';
import { Tag } from './contact.ts';

const nameRule = { validate: nonBlank, description: 'The label; not blank, and no other tag has it.' };
const colorRule = { validate: shortText, description: 'Colour to show it in.' };

defineMutation('createTag', {
  description: 'Creates a tag.',
  input: (t) => ({ name: t.string({ required: true, ...nameRule }), color: t.string(colorRule) }),
  resolve: async ({ name, color = null }, { space }) => ({ tag: await createTag(space, { name, color }) }),
  audit: ({ tag }) => describeAudited('Tag', tag),
  payload: (t) => ({ tag: t.expose('tag', { type: Tag, description: 'The tag.' }) }),
});

defineMutation('updateTag', {
  description: 'Changes a tag, on all contacts that have it. Fields left out stay; null clears the colour.',
  input: (t) => ({
    id: t.field({ ...acceptId('Tag'), required: true, description: 'Id of the tag.' }),
    name: t.string(nameRule),
    color: t.string(colorRule),
  }),
  validate: refuseNullFields('name'),
  resolve: async ({ id, ...change }, { space }) => ({ tag: await updateTag(space, id, convertToColumns(change)) }),
  audit: ({ tag }) => describeAudited('Tag', tag),
  payload: (t) => ({ tag: t.expose('tag', { type: Tag, description: 'The tag, as it is now.' }) }),
});

defineDeletion('deleteTag', {
  type: 'Tag',
  cost: 5,
  description: 'Deletes a tag and takes it off all contacts, each of which is changed by that.',
  remove: ({ space, caller }, id) => deleteTag(space, id, caller.userId),
});

defineListConnection({
  field: 'tags',
  type: Tag,
  list: tagList,
  description: 'The tags of the space.',
});
