// Refusals in OpenAPI: a response per status with the problems that it stands for, and the headers of all answers.
import { STATUS_CODES } from 'node:http';
import { keyHeader, replayedHeader } from '../../plan/idempotency.ts';
import { type ProblemCode, problems } from '../../problem.ts';
import { type Components, describeObject, type Json } from './components.ts';

/** Problems of GraphQL documents, and of paths without a route. */
const elsewhere: readonly ProblemCode[] = [
  'syntax-error',
  'invalid-document',
  'query-too-expensive',
  'query-too-large',
  'PERSISTED_QUERY_NOT_FOUND',
  'PERSISTED_QUERY_ONLY',
  'too-many-large-operations',
  'method-not-allowed',
  'changes-gone',
];
const codes = (Object.keys(problems) as ProblemCode[]).filter((code) => !elsewhere.includes(code));
const listCodes = (status: number): ProblemCode[] => codes.filter((code) => problems[code][0] === status);

export const tagSchema: Json = {
  type: 'string',
  description: 'The version of the record, in quotes.',
  examples: ['"3"'],
};

const headers: Record<string, Json> = {
  'X-Request-Id': {
    description: 'The id of the request in the log: that which the client sent, or a new one.',
    required: true,
    schema: { type: 'string' },
  },
  'X-Ratelimit-Limit': {
    description: 'The shape of the bucket of the space.',
    schema: { type: 'string', pattern: '^burst:[0-9.]+;rate:[0-9.]+$', examples: ['burst:100;rate:10.0'] },
  },
  'X-Ratelimit-Remaining': { description: 'Points in the bucket now.', schema: { type: 'integer' } },
  'X-Ratelimit-Cost': { description: 'Points that this request took.', schema: { type: 'number', minimum: 0 } },
  'X-Ratelimit-Reset': { description: 'Seconds until the bucket is full.', schema: { type: 'number', minimum: 0 } },
  'Retry-After': {
    description: 'Seconds after which to try again.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  'Content-Disposition': {
    description: 'The name of a file for the export.',
    required: true,
    schema: { type: 'string' },
  },
  'Accept-Encoding': { description: 'How a body may be compressed.', schema: { type: 'string' } },
  'Accept-Patch': { description: 'The media types of a body.', schema: { type: 'string' } },
  'Accept-Post': { description: 'The media types of a body.', schema: { type: 'string' } },
  'WWW-Authenticate': { description: 'The scheme of the token.', required: true, schema: { type: 'string' } },
  ETag: { description: 'The version of the record.', required: true, schema: tagSchema },
  [replayedHeader]: {
    description: `Sent when the answer is the one that an earlier request with this ${keyHeader} was given.`,
    schema: { const: 'true' },
  },
};

const rateHeaders = Object.keys(headers).filter((name) => name.startsWith('X-Ratelimit-'));

/** Headers of an answer: those of every one, those of the bucket if a token was sent, and its own. */
export const listHeaders = (own: readonly string[] = [], isRated = true): Json => {
  const names = ['X-Request-Id', ...(isRated ? rateHeaders : []), ...own];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
};

export const tagHeader = 'ETag';

const nameResponse = (status: number): string => STATUS_CODES[status]!.replace(/\W/g, '');

export const referToResponse = (status: number): Json => ({ $ref: `#/components/responses/${nameResponse(status)}` });

const exampleOf = (code: ProblemCode): Json => {
  const [status, title] = problems[code];
  const errors = [{ location: 'body.data.contact.gender', message: 'must be one of M, F, O', value: 'X' }];
  return {
    type: `urn:muster:problem:${code}`,
    title,
    status,
    detail: `${title}.`,
    instance: 'urn:uuid:4ba6aa5a-6f3c-4d8b-9d5c-0c4e2b5e1f11',
    ...(code === 'invalid-request' && { detail: `${errors[0]!.location} ${errors[0]!.message}`, errors }),
  };
};

const ownHeaders: Partial<Record<number, string[]>> = {
  401: ['WWW-Authenticate'],
  415: ['Accept-Encoding', 'Accept-Patch', 'Accept-Post'],
  429: ['Retry-After'],
};

/**
 * Headers of some answers with a status. A conflict passes by itself only when another request with the same key is under way. A change that may have been
 * made is repeated only under its key. A scope that is too small is named, a role is not.
 */
const optionalHeaders: Partial<Record<number, readonly string[]>> = {
  403: ['WWW-Authenticate'],
  409: ['Retry-After'],
  503: ['Retry-After'],
};
const listOptionalHeaders = (status: number): Json =>
  Object.fromEntries((optionalHeaders[status] ?? []).map((name) => [name, { ...headers[name], required: false }]));

const describeRefusal = (status: number, problem: Json): Json => ({
  description: listCodes(status)
    .map((code) => `${problems[code][1]} (\`${code}\`): ${problems[code][2]}`)
    .join('\n\n'),
  headers: { ...listHeaders(ownHeaders[status]), ...listOptionalHeaders(status) },
  content: {
    'application/problem+json': {
      schema: problem,
      examples: Object.fromEntries(
        listCodes(status).map((code) => [code, { summary: problems[code][1], value: exampleOf(code) }]),
      ),
    },
  },
});

const describeProblem = (components: Components): Json => {
  const fault = components.name(['Fault'], {
    ...describeObject(
      {
        location: { type: 'string', description: 'The place, such as `body.data.team.name` or `path.id`.' },
        message: { type: 'string', description: 'What is wrong.' },
        value: { description: 'What was sent there, unless it is long.' },
      },
      ['location', 'message'],
    ),
    description: 'One fault of a request.',
  });
  return components.name(['Problem'], {
    ...describeObject(
      {
        type: {
          type: 'string',
          enum: [...codes, 'method-not-allowed'].map((code) => `urn:muster:problem:${code}`),
          description: 'What kind of problem it is.',
        },
        title: { type: 'string', description: 'The same in words.' },
        status: { type: 'integer', format: 'int64', description: 'The status of the answer.' },
        detail: { type: 'string', description: 'What happened here.' },
        instance: {
          type: 'string',
          pattern: '^urn:uuid:',
          description: 'The id of this occurrence, which the log has.',
        },
        outcome: {
          type: 'string',
          enum: ['unknown'],
          description: 'That what was asked for may have been done: repeat it only under its `Idempotency-Key`.',
        },
        errors: { type: 'array', items: fault, description: 'All faults, 100 at most.' },
      },
      ['type', 'title', 'status', 'detail', 'instance'],
    ),
    description: 'Why a request was refused (RFC 9457).',
  });
};

export const describeResponses = (components: Components): { headers: Json; responses: Json } => {
  const problem = describeProblem(components);
  const statuses = [...new Set(codes.map((code) => problems[code][0]))].sort((one, other) => one - other);
  return {
    headers,
    responses: Object.fromEntries(statuses.map((status) => [nameResponse(status), describeRefusal(status, problem)])),
  };
};
