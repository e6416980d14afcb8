// Statements: SQL texts that name the space whose rows they reach, and how one is run there.
import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { runStatement } from './run-statement.ts';
import { maxClientTexts, nameClientStatement, nameStatementText } from './statement-cache.ts';

/** A SQL text that is scoped to one space, prepared under its name if it has one. Values are bound by name: `:id`. */
export interface Statement {
  readonly name: string | null;
  readonly sql: string;
}

/** Declares a statement. Refuses, for most when the module is loaded, a text that does not mention the space. */
export const defineStatement = (name: string | null, sql: string): Statement => {
  if (!sql.includes(':group')) throw new Error(`Statement ${name} is not scoped: it must compare group_id with :group`);
  return { name, sql };
};

/** Texts of our own, of which there are few. */
const own = new Map<string, Statement>();
/** Those of clients, who think of any number. */
const ofClients = new LRUCache<string, Statement>({ max: maxClientTexts.texts });

/** The statement of a text that is made as requests ask for it, prepared under a name of its own; `trusted` when there are few. */
export const prepareStatement = (noun: string, sql: string, trusted = false): Statement => {
  const made = trusted ? own : ofClients;
  const known = made.get(sql);
  if (known) return known;
  if (!trusted && sql.length > maxClientTexts.characters) return defineStatement(null, sql);
  const fresh = defineStatement(trusted ? nameStatementText(noun, sql) : nameClientStatement(noun, sql), sql);
  made.set(sql, fresh);
  return fresh;
};

export type Values = Record<string, unknown>;
export type Rows = <Row>(statement: Statement, values?: Values) => Promise<Row[]>;

/** What runs statements within one space. */
export interface Scoped {
  rows: Rows;
}

/** A space over the connections of a pool, or over the one of a transaction. */
export const scopeToSpace = (knex: Knex, group: number): Scoped => ({
  rows: ({ name, sql }, values = {}) => runStatement(knex, sql, { ...values, group }, name),
});
