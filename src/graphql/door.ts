// The GraphQL door: a request is measured, priced, let in and executed; plain JSON POSTs past Yoga's HTTP layer, all else through it.
import { GraphQLError } from 'graphql';
import { processRegularResult } from 'graphql-yoga';
import { isJsonType, readText, toSend } from '../body.ts';
import type { Context } from '../context.ts';
import type { Exchange } from '../exchange.ts';
import { type Entry, type Gate, rateHeaders } from '../gate/gate.ts';
import { type Answer, keyFaults, keyHeader, once } from '../idempotency.ts';
import { checkJsonShape } from '../json-shape.ts';
import { limits } from '../limits.ts';
import { invalid, Problem } from '../problem.ts';
import { Documents, type MeasuredDocument, priceDocument } from './documents.ts';
import { createEngine, type Engine, type EngineContext, endpoint, finishResult } from './engine.ts';
import { LargeOperations } from './large-operations.ts';

interface DoorOptions {
  gate: Gate;
  capacity: number;
  contextOf(exchange: Exchange, request: Request): Context;
}

/** `Accept` headers whose answer is certain without weighing media types. Anything else is Yoga's to decide. */
const plainAccepts = new Map<string | null, string>([
  [null, 'application/json'],
  ['*/*', 'application/json'],
  ['application/json', 'application/json'],
  ['application/json, text/plain, */*', 'application/json'],
  ['application/graphql-response+json', 'application/graphql-response+json'],
  ['application/graphql-response+json,application/json;q=0.9', 'application/graphql-response+json'],
]);

/** A request that was let in: what it asks, and how many records that may yield. */
interface Admitted {
  body: string | undefined;
  params: Record<string, unknown> | undefined;
  variables: unknown;
  document: MeasuredDocument;
  nodes: number;
  entry: Entry;
}

export const createGraphqlDoor = ({ gate, capacity, contextOf }: DoorOptions) => {
  const engine = createEngine();
  const documents = new Documents(capacity);
  const large = new LargeOperations();

  /** Reads what is asked and lets it in. A token is paid before anything is read for strangers, and before a document is parsed. */
  const admit = async (request: Request, url: URL, exchange: Exchange): Promise<Admitted> => {
    const { credentials } = exchange;
    let paid = 0;
    const pay = async (cost: number): Promise<void> => {
      if (cost <= paid) return;
      exchange.entered(await gate.admit(credentials, cost, paid));
      paid = cost;
    };
    if (gate.spaceOf(credentials) === undefined) await pay(1);
    try {
      const body = request.method === 'POST' ? await readText(request, limits.request.bodyBytes) : undefined;
      const params = body === undefined ? paramsOfUrl(url) : paramsOfBody(body);
      const variables = params?.variables ?? {};
      const query = typeof params?.query === 'string' ? params.query : '';
      const name = typeof params?.operationName === 'string' ? params.operationName : null;
      let document = documents.find(query, name);
      if (!document) {
        await pay(1);
        document = await documents.measure(query, name, pay);
      }
      const { cost, nodes } = priceDocument(document, isObject(variables) ? variables : {}, capacity);
      await pay(cost);
      if (body !== undefined) requireJson(request);
      return { body, params, variables, document, nodes, entry: exchange.entry! };
    } catch (refusal) {
      // What is refused costs a token too.
      await pay(1);
      throw refusal;
    }
  };

  const answer = async (request: Request, url: URL, admitted: Admitted, context: EngineContext): Promise<Response> => {
    const { body, params, variables, document } = admitted;
    const { plain, isMutation } = document;
    const accepted = plainAccepts.get(request.headers.get('accept'));
    const key = isMutation && body !== undefined ? request.headers.get(keyHeader) : null;
    if (plain && accepted && body !== undefined && key === null && isObject(variables) && isPlain(params!)) {
      const result = await plain(context, variables);
      if (result) return answered(await finishResult(result, context), accepted);
    }
    const run = async (within: EngineContext): Promise<Response> =>
      (accepted && params && body !== undefined
        ? answered(await execute(engine, params, request, within), accepted)
        : await engine.fetch(
            body === undefined ? canonicalGet(request, url) : canonicalPost(request, body),
            within,
          )) as Response;
    return key === null ? run(context) : runOnce(context, key, params, run);
  };

  return async (request: Request, url: URL, exchange: Exchange): Promise<Response> => {
    const admitted = await admit(request, url, exchange);
    const { entry, document, nodes } = admitted;
    exchange.writes = document.isMutation;
    const pace = large.paceOf(nodes, entry.caller.groupId, () => request.signal);
    const context: EngineContext = {
      ...contextOf(exchange, request),
      ...(pace && { pace }),
      instance: exchange.instance,
      onInternalError: (error) => exchange.failed(error),
    };
    try {
      const response = await answer(request, url, admitted, context);
      for (const [name, value] of Object.entries(rateHeaders(entry.bucket))) response.headers.set(name, value);
      return response;
    } finally {
      pace?.end();
    }
  };
};

