// A `fetch` for any GraphQL library: requests that were refused for now, or broke, are sent again, and writes still happen once.
import { readRetryAfter } from './rate-limit.ts';
import { defaultRetry, drawDelay, type RetryOptions, wait } from './retry.ts';

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export interface RetryingFetchOptions extends RetryOptions {
  /** The `fetch` below; the global one. */
  fetch?: Fetch;
  /** Hears of each wait, for a message to the user. */
  onRetry?(event: { attempt: number; delayMs: number; status: number | undefined }): void;
}

const keyHeader = 'Idempotency-Key';

/** Whether an answer asks for another attempt. A 409 with `Retry-After` means that the attempt before, whose answer was lost, is under way. */
const isWorthRepeating = ({ status, headers }: Response, attempt: number): boolean =>
  status === 429 || status === 503 || (status === 409 && attempt > 1 && headers.has('Retry-After'));

/** A random key: 128 bits, also in pages without `crypto.randomUUID`, which need a secure origin. */
export const createIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Whether an answer is a stream of events. */
export const isEventStream = (response: Response): boolean =>
  response.headers.get('Content-Type')?.startsWith('text/event-stream') ?? false;

/** The answer with its body read, so that a connection that breaks meanwhile is a failed attempt. */
const readWhole = async (response: Response): Promise<Response> => {
  const { status, statusText, headers } = response;
  const body = await response.arrayBuffer();
  const hasNone = status === 204 || status === 205 || status === 304;
  return new Response(hasNone ? null : body, { status, statusText, headers });
};

/**
 * Creates a `fetch` that tries again after 429 and 503, not before `Retry-After`, and after faults of the network, as long as `options` allow. Each
 * POST gets an `Idempotency-Key`, unless it has one, and keeps it, so that the server answers a repeated write without a second one; it ignores
 * the key of a read. Answers to requests with a key are stored, so those with secrets need one without: an empty `Idempotency-Key` is not sent.
 * Such a request, and any method but POST, GET and HEAD, is repeated after a 429 only, which did nothing. A body that is a stream is sent once. Resolves with the last answer, and rejects
 * with the last fault of the network, or the reason of the signal.
 */
export const createRetryingFetch = (options: RetryingFetchOptions = {}): Fetch => {
  const { attempts, totalMs, attemptMs, firstDelayMs } = { ...defaultRetry, ...options };
  const send: Fetch = options.fetch ?? ((input, init) => fetch(input, init));
  return async (input, init = {}) => {
    // A Request has a body that is read once; each attempt needs it.
    const template = input instanceof Request ? input : undefined;
    const method = (init.method ?? template?.method ?? 'GET').toUpperCase();
    const given = init.signal ?? template?.signal;
    // Of each call its own, since many calls may share one signal, and Node takes its many listeners for a leak.
    const signal = given && AbortSignal.any([given]);
    const headers = new Headers(init.headers ?? template?.headers);
    if (headers.get(keyHeader) === '') headers.delete(keyHeader);
    else if (method === 'POST' && !headers.has(keyHeader)) headers.set(keyHeader, createIdempotencyKey());
    const isSafe = method === 'GET' || method === 'HEAD' || headers.has(keyHeader);
    // Another attempt would send what is left of a stream, which is read once.
    const isStream = init.body instanceof ReadableStream || Symbol.asyncIterator in Object(init.body);
    const startedAt = Date.now();

    /** One attempt. The time limit ends with the answer: a stream of events lasts as long as it is read. */
    const attemptOnce = async (): Promise<Response> => {
      signal?.throwIfAborted();
      const late = new AbortController();
      const timer = setTimeout(
        () => late.abort(new DOMException(`No answer within ${attemptMs} ms`, 'TimeoutError')),
        attemptMs,
      );
      try {
        const response = await send(template ? template.clone() : input, {
          ...init,
          headers,
          signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
        });
        return response.ok && isEventStream(response) ? response : await readWhole(response);
      } finally {
        clearTimeout(timer);
      }
    };

    for (let attempt = 1; ; attempt++) {
      let response: Response | undefined;
      let fault: unknown;
      try {
        response = await attemptOnce();
        if (!isWorthRepeating(response, attempt)) return response;
      } catch (error) {
        signal?.throwIfAborted();
        fault = error;
      }
      const retryAfter = response && readRetryAfter(response.headers);
      const delayMs = drawDelay(attempt + 1, retryAfter, firstDelayMs);
      const mayRepeat = !isStream && (isSafe || response?.status === 429);
      if (!mayRepeat || attempt >= attempts || Date.now() - startedAt + delayMs > totalMs) {
        if (response) return response;
        throw fault;
      }
      options.onRetry?.({ attempt, delayMs, status: response?.status });
      await wait(delayMs, signal);
    }
  };
};
