// The ways from records to the users who made or changed them, and between users and contacts.
import type { Context } from '../src/context.ts';
import { readContactsOfUsers, readUsersByIds } from '../src/data/user.ts';
import { limits } from '../src/limits.ts';
import { builder } from './builder.ts';
import { Contact } from './contact.ts';
import { readOwner } from './contact-relations.ts';
import { Email } from './email.ts';
import { File, Interaction } from './interaction.ts';
import { Invitation } from './invitation.ts';
import { createRelationLoader, mapRelated, takeFirstRelated } from './loader.ts';
import { Note } from './note.ts';
import { Segment } from './segment.ts';
import { User } from './user.ts';

const userOf = createRelationLoader(
  ({ space }: Context, ids) => readUsersByIds(space, ids),
  (user) => user.id,
);
const contactIdsOf = createRelationLoader(
  ({ space }: Context, ids) => readContactsOfUsers(space, ids),
  (row) => row.user_id,
);

/** A field that leads to a user. It is null for a user who has left the space: their data is no longer the space's to show. */
const userField = (description: string) => ({
  type: User,
  nullable: true as const,
  description: `${description} Null when they are no longer a member of the space.`,
});

const readLinkedUser = (context: Context, id: number | null) =>
  id === null ? null : takeFirstRelated(userOf(context, id));

builder.objectField(Note, 'author', (t) =>
  t.field({
    ...userField('The user who wrote it.'),
    resolve: ({ user_id }, _, context) => readLinkedUser(context, user_id),
  }),
);
builder.objectField(Interaction, 'author', (t) =>
  t.field({
    ...userField('The user who recorded it.'),
    resolve: ({ user_id }, _, context) => readLinkedUser(context, user_id),
  }),
);
builder.objectField(Segment, 'author', (t) =>
  t.field({
    ...userField('The user who created it.'),
    resolve: ({ author_id }, _, context) => readLinkedUser(context, author_id),
  }),
);
builder.objectField(Email, 'sentBy', (t) =>
  t.field({
    ...userField('The user who sent it.'),
    resolve: ({ user_id }, _, context) => readLinkedUser(context, user_id),
  }),
);
builder.objectField(File, 'addedBy', (t) =>
  t.field({
    ...userField('The user who added it.'),
    resolve: ({ owner_id }, _, context) => readLinkedUser(context, owner_id),
  }),
);
builder.objectField(Invitation, 'acceptedBy', (t) =>
  t.field({
    ...userField('The user who accepted it; null while it is pending.'),
    resolve: ({ user_id }, _, context) => readLinkedUser(context, user_id),
  }),
);
builder.objectFields(Contact, (t) => ({
  lastChangedBy: t.field({
    ...userField('The user who last changed the contact.'),
    resolve: ({ user_id }, _, context) => readLinkedUser(context, user_id),
  }),
  account: t.field({
    ...userField('The user account of the contact.'),
    resolve: ({ user_contact_id }, _, context) => readLinkedUser(context, user_contact_id),
  }),
}));

builder.objectFields(User, (t) => ({
  contacts: t.field({
    type: [Contact],
    description: `The contacts of the space that this user is, at most ${limits.list.contactsOfUser}.`,
    resolve: ({ id }, _, context, info) =>
      mapRelated(contactIdsOf(context, id), (rows) => rows.map((row) => readOwner(context, info, row.id))),
  }),
}));
