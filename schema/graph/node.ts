// Records with an id: the interface `Node`, the ids of a record, and the ids that arguments accept.
import type { ObjectRef } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../src/context.ts';
import type { RecordPlan } from '../../src/data/contact/field-json.ts';
import type { ContactJsonQuery } from '../../src/data/contact/json.ts';
import { readMergeSurvivors } from '../../src/data/contact/read.ts';
import type { RowProjection } from '../../src/data/noun/json-sql.ts';
import { toWords } from '../../src/data/noun/noun.ts';
import { formatGlobalId, splitGlobalId } from '../../src/input/global-id.ts';
import { limitListLength } from '../../src/input/list-length.ts';
import { getOrMake } from '../../src/limits/cache-key.ts';
import { limits } from '../../src/limits/limits.ts';
import { isPermitted } from '../../src/permissions/authority.ts';
import { findTypePermission } from '../../src/permissions/permissions.ts';
import { createRelationLoader, takeFirstRelated } from '../../src/plan/loader.ts';
import { createInvalidProblem } from '../../src/problem.ts';
import { builder } from './builder.ts';

type SchemaTypes = typeof builder.$inferSchemaTypes;
interface Row {
  id: number;
}

declare module 'graphql' {
  // biome-ignore lint/suspicious/noExplicitAny: the signature is graphql's own
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs = any> {
    /** The type whose global id the field shows; its number is in the column `id`. */
    globalIdOf?: string;
    /** Whether only stored operations select the field: the public graph lacks it. */
    legacy?: true;
  }
  interface GraphQLArgumentExtensions {
    /** The type of the records that the ids name. */
    idOf?: string;
  }
  interface GraphQLInputFieldExtensions {
    idOf?: string;
  }
}

/** Reads those records of a type that have these ids and that the caller may see. */
export interface NodeReader {
  read(context: Context, ids: readonly number[]): Promise<readonly Row[]>;
  /** The JSON of the same records by their ids, where PostgreSQL can write it. */
  readJson?(context: Context, ids: readonly number[], of: RowProjection): Promise<Map<number, string>>;
}

const readers = new Map<string, NodeReader>();
/** The types of the rows that `node` and `nodes` yield. */
const typesOfRows = new WeakMap<object, string>();
/** The type of a row that `loadRecord` has read. */
export const findTypeOfRow = (row: object): string | undefined => typesOfRows.get(row);

export const Node = builder.interfaceRef<Row>('Node').implement({
  description: 'A record that can be read by its id.',
  resolveType: findTypeOfRow,
  fields: (t) => ({
    id: t.id({
      description: 'The id of the record, which no other record has: `Contact:42`.',
      resolve: (row) => formatGlobalId(typesOfRows.get(row)!, row.id),
    }),
  }),
});

type FieldBuilder = Parameters<Parameters<typeof builder.interfaceFields<typeof Node>>[1]>[0];

/** A field with the id of the record that a column names. */
export const nameRecord = <Column extends string>(type: string, column: Column, description: string) => ({
  description,
  resolve: (row: Record<Column, number>) => formatGlobalId(type, row[column]),
});

/** The same for a column that may be empty. */
export const nameAnyRecord = <Column extends string>(type: string, column: Column, description: string) => ({
  description,
  nullable: true as const,
  resolve: ({ [column]: id }: Record<Column, number | null>) => (id === null ? null : formatGlobalId(type, id)),
});

/** The ids of a record: the one of the graph, and the number under which the database has it. */
export const defineNodeFields = (t: FieldBuilder | object, type: string) => {
  const fields = t as FieldBuilder;
  return {
    id: fields.id({
      description: 'The id of the record, which no other record has.',
      extensions: { globalIdOf: type },
      resolve: ({ id }) => formatGlobalId(type, id),
    }),
    databaseId: fields.expose('id', {
      type: 'SafeInt',
      description: 'The number of the record: unique among the records of its type in the space.',
    }),
  };
};

