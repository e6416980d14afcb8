// Reads a query of the graph, `{ and: [{ lastName: { equals: "Dupont" } }, …] }`, and finds every fault with its place. The instant of the request comes after: `resolveQuery`.
import type { Attribute, RecordSource } from './attribute.ts';
import {
  type AttributeName,
  asksForForm,
  getAskedFamily,
  getAttribute,
  getPlaceKind,
  isAttributeName,
} from './attributes.ts';
import { readCurrency } from './currency.ts';
import { type FieldTree, fieldTree, getOperatorOfField, operatorFields, recordTrees } from './field-names.ts';
import { listLimit, type OperandReport, type ParsedBound, parseOperand } from './operand.ts';
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
import { type PlaceKind, readPlace } from './places.ts';

type Part = Group<ParsedBound> | Condition<ParsedBound>;
type Json = Record<string, unknown>;

/** The fault of an object that GraphQL would have refused: it stands where the only field was faulty, and was dropped. */
export const notOneField = 'must be an object with exactly one field';

/** Levels of `and`, `or` and `not` within one another. */
export const queryDepth = 8;

const tooDeep = `is too deep: and, or and not nest at most ${queryDepth} levels`;

const isJoin = (field: string): boolean => field === 'and' || field === 'or' || field === 'not';

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

const placeNames = { contactId: 'contactId', postalCode: 'postalCode' };

