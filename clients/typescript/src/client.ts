// The client: requests with typed documents, all pages of a list, and events as they happen.
import { type AnyDocument, type PrintDocument, readDocument, type VariablesAndOptions } from './document.ts';
import { createProblemError, NetworkError, UnexpectedAnswerError } from './errors.ts';
import { type Connection, iteratePages, type PageOptions } from './pages.ts';
import { followStream, type SubscribeOptions } from './subscription.ts';
import { type Answer, parseAnswer, readAnswer } from './transport/answer.ts';
import { type RateLimitState, readRateLimit } from './transport/rate-limit.ts';
import {
  createRetryingFetch,
  type Fetch,
  isEventStream,
  type RetryingFetchOptions,
} from './transport/retrying-fetch.ts';

export interface ClientOptions {
  /** The address of the graph: `https://muster.example.org/graphql`. */
  url: string | URL;
  /** An access token, or what reads one before each request. */
  token: string | (() => string | Promise<string>);
  /** The id of the space that requests are for, if the token must be of that one: a token of another space is refused. */
  space?: number;
  /** The `fetch` to use; the global one. */
  fetch?: Fetch;
  /** When to try again; false: never. */
  retry?: Omit<RetryingFetchOptions, 'fetch'> | false;
  /** Ends all requests of the client when it is aborted. */
  signal?: AbortSignal;
  /** Prints parsed documents, for those who have them: `print` of graphql. */
  print?: PrintDocument;
}

export interface RequestOptions {
  signal?: AbortSignal;
  /**
   * The key under which the server does a write once, for 24 hours. By default each call has a new one, which its retries share. Give one that is
   * stored with the work when a write must happen once even if the program starts again. `false` sends none: answers with secrets need that.
   */
  idempotencyKey?: string | false;
}

/** A result, perhaps a partial one. */
export interface Result<Data> extends Omit<Answer, 'data'> {
  data: Data | undefined;
}

export interface MusterClient {
  /** Runs a document and returns its data. Throws a ProblemError if there is any error, a NetworkError without an answer. */
  request<Data, Variables>(
    document: AnyDocument<Data, Variables>,
    ...rest: VariablesAndOptions<Variables, RequestOptions>
  ): Promise<Data>;
  /** Runs a document and returns its data beside its errors: each mutation of a document stands alone. Throws a NetworkError without an answer. */
  execute<Data, Variables>(
    document: AnyDocument<Data, Variables>,
    ...rest: VariablesAndOptions<Variables, RequestOptions>
  ): Promise<Result<Data>>;
  /**
   * Reads all records of a list, page by page: the next page is requested when the loop wants its first record. The document takes `first` and
   * `after`, and selects `nodes` or `edges { node }`, and `pageInfo { hasNextPage endCursor }`; `pick` finds the list in the data.
   */
  iterate<Data, Variables extends { after?: string | null | undefined }, Node>(
    document: AnyDocument<Data, Variables>,
    variables: NoInfer<Variables>,
    pick: (data: Data) => Connection<Node> | null | undefined,
    options?: PageOptions & RequestOptions,
  ): AsyncGenerator<Node, void, undefined>;
  /**
   * Follows a subscription by server-sent events. With `resume`, a connection that breaks is opened again and goes on where it ended. Throws a
   * ProblemError when the server refuses it. Stop it by its signal, or by leaving the loop.
   */
  subscribe<Data, Variables>(
    document: AnyDocument<Data, Variables>,
    ...rest: VariablesAndOptions<Variables, SubscribeOptions<Data, Variables>>
  ): AsyncGenerator<Data, void, undefined>;
  /** The state of the bucket after the last answer. */
  readonly rateLimit: RateLimitState | undefined;
}

/** The media types of a result. */
const json = 'application/graphql-response+json, application/json;q=0.9';

