// Notes on contacts (spec §2.1, §4.1).
import { notesOfContacts } from '../src/data/contact.ts';
import { createNote, type NoteRow } from '../src/data/note.ts';
import { builder } from './builder.ts';
import { related } from './loader.ts';
import { prose } from './text.ts';

export const Note = builder.objectRef<NoteRow>('Note').implement({
  description: 'A text that a user left on a contact.',
  fields: (t) => ({
    id: t.expose('id', { type: 'Id', description: 'Id of the note.' }),
    contactId: t.expose('contact_id', { type: 'Id', description: 'The contact that the note is on.' }),
    groupId: t.expose('group_id', { type: 'Id', description: 'The space.' }),
    userId: t.expose('user_id', { type: 'Id', nullable: true, description: 'The user who wrote it.' }),
    content: t.exposeString('content', { description: 'The text, as it was sent.' }),
    pinned: t.exposeBoolean('pinned', { description: 'Whether the note is pinned on the contact.' }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When it was written.' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
});

/** The notes of a contact: pinned ones first, then the newest. */
export const notesOf = related(
  (context, ids) => notesOfContacts(context.space, ids),
  (note) => note.contact_id,
);

const NoteInput = builder.inputType('NoteInput', {
  description: 'A note to write.',
  fields: (t) => ({
    content: t.string({ required: true, validate: prose, description: 'The text, at most 65,536 characters.' }),
    pinned: t.boolean({ defaultValue: false, description: 'Whether to pin it on the contact.' }),
  }),
});

builder.mutationFields((t) => ({
  createNote: t.field({
    type: Note,
    description: 'Writes a note on a contact.',
    args: {
      contactId: t.arg({ type: 'Id', required: true, description: 'The contact to write on.' }),
      input: t.arg({ type: NoteInput, required: true, description: 'The note.' }),
    },
    resolve: (_, { contactId, input }, { space, caller }) =>
      createNote(space, { contactId, userId: caller.userId, content: input.content, pinned: input.pinned ?? false }),
  }),
}));
