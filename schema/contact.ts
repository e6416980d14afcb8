// Contacts: one by id, and all of them page by page (spec §2.2, §2.3, §4.12).
import { ImplementableObjectRef } from '@pothos/core';
import { z } from 'zod';
import type { ContactRow } from '../src/data/contact/columns.ts';
import { countContacts, readContactsByIds, type TagRow } from '../src/data/contact/read.ts';
import { findQuickly } from '../src/data/search/quick-search.ts';
import type { Space } from '../src/database/space.ts';
import { limits } from '../src/limits.ts';
import { Action } from './action.ts';
import { Address, addressOf } from './address.ts';
import { Answer, answersOf } from './answer.ts';
import { builder } from './builder.ts';
import { decodeCursor, encodeCursor, PageInfo } from './connection.ts';
import { type ContactReader, type ContactSource, createContactReader } from './contact-reader.ts';
import { actionsOf, tagsOf } from './contact-relations.ts';
import { Interaction, interactionsOf } from './interaction.ts';
import { mapRelated, takeFirstRelated } from './loader.ts';
import { acceptId, defineNodeFields, legacyId, Node, registerNode } from './node.ts';
import { Note, notesOf } from './note.ts';
import { pageSize } from './page.ts';
import { searchText, shortText } from './validators.ts';

export const Gender = builder.enumType('Gender', {
  description: 'Gender of a contact.',
  values: { M: { description: 'Male.' }, F: { description: 'Female.' }, O: { description: 'Other.' } } as const,
});

export const Tag = builder.objectRef<Omit<TagRow, 'contact_id'>>('Tag').implement({
  interfaces: [Node],
  description: 'A label that a space gives to its contacts.',
  fields: (t) => ({
    ...defineNodeFields(t, 'Tag'),
    name: t.exposeString('name', { description: 'The label.' }),
    color: t.exposeString('color', { nullable: true, description: 'Colour in which it is shown.' }),
  }),
});

type SchemaTypes = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer Types> ? Types : never;

