// Plans how contacts are written as JSON: which columns and relations come with each contact, and which are read for all of them at once.
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
  nothing,
  type Projection,
  type WrittenSql,
  writeLeafSql,
} from './json-sql.ts';
import { type ContactRelation, relations } from './read.ts';

/** What is shown of the rows of a part: of all, or of the first; a value of each, or an object. */
export interface RelationUse {
  part: ContactRelation;
  pick: 'all' | 'first';
  /** Only the rows whose column holds this, or only the others. */
  where?: { column: string; is: string; not?: true };
  of: Leaf | Projection;
}

export type ContactProjection = Projection<Leaf | RelationUse>;

/** A run by its number, or what of a part that is read for many rows at once: the number of the use among those of the part. */
export type JsonPiece = { run: number } | { key: string; nulls: boolean; use: RelationUse; number: number };

export interface JsonPlan {
  /** What is read of a contact `c`, and what is joined to it for that. */
  runs: EncodedColumn[];
  joins: string;
  values: Values;
  pieces: JsonPiece[];
  apart: { part: ContactRelation; read: EncodedRead; values: Values }[];
}

export const idColumn: EncodedColumn = { name: 'id', sql: 'c.id' };

const isUse = (value: Leaf | RelationUse): value is RelationUse => 'part' in value;

const itemOf = ({ of }: RelationUse, keys: Keys): string =>
  'column' in of || 'constant' in of
    ? buildJsonSql(writeLeafSql('r', of as Leaf))
    : buildObjectSql(of as Projection, 'r', keys);

const aggregate = (use: RelationUse, keys: Keys): string => {
  const { pick, where } = use;
  const item = itemOf(use, keys);
  const only = where ? ` filter (where r.${where.column} ${where.not ? '<>' : '='} '${where.is}')` : '';
  return pick === 'all' ? `'[' || string_agg(${item}, ',')${only} || ']'` : `(array_agg(${item})${only})[1]`;
};

/** SQL of what is used of a part, a column for each use. Rows are gathered in the order in which the relation has them. */
const gathered = (uses: RelationUse[], nameOf: (use: RelationUse) => string, keys: Keys): EncodedColumn[] =>
  uses.map((use) => ({ name: nameOf(use), sql: aggregate(use, keys) }));

/** The same of the parts of one contact: nothing is gathered where the first row is all that is shown. */
const ofOne = (
  part: ContactRelation,
  uses: RelationUse[],
  nameOf: (use: RelationUse) => string,
  keys: Keys,
): string => {
  const rows = `from (${relations[part]('= c.id')}) r`;
  if (uses.some(({ pick, where }) => pick === 'all' || where))
    return `select ${selectColumnsSql(gathered(uses, nameOf, keys))} ${rows}`;
  return `select ${selectColumnsSql(uses.map((use) => ({ name: nameOf(use), sql: itemOf(use, keys) })))} ${rows} limit 1`;
};

const textOf = (noun: string, sql: string, trusted: boolean): Statement =>
  prepareStatement(`contact.text.${noun}`, sql, trusted);

export const emptyRelation = { all: '[]', first: 'null' };

/** What is read of rows, packed. */
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
  read: textOf(noun, encodeRowsSql(columns, from), trusted),
});

export const readEncodedTexts = async (
  space: Scoped,
  { columns, read }: EncodedRead,
  values: Values,
): Promise<string[][]> => decodeRows(await space.rows<EncodedRows>(read, values), columns);

/** The texts of each contact by its id, which stands first. */
export const readTextsById = async (space: Scoped, read: EncodedRead, values: Values): Promise<Map<number, string[]>> =>
  new Map((await readEncodedTexts(space, read, values)).map(([id, ...texts]) => [Number(id), texts]));

/** `along`: the parts that come with each row; the others are read for all rows at once. */
export const planContactJson = (
  projection: ContactProjection,
  along: (part: ContactRelation) => boolean,
  trusted: boolean,
): JsonPlan => {
  const keys = new Keys(trusted);
  const all = projection.map(({ value }) => value).filter(isUse);
  // The wire has the same under two names.
  const uses = [...new Map(all.map((use) => [JSON.stringify(use), use])).values()];
  const numberOf = (use: RelationUse, among: RelationUse[]): number =>
    among.findIndex((one) => JSON.stringify(one) === JSON.stringify(use));
  const nameOf = (use: RelationUse): string => `use${numberOf(use, uses)}`;
  const parts = [...new Set(uses.map(({ part }) => part))];
  const usesOf = (part: ContactRelation): RelationUse[] => uses.filter((use) => use.part === part);

  const joins = parts
    .filter(along)
    .map((part) => `left join lateral (${ofOne(part, usesOf(part), nameOf, keys)}) ${part}_of on true`);
  const writtenOf = (value: Leaf | RelationUse): WrittenSql => {
    if (!isUse(value)) return writeLeafSql('c', value);
    const column = `${value.part}_of.${nameOf(value)}`;
    const all = value.pick === 'all';
    return { around: nothing, sql: all ? `coalesce(${column}, '[]')` : column, nullable: !all };
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
    if (!isUse(value) || along(value.part)) run.push(member);
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
      const columns = [{ name: 'id', sql: 'r.contact_id' }, ...gathered(usesOf(part), nameOf, own)];
      const from = `from (${relations[part]('= any(:ids)')}) r group by r.contact_id`;
      return { part, read: defineEncodedRead(part, columns, from, trusted), values: own.values };
    });
  return {
    runs,
    joins: joins.join('\n'),
    values: keys.values,
    pieces,
    apart,
  };
};
