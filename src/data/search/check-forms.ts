// Checks a query against the forms of the space: whether they exist, and whether the values fit their types.

import { defineStatement, type Scoped } from '../../database/statement.ts';
import { createInvalidProblem, type Fault } from '../../problem.ts';
import { isDateText, isNumberText } from '../../search/answer-conditions.ts';
import { type AttributeName, getAttribute } from '../../search/attributes.ts';
import { nameSegment } from '../../search/inline-segments.ts';
import type { Condition, Group } from '../../search/parse.ts';
import type { FormKind, FormType } from '../form/form.ts';

interface SearchedForm {
  id: number;
  kind: FormKind;
  type: FormType;
  /** The requested reference values that the form has, and the first of all that it has. */
  known: number[];
  first: number[];
}

/** How many reference values a fault names as allowed. */
const namedReferences = 20;
const selectForms = defineStatement(
  'search.forms',
  `select f.id, f.kind, f.type,
          array(select r.id from form_refs r where r.group_id = :group and r.form_id = f.id and r.id = any(:refs)) as known,
          array(select r.id from form_refs r where r.group_id = :group and r.form_id = f.id order by r.position, r.id limit ${namedReferences} + 1) as first
     from forms f where f.group_id = :group and f.id = any(:forms) and f.deleted_at is null`,
);

type AnswerCondition = Condition & { formId: number };

const listAnswerConditions = (part: Group | Condition): AnswerCondition[] => {
  if ('parts' in part) return part.parts.flatMap(listAnswerConditions);
  return part.formId === undefined ? [] : [part as AnswerCondition];
};

/** The kind of form that a condition asks for; without one, any but `custom_fields`. */
const findAskedKind = (attribute: AttributeName): FormKind | undefined => {
  const { source } = getAttribute(attribute);
  if (source.of === 'consents') return 'consent';
  return source.of === 'answers' && source.custom ? 'custom_fields' : undefined;
};

const checkForm = (attribute: AttributeName, form: SearchedForm | undefined): string | undefined => {
  const asked = findAskedKind(attribute);
  if (form && (asked ? form.kind === asked : form.kind !== 'custom_fields')) return undefined;
  const wanted = `whose kind is ${asked ?? 'not custom_fields'}`;
  const instead = form ? `; its kind is ${form.kind}` : '';
  return `must be the id of a form of the space ${wanted}, as GET /forms/{type} lists them${instead}`;
};

const checkReferences = ({ formRefIds = [] }: Condition, { known, first }: SearchedForm, place: string): Fault[] => {
  const allowed = `${first.slice(0, namedReferences).join(', ')}${first.length > namedReferences ? ', …' : ''}`;
  return formRefIds.flatMap((ref, index) =>
    known.includes(ref)
      ? []
      : [{ location: `${place}[${index}]`, message: `must be a reference value of the form: ${allowed}`, value: ref }],
  );
};

const checkValue = (
  { attribute, operator, operand }: Condition,
  { type }: SearchedForm,
  locate: (name: 'value' | 'from' | 'to') => string,
): Fault[] => {
  // A part of a text is compared with the text of the answer, whatever the type of the form.
  if (
    !operand.given ||
    getAttribute(attribute).kind !== 'answer' ||
    operator === 'contains' ||
    operator === 'not_contains'
  )
    return [];
  const isRange = operator === 'range';
  const bounds = (['from', 'to'] as const).filter((name) => operand[name] !== undefined);
  const sent =
    operand.values.length > 0
      ? [['value', operand.values[0]]]
      : bounds.map((name) => [isRange ? name : 'value', operand[name], name]);
  return (sent as ['value' | 'from' | 'to', string, ('from' | 'to')?][]).flatMap(([name, value, bound]) => {
    const fault = (message: string): Fault[] => [{ location: locate(name), message, value }];
    if (type === 'numeric')
      return isNumberText(value) ? [] : fault('must be a number such as 9.99: the type of the form is numeric');
    if (type !== 'date') return [];
    if (bound)
      return operand.span?.[bound]
        ? []
        : fault(
            'must be a date such as 2026-11-21, a date-time of RFC 3339, or relative such as now-30d: the type of the form is date',
          );
    return isDateText(value)
      ? []
      : fault('must be a date such as 2026-11-21, or a date-time of RFC 3339: the type of the form is date');
  });
};

/** Finds the faults of forms, reference values and values in a query, whose place is `place`. */
export const findFormFaults = async (space: Scoped, query: Group, place: string): Promise<Fault[]> => {
  const conditions = listAnswerConditions(query);
  if (conditions.length === 0) return [];
  const ids = (of: (condition: AnswerCondition) => number[]): number[] => [...new Set(conditions.flatMap(of))];
  const values = { forms: ids(({ formId }) => [formId]), refs: ids(({ formRefIds = [] }) => formRefIds) };
  const forms = new Map((await space.rows<SearchedForm>(selectForms, values)).map((form) => [form.id, form]));
  const findFaults = (condition: AnswerCondition): Fault[] => {
    const { attribute, operator, formId, location, notation } = condition;
    const { formId: formName, formRefIds: referencesName, locateAnswer } = notation!;
    const locate = (name: string): string => `${place}${location}.${name}`;
    const form = forms.get(formId);
    const message = checkForm(attribute, form);
    if (message) return [{ location: locate(formName), message, value: formId }];
    return [
      ...checkReferences(condition, form!, locate(referencesName)),
      ...checkValue(condition, form!, (name) => locate(locateAnswer(operator, name))),
    ];
  };
  return conditions.flatMap((condition) => nameSegment(condition.segment, findFaults(condition)));
};

/** Throws 400 with every fault. Otherwise a condition that no contact can satisfy would silently find nobody. */
export const checkSearchedForms = async (space: Scoped, query: Group, place: string): Promise<void> => {
  const faults = await findFormFaults(space, query, place);
  if (faults.length > 0) throw createInvalidProblem(faults);
};
