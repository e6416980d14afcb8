// Statements: SQL texts that are scoped to one space, and queries that are composed by Knex's builder. `Space` sends them.
import { hash } from 'node:crypto';
import knexPackage, { type Knex } from 'knex';
import { LRUCache } from 'lru-cache';

/** A SQL text that is scoped to one space, prepared under its name if it has one. Values are bound by name: `:id`. */
export interface Statement {
  readonly name: string | null;
  readonly sql: string;
  /** How often it was sent to the search pool. */
  uses?: number;
}

/** Declares a statement. Throws, usually when its module is loaded, if the text does not mention the space. */
export const defineStatement = (name: string | null, sql: string): Statement => {
  if (!sql.includes(':group')) throw new Error(`Statement ${name} is not scoped: it must compare group_id with :group`);
  return { name, sql };
};

/**
 * One row, to select an advisory lock from. It is read from a table of the space, so that a cluster takes the lock on the node of the space, whichever
 * node a process is connected to.
 */
export const oneRowOfSpace = '(select count(*) from rate_buckets b where b.group_id = :group) one';

/**
 * Clients can send unlimited distinct queries. Each prepared statement takes memory of each connection, in proportion to its length. These limits cap
 * the number of statements, their total length, and the length of one.
 */
export const maxClientTexts = { texts: 200, characters: 2_000_000, charactersOfOne: 100_000 };

/** The prefix of the names of texts that depend on a client's request. Our own texts have none: they are few, and stay prepared. */
export const clientMark = '~';

export const nameClientStatement = (noun: string, sql: string): string => clientMark + nameStatementText(noun, sql);

export const nameStatementText = (noun: string, sql: string): string =>
  `${noun}.${hash('sha256', sql, 'base64url').slice(0, 22)}`;

/** Texts of our own, of which there are few. */
const ownStatements = new Map<string, Statement>();
/** Texts that follow from what clients ask, of which there is no end. */
const clientStatements = new LRUCache<string, Statement>({
  max: maxClientTexts.texts,
  maxSize: maxClientTexts.characters,
  sizeCalculation: ({ sql }) => sql.length,
});

/** The statement of a generated text, prepared under a name made of its hash. `trusted` texts are few, and all of them stay prepared. */
export const prepareStatement = (noun: string, sql: string, trusted = false): Statement => {
  const made = trusted ? ownStatements : clientStatements;
  const known = made.get(sql);
  if (known) return known;
  if (!trusted && sql.length > maxClientTexts.charactersOfOne) return defineStatement(null, sql);
  const fresh = defineStatement(trusted ? nameStatementText(noun, sql) : nameClientStatement(noun, sql), sql);
  made.set(sql, fresh);
  return fresh;
};

/** From here on, one plan for all values has cost less than a plan for each: it takes as long as some 30 of these. */
const oftenFrom = 30;

export const isSentOften = ({ uses = 0 }: Statement): boolean => uses > oftenFrom;

export const countUse = (statement: Statement): void => {
  statement.uses = (statement.uses ?? 0) + 1;
};

export type Values = Record<string, unknown>;
export type RunStatement = <Row>(statement: Statement, values?: Values) => Promise<Row[]>;

export interface Scoped {
  rows: RunStatement;
}

export type Query = Knex.QueryBuilder;
export type Sql = Knex.Raw;

/** The builder. In raw SQL `:group` stays as it is, for `Space` to bind; every other value is bound by `?`. */
export const queryBuilder = knexPackage({ client: 'pg' });

/** The statement of a composed query with its values. `trusted` texts are few, and all of them stay prepared. */
export const composeStatement = (noun: string, query: Query, trusted = false): [Statement, Values] => {
  const { sql, bindings } = query.toSQL().toNative();
  const named = sql.replaceAll(/\$(\d+)/g, ':v$1');
  const values = Object.fromEntries(bindings.map((value, index) => [`v${index + 1}`, value]));
  return [prepareStatement(noun, named, trusted), values];
};
