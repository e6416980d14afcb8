// JSON projections: what of a row, and of the rows that belong to it, is written under which keys; and the SQL that writes it as JSON text,
// which is sent to the client unparsed.

import type { Space } from '../../database/space.ts';
import type { Query } from '../../database/statement.ts';

/** How the value of a column is written as JSON. */
export type JsonKind = keyof typeof jsonWriters;

/** A key with its value. Null values are left out unless `nulls`. */
export interface Member<Value = Leaf> {
  key: string;
  nulls: boolean;
  value: Value;
}

/**
 * A value of the row's column, or one that is the same for every row. A number with `globalIdOf` is written as the global id of that type, and
 * a text with `names` as the name of an enum.
 */
export type Leaf =
  | {
      column: string;
      kind: JsonKind;
      nullable: boolean;
      globalIdOf?: string;
      names?: readonly (readonly [value: string, name: string])[];
    }
  | { constant: string };

export type Projection<Value = Leaf> = readonly Member<Value>[];

/** The rows that belong to a row, or the one that it refers to. */
export interface RelatedRows {
  /** The column of the row by which they are found. */
  by: string;
  /** For a record that is there as long as the row: nothing is read where only its ids are selected. */
  isOwner?: true;
  /** The error of a required record that is missing; without it, resolvers report that. */
  createMissing?(id: number): Error;
  /** A column of the row with its maximum. The resolvers refuse a row that exceeds it. */
  bound?: { column: string; most: number };
  /** SQL of them in their order, given SQL of a value of that column. Rows of a list may depend on its viewer: `:userId`, `:seesAll`. */
  buildSql(of: string): string;
}

/** Records that other records refer to: how those with these ids are read, and SQL of the one with an id. */
export interface RecordSource<Row> {
  read(space: Space, ids: readonly number[]): Promise<Row[]>;
  buildSql(id: string): string;
}

/** The name of the record whose id is in a column `by`; null where there is none. `buildNameSql` makes SQL of it, given SQL of the id. */
export interface NamedValue {
  by: string;
  buildNameSql(id: string): string;
}

/** A value of a row: of its own columns, or made of the rows that belong to it. */
export type RowValue =
  | Leaf
  /** An object made of the same row. */
  | { object: RowProjection }
  | NamedValue
  | { rows: RelatedRows; pick: 'one' | 'all'; nullable: boolean; of: RowProjection }
  /** JSON text by SQL of its own. */
  | { build(alias: string, bindings: Bindings): string };
export type RowProjection = Projection<RowValue>;

/** Marks a text that the resolvers must answer instead: a required record is missing, or there are too many rows. JSON escapes this character, so no value contains it. */
export const missingRecord = '\u0001';

/** SQL of a value without its surrounding quotes in JSON; null for null. Nullable values are of type text or `json`. */
export interface WrittenSql {
  around: readonly [before: string, after: string];
  sql: string;
  nullable: boolean;
}

const quotes = ['"', '"'] as const;
/** For values that are JSON without quotes. */
export const unquoted = ['', ''] as const;

/** The texts have no `?` and no `:name`: the driver would parse them as parameters. */
const jsonWriters = {
  // The result stays of type `json` until it is concatenated: the cast to text costs as much as the conversion.
  text: (column) => ({ around: unquoted, sql: `to_json(${column})` }),
  number: (column, nullable) => ({ around: unquoted, sql: nullable ? `cast(${column} as text)` : column }),
  boolean: (column) => ({ around: unquoted, sql: `cast(${column} as text)` }),
  presence: (column) => ({ around: unquoted, sql: `case when ${column} is null then 'false' else 'true' end` }),
  texts: (column) => ({ around: unquoted, sql: `coalesce(to_json(${column}), '[]')` }),
  // False becomes null, which is left out.
  onlyTrue: (column) => ({ around: unquoted, sql: `case when ${column} then 'true' end` }),
  instant: (column) => ({ around: ['"', 'Z"'], sql: `replace(cast(timezone('UTC', ${column}) as text), ' ', 'T')` }),
  day: (column) => ({ around: quotes, sql: column }),
  startOfDay: (column) => ({ around: ['"', 'T00:00:00Z"'], sql: column }),
  // The cast through numeric avoids exponents.
  numberAsText: (column) => ({ around: quotes, sql: `cast(cast(${column} as text) as numeric)` }),
  integerIfExact: (column) => ({
    around: unquoted,
    sql: `case when ${column} ~ '^(0|-{0,1}[1-9][0-9]{0,14})$' then ${column} else cast(to_json(${column}) as text) end`,
  }),
} satisfies Record<string, (column: string, nullable: boolean) => Omit<WrittenSql, 'nullable'>>;

/** Binds what clients chose, keys and values, so that it is never part of the SQL. */
export class Bindings {
  readonly values: Record<string, unknown> = {};
  readonly #trusted: boolean;
  #count = 0;
  #aliases = 0;

  /** `trusted` when the keys are constants of the program. */
  constructor(trusted: boolean) {
    this.#trusted = trusted;
  }

  /** SQL of a text that contains keys. */
  key(text: string): string {
    return this.#trusted ? `'${text}'` : this.text(text);
  }

  /** SQL of a text. */
  text(text: string): string {
    return `cast(:${this.#bind(text)} as text)`;
  }

  /** SQL of an integer. */
  integer(value: number): string {
    return `cast(:${this.#bind(value)} as integer)`;
  }

