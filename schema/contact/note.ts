// Notes on contacts (spec §2.1, §4.1).

import type { Caller } from '../../src/context.ts';
import {
  createNote,
  deleteNote,
  type Editor,
  type NoteRow,
  noteColumns,
  noteList,
  updateNote,
} from '../../src/data/contact/note.ts';
import { convertToColumns } from '../../src/input/snake-case.ts';
import { isAtLeast } from '../../src/permissions/permissions.ts';
import { builder } from '../graph/builder.ts';
import { defineListConnection } from '../graph/list-connection.ts';
import { defineDeletion, defineRecordMutation } from '../graph/mutation.ts';
import { acceptId, defineNodeFields, legacyId, Node, requireId } from '../graph/node.ts';
import { defineColumnFields } from '../graph/noun.ts';
import { nonBlankProse, refuseNullFields } from '../graph/validators.ts';

export const Note = builder.objectRef<NoteRow>('Note').implement({
  interfaces: [Node],
  description: 'A text that a user left on a contact.',
  fields: (t) => ({
    ...defineNodeFields(t, 'Note'),
    contactId: t.expose('contact_id', { ...legacyId, description: 'The contact that the note is on.' }),
    groupId: t.expose('group_id', { ...legacyId, description: 'The space.' }),
    userId: t.expose('user_id', { ...legacyId, nullable: true, description: 'The user who wrote it.' }),
    ...defineColumnFields(t, noteColumns.columns),
  }),
});

const editorOf = ({ userId, roleType }: Caller): Editor => ({ userId, manages: isAtLeast(roleType, 'manager') });

defineRecordMutation('createNote', {
  type: Note,
  description: 'Writes a note on a contact. To pin it unpins the others.',
  blank: 'null',
  input: (t) => ({
    contactId: t.field({ ...acceptId('Contact'), required: true, description: 'The contact to write on.' }),
    content: t.string({
      required: true,
      validate: nonBlankProse,
      description: 'The text, at most 65,536 characters; not blank.',
    }),
    pinned: t.boolean({ defaultValue: false, description: 'Whether to pin it on the contact.' }),
  }),
  resolve: ({ contactId, content, pinned }, { space, caller, action }) =>
    createNote(space, { contactId, userId: caller.userId, content, pinned: pinned ?? false, action: action! }),
  // The verb writes the notes of many requests at once, and their lines with them.
  audit: 'by-verb',
});

defineRecordMutation('updateNote', {
  type: Note,
  description: 'Changes a note. To pin it unpins the others. Needs its author, or the role manager.',
  about: 'What to change of a note. Fields left out stay.',
  input: (t) => ({
    id: t.field(requireId('Note')),
    content: t.string({ validate: nonBlankProse, description: 'The text, at most 65,536 characters; not blank.' }),
    pinned: t.boolean({ description: 'Whether it is pinned on the contact; a contact has one pinned note at most.' }),
  }),
  validate: refuseNullFields('content', 'pinned'),
  resolve: ({ id, ...change }, { space, caller }) => updateNote(space, id, convertToColumns(change), editorOf(caller)),
});

defineDeletion('deleteNote', {
  type: 'Note',
  description: 'Deletes a note. Needs its author, or the role manager.',
  remove: ({ space, caller }, id) => deleteNote(space, id, editorOf(caller)),
});

export const noteConnection = defineListConnection({ field: 'notes', type: Note, list: noteList });
