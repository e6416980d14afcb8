// Changes to many contacts at once: their tags, and the actions that they are linked to.
import { z } from 'zod';
import { linkAction, unlinkAction } from '../src/data/action.ts';
import { addTagToContacts, removeTagFromContacts } from '../src/data/tag.ts';
import { limitListLength } from '../src/input/list-length.ts';
import { limits } from '../src/limits.ts';
import { builder } from './builder.ts';
import { Contact } from './contact.ts';
import { readOwner } from './contact-relations.ts';
import { acceptId, acceptIds } from './node.ts';
import { nonBlank } from './validators.ts';

type MutationBuilder = Parameters<Parameters<typeof builder.mutationFields>[0]>[0];

/** The payload of such a change. */
const ChangedContacts = builder.objectRef<{ contactIds: number[] }>('ChangedContacts').implement({
  description: 'Which contacts a change made to many of them has changed.',
  fields: (t) => ({
    count: t.int({ description: 'How many contacts were changed.', resolve: ({ contactIds }) => contactIds.length }),
    contacts: t.field({
      type: [Contact],
      description: 'The contacts that were changed, by id; those that were as wanted already are not among them.',
      resolve: ({ contactIds }, _, context, info) => contactIds.map((id) => readOwner(context, info, id)),
    }),
  }),
});

/** The contacts that are meant. */
const defineContactIdsArg = (t: MutationBuilder) =>
  t.arg({
    ...acceptIds('Contact'),
    required: true,
    validate: limitListLength([1, 1000], 'contacts'),
    description: 'The contacts, 1 to 1000; all of them must be there.',
  });

const linkingArgs = (t: MutationBuilder) => ({
  actionId: t.arg({ ...acceptId('Action'), required: true, description: 'The action.' }),
  contactIds: defineContactIdsArg(t),
});

/** Each name is held to the rule of names, at its place. */
const names = limitListLength([1, limits.value.tagsOfContact], 'tags', (list) => list.pipe(z.array(nonBlank)));

const taggingArgs = (t: MutationBuilder, description: string) => ({
  contactIds: defineContactIdsArg(t),
  tags: t.arg.stringList({ required: true, validate: names, description }),
});

builder.mutationFields((t) => ({
  linkAction: t.field({
    type: ChangedContacts,
    extensions: { cost: 5 },
    description: 'Links contacts to an action, all or none.',
    args: linkingArgs(t),
    resolve: async (_, { actionId, contactIds }, { space, caller }) => ({
      contactIds: await linkAction(space, { actionId, contactIds, userId: caller.userId }),
    }),
  }),
  unlinkAction: t.field({
    type: ChangedContacts,
    extensions: { cost: 5 },
    description: 'Takes the links of contacts to an action away, all or none.',
    args: linkingArgs(t),
    resolve: async (_, { actionId, contactIds }, { space, caller }) => ({
      contactIds: await unlinkAction(space, { actionId, contactIds, userId: caller.userId }),
    }),
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
