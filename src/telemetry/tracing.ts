// Traces by OpenTelemetry: spans of requests, statements and searches, when the operator has loaded an SDK. Without one, all of this costs a comparison.
import {
  type Attributes,
  type Context,
  context,
  createContextKey,
  type Link,
  type ProxyTracerProvider,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';

let tracer: Tracer | undefined;

/** Looks for an SDK, once: `node --import` loads it before the program. The API finds it by a global symbol, though it is bundled here. */
export const enableTracing = (): void => {
  const provider = trace.getTracerProvider();
  tracer =
    'getDelegateTracer' in provider
      ? (provider as ProxyTracerProvider).getDelegateTracer('muster')
      : provider.getTracer('muster');
};

/** Spans of other requests that wait for the same statement. */
const sharersKey = createContextKey('muster sharers');

const headerGetter = {
  keys: (headers: Headers) => [...headers.keys()],
  get: (headers: Headers, name: string) => headers.get(name) ?? undefined,
};

/**
 * Runs a request in a span of its own, which continues the trace that `traceparent` names. `work` names the span when it knows the route. Returns at
 * once what `work` returns.
 */
export const traceRequest = async <Result>(
  headers: Headers,
  method: string,
  work: (span: Span | undefined) => Promise<Result>,
): Promise<Result> => {
  if (!tracer) return work(undefined);
  const parent = propagation.extract(ROOT_CONTEXT, headers, headerGetter);
  const span = tracer.startSpan(method, { kind: SpanKind.SERVER }, parent);
  try {
    return await context.with(trace.setSpan(parent, span), work, undefined, span);
  } finally {
    span.end();
  }
};

const fail = (span: Span, error: unknown): void => {
  // Messages of the database may quote values: the code alone says what happened.
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  span.setAttribute('error.type', String(code ?? name ?? 'error'));
  span.setStatus({ code: SpanStatusCode.ERROR });
};

/** Runs work in a span within that of the request. */
const traceWork = async <Result>(
  name: string,
  { attributes, kind = SpanKind.INTERNAL }: { attributes: Attributes; kind?: SpanKind },
  work: () => Promise<Result>,
): Promise<Result> => {
  const active = context.active();
  const links = (active.getValue(sharersKey) as Link[] | undefined) ?? [];
  const span = tracer!.startSpan(name, { kind, attributes, links }, active);
  try {
    return await context.with(trace.setSpan(active, span), work);
  } catch (error) {
    fail(span, error);
    throw error;
  } finally {
    span.end();
  }
};

export const isTracing = (): boolean => tracer !== undefined;

/** The name that was given to a statement, without the mark and the digest of a generated text. */
const nameStatementSpan = (name: string | null): string =>
  name === null ? 'statement' : name.replace(/^~/, '').replace(/\.[\w-]{22}$/, '');

/** A span for a statement: its name and its pool, neither text nor values. Call it while `isTracing`. */
export const traceStatement = <Result>(
  name: string | null,
  pool: { server: string; pool: string } | undefined,
  work: () => Promise<Result>,
): Promise<Result> =>
  traceWork(
    nameStatementSpan(name),
    {
      kind: SpanKind.CLIENT,
      attributes: {
        'db.system.name': 'postgresql',
        'db.query.summary': nameStatementSpan(name),
        ...(pool && { 'muster.pool': pool.pool, 'muster.server': pool.server }),
      },
    },
    work,
  );

/** A span for a search, with the way that it takes to its page. */
export const traceSearch = <Result>(way: string, work: () => Promise<Result>): Promise<Result> =>
  tracer ? traceWork(`search ${way}`, { attributes: { 'muster.search.way': way } }, work) : work();

/** The context of the caller, to hand to work that several callers share. */
export const captureContext = (): Context | undefined => (tracer ? context.active() : undefined);

/** Runs work that several callers share: its spans are in the trace of the first one, and link to the others. */
export const runShared = <Result>(
  contexts: readonly (Context | undefined)[],
  work: () => Promise<Result>,
): Promise<Result> => {
  const [first, ...others] = contexts;
  if (!tracer || !first) return work();
  const links = others.flatMap((one): Link[] => {
    const span = one && trace.getSpanContext(one);
    return span ? [{ context: span }] : [];
  });
  return context.with(links.length > 0 ? first.setValue(sharersKey, links) : first, work);
};

/** Names the span of a request by its route, and tells its outcome. */
export const describeRequestSpan = (
  span: Span,
  request: Record<'method' | 'door' | 'route' | 'operation', string> & { status: number; problem?: string | undefined },
): void => {
  const { method, door, route, operation, status, problem } = request;
  const path = route.replace(/^[A-Z]+ /, '');
  span.updateName(door === 'graphql' ? `${method} ${path} ${operation}` : `${method} ${path}`);
  span.setAttributes({
    'http.request.method': method,
    'http.route': path,
    'http.response.status_code': status,
    'muster.door': door,
    'muster.operation': operation,
    ...(problem && { 'muster.problem': problem }),
  });
  if (status < 500) return;
  span.setAttribute('error.type', problem ?? String(status));
  span.setStatus({ code: SpanStatusCode.ERROR });
};
