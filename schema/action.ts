// Actions of a space.
import { type ActionRow, actionList, listActions } from '../src/data/action.ts';
import { builder } from './builder.ts';
import { defineListConnection } from './list-connection.ts';
import { defineNodeFields, Node } from './node.ts';
import { defineRecordMutations } from './record.ts';
import { nonBlank } from './validators.ts';

export const Action = builder.objectRef<ActionRow>('Action').implement({
  interfaces: [Node],
  description: 'Something that contacts take part in.',
  fields: (t) => ({
    ...defineNodeFields(t, 'Action'),
    name: t.exposeString('name', { description: 'Name of the action.' }),
    startsAt: t.expose('starts_at', { type: 'DateTime', nullable: true, description: 'When it begins.' }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When the action was created.' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime', description: 'When the action was last changed.' }),
  }),
});

defineRecordMutations({
  type: Action,
  verbs: listActions,
  fields: (t, required) => ({
    name: t.string({ required, validate: nonBlank, description: 'Name of the action; not blank.' }),
    startsAt: t.field({ type: 'DateTime', description: 'When it begins.' }),
  }),
  mandatory: ['name'],
  alsoDeletes: ' It is no longer shown on contacts, nor found by searches.',
});

defineListConnection({
  field: 'actions',
  type: Action,
  list: actionList,
  description: 'The actions of the space.',
});
