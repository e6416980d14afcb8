// Reads a query tree as a client sent it, and finds every fault with its place. The instant of the request comes after: `resolveQuery`.
import { limits } from '../limits.ts';
import type { Fault } from '../problem.ts';
import { type AttributeName, attributes, getAttribute, isAttributeName } from './attributes.ts';
import { resolveRelativeDate } from './datetime.ts';
import {
  isDeferred,
  listLimit,
  type Operand,
  type OperandReport,
  type ParsedBound,
  parseOperand,
  type RelativeOperand,
  resolveOperand,
} from './operand.ts';
import { isOperatorName, type Operator, operators } from './operators.ts';

export interface Condition<Bound = string | number> {
  attribute: AttributeName;
  operator: Operator;
  operand: Operand<Bound>;
  /** For conditions on answers: the form, and the reference values that must all be answered. */
  formId?: number;
  formRefIds?: number[];
}

/** A group of conditions or groups: all of them must hold, or at least one. */
export interface Group<Bound = string | number> {
  every: boolean;
  parts: (Group<Bound> | Condition<Bound>)[];
}

/** A query tree that was read. The group counts only when there are no faults. */
export interface ParsedQuery {
  group: Group<ParsedBound>;
  faults: Fault[];
  /** Relative dates with their places, beside those of answers. */
  relative: (Omit<RelativeOperand, 'name'> & { location: string })[];
}

/** Conditions of a query, and values in all its lists: each value is bound, and each name of a tag is looked up. */
export const { conditions: conditionLimit, values: valueLimit } = limits.search;

type Json = Record<string, unknown>;
const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** Reads an id: a number or decimal digits. */
const readId = (value: unknown): number | undefined => {
  const id = typeof value === 'string' && /^(0|[1-9]\d{0,15})$/.test(value) ? Number(value) : value;
  return typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 ? id : undefined;
};

/** How a query is written: as in the contract, or as in the graph. */
export interface Notation {
  every: string;
  some: string;
  condition: string;
  /** Fields of a condition. */
  attribute: string;
  operator: string;
  formId: string;
  formRefIds: string;
  /** The field of a list operand. */
  list: string;
  /** Writes the name of an attribute or an operator. */
  formatName(name: string): string;
  /** How many levels of groups there are, and whether a query must have them all. */
  depth: number;
  exactly: boolean;
  /** Whether an operand that the operator does not take is a fault. Clients of the contract send such operands. */
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
  formatName: (name) => name,
  depth: 2,
  exactly: true,
  strict: false,
};

/** The query that every contact matches: a query that is not given. */
export const matchEverybody: Group = { every: true, parts: [] };

/**
 * Reads a query tree. Faults have places below `location`. The result depends on nothing but the tree and its notation, so it may
 * be kept for as long as the tree.
 */
export const parseQuery = (sent: unknown, location: string, notation: Notation = contract): ParsedQuery => {
  const faults: Fault[] = [];
  const relative: ParsedQuery['relative'] = [];
  if (sent === undefined || sent === null) return { group: matchEverybody, faults, relative };
  const { every, some } = notation;
  // A list of millions may be wrong at each item: nobody reads all the faults.
  const fault = (place: string, message: string, value?: unknown): undefined =>
    void (
      faults.length < 2 * conditionLimit &&
      faults.push({ location: place, message, ...(value !== undefined && { value }) })
    );
  let count = 0;
  let seen = 0;
  let values = 0;

  /** Reads a group that may hold groups on `levels` levels, its own among them. */
  const readGroup = (value: unknown, place: string, levels: number): Group<ParsedBound> | undefined => {
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
      parts: parts.flatMap((part, index) => readPart(part, `${here}[${index}]`, levels) ?? []),
    };
  };

  const readPart = (
    part: unknown,
    place: string,
    levels: number,
  ): Group<ParsedBound> | Condition<ParsedBound> | undefined => {
    // Too many conditions are one fault; the faults of each of a million are not looked for.
    if (++seen > 2 * conditionLimit) return;
    const isCondition = isRecord(part) && part[notation.condition] !== undefined;
    if (isCondition && (levels === 1 || !notation.exactly)) {
      count++;
      const condition = readCondition(part[notation.condition], `${place}.${notation.condition}`, notation, {
        fault,
        relative,
      });
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
    return readGroup(part, place, levels - 1);
  };

  const found = readGroup(sent, location, notation.depth);
  if (count > conditionLimit || seen > 2 * conditionLimit)
    faults.unshift({ location, message: `has more than ${conditionLimit} conditions` });
  if (values > conditionLimit + valueLimit)
    faults.unshift({ location, message: `has more than ${valueLimit} values in its lists` });
  return { group: found ?? matchEverybody, faults, relative };
};

