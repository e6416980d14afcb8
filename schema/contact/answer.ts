// Answers of contacts to forms, custom fields among them (spec §2.2, §2.3).
import { type AnswerRow, answerColumns, answerList } from '../../src/data/contact/answer.ts';
import { buildRefSql } from '../../src/data/form/form.ts';
import { mapRelated } from '../../src/plan/loader.ts';
import { Form, FormKind, FormOption, formOf, refsOf } from '../form/form.ts';
import { builder } from '../graph/builder.ts';
import { defineListConnection } from '../graph/list-connection.ts';
import { defineNodeFields, legacyId, Node } from '../graph/node.ts';
import { defineColumnFields } from '../graph/noun.ts';

export const Answer = builder.objectRef<AnswerRow>('Answer').implement({
  interfaces: [Node],
  description: 'The answer of a contact to a form.',
  fields: (t) => ({
    ...defineNodeFields(t, 'Answer'),
    contactId: t.expose('contact_id', { ...legacyId, description: 'The contact.' }),
    groupId: t.expose('group_id', { ...legacyId, description: 'The space.' }),
    formId: t.expose('form_id', { ...legacyId, description: 'The form that was answered.' }),
    formRefId: t.expose('form_ref_id', { ...legacyId, description: 'The reference value that was chosen.' }),
    surveyId: t.expose('survey_id', {
      type: 'SafeInt',
      nullable: true,
      description: 'The survey in which it was answered: a number of another system.',
    }),
    ...defineColumnFields(t, answerColumns.columns),
    form: t.field({ type: Form, description: 'The form that was answered.', ...formOf.require('form_id') }),
    option: t.field({
      type: FormOption,
      description: 'The option that was chosen; free input has one.',
      extensions: { json: { rows: { by: 'form_ref_id', buildSql: buildRefSql }, pick: 'one' } },
      resolve: ({ form_id, form_ref_id }, _, context) =>
        mapRelated(refsOf(context, form_id), (refs) => refs.find(({ id }) => id === form_ref_id)!),
    }),
  }),
});

export const answerConnection = defineListConnection({
  field: 'answers',
  type: Answer,
  list: answerList,
  description: 'The answers of contacts in the space, those to custom fields among them.',
  enums: { kind: FormKind },
});