  /** SQL of a composed query. */
  query(query: Query): string {
    const { sql, bindings } = query.toSQL().toNative();
    const names = bindings.map((value) => this.#bind(value));
    return sql.replaceAll(/\$(\d+)/g, (_, place: string) => `:${names[Number(place) - 1]}`);
  }

  /** An alias that the statement does not have yet. */
  alias(): string {
    return `r${++this.#aliases}`;
  }

  #bind(value: unknown): string {
    const name = `b${this.#count++}`;
    this.values[name] = value;
    return name;
  }
}

const writeLeafSql = (alias: string, leaf: Leaf): WrittenSql => {
  if ('constant' in leaf) return { around: unquoted, sql: `'${leaf.constant}'`, nullable: false };
  const { column, kind, nullable, globalIdOf, names } = leaf;
  const value = `${alias}.${column}`;
  if (names) {
    const cases = names.map(([stored, name]) => `when '${stored}' then '"${name}"'`);
    return { around: unquoted, sql: `case ${value} ${cases.join(' ')} end`, nullable };
  }
  return {
    ...jsonWriters[kind](value, nullable),
    ...(globalIdOf && { around: [`"${globalIdOf}:`, '"'] as const }),
    nullable: nullable || kind === 'onlyTrue',
  };
};

/** SQL of a value of the row `alias`. Rows that belong to it are read by subqueries, which keep the order of the rows around them. */
export const writeValueSql = (alias: string, value: RowValue, bindings: Bindings): WrittenSql => {
  if ('build' in value) return { around: unquoted, sql: value.build(alias, bindings), nullable: false };
  if ('object' in value) return { around: unquoted, sql: buildRowSql(value.object, alias, bindings), nullable: false };
  if ('buildNameSql' in value)
    return { around: unquoted, sql: `to_json((${value.buildNameSql(`${alias}.${value.by}`)}))`, nullable: true };
  if (!('rows' in value)) return writeLeafSql(alias, value);
  const { rows, pick, nullable, of } = value;
  const inner = bindings.alias();
  const item = buildRowSql(of, inner, bindings);
  const from = `from (${rows.buildSql(`${alias}.${rows.by}`)}) ${inner}`;
  if (pick === 'all') {
    const sql = `(select '[' || coalesce(string_agg(${item}, ','), '') || ']' ${from})`;
    const { bound } = rows;
    const bounded = bound && `case when ${alias}.${bound.column} <= ${bound.most} then ${sql} else chr(1) end`;
    return { around: unquoted, sql: bounded ?? sql, nullable: false };
  }
  const one = `(select ${item} ${from} limit 1)`;
  return { around: unquoted, sql: nullable ? one : `coalesce(${one}, chr(1))`, nullable };
};

/** SQL of the JSON text of a value; null for null. */
export const buildJsonSql = ({ around, sql }: WrittenSql): string =>
  around === unquoted ? `cast(${sql} as text)` : `('${around[0]}' || ${sql} || '${around[1]}')`;

/** A PostgreSQL function takes at most a hundred arguments. */
const maxArguments = 90;

/** SQL of members in their order, by `format`, which is faster than `concat` and far faster than the JSON functions. */
const buildFormatSql = (
  members: Projection<WrittenSql>,
  bindings: Bindings,
  ends: readonly [first: string, last: string],
): string => {
  const args: string[] = [];
  const templates = members.map(({ key, nulls, value }, index) => {
    const [before, after] = value.around;
    const named = `${index === 0 ? ends[0] : ','}"${key}":`;
    if (value.nullable && !nulls) {
      args.push(`${bindings.key(named + before)} || cast(${value.sql} as text)${after && ` || '${after}'`}`);
      return '%s';
    }
    const whole = value.around === unquoted ? value.sql : buildJsonSql(value);
    args.push(value.nullable ? `coalesce(${whole}, 'null')` : value.sql);
    return value.nullable ? `${named}%s` : `${named}${before}%s${after}`;
  });
  return `format(${[bindings.key(templates.join('') + ends[1]), ...args].join(', ')})`;
};

const writeMembers = <Value>(
  members: Projection<Value>,
  writtenOf: (value: Value) => WrittenSql,
): Projection<WrittenSql> => members.map((member) => ({ ...member, value: writtenOf(member.value) }));

const joinMembersSql = (members: Projection<WrittenSql>, bindings: Bindings): string =>
  Array.from({ length: Math.ceil(members.length / maxArguments) }, (_, index) =>
    buildFormatSql(members.slice(index * maxArguments, (index + 1) * maxArguments), bindings, [',', '']),
  ).join(' || ');

/** SQL of `,"key":value` for each of these members. */
export const buildMembersSql = <Value>(
  members: Projection<Value>,
  bindings: Bindings,
  writtenOf: (value: Value) => WrittenSql,
): string => joinMembersSql(writeMembers(members, writtenOf), bindings);

/** SQL of a JSON object with these members. */
export const buildObjectSql = <Value>(
  projection: Projection<Value>,
  bindings: Bindings,
  writtenOf: (value: Value) => WrittenSql,
): string => {
  const members = writeMembers(projection, writtenOf);
  const [first] = members;
  // The first member has no leading comma, unless it may be left out.
  if (first && members.length <= maxArguments && (first.nulls || !first.value.nullable))
    return buildFormatSql(members, bindings, ['{', '}']);
  return `'{' || substr(${joinMembersSql(members, bindings)}, 2) || '}'`;
};

/** SQL of the JSON object that a projection makes of the row `alias`. */
export const buildRowSql = (projection: RowProjection, alias: string, bindings: Bindings): string =>
  buildObjectSql(projection, bindings, (value) => writeValueSql(alias, value, bindings));
