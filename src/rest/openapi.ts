// The OpenAPI description of the REST door, derived from the route table, the stored operations and the schema of the graph.
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
import { keyForm, keyHeader, replayedHeader } from '../idempotency.ts';
import { listSpellings, sortInputFields } from '../input/legacy-input.ts';
import type { Input } from '../input/read-input.ts';
import { problems } from '../problem.ts';
import { versionAlias } from './etag.ts';
import { orNull, type Shape } from './output.ts';
import { listRouteArguments } from './route-arguments.ts';
import { type Envelope, type Route, routes } from './routes/index.ts';
import { compileStoredOperations, type Stored } from './stored.ts';

type Json = { [key: string]: unknown };

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
const inputSchema = (input: GraphQLInputType): Json => {
  const type = getNullableType(input);
  if (isListType(type)) return { type: 'array', items: inputSchema(type.ofType) };
  if (!isInputObjectType(type)) return leaf(type);
  const fields = sortInputFields(type);
  const property = (field: (typeof fields)[number]): Json => {
    const schema = { ...inputSchema(field.type), description: field.description ?? '' };
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
const outputSchema = (
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

const success = { const: 'success' };
const object = (properties: Json): Json => ({ type: 'object', required: Object.keys(properties), properties });

const envelopes: Record<Envelope, (properties: Record<string, Json>) => Json> = {
  data: (properties) => object({ status: success, data: object(properties) }),
  inner: (properties) => object({ status: success, data: only(properties) }),
  list: (properties) => {
    const { items, total } = only(properties).properties as Record<string, Json>;
    return object({ status: success, data: items, total });
  },
  bare: only,
};

function only(properties: Record<string, Json>): Json {
  return Object.values(properties)[0]!;
}

/** A part of a body at its path; the steps to it are required where the part is. */
const nest = (path: string, schema: Json, required: boolean): Json =>
  path
    .split('.')
    .filter(Boolean)
    .reduceRight<Json>(
      (inner, step) => ({ type: 'object', ...(required && { required: [step] }), properties: { [step]: inner } }),
      schema,
    );

/** Merges two descriptions of an object. */
const combine = (one: Json, other: Json): Json => {
  if (!one.properties || !other.properties) return { ...one, ...other };
  const required = [
    ...new Set([one.required, other.required].flatMap((names) => (names as string[] | undefined) ?? [])),
  ];
  const properties: Json = { ...(one.properties as Json) };
  for (const [name, schema] of Object.entries(other.properties as Record<string, Json>))
    properties[name] = name in properties ? combine(properties[name] as Json, schema) : schema;
  return { ...one, ...other, ...(required.length > 0 && { required }), properties };
};

/** The schema of a body whose parts fill several variables. */
const bodySchema = (route: Route, filled: Record<string, Input>): Json | undefined =>
  Object.entries(route.variables)
    .flatMap(([name, source]) => {
      if (!('body' in source)) return [];
      const { type, description, defaultValue } = filled[name]!;
      const schema: Json = {
        ...inputSchema(type),
        ...(description && { description }),
        ...(defaultValue !== undefined && { default: defaultValue }),
      };
      const places = [source.body].flat().map((place) => nest(place, schema, isNonNullType(type)));
      return [places.length > 1 ? { anyOf: places } : places[0]!];
    })
    .reduce<Json | undefined>((whole, part) => (whole ? combine(whole, part) : part), undefined);

const parameters = (route: Route, filled: Record<string, Input>): Json[] =>
  Object.entries(route.variables).flatMap(([name, source]) => {
    if ('body' in source) return [];
    const argument = filled[name]!;
    const fallback = argument.defaultValue === undefined ? {} : { default: argument.defaultValue };
    const common = { description: argument.description ?? '', schema: { ...inputSchema(argument.type), ...fallback } };
    if ('header' in source) return [header(source.header, common.description, tag)];
    return 'path' in source
      ? [{ name: source.path, in: 'path', required: true, ...common }]
      : [{ name: source.query, in: 'query', ...common }];
  });

const header = (name: string, description: string, schema: Json): Json => ({ name, in: 'header', description, schema });
const tag: Json = { type: 'string', description: 'The version of the record, in quotes.', examples: ['"3"'] };
const tagHeader: Json = { ETag: { description: 'The version of the record.', required: true, schema: tag } };
const replayed: Json = {
  [replayedHeader]: {
    description: `Sent when the answer is the one that an earlier request with this ${keyHeader} was given.`,
    schema: { const: 'true' },
  },
};

/** The headers that a route reads beside those that fill variables. */
const ownHeaders = ({ method, etag }: Route, { isMutation }: Stored): Json[] => [
  ...(isMutation
    ? [
        header(
          keyHeader,
          'A write that carries a key is done once: whoever sends it again within 24 hours is given the same answer again.',
          { type: 'string', pattern: keyForm.source },
        ),
      ]
    : []),
  ...(method === 'GET' && etag
    ? [header('If-None-Match', 'Entity tags that the client has; 304 when the record is still of one of them.', tag)]
    : []),
];

/** The schema of an NDJSON line: a contact of the operation's page. */
const exportedLine = (properties: Record<string, Json>): Json => {
  const page = properties.found!.properties as Record<string, Json>;
  return page.contacts!.items as Json;
};

const operation = (route: Route, schema: GraphQLSchema, stored: Stored): Json => {
  const properties = outputSchema(schema, stored, route.shape);
  const finished = route.finish
    ? object({ status: success, data: route.finish.schema(properties) })
    : envelopes[route.envelope](properties);
  const filled = listRouteArguments(route, stored);
  const body = bodySchema(route, filled);
  const content = route.exports
    ? { 'application/x-ndjson': { schema: exportedLine(properties) }, 'text/csv': { schema: { type: 'string' } } }
    : { 'application/json': { schema: finished } };
  const headers: Json = { ...(route.etag && tagHeader), ...(stored.isMutation && replayed) };
  return {
    operationId: route.operation,
    summary: route.summary,
    'x-cost': route.cost ?? stored.cost,
    parameters: [...parameters(route, filled), ...ownHeaders(route, stored)],
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: {
      [route.status ?? 200]: {
        description: 'Done.',
        ...(Object.keys(headers).length > 0 && { headers }),
        content,
      },
      ...(route.method === 'GET' &&
        route.etag && { 304: { description: 'The client has it already.', headers: tagHeader } }),
      default: { $ref: '#/components/responses/Problem' },
    },
  };
};

const problem: Json = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'instance'],
  properties: {
    type: { type: 'string', enum: Object.keys(problems).map((code) => `urn:muster:problem:${code}`) },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: { type: 'string', pattern: '^urn:uuid:' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['location', 'message'],
        properties: { location: { type: 'string' }, message: { type: 'string' }, value: {} },
      },
    },
  },
};

/** The whole description, of version 0.0.1 of the contract (spec §9). */
export const describeOpenApi = (schema: GraphQLSchema): Json => {
  const stored = compileStoredOperations(schema);
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replaceAll('#}', '}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, schema, stored[route.operation]) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Muster',
      version: '0.0.1',
      description: 'The REST door. Every route takes from the bucket of the space what `x-cost` says.',
    },
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      responses: {
        Problem: {
          description: 'A refusal.',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
      schemas: { Problem: problem },
    },
  };
};