/** What Yoga makes an answer with. */
const means = {
  Response: function answer(text: string, init: ResponseInit) {
    return new Response(toSend(text), init);
  },
};

const answered = (result: unknown, accepted: string): Response =>
  processRegularResult(result as never, means as never, accepted);

/** Runs mutations under a key. They share a transaction, which is kept when one of them at least was done. */
const runOnce = async (
  context: EngineContext,
  key: string,
  params: Record<string, unknown> | undefined,
  run: (context: EngineContext) => Promise<Response>,
): Promise<Response> => {
  const faults = keyFaults(key);
  if (faults.length > 0) throw invalid(faults);
  const asked = ['graphql', params?.query, params?.operationName ?? null, params?.variables ?? {}];
  // Not within the transaction, which would hold a connection while it waits.
  await context.pace?.begin();
  const { body, ...init } = await once(context, key, asked, async (within) => {
    const shared = { done: 0 };
    const answer = await answerOf(await run({ ...within, shared }));
    return { answer, keep: shared.done > 0 };
  });
  return new Response(body, init);
};

/** A response as it is kept; its length is told anew each time. */
const answerOf = async (response: Response): Promise<Answer> => ({
  status: response.status,
  headers: Object.fromEntries([...response.headers].filter(([name]) => name !== 'content-length')),
  body: await response.text(),
});

/** Executes parameters as Yoga's handler does, where an error of the parameters themselves is a result too. */
const execute = async (engine: Engine, params: Record<string, unknown>, request: Request, context: EngineContext) => {
  try {
    return (await engine.getResultForParams({ params, request }, context as never)) as never;
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [error] } as never;
    throw error;
  }
};

const parameters = ['query', 'operationName', 'variables', 'extensions'];

const paramsOfUrl = ({ searchParams }: URL): Record<string, unknown> => {
  for (const name of ['variables', 'extensions']) checkJsonShape(searchParams.get(name) ?? '', name);
  return Object.fromEntries(parameters.map((name) => [name, searchParams.get(name)]));
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether there is nothing beside a query that the engine would have a word on. */
const isPlain = ({ extensions, operationName, ...others }: Record<string, unknown>): boolean =>
  (extensions ?? null) === null &&
  (typeof operationName === 'string' || (operationName ?? null) === null) &&
  Object.keys(others).every((name) => parameters.includes(name));

/** Undefined where the engine is to say what is wrong with the body. Throws 400 for what is too deep or too long to be looked at. */
const paramsOfBody = (text: string): Record<string, unknown> | undefined => {
  checkJsonShape(text, 'body', '');
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isObject(body) ? { ...body } : undefined;
};

/** A form or a bare document would be read by other rules than those that priced it. */
const requireJson = (request: Request): void => {
  const type = request.headers.get('content-type');
  if (isJsonType(type) || isJsonType(type?.replace(/^application\/graphql\+json/i, 'application/json') ?? null)) return;
  throw new Problem(
    'unsupported-media-type',
    `Send the body as application/json, not ${type ?? 'without a Content-Type'}`,
  );
};

/** The request as the engine is to read it: what was priced, and nothing that two readers could take for two things. */
const canonicalGet = (request: Request, url: URL): Request => {
  const read = Object.entries(paramsOfUrl(url)).filter(([, value]) => value !== null) as [string, string][];
  return new Request(`${url.origin}${endpoint}?${new URLSearchParams(read)}`, {
    method: request.method,
    headers: request.headers,
  });
};

const canonicalPost = (request: Request, body: string): Request => {
  const headers = new Headers(request.headers);
  headers.set('Content-Type', 'application/json');
  headers.delete('Content-Length');
  return new Request(request.url, { method: 'POST', headers, body });
};