export interface NodeOptions {
  /** Reads one record for the root field of its type, where that differs. */
  readOne?: (context: Context, id: number) => Promise<Row | undefined>;
  /** Whether the type has a root field of its own. */
  hasField?: boolean;
  /** `always` where `readOne` itself requires the permission for other records than the caller's own. */
  ownRecord?: 'always';
}

const getReader = (type: string): NodeReader => {
  const reader = readers.get(type);
  if (!reader) throw new Error(`${type} is not a type of Node`);
  return reader;
};

/** For fields whose resolver reads records by `loadNode`. */
export const nodeExtensions = {
  json: { records: (type: string) => type === 'Contact' || getReader(type).readJson !== undefined },
} as const;

/** Adds the root field that reads one record of a type: `membershipPrice(id)`. */
const defineSingleRead = (type: ObjectRef<SchemaTypes, unknown>, { readOne, ownRecord }: NodeOptions): void => {
  const { name } = type;
  builder.queryField(`${name[0]!.toLowerCase()}${name.slice(1)}`, (t) =>
    t.field({
      type,
      nullable: true,
      description: `One ${toWords(name)}, or null when there is none.`,
      extensions: { ...(ownRecord && { ownRecord }), ...(!readOne && nodeExtensions) },
      args: { id: t.arg(requireId(name)) },
      resolve: async (_, { id }, context, info) =>
        (await (readOne ? readOne(context, id) : loadNode(context, info, { type: name, id }))) ?? null,
    }),
  );
};

/** Lets `node` and `nodes` read records of this type, and adds the root field that reads one by its id. */
export const registerNode = (
  type: Pick<ObjectRef<SchemaTypes, unknown>, 'name'>,
  reader: NodeReader,
  { hasField = false, ...options }: NodeOptions = {},
): void => {
  readers.set(type.name, reader);
  if (!hasField) defineSingleRead(type as ObjectRef<SchemaTypes, unknown>, options);
};

type Load<Record> = ReturnType<typeof createRelationLoader<Record>>;
const rowLoaders = new Map<string, Load<Row>>();
const createRowLoader = (type: string): Load<Row> =>
  createRelationLoader(
    async (context, ids) => {
      const rows = await getReader(type).read(context, ids);
      for (const row of rows) typesOfRows.set(row, type);
      return [...rows];
    },
    (row) => row.id,
  );

interface RecordText {
  id: number;
  json: string;
}
/** A contact that is read alone shares its statement with those of other requests. */
const readContactTexts = async (
  { space }: Context,
  contacts: ContactJsonQuery,
  ids: readonly number[],
): Promise<RecordText[]> => {
  const [id, ...more] = ids;
  if (id === undefined || more.length > 0) return contacts.readByIds(space, ids);
  const found = await contacts.readById(space, id);
  return found ? [{ id, json: found.json }] : [];
};

const textLoaders = new WeakMap<RecordPlan, Load<RecordText>>();
const createTextLoader = (type: string, plan: RecordPlan): Load<RecordText> =>
  createRelationLoader(
    async (context, ids) => {
      if ('contacts' in plan) return readContactTexts(context, plan.contacts, ids);
      const { read, readJson } = getReader(type);
      if ('writeText' in plan) return (await read(context, ids)).map(({ id }) => ({ id, json: plan.writeText(id) }));
      return [...(await readJson!(context, ids, plan.of))].map(([id, json]) => ({ id, json }));
    },
    ({ id }) => id,
  );

/** One record of a type under its own id, or null. It is JSON text where execution passes that through. */
export const loadRecord = (
  context: Context,
  { fieldNodes }: GraphQLResolveInfo,
  { type, id }: { type: string; id: number },
): Row | null | Promise<Row | null> => {
  const plan = context.jsonPlans?.get(fieldNodes[0]!);
  if (plan && 'records' in plan) {
    const ofType = plan.records.get(type)!;
    const load = getOrMake(textLoaders, ofType, () => createTextLoader(type, ofType));
    return takeFirstRelated(load(context, id));
  }
  const load = getOrMake(rowLoaders, type, () => createRowLoader(type));
  return takeFirstRelated(load(context, id));
};

