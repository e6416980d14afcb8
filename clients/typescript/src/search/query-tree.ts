// Writes a query of the graph in the notation of the contract, which REST takes: groups on two levels, conditions by name.
import { attributeTable } from '../generated/attributes.ts';
import type { ContactQuery } from '../generated/documents.ts';
import type { AttributeFacts } from './attribute.ts';

export interface QueryTreeCondition {
  $condition: {
    attr: string;
    ope: string;
    value?: unknown;
    from?: unknown;
    to?: unknown;
    form_id?: number;
    form_ref_ids?: number[];
  };
}
export type QueryTreeGroup = { $all: QueryTreeCondition[] } | { $at_least_one: QueryTreeCondition[] };
/** A search as `POST /search` takes it. */
export type QueryTree = { $all: QueryTreeGroup[] } | { $at_least_one: QueryTreeGroup[] };

/** A search has no equivalent in the notation of the contract. `location` is the part that has none. */
export class QueryTreeError extends Error {
  override readonly name: string = 'QueryTreeError';
  readonly location: string;

  constructor(location: string, message: string) {
    super(`${location} ${message}`);
    this.location = location;
  }
}

type Json = Record<string, unknown>;

const operators: Record<string, string> = {
  equals: 'eql',
  notEquals: 'not_eql',
  equalsExactly: 'eql:strictdata',
  notEqualsExactly: 'not_eql:strictdata',
  in: 'any_of',
  notIn: 'none_of',
  hasAll: 'all_of',
  lte: 'lte',
  gte: 'gte',
  between: 'range',
  inPeriod: 'period',
  contains: 'contains',
  notContains: 'not_contains',
  startsWith: 'start_with',
  notStartsWith: 'not_start_with',
};

/** The number of an id such as `Tag:3`. */
const toNumber = (id: unknown): number => Number(String(id).split(':').at(-1));

/** Minor units as euros with two decimals. Moves the point in the text: a quotient would not be exact for the largest amounts. */
const toEuros = (cents: unknown): string => {
  const digits = String(Math.abs(Number(cents))).padStart(3, '0');
  return `${Number(cents) < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};

const convertValue = (kind: string, value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((one) => convertValue(kind, one));
  if (kind === 'cents') return toEuros(value);
  if (kind === 'id') return toNumber(value);
  if (kind === 'year') return String(value).padStart(4, '0');
  if (kind === 'validity') return String(value).toLowerCase();
  return value;
};

/** The only field of an object of the graph, and its value. */
const readOnly = (value: Json, location: string): [string, unknown] => {
  const fields = Object.entries(value).filter(([, inner]) => inner !== undefined);
  if (fields.length !== 1) throw new QueryTreeError(location, 'must be an object with exactly one field');
  return fields[0]!;
};

const writeCondition = ({ name, kind }: AttributeFacts, value: Json, location: string): QueryTreeCondition => {
  const [operator, operand] = readOnly(value, location);
  if (operator === 'exists') return { $condition: { attr: name, ope: operand === false ? 'not_ext' : 'ext' } };
  const ope = operators[operator];
  if (!ope) throw new QueryTreeError(`${location}.${operator}`, 'is not written for REST by this client');
  if (operator === 'inPeriod') {
    const { from, to } = operand as Json;
    return { $condition: { attr: name, ope, value: `${from}/${to}` } };
  }
  if (operator === 'between') {
    const { from, to } = operand as Json;
    return { $condition: { attr: name, ope, from: convertValue(kind, from), to: convertValue(kind, to) } };
  }
  return { $condition: { attr: name, ope, value: convertValue(kind, operand) } };
};

/** A condition on answers: the form and the options stand beside the operator. */
const writeAnswer = (facts: AttributeFacts, { form, options, value }: Json, location: string): QueryTreeCondition => {
  const { $condition } = value
    ? writeCondition(facts, value as Json, `${location}.value`)
    : { $condition: { attr: facts.name, ope: 'eql' } };
  const refs = options ? { form_ref_ids: (options as unknown[]).map(toNumber) } : {};
  return { $condition: { ...$condition, form_id: toNumber(form), ...refs } };
};

const writePart = ([part, location]: Located): QueryTreeCondition => {
  const [field, value] = readOnly(part as Json, location);
  const here = `${location}.${field}`;
  if (field === 'not')
    throw new QueryTreeError(here, 'cannot be written for REST: it has no `not`, but negated operators');
  if (field === 'and' || field === 'or')
    throw new QueryTreeError(here, 'is too deep for REST, which has groups on two levels');
  const entry = attributeTable[field];
  if (!entry) throw new QueryTreeError(here, 'is not written for REST by this client');
  const write = (facts: AttributeFacts, inner: unknown, place: string): QueryTreeCondition =>
    facts.hasForm ? writeAnswer(facts, inner as Json, place) : writeCondition(facts, inner as Json, place);
  if (Array.isArray(entry.operators)) return write(entry as AttributeFacts, value, here);
  const [inner, condition] = readOnly(value as Json, here);
  const facts = (entry as Record<string, AttributeFacts>)[inner];
  if (!facts) throw new QueryTreeError(`${here}.${inner}`, 'is not written for REST by this client');
  return write(facts, condition, `${here}.${inner}`);
};

type Located = [part: ContactQuery, location: string];

/** The parts that a query joins in this way, those of groups that join them in the same way among them; undefined for another query. */
const listParts = ([query, location]: Located, kind: 'and' | 'or'): Located[] | undefined =>
  query[kind]?.flatMap((part, index) => {
    const located: Located = [part, `${location}.${kind}[${index}]`];
    return listParts(located, kind) ?? [located];
  });

const createGroup = <Part>(kind: 'and' | 'or', parts: Part[]): { $all: Part[] } | { $at_least_one: Part[] } =>
  kind === 'and' ? { $all: parts } : { $at_least_one: parts };

/**
 * A query of the graph as the tree of the contract. Throws a QueryTreeError for `not`, and for groups on more than two levels. Conditions beside
 * groups are joined in a group of their own.
 */
export const toQueryTree = (query: ContactQuery): QueryTree => {
  const kind = query.or ? 'or' : 'and';
  const other = kind === 'and' ? 'or' : 'and';
  const root: Located = [query, 'query'];
  const single: QueryTreeCondition[] = [];
  const groups: QueryTreeGroup[] = [];
  for (const located of listParts(root, kind) ?? [root]) {
    const inner = listParts(located, other);
    if (inner) groups.push(createGroup(other, inner.map(writePart)));
    else single.push(writePart(located));
  }
  return createGroup(kind, single.length > 0 ? [createGroup(kind, single), ...groups] : groups);
};
