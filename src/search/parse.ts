// From what a client sent to a search that can be compiled: every fault is found, each with its place; nothing is guessed or dropped.
import { limits } from '../limits.ts';
import type { Fault } from '../problem.ts';
import { type AttributeName, attributes, getAttribute, isAttributeName } from './attributes.ts';
import { listLimit, type Operand, parseOperand } from './operand.ts';
import { isOperatorName, type Operator, operators } from './operators.ts';

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

/** Conditions of one query, and values in all its lists: each is bound, and names of tags are looked up one by one. */
export const { conditions: conditionLimit, values: valueLimit } = limits.search;

type Json = Record<string, unknown>;
const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** An id, as a number or in decimal digits. */
const idOf = (value: unknown): number | undefined => {
  const id = typeof value === 'string' && /^(0|[1-9]\d{0,15})$/.test(value) ? Number(value) : value;
  return typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 ? id : undefined;
};

/** How a query is written: the contract's way, or the graph's. */
export interface Notation {
  every: string;
  some: string;
  condition: string;
  /** Fields of a condition. */
  attribute: string;
  operator: string;
  formId: string;
  formRefIds: string;
  /** Where the operand of a list stands. */
  list: string;
  /** How the name of an attribute or an operator is written. */
  spelled(name: string): string;
  /** How many levels of groups there are; and whether there are just as many, or up to as many. */
  depth: number;
  exactly: boolean;
  /** Whether an operand that the operator does not take is a fault. Clients of the contract send some along. */
  strict: boolean;
}

/** Spec §4.13, rules 1 to 4. */
export const contract: Notation = {
  every: '$all',
  some: '$at_least_one',
  condition: '$condition',
  attribute: 'attr',
  operator: 'ope',
  formId: 'form_id',
  formRefIds: 'form_ref_ids',
  list: 'value',
  spelled: (name) => name,
  depth: 2,
  exactly: true,
  strict: false,
};

/**
 * Reads a query tree. Faults are added with places below `location`; the group counts only when there are none. No query is
 * one that every contact matches. `now` is the one instant of the request, in microseconds.
 */
export const parseQuery = (
  sent: unknown,
  location: string,
  now: bigint,
  faults: Fault[],
  notation: Notation = contract,
): Group => {
  if (sent === undefined || sent === null) return { every: true, parts: [] };
  const { every, some } = notation;
  // A list of many may be wrong at each of them: nobody reads on.
  const fault = (place: string, message: string, value?: unknown): undefined =>
    void (
      faults.length < 2 * conditionLimit &&
      faults.push({ location: place, message, ...(value !== undefined && { value }) })
    );
  let count = 0;
  let seen = 0;
  let values = 0;

  /** Groups on `levels` levels may begin here. */
  const group = (value: unknown, place: string, levels: number): Group | undefined => {
    const keys = isRecord(value) ? [every, some].filter((key) => value[key] !== undefined && value[key] !== null) : [];
    if (!isRecord(value) || keys.length !== 1)
      return fault(place, `must be an object with one key, ${every} or ${some}`, value);
    const [key] = keys as [string];
    const here = `${place}.${key}`;
    const parts = value[key];
    if (!Array.isArray(parts)) return fault(here, 'must be an array', parts);
    if (parts.length === 0 && levels < notation.depth) return fault(here, 'must not be empty', parts);
    return {
      every: key === every,
      parts: parts.flatMap((part, index) => read(part, `${here}[${index}]`, levels) ?? []),
    };
  };

  const read = (part: unknown, place: string, levels: number): Group | Condition | undefined => {
    // That there are too many is said once; not what else is wrong with each of a million.
    if (++seen > 2 * conditionLimit) return;
    const isCondition = isRecord(part) && part[notation.condition] !== undefined;
    if (isCondition && (levels === 1 || !notation.exactly)) {
      count++;
      const condition = readCondition(part[notation.condition], `${place}.${notation.condition}`, now, fault, notation);
      values += (condition?.operand.values.length ?? 0) + (condition?.formRefIds?.length ?? 0);
      return condition;
    }
    if (isCondition)
      return fault(place, `must be a group, ${every} or ${some}, that holds the ${notation.condition}`, part);
    if (levels === 1)
      return fault(
        place,
        `must hold a ${notation.condition}: groups nest no deeper than ${notation.depth} levels`,
        part,
      );
    return group(part, place, levels - 1);
  };

  const found = group(sent, location, notation.depth);
  if (count > conditionLimit || seen > 2 * conditionLimit)
    faults.unshift({ location, message: `has more than ${conditionLimit} conditions` });
  if (values > conditionLimit + valueLimit)
    faults.unshift({ location, message: `has more than ${valueLimit} values in its lists` });
  return found ?? { every: true, parts: [] };
};

