// Compares and writes the answers of contacts to forms: one for each reference value of a living form, and only one where the form takes only one.
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import type { PlacedContent } from './child-rows.ts';
import type { AnswerChange, AnswerContent } from './patch.ts';
import type { StoredAnswer } from './stored-contact.ts';

/** Joins several changes into one: each replaces what earlier ones say of its forms, and drops what may stay. */
const joinAnswerChanges = (changes: readonly AnswerChange[]): AnswerContent[] => {
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

/**
 * Replaced answers are deleted, except those to the same reference value of the same form: they keep their id and creation time. Several
 * answers to one reference value are matched by their order. Answers to deleted forms are not shown, and stay.
 */
const write = defineStatement(
  'answer.write',
  `with given as (
     select g.id as contact_id, p.form_id, p.form_ref_id, p.data, p.date, p.survey_id, a.item,
            row_number() over (partition by g.id, p.form_id, p.form_ref_id order by a.nth) as nth
       from jsonb_to_recordset(cast(:items as jsonb)) g (id bigint, answers jsonb)
       cross join lateral jsonb_array_elements(g.answers) with ordinality a (item, nth)
       cross join lateral jsonb_populate_record(cast(null as answers), a.item) p),
   replaced as (
     select a.id, a.contact_id, a.form_id, a.form_ref_id,
            row_number() over (partition by a.contact_id, a.form_id, a.form_ref_id order by a.id) as nth
       from jsonb_to_recordset(cast(:items as jsonb)) g (id bigint, lists boolean, custom boolean, forms jsonb, refs jsonb)
       join answers a on a.group_id = :group and a.contact_id = g.id
       join forms f on f.group_id = :group and f.id = a.form_id and f.deleted_at is null
      where g.lists and f.kind <> 'custom_fields' or g.custom and f.kind = 'custom_fields'
         or g.forms @> to_jsonb(a.form_id) or g.refs @> to_jsonb(a.form_ref_id)),
   removed as (
     delete from answers a using replaced r
      where a.group_id = :group and a.id = r.id
        and not exists (select 1 from given g where g.contact_id = r.contact_id and g.form_id = r.form_id and g.form_ref_id = r.form_ref_id and g.nth = r.nth)),
   kept as (
     update answers a set data = n.data, date = n.date, survey_id = n.survey_id, updated_at = now()
       from replaced r
       join given g on g.contact_id = r.contact_id and g.form_id = r.form_id and g.form_ref_id = r.form_ref_id and g.nth = r.nth
       join answers o on o.group_id = :group and o.id = r.id
       cross join lateral (
         select case when jsonb_exists(g.item, 'data') then g.data else o.data end as data,
                case when jsonb_exists(g.item, 'date') then g.date else o.date end as date,
                case when jsonb_exists(g.item, 'survey_id') then g.survey_id else o.survey_id end as survey_id) n
      where a.group_id = :group and a.id = r.id and (a.data, a.date, a.survey_id) is distinct from (n.data, n.date, n.survey_id))
   insert into answers (group_id, contact_id, form_id, form_ref_id, data, date, survey_id)
   select :group, g.contact_id, g.form_id, g.form_ref_id, g.data, g.date, g.survey_id from given g
    where not exists (select 1 from replaced r where r.contact_id = g.contact_id and r.form_id = g.form_id and r.form_ref_id = g.form_ref_id and r.nth = g.nth)
    order by g.contact_id, g.form_id, g.form_ref_id`,
);

/** Writes the answers that these contents name. The same transaction has locked the contacts. */
export const writeContactAnswers = async (tx: Space, placed: readonly PlacedContent[]): Promise<void> => {
  const items = placed.flatMap(({ id, content: { answers: changes = [] } }) => {
    if (changes.length === 0) return [];
    return [
      {
        id,
        lists: changes.some(({ replaces }) => replaces === 'answers'),
        custom: changes.some(({ replaces }) => replaces === 'custom_fields'),
        forms: changes.flatMap(({ replaces }) => (typeof replaces === 'string' ? [] : replaces.forms)),
        refs: changes.flatMap(({ replaces }) => (typeof replaces === 'string' ? [] : replaces.refs)),
        answers: joinAnswerChanges(changes),
      },
    ];
  });
  if (items.length > 0) await tx.rows(write, { items: JSON.stringify(items) });
};
