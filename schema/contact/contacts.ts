// One contact by what identifies it, the list of all contacts of a space by id, and of those that match a text by rank.
import { z } from 'zod';
import { countContacts, findContactByEmail, findContactByExternalId } from '../../src/data/contact/read.ts';
import { findIdsByText } from '../../src/data/search/quick-search.ts';
import type { Space } from '../../src/database/space.ts';
import { limits } from '../../src/limits/limits.ts';
import { builder } from '../graph/builder.ts';
import { decodeCursor, definePageArguments, encodeCursor, type PageArguments } from '../graph/connection.ts';
import { acceptId } from '../graph/node.ts';
import { searchText, shortText } from '../graph/validators.ts';
import { Contact } from './contact.ts';
import { ContactConnection, type ContactPage, cutPage, readPageArguments } from './contact-connection.ts';
import { type ContactReader, createContactReader } from './contact-reader.ts';

const ContactBy = builder.inputType('ContactBy', {
  description: 'What identifies a contact.',
  isOneOf: true,
  fields: (t) => ({
    id: t.field({
      ...acceptId('Contact'),
      description: 'Their id; the old id of a merged contact means the survivor.',
    }),
    email: t.string({
      validate: shortText,
      description:
        'Their email address, without regard to case and accents; of several contacts that have it the oldest.',
    }),
    externalId: t.string({
      validate: shortText,
      description: 'Their id in another system, which no two contacts share.',
    }),
  }),
});

const findContact = async (space: Space, { id, email, externalId }: typeof ContactBy.$inferInput) => {
  if (typeof email === 'string') return findContactByEmail(space, email);
  return typeof externalId === 'string' ? findContactByExternalId(space, externalId) : (id ?? null);
};

builder.queryField('contactBy', (t) =>
  t.field({
    type: Contact,
    nullable: true,
    description: 'The contact that has one of the values that identify contacts, or null when there is none.',
    args: { by: t.arg({ type: ContactBy, required: true, description: 'The value: exactly one of them.' }) },
    extensions: { json: { contact: true } },
    resolve: async (_, { by }, context, info) => {
      const id = await findContact(context.space, by);
      return id === null ? null : ((await createContactReader(context, info, []).readById(id)) ?? null);
    },
  }),
);

const readPage = async (space: Space, reader: ContactReader, args: PageArguments): Promise<ContactPage> => {
  const page = readPageArguments(args, (cursor, location) =>
    decodeCursor('contacts', z.tuple([z.int()]), cursor, location),
  );
  const { size, backwards, after, before } = page;
  // One contact more tells whether there are more.
  const found = await reader.readPage({
    after: after?.[0] ?? -1,
    before: before?.[0] ?? null,
    backwards,
    limit: size + 1,
  });
  return {
    ...cutPage(found, page),
    reader,
    formatCursor: ({ id }) => encodeCursor('contacts', id),
    countAll: () => countContacts(space),
  };
};

/** A page of the ranked matches of a text. Its cursors are the numbers of the matches, from 1. */
const readMatches = async (
  space: Space,
  reader: ContactReader,
  { search, ...args }: PageArguments & { search: string },
): Promise<ContactPage> => {
  const page = readPageArguments(args, (cursor, location) =>
    decodeCursor('matches', z.tuple([z.int().min(1)]), cursor, location),
  );
  const { size, backwards, after, before } = page;
  const from = after?.[0] ?? 0;
  const end = before ? before[0] - 1 : limits.search.quickResults;
  // The matches are ranked from the first: those before a page are found with it, and one more if the page has one after it.
  const wanted = backwards ? end : Math.min(from + size + 1, end);
  const between = wanted > from ? (await findIdsByText(space, search, wanted)).slice(from) : [];
  const found = backwards ? between.slice(-(size + 1)) : between;
  const { rows: ids, ...around } = cutPage(found, page);
  const first = from + between.length - found.length + (backwards ? found.length - ids.length : 0);
  const numbers = new Map(ids.map((id, index) => [id, first + index + 1]));
  return {
    ...around,
    rows: await reader.readByIds(ids),
    reader,
    formatCursor: ({ id }) => encodeCursor('matches', numbers.get(id)!),
    countAll: async () => (await findIdsByText(space, search, limits.search.quickResults)).length,
  };
};

export const describedText =
  'Words of names, the city, the postal code, the email address, a phone number or the external id, in any order. All must match; the last may be the beginning of a word. Misspelt names are found too.';

builder.queryField('contacts', (t) =>
  t.field({
    type: ContactConnection,
    description: 'The contacts of the space, by id; or those that match a text, the best matches first.',
    args: {
      search: t.arg.string({ validate: searchText, description: describedText }),
      ...definePageArguments(t),
    },
    resolve: (_, { search, ...args }, context, info) => {
      const reader = createContactReader(context, info, ['nodes'], ['edges', 'node']);
      return typeof search === 'string'
        ? readMatches(context.space, reader, { ...args, search })
        : readPage(context.space, reader, args);
    },
  }),
);