/** Creates a client. It keeps no connection and no cache, so that it needs no end. */
export const createClient = (options: ClientOptions): MusterClient => {
  const { url, token, space, retry, signal: whole, print } = options;
  const below: Fetch = options.fetch ?? ((input, init) => fetch(input, init));
  const send = retry === false ? below : createRetryingFetch({ ...retry, fetch: below });
  let rateLimit: RateLimitState | undefined;

  const createHeaders = async (accept: string, key: RequestOptions['idempotencyKey']): Promise<Headers> => {
    const headers = new Headers({ Accept: accept, 'Content-Type': 'application/json' });
    // A header takes no other characters than those of Latin-1; the server is to refuse a token that has them.
    headers.set('Authorization', `Bearer ${encodeURI(typeof token === 'string' ? token : await token())}`);
    if (space !== undefined) headers.set('X-Muster-Space', String(space));
    if (key) headers.set('Idempotency-Key', key);
    // An empty key tells `send` to make none; a plain `fetch` would send it.
    else if (key === false && retry !== false) headers.set('Idempotency-Key', '');
    return headers;
  };

  const joinSignals = (signal: AbortSignal | undefined): AbortSignal | undefined =>
    whole && signal ? AbortSignal.any([whole, signal]) : (whole ?? signal);

  const post = async (
    document: { toString(): string },
    variables: object | undefined,
    { signal, idempotencyKey }: RequestOptions,
    accept: string,
  ): Promise<Response> => {
    const joined = joinSignals(signal) ?? null;
    const body = JSON.stringify({ query: readDocument(document, print), variables });
    const headers = await createHeaders(accept, idempotencyKey);
    joined?.throwIfAborted();
    try {
      return await send(url, { method: 'POST', headers, body, signal: joined });
    } catch (error) {
      joined?.throwIfAborted();
      throw new NetworkError(`There is no answer from ${url}`, { cause: error });
    }
  };

  /** Reads an answer whose connection may break before its end: without retries, nothing has read it yet. */
  const readBody = async (response: Response, signal: AbortSignal | undefined): Promise<Answer> => {
    try {
      return await readAnswer(response);
    } catch (error) {
      if (error instanceof UnexpectedAnswerError) throw error;
      signal?.throwIfAborted();
      throw new NetworkError(`The answer from ${url} broke off`, { cause: error });
    }
  };

  const execute = async <Data>(
    document: { toString(): string },
    variables?: object,
    given: RequestOptions = {},
  ): Promise<Result<Data>> => {
    const response = await post(document, variables, given, json);
    const answer = await readBody(response, joinSignals(given.signal));
    rateLimit = answer.rateLimit ?? rateLimit;
    return answer as Result<Data>;
  };

  const throwErrors = ({ errors, ...facts }: Answer): void => {
    const [first, ...more] = errors;
    if (first) throw createProblemError({ ...facts, errors: [first, ...more] });
  };

  const request = async <Data>(
    document: { toString(): string },
    variables?: object,
    given?: RequestOptions,
  ): Promise<Data> => {
    const answer = await execute<Data>(document, variables, given);
    throwErrors(answer as Answer);
    return answer.data as Data;
  };

  const subscribe = <Data>(
    document: { toString(): string },
    variables: object = {},
    given: SubscribeOptions<Data, object> = {},
  ): AsyncGenerator<Data, void, undefined> => {
    const open = async (current: object): Promise<Response> => {
      const response = await post(document, current, { ...given, idempotencyKey: false }, `text/event-stream, ${json}`);
      rateLimit = readRateLimit(response.headers) ?? rateLimit;
      if (isEventStream(response)) return response;
      throwErrors(await readBody(response, joinSignals(given.signal)));
      throw new UnexpectedAnswerError(response.status, 'a result instead of a stream: is the document a subscription?');
    };
    const read = (text: string): Data => {
      const answer = parseAnswer(text);
      throwErrors(answer);
      return answer.data as Data;
    };
    return followStream({ open, read }, variables, { ...given, signal: joinSignals(given.signal) });
  };

  return {
    request: request as MusterClient['request'],
    execute: execute as MusterClient['execute'],
    iterate: (document, variables, pick, given = {}) =>
      iteratePages(
        (page) => request(document, { ...variables, ...page }, given),
        pick as (data: unknown) => ReturnType<typeof pick>,
        { after: variables.after ?? null, first: (variables as { first?: number | null }).first ?? null, ...given },
      ),
    subscribe: subscribe as MusterClient['subscribe'],
    get rateLimit() {
      return rateLimit;
    },
  };
};
