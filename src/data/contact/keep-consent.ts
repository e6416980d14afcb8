// Keeps what a person has withdrawn: an upsert or an import lifts no opt-out, and an older answer on consent replaces no later one, nor one without a date that came after that.
import type { AnswerChange, AnswerContent, ContactContent } from './patch.ts';
import type { StoredContact } from './stored-contact.ts';

/** A value of a record that is not followed, by its name in the contract. */
export type Unfollowed = 'black_list' | 'consents';

type Forms = ReadonlyMap<number, { kind: string; type: string }>;

/** The change without older answers on consent; the same object when there are none. */
const dropOlderAnswers = (change: AnswerChange, stored: StoredContact, forms: Forms): AnswerChange => {
  const { replaces, answers, places } = change;
  const isOlder = answers.map(({ form_id, form_ref_id, date }) => {
    const form = forms.get(form_id);
    if (date == null || form?.kind !== 'consent') return false;
    const replaced = stored.answers.filter(
      (one) => one.form_id === form_id && (form.type !== 'checkbox' || one.form_ref_id === form_ref_id),
    );
    return replaced.some((one) => one.date !== null && Date.parse(one.date) > Date.parse(date));
  });
  if (!isOlder.includes(true)) return change;
  const keep = (_: unknown, place: number): boolean => !isOlder[place];
  const dropped = new Set(answers.filter((_, place) => isOlder[place]).map(({ form_id }) => form_id));
  const refs = new Set(answers.filter((_, place) => isOlder[place]).map(({ form_ref_id }) => form_ref_id));
  return {
    ...change,
    answers: answers.filter(keep),
    ...(places && { places: places.filter(keep) }),
    ...(typeof replaces === 'object' && {
      replaces: {
        forms: replaces.forms.filter((form) => !dropped.has(form)),
        refs: replaces.refs.filter((ref) => !refs.has(ref)),
      },
    }),
  };
};

/**
 * The content, where an answer on consent without a date has that of the answer in whose place it comes: it was given no earlier, and without a
 * date any older answer could replace it.
 */
export const keepConsentDates = (content: ContactContent, stored: StoredContact, forms: Forms): ContactContent => {
  const addDate = (answer: AnswerContent): AnswerContent => {
    const { kind, type } = forms.get(answer.form_id) ?? {};
    if (answer.date || kind !== 'consent' || type === 'checkbox') return answer;
    const replaced = stored.answers.find(({ form_id }) => form_id === answer.form_id);
    return replaced?.date && replaced.form_ref_id !== answer.form_ref_id ? { ...answer, date: replaced.date } : answer;
  };
  if (!content.answers) return content;
  return {
    ...content,
    answers: content.answers.map((change) => ({ ...change, answers: change.answers.map(addDate) })),
  };
};

/** The content as far as it is followed. */
export const keepConsent = (
  content: ContactContent,
  stored: StoredContact,
  forms: Forms,
): { content: ContactContent; unfollowed: Unfollowed[] } => {
  const unfollowed: Unfollowed[] = [];
  let followed = content;
  const { black_list, ...columns } = content.columns;
  if (stored.columns.black_list === true && (black_list === false || black_list === null)) {
    followed = { ...followed, columns };
    unfollowed.push('black_list');
  }
  const answers = content.answers?.map((change) => dropOlderAnswers(change, stored, forms));
  if (answers?.some((change, place) => change !== content.answers![place])) {
    followed = { ...followed, answers };
    unfollowed.push('consents');
  }
  return { content: followed, unfollowed };
};
