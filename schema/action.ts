// Actions of a space, and the contacts that are linked to them.
import { type ActionRow, linkAction, listActions, unlinkAction } from '../src/data/action.ts';
import { builder } from './builder.ts';
import { ChangedContacts, defineContactIdsArg } from './changed-contacts.ts';
import { definePageType, defineSliceArgs } from './page.ts';
import { defineRecordMutations } from './record.ts';
import { nonBlank } from './validators.ts';

const Action = builder.objectRef<ActionRow>('Action').implement({
  description: 'Something that contacts take part in.',
  fields: (t) => ({
    id: t.expose('id', { type: 'Id', description: 'Id of the action.' }),
    name: t.exposeString('name', { description: 'Name of the action.' }),
    startsAt: t.expose('starts_at', { type: 'DateTime', nullable: true, description: 'When it begins.' }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When the action was created.' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime', description: 'When the action was last changed.' }),
  }),
});

const ActionList = definePageType(Action, 'actions');

type MutationBuilder = Parameters<Parameters<typeof builder.mutationFields>[0]>[0];

const linkingArgs = (t: MutationBuilder) => ({
  actionId: t.arg({ type: 'Id', required: true, description: 'The action.' }),
  contactIds: defineContactIdsArg(t),
});

builder.queryField('actions', (t) =>
  t.field({
    type: ActionList,
    description: 'The actions of the space.',
    args: defineSliceArgs(t),
    resolve: (_, slice, { space }) => listActions.list(space, slice),
  }),
);

defineRecordMutations({
  type: Action,
  verbs: listActions,
  role: 'manager',
  fields: (t, required) => ({
    name: t.string({ required, validate: nonBlank, description: 'Name of the action; not blank.' }),
    startsAt: t.field({ type: 'DateTime', description: 'When it begins.' }),
  }),
  mandatory: ['name'],
  alsoDeletes: ' It is no longer shown on contacts, nor found by searches.',
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
}));
