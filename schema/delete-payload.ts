// The payload of mutations that delete a record.
import { builder } from './builder.ts';

export const Deletion = builder.objectRef<{ id: number; noun: string }>('Deletion').implement({
  description: 'A record that is gone from now on.',
  fields: (t) => ({
    id: t.expose('id', { type: 'Id', description: 'Id that the record had.' }),
    message: t.string({ description: 'The same in words.', resolve: ({ noun, id }) => `${noun} ${id} deleted` }),
  }),
});
