// Reads a query tree of the contract (spec §4.13), and finds every fault with its place. The instant of the request comes after: `resolveQuery`.
import type { RecordSource } from './attribute.ts';
import {
  asksForForm,
  attributes,
  getAskedFamily,
  getAttribute,
  getPlaceKind,
  getRecordFamily,
  isAttributeName,
  listRecordAttributes,
} from './attributes.ts';
import { readCurrency } from './currency.ts';
import { listLimit, type OperandReport, type ParsedBound, parseOperand } from './operand.ts';
import { isOperatorName, type Operator, operators } from './operators.ts';
import {
  type Condition,
  Findings,
  type Group,
  isCheckedLater,
  isRecord,
  listConditions,
  type Notation,
  type ParsedQuery,
  readId,
} from './parse.ts';
import { readPlace } from './places.ts';

const contract: Notation = {
  formId: 'form_id',
  formRefIds: 'form_ref_ids',
  locateAnswer: (_, name) => name,
  locateItem: (_, index) => `value[${index}]`,
};

const placeNames = { contactId: 'contact_id', postalCode: 'postal_code' };

/** Rules 1 to 4: groups on exactly two levels, and conditions in those of the second. */
const levels = 2;
const [every, some, condition] = ['$all', '$at_least_one', '$condition'];

/**
 * Reads a query tree. Faults have places below `location`. The result depends on nothing but the tree, so it may be kept for as long as
 * the tree.
 */
export const parseTree = (sent: unknown, location: string): ParsedQuery => {
  const findings = new Findings();
  const { fault } = findings;
  if (sent === undefined || sent === null) return findings.finish(location, undefined);

  /** Reads a group that may hold groups on `left` levels, its own among them. */
  const readGroup = (value: unknown, place: string, left: number): Group<ParsedBound> | undefined => {
    const keys = listGroupKeys(value);
    if (!isRecord(value) || keys.length !== 1)
      return fault(place, `must be an object with one key, ${every} or ${some}`, value);
    const [key] = keys as [string];
    const here = `${place}.${key}`;
    const parts = value[key];
    if (!Array.isArray(parts)) return fault(here, 'must be an array', parts);
    if (parts.length === 0 && left < levels) return fault(here, 'must not be empty', parts);
    return {
      location: place,
      every: key === every,
      parts: parts.flatMap((part, index) => readPart(part, `${here}[${index}]`, left) ?? []),
    };
  };

  const readPart = (
    part: unknown,
    place: string,
    left: number,
  ): Group<ParsedBound> | Condition<ParsedBound> | undefined => {
    if (!findings.countPart()) return;
    const isCondition = isRecord(part) && part[condition] !== undefined;
    if (isCondition && left === 1) {
      const found = readCondition(part[condition], `${place}.${condition}`, findings, readRecord);
      findings.countCondition(found);
      return found;
    }
    if (isCondition) return fault(place, `must be a group, ${every} or ${some}, that holds the ${condition}`, part);
    if (left === 1) return fault(place, `must hold a ${condition}: groups nest no deeper than ${levels} levels`, part);
    return readGroup(part, place, left - 1);
  };

  /** Reads the conditions that one record must satisfy: one group of them beside the operator. */
  const readRecord: RecordReader = (value, place, family) => {
    if (listGroupKeys(value).length === 0) return undefined;
    const group = readGroup(value, place, 1);
    for (const { attribute, location: at } of group ? listConditions(group) : [])
      if (getRecordFamily(attribute) !== family)
        fault(`${at}.attr`, `must be one of ${listRecordAttributes(family).join(', ')}: one record has it`, attribute);
    return group;
  };

  return findings.finish(location, readGroup(sent, location, levels));
};

/** Reads the group of conditions on one record of a family that a condition has, if it has one. */
type RecordReader = (
  value: Record<string, unknown>,
  place: string,
  family: RecordSource,
) => Group<ParsedBound> | undefined;

