// When a condition on `custom_fields` or `form` holds of a contact, by the rules of §4.13 and of decisions §4, Answers.
import type { Condition, Holds } from './oracle-conditions.ts';
import { compileMomentTest } from './oracle-dates.ts';
import { compareText, foldText } from './oracle-text.ts';
import type { Answer, Person, View } from './oracle-view.ts';

const ordered = <T>(
  ope: string,
  condition: Condition,
  read: (value: unknown) => T,
  compare: (a: T, b: T) => number,
) => {
  if (ope === 'range') {
    const [from, to] = [read(condition.from), read(condition.to)];
    return (value: T) => compare(from, value) <= 0 && compare(value, to) <= 0;
  }
  const wanted = read(condition.value);
  return ope === 'lte' ? (value: T) => compare(value, wanted) <= 0 : (value: T) => compare(value, wanted) >= 0;
};

const readNumber = (value: unknown): number => {
  if (!/^-?\d+(\.\d+)?$/.test(String(value))) throw new Error(`No number: ${value}`);
  return Number(value);
};

const of = <T>(value: T | null, test: (value: T) => boolean): boolean => value !== null && test(value);

const answerTest = (ope: string, condition: Condition, type: string | undefined, now: bigint) => {
  if (ope === 'eql' && condition.value === undefined) return () => true;
  if (ope === 'eql' || ope === 'contains') {
    const needle = foldText(condition.value as string);
    if (needle === '') throw new Error('An empty text has no reading');
    return ope === 'eql'
      ? ({ folded }: Answer) => folded === needle
      : ({ folded }: Answer) => of(folded, (text) => text.includes(needle));
  }
  if (!['lte', 'gte', 'range'].includes(ope)) throw new Error(`No ${ope} on answers`);
  if (type === 'numeric') {
    const holds = ordered(ope, condition, readNumber, (a, b) => a - b);
    return ({ number }: Answer) => of(number, holds);
  }
  if (type === 'date') {
    const holds = compileMomentTest(ope, condition, now);
    return ({ moment }: Answer) => of(moment, holds);
  }
  const holds = ordered(ope, condition, (value) => foldText(value as string), compareText);
  return ({ folded }: Answer) => of(folded, holds);
};

/** For a positive operator. The negation of a condition on answers is its complement. */
export const answerHolds = (ope: string, condition: Condition, view: View, now: bigint): Holds => {
  const { attr, form_id, form_ref_ids = [] } = condition;
  if (form_id === undefined) throw new Error('Which form?');
  const form = view.forms.get(form_id);
  // A form of the other attribute, of another space, deleted or unknown has no answers here.
  const asked = form !== undefined && (form.kind === 'custom_fields') === (attr === 'custom_fields');
  if (ope === 'ext') return ({ answers }) => asked && answers.has(form_id);
  const holds = answerTest(ope, condition, form?.type, now);
  if (!asked) return () => false;
  return ({ answers }) => {
    const given = answers.get(form_id) ?? [];
    if (form_ref_ids.length === 0) return given.some(holds);
    return form_ref_ids.every((ref) => given.some((answer) => answer.ref === ref && holds(answer)));
  };
};

/** When the answers that the contact has were given last; with options, those under each of them. */
export const consentHolds = (ope: string, condition: Condition, view: View, now: bigint): Holds => {
  const { form_id, form_ref_ids = [] } = condition;
  if (view.forms.get(form_id!)?.kind !== 'consent') return () => false;
  const latestOf = ({ answers, given }: Person, options: readonly number[]): bigint | undefined =>
    given
      .filter(({ form, option }) => form === form_id && options.includes(option))
      .filter(({ option }) => answers.get(form_id!)?.some(({ ref }) => ref === option))
      .reduce<bigint | undefined>((last, { at }) => (last === undefined || at > last ? at : last), undefined);
  const listAll = ({ given }: Person): number[] => given.map(({ option }) => option);
  if (ope === 'ext') return (person) => latestOf(person, listAll(person)) !== undefined;
  const holds = compileMomentTest(ope, condition, now);
  return (person) =>
    (form_ref_ids.length > 0 ? form_ref_ids.map((ref) => [ref]) : [listAll(person)]).every((options) => {
      const at = latestOf(person, options);
      return at !== undefined && holds(at);
    });
};
