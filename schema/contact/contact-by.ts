// One contact by a value that identifies contacts.
import { findContactByEmail, findContactByExternalId } from '../../src/data/contact/read.ts';
import type { Space } from '../../src/database/space.ts';
import { builder } from '../graph/builder.ts';
import { acceptId } from '../graph/node.ts';
import { shortText } from '../graph/validators.ts';
import { Contact } from './contact.ts';
import { createContactReader } from './contact-reader.ts';

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
