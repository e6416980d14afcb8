// A row of the route table: method and path, the stored operation it runs, where its variables come from, how the result is answered.
import type { operations } from '../operations.ts';
import type { Shape } from '../output.ts';

/** Where a variable comes from: a part of the path, of the query, or of the body (`data.team`; '' is the whole body; of several the first that is an object). */
export type Source = { path: string } | { query: string } | { body: string | string[] } | IfMatch;
/** The version that the record must still be of; any without the header. */
export type IfMatch = { header: 'If-Match' };

/** `data`: {status, data: the result}; `inner`: {status, data: its one field}; `list`: {status, data: items, total}; `bare`: its one field. */
export type Envelope = 'data' | 'inner' | 'list' | 'bare';

export interface Route {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** `{name}` is one segment, `{name#}` one of digits only. */
  path: string;
  /** Other paths that mean the same. */
  aliases?: string[];
  operation: keyof typeof operations;
  variables: Record<string, Source>;
  /** An object of the body that must be there, though nothing in it need be. */
  within?: string;
  /** What the body may say that it is of, as its `kind`. */
  kind?: string;
  status?: 200 | 201 | 202;
  envelope: Envelope;
  /** The result is a page of many, which are sent one after the other: the reply is an export. */
  exports?: true;
  /** Tokens, where the route costs more than its operation. */
  cost?: number;
  /** The field of the result whose version, selected as `etag`, is the ETag of the reply and no part of its body. */
  etag?: string;
  /** A value of the path that its type does not have is a missing record, not a fault. */
  unknownIsMissing?: boolean;
  /** Input that real clients send elsewhere than the contract's place. */
  tolerate?: (body: unknown) => unknown;
  shape?: Shape;
  /** The last word on the result, where the reply is not the data of the graph; and on its JSON Schema. */
  finish?: { data: (data: Record<string, unknown>) => unknown; schema: (properties: Record<string, object>) => object };
  summary: string;
}

/** A page of a settings list, or of users. */
export const slice = { limit: { query: 'limit' }, offset: { query: 'offset' } };
/** A record by its id. */
export const id = { id: { path: 'id' } };
/** The version that a client has read. */
export const expectedVersion: Record<string, IfMatch> = { expectedVersion: { header: 'If-Match' } };
