// Interactions with contacts, and their files (spec §2.3).
import { type FileRow, type InteractionRow, interactionsOfContacts } from '../src/data/interaction.ts';
import { builder } from './builder.ts';
import { related } from './loader.ts';

const File = builder.objectRef<FileRow>('File').implement({
  description: 'A file that belongs to an interaction: what it is, and where its bytes are.',
  fields: (t) => ({
    id: t.expose('id', { type: 'Id', description: 'Id of the file.' }),
    groupId: t.expose('group_id', { type: 'Id', description: 'The space.' }),
    ownerId: t.expose('owner_id', { type: 'Id', nullable: true, description: 'The user who added it.' }),
    subject: t.exposeString('subject', { nullable: true, description: 'What it is about.' }),
    url: t.exposeString('url', { description: 'Where its bytes are.' }),
    folder: t.exposeString('folder', { nullable: true, description: 'Folder it is filed under.' }),
    mime: t.exposeString('mime', { nullable: true, description: 'Media type.' }),
    name: t.exposeString('name', { description: 'Name of the file.' }),
    isInteraction: t.boolean({
      description: 'Whether it belongs to an interaction.',
      resolve: (file) => file.interaction_id !== null,
    }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When it was added.' }),
  }),
});

export const Interaction = builder.objectRef<InteractionRow>('Interaction').implement({
  description: 'Something that happened with a contact: a call, a visit, a meeting.',
  fields: (t) => ({
    id: t.expose('id', { type: 'Id', description: 'Id of the interaction.' }),
    contactId: t.expose('contact_id', { type: 'Id', description: 'The contact.' }),
    groupId: t.expose('group_id', { type: 'Id', description: 'The space.' }),
    userId: t.expose('user_id', { type: 'Id', nullable: true, description: 'The user who recorded it.' }),
    type: t.exposeString('type', { description: 'What it was.' }),
    subType: t.exposeString('sub_type', { nullable: true, description: 'What it was, more closely.' }),
    title: t.exposeString('title', { nullable: true, description: 'Title.' }),
    comments: t.exposeString('comments', { nullable: true, description: 'What was said of it.' }),
    onlySuperAdmin: t.exposeBoolean('only_super_admin', { description: 'Whether only superadmins see it.' }),
    files: t.field({ type: [File], description: 'Its files.', resolve: ({ files }) => files }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When it was recorded.' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
});

/** The interactions of a contact that the caller may see. */
export const interactionsOf = related(
  ({ space, caller }, ids) => interactionsOfContacts(space, ids, caller.roleType === 'superadmin'),
  (interaction) => interaction.contact_id,
);
