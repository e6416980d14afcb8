// JSON projections: which columns of a row are written under which keys, and the SQL that writes them as JSON text, which is sent to the client unparsed.

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

/** A value of the row's column, or one that is the same for every row. A number with `globalIdOf` is written as the global id of that type. */
export type Leaf = { column: string; kind: JsonKind; nullable: boolean; globalIdOf?: string } | { constant: string };

export type Projection<Value = Leaf> = readonly Member<Value>[];

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
const jsonWriters: Record<JsonKind, (column: string, nullable: boolean) => Omit<WrittenSql, 'nullable'>> = {
  // The result stays of type `json` until it is concatenated: the cast to text costs as much as the conversion.
  text: (column) => ({ around: unquoted, sql: `to_json(${column})` }),
  number: (column, nullable) => ({ around: unquoted, sql: nullable ? `cast(${column} as text)` : column }),
  boolean: (column) => ({ around: unquoted, sql: `cast(${column} as text)` }),
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
};

/** Binds keys that clients chose, so that they are never part of the SQL. */
export class Keys {
  readonly values: Record<string, string> = {};
  readonly #trusted: boolean;

  /** `trusted` when the keys are constants of the program. */
  constructor(trusted: boolean) {
    this.#trusted = trusted;
  }

  /** SQL of a text that contains keys. */
  sql(text: string): string {
    if (this.#trusted) return `'${text}'`;
    const name = `keys${Object.keys(this.values).length}`;
    this.values[name] = text;
    return `cast(:${name} as text)`;
  }
}

export const writeLeafSql = (alias: string, leaf: Leaf): WrittenSql =>
  'constant' in leaf
    ? { around: unquoted, sql: `'${leaf.constant}'`, nullable: false }
    : {
        ...jsonWriters[leaf.kind](`${alias}.${leaf.column}`, leaf.nullable),
        ...(leaf.globalIdOf && { around: [`"${leaf.globalIdOf}:`, '"'] as const }),
        nullable: leaf.nullable || leaf.kind === 'onlyTrue',
      };

/** SQL of the JSON text of a value; null for null. */
export const buildJsonSql = ({ around, sql }: WrittenSql): string =>
  around === unquoted ? `cast(${sql} as text)` : `('${around[0]}' || ${sql} || '${around[1]}')`;

/** A PostgreSQL function takes at most a hundred arguments. */
const maxArguments = 90;

/** SQL of members in their order, by `format`, which is faster than `concat` and far faster than the JSON functions. */
const buildFormatSql = <Value>(
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
    const whole = written.around === unquoted ? written.sql : buildJsonSql(written);
    args.push(written.nullable ? `coalesce(${whole}, 'null')` : written.sql);
    return written.nullable ? `${named}%s` : `${named}${before}%s${after}`;
  });
  return `format(${[keys.sql(templates.join('') + ends[1]), ...args].join(', ')})`;
};

/** SQL of `,"key":value` for each of these members. */
export const buildMembersSql = <Value>(
  members: Projection<Value>,
  keys: Keys,
  writtenOf: (value: Value) => WrittenSql,
): string => {
  const chunks = Array.from({ length: Math.ceil(members.length / maxArguments) }, (_, index) =>
    buildFormatSql(members.slice(index * maxArguments, (index + 1) * maxArguments), keys, writtenOf, [',', '']),
  );
  return chunks.join(' || ');
};

/** SQL of the JSON object that a projection makes of the row `alias`. */
export const buildObjectSql = (projection: Projection, alias: string, keys: Keys): string => {
  const writtenOf = (leaf: Leaf): WrittenSql => writeLeafSql(alias, leaf);
  const [first] = projection;
  // The first member has no leading comma, unless it may be left out.
  if (first && projection.length <= maxArguments && (first.nulls || !writtenOf(first.value).nullable))
    return buildFormatSql(projection, keys, writtenOf, ['{', '}']);
  return `'{' || substr(${buildMembersSql(projection, keys, writtenOf)}, 2) || '}'`;
};
