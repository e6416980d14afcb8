// Cursor paging: the arguments of a page, the cursor of a record, and where a page is in its list.
import type { z } from 'zod';
import { usualPageSize } from '../../src/data/noun/page.ts';
import { limits } from '../../src/limits/limits.ts';
import { createInvalidProblem } from '../../src/problem.ts';
import { builder } from './builder.ts';
import { cursorText } from './validators.ts';

declare module 'graphql' {
  interface GraphQLArgumentExtensions {
    /** The size of a page when the client says nothing. */
    usualSize?: number;
  }
}

export interface PageArguments {
  first?: number | null | undefined;
  last?: number | null | undefined;
  after?: string | null | undefined;
  before?: string | null | undefined;
}

export const definePageArguments = (t: Pick<Parameters<Parameters<typeof builder.queryFields>[0]>[0], 'arg'>) => ({
  first: t.arg.int({
    extensions: { usualSize: usualPageSize },
    description: `How many from the beginning, or after \`after\`, 0 to ${limits.list.page}; ${usualPageSize} without \`first\` and \`last\`.`,
  }),
  last: t.arg.int({
    extensions: { usualSize: usualPageSize },
    description: `How many from the end, or before \`before\`, 0 to ${limits.list.page}.`,
  }),
  after: t.arg.string({ validate: cursorText, description: 'The cursor after which the page begins.' }),
  before: t.arg.string({ validate: cursorText, description: 'The cursor before which the page ends.' }),
});

/** The size that the client asks for, or the usual one. */
export const applyUsualSize = ({ first, last }: Pick<PageArguments, 'first' | 'last'>) =>
  first == null && last == null ? { first: usualPageSize } : { first, last };

/** Opaque to clients; `list` names the list and the order that it belongs to. */
export const encodeCursor = (list: string, ...place: (string | number | null)[]): string =>
  Buffer.from(JSON.stringify([list, ...place])).toString('base64url');

/** The place in a cursor of this list. Throws 400 for a text that is none. */
export const decodeCursor = <Place>(list: string, place: z.ZodType<Place>, cursor: string, location: string): Place => {
  const found = parsed(Buffer.from(cursor, 'base64url').toString());
  const read = Array.isArray(found) && found[0] === list ? place.safeParse(found.slice(1)) : undefined;
  if (read?.success) return read.data;
  throw createInvalidProblem([
    { location, message: 'is not a cursor that this server gave for this list', value: cursor },
  ]);
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

interface PagePosition {
  /** Cursors of its first and its last record. */
  first: string | undefined;
  last: string | undefined;
  hasNextPage: boolean;
  hasPreviousPage: boolean;
}

export const PageInfo = builder.objectRef<PagePosition>('PageInfo').implement({
  description: 'Where a page is in its list.',
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage', { description: 'Whether there is more after it.' }),
    hasPreviousPage: t.exposeBoolean('hasPreviousPage', { description: 'Whether it was asked for after a cursor.' }),
    startCursor: t.string({
      nullable: true,
      description: 'Cursor of its first record; null for an empty page.',
      resolve: ({ first }) => first ?? null,
    }),
    endCursor: t.string({
      nullable: true,
      description: 'Cursor of its last record; null for an empty page.',
      resolve: ({ last }) => last ?? null,
    }),
  }),
});
