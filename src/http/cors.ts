// Cross-origin requests: the origins whose pages may read our answers, the headers that say so, and the answers to preflights.

const any = '*';

/** Request headers that the doors read, and that browsers send only when a preflight allows them. */
export const readHeaders = [
  'Authorization',
  'Content-Type',
  'Accept',
  'Accept-Language',
  'If-Match',
  'If-None-Match',
  'Idempotency-Key',
  'Last-Event-ID',
  'X-Request-Id',
  'X-Muster-Space',
] as const;

/** Request headers that libraries of clients and of tracing add. They are ignored here, but a preflight without them would stop the page. */
const ignoredHeaders = [
  'Apollo-Require-Preflight',
  'Apollographql-Client-Name',
  'Apollographql-Client-Version',
  'Baggage',
  'Sentry-Trace',
  'Traceparent',
  'Tracestate',
  'X-Requested-With',
] as const;

/** Answer headers that pages could not read otherwise. */
export const exposedHeaders = [
  'Accept-Encoding',
  'Accept-Patch',
  'Accept-Post',
  'Allow',
  'Content-Disposition',
  'ETag',
  'Idempotency-Replayed',
  'Retry-After',
  'WWW-Authenticate',
  'X-Ratelimit-Cost',
  'X-Ratelimit-Limit',
  'X-Ratelimit-Remaining',
  'X-Ratelimit-Reset',
  'X-Request-Id',
] as const;

/** In seconds: how long a browser may remember a preflight. Chromium remembers none for longer. */
const maxAge = 7200;

/** The fault of an entry of CORS_ORIGINS, if any. Browsers send one spelling of an origin, and an entry in another one would match nothing. */
const findOriginFault = (entry: string): string | undefined => {
  if (entry === any) return 'allows every origin and must stand alone';
  if (entry.includes(any)) return 'has a wildcard; name each origin, or write * alone';
  const [, scheme, host] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#\\@\s]+)$/i.exec(entry) ?? [];
  if (scheme && host) {
    // Only for the schemes of the web does a URL have an origin; pages in apps have their own, such as capacitor://localhost.
    const isWeb = /^https?$/i.test(scheme);
    if (isWeb && !URL.canParse(entry)) return 'has no valid host or port';
    const spelling = isWeb ? new URL(entry).origin : entry.toLowerCase();
    return spelling === entry ? undefined : `must be written as browsers send it: ${spelling}`;
  }
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(entry)) return 'has no scheme; write an origin such as https://app.example.org';
  if (/^[^/]+\/\/[^/?#\\@\s]+\/$/.test(entry)) return `must not end with a slash; write ${entry.slice(0, -1)}`;
  return 'is no origin; write scheme and host alone, with the port if it is not the usual one, such as https://app.example.org';
};

/** Throws an Error that names the first entry that is no origin. */
export const checkOrigins = (entries: readonly string[]): void => {
  if (entries.length === 1 && entries[0] === any) return;
  for (const entry of entries) {
    const fault = findOriginFault(entry);
    if (fault) throw new Error(`${entry} ${fault}`);
  }
};

/**
 * Creates the headers for these origins. `Access-Control-Allow-Credentials` is never sent: callers are known by bearer tokens, which
 * a page must have itself, and never by cookies, which a browser would add for any page. So no page can act for a user who did not give it a token.
 */
export const createCors = (origins: readonly string[]) => {
  const allowsAny = origins.includes(any);
  const allowed = new Set(origins);
  const findAllowed = ({ headers }: Request): string | undefined => {
    if (allowsAny) return any;
    const origin = headers.get('origin');
    return origin !== null && allowed.has(origin) ? origin : undefined;
  };
  return {
    /** The answer to a preflight of an allowed origin. Undefined for any other request, which is then handled like one without an origin. */
    answerPreflight(request: Request, listMethods: () => readonly string[]): Response | undefined {
      const { method, headers } = request;
      if (method !== 'OPTIONS' || !headers.has('origin') || !headers.has('access-control-request-method')) return;
      if (findAllowed(request) === undefined) return;
      return new Response(null, {
        status: 204,
        headers: {
          'Access-Control-Allow-Methods': listMethods().join(', '),
          'Access-Control-Allow-Headers': [...readHeaders, ...ignoredHeaders].join(', '),
          'Access-Control-Max-Age': String(maxAge),
        },
      });
    },
    /** Lets the page read an answer, if its origin is allowed. */
    addHeaders(request: Request, answer: Response): void {
      // Caches must not give the answer for one origin to another, nor one without an origin to any.
      if (!allowsAny && allowed.size > 0) answer.headers.append('Vary', 'Origin');
      const origin = findAllowed(request);
      if (origin === undefined) return;
      answer.headers.set('Access-Control-Allow-Origin', origin);
      answer.headers.set('Access-Control-Expose-Headers', exposedHeaders.join(', '));
    },
  };
};
