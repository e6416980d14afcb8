// The GraphQL door: reads, measures, prices and admits requests, has the engine run them, and answers them.
import type { ExecutionResult } from 'graphql';
import type { Context } from '../context.ts';
import type { ChangeFollower } from '../data/event/follow.ts';
import { isDeadlock } from '../database/driver-error.ts';
import { type Entry, formatRateHeaders, type Gate } from '../gate/gate.ts';
import type { RequestLog } from '../gate/request-log.ts';
import { findKeyFaults, type KeptAnswer, keyHeader, runOncePerKey } from '../plan/idempotency.ts';
import { stringifyResult } from '../plan/json-text.ts';
import { convertToProblem, createInvalidProblem, createMethodProblem, Problem, problems } from '../problem.ts';
import { metrics } from '../telemetry/metrics.ts';
import { Documents, describeRefused, type MeasuredDocument, priceDocument } from './documents.ts';
import { createGraphqlEngine, maskInternalErrors, type RequestContext, serializeResult } from './engine.ts';
import { chooseEventFormat, createStreamResponse, type EventFormat, isLasting, sendAsEvents } from './event-stream.ts';
import {
  chooseMediaType,
  createGraphqlResponse,
  createMediaTypeProblem,
  formatContentType,
  type MediaType,
} from './media-type.ts';
import { LargeOperations } from './paced-schema.ts';
import { type Parameters, readBodyParameters, readUrlParameters, type SentParameters } from './parameters.ts';
import { PersistedDocuments, type TrustedDocuments } from './persisted-documents.ts';
import { Subscriptions } from './subscriptions.ts';

interface DoorOptions {
  gate: Gate;
  capacity: number;
  trusted: TrustedDocuments | undefined;
  follower: ChangeFollower;
  contextOf(exchange: RequestLog, request: Request): Context;
}

/** An admitted request: its parameters, the media type of its answer, and how many records it may yield. */
interface Admitted {
  params: Parameters;
  type: MediaType;
  /** The events that its client accepts. */
  format: EventFormat | undefined;
  /** Whether it accepts nothing else. */
  takesEventsAlone: boolean;
  document: MeasuredDocument;
  nodes: number;
  entry: Entry;
}

export const graphqlMethods = ['GET', 'POST'];

