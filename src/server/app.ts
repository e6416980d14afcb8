// The application as one function from Request to Response: health, the two doors, one renderer of refusals per door, one log line.
import type { Span } from '@opentelemetry/api';
import type { Logger } from 'pino';
import { legacySchema } from '../../schema/index.ts';
import { type Config, defaultInvitationDays } from '../config/config.ts';
import type { Context } from '../context.ts';
import { ChangeFollower } from '../data/event/follow.ts';
import type { Database } from '../database/database.ts';
import { Admission, type Slot } from '../gate/admission.ts';
import { Credentials } from '../gate/credentials.ts';
import { createGate } from '../gate/gate.ts';
import { createSignIn } from '../gate/openid.ts';
import { RequestLog } from '../gate/request-log.ts';
import { TokenUses } from '../gate/token-uses.ts';
import { createGraphqlDoor } from '../graphql/door.ts';
import type { TrustedDocuments } from '../graphql/persisted-documents.ts';
import { createCors } from '../http/cors.ts';
import { countArrivedRequest } from '../limits/pace.ts';
import { keyHeader } from '../plan/idempotency.ts';
import { convertToProblem, createMethodProblem, formatAllow, type ProblemCode } from '../problem.ts';
import { createRestDoor } from '../rest/door.ts';
import { createImportsDoor } from '../rest/imports.ts';
import { createJoinDoor } from '../rest/join.ts';
import { getCurrentMicros } from '../search/datetime.ts';
import { metrics, secondsSince } from '../telemetry/metrics.ts';
import { describeRequestSpan, enableTracing, traceRequest } from '../telemetry/tracing.ts';
import { createPathTable } from './path-table.ts';
import { chooseRefusalType, problemType, protections, renderRefusal } from './refusal.ts';
import { createSdlDoor } from './serve-guide.ts';

interface AppOptions {
  database: Database;
  config: Pick<Config, 'BUCKET_CAPACITY' | 'BUCKET_REFILL' | 'GRAPHIQL'> & Partial<Config>;
  /** The documents that clients may name by their hash, or the only ones that they may send. */
  trusted?: TrustedDocuments | undefined;
  log: Logger;
  /** Whether the server takes new requests; `/health/ready` tells balancers. */
  accepting?: () => boolean;
}

export interface Client {
  address(): string;
  /** Whether it closed the connection. */
  hasLeft(): boolean;
}

export interface AdmittedRequest {
  credentials: Credentials;
  /** It may be freed more than once. */
  slot: Slot;
  startedAt: number;
}

const isHealth = (path: string): boolean => path === '/health/live' || path === '/health/ready';
const allMethods = ['GET', 'POST', 'PATCH', 'DELETE'];
/** The path by which the listener hands over `OPTIONS *`, of which no URL can be made. */
export const wholeServer = '/*';

