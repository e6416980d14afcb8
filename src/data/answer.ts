// Answers of contacts to forms, as a list.
import { type AnswerRow, answerColumns } from './contact/read.ts';
import { defineList } from './list/define-list.ts';

export const answerList = defineList<AnswerRow>()({
  noun: 'answer',
  from: 'answers a join forms f on f.group_id = a.group_id and f.id = a.form_id and f.deleted_at is null',
  scoped: ['a', 'f'],
  columns: answerColumns,
  contact: 'a.contact_id',
  fields: {
    id: { column: 'a.id', type: 'id' },
    contactId: { column: 'a.contact_id', type: 'id' },
    formId: { column: 'a.form_id', type: 'id' },
    formRefId: { column: 'a.form_ref_id', type: 'id' },
    surveyId: { column: 'a.survey_id', type: 'id', nullable: true },
    kind: { column: 'f.kind', type: 'code' },
    data: { column: 'a.data', type: 'text', nullable: true },
    createdAt: { column: 'a.created_at', type: 'instant' },
    updatedAt: { column: 'a.updated_at', type: 'instant' },
    date: { column: 'a.date', type: 'instant', nullable: true },
  },
  orders: ['id', 'date', 'createdAt', 'updatedAt'],
  indexed: ['id'],
  groups: ['contactId', 'formId', 'formRefId', 'kind'],
});
