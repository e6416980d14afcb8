// Answers of contacts to forms, as lists.

import { defineList } from '../noun/define-list.ts';
import type { ListDescription } from '../noun/describe.ts';
import { describeRecordColumns, type RowOf } from '../noun/noun.ts';

export const answerColumns = describeRecordColumns({
  id: { kind: 'id' },
  contact_id: { kind: 'id' },
  group_id: { kind: 'id' },
  form_id: { kind: 'id' },
  form_ref_id: { kind: 'id' },
  survey_id: { kind: 'whole', nullable: true },
  data: { kind: 'text', nullable: true, description: 'The answer as text.', field: 'text' },
  date: { kind: 'instant', nullable: true, description: 'When it was answered.', field: 'answeredAt' },
  created_at: { kind: 'instant', description: 'When it was recorded.' },
  updated_at: { kind: 'instant', description: 'When it was last changed.' },
});
export type AnswerRow = RowOf<typeof answerColumns.columns> & { kind: string };

/** SQL of the columns of an answer `a` to a form `f`. */
export const selectedAnswerColumns = `${answerColumns.qualify('a')}, f.kind`;

const description: ListDescription = {
  noun: 'answer',
  from: 'answers a join forms f on f.group_id = :group and f.id = a.form_id and f.deleted_at is null',
  scoped: ['a'],
  columns: selectedAnswerColumns,
  contact: 'a.contact_id',
  fields: {
    ...answerColumns.listFields(
      ['id', 'contact_id', 'form_id', 'survey_id', 'created_at', 'updated_at'],
      { optionId: 'form_ref_id', text: 'data', answeredAt: 'date' },
      'a',
    ),
    kind: { column: 'f.kind', type: 'code' },
  },
  orders: ['id', 'answeredAt', 'createdAt', 'updatedAt'],
  indexed: ['id'],
  groups: ['contactId', 'formId', 'optionId', 'kind'],
};

/** All answers, those to custom fields among them. */
export const answerList = defineList<AnswerRow>()(description);
/** The answers to forms that are not custom fields. */
export const plainAnswerList = defineList<AnswerRow>()({ ...description, living: `f.kind <> 'custom_fields'` });
