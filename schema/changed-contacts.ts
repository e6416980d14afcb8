// Changes to many contacts at once: which contacts are meant, and which of them are not as they were.

import { limitListLength } from '../src/input/list-length.ts';
import { builder } from './builder.ts';

type MutationBuilder = Parameters<Parameters<typeof builder.mutationFields>[0]>[0];

/** The payload of such a change. */
export const ChangedContacts = builder.objectRef<{ contactIds: number[] }>('ChangedContacts').implement({
  description: 'Which contacts a change made to many of them has changed.',
  fields: (t) => ({
    count: t.int({ description: 'How many contacts were changed.', resolve: ({ contactIds }) => contactIds.length }),
    contactIds: t.field({
      type: ['Id'],
      description: 'The contacts that were changed, by id; those that were as wanted already are not among them.',
      resolve: ({ contactIds }) => contactIds,
    }),
  }),
});

/** The contacts that are meant. */
export const defineContactIdsArg = (t: MutationBuilder) =>
  t.arg({
    type: ['Id'],
    required: true,
    validate: limitListLength([1, 1000], 'contacts'),
    description: 'The contacts, 1 to 1000; all of them must be there.',
  });