/** Sources whose negated operators find exactly the contacts that the positive ones do not. */
const ownSources: ReadonlySet<string> = new Set([
  ...[
    'row',
    'contact',
    'address',
    'place',
    'tags',
    'actions',
    'actionNames',
    'answers',
    'consents',
    'optOut',
    'segment',
    'records',
    'count',
  ],
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
  // The segments, and the value of an answer, are checked later, at the place where their operator is written.
  if (!('parts' in part) && part.attribute !== 'segment' && !(part.formId !== undefined && part.operand.given)) {
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

  /** The operator of a condition, which another field may stand beside. */
  const readOperator = (value: unknown, beside: string, place: string): [field: string, value: unknown] | undefined => {
    if (!isRecord(value)) return readOnly(value, place);
    const given = Object.entries(value).filter(([field, one]) => field !== beside && one !== null);
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
    if (!isJoin(field)) return readFields(fieldTree, only, place, depth);
    if (depth === queryDepth) return fault(here, tooDeep);
    if (field === 'not') {
      const part = readPart(inner, here, depth + 1);
      return part && negate(part, place);
    }
    if (!Array.isArray(inner)) return fault(here, 'must be an array', inner);
    const parts = inner.flatMap((one, index) => readPart(one, `${here}[${index}]`, depth + 1) ?? []);
    return { location: place, every: field === 'and', parts };
  };

  const readFields = (
    tree: FieldTree,
    [field, inner]: [string, unknown],
    place: string,
    depth: number,
  ): Part | undefined => {
    const here = `${place}.${field}`;
    const found = tree.get(field);
    if (found === undefined) return fault(here, `is no attribute: there are ${[...tree.keys()].join(', ')}`);
    if (typeof found !== 'string') {
      const only = readOnly(inner, here);
      if (!only) return undefined;
      const operator = getOperatorOfField(only[0], only[1]);
      return isAttributeName(field) && operator && getAttribute(field).operators.includes(operator)
        ? readRecords(field, operator, only[1], here, depth)
        : readFields(found, only, here, depth);
    }
    const placed = getPlaceKind(found);
    const condition = placed
      ? readPlaceCondition(found, placed, inner, here)
      : asksForForm(found)
        ? readAnswers(found, inner, here)
        : readCondition(found, inner, here, here, depth);
    findings.countCondition(condition);
    return condition;
  };

  const readPlaceCondition = (
    attribute: AttributeName,
    kind: PlaceKind,
    value: unknown,
    location: string,
  ): Condition<ParsedBound> | undefined => {
    const place = readPlace(kind, value, placeNames, (name, message, at) =>
      fault(`${location}${name.slice('value'.length)}`, message, at),
    );
    return place && { location, attribute, operator: 'inside', operand: { given: true, values: [], place } };
  };

  /** Reads a condition on records that satisfy several conditions together. */
  const readRecords = (
    attribute: AttributeName,
    operator: Operator,
    value: unknown,
    place: string,
    depth: number,
  ): Part | undefined => {
    const record = readRecord(getAskedFamily(attribute)!, value, `${place}.${operatorFields[operator]}`, depth);
    const operand = { given: false, values: [] };
    const condition: Condition<ParsedBound> | undefined = record && {
      location: place,
      attribute,
      operator,
      operand,
      record,
    };
    findings.countCondition(condition);
    return condition;
  };

  /** Reads what one record must satisfy: every field of an object. */
  const readRecord = (
    family: RecordSource,
    value: unknown,
    place: string,
    depth: number,
  ): Group<ParsedBound> | undefined => {
    if (!isRecord(value)) return fault(place, 'must be an object', value);
    const fields = Object.entries(value).filter(([, one]) => one !== undefined);
    const parts = fields.flatMap((field) => readRecordField(family, field, place, depth) ?? []);
    return { location: place, every: true, parts };
  };

  const readRecordField = (
    family: RecordSource,
    [field, inner]: [string, unknown],
    place: string,
    depth: number,
  ): Part | undefined => {
    const here = `${place}.${field}`;
    if (!findings.countPart()) return undefined;
    // A careless client would find more than it asks for.
    if (inner === null) return fault(here, 'must not be null: leave it out', inner);
    if (!isJoin(field)) {
      const tree = recordTrees.get(family)!;
      const found = tree.get(field);
      if (!found) return fault(here, `is no attribute of one record: there are ${[...tree.keys()].join(', ')}`);
      const condition = readCondition(found, inner, here, here, depth);
      findings.countCondition(condition);
      return condition;
    }
    if (depth === queryDepth) return fault(here, tooDeep);
    if (field === 'not') {
      const group = readRecord(family, inner, here, depth + 1);
      return group && { ...group, negated: true };
    }
    if (!Array.isArray(inner)) return fault(here, 'must be an array', inner);
    const parts = inner.flatMap((one, index) => readRecord(family, one, `${here}[${index}]`, depth + 1) ?? []);
    return { location: here, every: field === 'and', parts };
  };

  /** Reads the operator and the operand of a condition; `place` is theirs, which in conditions on answers is below the condition. */
  const readCondition = (
    attribute: AttributeName,
    value: unknown,
    condition: string,
    place: string,
    depth = 0,
  ): Condition<ParsedBound> | undefined => {
    const { kind, operators: permitted } = getAttribute(attribute);
    const family = getAskedFamily(attribute);
    const sent = kind === 'cents' && isRecord(value) ? value.currency : undefined;
    const currency = readCurrency(sent, (message) => fault(`${place}.currency`, message, sent));
    const beside = kind === 'cents' ? 'currency' : family && 'of';
    const only = beside ? readOperator(value, beside, place) : readOnly(value, place);
    const asked = family && isRecord(value) ? value.of : undefined;
    const record = asked === undefined ? undefined : readRecord(family!, asked, `${place}.of`, depth);
    if (!only || (asked !== undefined && !record)) return undefined;
    const [field, operand] = only;
    const operator = getOperatorOfField(field, operand);
    if (!operator || !permitted.includes(operator)) {
      const fields = new Set(permitted.map((one) => operatorFields[one]));
      return fault(`${place}.${field}`, `is no operator here: there are ${[...fields].join(', ')}`);
    }
    const isPeriod = operators[operator].takes === 'period';
    const given = isPeriod ? readPeriod(operand, `${place}.${field}`) : operand;
    if (isPeriod && given === undefined) return undefined;
    let isValid = true;
    const report: OperandReport = {
      refuse: (name, message, at) => {
        isValid = false;
        if (isPeriod) return fault(`${place}.${field}`, message, operand);
        return fault(`${place}.${locateOperand(operator, name)}`, message, at);
      },
      addRelative: ({ name, ...rest }) => {
        if (kind !== 'answer')
          findings.relative.push({ location: `${place}.${locateOperand(operator, name)}`, ...rest });
      },
    };
    const written = isRange(operator) ? ((operand ?? {}) as Json) : { value: given };
    const parsed = parseOperand(getGraphKind(kind), operator, written, report, currency);
    if (!isValid) return undefined;
    return {
      location: condition,
      attribute,
      operator,
      operand: parsed,
      ...(isCheckedLater(attribute) && { notation }),
      ...(record && { record }),
    };
  };

  /** A span of time in the contract's words: `{ last: { days: 90 } }` is `last_90_days`. */
  const readPeriod = (sent: unknown, place: string): string | undefined => {
    const [side, of] = readOnly(sent, place) ?? [];
    if (side === undefined || !isRecord(of)) return side && `${side}_${of}`;
    const [unit, count] = readOnly(of, `${place}.${side}`) ?? [];
    return unit && `${side}_${count}_${unit}`;
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