const listGroupKeys = (value: unknown): string[] =>
  isRecord(value) ? [every, some].filter((key) => value[key] !== undefined && value[key] !== null) : [];

/** The attributes of the family that a name begins with; without one, all that stand alone, and a sign for each family. */
const listNear = (name: unknown): string[] => {
  const names = Object.keys(attributes);
  const family = typeof name === 'string' ? `${name.split('.')[0]}.` : '';
  const near = names.filter((one) => family !== '.' && one.startsWith(family));
  if (typeof name === 'string' && near.length > 0) return near;
  return [...new Set(names.map((one) => one.replace(/\..*/, '.*')))];
};

const readCondition = (
  value: unknown,
  place: string,
  { fault, relative }: Findings,
  readRecord: RecordReader,
): Condition<ParsedBound> | undefined => {
  if (!isRecord(value)) return fault(place, 'must be an object', value);
  const { attr, ope } = value;
  if (!isAttributeName(attr)) {
    const message = `must be one of ${listNear(attr).join(', ')}`;
    fault(`${place}.attr`, attr === undefined ? 'is required' : message, attr);
    if (ope !== undefined && !isOperatorName(ope))
      fault(`${place}.ope`, `must be one of ${Object.keys(operators).join(', ')}`, ope);
    return;
  }
  const { operators: permitted, kind } = getAttribute(attr);
  if (!isOperatorName(ope) || !permitted.includes(ope)) {
    const may = `${attr} permits ${permitted.join(', ')}`;
    return fault(`${place}.ope`, ope === undefined ? `is required; ${may}` : may, ope);
  }
  let isValid = true;
  const refuse: OperandReport['refuse'] = (name, message, at) => {
    isValid = false;
    return fault(`${place}.${name}`, message, at);
  };
  const answers = asksForForm(attr) ? readForm(value, ope, refuse) : {};
  const currency = readCurrency(value.currency, (message) => refuse('currency', message, value.currency));
  if (currency && kind !== 'cents') refuse('currency', `belongs beside an amount: ${attr} is none`, currency);
  const report: OperandReport = {
    refuse,
    addRelative: ({ name, ...rest }) => {
      if (kind !== 'answer') relative.push({ location: `${place}.${name}`, ...rest });
    },
  };
  const placed = getPlaceKind(attr);
  const operand = placed
    ? { given: true, values: [], place: readPlace(placed, value.value, placeNames, refuse)! }
    : parseOperand(kind, ope, value, report, currency);
  if (!isValid) return undefined;
  const checked = isCheckedLater(attr) && { notation: contract };
  const family = getAskedFamily(attr);
  const record = family && readRecord(value, place, family);
  return {
    location: place,
    attribute: attr,
    operator: ope,
    operand,
    ...answers,
    ...checked,
    ...(record && { record }),
  };
};

/** Reads the form of a condition on answers, and the reference values that must be answered. */
const readForm = (
  { form_id: sent, form_ref_ids: refs }: Record<string, unknown>,
  ope: Operator,
  refuse: OperandReport['refuse'],
): Pick<Condition, 'formId' | 'formRefIds'> => {
  const id = readId(sent);
  if (id === undefined)
    refuse('form_id', sent === undefined || sent === null ? 'is required' : 'must be the id of a form', sent);
  // Rule 1: the presence of an answer to the form is asked for, whatever the references.
  const ids = operators[ope].takes === 'nothing' ? [] : (refs ?? []);
  if (!Array.isArray(ids)) return refuse('form_ref_ids', 'must be an array of ids', ids) ?? {};
  if (ids.length > listLimit) return refuse('form_ref_ids', `must be at most ${listLimit} ids`, ids.length) ?? {};
  for (const [index, ref] of ids.entries())
    if (readId(ref) === undefined) refuse(`form_ref_ids[${index}]`, 'must be the id of a reference value', ref);
  return { formId: id as number, formRefIds: ids.map(readId) as number[] };
};
