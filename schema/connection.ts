// Cursor paging: the cursor of a record, and where a page is in its list.
import { invalid } from '../src/problem.ts';
import { builder } from './builder.ts';

export const encodeCursor = (id: number): string => Buffer.from(`id:${id}`).toString('base64url');

/** The id in a cursor. Throws 400 for a text that is no cursor of ours. */
export const decodeCursor = (cursor: string): number => {
  const id = /^id:(\d{1,16})$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1];
  if (id === undefined || !Number.isSafeInteger(Number(id))) {
    throw invalid([{ location: 'after', message: 'is not a cursor that this server gave', value: cursor }]);
  }
  return Number(id);
};

interface Place {
  first: number | undefined;
  last: number | undefined;
  hasNextPage: boolean;
  hasPreviousPage: boolean;
}

export const PageInfo = builder.objectRef<Place>('PageInfo').implement({
  description: 'Where a page is in its list.',
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage', { description: 'Whether there is more after it.' }),
    hasPreviousPage: t.exposeBoolean('hasPreviousPage', { description: 'Whether it was asked for after a cursor.' }),
    startCursor: t.string({
      nullable: true,
      description: 'Cursor of its first record; null for an empty page.',
      resolve: ({ first }) => (first === undefined ? null : encodeCursor(first)),
    }),
    endCursor: t.string({
      nullable: true,
      description: 'Cursor of its last record; null for an empty page.',
      resolve: ({ last }) => (last === undefined ? null : encodeCursor(last)),
    }),
  }),
});
