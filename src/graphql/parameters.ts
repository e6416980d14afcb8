// Reads the parameters of a GraphQL request from its URL or body, or finds all their faults.
import { isEmptyBody, isJsonType, readBodyText, refuseMissingBody } from '../body.ts';
import { checkJsonShape } from '../json-shape.ts';
import { limits } from '../limits.ts';
import { createInvalidProblem, type Fault, Problem } from '../problem.ts';

export interface Parameters {
  query: string;
  operationName: string | null;
  variables: Record<string, unknown>;
}

const known = ['query', 'operationName', 'variables', 'extensions'];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Throws 400 with every fault. A null parameter counts as not sent. */
const check = (sent: Record<string, unknown>, faults: Fault[]): Parameters => {
  const find = (name: string, isRight: (value: unknown) => boolean, message: string): unknown => {
    const value = sent[name] ?? null;
    if (value !== null && !isRight(value)) faults.push({ location: name, message, value });
    return value;
  };
  const isText = (value: unknown): boolean => typeof value === 'string';
  const query = find('query', isText, 'must be a string');
  if (query === null) faults.push({ location: 'query', message: 'is required' });
  const operationName = find('operationName', isText, 'must be a string');
  const variables = find('variables', isObject, 'must be an object');
  find('extensions', isObject, 'must be an object');
  for (const [name, value] of Object.entries(sent))
    if (value !== null && !known.includes(name))
      faults.push({ location: name, message: `is not a parameter; there are ${known.join(', ')}`, value });
  if (faults.length > 0) throw createInvalidProblem(faults);
  return { query, operationName, variables: variables ?? {} } as Parameters;
};

/** The value of a JSON text; undefined and a fault when it is invalid. */
const parse = (text: string, location: string, faults: Fault[]): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    return void faults.push({ location, message: `is not JSON: ${(error as Error).message}` });
  }
};

/** Parameters of the URL that are not GraphQL's are ignored. */
export const readUrlParameters = ({ searchParams }: URL): Parameters => {
  const faults: Fault[] = [];
  const sent = Object.fromEntries(known.map((name) => [name, searchParams.get(name) as unknown]));
  for (const name of ['variables', 'extensions']) {
    const text = searchParams.get(name) ?? '';
    checkJsonShape(text, name);
    sent[name] = text === '' ? null : parse(text, name, faults);
  }
  return check(sent, faults);
};

/** Throws 413 or 415 for a body that cannot be read, 400 for one with faults. */
export const readBodyParameters = async (request: Request): Promise<Parameters> => {
  await requireJson(request);
  const text = await readBodyText(request, limits.request.bodyBytes);
  if (text.trim() === '') throw refuseMissingBody();
  checkJsonShape(text, 'body', '');
  const faults: Fault[] = [];
  const body = parse(text, 'body', faults);
  if (faults.length === 0 && !isObject(body)) {
    const message = Array.isArray(body) ? 'must be one request, not a batch' : 'must be an object';
    faults.push({ location: 'body', message, value: body });
  }
  if (faults.length > 0) throw createInvalidProblem(faults);
  return check(body as Record<string, unknown>, faults);
};

/** Forms and bare documents are refused: another reader might take them for something else than was priced. */
const requireJson = async (request: Request): Promise<void> => {
  const type = request.headers.get('content-type');
  if (isJsonType(type) || isJsonType(type?.replace(/^application\/graphql\+json/i, 'application/json') ?? null)) return;
  if (await isEmptyBody(request)) throw refuseMissingBody();
  throw new Problem(
    'unsupported-media-type',
    `Send the body as application/json, not ${type ?? 'without a Content-Type'}`,
  );
};
