// Keeps what a person has withdrawn: an upsert or an import lifts no opt-out, and an older answer on consent replaces no later one, nor a refusal that was written later.
import { readBooleanWord } from '../form/form.ts';
import type { AnswerChange, ContactContent } from './patch.ts';
import type { StoredAnswer, StoredContact } from './stored-contact.ts';

/** A value of a record that is not followed, by its name in the contract. */
export type Unfollowed = 'black_list' | 'consents';

type Forms = ReadonlyMap<number, { kind: string; type: string }>;

/** When an answer was given, as far as it counts: a refusal without a date when it was written. */
const givenAt = ({ date, said, written_at }: StoredAnswer): number =>
  Date.parse(date ?? (readBooleanWord(said ?? '') === false ? written_at! : ''));

/** The change without older answers on consent; the same object when there are none. */
const dropOlderAnswers = (change: AnswerChange, stored: StoredContact, forms: Forms): AnswerChange => {
  const { replaces, answers, places } = change;
  const isOlder = answers.map(({ form_id, form_ref_id, date }) => {
    const form = forms.get(form_id);
    if (date == null || form?.kind !== 'consent') return false;
    const replaced = stored.answers.filter(
      (one) => one.form_id === form_id && (form.type !== 'checkbox' || one.form_ref_id === form_ref_id),
    );
    return replaced.some((one) => givenAt(one) > Date.parse(date));
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
