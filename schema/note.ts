// Notes on contacts (spec §2.1, §4.1).
import type { Caller } from '../src/context.ts';
import { readNotesOfContacts } from '../src/data/contact/read.ts';
import { createNote, deleteNote, type Editor, type NoteRow, noteList, updateNote } from '../src/data/note.ts';
import { convertToColumns } from '../src/input/snake-case.ts';
import { isAtLeast } from '../src/role-type.ts';
import { builder } from './builder.ts';
import { Deletion } from './delete-payload.ts';
import { defineListConnection } from './list-connection.ts';
import { createRelationLoader } from './loader.ts';
import { acceptId, defineNodeFields, legacyId, Node, registerNode } from './node.ts';
import { longText, refuseNullFields } from './validators.ts';

export const Note = builder.objectRef<NoteRow>('Note').implement({
  interfaces: [Node],
  description: 'A text that a user left on a contact.',
  fields: (t) => ({
    ...defineNodeFields(t, 'Note'),
    contactId: t.expose('contact_id', { ...legacyId, description: 'The contact that the note is on.' }),
    groupId: t.expose('group_id', { ...legacyId, description: 'The space.' }),
    userId: t.expose('user_id', { ...legacyId, nullable: true, description: 'The user who wrote it.' }),
    content: t.exposeString('content', { description: 'The text, as it was sent.' }),
    pinned: t.exposeBoolean('pinned', { description: 'Whether the note is pinned on the contact.' }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When it was written.' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
});

/** The notes of a contact: pinned ones first, then the newest. */
export const notesOf = createRelationLoader(
  (context, ids) => readNotesOfContacts(context.space, ids),
  (note) => note.contact_id,
);

const NoteInput = builder.inputType('NoteInput', {
  description: 'A note to write.',
  fields: (t) => ({
    content: t.string({ required: true, validate: longText, description: 'The text, at most 65,536 characters.' }),
    pinned: t.boolean({ defaultValue: false, description: 'Whether to pin it on the contact.' }),
  }),
});

const NoteChange = builder.inputType('NoteChange', {
  description: 'What to change of a note. Fields left out stay.',
  fields: (t) => ({
    content: t.string({ validate: longText, description: 'The text, at most 65,536 characters.' }),
    pinned: t.boolean({ description: 'Whether it is pinned on the contact; of the notes of a contact one may be.' }),
  }),
  validate: refuseNullFields('content', 'pinned'),
});

const editorOf = ({ userId, roleType }: Caller): Editor => ({ userId, manages: isAtLeast(roleType, 'manager') });

builder.mutationFields((t) => ({
  createNote: t.field({
    type: Note,
    description: 'Writes a note on a contact. To pin it unpins the others.',
    args: {
      contactId: t.arg({ ...acceptId('Contact'), required: true, description: 'The contact to write on.' }),
      input: t.arg({ type: NoteInput, required: true, description: 'The note.' }),
    },
    resolve: (_, { contactId, input }, { space, caller }) =>
      createNote(space, { contactId, userId: caller.userId, content: input.content, pinned: input.pinned ?? false }),
  }),
  updateNote: t.field({
    type: Note,
    description: 'Changes a note. To pin it unpins the others. Needs its author, or the role manager.',
    args: {
      id: t.arg({ ...acceptId('Note'), required: true, description: 'Id of the note.' }),
      input: t.arg({ type: NoteChange, required: true, description: 'What to change.' }),
    },
    resolve: (_, { id, input }, { space, caller }) => updateNote(space, id, convertToColumns(input), editorOf(caller)),
  }),
  deleteNote: t.field({
    type: Deletion,
    description: 'Deletes a note. Needs its author, or the role manager.',
    args: { id: t.arg({ ...acceptId('Note'), required: true, description: 'Id of the note.' }) },
    resolve: async (_, { id }, { space, caller }) => ({
      id: await deleteNote(space, id, editorOf(caller)),
      type: 'Note',
    }),
  }),
}));

export const noteConnection = defineListConnection({
  field: 'notes',
  type: Note,
  list: noteList,
  description: 'The notes of the space.',
});
registerNode(Note, ({ space }, ids) => noteList.readByIds(space, ids));
