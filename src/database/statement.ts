// Statements: SQL texts that are scoped to one space, and how they run in it.
import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { runStatement } from './run-statement.ts';
import { maxClientTexts, nameClientStatement, nameStatementText } from './statement-cache.ts';

/** A SQL text that is scoped to one space, prepared under its name if it has one. Values are bound by name: `:id`. */
export interface Statement {
  readonly name: string | null;
  readonly sql: string;
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

export type Values = Record<string, unknown>;
export type RunStatement = <Row>(statement: Statement, values?: Values) => Promise<Row[]>;

/** Runs statements within one space. */
export interface Scoped {
  rows: RunStatement;
}

/** A space over the connections of a pool, or over the one of a transaction. */
export const scopeToSpace = (knex: Knex, group: number): Scoped => ({
  rows: ({ name, sql }, values = {}) => runStatement(knex, sql, { ...values, group }, name),
});
