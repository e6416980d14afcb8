// Projections: what of a row is shown under which keys, and the SQL that writes it as JSON text, which nobody between PostgreSQL and the client reads again.

/** How the value of a column is written as JSON. */
export type Kind = 'text' | 'number' | 'boolean' | 'instant' | 'day' | 'startOfDay' | 'numberAsText' | 'integerIfExact';

/** A key with its value. Null values are left out unless `nulls`. */
export interface Member<Value = Leaf> {
  key: string;
  nulls: boolean;
  value: Value;
}

/** A value that stands in the row, or is the same for every row. */
export type Leaf = { column: string; kind: Kind; nullable: boolean } | { constant: string };

export type Projection<Value = Leaf> = readonly Member<Value>[];

const quoted = (sql: string): string => `'"' || ${sql} || '"'`;

/** SQL of the JSON text of a value; null for null. No question marks: the driver would take them for placeholders. */
const writings: Record<Kind, (sql: string) => string> = {
  text: (sql) => `cast(to_json(${sql}) as text)`,
  number: (sql) => `cast(${sql} as text)`,
  boolean: (sql) => `cast(${sql} as text)`,
  instant: (sql) => quoted(`replace(replace(cast(${sql} as text), ' ', 'T'), '+00', 'Z')`),
  day: (sql) => quoted(`cast(${sql} as text)`),
  startOfDay: (sql) => quoted(`cast(${sql} as text) || 'T00:00:00Z'`),
  // By way of a numeric, whose text has no exponent.
  numberAsText: (sql) => quoted(`cast(cast(cast(${sql} as text) as numeric) as text)`),
  integerIfExact: (sql) =>
    `case when ${sql} ~ '^(0|-{0,1}[1-9][0-9]{0,14})$' then ${sql} else cast(to_json(${sql}) as text) end`,
};

/** What a text binds beside its own values: keys that a client chose are no part of the SQL. */
export class Keys {
  readonly values: Record<string, string> = {};
  readonly #trusted: boolean;

  /** `trusted` when the keys are our own words. */
  constructor(trusted: boolean) {
    this.#trusted = trusted;
  }

  /** SQL of `,"key":`. */
  sql(key: string): string {
    const text = `,"${key}":`;
    if (this.#trusted) return `'${text}'`;
    const name = `key${Object.keys(this.values).length}`;
    this.values[name] = text;
    return `cast(:${name} as text)`;
  }
}

/** SQL of a value that nobody has yet named: the JSON text of a leaf of the row `alias`. */
export const leafSql = (alias: string, leaf: Leaf): string =>
  'constant' in leaf ? `'${leaf.constant}'` : writings[leaf.kind](`${alias}.${leaf.column}`);

/** Arguments of `concat` for a member whose JSON text is this SQL. */
const member = <Value>({ key, nulls }: Member<Value>, sql: string, nullable: boolean, keys: Keys): string[] => {
  if (!nullable) return [keys.sql(key), sql];
  return nulls ? [keys.sql(key), `coalesce(${sql}, 'null')`] : [`${keys.sql(key)} || (${sql})`];
};

/** A function takes a hundred arguments at most. */
const most = 50;
const concat = (args: readonly string[]): string => {
  if (args.length <= most) return `concat(${args.join(', ')})`;
  const chunks = Array.from({ length: Math.ceil(args.length / most) }, (_, index) =>
    concat(args.slice(index * most, (index + 1) * most)),
  );
  return concat(chunks);
};

/** SQL of `,"key":value` for each of these, one after the other; `sqlOf` yields the JSON text of a value. */
export const membersSql = <Value>(
  members: Projection<Value>,
  keys: Keys,
  sqlOf: (value: Value) => { sql: string; nullable: boolean },
): string =>
  concat(
    members.flatMap((one) => {
      const { sql, nullable } = sqlOf(one.value);
      return member(one, sql, nullable, keys);
    }),
  );

const ofLeaf =
  (alias: string) =>
  (leaf: Leaf): { sql: string; nullable: boolean } => ({
    sql: leafSql(alias, leaf),
    nullable: !('constant' in leaf) && leaf.nullable,
  });

/** SQL of the JSON object that a projection makes of the row `alias`. */
export const objectSql = (projection: Projection, alias: string, keys: Keys): string =>
  `'{' || substr(${membersSql(projection, keys, ofLeaf(alias))}, 2) || '}'`;
