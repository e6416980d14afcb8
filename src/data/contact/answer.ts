// Answers of contacts to forms, as lists.

import { defineList } from '../noun/define-list.ts';
import type { ListDescription } from '../noun/describe.ts';
import { type AnswerRow, answerColumns } from './read.ts';

const fields = {
  id: { column: 'a.id', type: 'id' },
  contactId: { column: 'a.contact_id', type: 'id' },
  formId: { column: 'a.form_id', type: 'id' },
  optionId: { column: 'a.form_ref_id', type: 'id' },
  surveyId: { column: 'a.survey_id', type: 'number', nullable: true },
  kind: { column: 'f.kind', type: 'code' },
  text: { column: 'a.data', type: 'text', nullable: true },
  createdAt: { column: 'a.created_at', type: 'instant' },
  updatedAt: { column: 'a.updated_at', type: 'instant' },
  answeredAt: { column: 'a.date', type: 'instant', nullable: true },
} as const;

const description: ListDescription<typeof fields> = {
  noun: 'answer',
  from: 'answers a join forms f on f.group_id = :group and f.id = a.form_id and f.deleted_at is null',
  scoped: ['a'],
  columns: answerColumns,
  contact: 'a.contact_id',
  fields,
  orders: ['id', 'answeredAt', 'createdAt', 'updatedAt'],
  indexed: ['id'],
  groups: ['contactId', 'formId', 'optionId', 'kind'],
};

/** All answers, those to custom fields among them. */
export const answerList = defineList<AnswerRow>()(description);
/** The answers to forms that are not custom fields. */
export const plainAnswerList = defineList<AnswerRow>()({ ...description, living: `f.kind <> 'custom_fields'` });
