// Checks every REST request and answer of all tests against openapi.json: a known status, its headers, the media type, and the schemas of both bodies.
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { exposedHeaders } from '../../src/http/cors.ts';
import { joinPath } from '../../src/rest/join.ts';
import { matchRoute } from '../../src/rest/router.ts';
import type { Answer, Json } from './app.ts';

/** A request as a test sends it. */
export interface SentRequest {
  method: string;
  /** With the query string. */
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

export const openapi: Json = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'));
const ajv = new Ajv2020({ strict: false, allErrors: false });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
ajv.addSchema(openapi, 'openapi');
const compiled = new Map<string, ValidateFunction>();

const validatorOf = (pointer: string): ValidateFunction => {
  if (!compiled.has(pointer)) compiled.set(pointer, ajv.compile({ $ref: `openapi#${pointer}` }));
  return compiled.get(pointer)!;
};
const joinPointer = (steps: readonly string[]): string =>
  steps.map((step) => `/${encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

/** A part of the document, with the pointer to it. References are followed. */
interface Found {
  value: Json;
  pointer: string;
}
const find = (from: Found, ...steps: string[]): Found | undefined => {
  let { value, pointer } = from;
  for (const step of ['', ...steps]) {
    if (step) [value, pointer] = [value[step], pointer + joinPointer([step])];
    if (value === undefined) return undefined;
    if (typeof value.$ref !== 'string') continue;
    const names = value.$ref.slice(2).split('/');
    [value, pointer] = [names.reduce((at: Json, name: string) => at[name], openapi), joinPointer(names)];
  }
  return { value, pointer };
};

const shapeOf = (path: string): string => path.replace(/\{\w+#?\}/g, '{}');
/** Paths of the document by method and shape: the names of parameters are not those of the route table where a path has two meanings. */
const paths = new Map(
  Object.entries<Json>(openapi.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => [`${method} ${shapeOf(path)}`, path] as const),
  ),
);

/** The operation that a request means, and the values of its path. */
interface FoundOperation {
  operation: Found;
  values: string[];
}

/** Undefined when no route matches. */
const findOperation = (method: string, path: string): FoundOperation | undefined => {
  // `POST /join` is no row of the route table.
  const pattern = path === joinPath && method === 'POST' ? joinPath : patternOf(method, path);
  if (!pattern) return undefined;
  const lower = method.toLowerCase();
  const known = paths.get(`${lower} ${shapeOf(pattern)}`);
  if (!known) throw new Error(`openapi.json does not know ${method} ${pattern}`);
  const form = new RegExp(`^${known.replace(/\{\w+\}/g, '([^/]+)')}/?$`);
  const operation = find({ value: openapi, pointer: '' }, 'paths', known, lower)!;
  return { operation, values: form.exec(path)!.slice(1).map(decode) };
};
/** Text that is not encoded as addresses are stays as it is. */
const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
const patternOf = (method: string, path: string): string | undefined => {
  try {
    return matchRoute(method, path).pattern;
  } catch {
    return undefined;
  }
};

/** Throws when openapi.json does not allow an answer, or a request that was answered with success. */
export const expectContract = (sent: SentRequest, answer: Answer): void => {
  const found = expectAnswer(sent, answer);
  if (found && answer.status < 400) expectRequest(found, sent);
};

/** Throws when openapi.json does not allow an answer, whatever the request was. Returns the operation. */
export const expectAnswer = (sent: SentRequest, { status, headers, body }: Answer): FoundOperation | undefined => {
  const { method, path } = sent;
  const plain = path.replace(/\?.*/, '');
  const what = `${method} ${path}`;
  const type = headers.get('content-type') ?? '';
  if (status >= 400 && type !== 'application/problem+json') throw new Error(`${what} answered ${status} as ${type}`);
  if (status >= 400 && body.status !== status)
    throw new Error(`${what} answered ${status} with a body of ${body.status}`);
  const found = findOperation(method, plain);
  if (!found) {
    if (![401, 404, 405, 429, 503].includes(status)) throw new Error(`${what} has no route, but answered ${status}`);
    expectValid(validatorOf('/components/schemas/Problem'), body, what);
    return undefined;
  }
  const reply = find(found.operation, 'responses', String(status));
  if (!reply) throw new Error(`${what} answered ${status}, of which openapi.json does not know`);
  expectHeaders(reply, headers, `${what} ${status}`);
  if (!reply.value.content) return found;
  const [media] = type.split(';') as [string];
  if (!reply.value.content[media]) throw new Error(`${what} answered as ${type}`);
  const schema = find(reply, 'content', media, 'schema')!;
  const isLines = media === 'application/x-ndjson';
  const validate = validatorOf(isLines ? `${schema.pointer}/contentSchema` : schema.pointer);
  for (const one of isLines ? linesOf(body) : [body]) expectValid(validate, one, `${what} ${status}`);
  return found;
};

/** Headers that must be there are there, and those that pages may read are described. */
const expectHeaders = (reply: Found, headers: Headers, what: string): void => {
  const described = Object.keys(reply.value.headers ?? {});
  for (const name of described) {
    const header = find(reply, 'headers', name)!;
    const value = headers.get(name);
    if (value === null && header.value.required) throw new Error(`${what} came without ${name}`);
    if (value !== null) expectValid(validatorOf(`${header.pointer}/schema`), value, `${what}: ${name}`, header);
  }
  for (const name of exposedHeaders)
    if (headers.has(name) && !described.includes(name))
      throw new Error(`${what} came with ${name}, of which openapi.json does not know`);
};

/** The parameters and the body of a request. */
const expectRequest = ({ operation, values }: FoundOperation, sent: SentRequest): void => {
  const what = `the request ${sent.method} ${sent.path}`;
  const query = new URL(sent.path, 'http://muster.test').searchParams;
  const headers = new Headers(sent.headers);
  let index = 0;
  for (const key of Object.keys(operation.value.parameters ?? {})) {
    const parameter = find(operation, 'parameters', key)!;
    const { name, in: place } = parameter.value;
    const given = place === 'path' ? values[index++]! : place === 'query' ? query.get(name) : headers.get(name);
    if (given === null || given === '') continue;
    expectValid(validatorOf(`${parameter.pointer}/schema`), given, `${what}: ${name}`, parameter);
  }
  const schema = find(operation, 'requestBody', 'content', 'application/json', 'schema');
  if (schema) expectValid(validatorOf(schema.pointer), JSON.parse(sent.body ?? 'null'), what);
};

const linesOf = (text: string): unknown[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** A text of a header or an address may stand for a number or a flag. */
const expectValid = (validate: ValidateFunction, value: unknown, what: string, parameter?: Found): void => {
  if (validate(value)) return;
  const said = ajv.errorsText(validate.errors);
  if (
    parameter &&
    typeof value === 'string' &&
    /^(-?\d+(\.\d+)?|true|false)$/.test(value) &&
    validate(JSON.parse(value))
  )
    return;
  throw new Error(`${what} is not as openapi.json says: ${said}`);
};
