// The types of a connection over a list: the connection with its edges, the order and the totals of a noun, all from the description of its list.
import type { ObjectRef } from '@pothos/core';
import { z } from 'zod';
import type { ListFields } from '../../src/data/noun/fields.ts';
import type { ListPage } from '../../src/data/noun/page.ts';
import type { PageSource } from '../../src/data/noun/page-json.ts';
import { periods, type Total } from '../../src/data/noun/totals.ts';
import { builder } from './builder.ts';
import {
  applyUsualSize,
  decodeCursor,
  definePageArguments,
  encodeCursor,
  type PageArguments,
  PageInfo,
} from './connection.ts';
import { defineFilterInput, type FieldEnums } from './list-filter.ts';
import { Money } from './money.ts';

type SchemaTypes = typeof builder.$inferSchemaTypes;
type Direction = 'asc' | 'desc';

/** The parts of a list, as `defineList` made it, that the types depend on. */
export interface ListShape {
  noun: string;
  fields: ListFields;
  orders: readonly string[];
  groups?: readonly string[];
  amount?: object;
  restricted?: string;
}

export interface TotalsArguments {
  groupBy: string;
  of?: string | null | undefined;
}

/** The source that the fields of a connection are resolved from. */
export interface ConnectionSource<Row> extends PageSource {
  readPage(): Promise<ListPage<Row>>;
  formatCursor(position: ListPage<Row>['rows'][number]['position']): string;
  count(): Promise<number>;
  readTotals(options: TotalsArguments): Promise<Total[]>;
}

export interface ConnectionArguments extends PageArguments {
  filter?: object | null | undefined;
  orderBy?: { field: string; direction: Direction } | null | undefined;
}

const positionParts = z.tuple([z.string().nullable(), z.int().min(0)]);

/** The arguments of a connection as its list takes them, and the cursors of its records. */
export const readConnectionArguments = <Row>(
  { noun }: ListShape,
  { filter, orderBy, first, last, after, before }: ConnectionArguments,
) => {
  const order = orderBy ?? { field: 'id', direction: 'asc' };
  const cursorList = `${noun} ${order.field} ${order.direction}`;
  const readPosition = (cursor: string | null | undefined, location: string) => {
    if (cursor == null) return null;
    const [key, id] = decodeCursor(cursorList, positionParts, cursor, location);
    return { key, id };
  };
  const formatCursor: ConnectionSource<Row>['formatCursor'] = ({ key, id }) => encodeCursor(cursorList, key, id);
  const size = applyUsualSize({ first, last });
  const bounds = { after: readPosition(after, 'after'), before: readPosition(before, 'before') };
  return { filter, page: { filter, orderBy: order, ...size, ...bounds }, formatCursor, cursorList };
};

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

const defineFieldEnum = (name: string, description: string, fields: readonly string[], more: readonly string[] = []) =>
  builder.enumType(name, {
    description,
    values: Object.fromEntries([
      ...more.map((value) => [value, { value, description: `By ${value.toLowerCase()}.` }]),
      ...fields.map((field) => [convertToConstant(field), { value: field, description: `By the field \`${field}\`.` }]),
    ]) as Record<string, { value: string; description: string }>,
  });

interface TypeOptions<Row> {
  /** The plural of the noun, which is the name of its root field. */
  field: string;
  type: ObjectRef<SchemaTypes, Row>;
  list: ListShape;
  enums: FieldEnums;
}

const defineTotals = <Row>({ field, type: { name }, list, enums }: TypeOptions<Row>) => {
  const dates = Object.keys(list.fields).filter((one) => ['instant', 'day'].includes(list.fields[one]!.type));
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
  /** Values of enums as the graph spells them. */
  const spellKey = (groupBy: string, total: Total): Total =>
    Object.hasOwn(enums, groupBy) && total.key !== null ? { ...total, key: total.key.toUpperCase() } : total;
  return (t: PothosSchemaTypes.ObjectFieldBuilder<SchemaTypes, ConnectionSource<Row>>) =>
    t.field({
      type: [TotalType],
      description: 'The totals of all records that match, in the order of their keys.',
      args: {
        groupBy: t.arg({ type: Group, required: true, description: 'By what they are grouped.' }),
        of: t.arg({ type: DateField, description: 'For periods: the date that they are taken from.' }),
      },
      resolve: async (source, options) =>
        (await source.readTotals(options)).map((total) => spellKey(options.groupBy, total)),
    });
};

export const defineConnectionTypes = <Row extends { id: number }>(options: TypeOptions<Row>) => {
  const { field, type, list, enums } = options;
  const { name } = type;
  const Filter = defineFilterInput(name, field, list.fields, enums);
  const OrderField = defineFieldEnum(`${name}OrderField`, `Orders of ${field}; ties are broken by id.`, list.orders);
  const Order = builder.inputType(`${name}Order`, {
    description: `An order of ${field}.`,
    fields: (t) => ({
      field: t.field({ type: OrderField, required: true, description: 'The field to order by.' }),
      direction: t.field({ type: OrderDirection, required: true, defaultValue: 'asc', description: 'The direction.' }),
    }),
  });
  const totals = defineTotals(options);

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
      totals: totals(t as never),
    }),
  });

  const defineArgs = (t: ArgumentBuilder) => ({
    filter: t.arg({ type: Filter, description: 'Which of them; all without it.' }),
    orderBy: t.arg({ type: Order, description: 'Their order; by id without it.' }),
    ...definePageArguments(t),
  });
  return { Connection, defineArgs };
};

type ArgumentBuilder = Parameters<typeof definePageArguments>[0];
