// What only the database can say of a query: whether the forms that it asks about are there, and whether their type can read what they are compared with.

import { defineStatement, type Scoped } from '../../database/statement.ts';
import { createInvalidProblem, type Fault } from '../../problem.ts';
import { isDateText, isNumberText } from '../../search/answer-text.ts';
import { type AttributeName, getAttribute } from '../../search/attributes.ts';
import type { Condition, Group, Notation } from '../../search/parse.ts';
import type { FormKind, FormType } from '../form.ts';

interface Asked {
  id: number;
  kind: FormKind;
  type: FormType;
  /** Those of the reference values asked for that are the form's, and the first of all it has. */
  known: number[];
  first: number[];
}

/** Reference values that a fault names as allowed. */
const named = 20;
const formsOf = defineStatement(
  'search.forms',
  `select f.id, f.kind, f.type,
          array(select r.id from form_refs r where r.group_id = :group and r.form_id = f.id and r.id = any(:refs)) as known,
          array(select r.id from form_refs r where r.group_id = :group and r.form_id = f.id order by r.position, r.id limit ${named} + 1) as first
     from forms f where f.group_id = :group and f.id = any(:forms) and f.deleted_at is null`,
);

/** A condition on answers, and where it is in the query as it was written. */
type Placed = [condition: Condition & { formId: number }, place: string];

const onAnswers = (part: Group | Condition, place: string, notation: Notation): Placed[] => {
  if ('parts' in part) {
    const key = part.every ? notation.every : notation.some;
    return part.parts.flatMap((one, index) => onAnswers(one, `${place}.${key}[${index}]`, notation));
  }
  return part.formId === undefined ? [] : [[part as Placed[0], `${place}.${notation.condition}`]];
};

const isCustom = (attribute: AttributeName): boolean => {
  const { source } = getAttribute(attribute);
  return source.of === 'answers' && source.custom;
};

const faultOfForm = (attribute: AttributeName, form: Asked | undefined): string | undefined => {
  if (form && (form.kind === 'custom_fields') === isCustom(attribute)) return undefined;
  const wanted = isCustom(attribute) ? 'of kind custom_fields' : 'of another kind than custom_fields';
  const instead = form ? `; it is of kind ${form.kind}` : '';
  return `must be the id of a form of the space ${wanted}, as GET /forms/{type} lists them${instead}`;
};

const faultsOfRefs = ({ formRefIds = [] }: Condition, { known, first }: Asked, place: string): Fault[] => {
  const allowed = `${first.slice(0, named).join(', ')}${first.length > named ? ', …' : ''}`;
  return formRefIds.flatMap((ref, index) =>
    known.includes(ref)
      ? []
      : [{ location: `${place}[${index}]`, message: `must be a reference value of the form: ${allowed}`, value: ref }],
  );
};

const faultsOfValue = ({ operator, operand }: Condition, { type }: Asked, place: string): Fault[] => {
  // A part of a text is compared with the answer as a text, whatever the type.
  if (!operand.given || operator === 'contains' || operator === 'not_contains') return [];
  const isRange = operator === 'range';
  const bounds = (['from', 'to'] as const).filter((name) => operand[name] !== undefined);
  const said =
    operand.values.length > 0
      ? [['value', operand.values[0]]]
      : bounds.map((name) => [isRange ? name : 'value', operand[name], name]);
  return (said as [string, string, ('from' | 'to')?][]).flatMap(([name, value, bound]) => {
    const fault = (message: string): Fault[] => [{ location: `${place}.${name}`, message, value }];
    if (type === 'numeric')
      return isNumberText(value) ? [] : fault('must be a number such as 9.99: the form is numeric');
    if (type !== 'date') return [];
    if (bound)
      return operand.span?.[bound]
        ? []
        : fault(
            'must be a date such as 2026-11-21, a date-time of RFC 3339, or relative such as now-30d: the form is of dates',
          );
    return isDateText(value)
      ? []
      : fault('must be a date such as 2026-11-21, or a date-time of RFC 3339: the form is of dates');
  });
};

/** What is wrong with the forms, the reference values and the values of a query that stands at `place`, in this notation. */
export const findFormFaults = async (
  space: Scoped,
  query: Group,
  place: string,
  notation: Notation,
): Promise<Fault[]> => {
  const conditions = onAnswers(query, place, notation);
  if (conditions.length === 0) return [];
  const ids = (of: (condition: Placed[0]) => number[]): number[] => [
    ...new Set(conditions.flatMap(([one]) => of(one))),
  ];
  const values = { forms: ids(({ formId }) => [formId]), refs: ids(({ formRefIds = [] }) => formRefIds) };
  const forms = new Map((await space.rows<Asked>(formsOf, values)).map((form) => [form.id, form]));
  return conditions.flatMap(([condition, at]): Fault[] => {
    const { attribute, operator, formId } = condition;
    const form = forms.get(formId);
    const message = faultOfForm(attribute, form);
    if (message) return [{ location: `${at}.${notation.formId}`, message, value: formId }];
    // Reference values say nothing there (spec §4.13, form attributes, rule 1).
    if (operator === 'ext' || operator === 'not_ext') return [];
    return [...faultsOfRefs(condition, form!, `${at}.${notation.formRefIds}`), ...faultsOfValue(condition, form!, at)];
  });
};

/** Throws 400 with every fault: a condition that could never be met finds nobody silently. */
export const checkSearchedForms = async (
  space: Scoped,
  query: Group,
  place: string,
  notation: Notation,
): Promise<void> => {
  const faults = await findFormFaults(space, query, place, notation);
  if (faults.length > 0) throw createInvalidProblem(faults);
};
