// The payload of mutations that delete a record.
import { formatGlobalId } from '../src/input/global-id.ts';
import { builder } from './builder.ts';

/** The deleted record: its type, its number, and its name in the message where that is not the type's. */
export interface DeletedRecord {
  type: string;
  id: number;
  noun?: string;
}

export const Deletion = builder.objectRef<DeletedRecord>('Deletion').implement({
  description: 'A record that no longer exists.',
  fields: (t) => ({
    deletedId: t.id({
      description: 'The id that the record had.',
      resolve: ({ type, id }) => formatGlobalId(type, id),
    }),
    databaseId: t.expose('id', { type: 'SafeInt', description: 'The number that the record had.' }),
    message: t.string({
      description: 'The same in words.',
      resolve: ({ type, noun = type, id }) => `${noun} ${id} deleted`,
    }),
  }),
});
