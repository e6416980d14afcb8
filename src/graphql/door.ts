// The GraphQL door: a request is measured, priced, let in and executed; what is valid past the engine, all else by it.
import type { ExecutionResult } from 'graphql';
import type { Context } from '../context.ts';
import { type Entry, formatRateHeaders, type Gate } from '../gate/gate.ts';
import { findKeyFaults, type KeptAnswer, keyHeader, runOncePerKey } from '../idempotency.ts';
import { createInvalidProblem, Problem } from '../problem.ts';
import type { RequestLog } from '../request-log.ts';
import { Documents, type MeasuredDocument, priceDocument } from './documents.ts';
import { createGraphqlEngine, type EngineContext, finishGraphqlResult, runGraphqlEngine } from './engine.ts';
import { LargeOperations } from './large-operations.ts';
import { createGraphqlResponse, formatContentType, type MediaType, requireMediaType } from './media-type.ts';
import { type Parameters, readBodyParameters, readUrlParameters } from './parameters.ts';

interface DoorOptions {
  gate: Gate;
  capacity: number;
  contextOf(exchange: RequestLog, request: Request): Context;
}

/** A request that was let in: what it asks, how it is to be answered, and how many records that may yield. */
interface Admitted {
  params: Parameters;
  type: MediaType;
  document: MeasuredDocument;
  nodes: number;
  entry: Entry;
}

export const createGraphqlDoor = ({ gate, capacity, contextOf }: DoorOptions) => {
  const engine = createGraphqlEngine();
  const documents = new Documents(capacity);
  const large = new LargeOperations();

  /** Reads what is asked and lets it in. A token is paid before anything is read for strangers, and before a document is parsed. */
  const admit = async (request: Request, url: URL, exchange: RequestLog): Promise<Admitted> => {
    const { credentials } = exchange;
    let paid = 0;
    const pay = async (cost: number): Promise<void> => {
      if (cost <= paid) return;
      exchange.entered(await gate.admit(credentials, cost, paid));
      paid = cost;
    };
    if (gate.spaceOf(credentials) === undefined) await pay(1);
    try {
      const { method } = request;
      const type = requireMediaType(request.headers.get('accept'));
      if (method !== 'GET' && method !== 'POST') throw wrongMethod(method, 'GET, POST');
      const params = method === 'POST' ? await readBodyParameters(request) : readUrlParameters(url);
      const { query, operationName, variables } = params;
      let document = documents.find(query, operationName);
      if (!document) {
        await pay(1);
        document = await documents.measure(query, operationName, pay);
      }
      const { cost, nodes } = priceDocument(document, variables, capacity);
      await pay(cost);
      if (method === 'GET' && document.isMutation) throw wrongMethod('GET', 'POST');
      const cleared = document.clear?.(variables) ?? variables;
      return { params: { ...params, variables: cleared }, type, document, nodes, entry: exchange.entry! };
    } catch (refusal) {
      // What is refused costs a token too.
      await pay(1);
      throw refusal;
    }
  };

  const execute = async (
    { params, document }: Admitted,
    request: Request,
    context: EngineContext,
  ): Promise<ExecutionResult> => {
    const result = await document.plain?.(context, params.variables);
    return result ? finishGraphqlResult(result, context) : runGraphqlEngine(engine, params, request, context);
  };

  const answer = async (request: Request, admitted: Admitted, context: EngineContext): Promise<Response> => {
    const { params, type, document } = admitted;
    const key = document.isMutation ? request.headers.get(keyHeader) : null;
    if (key === null) return createGraphqlResponse(await execute(admitted, request, context), type);
    return runOnce(context, key, params, type, async (within) =>
      createGraphqlResponse(await runGraphqlEngine(engine, params, request, within), type),
    );
  };

  return async (request: Request, url: URL, exchange: RequestLog): Promise<Response> => {
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
      const response = await answer(request, admitted, context);
      for (const [name, value] of Object.entries(formatRateHeaders(entry.bucket))) response.headers.set(name, value);
      return response;
    } finally {
      pace?.end();
    }
  };
};

const wrongMethod = (method: string, allowed: string): Problem =>
  new Problem('method-not-allowed', `This cannot be asked by ${method}; there is ${allowed}`, {
    headers: { Allow: allowed },
  });

/** Runs mutations under a key. They share a transaction, which is kept when one of them at least was done. */
const runOnce = async (
  context: EngineContext,
  key: string,
  { query, operationName, variables }: Parameters,
  type: MediaType,
  run: (context: EngineContext) => Promise<Response>,
): Promise<Response> => {
  const faults = findKeyFaults(key);
  if (faults.length > 0) throw createInvalidProblem(faults);
  const asked = ['graphql', query, operationName, variables];
  // Not within the transaction, which would hold a connection while it waits.
  await context.pace?.begin();
  const { body, ...init } = await runOncePerKey(context, key, asked, async (within) => {
    const shared = { done: 0 };
    const answer = await answerOf(await run({ ...within, shared }));
    return { answer, keep: shared.done > 0 };
  });
  const response = new Response(body, init);
  // What is answered again may have been asked for in the other media type.
  response.headers.set('Content-Type', formatContentType(type));
  return response;
};

/** A response as it is kept; its length is told anew each time. */
const answerOf = async (response: Response): Promise<KeptAnswer> => ({
  status: response.status,
  headers: Object.fromEntries([...response.headers].filter(([name]) => name !== 'content-length')),
  body: await response.text(),
});
