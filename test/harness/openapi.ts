// Checks every REST response of all tests against openapi.json: a known status, the media type, and the schema of the body.
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { joinPath } from '../../src/rest/join.ts';
import { matchRoute } from '../../src/rest/router.ts';
import type { Answer } from './app.ts';

const description = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'));
const ajv = new Ajv2020({ strict: false, allErrors: true });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
ajv.addSchema(description, 'openapi');
const compiled = new Map<string, ValidateFunction>();

const validatorOf = (pointer: string): ValidateFunction => {
  if (!compiled.has(pointer)) compiled.set(pointer, ajv.compile({ $ref: `openapi#${pointer}` }));
  return compiled.get(pointer)!;
};
const escaped = (step: string): string => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));

/** Throws when openapi.json does not allow a response. */
export const expectContract = (method: string, path: string, { status, headers, body }: Answer): void => {
  const type = headers.get('content-type') ?? '';
  if (status >= 400) {
    if (type !== 'application/problem+json') throw new Error(`${method} ${path} answered ${status} as ${type}`);
    if (body.status !== status) throw new Error(`${method} ${path} answered ${status} with a body of ${body.status}`);
    expectValid(validatorOf('/components/schemas/Problem'), body, `${method} ${path} ${status}`);
    return;
  }
  // `POST /join` is no row of the route table.
  const plain = path.replace(/\?.*/, '');
  const route = plain === joinPath ? { path: plain } : matchRoute(method, plain).route;
  const steps = ['paths', route.path.replaceAll('#}', '}'), method.toLowerCase(), 'responses', String(status)];
  const known = steps.reduce((at, step) => at?.[step], description);
  if (!known) throw new Error(`${method} ${route.path} answered ${status}, of which openapi.json does not know`);
  for (const [name, { required }] of Object.entries<{ required?: boolean }>(known.headers ?? {}))
    if (required && !headers.has(name)) throw new Error(`${method} ${route.path} answered without ${name}`);
  if (!known.content) return;
  const [media] = type.split(';') as [string];
  if (!known.content[media]) throw new Error(`${method} ${route.path} answered as ${type}`);
  steps.push('content', media, 'schema');
  const bodies = media === 'application/x-ndjson' ? linesOf(body) : [body];
  for (const one of bodies)
    expectValid(validatorOf(`/${steps.map(escaped).join('/')}`), one, `${method} ${route.path} ${status}`);
};

const linesOf = (text: string): unknown[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

const expectValid = (validate: ValidateFunction, body: unknown, what: string): void => {
  if (!validate(body)) throw new Error(`${what} is not as openapi.json says: ${ajv.errorsText(validate.errors)}`);
};
