// Projections: what of a row is shown under which keys, and the SQL that writes it as JSON text, which nobody between PostgreSQL and the client reads again.

/** How the value of a column is written as JSON. */
export type JsonKind =
  | 'text'
  | 'number'
  | 'boolean'
  | 'onlyTrue'
  | 'instant'
  | 'day'
  | 'startOfDay'
  | 'numberAsText'
  | 'integerIfExact';

/** A key with its value. Null values are left out unless `nulls`. */
export interface Member<Value = Leaf> {
  key: string;
  nulls: boolean;
  value: Value;
}

/** A value that stands in the row, or is the same for every row. */
export type Leaf = { column: string; kind: JsonKind; nullable: boolean } | { constant: string };

export type Projection<Value = Leaf> = readonly Member<Value>[];

/** SQL of a value, without what stands around it in JSON; null for null. Where it may be null it is a text, or `json`. */
export interface WrittenSql {
  around: readonly [before: string, after: string];
  sql: string;
  nullable: boolean;
}

const quotes = ['"', '"'] as const;
/** Around a value that is JSON as it is. */
export const nothing = ['', ''] as const;

/** No question marks and no colons before letters: the driver would take them for what is bound. */
const writings: Record<JsonKind, (column: string, nullable: boolean) => Omit<WrittenSql, 'nullable'>> = {
  // Left as it is made, until something stands around it: to turn it into text takes as long as to make it.
  text: (column) => ({ around: nothing, sql: `to_json(${column})` }),
  number: (column, nullable) => ({ around: nothing, sql: nullable ? `cast(${column} as text)` : column }),
  boolean: (column) => ({ around: nothing, sql: `cast(${column} as text)` }),
  // False is null, which is left out.
  onlyTrue: (column) => ({ around: nothing, sql: `case when ${column} then 'true' end` }),
  instant: (column) => ({ around: ['"', 'Z"'], sql: `replace(cast(timezone('UTC', ${column}) as text), ' ', 'T')` }),
  day: (column) => ({ around: quotes, sql: column }),
  startOfDay: (column) => ({ around: ['"', 'T00:00:00Z"'], sql: column }),
  // By way of a numeric, whose text has no exponent.
  numberAsText: (column) => ({ around: quotes, sql: `cast(cast(${column} as text) as numeric)` }),
  integerIfExact: (column) => ({
    around: nothing,
    sql: `case when ${column} ~ '^(0|-{0,1}[1-9][0-9]{0,14})$' then ${column} else cast(to_json(${column}) as text) end`,
  }),
};

/** What a text binds beside its own values: keys that a client chose are no part of the SQL. */
export class Keys {
  readonly values: Record<string, string> = {};
  readonly #trusted: boolean;

  /** `trusted` when the keys are our own words. */
  constructor(trusted: boolean) {
    this.#trusted = trusted;
  }

  /** SQL of a text in which keys stand. */
  sql(text: string): string {
    if (this.#trusted) return `'${text}'`;
    const name = `keys${Object.keys(this.values).length}`;
    this.values[name] = text;
    return `cast(:${name} as text)`;
  }
}

export const writeLeafSql = (alias: string, leaf: Leaf): WrittenSql =>
  'constant' in leaf
    ? { around: nothing, sql: `'${leaf.constant}'`, nullable: false }
    : {
        ...writings[leaf.kind](`${alias}.${leaf.column}`, leaf.nullable),
        nullable: leaf.nullable || leaf.kind === 'onlyTrue',
      };

/** SQL of the JSON text of a value; null for null. */
export const buildJsonSql = ({ around, sql }: WrittenSql): string =>
  around === nothing ? `cast(${sql} as text)` : `('${around[0]}' || ${sql} || '${around[1]}')`;

/** A function takes a hundred arguments at most. */
const maxArguments = 90;

/** Of members, in the order in which they stand: what `format` makes their text of. It is faster than `concat`, and by far than functions of JSON. */
const formatted = <Value>(
  members: Projection<Value>,
  keys: Keys,
  writtenOf: (value: Value) => WrittenSql,
  ends: readonly [first: string, last: string],
): string => {
  const args: string[] = [];
  const templates = members.map(({ key, nulls, value }, index) => {
    const written = writtenOf(value);
    const [before, after] = written.around;
    const named = `${index === 0 ? ends[0] : ','}"${key}":`;
    if (written.nullable && !nulls) {
      args.push(`${keys.sql(named + before)} || cast(${written.sql} as text)${after && ` || '${after}'`}`);
      return '%s';
    }
    const whole = written.around === nothing ? written.sql : buildJsonSql(written);
    args.push(written.nullable ? `coalesce(${whole}, 'null')` : written.sql);
    return written.nullable ? `${named}%s` : `${named}${before}%s${after}`;
  });
  return `format(${[keys.sql(templates.join('') + ends[1]), ...args].join(', ')})`;
};

/** SQL of `,"key":value` for each of these, one after the other. */
export const buildMembersSql = <Value>(
  members: Projection<Value>,
  keys: Keys,
  writtenOf: (value: Value) => WrittenSql,
): string => {
  const chunks = Array.from({ length: Math.ceil(members.length / maxArguments) }, (_, index) =>
    formatted(members.slice(index * maxArguments, (index + 1) * maxArguments), keys, writtenOf, [',', '']),
  );
  return chunks.join(' || ');
};

/** SQL of the JSON object that a projection makes of the row `alias`. */
export const buildObjectSql = (projection: Projection, alias: string, keys: Keys): string => {
  const writtenOf = (leaf: Leaf): WrittenSql => writeLeafSql(alias, leaf);
  const [first] = projection;
  // The first member has no comma before it, unless it may be the second.
  if (first && projection.length <= maxArguments && (first.nulls || !writtenOf(first.value).nullable))
    return formatted(projection, keys, writtenOf, ['{', '}']);
  return `'{' || substr(${buildMembersSql(projection, keys, writtenOf)}, 2) || '}'`;
};
