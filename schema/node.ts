// Records with an id: the interface `Node`, the ids of a record, and the ids that arguments accept.
import type { ObjectRef } from '@pothos/core';
import { isPermitted } from '../src/authority.ts';
import type { Context } from '../src/context.ts';
import { createRelationLoader, takeFirstRelated } from '../src/execution/loader.ts';
import { formatGlobalId, splitGlobalId } from '../src/input/global-id.ts';
import { limitListLength } from '../src/input/list-length.ts';
import { limits } from '../src/limits.ts';
import { findTypePermission } from '../src/permissions.ts';
import { createInvalidProblem } from '../src/problem.ts';
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
type ReadNodes = (context: Context, ids: readonly number[]) => Promise<readonly Row[]>;

const readers = new Map<string, NodeReader>();
/** The types of the rows that `node` and `nodes` yield. */
const typesOfRows = new WeakMap<object, string>();

export const Node = builder.interfaceRef<Row>('Node').implement({
  description: 'A record that can be read by its id.',
  resolveType: (row) => typesOfRows.get(row),
  fields: (t) => ({
    id: t.id({
      description: 'The id of the record, which no other record has: `Contact:42`.',
      resolve: (row) => formatGlobalId(typesOfRows.get(row)!, row.id),
    }),
  }),
});

type FieldBuilder = Parameters<Parameters<typeof builder.interfaceFields<typeof Node>>[1]>[0];

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

interface NodeReader {
  read: ReadNodes;
}

interface NodeOptions {
  /** Reads one record, where that differs. */
  readOne?: (context: Context, id: number) => Promise<Row | undefined>;
  /** Whether the type has a root field of its own. */
  hasField?: boolean;
  /** `always` where `readOne` itself requires the permission for other records than the caller's own. */
  ownRecord?: 'always';
}

/** `MembershipPrice` is a `membership price`. */
const toWords = (type: string): string => type.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trim();

/** Adds the root field that reads one record of a type: `membershipPrice(id)`. */
const defineSingleRead = (
  type: ObjectRef<SchemaTypes, unknown>,
  { readOne, ownRecord }: Required<Pick<NodeOptions, 'readOne'>> & NodeOptions,
): void => {
  const { name } = type;
  builder.queryField(`${name[0]!.toLowerCase()}${name.slice(1)}`, (t) =>
    t.field({
      type,
      nullable: true,
      description: `One ${toWords(name)}, or null when there is none.`,
      ...(ownRecord && { extensions: { ownRecord } }),
      args: { id: t.arg({ ...acceptId(name), required: true, description: `Id of the ${toWords(name)}.` }) },
      resolve: async (_, { id }, context) => (await readOne(context, id)) ?? null,
    }),
  );
};

/** Lets `node` and `nodes` read records of this type, and adds the root field that reads one by its id. */
export const registerNode = (
  type: Pick<ObjectRef<SchemaTypes, unknown>, 'name'>,
  read: ReadNodes,
  { readOne = async (context, id) => (await read(context, [id]))[0], hasField = false, ...options }: NodeOptions = {},
): void => {
  readers.set(type.name, { read });
  if (!hasField) defineSingleRead(type as ObjectRef<SchemaTypes, unknown>, { readOne, ...options });
};

const loaders = new Map<string, ReturnType<typeof createRelationLoader<Row>>>();

/** One record of a type, or null; those of many parents are read together. The caller may see the type. */
export const loadNode = (context: Context, type: string, id: number): Row | null | Promise<Row | null> => {
  const reader = readers.get(type);
  if (!reader) throw new Error(`${type} is not a type of Node`);
  let load = loaders.get(type);
  if (!load) {
    load = createRelationLoader(
      async (within, ids) => {
        const rows = await reader.read(within, ids);
        for (const row of rows) typesOfRows.set(row, type);
        return [...rows];
      },
      (row) => row.id,
    );
    loaders.set(type, load);
  }
  return takeFirstRelated(load(context, id));
};

/** The types whose records `node` reads. */
export const listNodeTypes = (): string[] => [...readers.keys()];

/** An argument or an input field that takes the id of a record of this type. */
export const acceptId = (type: string) => ({ type: 'ID' as const, extensions: { idOf: type } });
export const acceptIds = (type: string) => ({ type: ['ID'] as ['ID'], extensions: { idOf: type } });

/** The number of another record, as legacy clients read it: the public graph has the record itself. */
export const legacyId = { type: 'SafeInt' as const, extensions: { legacy: true as const } };
export const legacyIds = { type: ['SafeInt'] as ['SafeInt'], extensions: { legacy: true as const } };

/** Reads records of any types, each at the index of its id; null for those that the caller cannot see. Throws 400 for what is no global id. */
const readNodes = async (context: Context, ids: readonly string[], locate: (index: number) => string) => {
  const wanted = ids.map(splitGlobalId);
  const faults = ids.flatMap((value, index) => {
    const type = wanted[index]?.type;
    if (type !== undefined && readers.has(type)) return [];
    const message = type === undefined ? 'must be a global id such as Contact:42' : `${type} is not a type of Node`;
    return [{ location: locate(index), message, value }];
  });
  if (faults.length > 0) throw createInvalidProblem(faults);
  const rows = new Map<string, Row>();
  await Promise.all(
    [...new Set(wanted.map((one) => one!.type))].map(async (type) => {
      const numbers = wanted.filter((one) => one!.type === type).map((one) => one!.id);
      const permission = findTypePermission(type);
      if (permission && !isPermitted(context.caller, permission)) return;
      const { read } = readers.get(type)!;
      for (const row of await read(context, [...new Set(numbers)])) {
        typesOfRows.set(row, type);
        rows.set(formatGlobalId(type, row.id), row);
      }
    }),
  );
  return wanted.map((one) => rows.get(formatGlobalId(one!.type, one!.id)) ?? null);
};

builder.queryFields((t) => ({
  node: t.field({
    type: Node,
    nullable: true,
    description: 'The record with this id; null when there is none, or the caller may not see it.',
    args: { id: t.arg.id({ required: true, description: 'A global id, such as `Contact:42`.' }) },
    resolve: async (_, { id }, context) => (await readNodes(context, [String(id)], () => 'id'))[0] as Row | null,
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
    resolve: (_, { ids }, context) => readNodes(context, ids.map(String), (index) => `ids[${index}]`),
  }),
}));
