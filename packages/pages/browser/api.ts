// Requests to the server that serves the page: GraphQL, and the export over REST. Each has the token; none goes elsewhere.
import type { Language } from '../language.ts';
import type { Json } from './graph-query.ts';

/** A fault of a request, at its place in the arguments. */
export interface PlacedFault {
  location: string;
  message: string;
}

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

interface GraphqlError {
  message: string;
  extensions?: { code?: string; errors?: PlacedFault[] };
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

/** Whether an error is that of a request which the page itself gave up. */
export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';

/** An error of a request, as a problem that can be told. */
export const convertToProblem = (error: unknown): ApiProblem =>
  error instanceof ApiProblem ? error : new ApiProblem('internal', String(error));

export interface Api {
  /** The data of a document. Throws an ApiProblem when there are errors. A mutation that is sent twice with one `key` is done once. */
  query<Data>(
    document: string,
    variables?: { [name: string]: Json | undefined },
    signal?: AbortSignal,
    key?: string,
  ): Promise<Data>;
  /** The events of a subscription; first undefined, once it is open. Throws an ApiProblem when it is refused or ended with an error. */
  follow<Data>(document: string, signal: AbortSignal): AsyncGenerator<Data | undefined>;
  /** A request of the doors beside GraphQL. Throws an ApiProblem when it is refused. */
  request(
    method: string,
    path: string,
    sent?: { body?: Json | Blob; headers?: Record<string, string> },
  ): Promise<Response>;
  /** All contacts of a tree, as a CSV file: for programs, or some columns for Excel. */
  exportCsv(tree: Json, forExcel?: { excel: Language; columns: string[] }): Promise<Blob>;
}

interface Answer<Data> {
  data?: Data | null;
  errors?: GraphqlError[];
}

/** The data of an answer. Throws an ApiProblem for one with errors. */
const readData = <Data>(answer: Answer<Data>, response: Response): Data => {
  const [error] = answer.errors ?? [];
  if (!error) return answer.data!;
  const { code = 'internal', errors = [] } = error.extensions ?? {};
  throw new ApiProblem(code, error.message, errors, readRetryAfter(response));
};

export const createApi = (token: string): Api => {
  const send = async (
    path: string,
    body: Json,
    {
      accept = 'application/json',
      signal,
      key,
    }: { accept?: string; signal?: AbortSignal | undefined; key?: string | undefined },
  ): Promise<Response> => {
    try {
      const headers = {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        Accept: accept,
        ...(key && { 'Idempotency-Key': key }),
      };
      return await fetch(path, { method: 'POST', headers, body: JSON.stringify(body), ...(signal && { signal }) });
    } catch (error) {
      if (isAbort(error)) throw error;
      throw new ApiProblem('unreachable', String(error));
    }
  };
  const request: Api['request'] = async (method, path, { body, headers } = {}) => {
    const isJson = body !== undefined && !(body instanceof Blob);
    const response = await fetch(path, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(isJson && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
    }).catch((error: unknown) => {
      throw new ApiProblem('unreachable', String(error));
    });
    if (response.ok) return response;
    const { type = '', detail = '', errors } = (await response.json()) as RefusedRequest;
    throw new ApiProblem(type.split(':').at(-1)!, detail, errors, readRetryAfter(response));
  };
  return {
    async query<Data>(
      query: string,
      variables: { [name: string]: Json | undefined } = {},
      signal?: AbortSignal,
      key?: string,
    ): Promise<Data> {
      const response = await send('/graphql', { query, variables: variables as Json }, { signal, key });
      return readData<Data>(await response.json(), response);
    },
    async *follow<Data>(query: string, signal: AbortSignal) {
      const response = await send('/graphql', { query }, { accept: 'text/event-stream', signal });
      // A request that is refused before it is read is answered as usual.
      const isStream = response.headers.get('Content-Type')?.startsWith('text/event-stream');
      if (!isStream) readData(await response.json(), response);
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      try {
        let text = '';
        let isOpen = false;
        for (;;) {
          const { done, value } = await reader.read();
          if (done) return;
          text += value;
          const blocks = text.split('\n\n');
          text = blocks.pop()!;
          for (const block of blocks) {
            const [, event] = /^data: (.+)$/m.exec(block) ?? [];
            const data = event && readData<Data>(JSON.parse(event), response);
            if (data) yield data;
            else if (!isOpen) yield undefined;
            isOpen = true;
          }
        }
      } finally {
        await reader.cancel().catch(() => undefined);
      }
    },
    request,
    async exportCsv(tree, forExcel) {
      const body = { data: { advanced_search: { query: tree, ...forExcel } } };
      return (await request('POST', '/export', { body, headers: { Accept: 'text/csv' } })).blob();
    },
  };
};

export const sleep = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });

interface PatientQuery {
  document: string;
  variables: { [name: string]: Json | undefined };
  signal: AbortSignal;
  /** Is told what is waited for, and undefined once there is an answer. */
  tell(problem: ApiProblem | undefined): void;
}

/** The data of a document. Waits as long as the server says, and asks again. */
export const queryPatiently = async <Data>(
  api: Api,
  { document, variables, signal, tell }: PatientQuery,
): Promise<Data> => {
  for (;;) {
    try {
      const data = await api.query<Data>(document, variables, signal);
      tell(undefined);
      return data;
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.retryAfter === undefined) throw error;
      tell(error);
      await sleep(error.retryAfter * 1000, signal);
    }
  }
};
