// Sends SQL texts over a pool: numbers their named values, prepares those that have a name, and bounds how long the gate waits.
import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { metrics, secondsSince } from '../telemetry/metrics.ts';
import { isTracing, traceStatement } from '../telemetry/tracing.ts';
import type { Connection } from './connection.ts';
import { acquireConnection, discardConnection, queryConnection, releaseConnection } from './knex-internals.ts';
import { endOverdueConnection } from './overdue.ts';
import { getPoolName, isPooled, sessionSettings } from './pool.ts';
import { makeRoomForStatement } from './statement-cache.ts';

/** A text as the driver takes it: its values are numbered, and `names` has them in that order. */
interface NumberedText {
  text: string;
  names: string[];
}

/** There are fewer texts of our own and prepared texts of clients than this. */
const numberedTexts = new LRUCache<string, NumberedText>({ max: 1000 });

/** Knex would do this anew for each request. Texts with a name are few, and are remembered. */
const numberValues = (sql: string, isNamed: boolean): NumberedText => {
  const known = numberedTexts.get(sql);
  if (known) return known;
  const names: string[] = [];
  const text = sql.replace(/(?<![:\w]):([A-Za-z]\w*)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  if (isNamed) numberedTexts.set(sql, { text, names });
  return { text, names };
};

/** `values` by the names in `sql` (`:id`), or in the order of its numbers (`$1`). A text with a `name` is prepared, unless a pooler shares its connection. */
type Text = [sql: string, values: Readonly<Record<string, unknown>> | readonly unknown[], name?: string | null];

/** The rows of a text sent over a connection of the pool. Errors are the driver's. */
export const sendStatement = async <Row>(
  knex: Knex,
  connection: Connection,
  ...[sql, values, name = null]: Text
): Promise<Row[]> => {
  const isNamed = name !== null && !isPooled(knex);
  const { text, names } = Array.isArray(values) ? { text: sql, names: undefined } : numberValues(sql, isNamed);
  if (isNamed) makeRoomForStatement(connection, name, text);
  const bindings = names ? names.map((name) => (values as Record<string, unknown>)[name]) : (values as unknown[]);
  const query = (): Promise<Row[]> =>
    queryConnection<Row>(knex, connection, { sql: text, bindings, name: isNamed ? name : undefined });
  const pool = getPoolName(knex);
  const since = performance.now();
  try {
    return await (isTracing() ? traceStatement(name, pool, query) : query());
  } finally {
    if (pool) metrics.statements.observe(pool, secondsSince(since));
  }
};

/** The rows of a text sent over any connection of the pool; in a transaction over its own. */
export const runStatement = async <Row>(knex: Knex, ...text: Text): Promise<Row[]> => {
  const connection = await acquireConnection(knex);
  try {
    return await sendStatement<Row>(knex, connection, ...text);
  } finally {
    releaseConnection(knex, connection);
  }
};

/**
 * The rows of a text of a library, which may contain several statements with their own transaction: the connection of one that failed is not used
 * again.
 */
export const runLibraryText = async <Row>(knex: Knex, sql: string, values: readonly unknown[] = []): Promise<Row[]> => {
  const connection = await acquireConnection(knex);
  try {
    return (await queryConnection<Row>(knex, connection, { sql, bindings: values })) ?? [];
  } catch (error) {
    discardConnection(connection, error as Error);
    throw error;
  } finally {
    releaseConnection(knex, connection);
  }
};

/** How long a request that is not admitted yet waits for a connection, and then for its answer. */
const soon = { connectionMs: 2000, answerMs: 3000 };

const acquireSoon = async (knex: Knex): Promise<Connection> => {
  const coming = acquireConnection(knex);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('Timeout acquiring a connection')), soon.connectionMs);
  });
  try {
    return await Promise.race([coming, late]);
  } catch (error) {
    // A connection that comes after all goes back to the pool.
    coming.then((connection) => releaseConnection(knex, connection)).catch(() => {});
    throw error;
  } finally {
    clearTimeout(timer);
  }
};

/** The same for the gate: a request that is not admitted yet soon fails when there is no connection, or no answer. */
export const runStatementSoon = async <Row>(knex: Knex, ...text: Text): Promise<Row[]> => {
  const connection = await acquireSoon(knex);
  const timer = setTimeout(endOverdueConnection, soon.answerMs, connection);
  try {
    return await sendStatement<Row>(knex, connection, ...text);
  } finally {
    clearTimeout(timer);
    releaseConnection(knex, connection);
  }
};

/** Settings that a pooler, or the role of its connections, should have made and has not, as `name = value`. */
export const findMissingSettings = async (knex: Knex): Promise<string[]> => {
  const { timezone, ...due } = sessionSettings;
  const rows = await runStatement<{ name: string }>(
    knex,
    `select name from pg_settings where name = any(:names) and (setting in ('0', '') or name = 'jit' and setting = 'on')`,
    { names: Object.keys(due) },
  );
  return rows.map(({ name }) => `${name} = ${due[name as keyof typeof due]}`);
};
