// Changes of a contact: its columns, address, tags, actions, answers and new notes; and how changed columns are bound to SQL.
import type { FormKind } from '../form/form.ts';
import type { AnswerRow } from './answer.ts';
import { type AddressColumn, type ContactColumn, contactFlags, getColumnType } from './columns.ts';
import type { NoteRow } from './note.ts';

type PatchColumn = ContactColumn | AddressColumn;

/** Binds rows as one array per column, which PostgreSQL reads in a fraction of the time that JSON takes: SQL and its values. */
export const buildArraysSql = (columns: readonly PatchColumn[]): string =>
  columns.map((column) => `cast(:${column} as ${getColumnType(column)}[])`).join(', ');
export const bindAsArrays = (columns: readonly PatchColumn[], rows: readonly object[]): Record<string, unknown[]> =>
  Object.fromEntries(
    columns.map((column) => [
      column,
      rows.map((row) => (row as Partial<Record<PatchColumn, ColumnValue>>)[column] ?? null),
    ]),
  );

/** SQL of a column of the bound row `g`; false for a flag without a value. */
export const insertValueSql = (column: ContactColumn): string =>
  contactFlags.includes(column) ? `coalesce(g.${column}, false)` : `g.${column}`;

/** Binds rows as JSON, which tells columns set to null from columns left out: SQL of their columns and the values. */
export const buildPatchesSql = (columns: readonly PatchColumn[]): string =>
  `jsonb_to_recordset(cast(:items as jsonb)) g (id bigint, named jsonb, versions int, ${columns.map((column) => `${column} ${getColumnType(column)}`).join(', ')})`;
export const bindAsPatches = (
  rows: readonly { id: number; columns: object; versions?: number | undefined }[],
): string =>
  JSON.stringify(
    rows.map(({ id, columns, versions = 1 }) => {
      const named = Object.entries(columns).flatMap(([column, value]) => (value === undefined ? [] : [column]));
      return { ...columns, id, named, versions };
    }),
  );

export type ColumnValue = string | number | boolean | null;
export type ColumnValues = Partial<Record<ContactColumn, ColumnValue>>;
export type AddressParts = Partial<Record<AddressColumn, ColumnValue>>;

export interface TagContent {
  name: string;
  color?: string | null;
}

/** An answer to a form: its reference value and its text. */
export type AnswerContent = Pick<AnswerRow, 'form_id' | 'form_ref_id'> &
  Partial<Pick<AnswerRow, 'data' | 'date' | 'survey_id'>>;

/** Answers to set in place of others: of all forms but custom fields, of all custom fields, or of some forms or reference values only. */
export interface AnswerChange {
  replaces: 'answers' | 'custom_fields' | { forms: number[]; refs: number[] };
  /** Whether answers to forms that take several are added, although the change replaces those of their forms. */
  adds?: boolean;
  answers: AnswerContent[];
  /** The place of each answer in the input, for faults (`input.answers[0]`), and the input field of its text. */
  places?: string[];
  text?: 'text' | 'value';
}

/** A note to write, unless the contact has one with the same content. */
export type NoteContent = Pick<NoteRow, 'content' | 'pinned'>;

/** Content to write to one contact. Missing values stay as they are; null clears; a list replaces the whole list. */
export interface ContactContent {
  columns: ColumnValues;
  /** Named parts of the address change; null deletes the address. */
  address?: AddressParts | null;
  tags?: TagContent[];
  addedTags?: TagContent[];
  /** Names of tags to remove from the present ones, as they are stored. */
  removedTags?: string[];
  actions?: number[];
  addedActions?: number[];
  removedActions?: number[];
  answers?: AnswerChange[];
  notes?: NoteContent[];
}

/** An answer to a form of one kind, named by its id or its label; null deletes the answer. `at` is its place in the input. */
export interface FormAnswer {
  kind: FormKind;
  id: number | null;
  label: string | null;
  value: string | null;
  /** The time of the answer, if known. */
  date?: string | null | undefined;
  at: string;
}

/** Content, and answers that name their forms in the sender's words. */
export interface RecordPart {
  content: ContactContent;
  formAnswers: FormAnswer[];
}

/** One value that was sent under two names with different values: the one that differs from the stored value is meant. */
export interface TwinValue {
  places: [string, string];
  values: [unknown, unknown];
  parts: [RecordPart, RecordPart];
}

/** A record to write to a contact: `at` is its place in the input, for faults (`input`, `input[3]`). */
export interface ContactWrite extends RecordPart {
  at: string;
  /** The source of the changes of consent, such as a form on paper. */
  consentSource?: string | null | undefined;
  /** Values that were sent twice; they are not part of the content. */
  twins?: TwinValue[];
}

/** A record to upsert, with the id of the contact that it may name. */
export interface UpsertWrite extends ContactWrite {
  id: number | null;
}
