// The forms of a population, of every kind and type, and what its contacts answered, readable or not.
import * as pools from './pools.ts';
import { drawCount, drawOrNull } from './population-draws.ts';
import type { Chance } from './random.ts';
import type { AnswerRow, ConsentRow, ContactRow, Tables } from './rows.ts';

export interface FormPlan {
  id: number;
  kind: string;
  type: string;
  /** How many reference values it has; free input has one. */
  refs: number;
  deleted?: true;
}

const plan = (id: number, kind: string, type: string, refs = 1, deleted?: true): FormPlan => ({
  id,
  kind,
  type,
  refs,
  ...(deleted && { deleted }),
});

export const forms: readonly FormPlan[] = [
  plan(1, 'custom_fields', 'numeric'),
  plan(2, 'custom_fields', 'date'),
  plan(3, 'custom_fields', 'text'),
  plan(4, 'custom_fields', 'radio', 3),
  plan(5, 'custom_fields', 'checkbox', 4),
  plan(6, 'survey', 'text'),
  plan(7, 'consent', 'radio', 2),
  plan(8, 'level_of_support', 'select', 3),
  plan(9, 'presence_status', 'select', 3),
  plan(10, 'tasks', 'checkbox', 3),
  plan(11, 'survey', 'numeric'),
  plan(12, 'survey', 'date'),
  plan(13, 'survey', 'checkbox', 4),
  plan(14, 'custom_fields', 'text', 1, true),
  plan(15, 'survey', 'radio', 2, true),
  plan(16, 'consent', 'checkbox', 3),
];

export const computeRefId = (form: number, position: number): number => form * 10 + position;
export const listRefs = (form: FormPlan): number[] =>
  Array.from({ length: form.refs }, (_, index) => computeRefId(form.id, index));

export const getAnswerPool = (type: string): readonly string[] =>
  type === 'numeric' ? pools.numbers : type === 'date' ? pools.dates : pools.words;

/** In the second space the same ids stand for forms of other kinds and types. */
const formsOf = (group: number): FormPlan[] =>
  forms.map((form, index) => {
    const other = forms[(index + group - 1) % forms.length]!;
    return { ...form, kind: other.kind, type: other.type, deleted: other.deleted };
  });

export const generateFormRows = (group: number): Partial<Tables> => ({
  forms: formsOf(group).map(({ id, kind, type, deleted }) => ({
    group_id: group,
    id,
    kind,
    type,
    label: `Form ${id}`,
    deleted_at: deleted ? pools.now : null,
  })),
  form_refs: formsOf(group).flatMap((form) =>
    listRefs(form).map((id, position) => ({
      group_id: group,
      id,
      form_id: form.id,
      label: `Choice ${position}`,
      value: form.refs > 1 ? `choice-${position}` : null,
      position,
    })),
  ),
});

const answersTo = (draw: Chance, form: FormPlan): [ref: number, data: string | null][] => {
  const data = () => drawOrNull(draw, 0.9, () => draw.pick(getAnswerPool(form.type)));
  const one = (): [number, string | null] => [draw.pick(listRefs(form)), data()];
  if (form.type === 'checkbox') {
    // Often the same answer to several choices, since a query may ask just that.
    const same = data();
    return draw.some(listRefs(form), drawCount(draw)).map((ref) => [ref, draw.odds(0.6) ? same : data()]);
  }
  if (draw.odds(0.4)) return [];
  return draw.odds(0.15) && form.refs === 1 ? [one(), one()] : [one()];
};

export const drawAnswers = (draw: Chance, group: number, contacts: readonly ContactRow[]): Pick<Tables, 'answers'> => {
  let id = 0;
  return {
    answers: contacts.flatMap((contact): AnswerRow[] =>
      formsOf(group).flatMap((form) =>
        answersTo(draw, form).map(([ref, data]) => ({
          group_id: group,
          id: ++id,
          contact_id: contact.id,
          form_id: form.id,
          form_ref_id: ref,
          data,
        })),
      ),
    ),
  };
};

/** The history of consent: of the answers that contacts have, and of others that they or merged contacts gave; of opt-outs, whether they hold or not. */
export const drawConsentChanges = (
  draw: Chance,
  contacts: readonly ContactRow[],
  answers: readonly AnswerRow[],
): ConsentRow[] => {
  let id = 0;
  return contacts.flatMap(({ group_id, id: contact_id }) => {
    const own = answers.filter((answer) => answer.contact_id === contact_id);
    const line = (form: FormPlan | null, option_id: number | null): ConsentRow => {
      const [before, after] = form
        ? [draw.pick([null, 'choice-0']), draw.pick([null, 'choice-1', 'choice-2', 'choice-0'])]
        : [draw.pick([null, 'false', 'true']), draw.pick(['true', 'true', 'false'])];
      const form_ref_id = form?.type === 'checkbox' ? option_id : null;
      const created_at = draw.pick(pools.instants);
      return {
        ...{ group_id, id: ++id, contact_id, form_id: form?.id ?? null, form_ref_id, option_id },
        ...{ before, after, operation: 'updateContact', created_at },
      };
    };
    const options = formsOf(group_id)
      .filter(({ kind }) => kind === 'consent')
      .flatMap((form) => listRefs(form).map((ref) => [form, ref] as const))
      .filter(([, ref]) => draw.odds(own.some(({ form_ref_id }) => form_ref_id === ref) ? 0.8 : 0.3));
    return [
      ...options.flatMap(([form, ref]) => Array.from({ length: 1 + draw.whole(3) }, () => line(form, ref))),
      ...Array.from({ length: draw.pick([0, 1, 1, 2, 3]) }, () => line(null, null)),
    ];
  });
};
