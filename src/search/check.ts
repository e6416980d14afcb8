// From what a client sent to a search that can be compiled: every fault is found, each with its place; nothing is guessed or dropped.
import type { Fault } from '../problem.ts';
import { type AttributeName, attributeOf, attributes, isAttribute } from './attributes.ts';
import { isOperator, type Operator, operators } from './operators.ts';
import { type Operand, readOperand } from './values.ts';

export interface Condition {
  attribute: AttributeName;
  operator: Operator;
  operand: Operand;
  /** Of answers: the form, and the reference values that must be there. */
  formId?: number;
  formRefIds?: number[];
}

/** A group of conditions or of groups: all of them hold, or at least one does. */
export interface Group {
  every: boolean;
  parts: (Group | Condition)[];
}

export interface Search {
  query: Group;
  perPage: number;
  page: number;
  sort: SortName | null;
  ascending: boolean;
  withInteractions: boolean;
  withTotal: boolean;
}

export const sortNames = [
  'surname',
  'firstname',
  'birthdate',
  'gender',
  'lastchange',
  'mail',
  'married_name',
  'city',
] as const;
export type SortName = (typeof sortNames)[number];

/** Conditions of one query. */
export const conditionLimit = 100;

type Json = Record<string, unknown>;
const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isId = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

/** Reads `advanced_search`. Faults are added with places below `location`; the search counts only when there are none. */
export const check = (
  sent: unknown,
  location: string,
  now: bigint,
  faults: Fault[],
  { counting = false } = {},
): Search => {
  const fault = (place: string, message: string, value?: unknown): undefined =>
    void faults.push({
      location: place === '' ? location : `${location}.${place}`,
      message,
      ...(value !== undefined && { value }),
    });
  if (!isRecord(sent)) fault('', sent === undefined ? 'is required' : 'must be an object', sent);
  const given = isRecord(sent) ? sent : {};

  const flag = (name: string): boolean => {
    const value = given[name];
    if (value === undefined || value === null || typeof value === 'boolean') return value === true;
    fault(name, 'must be true or false', value);
    return false;
  };
  const whole = (name: string, least: number, most: number): number | undefined => {
    const value = given[name];
    if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return value as number;
    return fault(name, `must be a whole number from ${least} to ${most}`, value);
  };
  const perPage =
    given.per_page === undefined ? (counting ? 1 : fault('per_page', 'is required')) : whole('per_page', 1, 1000);
  const page = given.page === undefined || given.page === null ? 0 : whole('page', 0, 1_000_000);
  const sort = given.sort_attr ?? null;
  if (sort !== null && !sortNames.includes(sort as SortName))
    fault('sort_attr', `must be one of ${sortNames.join(', ')}`, sort);

  let count = 0;
  const condition = (value: unknown, place: string): Condition | undefined => {
    count++;
    if (!isRecord(value)) return fault(place, 'must be an object', value);
    const { attr, ope } = value;
    if (!isAttribute(attr)) {
      fault(
        `${place}.attr`,
        attr === undefined ? 'is required' : `must be one of ${Object.keys(attributes).join(', ')}`,
        attr,
      );
      if (ope !== undefined && !isOperator(ope))
        fault(`${place}.ope`, `must be one of ${Object.keys(operators).join(', ')}`, ope);
      return;
    }
    const { operators: permitted, kind, source } = attributeOf(attr);
    if (!isOperator(ope) || !permitted.includes(ope)) {
      return fault(`${place}.ope`, ope === undefined ? 'is required' : `${attr} permits ${permitted.join(', ')}`, ope);
    }
    const before = faults.length;
    const answers = source.of === 'answers';
    if (answers && !isId(value.form_id))
      fault(
        `${place}.form_id`,
        value.form_id === undefined ? 'is required' : 'must be the id of a form',
        value.form_id,
      );
    const refs = answers ? (value.form_ref_ids ?? []) : [];
    if (!Array.isArray(refs)) fault(`${place}.form_ref_ids`, 'must be an array of ids', refs);
    else
      for (const [index, ref] of refs.entries()) {
        if (!isId(ref)) fault(`${place}.form_ref_ids[${index}]`, 'must be the id of a reference value', ref);
      }
    const operand = readOperand(kind, ope, value, now, (name, message, at) => fault(`${place}.${name}`, message, at));
    if (faults.length > before) return;
    return {
      attribute: attr,
      operator: ope,
      operand,
      ...(answers && { formId: value.form_id as number, formRefIds: refs as number[] }),
    };
  };

  /** `depth` levels of groups may follow; conditions stand in the innermost alone. */
  const group = (value: unknown, place: string, inner: boolean): Group | undefined => {
    const keys = isRecord(value) ? Object.keys(value).filter((key) => key === '$all' || key === '$at_least_one') : [];
    if (!isRecord(value) || keys.length !== 1)
      return fault(place, 'must be an object with one key, $all or $at_least_one', value);
    const [key] = keys as [string];
    const parts = value[key];
    const here = `${place}.${key}`;
    if (!Array.isArray(parts)) return fault(here, 'must be an array', parts);
    if (inner && parts.length === 0) return fault(here, 'must not be empty', parts);
    const read = parts.map((part, index) => {
      const at = `${here}[${index}]`;
      const isCondition = isRecord(part) && '$condition' in part;
      if (inner && !isCondition) return fault(at, 'must be a $condition: groups are nested one level deep', part);
      if (!inner && isCondition)
        return fault(at, 'must be a group, $all or $at_least_one, that holds the $condition', part);
      return inner ? condition((part as Json).$condition, `${at}.$condition`) : group(part, at, true);
    });
    return { every: key === '$all', parts: read.filter((part) => part !== undefined) };
  };
  const query = given.query === undefined || given.query === null ? undefined : group(given.query, 'query', false);
  if (count > conditionLimit) fault('query', `has ${count} conditions; at most ${conditionLimit} are allowed`);

  return {
    query: query ?? { every: true, parts: [] },
    perPage: perPage ?? 1,
    page: page ?? 0,
    sort: sort as SortName | null,
    ascending: flag('sort_asc'),
    withInteractions: flag('include_interactions'),
    withTotal: flag('with_total'),
  };
};