const loadSurvivor = createRelationLoader(
  async ({ space }, ids) => [...(await readMergeSurvivors(space, ids))].map(([id, survivor]) => ({ id, survivor })),
  ({ id }) => id,
);

/** One record of a type, or null; those of many parents are read together. The id of a merged contact leads to its survivor. The caller may see the type. */
export const loadNode = async (
  context: Context,
  info: GraphQLResolveInfo,
  { type, id }: { type: string; id: number },
): Promise<Row | null> => {
  const found = await loadRecord(context, info, { type, id });
  if (found || type !== 'Contact') return found;
  const merged = await takeFirstRelated(loadSurvivor(context, id));
  return merged && loadRecord(context, info, { type, id: merged.survivor });
};

/** The types whose records `node` reads. */
export const listNodeTypes = (): string[] => [...readers.keys()];

/** An argument or an input field that takes the id of a record of this type. */
export const acceptId = (type: string) => ({ type: 'ID' as const, extensions: { idOf: type } });
export const acceptIds = (type: string) => ({ type: ['ID'] as ['ID'], extensions: { idOf: type } });

/** A required argument, or input field, with the id of the record that an operation is about. */
export const requireId = (type: string) => ({
  ...acceptId(type),
  required: true as const,
  description: `Id of the ${toWords(type)}.`,
});

/** The number of another record, as legacy clients read it: the public graph has the record itself. */
export const legacyId = { type: 'SafeInt' as const, extensions: { legacy: true as const } };
export const legacyIds = { type: ['SafeInt'] as ['SafeInt'], extensions: { legacy: true as const } };

/** Reads records of any types, each at the index of its id; null for those that the caller cannot see. Throws 400 for what is no global id. */
const readNodes = (
  context: Context,
  info: GraphQLResolveInfo,
  { ids, locate }: { ids: readonly string[]; locate: (index: number) => string },
): Promise<(Row | null)[]> => {
  const wanted = ids.map(splitGlobalId);
  const faults = ids.flatMap((value, index) => {
    const type = wanted[index]?.type;
    if (type !== undefined && readers.has(type)) return [];
    const message = type === undefined ? 'must be a global id such as Contact:42' : `${type} is not a type of Node`;
    return [{ location: locate(index), message, value }];
  });
  if (faults.length > 0) throw createInvalidProblem(faults);
  return Promise.all(
    wanted.map((one) => {
      const permission = findTypePermission(one!.type);
      return permission && !isPermitted(context.caller, permission) ? null : loadNode(context, info, one!);
    }),
  );
};

builder.queryFields((t) => ({
  node: t.field({
    type: Node,
    nullable: true,
    description: 'The record with this id; null when there is none, or the caller may not see it.',
    args: { id: t.arg.id({ required: true, description: 'A global id, such as `Contact:42`.' }) },
    extensions: nodeExtensions,
    resolve: async (_, { id }, context, info) =>
      (await readNodes(context, info, { ids: [String(id)], locate: () => 'id' }))[0]!,
  }),
  nodes: t.field({
    type: t.listRef(Node, { nullable: true }),
    description:
      'The records with these ids, each at the index of its id; null in place of those that `node` does not find.',
    args: {
      ids: t.arg({
        type: ['ID'],
        required: true,
        validate: limitListLength([1, limits.list.nodes], 'ids'),
        description: `Global ids, 1 to ${limits.list.nodes}.`,
      }),
    },
    extensions: nodeExtensions,
    resolve: async (_, { ids }, context, info) =>
      readNodes(context, info, { ids: ids.map(String), locate: (index) => `ids[${index}]` }),
  }),
}));
