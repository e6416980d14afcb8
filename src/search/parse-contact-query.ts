// Reads a query of the graph, `{ and: [{ lastName: { equals: "Dupont" } }, …] }`, and finds every fault with its place. The instant of the request comes after: `resolveQuery`.
import type { Attribute } from './attribute.ts';
import { type AttributeName, asksForForm, getAttribute } from './attributes.ts';
import { readCurrency } from './currency.ts';
import { type FieldTree, fieldTree, getOperatorOfField, operatorFields } from './field-names.ts';
import { isDayOfYear, listLimit, type OperandReport, type ParsedBound, parseOperand } from './operand.ts';
import { type Operator, operators } from './operators.ts';
import {
  type Condition,
  Findings,
  type Group,
  isCheckedLater,
  isRecord,
  type Notation,
  type ParsedQuery,
  readId,
} from './parse.ts';

type Part = Group<ParsedBound> | Condition<ParsedBound>;
type Json = Record<string, unknown>;

/** The fault of an object that GraphQL would have refused: it stands where the only field was faulty, and was dropped. */
export const notOneField = 'must be an object with exactly one field';

/** Levels of `and`, `or` and `not` within one another. */
export const queryDepth = 8;

const isRange = (operator: Operator): boolean => operators[operator].takes === 'range';

/** The place of an operand below its condition: `equals`, or `between.from`. */
const locateOperand = (operator: Operator, name: string): string =>
  isRange(operator)
    ? `${operatorFields[operator]}.${name}`
    : `${operatorFields[operator]}${name.slice('value'.length)}`;

const notation: Notation = {
  formId: 'form',
  formRefIds: 'options',
  locateAnswer: (operator, name) => `value.${locateOperand(operator, name)}`,
  locateItem: (operator, index) => `${operatorFields[operator]}[${index}]`,
};

/** Sources whose negated operators find exactly the contacts that the positive ones do not. */
const ownSources: ReadonlySet<string> = new Set([
  ...['row', 'contact', 'address', 'tags', 'actions', 'answers', 'consents', 'optOut', 'segment'],
]);

/** Whether it is a value of the contact, and not one of its records: its negated operators find exactly the other contacts. */
export const isOwnAttribute = (name: AttributeName): boolean => ownSources.has(getAttribute(name).source.of);

/** The operator that finds exactly the other contacts, if the attribute permits one. */
const findComplement = ({ attribute, operator }: Condition<ParsedBound>): Operator | undefined => {
  const { operators: permitted } = getAttribute(attribute);
  if (!isOwnAttribute(attribute)) return undefined;
  return permitted.find((one) => operators[one].negates === operator || operators[operator].negates === one);
};

const negate = (part: Part, location: string): Part => {
  // The value of an answer is checked against the form later, at the place where its operator is written.
  if (!('parts' in part) && !(part.formId !== undefined && part.operand.given)) {
    const operator = findComplement(part);
    if (operator) return { ...part, operator };
  }
  return { location, every: true, negated: true, parts: [part] };
};

