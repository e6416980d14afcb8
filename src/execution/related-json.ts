// The JSON of what belongs to records that resolvers show: read for all of them by one statement, as loaders read rows.

import type { Context } from '../context.ts';
import type { RelatedJson } from '../data/json-plan.ts';
import { Bindings, buildJsonSql, writeValueSql } from '../data/json-sql.ts';
import { decodeRows, type EncodedColumn, type EncodedRows, encodeRowsSql } from '../database/row-codec.ts';
import { prepareStatement, type Statement, type Values } from '../database/statement.ts';
import { createRelationLoader, takeFirstRelated } from './loader.ts';

const columns: EncodedColumn[] = [
  { name: 'id', sql: 'written.id' },
  { name: 'json', sql: 'written.json' },
];

const prepareRead = ({ rows, pick, of }: RelatedJson): { statement: Statement; values: Values } => {
  const bindings = new Bindings(false);
  const value = { rows: { buildSql: rows.buildSql, by: 'id' }, pick, nullable: true, of };
  const json = buildJsonSql(writeValueSql('parent', value, bindings));
  const from = `from (select parent.id, ${json} as json from unnest(cast(:ids as bigint[])) parent (id)) written`;
  return { statement: prepareStatement('related.json', encodeRowsSql(columns, from)), values: bindings.values };
};

type Load = ReturnType<typeof createRelationLoader<{ id: number; json: string | null }>>;
const loaders = new WeakMap<RelatedJson, Load>();

const createLoader = (related: RelatedJson): Load => {
  const { statement, values } = prepareRead(related);
  return createRelationLoader(
    async ({ space }, ids) => {
      const rows = await space.rows<EncodedRows>(statement, { ...values, ids });
      return decodeRows(rows, columns).map(([id, json]) => ({ id: Number(id), json: json || null }));
    },
    ({ id }) => id,
  );
};

/** The text of what belongs to a record; null where it refers to nothing, or to what is not there. */
export const loadRelatedJson = async (
  context: Context,
  related: RelatedJson,
  source: Readonly<Record<string, unknown>>,
): Promise<string | null> => {
  const key = source[related.rows.by];
  if (key === undefined) throw new Error(`The record lacks ${related.rows.by}`);
  if (key === null) return null;
  const load = loaders.get(related) ?? createLoader(related);
  loaders.set(related, load);
  return (await takeFirstRelated(load(context, key as number)))?.json ?? null;
};
