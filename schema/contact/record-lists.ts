// Records as connections of what they hang on, of contacts and of the transactions that paid them, and the way back from a record to its contact.
import { plainAnswerList } from '../../src/data/contact/answer.ts';
import { buildContactSql } from '../../src/data/contact/read.ts';
import { createNotFoundProblem } from '../../src/problem.ts';
import { builder } from '../graph/builder.ts';
import { defineNestedConnection } from '../graph/list-connection.ts';
import {
  Donation,
  donationConnection,
  Membership,
  membershipConnection,
  Sanction,
  sanctionConnection,
  Transaction,
  transactionConnection,
} from '../money/records.ts';
import { Answer, answerConnection } from './answer.ts';
import { consentConnection } from './consent.ts';
import { Contact } from './contact.ts';
import { readOwner } from './contact-relations.ts';
import { Email, emailConnection } from './email.ts';
import { Interaction, interactionConnection } from './interaction.ts';
import { Note, noteConnection } from './note.ts';

type Connection = Parameters<typeof defineNestedConnection>[0]['connection'];

const listsOfContacts: readonly [field: string, connection: object, description: string, list?: object][] = [
  ['answers', answerConnection, 'Their answers to forms, except custom fields.', plainAnswerList],
  ['notes', noteConnection, 'The notes on them.'],
  ['interactions', interactionConnection, 'What happened with them, as far as the caller may see it.'],
  ['consentHistory', consentConnection, 'The history of their opt-out and of their answers to forms on consent.'],
  ['emails', emailConnection, 'The e-mails that they were sent.'],
  ['transactions', transactionConnection, 'What they paid.'],
  ['donations', donationConnection, 'What they gave.'],
  ['memberships', membershipConnection, 'Their memberships.'],
  ['sanctions', sanctionConnection, 'The sanctions against them.'],
];
for (const [field, connection, description, list] of listsOfContacts)
  defineNestedConnection({
    on: Contact,
    parent: 'contactId',
    field,
    connection: connection as Connection,
    description,
    list,
  });
for (const [field, connection] of [
  ['donations', donationConnection],
  ['memberships', membershipConnection],
] as const)
  defineNestedConnection({
    on: Transaction,
    parent: 'transactionId',
    field,
    connection: connection as Connection,
    description: `The ${field} that it paid, of whichever contacts.`,
  });

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