/** Resolvers return a `ContactSource`; the fields of a contact are given its row. */
const ContactRef = new ImplementableObjectRef<SchemaTypes, ContactSource, ContactRow>(builder, 'Contact');
export const Contact = ContactRef.implement({
  interfaces: [Node],
  description: 'A person in the space.',
  fields: (t) => ({
    ...defineNodeFields(t, 'Contact'),
    groupId: t.expose('group_id', { ...legacyId, description: 'The space.' }),
    externalId: t.exposeString('external_id', { nullable: true, description: 'Id in another system.' }),
    firstName: t.exposeString('firstname', { nullable: true, description: 'First name.' }),
    lastName: t.exposeString('surname', { nullable: true, description: 'Family name.' }),
    marriedName: t.exposeString('married_name', { nullable: true, description: 'Name by marriage.' }),
    gender: t.expose('gender', { type: Gender, nullable: true, description: 'Gender; null when unknown.' }),
    birthDate: t.expose('birthdate', { type: 'Date', nullable: true, description: 'Day of birth.' }),
    ageCategory: t.exposeInt('age_category', { nullable: true, description: 'Age category, 0 to 6.' }),
    birthCity: t.exposeString('birth_city', { nullable: true, description: 'City of birth.' }),
    birthCountry: t.exposeString('birth_country', { nullable: true, description: 'Country of birth, by its code.' }),
    birthDepartment: t.exposeString('birth_dept', { nullable: true, description: 'Department of birth.' }),
    nationality: t.exposeString('nationality', {
      nullable: true,
      description: 'Nationality, by the code of the country.',
    }),
    email: t.exposeString('mail', { nullable: true, description: 'Email address.' }),
    phone: t.exposeString('phone', { nullable: true, description: 'Landline number.' }),
    phoneInvalid: t.exposeBoolean('phone_invalid', {
      description: 'Whether the landline number is known to be wrong.',
    }),
    mobile: t.exposeString('mobile', { nullable: true, description: 'Mobile number.' }),
    mobileInvalid: t.exposeBoolean('mobile_invalid', {
      description: 'Whether the mobile number is known to be wrong.',
    }),
    version: t.exposeInt('version', {
      description:
        'Incremented by every change of the contact, of its records, of its tags and its links to actions, and of the forms that it answered.',
    }),
    optedOut: t.exposeBoolean('black_list', { description: 'Whether they opted out of all communication.' }),
    userId: t.expose('user_id', { ...legacyId, nullable: true, description: 'The user who last changed the contact.' }),
    userContactId: t.expose('user_contact_id', {
      ...legacyId,
      nullable: true,
      description: 'The user account of this contact.',
    }),
    address: t.field({
      type: Address,
      nullable: true,
      description: 'Their address.',
      extensions: { part: { part: 'address', pick: 'first' } },
      resolve: ({ id }, _, context) => takeFirstRelated(addressOf(context, id)),
    }),
    tags: t.field({
      type: [Tag],
      description: 'Their tags.',
      extensions: { part: { part: 'tags', pick: 'all' } },
      resolve: ({ id }, _, context) => tagsOf(context, id),
    }),
    actionIds: t.field({
      type: ['SafeInt'],
      description: 'The actions that the contact is linked to.',
      extensions: {
        legacy: true,
        part: { part: 'actions', pick: 'all', column: 'action_id' },
      },
      resolve: ({ id }, _, context) =>
        mapRelated(actionsOf(context, id), (rows) => rows.map((action) => action.action_id)),
    }),
    actions: t.field({
      type: [Action],
      description: 'The actions that they are linked to.',
      extensions: { part: { part: 'actions', pick: 'all' } },
      resolve: ({ id }, _, context) => actionsOf(context, id),
    }),
    answerList: t.field({
      type: [Answer],
      description: 'Their answers to forms, except custom fields.',
      extensions: {
        legacy: true,
        part: { part: 'answers', pick: 'all', where: { column: 'kind', is: 'custom_fields', not: true } },
      },
      resolve: ({ id }, _, context) =>
        mapRelated(answersOf(context, id), (rows) => rows.filter(({ kind }) => kind !== 'custom_fields')),
    }),
    customFields: t.field({
      type: [Answer],
      description: 'Their custom fields: answers to forms of that kind.',
      extensions: { part: { part: 'answers', pick: 'all', where: { column: 'kind', is: 'custom_fields' } } },
      resolve: ({ id }, _, context) =>
        mapRelated(answersOf(context, id), (rows) => rows.filter(({ kind }) => kind === 'custom_fields')),
    }),
    note: t.field({
      type: Note,
      nullable: true,
      description: 'The pinned note, else the newest.',
      extensions: { part: { part: 'notes', pick: 'first' } },
      resolve: ({ id }, _, context) => takeFirstRelated(notesOf(context, id)),
    }),
    interactionList: t.field({
      type: [Interaction],
      extensions: { legacy: true },
      description: 'What happened with them, as far as the caller may see it.',
      resolve: ({ id }, _, context) => interactionsOf(context, id),
    }),
    lastChangedAt: t.expose('lastchange', {
      type: 'DateTime',
      description: 'When a user last changed the contact or what is on it.',
    }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When the contact was created.' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime', description: 'When the contact was last written.' }),
  }),
});

interface ContactPage {
  rows: ContactSource[];
  /** The position of a contact in the list. */
  cursorOf(row: ContactSource): string;
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  countAll(): Promise<number>;
}

const ContactEdge = builder.objectRef<{ row: ContactSource; cursor: string }>('ContactEdge').implement({
  description: 'A contact in a page.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', { description: 'Position of the contact in the list.' }),
    node: t.field({
      type: Contact,
      description: 'The contact.',
      extensions: { jsonPassthrough: true },
      resolve: ({ row }) => row,
    }),
  }),
});

