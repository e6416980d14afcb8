// Between a segment and a query of the graph: writing one with the place of each part, and reading one that a link or a saved segment holds.
import {
  type Attribute,
  type Attributes,
  type Condition,
  centreKinds,
  createCondition,
  createGroup,
  describeCondition,
  formKinds,
  type Group,
  isComplete,
  isGroup,
  type Kind,
  listParts,
  type Operator,
  type Part,
  selectRecordAttributes,
} from './model.ts';
import { readSpan, writeSpan } from './span.ts';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** A query of the graph, undefined for all contacts, with the id of the part at each place. */
export interface WrittenQuery {
  query: JsonObject | undefined;
  places: Map<string, string>;
}

/** Whole minor units of an amount as it is typed, with a point or a comma, and with spaces between thousands; the text itself if it is none, so that the server says why. */
const readCents = (text: string): Json => {
  const found = /^(-?)(\d{1,13})(?:[.,](\d{1,2}))?$/.exec(text.replace(/\s/g, ''));
  if (!found) return text;
  const [, sign, whole, part = ''] = found;
  return Number(`${sign}${whole}${part.padEnd(2, '0')}`);
};

const formatCents = (cents: number): string =>
  `${cents < 0 ? '-' : ''}${Math.trunc(Math.abs(cents) / 100)}.${String(Math.abs(cents) % 100).padStart(2, '0')}`;

const readDecimal = (text: string): Json =>
  /^-?\d{1,15}([.,]\d{1,20})?(e-?\d{1,2})?$/.test(text.trim()) ? Number(text.replace(',', '.')) : text;

const readWhole = (text: string): Json => (/^-?\d{1,15}$/.test(text.trim()) ? Number(text) : text);

/** Two numbers with points or commas, as maps on the web and people write them: `48.8566, 2.3522`. */
const readPoint = (text: string): Json => {
  const [, latitude = text, longitude = ''] = /^([^\s,;]+(?:,\d+)?)[\s,;]+([^\s,;]+(?:,\d+)?)$/.exec(text) ?? [];
  return { latitude: readDecimal(latitude), longitude: readDecimal(longitude) };
};

/** The place of the graph for a condition on one. */
export const writePlace = ({ kind }: Attribute, { value, centre, km }: Condition): JsonObject => {
  if (kind === 'AREA') return JSON.parse(value);
  const text = value.trim();
  const told = centre === 'point' ? readPoint(text) : centre === 'contactId' ? readWhole(text) : text;
  return { [centre]: told, km: readDecimal(km) };
};

/** The value of the graph for a text as it is typed. */
const writeValue = (kind: Kind, text: string): Json => {
  switch (kind) {
    case 'CENTS':
      return readCents(text);
    case 'DECIMAL':
      return readDecimal(text);
    case 'WHOLE':
    case 'YEAR':
    case 'AGE_CATEGORY':
    case 'ID':
      return readWhole(text);
    case 'FLAG':
      return text === 'true';
    case 'VALIDITY':
      return text.toUpperCase();
    case 'INSTANT':
    case 'DAY':
      return text.trim();
    default:
      return text;
  }
};

/** The text of a value of the graph. */
const readValue = (kind: Kind, value: Json): string => {
  if (kind === 'CENTS' && typeof value === 'number') return formatCents(value);
  if (kind === 'ID') return readId(value);
  if (kind === 'VALIDITY') return String(value).toLowerCase();
  return String(value);
};

/** The number of a record: `Form:3` is 3. */
const readId = (value: Json | undefined): string => String(value ?? '').replace(/^\w+:/, '');

const writeOperand = ({ kind }: Attribute, { name, takes }: Operator, condition: Condition): Json => {
  // A part of the year is a range of texts.
  const write = (text: string): Json => (name === 'period' ? text : writeValue(kind, text));
  if (takes === 'NOTHING') return name === 'ext';
  if (takes === 'PERIOD') return writeSpan(condition.value);
  if (takes === 'LIST') return condition.list.map(write);
  return takes === 'RANGE' ? { from: write(condition.from), to: write(condition.to) } : write(condition.value);
};

/** Writes what one record must satisfy. Several conditions are a list, since two may be on one field. */
const writeRecord = (record: readonly Condition[], attributes: Attributes): JsonObject => {
  const fields = record.map((one) => Object.values(writeCondition(one, attributes))[0] as JsonObject);
  return fields.length > 1 ? { and: fields } : (fields[0] ?? {});
};

const writeCondition = (condition: Condition, attributes: Attributes): JsonObject => {
  const { attribute, operator } = describeCondition(condition, attributes);
  const test =
    operator &&
    (operator.takes === 'PLACE'
      ? writePlace(attribute!, condition)
      : {
          [operator.field]:
            operator.takes === 'CONDITIONS'
              ? writeRecord(condition.record, attributes)
              : writeOperand(attribute!, operator, condition),
        });
  const inner: JsonObject = formKinds.has(attribute!.name)
    ? {
        form: Number(condition.form),
        ...(condition.options.length > 0 &&
          operator?.takes !== 'NOTHING' && { options: condition.options.map(Number) }),
        ...(test && { value: test }),
      }
    : test!;
  return attribute!.path.split('.').reduceRight<JsonObject>((below, field) => ({ [field]: below }), inner);
};

