// Connections over the lists of a space: the arguments, the pages and the totals of a noun, all from the description of its list.
import type { ObjectRef } from '@pothos/core';
import { z } from 'zod';
import type { Context } from '../src/context.ts';
import type { ListFields } from '../src/data/list/fields.ts';
import type { ListPage } from '../src/data/list/page.ts';
import { periods, type Total } from '../src/data/list/totals.ts';
import type { Space } from '../src/database/space.ts';
import { limits } from '../src/limits.ts';
import { builder } from './builder.ts';
import { decodeCursor, encodeCursor, PageInfo } from './connection.ts';
import { defineFilterInput } from './list-filter.ts';
import { Money } from './money.ts';
import { cursorText } from './validators.ts';

type SchemaTypes = typeof builder.$inferSchemaTypes;
type Direction = 'asc' | 'desc';

/** A list as `defineList` makes it; its own types are those of the arguments that are generated here. */
interface List<Row> {
  noun: string;
  fields: ListFields;
  orders: readonly string[];
  groups?: readonly string[];
  amount?: object;
  readPage(space: Space, options: object): Promise<ListPage<Row>>;
  count(space: Space, options: object): Promise<number>;
  readTotals(space: Space, options: object): Promise<Total[]>;
}

/** Records of a page, unless the client says how many. */
export const usualSize = 20;

declare module 'graphql' {
  interface GraphQLArgumentExtensions {
    /** The size of a page when the client says nothing. */
    usualSize?: number;
  }
}

/** `transactionDate` is `TRANSACTION_DATE`. */
export const convertToConstant = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

export const OrderDirection = builder.enumType('OrderDirection', {
  description: 'The direction of an order. Records without a value come last in both.',
  values: {
    ASC: { value: 'asc', description: 'The smallest or earliest first.' },
    DESC: { value: 'desc', description: 'The greatest or latest first.' },
  } as const,
});

/** An enum of names of fields. */
const defineFieldEnum = (name: string, description: string, fields: readonly string[], more: readonly string[] = []) =>
  builder.enumType(name, {
    description,
    values: Object.fromEntries([
      ...more.map((value) => [value, { value, description: `By ${value.toLowerCase()}.` }]),
      ...fields.map((field) => [convertToConstant(field), { value: field, description: `By the field \`${field}\`.` }]),
    ]) as Record<string, { value: string; description: string }>,
  });

interface ConnectionSource<Row> {
  readPage(): Promise<ListPage<Row>>;
  formatCursor(position: ListPage<Row>['rows'][number]['position']): string;
  count(): Promise<number>;
  readTotals(options: { groupBy: string; of?: string | null | undefined }): Promise<Total[]>;
}

interface ConnectionArguments {
  filter?: object | null | undefined;
  orderBy?: { field: string; direction: Direction } | null | undefined;
  first?: number | null | undefined;
  last?: number | null | undefined;
  after?: string | null | undefined;
  before?: string | null | undefined;
}

const positionParts = z.tuple([z.string().nullable(), z.int().min(0)]);

/** The source of a connection. Nothing is read before a field of it is resolved, and a page is read once. */
const createSource = <Row>(
  list: List<Row>,
  { filter, orderBy, first, last, after, before }: ConnectionArguments,
  { space, all }: { space: Space; all: boolean },
): ConnectionSource<Row> => {
  const order = orderBy ?? { field: 'id', direction: 'asc' };
  const cursorList = `${list.noun} ${order.field} ${order.direction}`;
  const readPosition = (cursor: string | null | undefined, location: string) => {
    if (cursor == null) return null;
    const [key, id] = decodeCursor(cursorList, positionParts, cursor, location);
    return { key, id };
  };
  const size = first == null && last == null ? { first: usualSize } : { first, last };
  const options = {
    filter,
    all,
    orderBy: order,
    ...size,
    after: readPosition(after, 'after'),
    before: readPosition(before, 'before'),
  };
  let page: Promise<ListPage<Row>> | undefined;
  return {
    readPage: () => {
      page ??= list.readPage(space, options);
      return page;
    },
    formatCursor: ({ key, id }) => encodeCursor(cursorList, key, id),
    count: () => list.count(space, { filter, all }),
    readTotals: (grouping) => list.readTotals(space, { filter, all, ...grouping }),
  };
};

interface ConnectionOptions<Row> {
  /** The root field. */
  field: string;
  type: ObjectRef<SchemaTypes, Row>;
  /** A list made by `defineList`. */
  list: object;
  description: string;
  /** Whether the caller sees records that are hidden from others. */
  seesAll?: (context: Context) => boolean;
}

