// JSON Schemas of inputs and results of stored operations, in the spellings of the wire.
import {
  type FieldNode,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { findOperation, indexFragments } from '../gate/price.ts';
import { listSpellings, sortInputFields } from '../input/legacy-input.ts';
import { versionAlias } from './etag.ts';
import { orNull, type Shape } from './output.ts';
import type { Stored } from './stored.ts';

export type Json = { [key: string]: unknown };

const id = { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const scalars: Record<string, Json> = {
  ID: id,
  SafeInt: id,
  WholeNumber: { type: 'integer', format: 'int64', maximum: Number.MAX_SAFE_INTEGER },
  DateTime: { type: 'string', format: 'date-time' },
  Date: { type: 'string', format: 'date' },
  String: { type: 'string' },
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  QueryTree: { type: 'object' },
};

const leaf = (type: GraphQLInputType | GraphQLOutputType): Json => {
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => name) };
  const known = scalars[String(type)];
  if (!known) throw new Error(`no JSON Schema for ${type}`);
  return known;
};

/** The JSON Schema of an input type in the spellings of the wire. */
export const describeInput = (input: GraphQLInputType): Json => {
  const type = getNullableType(input);
  if (isListType(type)) return { type: 'array', items: describeInput(type.ofType) };
  if (!isInputObjectType(type)) return leaf(type);
  const fields = sortInputFields(type);
  const property = (field: (typeof fields)[number]): Json => {
    const schema = { ...describeInput(field.type), description: field.description ?? '' };
    return isNonNullType(field.type) || !('type' in schema)
      ? schema
      : { ...schema, type: [schema.type, 'null'].flat() };
  };
  const required = fields
    .filter((field) => isNonNullType(field.type))
    .map((field) => listSpellings(type.name, field.name)[0]);
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(
      fields.flatMap((field) => listSpellings(type.name, field.name).map((name) => [name, property(field)])),
    ),
  };
};

/** The JSON Schema of the data of a query, or of the payload of a mutation, after the changes of its shape. */
export const describeOutput = (
  schema: GraphQLSchema,
  { document, field, isMutation }: Stored,
  shape: Shape | undefined,
): Record<string, Json> => {
  const fragments = indexFragments(document);
  const schemaOf = (
    type: GraphQLOutputType,
    selection: SelectionSetNode | undefined,
    below: Shape[string] | undefined,
  ): Json => {
    if (typeof below === 'function') return below.schema as Json;
    const bare = getNullableType(type);
    if (isListType(bare)) return { type: 'array', items: schemaOf(bare.ofType, selection, below) };
    if (isObjectType(bare)) return objectOf(bare, selection!, typeof below === 'object' ? below : undefined);
    return below === orNull ? { ...leaf(bare), type: [leaf(bare).type, 'null'].flat() } : leaf(bare);
  };
  const objectOf = (type: GraphQLObjectType, selection: SelectionSetNode, below: Shape | undefined): Json => {
    const properties: Record<string, Json> = {};
    const required = new Set<string>();
    const collect = ({ selections }: SelectionSetNode): void => {
      for (const one of selections) {
        if (one.kind === Kind.FRAGMENT_SPREAD) collect(fragments.get(one.name.value)!.selectionSet);
        if (one.kind !== Kind.FIELD) continue;
        const key = (one.alias ?? one.name).value;
        if (key === versionAlias) continue;
        const field = type.getFields()[one.name.value]!;
        const value = { ...schemaOf(field.type, one.selectionSet, below?.[key]), description: field.description ?? '' };
        properties[key] = merge(properties[key], value);
        const change = below?.[key];
        const leftOut = one.directives?.length || (typeof change === 'function' && change.leavesOut);
        const always = isNonNullType(field.type) && !leftOut;
        if (always || below?.[key] === orNull) required.add(key);
      }
    };
    collect(selection);
    return { type: 'object', required: [...required].sort(), properties };
  };
  const { selectionSet } = findOperation(document)!;
  const [root] = selectionSet.selections;
  const described = isMutation
    ? objectOf(getNullableType(field.type) as GraphQLObjectType, (root as FieldNode).selectionSet!, shape)
    : objectOf(schema.getQueryType()!, selectionSet, shape);
  return described.properties as Record<string, Json>;
};

/** Merges two selections of one field. */
const merge = (one: Json | undefined, other: Json): Json =>
  one?.properties
    ? {
        ...other,
        required: [...new Set([...(one.required as string[]), ...(other.required as string[])])].sort(),
        properties: { ...one.properties, ...(other.properties as Json) },
      }
    : other;
