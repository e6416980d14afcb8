// Interactions with contacts, and their files (spec §2.3).

import type { Caller } from '../../src/context.ts';
import {
  buildFilesSql,
  type FileRow,
  fileColumns,
  type InteractionRow,
  interactionColumns,
  interactionList,
  readFilesByIds,
  readInteractionsOfContacts,
} from '../../src/data/contact/interaction.ts';
import {
  addInteractionFile,
  createInteraction,
  deleteInteraction,
  deleteInteractionFile,
  updateInteraction,
  type Writer,
} from '../../src/data/contact/interaction-write.ts';
import { replaceBlanks } from '../../src/input/blank.ts';
import { limitListLength } from '../../src/input/list-length.ts';
import { convertToColumns } from '../../src/input/snake-case.ts';
import { createRelationLoader } from '../../src/plan/loader.ts';
import { builder } from '../graph/builder.ts';
import { defineListConnection } from '../graph/list-connection.ts';
import { defineDeletion, defineRecordMutation, type InputBuilder } from '../graph/mutation.ts';
import { acceptId, defineNodeFields, legacyId, Node, registerNode, requireId } from '../graph/node.ts';
import { defineColumnFields } from '../graph/noun.ts';
import { longText, nonBlank, nonBlankUrl, refuseNullFields, shortText } from '../graph/validators.ts';

export const File = builder.objectRef<FileRow>('File').implement({
  interfaces: [Node],
  description: 'A file that belongs to an interaction: what it is, and where its bytes are.',
  fields: (t) => ({
    ...defineNodeFields(t, 'File'),
    groupId: t.expose('group_id', { ...legacyId, description: 'The space.' }),
    ownerId: t.expose('owner_id', { ...legacyId, nullable: true, description: 'The user who added it.' }),
    ...defineColumnFields(t, fileColumns.columns),
    isInteraction: t.boolean({
      extensions: { legacy: true },
      description: 'Whether it belongs to an interaction.',
      resolve: (file) => file.interaction_id !== null,
    }),
  }),
});

export const Interaction = builder.objectRef<InteractionRow>('Interaction').implement({
  interfaces: [Node],
  description: 'Something that happened with a contact: a call, a visit, a meeting.',
  fields: (t) => ({
    ...defineNodeFields(t, 'Interaction'),
    contactId: t.expose('contact_id', { ...legacyId, description: 'The contact.' }),
    groupId: t.expose('group_id', { ...legacyId, description: 'The space.' }),
    userId: t.expose('user_id', { ...legacyId, nullable: true, description: 'The user who recorded it.' }),
    ...defineColumnFields(t, interactionColumns.columns),
    files: t.field({
      type: [File],
      description: 'Its files.',
      extensions: { json: { rows: { by: 'id', buildSql: buildFilesSql }, pick: 'all', comesAlong: true } },
      resolve: ({ files }) => files,
    }),
  }),
});

/** The interactions of a contact that the caller may see. */
export const interactionsOf = createRelationLoader(
  ({ space, caller }, ids) => readInteractionsOfContacts(space, ids, caller.roleType === 'superadmin'),
  (interaction) => interaction.contact_id,
);

const defineFileFields = (t: InputBuilder) => ({
  name: t.string({ required: true, validate: nonBlank, description: 'Name of the file; not blank.' }),
  url: t.string({
    required: true,
    validate: nonBlankUrl,
    description: 'Where its bytes are: an address of http or https, or a path that begins with a slash.',
  }),
  mime: t.string({ validate: shortText, description: 'Media type.' }),
  folder: t.string({ validate: shortText, description: 'Folder to file it under.' }),
  subject: t.string({ validate: shortText, description: 'What it is about.' }),
});

const FileInput = builder.inputType('FileInput', {
  description: 'A file of an interaction: what it is, and where its bytes are.',
  fields: defineFileFields,
});

const defineInteractionFields = <Required extends boolean>(t: InputBuilder, required: Required) => ({
  type: t.string({ required, validate: nonBlank, description: 'What it was; not blank.' }),
  subType: t.string({ validate: shortText, description: 'What it was, more closely.' }),
  title: t.string({ validate: shortText, description: 'Title.' }),
  comments: t.string({ validate: longText, description: 'What was said of it.' }),
  onlySuperAdmin: t.boolean({ description: 'Whether only superadmins see it; only they may say so.' }),
});

const writerOf = ({ userId, roleType }: Caller): Writer => ({ userId, isSuperAdmin: roleType === 'superadmin' });

defineRecordMutation('createInteraction', {
  type: Interaction,
  description: 'Records an interaction with a contact, and its files.',
  input: (t) => ({
    contactId: t.field({ ...acceptId('Contact'), required: true, description: 'The contact.' }),
    ...defineInteractionFields(t, true),
    files: t.field({
      type: [FileInput],
      validate: limitListLength([0, 100], 'files'),
      description: 'Its files, at most 100.',
    }),
  }),
  resolve: ({ contactId, files, ...content }, { space, caller }) =>
    createInteraction(space, writerOf(caller), {
      contactId,
      content: convertToColumns(replaceBlanks(content, 'null')),
      files: (files ?? []).map((file) => replaceBlanks(file, 'null')),
    }),
});

defineRecordMutation('updateInteraction', {
  type: Interaction,
  description: 'Changes an interaction; its files are added and deleted by themselves.',
  about: 'What to change of an interaction. Fields left out stay; null clears those that may be empty.',
  input: (t) => ({ id: t.field(requireId('Interaction')), ...defineInteractionFields(t, false) }),
  validate: refuseNullFields('type', 'onlySuperAdmin'),
  resolve: ({ id, ...change }, { space, caller }) =>
    updateInteraction(space, writerOf(caller), id, convertToColumns(replaceBlanks(change, 'null'))),
});

defineDeletion('deleteInteraction', {
  type: 'Interaction',
  description: 'Deletes an interaction with its files.',
  remove: ({ space, caller }, id) => deleteInteraction(space, writerOf(caller), id),
});

defineRecordMutation('addFile', {
  type: File,
  description: 'Adds a file to an interaction.',
  input: (t) => ({
    interactionId: t.field({ ...acceptId('Interaction'), required: true, description: 'The interaction.' }),
    ...defineFileFields(t),
  }),
  resolve: ({ interactionId, ...file }, { space, caller }) =>
    addInteractionFile(space, writerOf(caller), interactionId, replaceBlanks(file, 'null')),
});

defineDeletion('deleteFile', {
  type: 'File',
  description: 'Deletes a file of an interaction.',
  remove: ({ space, caller }, id) => deleteInteractionFile(space, writerOf(caller), id),
});

const seesAll = ({ roleType }: Caller): boolean => roleType === 'superadmin';
export const interactionConnection = defineListConnection({
  field: 'interactions',
  type: Interaction,
  list: interactionList,
  description: 'The interactions of the space that the caller may see.',
  seesAll: ({ caller }) => seesAll(caller),
});
registerNode(File, { read: ({ space, caller }, ids) => readFilesByIds(space, ids, seesAll(caller)) });
