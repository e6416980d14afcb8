// Applies changes to the answers of a contact and compares two states, in memory, with the rules that the database statements follow.
import type { AnswerChange, AnswerContent } from './patch.ts';
import type { StoredAnswer } from './stored-contact.ts';

/** Joins several changes into one: each replaces what earlier ones say of its forms, and drops what may stay. */
export const joinAnswerChanges = (changes: readonly AnswerChange[]): AnswerContent[] => {
  let said: AnswerContent[] = [];
  for (const { replaces, answers } of changes) {
    const [forms, refs] = typeof replaces === 'string' ? [[], []] : [replaces.forms, replaces.refs];
    const isReplaced = (one: AnswerContent): boolean => forms.includes(one.form_id) || refs.includes(one.form_ref_id);
    const before = new Map(said.filter(isReplaced).map((one) => [one.form_ref_id, one]));
    const now = answers.map((one) => ({ ...before.get(one.form_ref_id), ...one }));
    said = said.filter((one) => !isReplaced(one)).concat(now);
  }
  return said;
};

/** Whether a change may replace an answer. */
const replaces =
  ({ replaces: scope }: AnswerChange) =>
  ({ form_id, form_ref_id, custom }: StoredAnswer): boolean =>
    typeof scope === 'string'
      ? custom === (scope === 'custom_fields')
      : scope.forms.includes(form_id) || scope.refs.includes(form_ref_id);

/** Several answers to one reference value are matched by their order. */
const byRef = (answers: readonly StoredAnswer[]): Map<number, StoredAnswer[]> => {
  const refs = new Map<number, StoredAnswer[]>();
  for (const answer of answers) {
    const same = refs.get(answer.form_ref_id);
    if (same) same.push(answer);
    else refs.set(answer.form_ref_id, [answer]);
  }
  return refs;
};

/** The answers after these changes, which are applied at once. */
export const applyAnswerChanges = (
  before: readonly StoredAnswer[],
  changes: readonly AnswerChange[],
  kinds: ReadonlyMap<number, { kind: string }>,
): StoredAnswer[] => {
  const tests = changes.map(replaces);
  const isReplaced = (answer: StoredAnswer): boolean => tests.some((test) => test(answer));
  const left = byRef(before.filter(isReplaced));
  const said = joinAnswerChanges(changes).map(
    (answer): StoredAnswer => ({
      data: null,
      date: null,
      survey_id: null,
      ...left.get(answer.form_ref_id)?.shift(),
      ...answer,
      custom: kinds.get(answer.form_id)?.kind === 'custom_fields',
    }),
  );
  return [...before.filter((answer) => !isReplaced(answer)), ...said];
};

const textOf = (answers: readonly StoredAnswer[]): string =>
  JSON.stringify(
    answers
      .map(({ form_id, form_ref_id, data, date, survey_id }) => [form_id, form_ref_id, data, date, survey_id] as const)
      .sort(([form, ref], [otherForm, otherRef]) => form - otherForm || ref - otherRef),
  );

/** The change that turns the first state into the second; undefined when they are equal. */
export const compareAnswers = (
  before: readonly StoredAnswer[],
  after: readonly StoredAnswer[],
): AnswerChange | undefined => {
  if (textOf(before) === textOf(after)) return undefined;
  const ofForm = (answers: readonly StoredAnswer[], form: number) => answers.filter(({ form_id }) => form_id === form);
  const forms = [...new Set([...before, ...after].map(({ form_id }) => form_id))].filter(
    (form) => textOf(ofForm(before, form)) !== textOf(ofForm(after, form)),
  );
  const answers = after.filter(({ form_id }) => forms.includes(form_id)).map(({ custom: _, ...answer }) => answer);
  return { replaces: { forms, refs: [] }, answers };
};
