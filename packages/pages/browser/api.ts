// Requests to the server that serves the page: GraphQL, and the export over REST. Each has the token; none goes elsewhere.
import { isEventStream, readEvents } from './event-stream.ts';
import type { Json } from './graph-query.ts';

/** A fault of a request, at its place in the arguments. */
export type PlacedFault = Record<'location' | 'message', string>;

/** A request that was refused, or that failed. */
export class ApiProblem extends Error {
  readonly code: string;
  readonly faults: PlacedFault[];
  /** Seconds after which it may be tried again, if the server says so. */
  readonly retryAfter: number | undefined;

  constructor(code: string, message: string, faults: PlacedFault[] = [], retryAfter?: number) {
    super(message);
    this.code = code;
    this.faults = faults;
    this.retryAfter = retryAfter;
  }
}

interface RefusedRequest {
  type?: string;
  detail?: string;
  errors?: PlacedFault[];
}

const readRetryAfter = ({ headers }: Response): number | undefined => {
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds : undefined;
};

/** An error of a request, as a problem that can be told. */
export const convertToProblem = (error: unknown): ApiProblem =>
  error instanceof ApiProblem ? error : new ApiProblem('internal', String(error));

type Variables = { [name: string]: Json | undefined };

interface Sent {
  body?: Json | Blob;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

interface Answer<Data> {
  data?: Data | null;
  errors?: { message: string; extensions?: { code?: string; errors?: PlacedFault[] } }[];
}

/** The data of an answer. Throws an ApiProblem for one with errors. */
const readData = <Data>(answer: Answer<Data>, response: Response): Data => {
  const [error] = answer.errors ?? [];
  if (!error) return answer.data!;
  const { code = 'internal', errors = [] } = error.extensions ?? {};
  throw new ApiProblem(code, error.message, errors, readRetryAfter(response));
};

/** The JSON of an answer. A proxy answers with a page of its own when the server is away, or a file is too large for it. */
const readJson = (response: Response) =>
  response.json().catch(() => {
    const isRefused = response.status >= 400 && response.status < 500;
    throw new ApiProblem(isRefused ? 'internal' : 'unreachable', `HTTP ${response.status}`);
  });

export type Api = ReturnType<typeof createApi>;

export const createApi = (token: string) => {
  const send = async (method: string, path: string, { body, headers, signal }: Sent = {}): Promise<Response> => {
    const isJson = body !== undefined && !(body instanceof Blob);
    // A header takes no other characters than those of Latin-1; the server is to refuse a token that has them.
    const authorization = `Bearer ${encodeURI(token)}`;
    return fetch(path, {
      method,
      headers: { Authorization: authorization, ...(isJson && { 'Content-Type': 'application/json' }), ...headers },
      body: isJson ? JSON.stringify(body) : body,
      signal,
    }).catch((error: unknown) => {
      throw new ApiProblem('unreachable', String(error));
    });
  };
  return {
    /** The data of a document. Throws an ApiProblem when there are errors. A mutation that is sent twice with one `key` is done once. */
    async query<Data>(query: string, variables: Variables = {}, signal?: AbortSignal, key?: string): Promise<Data> {
      const headers = { Accept: 'application/json', ...(key && { 'Idempotency-Key': key }) };
      const body = { query, variables: variables as Json };
      const response = await send('POST', '/graphql', { body, headers, signal });
      return readData<Data>(await readJson(response), response);
    },
    /** The events of a subscription; first undefined, once it is open. Throws an ApiProblem when it is refused or ended with an error. */
    async *follow<Data>(query: string, signal: AbortSignal): AsyncGenerator<Data | undefined> {
      const headers = { Accept: 'text/event-stream' };
      const response = await send('POST', '/graphql', { body: { query }, headers, signal });
      if (!isEventStream(response)) readData(await readJson(response), response);
      let isOpen = false;
      for await (const event of readEvents(response)) {
        const data = event && readData<Data>(JSON.parse(event), response);
        if (data) yield data;
        else if (!isOpen) yield undefined;
        isOpen = true;
      }
    },
    /** A request of the doors beside GraphQL. Throws an ApiProblem when it is refused. */
    async request(method: string, path: string, sent?: Sent): Promise<Response> {
      const response = await send(method, path, sent);
      if (response.ok) return response;
      const { type = '', detail = '', errors } = (await readJson(response)) as RefusedRequest;
      throw new ApiProblem(type.split(':').at(-1)!, detail, errors, readRetryAfter(response));
    },
  };
};

export const sleep = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', stop);
  });

/** Whether a request that failed may succeed when it is sent again. */
export const mayPass = (error: unknown): boolean =>
  error instanceof ApiProblem && (error.code === 'unreachable' || error.retryAfter !== undefined);

/** In milliseconds. */
const pollingPause = 1000;

/** Calls `poll` again and again, with a pause between, until it returns true. Returns a function that ends this: the clean-up of an effect. */
export const beginPolling = (poll: (signal: AbortSignal) => Promise<boolean>): (() => void) => {
  const controller = new AbortController();
  const { signal } = controller;
  const repeat = async (): Promise<void> => {
    while (!(await poll(signal))) await sleep(pollingPause, signal);
  };
  repeat().catch(() => undefined);
  return () => controller.abort();
};

export interface Work<State> {
  signal: AbortSignal;
  change(more: Partial<State>): void;
  /** The data of a document. Waits as long as the server says, and asks again; `problem` is what is waited for. */
  ask<Data>(document: string, variables: Variables): Promise<Data>;
}

/** Reads a state. Returns a function after which the reading changes nothing any more: the clean-up of an effect. */
export const beginReading = <State extends { problem?: ApiProblem | undefined }>(
  api: Api,
  set: (update: (old: State) => State) => void,
  read: (work: Work<State>) => Promise<void>,
  fail: (problem: ApiProblem) => Partial<State>,
): (() => void) => {
  const controller = new AbortController();
  const { signal } = controller;
  const change = (more: Partial<State> | Pick<State, 'problem'>): void => {
    if (!signal.aborted) set((old) => ({ ...old, ...more }));
  };
  const ask = async <Data>(document: string, variables: Variables): Promise<Data> => {
    for (;;) {
      try {
        const data = await api.query<Data>(document, variables, signal);
        change({ problem: undefined });
        return data;
      } catch (error) {
        if (!(error instanceof ApiProblem) || error.retryAfter === undefined) throw error;
        change({ problem: error });
        await sleep(error.retryAfter * 1000, signal);
      }
    }
  };
  read({ signal, change, ask }).catch((error: unknown) => change(fail(convertToProblem(error))));
  return () => controller.abort();
};
