// The ways from records to the users and apps that made or changed them, and between users and contacts.
import { readContactsOfUsers, usersById } from '../../src/data/access/user.ts';
import { limits } from '../../src/limits/limits.ts';
import { mapRelated } from '../../src/plan/loader.ts';
import { nameApp } from '../access/app.ts';
import { Invitation } from '../access/invitation.ts';
import { User } from '../access/user.ts';
import { ConsentChangeType } from '../contact/consent.ts';
import { Contact } from '../contact/contact.ts';
import { readOwner } from '../contact/contact-relations.ts';
import { Email } from '../contact/email.ts';
import { File, Interaction } from '../contact/interaction.ts';
import { Note } from '../contact/note.ts';
import { builder } from '../graph/builder.ts';
import { createLoaderByColumn, createReference } from '../graph/reference.ts';
import { Segment } from './segment.ts';

const userOf = createReference(usersById);
const contactIdsOf = createLoaderByColumn(readContactsOfUsers, 'user_id');

/** A field that leads to the user in a column. It is null for a user who has left the space: their data is no longer the space's to show. */
const linkUser = <Column extends string>(by: Column, description: string) => ({
  type: User,
  description: `${description} Null when they are no longer a member of the space.`,
  ...userOf.find(by),
});

builder.objectFields(Note, (t) => ({
  author: t.field(linkUser('user_id', 'The user who wrote it.')),
  authorApp: t.field(nameApp('user_id', 'The name of the app that wrote it.')),
}));
builder.objectFields(Interaction, (t) => ({
  author: t.field(linkUser('user_id', 'The user who recorded it.')),
  authorApp: t.field(nameApp('user_id', 'The name of the app that recorded it.')),
}));
builder.objectFields(ConsentChangeType, (t) => ({
  author: t.field(linkUser('user_id', 'The user who wrote it; null for a command that ran as nobody.')),
  authorApp: t.field(nameApp('user_id', 'The name of the app that wrote it.')),
}));
builder.objectFields(Segment, (t) => ({
  author: t.field(linkUser('author_id', 'The user who created it.')),
  authorApp: t.field(nameApp('author_id', 'The name of the app that created it.')),
}));
builder.objectFields(Email, (t) => ({
  sentBy: t.field(linkUser('user_id', 'The user who sent it.')),
  sentByApp: t.field(nameApp('user_id', 'The name of the app that sent it.')),
}));
builder.objectFields(File, (t) => ({
  addedBy: t.field(linkUser('owner_id', 'The user who added it.')),
  addedByApp: t.field(nameApp('owner_id', 'The name of the app that added it.')),
}));
builder.objectField(Invitation, 'acceptedBy', (t) =>
  t.field(linkUser('user_id', 'The user who accepted it; null while it is pending.')),
);
builder.objectFields(Contact, (t) => ({
  lastChangedBy: t.field(linkUser('user_id', 'The user who last changed the contact.')),
  lastChangedByApp: t.field(nameApp('user_id', 'The name of the app that last changed the contact.')),
  account: t.field(linkUser('user_contact_id', 'The user account of the contact.')),
}));

builder.objectFields(User, (t) => ({
  contacts: t.field({
    type: [Contact],
    description: `The contacts of the space that this user is, at most ${limits.list.contactsOfUser}.`,
    resolve: ({ id }, _, context, info) =>
      mapRelated(contactIdsOf(context, id), (rows) => rows.map((row) => readOwner(context, info, row.id))),
  }),
}));
