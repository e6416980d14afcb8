// Reads the parameters of a GraphQL request from its URL or body, or finds all their faults.
import { readJsonBody } from '../http/body.ts';
import { checkJsonShape } from '../http/json-shape.ts';
import { isRecord } from '../input/input-value.ts';
import { limits } from '../limits/limits.ts';
import { createInvalidProblem, type Fault } from '../problem.ts';

export interface Parameters {
  query: string;
  operationName: string | null;
  variables: Record<string, unknown>;
}

/** The document of a request as it was sent: its text, its hash, or both. */
export interface SentDocument {
  query: string | null;
  /** The SHA-256 of the text. Never null without a text. */
  hash: string | null;
  /** The place of the hash in the request. */
  hashPlace: string;
}

export type SentParameters = SentDocument & Omit<Parameters, 'query'>;

const known = ['query', 'operationName', 'variables', 'extensions', 'documentId'];

/** A SHA-256 as clients send it. */
export const hashForm = /^(?:sha256:)?([\da-f]{64})$/;

/** Throws 400 with every fault. A null parameter counts as not sent. */
const check = (sent: Record<string, unknown>, faults: Fault[]): SentParameters => {
  const find = (name: string, isRight: (value: unknown) => boolean, message: string): unknown => {
    const value = sent[name] ?? null;
    if (value !== null && !isRight(value)) faults.push({ location: name, message, value });
    return value;
  };
  const isText = (value: unknown): boolean => typeof value === 'string';
  const text = find('query', isText, 'must be a string');
  // An empty name is none, as clients send it that have one operation.
  const operationName = find('operationName', isText, 'must be a string') || null;
  const variables = find('variables', isRecord, 'must be an object');
  const extensions = find('extensions', isRecord, 'must be an object');
  const documentId = sent.documentId || null;
  const persistedQuery = isRecord(extensions) ? (extensions.persistedQuery ?? null) : null;
  const isNamed = documentId !== null || persistedQuery !== null;
  if (text === null && !isNamed) faults.push({ location: 'query', message: 'is required' });
  // Clients that send a hash alone leave the text out, or empty.
  const query = isNamed && typeof text === 'string' && text.trim() === '' ? null : text;
  const hash = readHash(documentId, persistedQuery, faults);
  for (const [name, value] of Object.entries(sent))
    if (value !== null && !known.includes(name))
      faults.push({ location: name, message: `is not a parameter; there are ${known.join(', ')}`, value });
  if (faults.length > 0) throw createInvalidProblem(faults);
  return { query, operationName, variables: variables ?? {}, ...hash } as SentParameters;
};

type SentHash = Pick<SentDocument, 'hash' | 'hashPlace'>;

/** The place of the hash in Apollo's protocol. */
const apolloPlace = 'extensions.persistedQuery';

/** The hash of a document: `documentId` (GraphQL over HTTP) or `extensions.persistedQuery` (Apollo). */
const readHash = (documentId: unknown, persistedQuery: unknown, faults: Fault[]): SentHash => {
  const read = (value: unknown, hashPlace: string): SentHash => {
    const hash = typeof value === 'string' ? hashForm.exec(value)?.[1] : undefined;
    const message = 'must be a SHA-256 in 64 lower-case hexadecimal digits, with or without sha256: before them';
    if (hash === undefined) faults.push({ location: hashPlace, message, value });
    return { hash: hash ?? null, hashPlace };
  };
  const ids = [
    ...(documentId === null ? [] : [read(documentId, 'documentId')]),
    ...readPersistedQuery(persistedQuery, faults).map((value) => read(value, `${apolloPlace}.sha256Hash`)),
  ];
  const [first, second] = ids;
  if (second && first?.hash !== second.hash)
    faults.push({ location: 'documentId', message: `and ${second.hashPlace} name two documents`, value: documentId });
  return first ?? { hash: null, hashPlace: 'documentId' };
};

const readPersistedQuery = (sent: unknown, faults: Fault[]): unknown[] => {
  if (sent === null) return [];
  if (!isRecord(sent)) {
    faults.push({ location: apolloPlace, message: 'must be an object', value: sent });
    return [];
  }
  const { version, sha256Hash } = sent;
  if (version !== undefined && version !== 1)
    faults.push({ location: `${apolloPlace}.version`, message: 'must be 1', value: version });
  return [sha256Hash];
};

/** Parameters of the URL that are not GraphQL's are ignored. One that is there twice is refused, since it could mean either value. */
export const readUrlParameters = ({ searchParams }: URL): SentParameters => {
  const faults = known.flatMap((location): Fault[] => {
    const values = searchParams.getAll(location);
    return values.length > 1 ? [{ location, message: 'is there twice', value: values }] : [];
  });
  const sent = Object.fromEntries(known.map((name) => [name, searchParams.get(name) as unknown]));
  for (const name of ['variables', 'extensions']) {
    const text = searchParams.get(name) ?? '';
    checkJsonShape(text, name);
    sent[name] = null;
    try {
      if (text !== '') sent[name] = JSON.parse(text);
    } catch (error) {
      faults.push({ location: name, message: `is not JSON: ${(error as Error).message}` });
    }
  }
  return check(sent, faults);
};

/** Throws 413 or 415 for a body that cannot be read, 400 for one with faults. */
export const readBodyParameters = async (request: Request): Promise<SentParameters> => {
  const body = await readJsonBody(request, limits.request.bodyBytes, { types: bodyTypes, lists: '' });
  if (isRecord(body)) return check(body, []);
  const message = Array.isArray(body) ? 'must be one request, not a batch' : 'must be an object';
  throw createInvalidProblem([{ location: 'body', message, value: body }]);
};

/** Forms and bare documents are refused: another reader might take them for something else than was priced. */
const bodyTypes = ['application/json', 'application/graphql+json'];
