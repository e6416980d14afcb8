// Which conditions on answers are refused for what the space holds, from the words of decisions §4, Answers: a form that the space does not have, and
// a value that the form's type cannot read. Places as the contract writes them.
import type { Condition, Query } from './oracle.ts';
import { parseMicros, parseSpan, readDate } from './oracle-dates.ts';
import type { Population } from './rows.ts';

const isNumber = (value: unknown): boolean => /^-?\d+(\.\d+)?$/.test(String(value).trim());
const isMoment = (value: unknown, now: bigint): boolean => {
  try {
    return parseSpan(value, now) !== undefined;
  } catch {
    return false;
  }
};

const refusedIn = ({ tables }: Population, condition: Condition, now: bigint, group: number): string[] => {
  const { attr, ope, form_id, form_ref_ids = [] } = condition;
  const asked = condition as unknown as Record<string, unknown>;
  if (!['custom_fields', 'form', 'consented_at'].includes(attr)) return [];
  const form = tables.forms.find((one) => one.group_id === group && one.id === form_id && one.deleted_at === null);
  const fits = (kind: string): boolean =>
    attr === 'consented_at' ? kind === 'consent' : (kind === 'custom_fields') === (attr === 'custom_fields');
  if (!form || !fits(form.kind)) return ['form_id'];
  if (ope.endsWith('ext')) return [];
  const own = tables.form_refs.filter((ref) => ref.group_id === group && ref.form_id === form.id).map(({ id }) => id);
  const strangers = form_ref_ids.flatMap((ref, index) => (own.includes(ref) ? [] : [`form_ref_ids[${index}]`]));
  if (ope.endsWith('contains') || attr === 'consented_at') return strangers;
  const unreadable = (value: unknown): boolean => {
    if (form.type === 'numeric') return !isNumber(value);
    if (form.type !== 'date') return false;
    return ope.endsWith('eql') ? readDate(String(value).trim().toUpperCase()) === undefined : !isMoment(value, now);
  };
  const names = ['value', 'from', 'to'].filter((name) => asked[name] !== undefined && asked[name] !== null);
  return [...strangers, ...names.filter((name) => unreadable(asked[name]))];
};

/** The places in a query that are refused. */
export const findRefusals = (population: Population, query: Query | undefined, place: string, group = 1): string[] => {
  if (!query) return [];
  const now = parseMicros(population.now);
  const listIn = <One>(node: object): [key: string, list: One[]] => Object.entries(node)[0] as [string, One[]];
  const [outer, groups] = listIn<object>(query);
  return groups.flatMap((one, number) => {
    const [inner, conditions] = listIn<{ $condition: Condition }>(one);
    return conditions.flatMap(({ $condition }, index) =>
      refusedIn(population, $condition, now, group).map(
        (name) => `${place}.${outer}[${number}].${inner}[${index}].$condition.${name}`,
      ),
    );
  });
};
