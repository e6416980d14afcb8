// Forms: questions to contacts, and the reference values that answer them, of which some mean yes or no.
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { defineList } from '../noun/define-list.ts';
import { commonFields } from '../noun/fields.ts';
import type { RecordSource } from '../noun/json-sql.ts';

const trueWords: ReadonlySet<string> = new Set('true 1 yes y oui vrai ja wahr'.split(' '));
const falseWords: ReadonlySet<string> = new Set('false 0 no n non faux nein falsch'.split(' '));

/** Reads a word of truth without case; undefined for another text. */
export const readBooleanWord = (text: string): boolean | undefined => {
  const word = text.trim().toLowerCase();
  return trueWords.has(word) ? true : falseWords.has(word) ? false : undefined;
};

export const formKinds = [
  'consent',
  'level_of_support',
  'presence_status',
  'custom_fields',
  'survey',
  'tasks',
] as const;
export type FormKind = (typeof formKinds)[number];
export const formTypes = ['text', 'numeric', 'date', 'radio', 'select', 'checkbox'] as const;
export type FormType = (typeof formTypes)[number];

export interface FormRow {
  id: number;
  kind: FormKind;
  label: string;
  type: FormType;
  created_at: string;
  updated_at: string;
}

export interface FormRefRow {
  id: number;
  form_id: number;
  label: string;
  value: string | null;
}

export const formColumns = 'id, kind, label, type, created_at, updated_at';
const buildFormSql = (id: string): string =>
  `select ${formColumns} from forms where group_id = :group and id = ${id} and deleted_at is null`;
const byIds = defineStatement('form.by_ids', buildFormSql('any(:ids)'));
const list = defineStatement(
  'form.list',
  `select ${formColumns} from forms where group_id = :group and (cast(:kind as text) is null or kind = :kind) and deleted_at is null order by id`,
);
/** SQL of the reference values of forms; `of` is the comparison with their ids. */
export const buildRefsSql = (of: string): string =>
  `select id, form_id, label, value from form_refs where group_id = :group and form_id ${of} order by form_id, position, id`;
const refs = defineStatement('form.refs', buildRefsSql('= any(:ids)'));
/** SQL of the reference value with an id. */
export const buildRefSql = (id: string): string =>
  `select id, form_id, label, value from form_refs where group_id = :group and id = ${id}`;

const refsByIds = defineStatement(
  'form.refs_by_ids',
  `select r.id, r.form_id, r.label, r.value from form_refs r
     join forms f on f.group_id = :group and f.id = r.form_id and f.deleted_at is null
    where r.group_id = :group and r.id = any(:ids)`,
);

const readFormsByIds = (space: Space, ids: readonly number[]): Promise<FormRow[]> => space.rows(byIds, { ids });
export const formsById: RecordSource<FormRow> = { read: readFormsByIds, buildSql: buildFormSql };
/** The forms of one kind, or all. */
export const listForms = (space: Space, kind: FormKind | null): Promise<FormRow[]> => space.rows(list, { kind });
/** The reference values with these ids, of living forms. */
export const readRefsByIds = (space: Space, ids: readonly number[]): Promise<FormRefRow[]> =>
  space.rows(refsByIds, { ids });
export const readRefsOfForms = (space: Space, ids: readonly number[]): Promise<FormRefRow[]> =>
  space.rows(refs, { ids });

export const formList = defineList<FormRow>()({
  noun: 'form',
  from: 'forms r',
  scoped: ['r'],
  columns: formColumns.replaceAll(/\w+/g, 'r.$&'),
  living: 'r.deleted_at is null',
  fields: {
    ...commonFields,
    kind: { column: 'r.kind', type: 'code' },
    label: { column: 'r.label', type: 'text' },
    type: { column: 'r.type', type: 'code' },
  },
  orders: ['id', 'label', 'createdAt', 'updatedAt'],
  isShort: true,
  groups: ['kind', 'type'],
});
