// Reads an answer: the result of a document, or a refusal in the form of either door.
import { type Fault, type ResponseError, UnexpectedAnswerError } from '../errors.ts';
import { type RateLimitState, readRateLimit, readRetryAfter } from './rate-limit.ts';

/** An answer of the server. */
export interface Answer {
  data: unknown;
  errors: readonly ResponseError[];
  /** The status of HTTP. */
  status: number;
  /** Whether it is the stored answer to an earlier request with the same key. */
  isReplayed: boolean;
  requestId: string | undefined;
  rateLimit: RateLimitState | undefined;
  /** In seconds. */
  retryAfter: number | undefined;
}

type Json = Record<string, unknown>;
const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const createError = (
  message: unknown,
  status: number,
  { code, status: own, instance, outcome, errors, path }: Json,
): ResponseError => ({
  message: String(message),
  code: typeof code === 'string' ? code : 'internal',
  status: typeof own === 'number' ? own : status,
  faults: Array.isArray(errors) ? (errors as Fault[]) : [],
  ...(typeof instance === 'string' && { instance }),
  ...(outcome === 'unknown' && { outcome }),
  ...(Array.isArray(path) && { path }),
});

/** The errors of a body. A refusal of REST has its code in `type`: `urn:muster:problem:<code>`. */
const readErrors = (body: Json, status: number): ResponseError[] => {
  if (Array.isArray(body.errors) && body.type === undefined)
    return body.errors.map(({ message, path, extensions }: Json) =>
      createError(message, status, { ...(isRecord(extensions) && extensions), path }),
    );
  if (typeof body.type !== 'string') return [];
  return [createError(body.detail ?? body.title, status, { ...body, code: body.type.split(':').at(-1) })];
};

/** Parses the text of an answer. Throws an UnexpectedAnswerError for one that is not Muster's, such as the page of a proxy. */
export const parseAnswer = (text: string, status = 200, headers: Headers = new Headers()): Answer => {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new UnexpectedAnswerError(status, text);
  }
  if (!isRecord(body)) throw new UnexpectedAnswerError(status, text);
  const errors = readErrors(body, status);
  if (errors.length === 0 && (status >= 300 || !('data' in body))) throw new UnexpectedAnswerError(status, text);
  return {
    data: body.data,
    errors,
    status,
    isReplayed: headers.get('Idempotency-Replayed') === 'true',
    requestId: headers.get('X-Request-Id') ?? undefined,
    rateLimit: readRateLimit(headers),
    retryAfter: readRetryAfter(headers),
  };
};

/** Reads a response, as `parseAnswer` does its text. */
export const readAnswer = async (response: Response): Promise<Answer> =>
  parseAnswer(await response.text(), response.status, response.headers);