export const createApp = ({ database, config, log, trusted, accepting = () => true }: AppOptions) => {
  const shape = { capacity: config.BUCKET_CAPACITY, refill: config.BUCKET_REFILL };
  const invitations = { days: config.INVITATION_DAYS ?? defaultInvitationDays, url: config.INVITATION_URL };
  const webhooks = { allowsPrivate: config.WEBHOOK_PRIVATE_ADDRESSES ?? false };
  const uses = new TokenUses(database);
  const admission = new Admission({ onRefused: (refused) => log.warn({ refused }, 'overloaded') });
  const gate = createGate(database, shape, {
    isCrowded: (space) => admission.isWaiting(space),
    signIn: createSignIn(database, config, log),
    uses,
  });
  enableTracing();
  let underWay = 0;
  const follower = new ChangeFollower(database);
  const contextOf = ({ entry, writes, tellsChanges, requestId }: RequestLog, request: Request): Context => {
    const { caller, bucket, wroteAt } = entry!;
    // No replica is that far.
    const newest = tellsChanges ? Number.MAX_SAFE_INTEGER : wroteAt;
    return {
      caller,
      bucket,
      invitations,
      webhooks,
      requestId,
      now: getCurrentMicros(),
      space: database.space(caller.groupId, { signal: () => request.signal, readsAfter: writes ? undefined : newest }),
      // Fields that are set in copies: a copy takes microseconds for each that it has and the original has not.
      pace: undefined,
      stream: undefined,
      shared: undefined,
      jsonPlans: undefined,
    };
  };
  const graphql = createGraphqlDoor({ gate, capacity: shape.capacity, trusted, follower, contextOf });
  const rest = createRestDoor({ schema: legacySchema, gate, contextOf });
  const paths = createPathTable({
    graphql,
    join: createJoinDoor(database),
    imports: createImportsDoor({ gate, contextOf }),
    sdl: config.TRUSTED_DOCUMENTS === 'only' ? undefined : createSdlDoor(gate),
    offers: {
      graphiql: config.GRAPHIQL,
      docs: config.DOCS ?? true,
      explore: config.EXPLORE ?? false,
    },
  });
  const cors = createCors(config.CORS_ORIGINS ?? []);

  /** Says what the whole server (`OPTIONS *`), or a path that needs no token, can be asked for. The doors refuse the method. */
  const answerOptions = (path: string): Response | undefined => {
    const row = paths.findRow(path);
    const methods =
      path === wholeServer ? allMethods : isHealth(path) ? ['GET'] : row?.isDoor ? undefined : row?.methods;
    if (!methods) return undefined;
    return new Response(null, { status: 204, headers: { Allow: formatAllow([...methods, 'OPTIONS']) } });
  };

  const acquireSlot = (credentials: Credentials, hasLeft?: () => boolean) =>
    admission.acquireSlot(gate.spaceOf(credentials) ?? 'unknown', hasLeft);

  const answer = async (request: Request, url: URL, exchange: RequestLog, client?: Client): Promise<Response> => {
    const path = readPath(url);
    if (isHealth(path)) {
      exchange.route = path;
      if (request.method !== 'GET') throw createMethodProblem(request.method, ['GET']);
      const well = path === '/health/live' || (accepting() && (await gate.isReady()));
      if (well) return Response.json({ status: 'ok' });
      return Response.json({ status: 'unavailable' }, { status: 503, headers: { 'Retry-After': '1' } });
    }
    const row = paths.findRow(path);
    // A method that the path does not have is no name of ours: strangers could make a series of metrics of each.
    const isKnown = row?.methods.includes(request.method);
    if (row) exchange.route = isKnown ? `${request.method} ${row.route}` : row.route;
    if (row && !isKnown && !row.isDoor) throw createMethodProblem(request.method, row.methods);
    // Health is answered under any load.
    const slot = exchange.slot ?? (await acquireSlot(exchange.credentials, client?.hasLeft));
    exchange.slot = slot;
    try {
      return await (row?.serve(request, url, exchange, path) ?? rest(request, url, exchange));
    } finally {
      slot.free();
    }
  };

  /**
   * Runs before a write is answered, even a failed one, since a part of it may have been done. A client that follows the change feed
   * reads the records next, and would keep an older state of them, since the feed does not tell of them again.
   */
  const settle = async ({ writes, readsFeed, entry }: RequestLog, { headers }: Request): Promise<void> => {
    if (writes && entry) await database.markWritten(entry.caller.tokenId, headers.has(keyHeader));
    else if (readsFeed && entry) await database.markSeen(entry.caller.tokenId);
  };

  const respond = async (
    request: Request,
    exchange: RequestLog,
    { span, client }: { span: Span | undefined; client: Client | undefined },
  ): Promise<Response> => {
    const url = readUrl(request);
    const path = readPath(url);
    const preflight = cors.answerPreflight(request, () => paths.listMethodsOf(path) ?? allMethods);
    const known = preflight ?? (request.method === 'OPTIONS' ? answerOptions(path) : undefined);
    if (known) exchange.route = preflight ? 'preflight' : 'options';
    const isHead = request.method === 'HEAD';
    const asked = isHead ? new Request(url, { headers: request.headers, signal: request.signal }) : request;
    const answered = known
      ? Promise.resolve(known)
      : countArrivedRequest(() => answer(asked, url, exchange, client)).finally(() => settle(exchange, request));
    let refusal: ProblemCode | undefined;
    const whole = await answered.catch((error) => {
      const problem = convertToProblem(error);
      refusal = problem.code;
      if (problem.status >= 500) exchange.failed(error);
      return renderRefusal(
        problem,
        exchange,
        exchange.door === 'graphql' ? chooseRefusalType(request.headers) : problemType,
      );
    });
    if (isHead) void whole.body?.cancel();
    const response = isHead ? new Response(null, whole) : whole;
    for (const [name, value] of protections) if (!response.headers.has(name)) response.headers.set(name, value);
    response.headers.set('X-Request-Id', exchange.requestId);
    cors.addHeaders(request, response);
    const { status } = response;
    measureRequest(exchange, status, refusal);
    if (span) {
      const { door, route, operation } = exchange;
      describeRequestSpan(span, { method: request.method, door, route, operation, status, problem: refusal });
    }
    // The log only counts these: a line for each would take longer than the refusal.
    if (refusal !== 'overloaded') report(log, request, response, exchange);
    return response;
  };

  return {
    /** Writes when tokens were last used. Call it now and then, and at the end. */
    writeTokenUses: (): Promise<void> => uses.write(),
    /** Completes all event streams, and refuses further ones. */
    endStreams: (): void => follower.close(),
    /** While requests wait, takes a slot for one before anything is built for it. Throws 503 when there is none in time. Otherwise `fetch` takes it. */
    admit(
      headers: Pick<Headers, 'get'>,
      { address, hasLeft }: Client,
    ): AdmittedRequest | Promise<AdmittedRequest> | undefined {
      if (!admission.isCrowded) return undefined;
      const startedAt = performance.now();
      const credentials = new Credentials(headers, address);
      const slot = acquireSlot(credentials, hasLeft);
      const describe = (taken: Slot): AdmittedRequest => ({ credentials, slot: freeOnce(taken), startedAt });
      return slot instanceof Promise ? slot.then(describe) : describe(slot);
    },
    /** Answers a request. Without a client, bad tokens are not counted, and a queued request is answered even if nobody waits for it. */
    async fetch(request: Request, client?: Client, admitted?: AdmittedRequest): Promise<Response> {
      const exchange = new RequestLog(
        admitted?.credentials ?? new Credentials(request.headers, client?.address),
        request.headers.get('X-Request-Id'),
        admitted?.startedAt,
      );
      exchange.slot = admitted?.slot;
      underWay++;
      try {
        return await traceRequest(request.headers, request.method, (span) => {
          exchange.trace = span?.spanContext().traceId;
          return respond(request, exchange, { span, client });
        });
      } finally {
        underWay--;
      }
    },
    /** Sets the gauges of what is under way. */
    report(): void {
      metrics.requestsUnderWay.set(underWay);
      admission.report();
    },
  };
};

