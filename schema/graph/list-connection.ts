// Connections over lists: the pages and the totals of a noun in the space, and those of the records that hang on each of many parents.
import type { ObjectRef } from '@pothos/core';
import type { FieldNode } from 'graphql';
import type { Context, Field, Step } from '../../src/context.ts';
import type { Viewer } from '../../src/data/noun/describe.ts';
import type { Bindings, Projection } from '../../src/data/noun/json-sql.ts';
import { toWords } from '../../src/data/noun/noun.ts';
import type { ListPage } from '../../src/data/noun/page.ts';
import type { ConnectionPart } from '../../src/data/noun/page-json.ts';
import type { Total } from '../../src/data/noun/totals.ts';
import type { Space } from '../../src/database/space.ts';
import { getOrMake } from '../../src/limits/cache-key.ts';
import { createRelationLoader, mapRelated } from '../../src/plan/loader.ts';
import { builder } from './builder.ts';
import type { FieldEnums } from './list-filter.ts';
import {
  type ConnectionArguments,
  type ConnectionSource,
  defineConnectionTypes,
  type ListShape,
  readConnectionArguments,
  type TotalsArguments,
} from './list-types.ts';
import { type NodeOptions, type NodeReader, registerNode } from './node.ts';

type SchemaTypes = typeof builder.$inferSchemaTypes;

declare module 'graphql' {
  // biome-ignore lint/suspicious/noExplicitAny: the signature is graphql's own
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs = any> {
    /** Whether the resolver yields a `NestedList`: it depends on the arguments alone, and serves all parents. */
    nestedList?: true;
  }
}

/** A list as `defineList` makes it; its own types are those of the arguments that are generated here. */
interface List<Row> extends ListShape {
  readPage(space: Space, options: object): Promise<ListPage<Row>>;
  readPageJson(space: Space, options: object): Promise<string>;
  readByIds(space: Space, ids: readonly number[], options: object): Promise<Row[]>;
  readJsonByIds(space: Space, ids: readonly number[], options: object): Promise<Map<number, string>>;
  count(space: Space, options: object): Promise<number>;
  readTotals(space: Space, options: object): Promise<Total[]>;
}
interface ListOfParents<Row> extends ListShape {
  readPagesOf(space: Space, options: object): Promise<Map<number, ListPage<Row>>>;
  readPageJsonOf(space: Space, options: object): Promise<Map<number, string>>;
  preparePageJsonOf(options: object): (alias: string, bindings: Bindings) => string;
  countOf(space: Space, options: object): Promise<Map<number, number>>;
  readTotalsOf(space: Space, options: object): Promise<Map<number, Total[]>>;
}

const createViewer = (context: Context, seesAll: (context: Context) => boolean): Viewer => ({
  userId: context.caller.userId,
  seesAll: seesAll(context),
});

/** The source of a connection. Nothing is read before a field of it is resolved, and a page is read once. */
const createSource = <Row>(
  list: List<Row>,
  args: ConnectionArguments,
  { space, viewer }: { space: Space; viewer: Viewer },
): ConnectionSource<Row> => {
  const { filter, page: options, formatCursor, cursorList } = readConnectionArguments<Row>(list, args);
  let page: Promise<ListPage<Row>> | undefined;
  return {
    readPage: () => {
      page ??= list.readPage(space, { ...options, viewer });
      return page;
    },
    formatCursor,
    readJson: (parts) => list.readPageJson(space, { ...options, viewer, cursorList, parts }),
    count: () => list.count(space, { filter, viewer }),
    readTotals: (grouping) => list.readTotals(space, { filter, viewer, ...grouping }),
  };
};

interface ConnectionOptions<Row> {
  /** The root field. */
  field: string;
  type: ObjectRef<SchemaTypes, Row>;
  /** A list made by `defineList`. */
  list: object;
  /** The description of the root field, where it says more than that these are the records of the space. */
  description?: string;
  /** Whether the caller sees records that are hidden from others. */
  seesAll?: (context: Context) => boolean;
  /** The enums of fields with a closed list of values. */
  enums?: FieldEnums;
  /** Overrides how `node` and the root field of one record read it. */
  node?: NodeOptions & Partial<NodeReader>;
}

/** A connection, for fields of other types. */
interface ListConnection<Row> extends ReturnType<typeof defineConnectionTypes<Row & { id: number }>> {
  list: object;
  seesAll(context: Context): boolean;
}

/** Adds a root field that lists the records of a noun in the space, with its connection, filter, orders and totals, and the root field that reads one record. */
export const defineListConnection = <Row extends { id: number }>(
  options: ConnectionOptions<Row>,
): ListConnection<Row> => {
  const { field, type, list, seesAll = () => false, enums = {}, node = {} } = options;
  const types = defineConnectionTypes({ field, type, list: list as ListShape, enums });
  builder.queryField(field, (t) =>
    t.field({
      type: types.Connection,
      description: options.description ?? `The ${toWords(field)} of the space.`,
      args: types.defineArgs(t),
      extensions: { json: { connection: 'list' } },
      resolve: (_, args, context) =>
        createSource(list as List<Row>, args as ConnectionArguments, {
          space: context.space,
          viewer: createViewer(context, seesAll),
        }),
    }),
  );
  const { readByIds, readJsonByIds } = list as List<Row>;
  const reader: NodeReader = {
    read: (context, ids) => readByIds(context.space, ids, { viewer: createViewer(context, seesAll) }),
    readJson: (context, ids, of) => readJsonByIds(context.space, ids, { of, viewer: createViewer(context, seesAll) }),
    ...node,
  };
  registerNode(type, reader, node);
  return { ...types, list, seesAll } as ListConnection<Row>;
};

