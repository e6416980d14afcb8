// The OpenAPI description of the REST door, derived from the route table, the stored operations and the schema of the graph.
import { type GraphQLSchema, isNonNullType } from 'graphql';
import { keyForm, keyHeader, replayedHeader } from '../idempotency.ts';
import type { Input } from '../input/read-input.ts';
import { problems } from '../problem.ts';
import { describeJoin, joinPath } from './join.ts';
import { describeInput, describeOutput, type Json } from './json-schema.ts';
import { listRouteArguments } from './route-arguments.ts';
import { type Envelope, type Route, routes } from './routes/index.ts';
import { compileStoredOperations, type Stored } from './stored.ts';

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
        ...describeInput(type),
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
    const common = {
      description: argument.description ?? '',
      schema: { ...describeInput(argument.type), ...fallback },
    };
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
  const properties = describeOutput(schema, stored, route.shape);
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
  paths[joinPath] = { post: describeJoin() };
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
