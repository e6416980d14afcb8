// Templates of mailings.
import { type TemplateRow, templateList, templates } from '../../src/data/contact/template.ts';
import { builder } from '../graph/builder.ts';
import { defineListConnection } from '../graph/list-connection.ts';
import { defineNodeFields, Node } from '../graph/node.ts';
import { nonBlank } from '../graph/validators.ts';
import { defineRecordMutations } from '../money/record.ts';

export const Template = builder.objectRef<TemplateRow>('Template').implement({
  interfaces: [Node],
  description: 'What campaigns are made from.',
  fields: (t) => ({
    ...defineNodeFields(t, 'Template'),
    name: t.exposeString('name', { description: 'Name of the template.' }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When the template was created.' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime', description: 'When the template was last changed.' }),
  }),
});

defineRecordMutations({
  type: Template,
  verbs: templates,
  fields: (t, required) => ({
    name: t.string({ required, validate: nonBlank, description: 'Name of the template; not blank.' }),
  }),
  mandatory: ['name'],
  alsoDeletes: ' Campaigns made from it stay.',
});

defineListConnection({
  field: 'templates',
  type: Template,
  list: templateList,
  description: 'The templates of the space.',
});