/** Writes the query of a segment. Conditions that are not complete, and groups without any, are left out. */
export const writeQuery = (root: Group, attributes: Attributes): WrittenQuery => {
  const places = new Map<string, string>();
  const isWritten = (part: Part): boolean =>
    isGroup(part) ? part.parts.some(isWritten) : isComplete(part, attributes);
  const write = (part: Part, place: string): JsonObject => {
    if (!isGroup(part)) {
      const { attribute, operator } = describeCondition(part, attributes);
      const here = `${place}.${attribute!.path}`;
      places.set(here, part.id);
      for (const [index, one] of part.record.entries()) {
        const within = `${here}.${operator!.field}${part.record.length > 1 ? `.and[${index}]` : ''}`;
        places.set(`${within}.${attributes.get(one.attribute)!.path.split('.')[1]}`, one.id);
      }
      return writeCondition(part, attributes);
    }
    places.set(place, part.id);
    if (part.negated) return { not: write({ ...part, negated: false }, `${place}.not`) };
    const parts = part.parts.filter(isWritten);
    // A group of one part means that part.
    if (parts.length === 1) return write(parts[0]!, place);
    const field = part.every ? 'and' : 'or';
    return { [field]: parts.map((one, index) => write(one, `${place}.${field}[${index}]`)) };
  };
  return { query: isWritten(root) ? write(root, '') : undefined, places };
};

