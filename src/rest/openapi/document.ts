// The OpenAPI document of the REST door, derived from the route table, the stored operations, the schema of the graph, and the tables of attributes and problems.

import type { GraphQLSchema } from 'graphql';
import { capitalize } from '../../input/snake-case.ts';
import { getOrMake } from '../../limits/cache-key.ts';
import { limits } from '../../limits/limits.ts';
import { indexFragments } from '../../plan/price.ts';
import { joinPath } from '../join.ts';
import { type Route, routeGroups, routes } from '../routes/index.ts';
import { compileStoredOperations } from '../stored.ts';
import { Components, describeObject, type Json } from './components.ts';
import { describeOperation, describeRefusals, sharedParameters } from './operation.ts';
import { describeResponses, listHeaders } from './responses.ts';

type Operation = ReturnType<typeof describeOperation>;

/** A path of the document, and the routes that answer there: one, or several that the form of a parameter tells apart. */
interface Place {
  method: string;
  path: string;
  meanings: { tag: string; route: Route; pattern: string }[];
}

const shapeOf = (pattern: string): string => pattern.replace(/\{\w+#?\}/g, '{}');
const listNames = (pattern: string): string[] => [...pattern.matchAll(/\{(\w+)#?\}/g)].map(([, name]) => name!);

/** Paths that differ in the names of their parameters alone are one path for routers and linters: `/forms/{formIdOrType}`. */
const listPlaces = (): Place[] => {
  const places = new Map<string, Place['meanings']>();
  for (const [tag, { routes }] of Object.entries(routeGroups))
    for (const route of routes)
      for (const pattern of [route.path, ...(route.aliases ?? [])]) {
        // Other methods at the path may name their parameters otherwise.
        const key = `${route.method} ${shapeOf(pattern)}`;
        getOrMake(places, key, () => []).push({ tag, route, pattern });
      }
  return [...places.values()].map((meanings) => {
    const names = meanings.map(({ pattern }) => listNames(pattern));
    const { route, pattern } = meanings[0]!;
    let index = 0;
    const path = pattern.replace(/\{\w+#?\}/g, () => {
      const alternatives = [...new Set(names.map((one) => one[index]!))];
      index++;
      return `{${joinNames(alternatives)}}`;
    });
    return { method: route.method.toLowerCase(), path, meanings };
  });
};

/** `formId` and `type` become `formIdOrType`. */
const joinNames = (names: readonly string[]): string =>
  names
    .map(capitalize)
    .join('Or')
    .replace(/^./, (letter) => letter.toLowerCase());

/** One operation that means each of several. */
const combine = (operations: readonly Operation[], path: string, components: Components): Operation => {
  const [first] = operations;
  if (operations.length === 1) return first!;
  const name = listNames(path).at(-1)!;
  const own = operations.map(({ parameters }) => parameters.find((parameter) => parameter.in === 'path')!);
  const replies = operations.map(({ responses }) => components.resolveReply(responses[200]!));
  const schemas = replies.map(({ content }) => (content as Record<string, Json>)['application/json']!.schema);
  const others = first!.parameters.filter((parameter) => parameter.in !== 'path');
  return {
    ...first!,
    summary: operations.map(({ summary }) => summary).join('; or '),
    parameters: [
      {
        ...own[0],
        name,
        description: own.map(({ description }) => description).join(' Or: '),
        schema: { anyOf: own.map(({ schema }) => schema) },
      },
      ...others,
    ],
    responses: {
      ...first!.responses,
      200: { ...replies[0], content: { 'application/json': { schema: { anyOf: schemas } } } },
    },
  };
};

/** An id for the operation at a path. Its further paths with and without the version have ids of their own. */
const chooseId = ({ path, meanings }: Place, taken: Set<string>): string => {
  const base = joinNames([...new Set(meanings.map(({ route }) => route.operation))]);
  const other = `${base}${path.startsWith('/v1/') ? 'V1' : 'Unversioned'}`;
  const id = taken.has(base) ? other : base;
  taken.add(id);
  return id;
};

const describeJoining = (): Json => {
  const text: Json = { type: 'string', maxLength: limits.value.lineCharacters };
  const optional: Json = { anyOf: [text, { type: 'null' }] };
  const person = { firstName: optional, lastName: optional };
  const body = describeObject({ secret: text, ...person }, ['secret']);
  const reply = describeObject({
    status: { const: 'success' },
    data: describeObject({
      token: { type: 'string' },
      space: describeObject({ id: { type: 'integer' }, name: { type: 'string' } }),
      user: describeObject({ id: { type: 'integer' }, email: { type: 'string' }, ...person }),
    }),
  });
  return {
    operationId: 'join',
    summary: 'Accept an invitation by its secret, without a token',
    description: 'The answer has a token, which is shown only here. A secret works once.',
    security: [],
    tags: ['Users'],
    requestBody: { required: true, content: { 'application/json': { schema: body } } },
    responses: {
      201: {
        description: 'The new member, and the token.',
        headers: listHeaders([], false),
        content: { 'application/json': { schema: reply } },
      },
      ...describeRefusals([400, 404, 409, 413, 415, 429, 500, 503]),
    },
  };
};

const about = [
  'The REST door of Muster, a self-hosted contact platform. Its other door is GraphQL, at `/graphql`.',
  'Requests of a space share one bucket: each takes the points that `x-cost` says. Unknown properties of bodies are ignored.',
].join('\n\n');

/** The whole description, of version 0.0.1 of the contract (spec §9). */
export const describeOpenApi = (schema: GraphQLSchema): Json => {
  const stored = compileStoredOperations(schema);
  const components = new Components(
    routes.flatMap(({ operation }) => [...indexFragments(stored[operation].document).keys()]),
  );
  const { headers, responses } = describeResponses(components);
  const described = new Map<Route, Operation>();
  const describe = (route: Route): Operation =>
    getOrMake(described, route, () => describeOperation(route, stored[route.operation], schema, components));
  const taken = new Set<string>();
  const paths: Record<string, Json> = {};
  for (const place of listPlaces()) {
    const { method, path, meanings } = place;
    const operations = meanings.map(({ route }) => describe(route));
    const operation = {
      operationId: chooseId(place, taken),
      tags: [meanings[0]!.tag],
      ...combine(operations, path, components),
    };
    paths[path] = { ...paths[path], [method]: operation };
  }
  paths[joinPath] = { post: describeJoining() };
  const used = JSON.stringify(paths);
  const replies = Object.entries(components.replies).filter(([name]) => used.includes(`/responses/${name}"`));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Muster',
      version: '0.0.1',
      description: about,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The server that has this document.' }],
    tags: Object.entries(routeGroups).map(([name, group]) => ({ name, description: group.about })),
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token of Muster, or a JWT of the identity provider.',
        },
      },
      parameters: sharedParameters,
      headers,
      responses: { ...responses, ...Object.fromEntries(replies) },
      schemas: components.list(),
    },
  };
};
