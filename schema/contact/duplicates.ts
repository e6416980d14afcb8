// Contacts that may be one person, and the mutations that say that they are not.
import { z } from 'zod';
import {
  type DuplicateGroup,
  type DuplicatePage,
  type DuplicateReason,
  duplicateReasons,
  findDuplicates,
  type Place,
} from '../../src/data/contact/duplicates.ts';
import { keepContactsApart, releaseContacts } from '../../src/data/contact/kept-apart.ts';
import { usualPageSize } from '../../src/data/noun/page.ts';
import { limitListLength } from '../../src/input/list-length.ts';
import { limits } from '../../src/limits/limits.ts';
import { builder, defineEnumValues } from '../graph/builder.ts';
import { decodeCursor, encodeCursor } from '../graph/connection.ts';
import { defineMutation } from '../graph/mutation.ts';
import { acceptIds } from '../graph/node.ts';
import { cursorText } from '../graph/validators.ts';
import { Contact } from './contact.ts';
import { readOwner } from './contact-relations.ts';

const DuplicateReasonType = builder.enumType('DuplicateReason', {
  description: 'What contacts share that may be one person.',
  values: defineEnumValues<DuplicateReason>({
    same_email: 'Their email address, without regard to case. Couples and families may share one.',
    same_phone: 'A phone or mobile number, however it is written.',
    same_name_and_birthdate: 'Their first and last name, without regard to case and accents, and their birthdate.',
    similar_name_same_address: `Postal code, street and house number, and about the same name. Addresses of more than ${limits.duplicates.household} contacts are left out.`,
  }),
});

const DuplicateGroupType = builder.objectRef<DuplicateGroup>('DuplicateGroup').implement({
  description: 'Contacts that may be one person.',
  fields: (t) => ({
    reason: t.field({
      type: DuplicateReasonType,
      description: 'What they share.',
      resolve: ({ place }) => place.reason,
    }),
    score: t.exposeFloat('score', {
      description: 'How likely they are one person, from 0 to 1: contacts of one name more than others.',
    }),
    contactCount: t.int({ description: 'How many they are.', resolve: ({ ids }) => ids.length }),
    contacts: t.field({
      type: [Contact],
      description: `The first ${limits.duplicates.shown} of them, by id.`,
      resolve: ({ ids }, _, context, info) =>
        ids.slice(0, limits.duplicates.shown).map((id) => readOwner(context, info, id)),
    }),
  }),
});

const encodePlace = ({ reason, shared, id }: Place): string => encodeCursor('duplicates', reason, ...shared, id);
/** A cursor of a reason that is not asked for is of another list. */
const decodePlace = (cursor: string, reasons: readonly DuplicateReason[]): Place => {
  const place = z.tuple([z.enum(reasons), z.string(), z.string(), z.string(), z.int()]);
  const [reason, a, b, c, id] = decodeCursor('duplicates', place, cursor, 'after');
  return { reason, shared: [a, b, c], id };
};

const DuplicateList = builder.objectRef<DuplicatePage>('DuplicateList').implement({
  description: 'Some groups of contacts that may be one person.',
  fields: (t) => ({
    nodes: t.expose('groups', { type: [DuplicateGroupType], description: 'The groups.' }),
    cursor: t.string({
      nullable: true,
      description:
        'Where to go on: `after` of the next call. It moves on also when `nodes` is empty, since a page looks at some of the contacts. Null when the space has none.',
      resolve: ({ place: at }) => (at ? encodePlace(at) : null),
    }),
    hasMore: t.exposeBoolean('hasMore', { description: 'Whether there are more contacts to look at.' }),
  }),
});

builder.queryField('duplicateContacts', (t) =>
  t.field({
    type: DuplicateList,
    description:
      'Groups of contacts that may be one person, reason by reason. Contacts that are kept apart are left out. `mergeContacts` makes one of them, `keepContactsApart` says that they are several.',
    args: {
      by: t.arg({
        type: [DuplicateReasonType],
        required: true,
        defaultValue: [...duplicateReasons],
        validate: limitListLength([1, duplicateReasons.length], 'reasons'),
        description: 'The reasons, in the order of the groups.',
      }),
      first: t.arg.int({
        extensions: { usualSize: usualPageSize },
        validate: z
          .int()
          .min(1, `must be a whole number from 1 to ${limits.list.page}`)
          .max(limits.list.page, `must be a whole number from 1 to ${limits.list.page}`),
        description: `How many groups at most, 1 to ${limits.list.page}; ${usualPageSize} without it.`,
      }),
      after: t.arg.string({ validate: cursorText, description: 'The cursor of an earlier page.' }),
    },
    resolve: (_, { by, first, after }, { space }) =>
      findDuplicates(space, {
        reasons: [...new Set(by)],
        first: first ?? usualPageSize,
        after: after == null ? undefined : decodePlace(after, by),
      }),
  }),
);

for (const [name, description, change] of [
  [
    'keepContactsApart',
    'Says that each of these contacts is another person than each other one, such as twins, or couples with one email address: they are no duplicates, and are not merged.',
    keepContactsApart,
  ],
  ['releaseContacts', 'Takes back `keepContactsApart`: these contacts may be one person.', releaseContacts],
] as const)
  defineMutation(name, {
    cost: 5,
    description,
    input: (t) => ({
      contactIds: t.field({
        ...acceptIds('Contact'),
        required: true,
        validate: limitListLength([2, limits.duplicates.apart], 'contacts'),
        description: `The contacts, 2 to ${limits.duplicates.apart}; all of them must exist.`,
      }),
    }),
    resolve: ({ contactIds }, { space, caller }) => change(space, contactIds, caller.userId),
    audit: (pairs) => ({
      type: 'Contact',
      ids: [...new Set(pairs.flatMap(({ contact_id, other_id }) => [contact_id, other_id]))],
    }),
    payload: (t) => ({
      count: t.int({ description: 'How many pairs of contacts were changed.', resolve: (pairs) => pairs.length }),
    }),
  });
