// Composes statements whose conditions and order depend on the request, by Knex's query builder. It has no connection: `Space` sends what it yields.
import knexPackage, { type Knex } from 'knex';
import { prepareStatement, type Statement, type Values } from './statement.ts';

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
