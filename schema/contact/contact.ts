// Contacts: their type, and one by id (spec §2.2, §2.3, §4.12).
import { ImplementableObjectRef } from '@pothos/core';
import type { ContactRow } from '../../src/data/contact/columns.ts';
import { readContactsByIds, type TagRow } from '../../src/data/contact/read.ts';
import { mapRelated, takeFirstRelated } from '../../src/plan/loader.ts';
import { builder } from '../graph/builder.ts';
import { defineNodeFields, legacyId, Node, registerNode, requireId } from '../graph/node.ts';
import { Action } from './action.ts';
import { Address } from './address.ts';
import { Answer } from './answer.ts';
import { type ContactSource, createContactReader } from './contact-reader.ts';
import { actionsOf, addressOf, answersOf, formerMailsOf, notesOf, tagsOf } from './contact-relations.ts';
import { Interaction, interactionsOf } from './interaction.ts';
import { Note } from './note.ts';

export const Gender = builder.enumType('Gender', {
  description: 'Gender of a contact.',
  values: { M: { description: 'Male.' }, F: { description: 'Female.' }, O: { description: 'Other.' } } as const,
  extensions: { isReadWithoutCase: true },
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
    formerEmails: t.stringList({
      description:
        'Email addresses that an upsert, an import or a merge replaced, the last one first. Searches and upserts still find the contact by them.',
      extensions: { json: { part: 'formerMails', pick: 'all', column: 'mail' } },
      resolve: ({ id }, _, context) => mapRelated(formerMailsOf(context, id), (rows) => rows.map(({ mail }) => mail)),
    }),
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
      extensions: { json: { part: 'address', pick: 'first' } },
      resolve: ({ id }, _, context) => takeFirstRelated(addressOf(context, id)),
    }),
    tags: t.field({
      type: [Tag],
      description: 'Their tags.',
      extensions: { json: { part: 'tags', pick: 'all' } },
      resolve: ({ id }, _, context) => tagsOf(context, id),
    }),
    actionIds: t.field({
      type: ['SafeInt'],
      description: 'The actions that the contact is linked to.',
      extensions: {
        legacy: true,
        json: { part: 'actions', pick: 'all', column: 'action_id' },
      },
      resolve: ({ id }, _, context) =>
        mapRelated(actionsOf(context, id), (rows) => rows.map((action) => action.action_id)),
    }),
    actions: t.field({
      type: [Action],
      description: 'The actions that they are linked to.',
      extensions: { json: { part: 'actions', pick: 'all' } },
      resolve: ({ id }, _, context) => actionsOf(context, id),
    }),
    answerList: t.field({
      type: [Answer],
      description: 'Their answers to forms, except custom fields.',
      extensions: {
        legacy: true,
        json: { part: 'answers', pick: 'all', where: { column: 'kind', is: 'custom_fields', not: true } },
      },
      resolve: ({ id }, _, context) =>
        mapRelated(answersOf(context, id), (rows) => rows.filter(({ kind }) => kind !== 'custom_fields')),
    }),
    customFields: t.field({
      type: [Answer],
      description: 'Their custom fields: answers to forms of that kind.',
      extensions: { json: { part: 'answers', pick: 'all', where: { column: 'kind', is: 'custom_fields' } } },
      resolve: ({ id }, _, context) =>
        mapRelated(answersOf(context, id), (rows) => rows.filter(({ kind }) => kind === 'custom_fields')),
    }),
    note: t.field({
      type: Note,
      nullable: true,
      description: 'The pinned note, else the newest.',
      extensions: { json: { part: 'notes', pick: 'first' } },
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

builder.queryFields((t) => ({
  contact: t.field({
    type: Contact,
    nullable: true,
    description: 'One contact, or null when there is none.',
    args: { id: t.arg(requireId('Contact')) },
    extensions: { json: { contact: true } },
    resolve: async (_, { id }, context, info) => (await createContactReader(context, info, []).readById(id)) ?? null,
  }),
}));

registerNode(Contact, { read: ({ space }, ids) => readContactsByIds(space, ids) }, { hasField: true });
