// Imports: batches of contacts that are written with a trace, and can be undone.
import { type Import, importColumns, importList, importWholeList } from '../../src/data/import/contacts.ts';
import { undoWholeImport } from '../../src/data/import/undo.ts';
import { builder, defineEnumValues } from '../graph/builder.ts';
import { defineListConnection } from '../graph/list-connection.ts';
import { defineMutation } from '../graph/mutation.ts';
import { defineNodeFields, Node, requireId } from '../graph/node.ts';
import { defineColumnFields } from '../graph/noun.ts';
import { shortText } from '../graph/validators.ts';
import { convertToUpsertWrites, defineRecordsField, Upserted } from './contact-write.ts';

const ImportMode = builder.enumType('ImportMode', {
  description: 'What is done with a record.',
  values: defineEnumValues({
    upsert: 'The contact that it means is changed; without any, it is created.',
    create: 'It is always created.',
  }),
});

export const ImportType = builder.objectRef<Import>('Import').implement({
  interfaces: [Node],
  description: 'What an import wrote.',
  fields: (t) => ({ ...defineNodeFields(t, 'Import'), ...defineColumnFields(t, importColumns) }),
});

defineMutation('importContacts', {
  cost: 5,
  description: 'Writes a batch of records, each for itself, as an import that can be undone.',
  input: (t) => ({
    contacts: defineRecordsField(t),
    mode: t.field({ type: ImportMode, defaultValue: 'upsert', required: true, description: 'What is done with each.' }),
    name: t.string({ validate: shortText, defaultValue: 'import', required: true, description: 'What to call it.' }),
  }),
  resolve: ({ contacts, mode, name }, { space, caller }) =>
    importWholeList(space, convertToUpsertWrites(contacts), { name, mode, by: caller.userId }),
  audit: ({ import: { id, created, updated, unchanged, refused } }) => ({
    type: 'Import',
    ids: [id],
    counts: { created, updated, unchanged, refused },
  }),
  payload: (t) => ({
    import: t.expose('import', { type: ImportType, description: 'The import.' }),
    results: t.expose('results', { type: [Upserted], description: 'The result for each record, in their order.' }),
  }),
});

defineMutation('undoImport', {
  cost: 5,
  description:
    'Undoes an import: deletes the records it created and restores those it changed, except records that changed since. An import of donations, or of other records, needs the permission to write these too.',
  input: (t) => ({ id: t.field(requireId('Import')) }),
  resolve: ({ id }, { space, caller, action }) => undoWholeImport(space, id, caller, action!),
  // The verb has transactions of its own.
  audit: 'by-verb',
  payload: (t) => ({
    deleted: t.exposeInt('deleted', {
      description: 'Contacts, or records, that it had created, and that are deleted now.',
    }),
    restored: t.exposeInt('restored', { description: 'Contacts that it had changed, and that are as before.' }),
    left: t.exposeInt('left', {
      description:
        'Contacts, or records, that somebody has changed since, or whose external id somebody else has now; they stay as they are.',
    }),
  }),
});

defineListConnection({ field: 'imports', type: ImportType, list: importList });
