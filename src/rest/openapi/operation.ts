// A route as an operation of OpenAPI: its parameters, its body, and every status that it answers with.
import { type GraphQLSchema, getNullableType, isListType, isNonNullType } from 'graphql';
import { spaceHeader } from '../../gate/credentials.ts';
import type { Input } from '../../input/read-input.ts';
import { getOperationPermission } from '../../permissions/permissions.ts';
import { keyForm, keyHeader } from '../../plan/idempotency.ts';
import { exportOptionsSchema } from '../export-options.ts';
import { listRouteArguments } from '../route-arguments.ts';
import type { Envelope, Route } from '../routes/index.ts';
import { isLeftOut, type Shape } from '../routes/output.ts';
import type { Stored } from '../stored.ts';
import { type Components, describeLeaf, describeObject, type Json } from './components.ts';
import { describeInput, describeMeaning } from './input-schema.ts';
import { describeOutput } from './output-schema.ts';
import { listHeaders, referToResponse, tagHeader, tagSchema } from './responses.ts';

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
const describeBody = (
  { variables, within, kind, exports }: Route,
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
  if (exports) parts.push(nest(within!, exportOptionsSchema, false));
  if (kind) parts.push(describeObject({ kind: { enum: [kind, '', null] } }, []));
  return parts.reduce(merge);
};

const only = (properties: Record<string, Json>): Json => Object.values(properties)[0]!;
const wrap = (data: Json): Json => describeObject({ status: { const: 'success' }, data });

const envelopes: Record<Envelope, (properties: Record<string, Json>, shape?: Shape) => Json> = {
  data: (properties, shape) =>
    wrap(
      describeObject(
        properties,
        Object.keys(properties).filter((name) => !isLeftOut(shape?.[name])),
      ),
    ),
  inner: (properties) => wrap(only(properties)),
  list: (properties) => {
    const { items, total } = only(properties).properties as Record<string, Json>;
    return describeObject({ status: { const: 'success' }, data: items, total });
  },
  bare: only,
};

/** Parameters that many operations read; the document has each once. */
export const sharedParameters: Record<string, Json> = {
  Space: {
    name: spaceHeader,
    in: 'header',
    description:
      'The space to act in, for a token of the identity provider whose user has several. Other tokens act in one space.',
    schema: { type: 'integer', minimum: 0 },
  },
  IdempotencyKey: {
    name: keyHeader,
    in: 'header',
    description:
      'A write that carries a key is done once: whoever sends it again within 24 hours is given the same answer again.',
    schema: { type: 'string', pattern: keyForm.source },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'Versions that the record may be of, or `*` for any; 412 when it is of another, or has none.',
    schema: tagSchema,
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'Versions that the client has; 304 when the record still is of one of them.',
    schema: tagSchema,
  },
};

const referToParameter = (name: keyof typeof sharedParameters): Json => ({ $ref: `#/components/parameters/${name}` });

/** The schema of a parameter. Texts in an address need no second form. */
const describeParameter = (input: Input, components: Components): Json => {
  const type = getNullableType(input.type);
  if (String(type) === 'ID' || isListType(type)) return describeLeaf(type as never, components);
  const { type: types, anyOf, ...schema } = describeInput(input, components);
  const [first] = [types].flat();
  const own = anyOf ? (anyOf as Json[])[0]! : { ...(first !== undefined && { type: first }), ...schema };
  return input.defaultValue == null ? own : { ...own, default: input.defaultValue };
};

const listParameters = (route: Route, stored: Stored, components: Components): Json[] => {
  const filled = listRouteArguments(route, stored);
  const own = Object.entries(route.variables).flatMap(([name, source]): Json[] => {
    if ('body' in source) return [];
    const input = filled[name]!;
    // A stored operation that passes a variable on leaves the default to the field.
    const fallback = stored.field.args.find((argument) => argument.name === input.name)?.defaultValue;
    const schema = describeParameter({ ...input, defaultValue: input.defaultValue ?? fallback }, components);
    const place = 'path' in source ? 'path' : 'query';
    const parameter = 'path' in source ? source.path : source.query;
    const example = route.example?.[place]?.[parameter];
    return [
      {
        name: parameter,
        in: place,
        ...(place === 'path' && { required: true }),
        ...(input.description && { description: input.description }),
        schema,
        ...(example !== undefined && { example }),
      },
    ];
  });
  return [
    ...own,
    ...(stored.isMutation ? [referToParameter('IdempotencyKey')] : []),
    ...(stored.isMutation || route.etag ? [referToParameter('IfMatch')] : []),
    ...(route.method === 'GET' && route.etag ? [referToParameter('IfNoneMatch')] : []),
    referToParameter('Space'),
  ];
};

