// Forms for tests: created through the graph, and answered directly in the database.
import type { Door, Json } from '../harness/app.ts';
import { runMutation } from './writing.ts';

let turn = 0;
/** A label that no other form has. */
export const generateLabel = (): string => `Form ${++turn}`;

export const createForm = (door: Door, input: Json, token?: string): Promise<Json> =>
  runMutation(door, 'createForm', { label: generateLabel(), kind: 'SURVEY', ...input }, token);

/** The labels and values of a form. */
export const listOptions = ({ options: refvalues }: Json): [string, string | null][] =>
  refvalues.map((ref: Json) => [ref.label, ref.value]);

export const buildChoice = (...labels: string[]): Json => ({
  type: 'RADIO',
  options: labels.map((one) => ({ label: one })),
});

/** A new contact who has answered a form. */
export const createRespondent = async (door: Door, form: number, ref: number, data: string): Promise<number> => {
  const { id } = await runMutation(door, 'createContact', { lastName: 'Answering' });
  const sql = 'insert into answers (group_id, contact_id, form_id, form_ref_id, data) values (1, ?, ?, ?, ?)';
  await door.sql(sql, [id, form, ref, data]);
  await door.sql('select refresh_search(1, array[?]::bigint[])', [id]);
  return id;
};
