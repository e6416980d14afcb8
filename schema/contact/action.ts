// Actions of a space.
import { type ActionRow, actionList, listActions } from '../../src/data/contact/action.ts';
import { builder } from '../graph/builder.ts';
import { defineListConnection } from '../graph/list-connection.ts';
import { defineNodeFields, Node } from '../graph/node.ts';
import { nonBlank } from '../graph/validators.ts';
import { defineRecordMutations } from '../money/record.ts';

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
