// Changes of a contact: its columns, address, tags, actions, answers and new notes; and how changed columns are bound to SQL.
import type { FormKind } from '../form.ts';
import { type AddressColumn, type ContactColumn, contactFlags, getColumnType } from './columns.ts';

type PatchColumn = ContactColumn | AddressColumn;

/** Rows as an array for each column, which PostgreSQL reads in a fraction of the time that it takes for JSON: SQL and its values. */
export const buildArraysSql = (columns: readonly PatchColumn[]): string =>
  columns.map((column) => `cast(:${column} as ${getColumnType(column)}[])`).join(', ');
export const bindAsArrays = (columns: readonly PatchColumn[], rows: readonly object[]): Record<string, unknown[]> =>
  Object.fromEntries(
    columns.map((column) => [column, rows.map((row) => (row as Partial<Record<PatchColumn, Value>>)[column] ?? null)]),
  );

/** What a row `g` gives for a column; a flag that it does not give is false. */
export const insertValueSql = (column: ContactColumn): string =>
  contactFlags.includes(column) ? `coalesce(g.${column}, false)` : `g.${column}`;

/** Where null is a value too, rows are JSON that tells what is named: SQL of their columns and the values. */
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

export type Value = string | number | boolean | null;
export type Columns = Partial<Record<ContactColumn, Value>>;
export type AddressParts = Partial<Record<AddressColumn, Value>>;

export interface TagContent {
  name: string;
  color?: string | null;
}

/** An answer to a form: to which reference value, and what was said. */
export interface AnswerContent {
  form_id: number;
  form_ref_id: number;
  data?: string | null;
  date?: string | null;
  survey_id?: number | null;
}

/** Answers to set in place of others: of all forms but custom fields, of all custom fields, or of some forms or reference values alone. */
export interface AnswerChange {
  replaces: 'answers' | 'custom_fields' | { forms: number[]; refs: number[] };
  answers: AnswerContent[];
  /** Where each of the answers stands in what was asked, for faults (`input.answers[0]`), and the field of its text there. */
  places?: string[];
  text?: 'data' | 'value';
}

/** A note to write, unless the contact has one with the same content. */
export interface NoteContent {
  content: string;
  pinned: boolean;
}

/** What is to be written of one contact. What is not there stays as it is; null clears; a list replaces the whole list. */
export interface ContactContent {
  columns: Columns;
  /** Parts of the address that are named; null takes the address away. */
  address?: AddressParts | null;
  tags?: TagContent[];
  /** Tags beside those that are there. */
  addedTags?: TagContent[];
  actions?: number[];
  /** Actions beside those that are there. */
  addedActions?: number[];
  answers?: AnswerChange[];
  notes?: NoteContent[];
}

/** An answer to a form of one kind, named by its id or its label; null takes it back. `at` is where it was sent. */
export interface FormAnswer {
  kind: FormKind;
  id: number | null;
  label: string | null;
  value: string | null;
  /** When it was answered, if that is known. */
  date?: string | null | undefined;
  at: string;
}

/** Content, and answers that name their forms in the words of who sent them. */
export interface RecordPart {
  content: ContactContent;
  formAnswers: FormAnswer[];
}

/** One value that was sent twice, under two names, and not alike: the one that differs from what is stored is meant. */
export interface Twin {
  places: [string, string];
  values: [unknown, unknown];
  parts: [RecordPart, RecordPart];
}

/** A record on its way to a contact: `at` is where it stands in what was asked, for faults (`input`, `input[3]`). */
export interface ContactWrite extends RecordPart {
  at: string;
  /** Values that were sent twice are here, and not among the content. */
  twins?: Twin[];
}

/** A record to upsert, and the id of the contact that it may name. */
export interface UpsertWrite extends ContactWrite {
  id: number | null;
}
