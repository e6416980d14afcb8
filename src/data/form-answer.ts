// Answers as upserts bring them: the form by id or label, and a value in its own words (decisions on spec §4.14).
import { type Fault, Problem } from '../problem.ts';
import type { AnswerChange } from './contact-content.ts';
import type { UpsertWrite } from './contact-upsert.ts';
import type { FormKind, FormRefRow, FormRow } from './form.ts';
import { type Space, statement } from './space.ts';

/** An answer to a form of one kind, named by its id or its label; without a value it is taken back. `at` is where it was sent. */
export interface FormAnswer {
  kind: FormKind;
  id: number | null;
  label: string | null;
  value: string | null;
  /** When it was answered, if that is known. */
  date?: string | null | undefined;
  at: string;
}

type Known = Pick<FormRow, 'id' | 'kind' | 'label' | 'type'> & { refs: FormRefRow[] };

const named = statement(
  'form.named',
  `select f.id, f.kind, f.label, f.type,
          (select coalesce(json_agg(r order by r.position, r.id), '[]') from form_refs r where r.group_id = :group and r.form_id = f.id) as refs
     from forms f where f.group_id = :group and f.deleted_at is null and (f.id = any(:ids) or f.label = any(:labels))`,
);

const formsNamedBy = (space: Space, answers: readonly FormAnswer[]): Promise<Known[]> => {
  const [ids, labels] = [answers.flatMap(({ id }) => id ?? []), answers.flatMap(({ label }) => label ?? [])];
  return answers.length > 0 ? space.rows(named, { ids, labels }) : Promise.resolve([]);
};

const alike = (one: string | null, other: string): boolean => one?.trim().toLowerCase() === other.trim().toLowerCase();

/** The reference value that an answer means: the one of a form of free input; else the one with that value, or that label. */
const refOf = ({ type, refs }: Known, value: string): FormRefRow | undefined => {
  if (type === 'text' || type === 'numeric' || type === 'date') return refs[0];
  return refs.find((ref) => alike(ref.value, value)) ?? refs.find((ref) => alike(ref.label, value));
};

const wordsOf = ({ refs }: Known): string => refs.map(({ label, value }) => value ?? label).join(', ');

/** What the answers of one record change, or every fault of them. Only the forms that are named change. */
const changeOf = (answers: readonly FormAnswer[], forms: readonly Known[]): AnswerChange | Fault[] => {
  const faults: Fault[] = [];
  const change = { replaces: { forms: [] as number[], refs: [] as number[] }, answers: [] as AnswerChange['answers'] };
  const answered = new Set<number>();
  for (const { kind, id, label, value, date, at } of answers) {
    const form = forms.find((one) => one.kind === kind && (id === null ? one.label === label : one.id === id));
    if (!form) {
      const [place, name] = id === null ? ['label', label] : ['id', id];
      faults.push({ location: `${at}.${place}`, message: `is not a form of kind ${kind}`, value: name });
      continue;
    }
    if (value === null || value.trim() === '') {
      change.replaces.forms.push(form.id);
      continue;
    }
    const ref = refOf(form, value);
    const many = form.type === 'checkbox';
    if (!ref) faults.push({ location: `${at}.value`, message: `must be one of ${wordsOf(form)}`, value });
    else if (!many && answered.has(form.id))
      faults.push({ location: at, message: `answers ${form.label} twice, but a form of type ${form.type} keeps one` });
    else {
      answered.add(form.id);
      if (many) change.replaces.refs.push(ref.id);
      else change.replaces.forms.push(form.id);
      change.answers.push({
        form_id: form.id,
        form_ref_id: ref.id,
        data: choiceOrText(form, ref, value),
        ...(date !== undefined && { date }),
      });
    }
  }
  return faults.length > 0 ? faults : change;
};

/** A choice is kept in the form's words, free input in the sender's. */
const choiceOrText = ({ type }: Known, ref: FormRefRow, value: string): string =>
  ['radio', 'select', 'checkbox'].includes(type) ? (ref.value ?? ref.label) : value;

const unprocessable = (errors: Fault[]): Problem =>
  new Problem('unprocessable', 'The record answers forms, or with values, that are not in the space', { errors });

/** Each record with its answers to forms among its content, or the problem with them. */
export const resolveEach = async (
  space: Space,
  records: readonly UpsertWrite[],
): Promise<(UpsertWrite | Problem)[]> => {
  const forms = await formsNamedBy(
    space,
    records.flatMap(({ formAnswers }) => formAnswers),
  );
  return records.map((record) => {
    if (record.formAnswers.length === 0) return record;
    const change = changeOf(record.formAnswers, forms);
    if (Array.isArray(change)) return unprocessable(change);
    const { content } = record;
    return { ...record, formAnswers: [], content: { ...content, answers: [...(content.answers ?? []), change] } };
  });
};

/** The same of all of them. Throws 422 with every fault. */
export const resolveFormAnswers = async (
  space: Space,
  records: readonly UpsertWrite[],
): Promise<readonly UpsertWrite[]> => {
  const resolved = await resolveEach(space, records);
  const faults = resolved.flatMap((one) => (one instanceof Problem ? (one.errors ?? []) : []));
  if (faults.length > 0) throw unprocessable(faults);
  return resolved as UpsertWrite[];
};
