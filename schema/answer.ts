// Answers of contacts to forms, custom fields among them (spec §2.2, §2.3).
import { type AnswerRow, readAnswersOfContacts } from '../src/data/contact/read.ts';
import { builder } from './builder.ts';
import { Form, FormRef, formOf, refsOf } from './form.ts';
import { createRelationLoader, mapRelated } from './loader.ts';

export const Answer = builder.objectRef<AnswerRow>('Answer').implement({
  description: 'The answer of a contact to a form.',
  fields: (t) => ({
    id: t.expose('id', { type: 'Id', description: 'Id of the answer.' }),
    contactId: t.expose('contact_id', { type: 'Id', description: 'The contact.' }),
    groupId: t.expose('group_id', { type: 'Id', description: 'The space.' }),
    formId: t.expose('form_id', { type: 'Id', description: 'The form that was answered.' }),
    formRefId: t.expose('form_ref_id', { type: 'Id', description: 'The reference value that was chosen.' }),
    surveyId: t.expose('survey_id', {
      type: 'Id',
      nullable: true,
      description: 'The survey in which it was answered.',
    }),
    data: t.exposeString('data', { nullable: true, description: 'The answer as text.' }),
    date: t.expose('date', { type: 'DateTime', nullable: true, description: 'When it was answered.' }),
    form: t.field({
      type: Form,
      description: 'The form that was answered.',
      resolve: ({ form_id }, _, context) => mapRelated(formOf(context, form_id), ([form]) => form!),
    }),
    refvalue: t.field({
      type: FormRef,
      description: 'The reference value that was chosen.',
      resolve: ({ form_id, form_ref_id }, _, context) =>
        mapRelated(refsOf(context, form_id), (refs) => refs.find(({ id }) => id === form_ref_id)!),
    }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When it was recorded.' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
});

/** All answers of a contact, those to custom fields among them. */
export const answersOf = createRelationLoader(
  (context, ids) => readAnswersOfContacts(context.space, ids),
  (answer) => answer.contact_id,
);
