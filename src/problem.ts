// The error table: every way a request can be refused, with its status and its stable title. One renderer per door reads it.
import { GraphQLError } from 'graphql';
import { limits } from './limits/limits.ts';

/** code → HTTP status, title (stable between occurrences) and when it happens. docs/errors.md is made from this table; docs/errors/ has a page for each code. */
export const problems = {
  'invalid-request': [
    400,
    'Invalid request',
    'Something in the request is missing, of the wrong kind or out of bounds; `errors` lists every fault with its place.',
  ],
  'syntax-error': [400, 'Syntax error', 'The GraphQL document cannot be parsed; `locations` has the place.'],
  'invalid-document': [
    400,
    'Invalid document',
    'The GraphQL document does not fit the schema: a field, an argument or a value in it is unknown, missing or of the wrong type. Each fault is an error of its own, and `locations` has its place.',
  ],
  'query-too-expensive': [
    400,
    'Query too expensive',
    'The price of the GraphQL document is more than the bucket of a space can ever hold.',
  ],
  'query-too-large': [
    400,
    'Query too large',
    'The GraphQL document is over a limit: length, lexical tokens, depth, fields, aliases, directives, fragments, variables or records.',
  ],
  PERSISTED_QUERY_NOT_FOUND: [
    200,
    'Persisted query not found',
    'The server knows no document with the hash that the request names; send the text with the hash. Clients of persisted queries know this code, and expect the status 200.',
  ],
  PERSISTED_QUERY_ONLY: [
    403,
    'Trusted documents only',
    'The server executes only the documents on its list (`TRUSTED_DOCUMENTS=only`), and the text is none of them.',
  ],
  unauthenticated: [401, 'Authentication required', 'The access token is missing, unknown, expired or revoked.'],
  forbidden: [
    403,
    'Not allowed',
    'The role of the caller does not permit this, or the token is not for the space that `X-Muster-Space` names.',
  ],
  'not-found': [
    404,
    'Not found',
    'There is no such path, or no such record in the space of the caller. Deleted records and those of other spaces are missing.',
  ],
  'method-not-allowed': [405, 'Method not allowed', 'The path exists; the header `Allow` lists its methods.'],
  'not-acceptable': [406, 'Not acceptable', 'The answer has none of the media types that `Accept` names.'],
  conflict: [
    409,
    'Conflict',
    'The change collides with what is already there, for instance a mail that belongs to another user, or with a request of the same `Idempotency-Key` that is under way.',
  ],
  'precondition-failed': [
    412,
    'Changed meanwhile',
    'The record is not of a version that `If-Match`, or `expectedVersion`, names, or it is of one that `If-None-Match` names: read it again, then change it.',
  ],
  'too-large': [413, 'Body too large', 'The body is larger than the server accepts.'],
  'unsupported-media-type': [
    415,
    'Unsupported media type',
    'A body must be JSON in UTF-8, sent as `application/json`, compressed with gzip or not at all.',
  ],
  unprocessable: [
    422,
    'Not processable',
    'The request is well formed, but refers to something that is not in the space of the caller, or its `Idempotency-Key` came with another request before.',
  ],
  'rate-limited': [
    429,
    'Rate limit exceeded',
    'The bucket of the space holds too few points, or the share of an app does; `Retry-After` says in how many seconds it holds enough.',
  ],
  'too-many-bad-tokens': [
    429,
    'Too many bad tokens',
    'The address of the client sent too many bad tokens; `Retry-After` says when it may try again. Tokens that are in use go on working.',
  ],
  'too-many-searches': [
    429,
    'Too many searches',
    'The space has as many searches under way, and waiting, as it may have; try again when one is done.',
  ],
  'too-many-exports': [
    429,
    'Too many exports',
    'The space has as many exports under way, and waiting, as it may have; try again when one is done.',
  ],
  'too-many-large-operations': [
    429,
    'Too many large operations',
    'Operations that may yield more than 1,000 records take turns, and too many are waiting; try again when one is done.',
  ],
  'too-many-subscriptions': [
    429,
    'Too many subscriptions',
    'The token, the space or the server has too many subscriptions under way; try again after `Retry-After` seconds.',
  ],
  'changes-gone': [
    410,
    'Changes gone',
    'The changes after this cursor are no longer kept, or the database was restored since it was given; read the records again, and go on from a new cursor.',
  ],
  'answer-erased': [
    410,
    'Answer erased',
    'The write with this `Idempotency-Key` was done. Its answer was erased with the data of a person, and cannot be repeated; the write is not done again.',
  ],
  'answer-too-large': [
    422,
    'Answer too large',
    'The answer would be larger than the server sends; ask for fewer records, or for less of each.',
  ],
  internal: [500, 'Internal error', 'Something went wrong here. The log has the details under the id in `instance`.'],
  overloaded: [
    503,
    'Overloaded',
    'More is asked of the server than it can answer in time, and nothing was done for this request; try again after `Retry-After`.',
  ],
  unavailable: [
    503,
    'Temporarily unavailable',
    'The database cannot be reached or has no room for the request, or the keys of the identity provider could not be fetched yet; try again after `Retry-After` seconds. With `outcome: "unknown"` the connection was lost while a change was being stored, which may have happened: repeat it only under the `Idempotency-Key` that it had.',
  ],
  timeout: [
    503,
    'Took too long',
    'The database gave up on the request; try again after `Retry-After` seconds, or ask for less.',
  ],
} as const satisfies Record<string, readonly [status: number, title: string, when: string]>;