const readCondition = (
  value: unknown,
  place: string,
  now: bigint,
  fault: (place: string, message: string, value?: unknown) => undefined,
  notation: Notation,
): Condition | undefined => {
  if (!isRecord(value)) return fault(place, 'must be an object', value);
  const [attributeAt, operatorAt] = [`${place}.${notation.attribute}`, `${place}.${notation.operator}`];
  const attribute = value[notation.attribute];
  const operator = value[notation.operator];
  const oneOf = (names: readonly string[]): string => names.map(notation.spelled).join(', ');
  if (!isAttributeName(attribute)) {
    fault(
      attributeAt,
      attribute === undefined ? 'is required' : `must be one of ${oneOf(Object.keys(attributes))}`,
      attribute,
    );
    if (operator !== undefined && !isOperatorName(operator))
      fault(operatorAt, `must be one of ${oneOf(Object.keys(operators))}`, operator);
    return;
  }
  const { operators: permitted, kind, source } = getAttribute(attribute);
  if (!isOperatorName(operator) || !permitted.includes(operator)) {
    const may = `${notation.spelled(attribute)} permits ${oneOf(permitted)}`;
    return fault(operatorAt, operator === undefined ? `is required; ${may}` : may, operator);
  }
  let sound = true;
  const refuse = (name: string, message: string, at?: unknown): undefined => {
    sound = false;
    return fault(`${place}.${name}`, message, at);
  };
  for (const name of notation.strict ? unwanted(operator, value) : [])
    refuse(name, `is not an operand of ${notation.spelled(operator)}`, value[name]);
  for (const name of notation.strict && source.of !== 'answers' ? [notation.formId, notation.formRefIds] : [])
    if ((value[name] ?? null) !== null) refuse(name, `is not for ${notation.spelled(attribute)}`, value[name]);
  const answers = source.of === 'answers' ? readForm(value, notation, refuse) : {};
  const operand = parseOperand(kind, operator, value, now, refuse, notation.list);
  return sound ? { attribute, operator, operand, ...answers } : undefined;
};

const operands = { nothing: [], value: ['value'], list: ['values'], range: ['from', 'to'] };
/** Operands that were given and are not taken. */
const unwanted = (operator: Operator, given: Json): string[] => {
  const taken = [...operands[operators[operator].takes], ...(operator === 'period' ? ['value'] : [])];
  return ['value', 'values', 'from', 'to'].filter((name) => !taken.includes(name) && (given[name] ?? null) !== null);
};

/** The form of an answer, and the reference values that must be there. */
const readForm = (
  value: Json,
  { formId, formRefIds }: Notation,
  refuse: (name: string, message: string, value?: unknown) => undefined,
): Pick<Condition, 'formId' | 'formRefIds'> => {
  const sent = value[formId];
  const id = idOf(sent);
  if (id === undefined)
    refuse(formId, sent === undefined || sent === null ? 'is required' : 'must be the id of a form', sent);
  const refs = value[formRefIds] ?? [];
  if (!Array.isArray(refs)) return refuse(formRefIds, 'must be an array of ids', refs) ?? {};
  if (refs.length > listLimit) return refuse(formRefIds, `must be at most ${listLimit} ids`, refs.length) ?? {};
  for (const [index, ref] of refs.entries())
    if (idOf(ref) === undefined) refuse(`${formRefIds}[${index}]`, 'must be the id of a reference value', ref);
  return { formId: id as number, formRefIds: refs.map(idOf) as number[] };
};
