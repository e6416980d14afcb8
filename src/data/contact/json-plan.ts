// Plans how contacts are written as JSON: which columns and relations are read with each contact, and which for all of them at once.
import {
  decodeRows,
  type EncodedColumn,
  type EncodedRows,
  encodeRowsSql,
  selectColumnsSql,
} from '../../database/row-codec.ts';
import { prepareStatement, type Scoped, type Statement, type Values } from '../../database/statement.ts';
import {
  Bindings,
  buildJsonSql,
  buildMembersSql,
  buildRowSql,
  type Leaf,
  type Member,
  type Projection,
  type RowProjection,
  type RowValue,
  unquoted,
  type WrittenSql,
  writeValueSql,
} from '../noun/json-sql.ts';
import { type ContactRelation, relations } from './read.ts';

/** How rows of a relation are written: all of them or the first; each as a value or as an object. */
export interface RelationUse {
  part: ContactRelation;
  pick: 'all' | 'first';
  /** Only rows whose column holds this value, or only the others. */
  where?: { column: string; is: string; not?: true };
  of: Leaf | RowProjection;
}

/** The JSON projection of a contact. A relation is read once, however many of its uses the projection has; for long pages a separate statement reads it. */
export type ContactProjection = Projection<RowValue | RelationUse>;

/**
 * A part of a contact's JSON: a run of members by its number, or a member whose relation is read for many contacts at once; `number` counts
 * the uses of one relation.
 */
type JsonPiece = { run: number } | { key: string; nulls: boolean; use: RelationUse; number: number };

export interface JsonPlan {
  /** The columns read of a contact `c`, and the joins that they need. */
  runs: EncodedColumn[];
  joins: string;
  values: Values;
  pieces: JsonPiece[];
  separate: { part: ContactRelation; read: EncodedRead; values: Values }[];
}

export const idColumn: EncodedColumn = { name: 'id', sql: 'c.id' };

/** Functions have no JSON: each has a number. */
const functions = new WeakMap<object, number>();
let functionCount = 0;
const identifyUse = (use: RelationUse): string =>
  JSON.stringify(use, (_, value: unknown) => {
    if (typeof value !== 'function') return value;
    if (!functions.has(value)) functions.set(value, ++functionCount);
    return functions.get(value);
  });

const isRelationUse = (value: RowValue | RelationUse): value is RelationUse => 'part' in value;

const buildItemSql = ({ of }: RelationUse, bindings: Bindings): string =>
  'column' in of || 'constant' in of
    ? buildJsonSql(writeValueSql('item', of, bindings))
    : buildRowSql(of, 'item', bindings);

/** SQL that aggregates the rows of a use, in the order of the relation. */
const buildAggregateSql = (use: RelationUse, bindings: Bindings): string => {
  const { pick, where } = use;
  const item = buildItemSql(use, bindings);
  const only = where ? ` filter (where item.${where.column} ${where.not ? '<>' : '='} '${where.is}')` : '';
  return pick === 'all' ? `'[' || string_agg(${item}, ',')${only} || ']'` : `(array_agg(${item})${only})[1]`;
};

/** The JSON of a relation without rows. */
export const emptyRelations = { all: '[]', first: 'null' };

/** A statement that reads rows as one encoded text. */
export interface EncodedRead {
  columns: EncodedColumn[];
  read: Statement;
}

export const defineEncodedRead = (
  noun: string,
  columns: EncodedColumn[],
  from: string,
  trusted: boolean,
): EncodedRead => ({
  columns,
  read: prepareStatement(`contact.text.${noun}`, encodeRowsSql(columns, from), trusted),
});

export const readEncodedTexts = async (
  space: Scoped,
  { columns, read }: EncodedRead,
  values: Values,
): Promise<string[][]> => decodeRows(await space.rows<EncodedRows>(read, values), columns);

/** The encoded texts of each contact by its id, which is the first column. */
export const readTextsById = async (space: Scoped, read: EncodedRead, values: Values): Promise<Map<number, string[]>> =>
  new Map((await readEncodedTexts(space, read, values)).map(([id, ...texts]) => [Number(id), texts]));

/** `along`: the relations that are read with each row; the others are read for all rows at once. */
export const planContactJson = (
  projection: ContactProjection,
  along: (part: ContactRelation) => boolean,
  trusted: boolean,
): JsonPlan => {
  const bindings = new Bindings(trusted);
  const all = projection.map(({ value }) => value).filter(isRelationUse);
  // The REST contract has some values under two names.
  const uses = [...new Map(all.map((use) => [identifyUse(use), use])).values()];
  const numberOf = (use: RelationUse, among: RelationUse[]): number =>
    among.findIndex((one) => identifyUse(one) === identifyUse(use));
  const nameOf = (use: RelationUse): string => `use${numberOf(use, uses)}`;
  const parts = [...new Set(uses.map(({ part }) => part))];
  const usesOf = (part: ContactRelation): RelationUse[] => uses.filter((use) => use.part === part);

  const listColumns = (part: ContactRelation, buildSql: typeof buildItemSql, own: Bindings): EncodedColumn[] =>
    usesOf(part).map((use) => ({ name: nameOf(use), sql: buildSql(use, own) }));

  const joins = parts.filter(along).map((part) => {
    const isFirst = usesOf(part).every(({ pick, where }) => pick === 'first' && !where);
    const columns = selectColumnsSql(listColumns(part, isFirst ? buildItemSql : buildAggregateSql, bindings));
    const rows = `from (${relations[part]('= c.id')}) item${isFirst ? ' limit 1' : ''}`;
    return `left join lateral (select ${columns} ${rows}) ${part}_of on true`;
  });
  const writtenOf = (value: RowValue | RelationUse): WrittenSql => {
    if (!isRelationUse(value)) return writeValueSql('c', value, bindings);
    const column = `${value.part}_of.${nameOf(value)}`;
    const all = value.pick === 'all';
    return { around: unquoted, sql: all ? `coalesce(${column}, '[]')` : column, nullable: !all };
  };

  const pieces: JsonPiece[] = [];
  const runs: EncodedColumn[] = [];
  let run: Member<RowValue | RelationUse>[] = [];
  const endRun = (): void => {
    if (run.length === 0) return;
    pieces.push({ run: runs.length });
    runs.push({ name: `run${runs.length}`, sql: buildMembersSql(run, bindings, writtenOf) });
    run = [];
  };
  for (const member of projection) {
    const { key, nulls, value } = member;
    if (!isRelationUse(value) || along(value.part)) run.push(member);
    else {
      endRun();
      pieces.push({ key: `,"${key}":`, nulls, use: value, number: numberOf(value, usesOf(value.part)) });
    }
  }
  endRun();

  const separate = parts
    .filter((part) => !along(part))
    .map((part) => {
      const own = new Bindings(trusted);
      const columns = [{ name: 'id', sql: 'item.contact_id' }, ...listColumns(part, buildAggregateSql, own)];
      const from = `from (${relations[part]('= any(:ids)')}) item group by item.contact_id`;
      return { part, read: defineEncodedRead(part, columns, from, trusted), values: own.values };
    });
  return { runs, joins: joins.join('\n'), values: bindings.values, pieces, separate };
};