/** The list of each parent: the same page of all of them is read by one statement, and so is each total. */
interface NestedList<Row> {
  getSource(parent: number): ConnectionSource<Row>;
}

/** Reads a value for each of many parents at once. */
const createValueLoader = <Value>(read: (context: Context, ids: readonly number[]) => Promise<Map<number, Value>>) => {
  const load = createRelationLoader(
    async (context, ids) => [...(await read(context, ids))].map(([id, value]) => ({ id, value })),
    ({ id }) => id,
  );
  return (context: Context, id: number): Promise<Value> =>
    Promise.resolve(mapRelated(load(context, id), ([found]) => found!.value));
};

const createNestedList = <Row>(
  list: ListOfParents<Row>,
  parent: string,
  args: ConnectionArguments,
  { context, viewer }: { context: Context; viewer: Viewer },
): NestedList<Row> => {
  const { filter, page: options, formatCursor, cursorList } = readConnectionArguments<Row>(list, args);
  const readPage = createValueLoader(({ space }, ids) => list.readPagesOf(space, { ...options, viewer, parent, ids }));
  const count = createValueLoader(({ space }, ids) => list.countOf(space, { filter, viewer, parent, ids }));
  const texts = new Map<Projection<ConnectionPart>, (context: Context, id: number) => Promise<string>>();
  const readJson = (parts: Projection<ConnectionPart>) => {
    const read = ({ space }: Context, ids: readonly number[]) =>
      list.readPageJsonOf(space, { ...options, viewer, parent, cursorList, parts, ids });
    return getOrMake(texts, parts, () => createValueLoader(read));
  };
  const totals = new Map<string, (context: Context, id: number) => Promise<Total[]>>();
  const readTotals = (grouping: TotalsArguments) => {
    const key = JSON.stringify([grouping.groupBy, grouping.of]);
    const read = ({ space }: Context, ids: readonly number[]) =>
      list.readTotalsOf(space, { filter, viewer, ...grouping, parent, ids });
    return getOrMake(totals, key, () => createValueLoader(read));
  };
  return {
    getSource: (id) => ({
      readPage: () => readPage(context, id),
      formatCursor,
      readJson: (parts) => readJson(parts)(context, id),
      // One plan serves all users with the same role.
      ...(!list.restricted?.includes('?') && {
        prepareJson: (parts) => list.preparePageJsonOf({ ...options, viewer, parent, cursorList, parts }),
      }),
      count: () => count(context, id),
      readTotals: (grouping) => readTotals(grouping)(context, id),
    }),
  };
};

interface NestedOptions<Row> {
  on: { name: string };
  field: string;
  /** The connection of the records, as `defineListConnection` made it. */
  connection: ListConnection<Row>;
  /** The field of the list that has the parent's id. */
  parent: string;
  description: string;
  /** A list of the same records, where not all of them are meant. */
  list?: object;
}

/** Adds a field that lists the records of each parent, with the arguments that the root field has. */
export const defineNestedConnection = <Row>(options: NestedOptions<Row>): void => {
  const { on, field, parent, description, connection } = options;
  const { Connection, defineArgs, seesAll } = connection;
  const list = (options.list ?? connection.list) as ListOfParents<Row>;
  /** By their arguments: selections that ask for the same page share it. */
  const listsOf = new WeakMap<Context, Map<string, NestedList<Row>>>();
  builder.objectField(on as ObjectRef<SchemaTypes, { id: number }>, field, (t) =>
    t.field({
      type: Connection,
      description,
      args: defineArgs(t as never),
      extensions: { nestedList: true, json: { connection: 'list' } },
      resolve: (_, args, context) => {
        const lists = getOrMake(listsOf, context, () => new Map());
        return getOrMake(lists, JSON.stringify(args), () =>
          createNestedList(list, parent, args as ConnectionArguments, {
            context,
            viewer: createViewer(context, seesAll),
          }),
        ) as never;
      },
    }),
  );
};

/**
 * The lists of a request by the selection that asks for them: the executor makes one array of its nodes for all parents. A node alone can be in
 * several selections.
 */
const nestedLists = new WeakMap<
  Context,
  Map<readonly FieldNode[], NestedList<unknown> | Promise<NestedList<unknown>>>
>();

/** Reads and checks the arguments of a nested list once for all parents of a selection, since they are the same for all of them. */
export const planSharedList = ({ extensions }: Field): Step | undefined => {
  if (!extensions.nestedList) return undefined;
  return (next) => (source, args, context, info) => {
    const lists = getOrMake(nestedLists, context, () => new Map());
    const list = getOrMake(lists, info.fieldNodes, () => next(source, args, context, info) as NestedList<unknown>);
    const { id } = source as { id: number };
    return list instanceof Promise ? list.then((one) => one.getSource(id)) : list.getSource(id);
  };
};
