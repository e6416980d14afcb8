// Renders refusals: their body, their media type, and the headers that protect every answer.
import { formatRateHeaders } from '../gate/gate.ts';
import type { RequestLog } from '../gate/request-log.ts';
import { chooseMediaType, formatContentType } from '../graphql/media-type.ts';
import type { Problem } from '../problem.ts';

/** Headers of every answer that does not set them itself. */
export const protections = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Cache-Control', 'no-store'],
  ['Referrer-Policy', 'no-referrer'],
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
] as const;

export const problemType = 'application/problem+json';
/** The media type of a refused GraphQL request. A client that accepts none of ours gets JSON. */
export const chooseRefusalType = (headers: Pick<Headers, 'get'>): string =>
  formatContentType(chooseMediaType(headers.get('accept')) ?? 'application/json');

/** The body of a refusal: problem+json (spec §7) on REST paths, a result with errors and without data on GraphQL's. */
export const formatRefusal = (
  { code, status, title, message, outcome, errors }: Problem,
  { instance }: RequestLog,
  type: string,
): string => {
  const more = { ...(outcome && { outcome }), ...(errors && { errors }) };
  return JSON.stringify(
    type === problemType
      ? { type: `urn:muster:problem:${code}`, title, status, detail: message, instance, ...more }
      : { errors: [{ message, extensions: { code, status, instance, ...more } }] },
  );
};

export const renderRefusal = (problem: Problem, exchange: RequestLog, type: string): Response =>
  new Response(formatRefusal(problem, exchange, type), {
    status: problem.status,
    headers: {
      'Content-Type': type,
      ...(exchange.entry && formatRateHeaders(exchange.entry.bucket)),
      ...problem.headers,
    },
  });
