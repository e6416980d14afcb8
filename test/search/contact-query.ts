// Translates trees of the contract into queries of the graph, with values as its types have them, and resolves such queries.
import { coerceInputValue, type GraphQLInputType } from 'graphql';
import { schema } from '../../schema/index.ts';
import { type AttributeName, asksForForm, getAttribute } from '../../src/search/attributes.ts';
import { getFieldPath, operatorFields } from '../../src/search/field-names.ts';
import { type Operator, operators } from '../../src/search/operators.ts';
import { findDateFaults, type Group, resolveQuery } from '../../src/search/parse.ts';
import { parseContactQuery } from '../../src/search/parse-contact-query.ts';
import { putValue } from './canaries.ts';
import { parseMicros } from './oracle-dates.ts';
import { now } from './pools.ts';
import { expandTestSegments } from './segments.ts';

// biome-ignore lint/suspicious/noExplicitAny: trees and queries of any shape
type Json = any;

/** Moves the decimal point in the text: a product would not be exact for the largest amounts. */
const toMinorUnits = (value: unknown): number => {
  const [whole, decimals = ''] = String(value).split('.') as [string, string?];
  return Number(`${whole}${decimals.padEnd(2, '0')}`);
};

/** A value of the contract as the graph writes it; unchanged when it is none of its kind. */
const toGraphValue = (name: AttributeName, value: unknown): unknown => {
  const { kind } = getAttribute(name);
  if (kind === 'cents') return toMinorUnits(value);
  if (['whole', 'decimal', 'ageCategory', 'year'].includes(kind)) return Number(value);
  if (kind === 'flag') return [true, 'true', '1', 1].includes(value as string);
  if (kind === 'validity') return String(value).toUpperCase();
  if (kind === 'gender') return String(value).trim().toUpperCase();
  if (kind === 'instant' || kind === 'day' || kind === 'id') return value;
  return String(value);
};

/** A condition below the path of its attribute. */
const placeCondition = (name: AttributeName, condition: Json): Json =>
  getFieldPath(name)
    .split('.')
    .reduceRight((inner, field) => ({ [field]: inner }), condition);

/** A span of time: `last_90_days` is `{ last: { days: 90 } }`. */
const toGraphPeriod = (value: string): Json => {
  const [side, of, unit] = value.split('_') as [string, string, string?];
  return { [side]: unit ? { [unit]: Number(of) } : of.toUpperCase() };
};

/** What one record must satisfy in the graph, without the name of its family. */
const translateTogether = ({ $all, $at_least_one }: Json): Json | undefined => {
  const parts = ($all ?? $at_least_one)?.map(
    ({ $condition }: Json) => Object.values(translateCondition($condition))[0],
  );
  return parts && { [$all ? 'and' : 'or']: parts };
};

/** A condition of the contract in the graph. */
export const translateCondition = ({
  attr,
  ope,
  value,
  from,
  to,
  form_id,
  form_ref_ids,
  currency,
  ...group
}: Json): Json => {
  const { takes } = operators[ope as Operator];
  const convert = (one: unknown): unknown => toGraphValue(attr, one);
  const together = translateTogether(group);
  const operand = (): unknown => {
    if (takes === 'conditions') return together ?? {};
    if (takes === 'period') return toGraphPeriod(value);
    if (takes === 'nothing') return ope === 'ext';
    if (takes === 'list')
      return (typeof value === 'string' ? value.split(',').map((one) => one.trim()) : value).map(convert);
    if (takes === 'value') return convert(value);
    const [first, last] = typeof value === 'string' ? value.split('/') : [from, to];
    return { from: convert(first), to: convert(last) };
  };
  if (takes === 'place') {
    const { contact_id, postal_code, ...place } = value;
    const centre = {
      ...(contact_id !== undefined && { contactId: contact_id }),
      ...(postal_code && { postalCode: postal_code }),
    };
    const one = placeCondition(attr, { ...place, ...centre });
    return ope === 'inside' ? one : { not: one };
  }
  if (!asksForForm(attr))
    return placeCondition(attr, {
      [operatorFields[ope as Operator]]: operand(),
      ...(currency && { currency }),
      ...(together && takes !== 'conditions' && { of: together }),
    });
  const options = takes !== 'nothing' && form_ref_ids?.length > 0 ? { options: form_ref_ids } : {};
  const given = takes !== 'value' || (value !== undefined && value !== null);
  // Without a value, `eql` asks for the options alone, or for any answer.
  const isAny = !given && !('options' in options);
  const asked = given ? { value: { [operatorFields[ope as Operator]]: operand() } } : {};
  const one = placeCondition(attr, { form: form_id, ...options, ...asked, ...(isAny && { value: { exists: true } }) });
  return !given && ope === 'not_eql' ? { not: one } : one;
};

/** A tree of the contract, or a part of it, in the graph; undefined for a tree without conditions, which is left out. */
export const translateQuery = (tree: Json): Json | undefined => {
  if (tree.$condition) return translateCondition(tree.$condition);
  const parts: Json[] = tree.$all ?? tree.$at_least_one;
  if (parts.length === 0) return undefined;
  return { [tree.$all ? 'and' : 'or']: parts.map(translateQuery) };
};

/** A query has one condition, which takes the place of the sample's; conditions on answers have the form of the sample. */
export const putInGraph = (sent: Json, path: string[], value: unknown): Json => {
  if (path[0] !== 'query') return putValue(sent, path, value);
  const ends = /^(from|to)$/.test(path.at(-1)!) ? ['from', 'to'] : [path.at(-1)!];
  let planted: Json = { ...sent, query: {} };
  for (const end of ends) planted = putValue(planted, [...path.slice(0, -1), end], value);
  if (path[1] !== 'answer' || path[2] !== 'value') return planted;
  return putValue(planted, ['query', 'answer', 'form'], sent.query.or[0].answer.form);
};

/** A query as a resolver gets it, resolved. Throws for what the types of the graph refuse. */
export const resolveContactQuery = (query: Json): Group => {
  const coerced = query && coerceInputValue(query, schema.getType('ContactQuery') as GraphQLInputType);
  const parsed = expandTestSegments(parseContactQuery(coerced, 'query'));
  const faults = [...parsed.faults, ...findDateFaults(parsed, parseMicros(now))];
  if (faults.length > 0) throw new Error(`${JSON.stringify(query)}: ${JSON.stringify(faults)}`);
  return resolveQuery(parsed, parseMicros(now));
};
