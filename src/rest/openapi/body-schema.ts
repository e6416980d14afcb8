// The JSON Schema of the body of a route: its parts fill variables of the stored operation, each from one place or from the first of several.
import { isNonNullType } from 'graphql';
import type { Input } from '../../input/read-input.ts';
import type { Route } from '../routes/index.ts';
import { type Components, describeObject, type Json } from './components.ts';
import { describeInput, describeMeaning } from './input-schema.ts';

/** A part of a body at its place; the steps to it are required where the part is. */
const nest = (place: string, schema: Json, isRequired: boolean): Json =>
  place
    .split('.')
    .filter(Boolean)
    .reduceRight<Json>((inner, step) => describeObject({ [step]: inner }, isRequired ? [step] : []), schema);

/** The first of several places with an object counts, so a later one is read only when the earlier ones have none. */
const describePlaces = (places: readonly string[], schema: Json, isRequired: boolean): Json => {
  if (places.length === 1) return nest(places[0]!, schema, isRequired);
  const alternatives = places.map((place, index) => {
    const earlier = places.slice(0, index).map((one) => nest(one, { type: 'object' }, true));
    const here = nest(place, schema, true);
    const none = earlier.length > 1 ? { anyOf: earlier } : earlier[0];
    return none ? { allOf: [here], not: none } : here;
  });
  return { anyOf: alternatives };
};

/** Merges two descriptions of an object. */
const merge = (one: Json, other: Json): Json => {
  if (one.anyOf && other.properties && !one.properties) return { ...other, anyOf: one.anyOf };
  if (!one.properties || !other.properties) return { allOf: [one, other] };
  const required = [one.required, other.required].flatMap((names) => (names as string[] | undefined) ?? []);
  const properties: Json = { ...(one.properties as Json) };
  for (const [name, schema] of Object.entries(other.properties as Record<string, Json>))
    properties[name] = name in properties ? merge(properties[name] as Json, schema) : schema;
  return describeObject(properties, [...new Set(required)]);
};

/** The schema of the body of a route; undefined for one without a body. */
export const describeBody = (
  { variables, within, kind }: Route,
  filled: Record<string, Input>,
  components: Components,
): Json | undefined => {
  const parts = Object.entries(variables).flatMap(([name, source]) => {
    if (!('body' in source)) return [];
    const input = filled[name]!;
    const schema = describeInput(input, components);
    const described = schema.$ref ? schema : { ...schema, ...describeMeaning(input) };
    return [describePlaces([source.body].flat(), described, isNonNullType(input.type))];
  });
  if (parts.length === 0) return undefined;
  const hasPlaces = Object.values(variables).some((source) => 'body' in source && Array.isArray(source.body));
  // Each of several places requires it already.
  if (within && !hasPlaces) parts.push(nest(within, { type: 'object', properties: {} }, true));
  if (kind) parts.push(describeObject({ kind: { enum: [kind, '', null] } }, []));
  return parts.reduce(merge);
};
