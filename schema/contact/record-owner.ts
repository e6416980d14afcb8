// The way from a record to the contact that it is on, for every type of records of contacts.
import { buildContactSql } from '../../src/data/contact/read.ts';
import { createNotFoundProblem } from '../../src/problem.ts';
import { builder } from '../graph/builder.ts';
import { Donation, Membership, Sanction, Transaction } from '../money/records.ts';
import { Answer } from './answer.ts';
import { Contact } from './contact.ts';
import { readOwner } from './contact-relations.ts';
import { Email } from './email.ts';
import { Interaction } from './interaction.ts';
import { Note } from './note.ts';

for (const type of [Answer, Donation, Email, Interaction, Membership, Note, Sanction, Transaction])
  builder.objectField(type as typeof Note, 'contact', (t) =>
    t.field({
      type: Contact,
      description: 'The contact that the record is on.',
      extensions: {
        json: {
          rows: {
            by: 'contact_id',
            isOwner: true,
            buildSql: buildContactSql,
            createMissing: (id) => createNotFoundProblem('contact', id),
          },
          pick: 'one',
        },
      },
      resolve: ({ contact_id }, _, context, info) => readOwner(context, info, contact_id),
    }),
  );
