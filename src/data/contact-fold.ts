// What several records come to that are written to one contact, one after the other: content that is written once.
import type { AnswerChange, AnswerContent, ContactContent } from './contact-content.ts';

/** Content that is written at once, and changes of answers to write after it, each by itself. */
export interface Whole {
  content: ContactContent;
  later: AnswerChange[][];
}

/** The content of the first, with what each of the others changes of it. */
export const foldContents = (contents: readonly ContactContent[]): Whole => {
  const [first, ...others] = contents as readonly [ContactContent, ...ContactContent[]];
  if (others.length === 0) return { content: first, later: [] };
  const content: ContactContent = { ...first, columns: { ...first.columns } };
  for (const { columns, address, tags, actions } of others) {
    for (const [name, value] of Object.entries(columns))
      if (value !== undefined) content.columns[name as never] = value as never;
    foldAddress(content, address);
    if (tags) content.tags = tags;
    if (actions) content.actions = actions;
  }
  const [answers, ...later] = foldAnswers(contents.flatMap((one) => (one.answers?.length ? [one.answers] : [])));
  if (answers) content.answers = answers;
  return { content, later };
};

/** Parts merge one by one. An address that is taken away leaves none of its parts to those that follow. */
const foldAddress = (content: ContactContent, address: ContactContent['address']): void => {
  if (address === null) {
    content.address = null;
    content.clearsAddress = true;
  } else if (address && Object.keys(address).length > 0) {
    if (content.address === null) content.clearsAddress = true;
    content.address = { ...content.address, ...address };
  }
};

/** What the records change of answers, in their order; a change that is of the same answers as one before is made one with it. */
const foldAnswers = (steps: readonly AnswerChange[][]): AnswerChange[][] => {
  const folded: AnswerChange[][] = [];
  for (const step of steps) {
    // Changes of other forms do not stand between the two.
    let last = folded.length - 1;
    while (last >= 0 && areApart(folded[last]!, step)) last--;
    const both = last < 0 ? undefined : foldTwo(folded[last]!, step);
    if (both) folded[last] = both;
    else folded.push(step);
  }
  return folded;
};

const scopeOf = ({ replaces }: AnswerChange): string =>
  typeof replaces === 'string'
    ? replaces
    : JSON.stringify([replaces.forms, replaces.refs].map((ids) => [...new Set(ids)].sort((one, other) => one - other)));

/** The forms that a change is of; undefined when it may be any. */
const formsOf = ({ replaces, answers }: AnswerChange): number[] | undefined =>
  typeof replaces === 'string' ? undefined : [...replaces.forms, ...answers.map(({ form_id }) => form_id)];

const areApart = (step: readonly AnswerChange[], other: readonly AnswerChange[]): boolean => {
  const [forms, others] = [step, other].map((changes) => changes.map(formsOf)) as [
    (number[] | undefined)[],
    (number[] | undefined)[],
  ];
  if ([...forms, ...others].includes(undefined)) return false;
  const mine = new Set(forms.flat());
  return !others.flat().some((form) => mine.has(form));
};

/** Undefined when the two have to be written one after the other. */
const foldTwo = (step: AnswerChange[], next: AnswerChange[]): AnswerChange[] | undefined => {
  const [one, other] = [step[0]!, next[0]!];
  if (step.length > 1 || next.length > 1 || scopeOf(one) !== scopeOf(other)) return undefined;
  // All that the first leaves of these forms is its own answers: what those lack was not there any more.
  const left = new Map<number, AnswerContent[]>();
  for (const answer of one.answers) left.set(answer.form_ref_id, [...(left.get(answer.form_ref_id) ?? []), answer]);
  const answers = other.answers.map((answer) => ({
    ...(left.get(answer.form_ref_id)?.shift() ?? { data: null, date: null, survey_id: null }),
    ...answer,
  }));
  return [{ replaces: other.replaces, answers }];
};
