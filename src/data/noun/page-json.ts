// Pages of lists as JSON text that PostgreSQL writes: the records with their cursors, where the page is in its list, and how many there are.
import { queryBuilder } from '../../database/statement.ts';
import { countRecords } from './describe.ts';
import {
  type Bindings,
  buildObjectSql,
  buildRowSql,
  type Projection,
  type RowProjection,
  unquoted,
  type WrittenSql,
} from './json-sql.ts';
import { buildPageQuery, type PageRequest, type PageScope } from './page.ts';

export type EdgePart = 'cursor' | { node: RowProjection } | { constant: string };
export type PageInfoPart = 'hasNextPage' | 'hasPreviousPage' | 'startCursor' | 'endCursor' | { constant: string };
export type ConnectionPart =
  | { nodes: RowProjection }
  | { edges: Projection<EdgePart> }
  | { pageInfo: Projection<PageInfoPart> }
  | 'totalCount'
  | { constant: string };

/** A page that a client requests. `readJson` reads its JSON. `prepareJson` builds SQL of that JSON for a parent row under an alias; a root list lacks it. */
export interface PageSource {
  readJson(parts: Projection<ConnectionPart>): Promise<string>;
  prepareJson?(parts: Projection<ConnectionPart>): (alias: string, bindings: Bindings) => string;
}

/** A page, and the fields of its connection that the client selects. */
export interface PageJson extends PageScope {
  request: PageRequest;
  /** The list and its order, as the cursors name them. */
  cursorList: string;
  parts: Projection<ConnectionPart>;
}

const write = (sql: string, nullable = false): WrittenSql => ({ around: unquoted, sql, nullable });
const writeFlag = (sql: string): WrittenSql => write(`case when ${sql} then 'true' else 'false' end`);

/** The cursor of the record `alias`, as `encodeCursor` makes it: base64url without line ends, of which base64 has one after 76 characters. */
const buildCursorSql = (alias: string, cursorList: string, bindings: Bindings): string => {
  const place = `${bindings.text(`["${cursorList}",`)} || coalesce(cast(to_json(${alias}.position_key) as text), 'null') || ',' || ${alias}.id || ']'`;
  return `'"' || translate(encode(convert_to(${place}, 'UTF8'), 'base64'), '+/=' || chr(10), '-_') || '"'`;
};

/** SQL of the records of a page and of its position. `id` is null where the page has no record. */
const buildPagePartsSql = (page: PageJson, bindings: Bindings): string => {
  const { description, conditions, viewer, request, parts, cursorList } = page;
  const { size, backwards } = request;
  const found = bindings.alias();
  const limit = bindings.integer(size);
  // One record more than the size was read. Rows are numbered in the order of reading.
  const kept = `filter (where ${found}.id is not null and ${found}.place <= ${limit})`;
  const order = backwards ? ` order by ${found}.place desc` : '';
  const cursor = buildCursorSql(found, cursorList, bindings);
  const listSql = (item: string): WrittenSql =>
    write(`'[' || coalesce(string_agg(${item}, ','${order}) ${kept}, '') || ']'`);
  const cursorAt = (end: 'asc' | 'desc'): WrittenSql =>
    write(`(array_agg(${cursor} order by ${found}.place ${end}) ${kept})[1]`, true);
  const isMore = `count(${found}.id) > ${limit}`;
  const goes = (way: 'goes_on' | 'goes_back', towards: boolean): WrittenSql =>
    writeFlag(`coalesce(bool_or(${found}.${way}), false)${towards ? ` or ${isMore}` : ''}`);
  const infoParts: Record<Exclude<PageInfoPart, object>, () => WrittenSql> = {
    hasNextPage: () => goes('goes_on', !backwards),
    hasPreviousPage: () => goes('goes_back', backwards),
    startCursor: () => cursorAt(backwards ? 'desc' : 'asc'),
    endCursor: () => cursorAt(backwards ? 'asc' : 'desc'),
  };
  const writeEdge = (part: EdgePart): WrittenSql => {
    if (part === 'cursor') return write(cursor);
    return 'node' in part ? write(buildRowSql(part.node, found, bindings)) : write(`'${part.constant}'`);
  };
  const writePart = (part: ConnectionPart): WrittenSql => {
    if (part === 'totalCount') return write(`(${bindings.query(countRecords(description, conditions, viewer))})`);
    if ('nodes' in part) return listSql(buildRowSql(part.nodes, found, bindings));
    if ('edges' in part) return listSql(buildObjectSql(part.edges, bindings, writeEdge));
    if ('constant' in part) return write(`'${part.constant}'`);
    const writeInfo = (one: PageInfoPart): WrittenSql =>
      typeof one === 'object' ? write(`'${one.constant}'`) : infoParts[one]();
    return write(buildObjectSql(part.pageInfo, bindings, writeInfo));
  };
  const object = buildObjectSql(parts, bindings, writePart);
  if (!readsRecords(parts)) return `select ${object}`;
  const rows = bindings.query(buildPageQuery(page, request));
  return `select ${object} from (select row_number() over () as place, page.* from (${rows}) page) ${found}`;
};

/** Whether the selection needs the records of the page. */
export const readsRecords = (parts: Projection<ConnectionPart>): boolean =>
  parts.some(({ value }) => {
    if (value === 'totalCount' || 'constant' in value) return false;
    return !('pageInfo' in value) || value.pageInfo.some((one) => typeof one.value === 'string');
  });

/** The list of one parent: the column with the parent's id, and SQL of that id. */
interface PageOwner {
  column: string;
  id: string;
  /** Whether the statement reads the parent, so that it is there. */
  isRead: boolean;
}

/** SQL of the JSON of a connection, in brackets: of the whole list, or of the list of a parent. */
export const buildPageJsonSql = (page: PageJson, bindings: Bindings, owner: PageOwner | null): string => {
  const { contact, ...rest } = page.description;
  // A record of a contact that is read needs no look at its contact.
  const description = contact && !(owner?.isRead && contact === owner.column) ? { ...rest, contact } : rest;
  if (!owner) return `(${buildPagePartsSql({ ...page, description }, bindings)})`;
  // By the column itself the planner may walk the ids of the whole space.
  const order = { ...page.order, id: `(${page.order.id} + 0)` };
  const conditions = [...page.conditions, queryBuilder.raw(`${owner.column} = ${owner.id}`)];
  return `(${buildPagePartsSql({ ...page, description, order, conditions }, bindings)})`;
};