/** Adds a root field that lists the records of a noun in the space, with its connection, filter, orders and totals. */
export const defineListConnection = <Row extends { id: number }>({
  field,
  type,
  list: untyped,
  description,
  seesAll = () => false,
}: ConnectionOptions<Row>): void => {
  const list = untyped as List<Row>;
  const { name } = type;
  const dates = Object.keys(list.fields).filter((one) => ['instant', 'day'].includes(list.fields[one]!.type));

  const Filter = defineFilterInput({ name, field, fields: list.fields });
  const OrderField = defineFieldEnum(`${name}OrderField`, `Orders of ${field}; ties are broken by id.`, list.orders);
  const Order = builder.inputType(`${name}Order`, {
    description: `An order of ${field}.`,
    fields: (t) => ({
      field: t.field({ type: OrderField, required: true, description: 'The field to order by.' }),
      direction: t.field({ type: OrderDirection, required: true, defaultValue: 'asc', description: 'The direction.' }),
    }),
  });
  const Group = defineFieldEnum(
    `${name}Group`,
    `By what totals of ${field} are grouped.`,
    list.groups ?? [],
    Object.keys(periods),
  );
  const DateField = defineFieldEnum(`${name}Date`, `Dates of ${field}, for totals by period.`, dates);

  const TotalType = builder.objectRef<Total>(`${name}Total`).implement({
    description: `How many ${field} one group has${list.amount ? ', and what they add up to in one currency' : ''}.`,
    fields: (t) => ({
      key: t.exposeString('key', {
        nullable: true,
        description: 'The period in UTC, such as `2026-03`, or the value; null for records without one.',
      }),
      count: t.exposeInt('count', { description: 'How many records.' }),
      ...(list.amount && {
        sum: t.field({
          type: Money,
          nullable: true,
          description: 'What their amounts add up to. Each currency of a group has a total of its own.',
          resolve: ({ sum, currency }) => (sum === null || currency === null ? null : { amount: sum, currency }),
        }),
      }),
    }),
  });

  type PageRow = ListPage<Row>['rows'][number];
  const Edge = builder.objectRef<{ source: ConnectionSource<Row>; one: PageRow }>(`${name}Edge`).implement({
    description: `One of the ${field} of a page.`,
    fields: (t) => ({
      cursor: t.string({
        description: 'Its position in the order of the list.',
        resolve: ({ source, one }) => source.formatCursor(one.position),
      }),
      node: t.field({ type, description: 'The record.', resolve: ({ one }) => one.row as never }),
    }),
  });
  const Connection = builder.objectRef<ConnectionSource<Row>>(`${name}Connection`).implement({
    description: `A page of ${field}, and what can be told of all that match.`,
    fields: (t) => ({
      edges: t.field({
        type: [Edge],
        description: 'The records, with their cursors.',
        resolve: async (source) => (await source.readPage()).rows.map((one) => ({ source, one })),
      }),
      nodes: t.field({
        type: [type],
        description: 'The records.',
        resolve: async (source) => (await source.readPage()).rows.map(({ row }) => row) as never,
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'Where the page is in the list.',
        resolve: async (source) => {
          const { rows, hasNextPage, hasPreviousPage } = await source.readPage();
          return {
            first: rows[0] && source.formatCursor(rows[0].position),
            last: rows.at(-1) && source.formatCursor(rows.at(-1)!.position),
            hasNextPage,
            hasPreviousPage,
          };
        },
      }),
      totalCount: t.int({
        description: 'How many records match in all; counted only when it is selected.',
        resolve: (source) => source.count(),
      }),
      totals: t.field({
        type: [TotalType],
        description: 'The totals of all records that match, in the order of their keys.',
        args: {
          groupBy: t.arg({ type: Group, required: true, description: 'By what they are grouped.' }),
          of: t.arg({ type: DateField, description: 'For periods: the date that they are taken from.' }),
        },
        resolve: (source, options) => source.readTotals(options),
      }),
    }),
  });

  builder.queryField(field, (t) =>
    t.field({
      type: Connection,
      description,
      args: {
        filter: t.arg({ type: Filter, description: 'Which of them; all without it.' }),
        orderBy: t.arg({ type: Order, description: 'Their order; by id without it.' }),
        first: t.arg.int({
          extensions: { usualSize },
          description: `How many from the beginning, or after \`after\`, 0 to ${limits.list.page}; ${usualSize} without \`first\` and \`last\`.`,
        }),
        last: t.arg.int({
          extensions: { usualSize },
          description: `How many from the end, or before \`before\`, 0 to ${limits.list.page}.`,
        }),
        after: t.arg.string({ validate: cursorText, description: 'The cursor after which the page begins.' }),
        before: t.arg.string({ validate: cursorText, description: 'The cursor before which the page ends.' }),
      },
      resolve: (_, args, context) =>
        createSource(list, args as ConnectionArguments, { space: context.space, all: seesAll(context) }),
    }),
  );
};
