// Resolves the answers of upserts: finds the form by id or label, and turns a value in the sender's words into a reference value (decisions on spec §4.14).

import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import type { Fault } from '../../problem.ts';
import type { FormRefRow, FormRow } from '../form/form.ts';
import type { AnswerChange, AnswerContent, ContactContent, FormAnswer, RecordPart } from './patch.ts';

type KnownForm = Pick<FormRow, 'id' | 'kind' | 'label' | 'type'> & { refs: FormRefRow[] };

const named = defineStatement(
  'form.named',
  `select f.id, f.kind, f.label, f.type,
          (select coalesce(json_agg(r order by r.position, r.id), '[]') from form_refs r where r.group_id = :group and r.form_id = f.id) as refs
     from forms f where f.group_id = :group and f.deleted_at is null and (f.id = any(:ids) or f.label = any(:labels))`,
);

const formsNamedBy = (space: Space, answers: readonly FormAnswer[]): Promise<KnownForm[]> => {
  const [ids, labels] = [answers.flatMap(({ id }) => id ?? []), answers.flatMap(({ label }) => label ?? [])];
  // Skips what is at fault already: the database may not be able to hold it as text.
  const isStorable = (label: string): boolean => label.isWellFormed() && !label.includes('\0');
  return answers.length > 0 ? space.rows(named, { ids, labels: labels.filter(isStorable) }) : Promise.resolve([]);
};

const alike = (one: string | null, other: string): boolean => one?.trim().toLowerCase() === other.trim().toLowerCase();

/** The words of truth in the languages of our clients. */
const truths: readonly string[][] = [
  ['yes', 'y', 'oui', 'ja', 'true', 'vrai', 'wahr', '1'],
  ['no', 'n', 'non', 'nein', 'false', 'faux', 'falsch', '0'],
];

/** The only one whose value or label says the same as these words, in whatever language. */
const findSameTruth = (refs: readonly FormRefRow[], value: string): FormRefRow | undefined => {
  const words = truths.find((some) => some.some((word) => alike(word, value)));
  const found = refs.filter((ref) => words?.some((word) => alike(ref.value, word) || alike(ref.label, word)));
  return found.length === 1 ? found[0] : undefined;
};

/**
 * The reference value that an answer means: the only one of a form of free input; else the one with that value, or with that label. A consent
 * is given and refused in any language.
 */
const refOf = ({ kind, type, refs }: KnownForm, value: string): FormRefRow | undefined => {
  if (type === 'text' || type === 'numeric' || type === 'date') return refs[0];
  return (
    refs.find((ref) => alike(ref.value, value)) ??
    refs.find((ref) => alike(ref.label, value)) ??
    (kind === 'consent' ? findSameTruth(refs, value) : undefined)
  );
};

const wordsOf = ({ refs }: KnownForm): string => refs.map(({ label, value }) => value ?? label).join(', ');

/** The changes that the answers of one record make, or all their faults. Only the named forms change. */
const changeOf = (answers: readonly FormAnswer[], forms: readonly KnownForm[]): AnswerChange | Fault[] => {
  const faults: Fault[] = [];
  const [replaced, given, places] = [
    { forms: [] as number[], refs: [] as number[] },
    [] as AnswerContent[],
    [] as string[],
  ];
  const answered = new Set<number>();
  for (const { kind, id, label, value, date, at } of answers) {
    const form = forms.find((one) => one.kind === kind && (id === null ? one.label === label : one.id === id));
    if (!form) {
      const [place, name] = id === null ? ['label', label] : ['id', id];
      faults.push({ location: `${at}.${place}`, message: `is not a form of kind ${kind}`, value: name });
      continue;
    }
    if (value === null) {
      replaced.forms.push(form.id);
      continue;
    }
    const ref = refOf(form, value);
    const many = form.type === 'checkbox';
    if (!ref) faults.push({ location: `${at}.value`, message: `must be one of ${wordsOf(form)}`, value });
    else if (!many && answered.has(form.id))
      faults.push({ location: at, message: `answers ${form.label} twice, but a form of type ${form.type} keeps one` });
    else {
      answered.add(form.id);
      if (many) replaced.refs.push(ref.id);
      else replaced.forms.push(form.id);
      places.push(at);
      given.push({
        form_id: form.id,
        form_ref_id: ref.id,
        data: choiceOrText(form, ref, value),
        ...(date !== undefined && { date }),
      });
    }
  }
  return faults.length > 0 ? faults : { replaces: replaced, answers: given, places, text: 'value' };
};

/** A choice is stored in the form's words, free input in the sender's. */
const choiceOrText = ({ type }: KnownForm, ref: FormRefRow, value: string): string =>
  ['radio', 'select', 'checkbox'].includes(type) ? (ref.value ?? ref.label) : value;

/** The content of a part with its answers to forms, or the faults of these answers beside the rest of the content. */
export interface Resolved {
  content: ContactContent;
  faults: Fault[];
}

/** Finds all forms that the answers of these parts name in one statement, and what the answers change. */
export const resolveFormAnswers = async (space: Space, parts: readonly RecordPart[]): Promise<Resolved[]> => {
  const forms = await formsNamedBy(
    space,
    parts.flatMap(({ formAnswers }) => formAnswers),
  );
  return parts.map(({ content, formAnswers }) => {
    if (formAnswers.length === 0) return { content, faults: [] };
    const change = changeOf(formAnswers, forms);
    if (Array.isArray(change)) return { content, faults: change };
    return { content: { ...content, answers: [...(content.answers ?? []), change] }, faults: [] };
  });
};
