// Reads the answers of a cell to a form of the space: numbers, days, words of truth, several choices.

import { findNamed, findSameTruth, lower } from '../data/contact/answer-lookup.ts';
import { type FormKind, type FormRefRow, type FormRow, listForms, readRefsOfForms } from '../data/form/form.ts';
import type { Space } from '../database/space.ts';
import { type CellOptions, readDecimal, splitList } from './cells.ts';
import { createDayReader, usualComingYears } from './days.ts';

/** A form of the space, and the values that answer it. */
export type ImportForm = Pick<FormRow, 'kind' | 'label' | 'type'> & { refs: Pick<FormRefRow, 'label' | 'value'>[] };

export const readForms = async (space: Space): Promise<ImportForm[]> => {
  const forms = await listForms(space, null);
  const refs = await readRefsOfForms(
    space,
    forms.map(({ id }) => id),
  );
  return forms.map((form) => ({ ...form, refs: refs.filter(({ form_id }) => form_id === form.id) }));
};

const nameRef = ({ value, label }: ImportForm['refs'][number]): string => value ?? label;

/** The value of a form that a word names; else the only one that means the same truth: `oui` is `yes`. */
const findChoice = ({ refs }: ImportForm, word: string): string | undefined => {
  const named = findNamed(refs, word, lower);
  if (named) return nameRef(named);
  const alike = findSameTruth(refs, word);
  return alike && nameRef(alike);
};

/** Creates the reader of the answers in a cell. Without the form it leaves the text to those who know it. */
export const createAnswerReader = (
  kind: FormKind,
  label: string,
  forms: readonly ImportForm[] | undefined,
  options: CellOptions,
): ((text: string) => string[]) => {
  if (!forms) return (text) => [text];
  const form = forms.find((one) => one.kind === kind && one.label === label);
  if (!form)
    return () => {
      throw new Error(`is not a form of kind ${kind}`);
    };
  const { type } = form;
  if (type === 'text') return (text) => [text];
  if (type === 'numeric') return (text) => [readDecimal(text, options)];
  const readDay = createDayReader({ ...options, comingYears: usualComingYears });
  if (type === 'date') return (text) => [readDay(text)];
  return (text) => {
    const whole = findChoice(form, text);
    if (whole !== undefined) return [whole];
    const choices = type === 'checkbox' ? splitList(text).map((part) => findChoice(form, part)) : [];
    if (choices.length === 0 || choices.includes(undefined))
      throw new Error(`must be one of ${form.refs.map(nameRef).join(', ')}`);
    return choices as string[];
  };
};
