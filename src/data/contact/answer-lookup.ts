// Resolves the answers of upserts: finds the form by id or label, and turns a value in the sender's words into a reference value (decisions on spec §4.14).

import type { Space } from '../../database/space.ts';
import { defineStatement, oneRowOfSpace } from '../../database/statement.ts';
import type { Fault } from '../../problem.ts';
import { type FormRefRow, type FormRow, readBooleanWord } from '../form/form.ts';
import { sayAnsweredTwice } from './check-references.ts';
import type { AnswerChange, AnswerContent, ContactContent, FormAnswer, RecordPart } from './patch.ts';

type KnownForm = Pick<FormRow, 'id' | 'kind' | 'label' | 'type'> & {
  refs: FormRefRow[];
  /** The labels that were sent and are its own under the folding of searches. */
  alsoCalled: string[];
};

const named = defineStatement(
  'form.named',
  `select f.id, f.kind, f.label, f.type,
          (select coalesce(json_agg(r order by r.position, r.id), '[]') from form_refs r where r.group_id = :group and r.form_id = f.id) as refs,
          array(select l from unnest(cast(:labels as text[])) l where fold(l) = fold(f.label)) as "alsoCalled"
     from forms f where f.group_id = :group and f.deleted_at is null
      and (f.id = any(:ids) or fold(f.label) in (select fold(l) from unnest(cast(:labels as text[])) l)) order by f.id`,
);

const formsNamedBy = (space: Space, answers: readonly FormAnswer[]): Promise<KnownForm[]> => {
  const [ids, labels] = [answers.flatMap(({ id }) => id ?? []), answers.flatMap(({ label }) => label ?? [])];
  // Skips what is at fault already: the database may not be able to hold it as text.
  const isStorable = (label: string): boolean => label.isWellFormed() && !label.includes('\0');
  const asked = { ids, labels: [...new Set(labels)].filter(isStorable) };
  return answers.length > 0 ? space.rows(named, asked) : Promise.resolve([]);
};

const foldWords = defineStatement(
  'form.fold_words',
  `select w.word, fold(w.word) as folded from unnest(cast(:words as text[])) w (word) cross join ${oneRowOfSpace}`,
);
type Fold = (text: string) => string;
export const lower: Fold = (text) => text.trim().toLowerCase();

const hasChoices = ({ type }: KnownForm): boolean => ['radio', 'select', 'checkbox'].includes(type);

const formOf = ({ kind, id, label }: FormAnswer, forms: readonly KnownForm[]): KnownForm | undefined => {
  const ofKind = forms.filter((one) => one.kind === kind);
  if (id !== null) return ofKind.find((one) => one.id === id);
  return ofKind.find((one) => one.label === label) ?? ofKind.find((one) => one.alsoCalled.includes(label!));
};

/** The only one whose value or label says the same as a word of truth, in whatever language. */
export const findSameTruth = <Ref extends Pick<FormRefRow, 'value' | 'label'>>(
  refs: readonly Ref[],
  word: string,
): Ref | undefined => {
  const truth = readBooleanWord(word);
  if (truth === undefined) return undefined;
  const found = refs.filter(
    ({ value, label }) => readBooleanWord(value ?? label) === truth || readBooleanWord(label) === truth,
  );
  return found.length === 1 ? found[0] : undefined;
};

/** The reference value with this value, or else with this label. One that is written exactly so comes before one that only folds alike. */
export const findNamed = <Ref extends Pick<FormRefRow, 'value' | 'label'>>(
  refs: readonly Ref[],
  word: string,
  fold: Fold,
): Ref | undefined => {
  const meant = fold(word);
  return (
    refs.find(({ value }) => value === word) ??
    refs.find(({ value }) => value !== null && fold(value) === meant) ??
    refs.find(({ label }) => label === word) ??
    refs.find(({ label }) => fold(label) === meant)
  );
};

/**
 * The reference value that an answer means: the only one of a form of free input; else the one with that value, or with that label. A consent
 * is given and refused in any language.
 */
const refOf = (form: KnownForm, value: string, fold: Fold): FormRefRow | undefined => {
  if (!hasChoices(form)) return form.refs[0];
  return findNamed(form.refs, value, fold) ?? (form.kind === 'consent' ? findSameTruth(form.refs, value) : undefined);
};

/** The folding of searches for the words of choices, where some are not known by their lower case. */
const readFolding = async (
  space: Space,
  answers: readonly FormAnswer[],
  forms: readonly KnownForm[],
): Promise<Fold> => {
  const words = answers.flatMap((answer) => {
    const form = formOf(answer, forms);
    if (!form || answer.value === null || refOf(form, answer.value, lower)) return [];
    return [answer.value, ...form.refs.flatMap(({ value, label }) => [value ?? label, label])];
  });
  if (words.length === 0) return lower;
  const rows = await space.rows<{ word: string; folded: string }>(foldWords, { words: [...new Set(words)] });
  const folded = new Map(rows.map(({ word, folded }) => [word, folded]));
  return (text) => folded.get(text) ?? lower(text);
};

const wordsOf = ({ refs }: KnownForm): string => refs.map(({ label, value }) => value ?? label).join(', ');

/** The change that the answers of one record make, of those that have no faults, and all faults. Only the named forms change. */
const changeOf = (
  answers: readonly FormAnswer[],
  forms: readonly KnownForm[],
  fold: Fold,
): { change: AnswerChange; faults: Fault[] } => {
  const faults: Fault[] = [];
  const [replaced, given, places] = [
    { forms: [] as number[], refs: [] as number[] },
    [] as AnswerContent[],
    [] as string[],
  ];
  const answered = new Set<number>();
  for (const answer of answers) {
    const { kind, id, label, value, date, at } = answer;
    const form = formOf(answer, forms);
    if (!form) {
      const [place, name] = id === null ? ['label', label] : ['id', id];
      faults.push({ location: `${at}.${place}`, message: `is not a form of kind ${kind}`, value: name });
      continue;
    }
    if (value === null) {
      replaced.forms.push(form.id);
      continue;
    }
    const ref = refOf(form, value, fold);
    const many = form.type === 'checkbox';
    if (!ref) faults.push({ location: `${at}.value`, message: `must be one of ${wordsOf(form)}`, value });
    else if (!many && answered.has(form.id))
      faults.push({ location: at, message: `${form.label} ${sayAnsweredTwice(form.type)}` });
    // A box that is named twice is checked once.
    else if (!given.some((one) => one.form_ref_id === ref.id && one.date === date)) {
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
  return { change: { replaces: replaced, answers: given, places, text: 'value' }, faults };
};

/** A choice is stored in the form's words, free input in the sender's. */
const choiceOrText = (form: KnownForm, ref: FormRefRow, value: string): string =>
  hasChoices(form) ? (ref.value ?? ref.label) : value;

/** The content of a part with its answers to forms, and the faults of those that are not in it. */
export interface Resolved {
  content: ContactContent;
  faults: Fault[];
}

/** Finds all forms that the answers of these parts name in one statement, and what the answers change. */
export const resolveFormAnswers = async (space: Space, parts: readonly RecordPart[]): Promise<Resolved[]> => {
  const answers = parts.flatMap(({ formAnswers }) => formAnswers);
  const forms = await formsNamedBy(space, answers);
  const fold = await readFolding(space, answers, forms);
  return parts.map(({ content, formAnswers }) => {
    if (formAnswers.length === 0) return { content, faults: [] };
    const { change, faults } = changeOf(formAnswers, forms, fold);
    return { content: { ...content, answers: [...(content.answers ?? []), change] }, faults };
  });
};