export const createGraphqlDoor = ({ gate, capacity, trusted, follower, contextOf }: DoorOptions) => {
  const run = createGraphqlEngine();
  const documents = new Documents(capacity);
  const persisted = new PersistedDocuments(trusted);
  const large = new LargeOperations();
  const subscriptions = new Subscriptions(gate, follower.signal);

  /** Reads a request and admits it. It pays a point before its body is read, if its caller is new, and before a new document is parsed. */
  const admit = async (request: Request, url: URL, exchange: RequestLog): Promise<Admitted> => {
    const { credentials } = exchange;
    let paid = 0;
    const pay = async (cost: number): Promise<void> => {
      if (cost <= paid) return;
      const before = paid;
      // The price is noted before the gate is asked, so that a refused request pays nothing more: its `Retry-After` counts on the points that are left.
      paid = cost;
      exchange.entry = await gate.admit(credentials, cost, before);
    };
    const space = gate.spaceOf(credentials);
    if (space === undefined) await pay(1);
    const accept = request.headers.get('accept');
    const format = chooseEventFormat(accept);
    const type = chooseMediaType(accept);
    const describe = ({ params, document, nodes }: Pick<Admitted, 'params' | 'document' | 'nodes'>): Admitted => ({
      params,
      document,
      nodes,
      type: type ?? 'application/json',
      format,
      takesEventsAlone: !type,
      entry: exchange.entry!,
    });
    let sent: SentParameters | undefined;
    try {
      const { method } = request;
      if (!format && !type) throw createMediaTypeProblem();
      if (!graphqlMethods.includes(method)) throw createMethodProblem(method, graphqlMethods);
      sent = method === 'POST' ? await readBodyParameters(request) : readUrlParameters(url);
      const { operationName, variables } = sent;
      const query = persisted.findText(sent, space ?? exchange.entry!.caller.groupId);
      let document = documents.find(query, operationName);
      if (!document) {
        await pay(1);
        document = await documents.measure(query, operationName, pay);
      }
      exchange.operation = document.operation;
      const { cost, nodes } = priceDocument(document, variables, capacity);
      await pay(cost);
      if (method === 'GET' && document.isMutation)
        throw new Problem('method-not-allowed', 'A mutation is asked by POST, not by GET', {
          headers: { Allow: 'POST' },
        });
      if (document.valid && document.isSubscription && !format)
        throw new Problem('not-acceptable', 'A subscription is answered as text/event-stream');
      if (document.valid && !document.isSubscription) persisted.remember(sent, exchange.entry!.caller.groupId);
      const cleared = document.clear?.(variables) ?? variables;
      return describe({ params: { query, operationName, variables: cleared }, document, nodes });
    } catch (refusal) {
      // A refused request costs a point too.
      await pay(1);
      // Clients that read events alone read the faults of a document there. A request that the gate has refused has no others.
      const isOfDocument = sent && exchange.entry && refusal instanceof Problem && refusal.status <= 400;
      if (!isOfDocument || !format || type) throw refusal;
      return describe({ params: { ...sent!, query: '' }, document: describeRefused(refusal), nodes: 0 });
    }
  };

  const answer = async (request: Request, admitted: Admitted, context: RequestContext): Promise<Response> => {
    const { params, type, document, takesEventsAlone } = admitted;
    const runIn = async (within: RequestContext): Promise<ExecutionResult> =>
      serializeResult(await run(params, request, within), within);
    const key = document.isMutation ? request.headers.get(keyHeader) : null;
    // Mutations may answer with secrets.
    const compresses = !document.isMutation && !takesEventsAlone;
    const acceptEncoding = compresses ? request.headers.get('accept-encoding') : null;
    if (key === null) return respond(await runIn(context), type, acceptEncoding);
    return runOnce(context, key, params, type, async (within) => respond(await runIn(within), type));
  };

  /** Answers a subscription by a stream, or with errors when it cannot begin. */
  const stream = async (
    request: Request,
    { params, type, format, entry, nodes }: Admitted,
    exchange: RequestLog,
    base: RequestContext,
  ): Promise<Response> => {
    const open = subscriptions.open(entry.caller, exchange.credentials);
    const lastEventId = request.headers.get('last-event-id') || null;
    const context: RequestContext = {
      ...base,
      stream: { follower, signal: open.signal, lastEventId, pay: () => open.pay(nodes) },
    };
    try {
      const { events, ...result } = await run(params, request, context);
      if (!events) {
        open.close();
        return await createGraphqlResponse(result, type, null);
      }
      return createStreamResponse({
        format: format!,
        results: events,
        write: (event) => stringifyResult(maskInternalErrors(event, context)),
        getEventId: () => context.stream!.eventId,
        explainEnd: (error) => {
          const problem = open.reason ?? (error === undefined ? undefined : convertToProblem(error));
          if (error !== undefined && problem?.status === 500) exchange.failed(error);
          return problem && { errors: [problem] };
        },
        onEnd: () => open.close(),
      });
    } catch (error) {
      open.close();
      throw error;
    }
  };

  return async (request: Request, url: URL, exchange: RequestLog): Promise<Response> => {
    const admitted = await admit(request, url, exchange);
    await exchange.slot?.beginWork();
    const { entry, document, nodes } = admitted;
    exchange.writes = document.isMutation;
    const isStream = document.valid !== undefined && document.isSubscription;
    exchange.tellsChanges = isStream || document.readsFeed;
    exchange.readsFeed = document.readsFeed;
    const pace = large.paceOf(nodes, entry.caller.groupId, () => request.signal);
    const context = contextOf(exchange, request) as RequestContext;
    context.pace = pace;
    context.exchange = exchange;
    context.measured = document;
    try {
      const answered = isStream
        ? await stream(request, admitted, exchange, context)
        : await answer(request, admitted, context);
      const isWhole = admitted.takesEventsAlone && !isLasting(answered);
      const response = isWhole ? await sendAsEvents(answered, admitted.format!) : answered;
      for (const [name, value] of Object.entries(formatRateHeaders(entry.bucket))) response.headers.set(name, value);
      return response;
    } finally {
      pace?.end();
    }
  };
};

/** The response to a result, whose errors are counted. */
const respond = (result: ExecutionResult, type: MediaType, acceptEncoding: string | null = null): Promise<Response> => {
  for (const { extensions } of result.errors ?? []) {
    const code = String(extensions.code);
    metrics.problems.inc({ door: 'graphql', code: code in problems ? code : 'internal' });
  }
  return createGraphqlResponse(result, type, acceptEncoding);
};

/** Runs mutations under a key. They share a transaction, which is committed when at least one of them was done. */
const runOnce = async (
  context: RequestContext,
  key: string,
  { query, operationName, variables }: Parameters,
  type: MediaType,
  run: (context: RequestContext) => Promise<Response>,
): Promise<Response> => {
  const faults = findKeyFaults(key);
  if (faults.length > 0) throw createInvalidProblem(faults);
  const asked = ['graphql', query, operationName, variables];
  // Outside of the transaction, which would hold a connection while it waits.
  await context.pace?.begin();
  const { body, ...init } = await runOncePerKey(context, key, asked, async (within) => {
    const shared = { done: 0, failures: [] as unknown[] };
    const answer = await answerOf(await run({ ...within, shared }));
    // The client is told to try again, and would get this answer again under its key if it were kept.
    const deadlock = shared.failures.find(isDeadlock);
    if (deadlock) throw deadlock;
    return { answer, keep: shared.done > 0 };
  });
  const response = new Response(body, init);
  // The first request may have asked for the other media type.
  response.headers.set('Content-Type', formatContentType(type));
  return response;
};

/** A response as it is stored, without its length, which is set anew. */
const answerOf = async (response: Response): Promise<KeptAnswer> => ({
  status: response.status,
  headers: Object.fromEntries([...response.headers].filter(([name]) => name !== 'content-length')),
  body: await response.text(),
});
