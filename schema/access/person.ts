// People as the law sees them: all data of one contact, exported or erased.
import { erasePerson, type RowCounts } from '../../src/data/upkeep/person-erase.ts';
import { exportPerson } from '../../src/data/upkeep/person-export.ts';
import { formatGlobalId } from '../../src/input/global-id.ts';
import { limits } from '../../src/limits/limits.ts';
import { Problem } from '../../src/problem.ts';
import { builder } from '../graph/builder.ts';
import { defineMutation } from '../graph/mutation.ts';
import { acceptId } from '../graph/node.ts';
import { AuditCount, listCounts } from './audit-log.ts';

builder.queryField('personExport', (t) =>
  t.string({
    description: `All that any table holds of a contact, and of those that were merged into it, as JSON text of at most ${limits.value.personCharacters} characters. \`muster person export\` has no such limit.`,
    extensions: { cost: 5 },
    args: { contactId: t.arg({ ...acceptId('Contact'), required: true, description: 'The contact.' }) },
    resolve: async (_, { contactId }, { space }) => {
      const text = await exportPerson(space, contactId);
      if (text.length <= limits.value.personCharacters) return text;
      throw new Problem(
        'answer-too-large',
        `The export has ${text.length} characters, and may have ${limits.value.personCharacters} here: use muster person export`,
      );
    },
  }),
);

defineMutation('erasePerson', {
  cost: 5,
  description:
    'Deletes a contact for good, with those that were merged into it, all of their records, and the copies of them that imports, searches and idempotency keys keep. Nothing brings them back.',
  input: (t) => ({
    contactId: t.field({ ...acceptId('Contact'), required: true, description: 'The contact.' }),
  }),
  resolve: async ({ contactId }, { space }): Promise<{ id: number; counts: RowCounts }> => ({
    id: contactId,
    counts: await erasePerson(space, contactId),
  }),
  audit: ({ id, counts }) => ({ type: 'Contact', ids: [id], counts }),
  payload: (t) => ({
    deletedId: t.id({
      description: 'The id that the contact had.',
      resolve: ({ id }) => formatGlobalId('Contact', id),
    }),
    counts: t.field({
      type: [AuditCount],
      description: 'How many rows were deleted, by table.',
      resolve: ({ counts }) => listCounts(counts),
    }),
  }),
});
