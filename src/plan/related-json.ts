// The JSON of what belongs to records that resolvers show: read for all of them by one statement, as loaders read rows.
import type { Context } from '../context.ts';
import type { RelatedJson, RequestKey } from '../data/contact/field-json.ts';
import { JsonRead, readJson } from '../data/noun/json-read.ts';
import { Bindings, buildJsonSql, writeValueSql } from '../data/noun/json-sql.ts';
import { createRelationLoader, takeFirstRelated } from './loader.ts';

const prepareRead = ({ rows, pick, of }: RelatedJson): JsonRead => {
  const bindings = new Bindings(false);
  const value = { rows: { buildSql: rows.buildSql, by: 'id' }, pick, nullable: true, of };
  const json = buildJsonSql(writeValueSql('parent', value, bindings));
  const sql = `select parent.id, ${json} as json from unnest(cast(:ids as bigint[])) parent (id)`;
  return new JsonRead('related', sql, bindings.values);
};

type Load = ReturnType<typeof createRelationLoader<{ id: number; json: string | null }>>;
const loaders = new WeakMap<RelatedJson, Load>();

const createLoader = (related: RelatedJson): Load => {
  const read = prepareRead(related);
  return createRelationLoader(
    async ({ space }, ids) =>
      (await readJson(space, read, { ids })).map(([id, json]) => ({ id: Number(id), json: json || null })),
    ({ id }) => id,
  );
};

const requestKeys: Record<RequestKey, (context: Context) => number> = {
  space: ({ space }) => space.id,
  user: ({ caller }) => caller.userId,
};

/** The text of what belongs to a record; null where it refers to nothing, or to what is not there. */
export const loadRelatedJson = async (
  context: Context,
  related: RelatedJson,
  source: Readonly<Record<string, unknown>>,
): Promise<string | null> => {
  const key = related.key ? requestKeys[related.key](context) : source[related.rows.by];
  if (key === undefined) throw new Error(`The record lacks ${related.rows.by}`);
  if (key === null) return null;
  const load = loaders.get(related) ?? createLoader(related);
  loaders.set(related, load);
  return (await takeFirstRelated(load(context, key as number)))?.json ?? null;
};
