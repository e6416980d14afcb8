// Arguments and result of lists by limit and offset.
import type { ObjectRef } from '@pothos/core';
import { z } from 'zod';
import type { OffsetPage } from '../src/database/offset-page.ts';
import { limits } from '../src/limits.ts';
import { builder } from './builder.ts';

type QueryBuilder = Parameters<Parameters<typeof builder.queryFields>[0]>[0];

/** The rule for the size of a page. */
export const pageSize = z
  .number()
  .refine((count) => count >= 1 && count <= limits.list.page, `must be from 1 to ${limits.list.page}`);

/** `limit` and `offset`, within the contract's bounds (spec §4.9, §8). */
export const defineSliceArgs = (t: QueryBuilder, usual = 20) => ({
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
});

/** An object type that carries a page of `item` and how many there are in all. */
export const definePageType = <Row>(item: ObjectRef<typeof builder.$inferSchemaTypes, Row>, noun: string) =>
  builder.objectRef<OffsetPage<Row>>(`${item.name}List`).implement({
    description: `Some of the ${noun}, and how many there are in all.`,
    fields: (t) => ({
      total: t.int({ description: `How many ${noun} there are in all.`, resolve: (page) => page.total }),
      items: t.field({
        type: [item],
        description: `The ${noun} of this page.`,
        resolve: (page) => page.items as never,
      }),
    }),
  });
