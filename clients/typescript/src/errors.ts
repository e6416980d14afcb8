// Errors of requests: a class for each way to go on after one.
import { problemStatuses } from './generated/problems.ts';
import type { RateLimitState } from './transport/rate-limit.ts';

export type ProblemCode = keyof typeof problemStatuses;

/** What is wrong with one value of a request, and where: `input.tags[1].name`. */
export interface Fault {
  location: string;
  message: string;
  value?: unknown;
}

/** One error of an answer. `code` may be one that this version of the client does not know. */
export interface ResponseError {
  message: string;
  code: ProblemCode | (string & {});
  status: number;
  /** `unknown` when a change may have been made, although there is no answer to it. */
  outcome?: 'unknown';
  /** The field that failed, and where it is in the result. */
  path?: readonly (string | number)[];
  /** Every fault of the request, each with its place. */
  faults: readonly Fault[];
  /** The id under which the server's log has the details. */
  instance?: string;
}

export interface AnswerFacts {
  /** The status of HTTP. */
  status: number;
  /** Also parts of a result, if there are any: each mutation stands alone. */
  data?: unknown;
  errors: readonly [ResponseError, ...ResponseError[]];
  requestId?: string | undefined;
  rateLimit?: RateLimitState | undefined;
  /** In seconds: when the server says to try again. */
  retryAfter?: number | undefined;
}

/** Every error of this client, but for an abort, which is the reason of the signal. */
export class MusterError extends Error {
  override readonly name: string = 'MusterError';
}

/** There was no answer: no connection, a broken one, or none in time. `cause` has the reason. A write may have happened. */
export class NetworkError extends MusterError {
  override readonly name: string = 'NetworkError';
}

/** The answer is none of Muster: that of a proxy, a login page. */
export class UnexpectedAnswerError extends MusterError {
  override readonly name: string = 'UnexpectedAnswerError';
  readonly status: number;
  /** The beginning of the body. */
  readonly text: string;

  constructor(status: number, text: string) {
    super(`The answer with status ${status} is no answer of Muster: ${JSON.stringify(text.slice(0, 100))}`);
    this.status = status;
    this.text = text.slice(0, 1000);
  }
}

/** The server refused the request, or a part of it. The code, the status and the faults are those of the first error. */
export class ProblemError extends MusterError {
  override readonly name: string = 'ProblemError';
  readonly code: ResponseError['code'];
  readonly status: number;
  readonly faults: readonly Fault[];
  readonly path: ResponseError['path'];
  /** All errors of the answer. */
  readonly errors: readonly ResponseError[];
  /** The parts of the result that there are. */
  readonly data: unknown;
  readonly requestId: string | undefined;
  readonly instance: string | undefined;
  readonly rateLimit: RateLimitState | undefined;

  constructor({ errors, data, requestId, rateLimit }: AnswerFacts) {
    const [first] = errors;
    super(first.message);
    this.code = first.code;
    this.status = first.status;
    this.faults = first.faults;
    this.path = first.path;
    this.instance = first.instance;
    this.errors = errors;
    this.data = data;
    this.requestId = requestId;
    this.rateLimit = rateLimit;
  }
}

/** 400: the request is wrong. `faults` says where. */
export class InvalidRequestError extends ProblemError {
  override readonly name: string = 'InvalidRequestError';
}

/** 401: the token is missing, unknown, expired or revoked. */
export class AuthenticationError extends ProblemError {
  override readonly name: string = 'AuthenticationError';
}

/** 403: the role or the scope of the token does not permit it. */
export class ForbiddenError extends ProblemError {
  override readonly name: string = 'ForbiddenError';
}

/** 404: there is no such record in the space. */
export class NotFoundError extends ProblemError {
  override readonly name: string = 'NotFoundError';
}

/** 409: the change collides with what is there. */
export class ConflictError extends ProblemError {
  override readonly name: string = 'ConflictError';
}

/** 412: the record has another version than `expectedVersion`. Read it again, and let the user choose. */
export class VersionConflictError extends ProblemError {
  override readonly name: string = 'VersionConflictError';
}

/**
 * 503 of a change that may have been made: the server lost its answer. It is repeated only under the key that it had; without one, read what is stored
 * before you send it again.
 */
export class OutcomeUnknownError extends ProblemError {
  override readonly name: string = 'OutcomeUnknownError';
}

/** 429 or 503, after the last attempt: it did nothing. */
export class TryLaterError extends ProblemError {
  override readonly name: string = 'TryLaterError';
  /** In seconds. */
  readonly retryAfter: number | undefined;

  constructor(facts: AnswerFacts) {
    super(facts);
    this.retryAfter = facts.retryAfter;
  }
}

const classes: Partial<Record<number, typeof ProblemError>> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  412: VersionConflictError,
  422: InvalidRequestError,
  429: TryLaterError,
  503: TryLaterError,
};

/** The error of an answer, of the class that its first error has. */
export const createProblemError = (facts: AnswerFacts): ProblemError => {
  if (facts.errors.some(({ outcome }) => outcome === 'unknown')) return new OutcomeUnknownError(facts);
  const Class = classes[facts.errors[0].status] ?? ProblemError;
  return new Class(facts);
};

/** Whether a text is the code of a problem that this version knows. */
export const isProblemCode = (code: string): code is ProblemCode => Object.hasOwn(problemStatuses, code);
