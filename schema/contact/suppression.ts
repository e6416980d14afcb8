// Opt-outs that outlive their contact: shown by their digests, and erased by a mail or a phone.
import { z } from 'zod';
import {
  eraseSuppression,
  isKnownPhone,
  type Suppression,
  suppressionList,
} from '../../src/data/contact/suppression.ts';
import { builder } from '../graph/builder.ts';
import { defineListConnection } from '../graph/list-connection.ts';
import { defineMutation } from '../graph/mutation.ts';
import { defineNodeFields, Node } from '../graph/node.ts';
import { nonBlank } from '../graph/validators.ts';

const SuppressionType = builder.objectRef<Suppression>('Suppression').implement({
  interfaces: [Node],
  description:
    'The digest of a mail or a phone of somebody who opted out and was deleted. A contact that is created with that mail or phone, also by an upsert or an import, is opted out.',
  fields: (t) => ({
    ...defineNodeFields(t, 'Suppression'),
    digest: t.exposeString('digest', {
      description:
        'The SHA-256 of the space and of the mail or the phone, in hexadecimal digits. It shows neither, but a guess can be checked against it, and all phones of a country can be tried: treat it as personal data.',
    }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When the contact was deleted.' }),
  }),
});

defineListConnection({
  field: 'suppressions',
  type: SuppressionType,
  list: suppressionList,
  description:
    'The opt-outs that outlive their contact. A person has one for their mail, and one for each of their phones.',
});

defineMutation('eraseSuppression', {
  description:
    'Erases the kept opt-out of a mail, of a phone, or of both, for somebody who asks to be forgotten completely. Afterwards they can be created or imported without an opt-out. The kept opt-outs of their other phones stay, and so does the opt-out of a contact that exists.',
  input: (t) => ({
    email: t.string({ validate: nonBlank, description: 'The mail; it is not stored.' }),
    phone: t.string({
      validate: nonBlank.refine(isKnownPhone, 'must have at least six digits'),
      description: 'The phone; it is not stored.',
    }),
  }),
  validate: z
    .unknown()
    .refine((input) => Object.values(input as object).some((value) => value != null), 'must have an email or a phone'),
  resolve: async ({ email = null, phone = null }, { space }) => ({
    count: await eraseSuppression(space, { email, phone }),
  }),
  audit: ({ count }) => (count > 0 ? { type: 'Suppression', counts: { erased: count } } : undefined),
  payload: (t) => ({
    count: t.exposeInt('count', {
      description: 'How many were erased; 0 when nothing was kept of the mail or the phone.',
    }),
  }),
});
