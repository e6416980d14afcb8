// Pages of contacts: the connection of every field that lists contacts, and its arguments.
import { z } from 'zod';
import { type PageRequest, readPageSize } from '../../src/data/noun/page.ts';
import { type LimitedCount, limitCount } from '../../src/data/search/find.ts';
import { limits } from '../../src/limits/limits.ts';
import { builder } from '../graph/builder.ts';
import { applyUsualSize, type PageArguments, PageInfo } from '../graph/connection.ts';
import { Contact } from './contact.ts';
import type { ContactReader, ContactSource } from './contact-reader.ts';

export interface ContactPage<Row extends ContactSource = ContactSource> {
  reader: Pick<ContactReader, 'yieldPage'>;
  rows: readonly Row[];
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  /** The position of a contact in the list. */
  formatCursor(row: Row): string;
  countAll(): Promise<number>;
  /** Counts no further than this, where that is less work than counting all. */
  countUpTo?(ceiling: number): Promise<LimitedCount>;
  /** How far a contact is from the origin of the order, where it has one. */
  measureDistance?: ((row: Row) => number) | undefined;
}

const ContactEdge = builder.objectRef<{ page: ContactPage; row: ContactSource }>('ContactEdge').implement({
  description: 'A contact in a page.',
  fields: (t) => ({
    cursor: t.string({
      description: 'The position of the contact in the list.',
      resolve: ({ page, row }) => page.formatCursor(row),
    }),
    distance: t.float({
      nullable: true,
      description: 'How far they live from the centre, in kilometres, in the order of the distance; else null.',
      resolve: ({ page, row }) => page.measureDistance?.(row) ?? null,
    }),
    node: t.field({
      type: Contact,
      description: 'The contact.',
      extensions: { json: { contact: true } },
      resolve: ({ row }) => row,
    }),
  }),
});

const ceiling = z
  .number()
  .refine((count) => count >= 1 && count <= limits.search.counted, `must be from 1 to ${limits.search.counted}`)
  .meta({ minimum: 1, maximum: limits.search.counted });

const ContactCount = builder.objectRef<LimitedCount>('ContactCount').implement({
  description: 'A number of contacts, counted up to a ceiling.',
  fields: (t) => ({
    value: t.exposeInt('value', { description: 'The number; where there are more than the ceiling, the ceiling.' }),
    isExact: t.exposeBoolean('isExact', { description: 'False where there are more than `value`.' }),
    estimate: t.exposeInt('estimate', {
      nullable: true,
      description: 'About how many there are, where `value` is not exact; it may be far off. Else null.',
    }),
  }),
});

export const ContactConnection = builder.objectRef<ContactPage>('ContactConnection').implement({
  description: 'A page of contacts.',
  fields: (t) => ({
    edges: t.field({
      type: [ContactEdge],
      description: 'The contacts, with their cursors.',
      resolve: (page) => page.rows.map((row) => ({ page, row })),
    }),
    nodes: t.field({
      type: [Contact],
      description: 'The contacts.',
      extensions: { json: { contact: true } },
      resolve: ({ reader, rows }) => reader.yieldPage(rows),
    }),
    pageInfo: t.field({
      type: PageInfo,
      description: 'The position of the page in the list.',
      resolve: ({ rows, formatCursor, hasNextPage, hasPreviousPage }) => ({
        first: rows[0] && formatCursor(rows[0]),
        last: rows.at(-1) && formatCursor(rows.at(-1)!),
        hasNextPage,
        hasPreviousPage,
      }),
    }),
    totalCount: t.int({
      description: `How many contacts the list has in all; with the \`search\` of \`contacts\`, how many of the first ${limits.search.quickResults} matches there are. Counted only when it is selected.`,
      resolve: ({ countAll }) => countAll(),
    }),
    count: t.field({
      type: ContactCount,
      description:
        'How many contacts the list has, counted up to a ceiling. A search that finds most of a large space has it much sooner than `totalCount`. Counted only when it is selected.',
      args: {
        upTo: t.arg.int({
          required: true,
          defaultValue: 10_000,
          description: `The ceiling, 1 to ${limits.search.counted}.`,
          validate: ceiling,
        }),
      },
      resolve: async ({ countAll, countUpTo }, { upTo }) =>
        countUpTo ? countUpTo(upTo) : limitCount(await countAll(), upTo),
    }),
  }),
});

/** Reads the arguments of a page. Throws 400 for what no page is, such as a page with two sizes, and for what is no cursor of the list. */
export const readPageArguments = <Position>(
  { first, last, after, before }: PageArguments,
  decode: (cursor: string, location: string) => Position,
): PageRequest<Position> => ({
  ...readPageSize(applyUsualSize({ first, last })),
  after: after == null ? null : decode(after, 'after'),
  before: before == null ? null : decode(before, 'before'),
});

/** Cuts the one record more that was read for a page: it tells whether the list goes on. A cursor was in the list, so there was a record beyond the bound that it gives. */
export const cutPage = <Row>(
  found: readonly Row[],
  { size, backwards, after, before }: PageRequest<unknown>,
): { rows: readonly Row[]; hasNextPage: boolean; hasPreviousPage: boolean } => {
  const isMore = found.length > size;
  return {
    rows: isMore ? (backwards ? found.slice(found.length - size) : found.slice(0, size)) : found,
    hasNextPage: backwards ? before !== null : isMore || before !== null,
    hasPreviousPage: backwards ? isMore || after !== null : after !== null,
  };
};
