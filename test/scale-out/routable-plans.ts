// How a Citus cluster plans the statements of the program: each has to be the task of one shard.
import type pg from 'pg';
import type { Recorded } from '../harness/app.ts';

/** Statements that are about the session or the transaction, and read no table. */
const plain = /^\s*(begin|commit|rollback|savepoint|release|set|show)\b/i;
const explained = /^\s*explain\s*\([^)]*\)\s*/i;

/** Statements that have a plan, one of each text, and not as an EXPLAIN that the program sent itself. */
export const keepPlanned = (recorded: readonly Recorded[]): Recorded[] => {
  const texts = new Map<string, Recorded>();
  for (const { sql, bindings } of recorded) {
    const own = sql.replace(explained, '');
    if (!plain.test(own)) texts.set(own, { sql: own, bindings });
  }
  return [...texts.values()];
};

/** The text with its values in it, each cast to the type that the server gives its place. */
const inlineValues = async (client: pg.Client, { sql, bindings }: Recorded): Promise<string> => {
  await client.query(`prepare routable as ${sql}`);
  try {
    const prepared = await client.query(
      `select unnest(parameter_types)::text as type from pg_prepared_statements where name = 'routable'`,
    );
    const types: string[] = prepared.rows.map(({ type }) => type);
    if (types.length === 0) return sql;
    const columns = types.map(
      (type, index) => `format('cast(%L as ${type})', cast($${index + 1} as ${type})) as v${index + 1}`,
    );
    const { rows } = await client.query(`select ${columns.join(', ')}`, [...bindings]);
    return sql.replace(/\$(\d+)/g, (_, place) => rows[0][`v${place}`]);
  } finally {
    await client.query('deallocate routable');
  }
};

/** What EXPLAIN of Citus refuses for the bound values of an INSERT ... SELECT whose rows pass through the coordinator. To run it with them works. */
const refusesBindings = /^could not create distributed plan|^no value found for parameter/;

/** The plan of a statement, which is not run. Throws the server's error. */
export const readPlan = async (client: pg.Client, recorded: Recorded): Promise<string> => {
  const explain = async (sql: string, bindings: readonly unknown[]): Promise<string> =>
    (await client.query(`explain (costs off) ${sql}`, [...bindings])).rows.map((row) => row['QUERY PLAN']).join('\n');
  try {
    return await explain(recorded.sql, recorded.bindings);
  } catch (error) {
    if (!refusesBindings.test((error as Error).message)) throw error;
    return explain(await inlineValues(client, recorded), []);
  }
};

/** What shows that a plan needs more than one shard: parts of more than one task, and rows that are sent from shard to shard. */
export const findScattered = (plan: string): string[] =>
  plan
    .split('\n')
    .map((line) => line.trim())
    .filter((line) =>
      /^Task Count: (?![01]$)|^INSERT\/SELECT method: (?!pull to coordinator$)|^-> {2}MapMerge/.test(line),
    );
