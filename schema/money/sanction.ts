// Sanctions against contacts (spec §4.13; decisions §4: whether one is ongoing follows from its dates).
import { type SanctionRow, sanctionList, sanctions } from '../../src/data/money/sanction.ts';
import { builder } from '../graph/builder.ts';
import { defineListConnection } from '../graph/list-connection.ts';
import { defineNodeFields, Node } from '../graph/node.ts';
import { shortText } from '../graph/validators.ts';
import { defineRecordMutations } from './record.ts';

export const Sanction = builder.objectRef<SanctionRow>('Sanction').implement({
  interfaces: [Node],
  description: 'A measure against a contact, from an instant until another.',
  fields: (t) => ({
    ...defineNodeFields(t, 'Sanction'),
    status: t.exposeString('status', { nullable: true, description: 'What the sanction is.' }),
    startDate: t.expose('start_date', {
      type: 'DateTime',
      nullable: true,
      description: 'From when; null when it has always been.',
    }),
    endDate: t.expose('end_date', {
      type: 'DateTime',
      nullable: true,
      description: 'Until when; null when it does not end.',
    }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When it was recorded.' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
});

defineRecordMutations({
  type: Sanction,
  verbs: sanctions,
  fields: (t) => ({
    status: t.string({ validate: shortText, description: 'What the sanction is.' }),
    startDate: t.field({ type: 'DateTime', description: 'From when.' }),
    endDate: t.field({ type: 'DateTime', description: 'Until when, not before it starts.' }),
  }),
  mandatory: [],
});

export const sanctionConnection = defineListConnection({
  field: 'sanctions',
  type: Sanction,
  list: sanctionList,
  description: 'The sanctions of the space.',
});