/** The relative dates that leave the years 1 to 9999 at this instant. */
export const findDateFaults = ({ relative }: ParsedQuery, now: bigint): Fault[] =>
  relative.flatMap(({ date, ...fault }) => (resolveRelativeDate(date, now) === undefined ? [fault] : []));

const resolveGroup = ({ every, parts }: Group<ParsedBound>, now: bigint): Group => ({
  every,
  parts: parts.map((part) =>
    'parts' in part
      ? resolveGroup(part, now)
      : isDeferred(part.operand)
        ? { ...part, operand: resolveOperand(part.operand, now) }
        : (part as Condition),
  ),
});

/** The query at the instant of the request, in microseconds: all its relative dates start there. It must have no faults, and no date faults. */
export const resolveQuery = ({ group }: ParsedQuery, now: bigint): Group => resolveGroup(group, now);

const readCondition = (
  value: unknown,
  place: string,
  notation: Notation,
  {
    fault,
    relative,
  }: { fault(place: string, message: string, value?: unknown): undefined; relative: ParsedQuery['relative'] },
): Condition<ParsedBound> | undefined => {
  if (!isRecord(value)) return fault(place, 'must be an object', value);
  const [attributeAt, operatorAt] = [`${place}.${notation.attribute}`, `${place}.${notation.operator}`];
  const attribute = value[notation.attribute];
  const operator = value[notation.operator];
  const listNames = (names: readonly string[]): string => names.map(notation.formatName).join(', ');
  if (!isAttributeName(attribute)) {
    fault(
      attributeAt,
      attribute === undefined ? 'is required' : `must be one of ${listNames(Object.keys(attributes))}`,
      attribute,
    );
    if (operator !== undefined && !isOperatorName(operator))
      fault(operatorAt, `must be one of ${listNames(Object.keys(operators))}`, operator);
    return;
  }
  const { operators: permitted, kind, source } = getAttribute(attribute);
  if (!isOperatorName(operator) || !permitted.includes(operator)) {
    const may = `${notation.formatName(attribute)} permits ${listNames(permitted)}`;
    return fault(operatorAt, operator === undefined ? `is required; ${may}` : may, operator);
  }
  let isValid = true;
  const refuse: OperandReport['refuse'] = (name, message, at) => {
    isValid = false;
    return fault(`${place}.${name}`, message, at);
  };
  for (const name of notation.strict ? listUnwantedOperands(operator, value) : [])
    refuse(name, `is not an operand of ${notation.formatName(operator)}`, value[name]);
  for (const name of notation.strict && source.of !== 'answers' ? [notation.formId, notation.formRefIds] : [])
    if ((value[name] ?? null) !== null)
      refuse(name, `is not an operand of ${notation.formatName(attribute)}`, value[name]);
  const answers = source.of === 'answers' ? readForm(value, notation, refuse) : {};
  const addRelative = ({ name, ...operand }: RelativeOperand): void => {
    if (kind !== 'answer') relative.push({ location: `${place}.${name}`, ...operand });
  };
  const operand = parseOperand(kind, operator, value, { refuse, addRelative }, notation.list);
  return isValid ? { attribute, operator, operand, ...answers } : undefined;
};

const operands = { nothing: [], value: ['value'], list: ['values'], range: ['from', 'to'] };
/** The operands that were given though the operator does not take them. */
const listUnwantedOperands = (operator: Operator, given: Json): string[] => {
  const taken = [...operands[operators[operator].takes], ...(operator === 'period' ? ['value'] : [])];
  return ['value', 'values', 'from', 'to'].filter((name) => !taken.includes(name) && (given[name] ?? null) !== null);
};

/** Reads the form of a condition on answers, and the reference values that must be answered. */
const readForm = (
  value: Json,
  { formId, formRefIds }: Notation,
  refuse: OperandReport['refuse'],
): Pick<Condition, 'formId' | 'formRefIds'> => {
  const sent = value[formId];
  const id = readId(sent);
  if (id === undefined)
    refuse(formId, sent === undefined || sent === null ? 'is required' : 'must be the id of a form', sent);
  const refs = value[formRefIds] ?? [];
  if (!Array.isArray(refs)) return refuse(formRefIds, 'must be an array of ids', refs) ?? {};
  if (refs.length > listLimit) return refuse(formRefIds, `must be at most ${listLimit} ids`, refs.length) ?? {};
  for (const [index, ref] of refs.entries())
    if (readId(ref) === undefined) refuse(`${formRefIds}[${index}]`, 'must be the id of a reference value', ref);
  return { formId: id as number, formRefIds: refs.map(readId) as number[] };
};
