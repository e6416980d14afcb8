// Writes what contacts answered to forms: each answer to a reference value of a living form, one answer alone where a form takes but one.
import { type Fault, Problem } from '../problem.ts';
import type { AnswerChange, AnswerContent, ContactContent } from './contact-content.ts';
import type { Placed } from './contact-parts.ts';
import { type Space, statement } from './space.ts';

/** What is known of the forms that answers name. */
interface FormRow {
  id: number;
  type: string;
  kind: string;
  refs: number[];
}

const formsOf = statement(
  'answer.forms',
  `select f.id, f.type, f.kind, array(select r.id from form_refs r where r.group_id = :group and r.form_id = f.id) as refs
     from forms f where f.group_id = :group and f.id = any(:forms) and f.deleted_at is null`,
);

/**
 * What is replaced goes, but for what stays the same reference value of the same form: it keeps its id and when it was made.
 * Answers to one reference value are told apart by their order. Answers to deleted forms are not shown, and stay.
 */
const write = statement(
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
   gone as (
     delete from answers a using replaced r
      where a.group_id = :group and a.id = r.id
        and not exists (select from given g where g.contact_id = r.contact_id and g.form_id = r.form_id and g.form_ref_id = r.form_ref_id and g.nth = r.nth)),
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
    where not exists (select from replaced r where r.contact_id = g.contact_id and r.form_id = g.form_id and r.form_ref_id = g.form_ref_id and r.nth = g.nth)
    order by g.contact_id, g.form_id, g.form_ref_id`,
);

/** Forms that keep one answer of a contact. */
const single = ['radio', 'select'];

const changesOf = ({ answers = [] }: ContactContent) => answers;

/** What is wrong with one answer, at its own field. */
const faultOf = (
  { form_id, form_ref_id }: AnswerContent,
  form: (Omit<FormRow, 'refs'> & { refs: Set<number> }) | undefined,
  replaces: AnswerChange['replaces'],
  again: boolean,
): Fault | undefined => {
  if (!form) return { location: 'formId', message: 'is not a form of the space', value: form_id };
  if (typeof replaces === 'string' && (form.kind === 'custom_fields') !== (replaces === 'custom_fields'))
    return {
      location: 'formId',
      message: `is a form of kind ${form.kind}, whose answers stand in another list`,
      value: form_id,
    };
  if (!form.refs.has(form_ref_id))
    return { location: 'formRefId', message: 'is not a reference value of the form', value: form_ref_id };
  if (single.includes(form.type) && again)
    return {
      location: 'formId',
      message: `is answered twice, but a form of type ${form.type} keeps one answer`,
      value: form_id,
    };
  return undefined;
};

/** For each of the writes the 422 with its answers that name no reference value of a living form of its sort, or are one too many. */
export const answerProblems = async (
  tx: Space,
  writes: readonly Omit<Placed, 'id'>[],
): Promise<(Problem | undefined)[]> => {
  const named = writes.flatMap(({ content }) => changesOf(content).flatMap(({ answers }) => answers));
  if (named.length === 0) return [];
  const rows = await tx.rows<FormRow>(formsOf, { forms: [...new Set(named.map(({ form_id }) => form_id))] });
  const forms = new Map(rows.map((form) => [form.id, { ...form, refs: new Set(form.refs) }]));
  return writes.map(({ at, content }) => {
    const faults: Fault[] = [];
    for (const { replaces, answers } of changesOf(content)) {
      const list = replaces === 'custom_fields' ? 'customFields' : 'answers';
      const seen = new Set<number>();
      for (const [index, answer] of answers.entries()) {
        const found = faultOf(answer, forms.get(answer.form_id), replaces, seen.has(answer.form_id));
        if (found) faults.push({ ...found, location: `${at}.${list}[${index}].${found.location}` });
        seen.add(answer.form_id);
      }
    }
    if (faults.length === 0) return undefined;
    return new Problem('unprocessable', `${faults.length} answers cannot be kept, listed in errors`, {
      errors: faults,
    });
  });
};

/** What several changes come to: each replaces what those before it say of its forms, and leaves out what may stay. */
const together = (changes: readonly AnswerChange[]): AnswerContent[] => {
  let said: AnswerContent[] = [];
  for (const { replaces, answers } of changes) {
    const [forms, refs] = typeof replaces === 'string' ? [[], []] : [replaces.forms, replaces.refs];
    const replaced = (one: AnswerContent): boolean => forms.includes(one.form_id) || refs.includes(one.form_ref_id);
    const before = new Map(said.filter(replaced).map((one) => [one.form_ref_id, one]));
    const now = answers.map((one) => ({ ...before.get(one.form_ref_id), ...one }));
    said = said.filter((one) => !replaced(one)).concat(now);
  }
  return said;
};

/** Writes the answers that these contents name. The contacts are locked by the same transaction. */
export const writeAnswers = async (tx: Space, placed: readonly Placed[]): Promise<void> => {
  const items = placed.flatMap(({ id, content }) => {
    const changes = changesOf(content);
    if (changes.length === 0) return [];
    return [
      {
        id,
        lists: changes.some(({ replaces }) => replaces === 'answers'),
        custom: changes.some(({ replaces }) => replaces === 'custom_fields'),
        forms: changes.flatMap(({ replaces }) => (typeof replaces === 'string' ? [] : replaces.forms)),
        refs: changes.flatMap(({ replaces }) => (typeof replaces === 'string' ? [] : replaces.refs)),
        answers: together(changes),
      },
    ];
  });
  if (items.length > 0) await tx.rows(write, { items: JSON.stringify(items) });
};