export type App = ReturnType<typeof createApp>;

const freeOnce = ({ beginWork, free }: Slot): Slot => {
  let isFree = false;
  return {
    beginWork,
    free() {
      if (isFree) return;
      isFree = true;
      free();
    },
  };
};

/** Counts a request, by names of ours alone. */
export const measureRequest = (
  { door, operationName, startedAt }: RequestLog,
  status: number,
  refusal: ProblemCode | undefined,
): void => {
  const labels = { door, operation: operationName, status: `${Math.floor(status / 100)}xx` };
  metrics.requests.observe(labels, secondsSince(startedAt));
  if (refusal) metrics.problems.inc({ door, code: refusal });
};

/** The URL of a request. Characters that the path encodes without need are decoded: both are one path (RFC 3986 §6.2.2.2). */
const readUrl = (request: Request): URL => {
  const url = new URL(request.url);
  if (url.pathname.includes('%'))
    url.pathname = url.pathname.replace(/%(?:2[de]|3\d|[46][1-9a-f]|5[0-9af]|7[0-9ae])/gi, decodeURIComponent);
  return url;
};

const readPath = ({ pathname }: URL): string => pathname.replace(/(?<=.)\/$/, '');

/** Logs one line per request, without personal data: no path, no query, no body, no token. */
const report = (log: Logger, request: Request, response: Response, exchange: RequestLog): void => {
  const { id, requestId, route, startedAt, entry, errors, trace } = exchange;
  const ms = Math.round((performance.now() - startedAt) * 100) / 100;
  const line = {
    id,
    ...(requestId !== id && { requestId }),
    ...(trace && { trace }),
    method: request.method,
    route,
    status: response.status,
    ms,
    space: entry?.caller.groupId,
    token: entry?.caller.tokenId,
  };
  if (errors.size > 0) log.error({ ...line, errors: Array.from(errors, describeCause) }, 'request failed');
  else log.info(line, 'request');
};

/** The cause of an error, for the log. Messages of the database may quote values, so only its code and place are kept. */
export const describeCause = (error: unknown): unknown => {
  const cause =
    error instanceof Error && 'originalError' in error && error.originalError instanceof Error
      ? error.originalError
      : error;
  if (!(cause instanceof Error)) return { name: typeof cause };
  const { code, table, constraint, routine } = cause as Error & Record<string, unknown>;
  const fromDatabase = typeof code === 'string';
  return { name: cause.name, code, table, constraint, routine, ...(!fromDatabase && { stack: cause.stack }) };
};
