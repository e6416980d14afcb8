// Canaries: values that no text of a statement may hold. They replace the values of a request, each with one of the kind that its place takes.
import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isScalarType,
} from 'graphql';
import type { Json } from '../harness/app.ts';
import type { AdvancedSearch, Condition, Query } from './oracle.ts';
import { getKind, type Kind } from './oracle-attributes.ts';

/** Matches every canary, also when it is folded, multiplied or printed. */
export const canary = /qx7|\bqxq\b|77\.?\d|(20|19|18)31-07-17/i;

const text = `qx7'");--?$1 :group\\ %_ qx7`;
export const canaryId = 7_712_347;
const moment = '2031-07-17T03:04:05.678901Z';

/** By the scalars of the graph, those of which a rule may refuse one and let another through; none for a switch. */
const byScalar: Record<string, readonly unknown[]> = {
  String: [text, 'qx7@example.org', 'https://qx7.example.org', '77.15,77.15', '2031-07-17', '1931-07-17', 'QXQ'],
  ID: [canaryId],
  SafeInt: [canaryId],
  Int: [771, 7712],
  WholeNumber: [771],
  Float: [77.15],
  DateTime: [moment],
  // A birthdate is no day of the future, and no membership ends before it starts. Another operation may have written the first one already.
  Date: ['1931-07-17', '2031-07-17', '1831-07-17'],
  SearchDate: [moment, '2031-07-17'],
  QueryTree: [],
  Boolean: [],
};

export interface Place {
  path: string[];
  canaries: readonly unknown[];
}

/** Every place of an input that takes a text or a number; `0` stands for any item of a list. */
export const listPlaces = (input: GraphQLInputType, path: string[] = [], above: string[] = []): Place[] => {
  const type = getNullableType(input);
  if (isListType(type)) return listPlaces(type.ofType, [...path, '0'], above);
  if (isScalarType(type)) {
    const canaries = byScalar[type.name];
    if (!canaries)
      throw new Error(`No canaries for the scalar ${type.name}: add them to byScalar in test/search/canaries.ts`);
    return canaries.length > 0 ? [{ path, canaries }] : [];
  }
  if (isEnumType(type)) return [];
  const named = getNamedType(type);
  if (!isInputObjectType(named) || above.includes(named.name)) return [];
  return Object.values(named.getFields()).flatMap((field) =>
    listPlaces(field.type, [...path, field.name], [...above, named.name]),
  );
};

/** Every text and number of a value as JSON. */
export const listLeaves = (value: Json, path: string[] = []): Place[] => {
  if (typeof value === 'string') return [{ path, canaries: [...byScalar.String!, moment] }];
  if (typeof value === 'number') return [{ path, canaries: [canaryId, 771] }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => listLeaves(inner, [...path, key]));
};

/** The paths in a sample that a place stands for: one for each item that is there of its lists, since items of one list may differ. */
export const listPaths = (sample: Json, [step, ...rest]: readonly string[]): string[][] => {
  if (step === undefined) return [[]];
  const items = step === '0' && Array.isArray(sample) ? [...sample.keys()].map(String) : [];
  return (items.length > 0 ? items : [step]).flatMap((one) =>
    listPaths(sample?.[one], rest).map((path) => [one, ...path]),
  );
};

/** A copy of a value with another one at a place. */
export const putValue = (target: Json, path: readonly string[], value: unknown): Json => {
  if (path.length === 0) return value;
  const [step, ...rest] = path as [string, ...string[]];
  const copy = Array.isArray(target) ? [...target] : { ...target };
  copy[step as never] = putValue(target?.[step] ?? (rest[0] === '0' ? [] : {}), rest, value) as never;
  return copy;
};

const byKind: Partial<Record<Kind, unknown>> = {
  text,
  texts: text,
  phone: `+${canaryId}`,
  moment,
  day: moment,
  money: '7712.34',
  count: String(canaryId),
  decimal: '77.15',
  whole: canaryId,
  wholes: canaryId,
  years: '7712',
  twice: '7712',
  answer: text,
};

const plantedIn = ({ attr, ope, value, from, to, $all, $at_least_one, ...form }: Condition): Condition => {
  // These take a few values, or a part of the year: anything else is refused.
  const closed = attr === 'gender' || attr === 'age_cat' || ope === 'period' || ope === 'within';
  const given = closed ? undefined : byKind[getKind(attr)];
  const other = (sent: unknown): unknown => given ?? sent;
  return {
    attr,
    ope,
    ...(value !== undefined && { value: /_of$/.test(ope) ? [other(value), other(value)].flat() : other(value) }),
    ...(from !== undefined && { from: other(from), to: other(to) }),
    ...($all && { $all: $all.map(plantedPart) }),
    ...($at_least_one && { $at_least_one: $at_least_one.map(plantedPart) }),
    ...(form.form_id !== undefined && { form_id: canaryId }),
    ...(form.form_ref_ids && { form_ref_ids: form.form_ref_ids.map((_, index) => canaryId + index) }),
  };
};

const plantedPart = ({ $condition }: { $condition: Condition }) => ({ $condition: plantedIn($condition) });

/** A query of the same form, with a canary wherever a value may be anything of its kind. */
export const addCanaries = ({ query }: AdvancedSearch): Query => {
  const inside = (node: Json): Json =>
    Object.fromEntries(
      Object.entries(node).map(([key, parts]) => [
        key,
        key === '$condition' ? plantedIn(parts as Condition) : (parts as Json[]).map(inside),
      ]),
    );
  return inside(query);
};
