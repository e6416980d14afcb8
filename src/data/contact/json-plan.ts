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
  buildJsonSql,
  buildMembersSql,
  buildObjectSql,
  Keys,
  type Leaf,
  type Member,
  type Projection,
  unquoted,
  type WrittenSql,
  writeLeafSql,
} from './json-sql.ts';
import { pagesOfRecords, relations } from './read.ts';

const jsonRelations = { ...relations, ...pagesOfRecords };
/** A relation whose rows can be written as JSON with their contact. */
export type JsonRelation = keyof typeof jsonRelations;

/** SQL of the rows of a relation of the contacts `:ids`. */
const buildRowsOfIdsSql = (part: JsonRelation): string =>
  part in pagesOfRecords
    ? `select page.* from contacts parent cross join lateral (${jsonRelations[part]('= parent.id')}) page
        where parent.group_id = :group and parent.id = any(:ids) order by page.contact_id, page.id`
    : jsonRelations[part]('= any(:ids)');

/** How rows of a relation are written: all of them or the first; each as a value or as an object. */
export interface RelationUse {
  part: JsonRelation;
  pick: 'all' | 'first';
  /** The key of an object around the list. */
  within?: string;
  /** Only rows whose column holds this value, or only the others. */
  where?: { column: string; is: string; not?: true };
  of: Leaf | Projection;
}

export type ContactProjection = Projection<Leaf | RelationUse>;

/**
 * A part of a contact's JSON: a run of members by its number, or a member whose relation is read for many contacts at once; `number` counts
 * the uses of one relation.
 */
export type JsonPiece = { run: number } | { key: string; nulls: boolean; use: RelationUse; number: number };

export interface JsonPlan {
  /** The columns read of a contact `c`, and the joins that they need. */
  runs: EncodedColumn[];
  joins: string;
  values: Values;
  pieces: JsonPiece[];
  separate: { part: JsonRelation; read: EncodedRead; values: Values }[];
}

export const idColumn: EncodedColumn = { name: 'id', sql: 'c.id' };

const isRelationUse = (value: Leaf | RelationUse): value is RelationUse => 'part' in value;

const buildItemSql = ({ of }: RelationUse, keys: Keys): string =>
  'column' in of || 'constant' in of
    ? buildJsonSql(writeLeafSql('r', of as Leaf))
    : buildObjectSql(of as Projection, 'r', keys);

const buildAggregateSql = (use: RelationUse, keys: Keys): string => {
  const { pick, where, within } = use;
  const item = buildItemSql(use, keys);
  const only = where ? ` filter (where r.${where.column} ${where.not ? '<>' : '='} '${where.is}')` : '';
  if (within) return `${keys.sql(`{"${within}":[`)} || coalesce(string_agg(${item}, ',')${only}, '') || ']}'`;
  return pick === 'all' ? `'[' || string_agg(${item}, ',')${only} || ']'` : `(array_agg(${item})${only})[1]`;
};

/** SQL of the uses of a relation, a column for each. Rows are aggregated in the order of the relation. */
const listAggregates = (uses: RelationUse[], nameOf: (use: RelationUse) => string, keys: Keys): EncodedColumn[] =>
  uses.map((use) => ({ name: nameOf(use), sql: buildAggregateSql(use, keys) }));

/** The same for one contact: rows are not aggregated where only the first is used. */
const buildLateralSql = (
  part: JsonRelation,
  uses: RelationUse[],
  nameOf: (use: RelationUse) => string,
  keys: Keys,
): string => {
  const rows = `from (${jsonRelations[part]('= c.id')}) r`;
  if (uses.some(({ pick, where }) => pick === 'all' || where))
    return `select ${selectColumnsSql(listAggregates(uses, nameOf, keys))} ${rows}`;
  return `select ${selectColumnsSql(uses.map((use) => ({ name: nameOf(use), sql: buildItemSql(use, keys) })))} ${rows} limit 1`;
};

const prepareEncodedStatement = (noun: string, sql: string, trusted: boolean): Statement =>
  prepareStatement(`contact.text.${noun}`, sql, trusted);

const emptyRelation = { all: '[]', first: 'null' };
/** The JSON of a relation without rows. */
export const writeEmptyRelation = ({ within, pick }: RelationUse): string =>
  within ? `{"${within}":[]}` : emptyRelation[pick];

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
  read: prepareEncodedStatement(noun, encodeRowsSql(columns, from), trusted),
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
  along: (part: JsonRelation) => boolean,
  trusted: boolean,
): JsonPlan => {
  const keys = new Keys(trusted);
  const all = projection.map(({ value }) => value).filter(isRelationUse);
  // The REST contract has some values under two names.
  const uses = [...new Map(all.map((use) => [JSON.stringify(use), use])).values()];
  const numberOf = (use: RelationUse, among: RelationUse[]): number =>
    among.findIndex((one) => JSON.stringify(one) === JSON.stringify(use));
  const nameOf = (use: RelationUse): string => `use${numberOf(use, uses)}`;
  const parts = [...new Set(uses.map(({ part }) => part))];
  const usesOf = (part: JsonRelation): RelationUse[] => uses.filter((use) => use.part === part);

  const joins = parts
    .filter(along)
    .map((part) => `left join lateral (${buildLateralSql(part, usesOf(part), nameOf, keys)}) ${part}_of on true`);
  const writtenOf = (value: Leaf | RelationUse): WrittenSql => {
    if (!isRelationUse(value)) return writeLeafSql('c', value);
    const column = `${value.part}_of.${nameOf(value)}`;
    const all = value.pick === 'all';
    return { around: unquoted, sql: all && !value.within ? `coalesce(${column}, '[]')` : column, nullable: !all };
  };

  const pieces: JsonPiece[] = [];
  const runs: EncodedColumn[] = [];
  let run: Member<Leaf | RelationUse>[] = [];
  const endRun = (): void => {
    if (run.length === 0) return;
    pieces.push({ run: runs.length });
    runs.push({ name: `run${runs.length}`, sql: buildMembersSql(run, keys, writtenOf) });
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

  const apart = parts
    .filter((part) => !along(part))
    .map((part) => {
      const own = new Keys(trusted);
      const columns = [{ name: 'id', sql: 'r.contact_id' }, ...listAggregates(usesOf(part), nameOf, own)];
      const from = `from (${buildRowsOfIdsSql(part)}) r group by r.contact_id`;
      return { part, read: defineEncodedRead(part, columns, from, trusted), values: own.values };
    });
  return {
    runs,
    joins: joins.join('\n'),
    values: keys.values,
    pieces,
    separate: apart,
  };
};