const ContactConnection = builder.objectRef<ContactPage>('ContactConnection').implement({
  description: 'A page of contacts.',
  fields: (t) => ({
    edges: t.field({
      type: [ContactEdge],
      description: 'The contacts, with their cursors.',
      resolve: ({ rows, cursorOf }) => rows.map((row) => ({ row, cursor: cursorOf(row) })),
    }),
    nodes: t.field({
      type: [Contact],
      description: 'The contacts.',
      extensions: { jsonPassthrough: true },
      resolve: ({ rows }) => rows,
    }),
    pageInfo: t.field({
      type: PageInfo,
      description: 'Position of the page in the list.',
      resolve: ({ rows, cursorOf, hasNextPage, hasPreviousPage }) => ({
        first: rows[0] && cursorOf(rows[0]),
        last: rows.at(-1) && cursorOf(rows.at(-1)!),
        hasNextPage,
        hasPreviousPage,
      }),
    }),
    totalCount: t.int({
      description: `How many contacts the space has; with \`search\`, how many of the first ${limits.search.quickResults} matches there are. Counted only when asked for.`,
      resolve: ({ countAll }) => countAll(),
    }),
  }),
});

type PageArgs = { first: number; after?: string | null };

/** Reads one contact more than asked for: it tells whether there is a next page. */
const readPage = async (space: Space, reader: ContactReader, args: PageArgs): Promise<ContactPage> => {
  const [after] = args.after ? decodeCursor('contacts', z.tuple([z.int()]), args.after) : [-1];
  const rows = await reader.readPageAfter({ after, limit: args.first + 1 });
  return {
    rows: rows.slice(0, args.first),
    cursorOf: ({ id }) => encodeCursor('contacts', id),
    hasNextPage: rows.length > args.first,
    hasPreviousPage: after >= 0,
    countAll: () => countContacts(space),
  };
};

/** A page of the ranked matches of a text. Its cursors are positions in this list. */
const readMatches = async (
  space: Space,
  reader: ContactReader,
  { search, first, after }: PageArgs & { search: string },
): Promise<ContactPage> => {
  const [from] = after ? decodeCursor('matches', z.tuple([z.int().min(1)]), after) : [0];
  const found = (await findQuickly(space, search, from + first + 1)).slice(from);
  const positions = new Map(found.map((id, index) => [id, from + index + 1]));
  return {
    rows: await reader.readByIds(found.slice(0, first)),
    cursorOf: ({ id }) => encodeCursor('matches', positions.get(id)!),
    hasNextPage: found.length > first,
    hasPreviousPage: from > 0,
    countAll: async () => (await findQuickly(space, search, limits.search.quickResults)).length,
  };
};

builder.queryFields((t) => ({
  contact: t.field({
    type: Contact,
    nullable: true,
    description: 'One contact, or null when there is none.',
    args: { id: t.arg({ ...acceptId('Contact'), required: true, description: 'Id of the contact.' }) },
    extensions: { jsonPassthrough: true },
    resolve: async (_, { id }, context, info) => (await createContactReader(context, info, []).readById(id)) ?? null,
  }),
  contacts: t.field({
    type: ContactConnection,
    description: 'The contacts of the space, by id; or those that match a text, the best matches first.',
    args: {
      search: t.arg.string({
        validate: searchText,
        description:
          'Words of names, the city, the postal code, the email address, a phone number or the external id, in any order. All must match; the last may be the beginning of a word. Misspelt names are found too.',
      }),
      first: t.arg.int({
        defaultValue: 50,
        required: true,
        description: 'How many at most, 1 to 1000.',
        validate: pageSize,
      }),
      after: t.arg.string({ validate: shortText, description: 'Cursor of the contact after which to begin.' }),
    },
    resolve: (_, { search, ...args }, context, info) => {
      const reader = createContactReader(context, info, ['nodes'], ['edges', 'node']);
      return typeof search === 'string'
        ? readMatches(context.space, reader, { ...args, search })
        : readPage(context.space, reader, args);
    },
  }),
}));

registerNode(Contact, ({ space }, ids) => readContactsByIds(space, ids), { hasField: true });
