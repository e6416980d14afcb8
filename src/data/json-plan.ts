// How the values of fields are written as JSON text by PostgreSQL.
import type { ContactJsonQuery } from './contact/json.ts';
import type { Projection, RelatedRows, RowProjection } from './json-sql.ts';
import type { ConnectionPart } from './list/page-json.ts';

/** A member of a connection of contacts, by its key. */
export type ContactConnectionPart = { key: string } & (
  | { part: 'nodes' | 'totalCount' | '__typename' }
  | { part: 'edges'; members: readonly { key: string; part: 'cursor' | 'node' | '__typename' }[] }
  | { part: 'pageInfo'; members: readonly { key: string; part: string }[] }
);

/** The related rows of a record, and the JSON projection of each row. */
export interface RelatedJson {
  rows: RelatedRows;
  pick: 'one' | 'all';
  nullable: boolean;
  of: RowProjection;
}

export type JsonPlan =
  /** The contacts of a field, or a page of them. */
  | { contacts: ContactJsonQuery; parts?: readonly ContactConnectionPart[] }
  /** A page of a list. */
  | { page: Projection<ConnectionPart> }
  | RelatedJson;
