// How the values of fields are written as JSON text by PostgreSQL.

import type { Projection, RelatedRows, RowProjection } from '../noun/json-sql.ts';
import type { ConnectionPart } from '../noun/page-json.ts';
import type { ContactJsonQuery } from './json.ts';

/** A field of an edge. */
export type EdgePart = 'cursor' | 'distance' | 'node' | '__typename';

/** A member of a connection of contacts, by its key. */
export type ContactConnectionPart = { key: string } & (
  | { part: 'nodes' | 'totalCount' | '__typename' }
  | { part: 'edges'; members: readonly { key: string; part: EdgePart }[] }
  | { part: 'pageInfo'; members: readonly { key: string; part: string }[] }
);

/** A key that every request has: the id of its space, or of its user. */
export type RequestKey = 'space' | 'user';

/** The related rows of a record, or of a request, and the JSON projection of each row. */
export interface RelatedJson {
  of: RowProjection;
  /** Set where the parent is no record. */
  key?: RequestKey;
  rows: RelatedRows;
  pick: 'one' | 'all';
  nullable: boolean;
}

/** How a record of one type is written that is read by its id: `writeText` where only its ids are selected. */
export type RecordPlan = { of: RowProjection } | { contacts: ContactJsonQuery } | { writeText(id: number): string };

export type JsonPlan =
  /** The contacts of a field, or a page of them. */
  | { contacts: ContactJsonQuery; parts?: readonly ContactConnectionPart[] }
  /** A page of a list. */
  | { page: Projection<ConnectionPart> }
  /** Records of these types. */
  | { records: ReadonlyMap<string, RecordPlan> }
  | RelatedJson;
