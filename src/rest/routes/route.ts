// A row of the route table: method and path, the stored operation it runs, where its variables come from, how the result is answered.
import type { operations } from './operations.ts';
import type { Shape } from './output.ts';

/** The source of a variable: a part of the path, of the query string, or of the body (`data.team`; '' is the whole body; the first of several that is an object). */
export type VariableSource = { path: string } | { query: string } | { body: string | string[] };

/** The result of a mutation is its payload. `data`: {status, data: the result}; `inner`: {status, data: its one field}; `list`: {status, data: items, total}; `bare`: its one field. */
export type Envelope = 'data' | 'inner' | 'list' | 'bare';

/** A request that succeeds on the demo data. */
interface Example {
  path?: Record<string, string | number>;
  query?: Record<string, string | number | boolean>;
  body?: unknown;
}

export interface Route {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** `{name}` is one segment, `{name#}` one of digits only. */
  path: string;
  /** Other paths that mean the same. */
  aliases?: string[];
  operation: keyof typeof operations;
  /** `input.id` is a field of the variable `input`, from a source of its own. */
  variables: Record<string, VariableSource>;
  /** An object that the body must have, though it may be empty. */
  within?: string;
  /** The only value that the body's `kind` may have. */
  kind?: string;
  status?: 200 | 201 | 202;
  envelope: Envelope;
  /** The reply is an export: all pages of the result are sent, one after the other. */
  exports?: true;
  /** The price in points, where the route costs more than its operation. */
  cost?: number;
  /** The field of the result whose version, selected as `etag`, is the ETag of the reply and no part of its body. */
  etag?: string;
  /** A path value outside of its type means a missing record, not a fault. */
  unknownIsMissing?: boolean;
  /** Other places in which real clients send input. */
  tolerate?: (body: unknown) => unknown;
  shape?: Shape;
  /** Changes the result, and its JSON Schema, where the reply is not the data of the graph. */
  finish?: { data: (data: Record<string, unknown>) => unknown; schema: (properties: Record<string, object>) => object };
  summary: string;
  /** For OpenAPI; a route without parameters and body needs none. */
  example?: Example;
}

export const defineRestRoute = (
  method: Route['method'],
  path: string,
  operation: Route['operation'],
  summary: string,
  options: Omit<Route, 'method' | 'path' | 'operation' | 'summary'>,
): Route => ({ method, path, operation, summary, ...options });

/** A page of a settings list, or of users. */
export const slice = { limit: { query: 'limit' }, offset: { query: 'offset' } };
/** A record by its id. */
export const id = { id: { path: 'id' } };
/** The record that a mutation writes. */
export const inputId = { 'input.id': { path: 'id' } };
