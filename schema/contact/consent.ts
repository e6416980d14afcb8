// The history of what people agreed to.
import { type ConsentChange, consentColumns, consentList } from '../../src/data/contact/consent.ts';
import { Form, formOf } from '../form/form.ts';
import { builder } from '../graph/builder.ts';
import { defineListConnection } from '../graph/list-connection.ts';
import { defineNodeFields, Node, nameAnyRecord, nameRecord } from '../graph/node.ts';
import { defineColumnFields } from '../graph/noun.ts';

export const ConsentChangeType = builder.objectRef<ConsentChange>('ConsentChange').implement({
  interfaces: [Node],
  description: 'A change of what a contact agreed to: of their opt-out, or of their answer to a form on consent.',
  fields: (t) => ({
    ...defineNodeFields(t, 'ConsentChange'),
    ...defineColumnFields(t, consentColumns.columns),
    contactId: t.id(
      nameRecord('Contact', 'contact_id', 'The contact. The history of a merged contact is that of the survivor.'),
    ),
    formId: t.id(nameAnyRecord('Form', 'form_id', 'The form, even if it is gone; null for a change of the opt-out.')),
    form: t.field({
      type: Form,
      description: 'The form; null for a change of the opt-out, and for a form that is gone.',
      ...formOf.find('form_id'),
    }),
    tokenId: t.expose('token_id', {
      type: 'SafeInt',
      nullable: true,
      description: 'The number of the access token; null for an import or a command.',
    }),
    importId: t.id(nameAnyRecord('Import', 'import_id', 'The id of the import that wrote it, even if it is gone.')),
  }),
});

export const consentConnection = defineListConnection({
  field: 'consentChanges',
  type: ConsentChangeType,
  list: consentList,
  description:
    'The history of what contacts agreed to. It is kept as long as the contact, whatever happens to the feed and to the audit log.',
});
