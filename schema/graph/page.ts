// Lists by limit and offset, which only stored operations read: the public graph has connections.
import type { ObjectRef } from '@pothos/core';
import { z } from 'zod';
import type { Context } from '../../src/context.ts';
import type { OffsetPage } from '../../src/database/offset-page.ts';
import { limits } from '../../src/limits/limits.ts';
import { builder } from './builder.ts';

export const pageSize = z
  .number()
  .refine((count) => count >= 1 && count <= limits.list.page, `must be from 1 to ${limits.list.page}`)
  .meta({ minimum: 1, maximum: limits.list.page });

interface LegacyPageOptions<Row> {
  field: string;
  type: ObjectRef<typeof builder.$inferSchemaTypes, Row>;
  /** The plural of the noun. */
  noun: string;
  /** Records of a page, unless the client says how many. */
  usual?: number;
  read(context: Context, args: { limit: number; offset: number; sort: boolean }): Promise<OffsetPage<Row>>;
  /** The end of the description, which tells their order. */
  order?: string;
  /** Whether users may be sorted by name. */
  sorts?: boolean;
}

/** Adds a list by `limit` and `offset`, within the contract's bounds (spec §4.9, §8). */
export const defineLegacyPage = <Row>(options: LegacyPageOptions<Row>): void => {
  const { field, type, noun, usual = 20, order = '', sorts, read } = options;
  const List = builder.objectRef<OffsetPage<Row>>(`${type.name}List`).implement({
    description: `Some of the ${noun}, and how many there are in all.`,
    fields: (t) => ({
      total: t.int({ description: `How many ${noun} there are in all.`, resolve: (page) => page.total }),
      items: t.field({
        type: [type],
        description: `The ${noun} of this page.`,
        resolve: (page) => page.items as never,
      }),
    }),
  });
  builder.queryField(field, (t) =>
    t.field({
      type: List,
      extensions: { legacy: true },
      description: `The ${noun} of the space${order}.`,
      args: {
        limit: t.arg.int({
          defaultValue: usual,
          required: true,
          description: 'How many at most, 1 to 1000.',
          validate: pageSize,
        }),
        offset: t.arg({
          type: 'WholeNumber',
          defaultValue: 0,
          required: true,
          description: 'How many to skip.',
          validate: z.number().min(0, 'must be at least 0'),
        }),
        ...(sorts && {
          sort: t.arg.boolean({
            defaultValue: false,
            required: true,
            description: 'By family name and first name, instead of by id.',
          }),
        }),
      },
      resolve: (_, args, context) => read(context, { ...args, sort: args.sort ?? false }),
    }),
  );
};