const listRefusals = (route: Route, { isMutation }: Stored): number[] => {
  const sources = Object.entries(route.variables);
  const hasBody = sources.some(([, source]) => 'body' in source);
  const namesRecord = sources.some(([name, source]) => 'path' in source || name === 'input.id');
  return [
    400,
    401,
    403,
    ...(namesRecord ? [404] : []),
    ...(route.exports ? [406] : []),
    ...(isMutation ? [409, 410] : []),
    ...(isMutation || route.method === 'GET' ? [412] : []),
    ...(hasBody ? [413, 415] : []),
    422,
    429,
    500,
    503,
  ];
};

export const describeRefusals = (statuses: readonly number[]): Json =>
  Object.fromEntries(statuses.map((status) => [status, referToResponse(status)]));

/** The bodies of a success. A line of an export is a contact of the operation's page. */
const describeContent = (route: Route, properties: Record<string, Json>): Json => {
  if (route.exports) {
    const { contacts } = (properties.found as { properties: Record<string, Json> }).properties;
    const line = contacts!.items as Json;
    return {
      'application/x-ndjson': {
        schema: { type: 'string', contentSchema: line, description: 'A contact as JSON on each line.' },
      },
      'text/csv': {
        schema: {
          type: 'string',
          description: 'A row of names, and a row for each contact. With `excel` or `columns` it is always this.',
        },
      },
    };
  }
  const schema = route.finish
    ? wrap(route.finish.schema(properties) as Json)
    : envelopes[route.envelope](properties, route.shape);
  return { 'application/json': { schema } };
};

const describeNeeds = (route: Route, stored: Stored): string => {
  const cost = route.cost ?? stored.cost;
  const permissions = [getOperationPermission(stored.field.name), ...(route.exports ? ['contacts.export'] : [])];
  return `Costs ${cost === 1 ? 'one point' : `${cost} points`}. Needs the permission ${permissions.map((name) => `\`${name}\``).join(' and ')}.`;
};

/** Operations that write a noun often take the same body. */
const nameBody = ({ operation }: Route, body: Json, components: Components): Json =>
  components.name([`${operation.replace(/^(Create|Update|Replace)/, '')}Body`, `${operation}Body`], body);

/** The operation without its id and tag, which depend on its path. */
export const describeOperation = (
  route: Route,
  stored: Stored,
  schema: GraphQLSchema,
  components: Components,
): Json & { parameters: Json[]; responses: Record<string, Json> } => {
  const body = describeBody(route, listRouteArguments(route, stored), components);
  const content = describeContent(route, describeOutput(schema, stored, route.shape, components));
  const own = [
    ...(route.etag ? [tagHeader] : []),
    ...(route.exports ? ['Content-Disposition'] : []),
    ...(stored.isMutation ? ['Idempotency-Replayed'] : []),
  ];
  const example = { summary: route.summary, value: route.example?.body };
  const done = { description: 'Done.', headers: listHeaders(own), content };
  const notModified = { description: 'The client has it already.', headers: listHeaders([tagHeader]) };
  return {
    summary: route.summary,
    description: describeNeeds(route, stored),
    'x-cost': route.cost ?? stored.cost,
    parameters: listParameters(route, stored, components),
    ...(body && {
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: nameBody(route, body, components),
            ...(example.value !== undefined && { examples: { example } }),
          },
        },
      },
    }),
    responses: {
      // A route with several paths has its reply in the components.
      [route.status ?? 200]: route.aliases ? components.nameReply(route.operation, done) : done,
      ...(route.method === 'GET' && route.etag && { 304: components.nameReply('NotModified', notModified) }),
      ...describeRefusals(listRefusals(route, stored)),
    },
  };
};