/** Reads a query. Faults have places below `location`. The result depends on nothing but the query, so it may be kept for as long as it. */
export const parseContactQuery = (sent: unknown, location: string): ParsedQuery => {
  const findings = new Findings();
  const { fault } = findings;
  if (sent === undefined || sent === null) return findings.finish(location, undefined);

  /** The one field of an object and its value. */
  const readOnly = (value: unknown, place: string): [field: string, value: unknown] | undefined => {
    const fields = isRecord(value) ? Object.entries(value).filter(([, one]) => one !== undefined) : [];
    return fields.length === 1 ? fields[0] : fault(place, notOneField, value);
  };

  /** The operator of an amount, which a currency may stand beside. */
  const readAmount = (value: unknown, place: string): [field: string, value: unknown] | undefined => {
    if (!isRecord(value)) return readOnly(value, place);
    const given = Object.entries(value).filter(([field, one]) => field !== 'currency' && one !== null);
    if (given.length > 1) return fault(place, 'must have exactly one operator', value);
    return readOnly(Object.fromEntries(given), place);
  };

  /** Reads a part below `depth` levels. */
  const readPart = (value: unknown, place: string, depth: number): Part | undefined => {
    if (!findings.countPart()) return undefined;
    const only = readOnly(value, place);
    if (!only) return undefined;
    const [field, inner] = only;
    const here = `${place}.${field}`;
    if (field !== 'and' && field !== 'or' && field !== 'not') return readFields(fieldTree, only, place);
    if (depth === queryDepth) return fault(here, `is too deep: and, or and not nest at most ${queryDepth} levels`);
    if (field === 'not') {
      const part = readPart(inner, here, depth + 1);
      return part && negate(part, place);
    }
    if (!Array.isArray(inner)) return fault(here, 'must be an array', inner);
    if (inner.length === 0) return fault(here, 'must not be empty: without conditions, leave it out', inner);
    const parts = inner.flatMap((one, index) => readPart(one, `${here}[${index}]`, depth + 1) ?? []);
    return { location: place, every: field === 'and', parts };
  };

  const readFields = (tree: FieldTree, [field, inner]: [string, unknown], place: string): Part | undefined => {
    const here = `${place}.${field}`;
    const found = tree.get(field);
    if (found === undefined) return fault(here, `is no attribute: there are ${[...tree.keys()].join(', ')}`);
    if (typeof found !== 'string') {
      const only = readOnly(inner, here);
      return only && readFields(found, only, here);
    }
    const condition = asksForForm(found) ? readAnswers(found, inner, here) : readCondition(found, inner, here, here);
    findings.countCondition(condition);
    return condition;
  };

  /** Reads the operator and the operand of a condition; `place` is theirs, which in conditions on answers is below the condition. */
  const readCondition = (
    attribute: AttributeName,
    value: unknown,
    condition: string,
    place: string,
  ): Condition<ParsedBound> | undefined => {
    const { kind, operators: permitted } = getAttribute(attribute);
    const sent = kind === 'cents' && isRecord(value) ? value.currency : undefined;
    const currency = readCurrency(sent, (message) => fault(`${place}.currency`, message, sent));
    const only = kind === 'cents' ? readAmount(value, place) : readOnly(value, place);
    if (!only) return undefined;
    const [field, operand] = only;
    const operator = getOperatorOfField(field, operand);
    if (!operator || !permitted.includes(operator)) {
      const fields = new Set(permitted.map((one) => operatorFields[one]));
      return fault(`${place}.${field}`, `is no operator here: there are ${[...fields].join(', ')}`);
    }
    let isValid = true;
    const report: OperandReport = {
      refuse: (name, message, at) => {
        isValid = false;
        // Trees name the beginning of a part of the year, whichever end is wrong.
        if (operator === 'period' && isDayOfYear(at))
          return fault(`${place}.${locateOperand(operator, 'to')}`, message, (operand as Json).to);
        return fault(`${place}.${locateOperand(operator, name)}`, message, at);
      },
      addRelative: ({ name, ...rest }) => {
        if (kind !== 'answer')
          findings.relative.push({ location: `${place}.${locateOperand(operator, name)}`, ...rest });
      },
    };
    const written = isRange(operator) ? (operand as Json) : { value: operand };
    const parsed = parseOperand(getGraphKind(kind), operator, written, report, currency);
    return isValid
      ? { location: condition, attribute, operator, operand: parsed, ...(isCheckedLater(attribute) && { notation }) }
      : undefined;
  };

  /** Reads a condition on answers: a form, with options that must all be answered, a condition on the answer, or both. */
  const readAnswers = (attribute: AttributeName, sent: unknown, place: string): Condition<ParsedBound> | undefined => {
    if (!isRecord(sent)) return fault(place, 'must be an object', sent);
    const { form, options, value } = sent;
    const formId = readId(form);
    if (formId === undefined) return fault(`${place}.form`, 'must be the id of a form', form);
    const given = options !== undefined && options !== null;
    const formRefIds = given ? readOptions(options, `${place}.options`, fault) : [];
    if (!formRefIds) return undefined;
    if (value === undefined || value === null) {
      if (getAttribute(attribute).kind !== 'answer') return fault(`${place}.value`, 'is required');
      if (!given) return fault(place, 'must have options, value, or both');
      const operand = { given: false, values: [] };
      return { location: place, attribute, operator: 'eql', operand, formId, formRefIds, notation };
    }
    const condition = readCondition(attribute, value, place, `${place}.value`);
    if (!condition) return undefined;
    if (given && operators[condition.operator].takes === 'nothing')
      return fault(`${place}.options`, 'must not be given beside exists', options);
    return { ...condition, formId, formRefIds };
  };

  const part = readPart(sent, location, 0);
  // The root is a group, so that a query is read, counted and explained in one way.
  const group: Group<ParsedBound> | undefined =
    part && !('parts' in part) ? { location, every: true, parts: [part] } : part;
  return findings.finish(location, group);
};

/** The graph has amounts in minor units, as everywhere in it. */
const getGraphKind = (kind: Attribute['kind']): Attribute['kind'] => (kind === 'cents' ? 'whole' : kind);

const readOptions = (options: unknown, place: string, fault: OperandReport['refuse']): number[] | undefined => {
  const message = `must be 1 to ${listLimit} ids`;
  if (!Array.isArray(options)) return fault(place, message, options);
  if (options.length === 0 || options.length > listLimit) return fault(place, message, options.length);
  const ids = options.map(
    (one, index) => readId(one) ?? fault(`${place}[${index}]`, 'must be the id of an option', one),
  );
  return ids.every((id) => id !== undefined) ? (ids as number[]) : undefined;
};