/** The id of the part that a place lies in, given as the server names it: `query.and[1].birthDate.gte`. */
export const findPartAt = ({ places }: WrittenQuery, location: string): string | undefined => {
  let place = location.replace(/^query(?=[.[]|$)/, '').replace(/^(?=[^.[])/, '.');
  for (;;) {
    const found = places.get(place);
    if (found !== undefined || place === '') return found;
    place = place.slice(0, Math.max(0, place.search(/(\.[^.[]*|\[\d+\])$/)));
  }
};

/** A query that cannot be shown, and the place in it. */
export class UnreadableQuery extends Error {
  readonly place: string;
  readonly value: string;

  constructor(place: string, value: string) {
    super(`${place}: ${value}`);
    this.place = place.replace(/^\./, '');
    this.value = value;
  }
}

/** In characters: a longer value would fill the page. */
const shown = 200;

/** The text of a value in a complaint. */
const print = (value: Json | undefined): string => {
  const text = JSON.stringify(value ?? null);
  return text.length > shown ? `${text.slice(0, shown)}…` : text;
};

const readOnlyField = (value: Json | undefined, place: string): [field: string, value: Json] => {
  const entries = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
  if (entries.length !== 1) throw new UnreadableQuery(place, print(value));
  return entries[0]!;
};

/** Bounds of a query that is shown. The server's are narrower; a link that somebody made up must not stop the page. */
const [deepest, most] = [16, 300];
/** Levels of objects and lists: more than a query of that many groups has. */
const deepestValue = 64;

const isDeeper = (value: Json | undefined, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1)));

/** Reads a query of the graph. Throws an UnreadableQuery for one with an attribute or operator that the caller does not have. */
export const readQuery = (query: Json | undefined, attributes: Attributes): Group => {
  if (isDeeper(query, deepestValue)) throw new UnreadableQuery('', `> ${deepest}`);
  const byPath = new Map([...attributes.values()].map((attribute) => [attribute.path, attribute]));
  const families = new Set([...byPath.keys()].filter((path) => path.includes('.')).map((path) => path.split('.')[0]!));

  const readOperator = (attribute: Attribute, value: Json, place: string): Partial<Condition> => {
    const [field, operand] = readOnlyField(value, place);
    const wanted = field === 'exists' ? (operand === false ? 'not_ext' : 'ext') : undefined;
    const operator = attribute.operators.find((one) => one.field === field && (!wanted || one.name === wanted));
    if (!operator) throw new UnreadableQuery(`${place}.${field}`, field);
    const read = (one: Json | undefined): string => {
      if (one === undefined || (typeof one === 'object' && one !== null))
        throw new UnreadableQuery(`${place}.${field}`, print(operand));
      return readValue(operator.name === 'period' ? 'TEXT' : attribute.kind, one);
    };
    if (operator.takes === 'NOTHING') return { operator: operator.name };
    if (operator.takes === 'PERIOD') {
      const span = readSpan(operand);
      if (!span) throw new UnreadableQuery(`${place}.${field}`, print(operand));
      return { operator: operator.name, value: span };
    }
    if (operator.takes === 'LIST') return { operator: operator.name, list: [operand].flat().map(read) };
    if (operator.takes === 'VALUE') return { operator: operator.name, value: read(operand) };
    const { from, to } = (operand ?? {}) as JsonObject;
    return { operator: operator.name, from: read(from), to: read(to) };
  };

  const readPlace = ({ name, kind, operators }: Attribute, value: Json, place: string): Condition => {
    const unreadable = new UnreadableQuery(place, print(value));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unreadable;
    const found = { attribute: name, operator: operators[0]!.name };
    if (kind === 'AREA') return createCondition({ ...found, value: JSON.stringify(value) });
    const { km = '', ...centres } = value;
    const told = Object.entries(centres).filter(([, one]) => one !== null);
    const [field, centre] = readOnlyField(Object.fromEntries(told), place);
    const kindOfCentre = centreKinds.find((one) => one === field);
    const { latitude = '', longitude = '' } = centre as { latitude?: Json; longitude?: Json };
    if (!kindOfCentre) throw unreadable;
    const text =
      kindOfCentre === 'point' ? `${latitude}, ${longitude}` : readValue(field === 'contactId' ? 'ID' : 'TEXT', centre);
    return createCondition({ ...found, value: text, centre: kindOfCentre, km: String(km) });
  };

  const readCondition = (path: string, value: Json, place: string): Condition => {
    const attribute = byPath.get(path);
    if (!attribute) throw new UnreadableQuery(place, path);
    const { name } = attribute;
    if (attribute.kind === 'CIRCLE' || attribute.kind === 'AREA') return readPlace(attribute, value, place);
    if (!formKinds.has(name)) return createCondition({ attribute: name, ...readOperator(attribute, value, place) });
    const { form, options, value: test } = (value ?? {}) as { form?: Json; options?: Json; value?: Json };
    return createCondition({
      attribute: name,
      form: readId(form),
      options: Array.isArray(options) ? options.map(readId) : [],
      ...(test && readOperator(attribute, test, `${place}.value`)),
    });
  };

  /** The conditions of an object of fields that one record has, or of a list of such objects. */
  const readRecord = (family: string, value: Json, place: string): Condition[] => {
    if (++read > most) throw new UnreadableQuery(place, `> ${most}`);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new UnreadableQuery(place, print(value));
    const ofRecord = selectRecordAttributes(family, attributes);
    return Object.entries(value).flatMap(([field, operand]): Condition[] => {
      const here = `${place}.${field}`;
      if (field === 'and' && Array.isArray(operand) && operand.length > 0)
        return operand.flatMap((one, index) => readRecord(family, one, `${here}[${index}]`));
      const attribute = byPath.get(`${family}.${field}`);
      if (!attribute || !ofRecord.has(attribute.name)) throw new UnreadableQuery(here, field);
      return [createCondition({ attribute: attribute.name, ...readOperator(attribute, operand, here) })];
    });
  };

  let read = 0;
  const readPart = (value: Json | undefined, place: string, depth = 0): Part => {
    if (depth > deepest || ++read > most) throw new UnreadableQuery(place, `> ${depth > deepest ? deepest : most}`);
    const [field, inner] = readOnlyField(value, place);
    const here = `${place}.${field}`;
    if (field === 'not') {
      const part = readPart(inner, here, depth + 1);
      return isGroup(part) && !part.negated ? { ...part, negated: true } : createGroup([part], { negated: true });
    }
    if (field !== 'and' && field !== 'or') {
      if (!families.has(field)) return readCondition(field, inner, here);
      const [below, operand] = readOnlyField(inner, here);
      const records = byPath.get(field)?.operators.find((one) => one.field === below && one.takes === 'CONDITIONS');
      if (records) {
        const record = readRecord(field, operand, `${here}.${below}`);
        return createCondition({ attribute: byPath.get(field)!.name, operator: records.name, record });
      }
      return readCondition(`${field}.${below}`, operand, `${here}.${below}`);
    }
    // A group without parts would be written as nothing, whatever it means.
    if (!Array.isArray(inner) || inner.length === 0) throw new UnreadableQuery(here, print(inner));
    const parts = inner.map((one, index) => readPart(one, `${here}[${index}]`, depth + 1));
    return createGroup(parts, { every: field === 'and' });
  };

  if (query === undefined || query === null) return createGroup();
  const part = readPart(query, '');
  return isGroup(part) ? part : createGroup([part]);
};

/**
 * Whether a saved query is one that the page has written, though it may differ from it: the server writes full ids, and others write groups of one
 * part. A query is not saved when the page would leave out a condition of it.
 */
export const isSavedQuery = (saved: Json, { query }: WrittenQuery, attributes: Attributes): boolean => {
  if (JSON.stringify(saved) === JSON.stringify(query)) return true;
  try {
    const root = readQuery(saved, attributes);
    const isWhole = listParts(root).every((part) => isGroup(part) || isComplete(part, attributes));
    return isWhole && JSON.stringify(writeQuery(root, attributes).query) === JSON.stringify(query);
  } catch (error) {
    if (!(error instanceof UnreadableQuery)) throw error;
    return false;
  }
};