export type ProblemCode = keyof typeof problems;

/** One fault of a request: where it is (`body.data.team.name`, `path.id`), what is wrong, and the value found there. */
export interface Fault {
  location: string;
  message: string;
  value?: unknown;
}

interface ProblemOptions {
  /** `unknown` when what was asked for may have been done. */
  outcome?: 'unknown' | undefined;
  errors?: Fault[];
  headers?: Record<string, string>;
  cause?: unknown;
}

/** A refusal. Any code below the doors may throw it; each door renders it in its own manner. */
export class Problem extends GraphQLError {
  readonly code: ProblemCode;
  readonly status: number;
  readonly title: string;
  readonly errors: Fault[] | undefined;
  readonly outcome: 'unknown' | undefined;
  readonly headers: Record<string, string>;

  constructor(code: ProblemCode, detail: string, { errors, outcome, headers = {}, cause }: ProblemOptions = {}) {
    const [status, title] = problems[code];
    super(detail, {
      extensions: { code, status, ...(outcome && { outcome }), ...(errors && { errors }) },
      originalError: cause instanceof Error ? cause : null,
    });
    this.code = code;
    this.status = status;
    this.title = title;
    this.errors = errors;
    this.outcome = outcome;
    this.headers = headers;
  }
}

/** The bounds of the faults of an answer, so that none is larger than its request. */
const { faults: maxFaults, faultCharacters } = limits.request;
/** The search for faults of one value ends after this many. */
export const faultsSought = 300;

const shorten = (text: string): string => (text.length > faultCharacters ? `${text.slice(0, faultCharacters)}…` : text);

/** A fault of bounded length. */
export const shortenFault = ({ value, ...fault }: Fault): Fault => ({
  ...fault,
  location: shorten(fault.location),
  message: shorten(fault.message),
  ...((JSON.stringify(value)?.length ?? Number.POSITIVE_INFINITY) <= faultCharacters && { value }),
});

/** A 400 with the faults of the request: all of them, unless there are very many. */
export const createInvalidProblem = (errors: Fault[]): Problem => {
  const shown = errors.slice(0, maxFaults).map(shortenFault);
  return new Problem(
    'invalid-request',
    errors.length === 1
      ? `${shown[0]!.location} ${shown[0]!.message}`
      : `${errors.length < faultsSought ? '' : 'at least '}${errors.length} faults, ${errors.length > maxFaults ? `the first ${maxFaults} ` : ''}listed in errors`,
    { errors: shown },
  );
};

/** A 404 for a record that is missing, deleted or another space's. Callers must not be able to tell which. */
export const createNotFoundProblem = (noun: string, id: number): Problem =>
  new Problem('not-found', `There is no ${noun} ${id}`);

/** The value of `Allow` for these methods: HEAD is GET without a body. */
export const formatAllow = (methods: readonly string[]): string =>
  methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');

/** A 405 for a method that a path does not answer. */
export const createMethodProblem = (method: string, methods: readonly string[]): Problem =>
  new Problem('method-not-allowed', `This path answers ${methods.join(', ')}, not ${method}`, {
    headers: { Allow: formatAllow(methods) },
  });

/** A 412 for a record that is of another version than the client expects; null for one without versions, undefined for one that is not there. */
export const createVersionProblem = (noun: string, version?: number | null): Problem => {
  const state =
    version === undefined ? 'is not there' : version === null ? 'has no version' : `is of version ${version} now`;
  return new Problem('precondition-failed', `The ${noun} ${state}`);
};

/** The fault of a field that was sent under two names with two new values. */
export const createTwinFault = ([place, other]: readonly [string, string], value: unknown): Fault => ({
  location: place,
  message: `and ${other} mean one value, but differ from each other and from what is stored: send one of them`,
  value,
});

/** A 422 for an answer of more than this many bytes. */
export const createAnswerTooLargeProblem = (maxBytes: number): Problem =>
  new Problem(
    'answer-too-large',
    `The answer would be larger than ${maxBytes} bytes; ask for fewer records, or for less of each`,
  );

/** A 503 for a change that may have been made, or not. A client that sent a key may repeat it safely, and is told when (`isRepeatable`). */
export const createUnknownOutcomeProblem = (cause: unknown, isRepeatable = false): Problem =>
  new Problem('unavailable', 'The connection to the database was lost: whether the change was made is unknown', {
    cause,
    outcome: 'unknown',
    headers: isRepeatable ? { 'Retry-After': '1' } : {},
  });

/** The Problem that an error is, or the masked 500 that stands for it. */
export const convertToProblem = (error: unknown): Problem => {
  if (error instanceof Problem) return error;
  if (error instanceof GraphQLError && error.originalError) return convertToProblem(error.originalError);
  return new Problem('internal', 'Something went wrong on our side', { cause: error });
};
