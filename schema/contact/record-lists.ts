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

const onContact = { on: Contact, parent: 'contactId' };
const onTransaction = { on: Transaction, parent: 'transactionId' };

defineNestedConnection({
  ...onContact,
  field: 'answers',
  connection: answerConnection,
  list: plainAnswerList,
  description: 'Their answers to forms, except custom fields.',
});
defineNestedConnection({
  ...onContact,
  field: 'notes',
  connection: noteConnection,
  description: 'The notes on them.',
});
defineNestedConnection({
  ...onContact,
  field: 'interactions',
  connection: interactionConnection,
  description: 'What happened with them, as far as the caller may see it.',
});
defineNestedConnection({
  ...onContact,
  field: 'consentHistory',
  connection: consentConnection,
  description: 'The history of their opt-out and of their answers to forms on consent.',
});
defineNestedConnection({
  ...onContact,
  field: 'emails',
  connection: emailConnection,
  description: 'The e-mails that they were sent.',
});
defineNestedConnection({
  ...onContact,
  field: 'transactions',
  connection: transactionConnection,
  description: 'What they paid.',
});
defineNestedConnection({
  ...onContact,
  field: 'donations',
  connection: donationConnection,
  description: 'What they gave.',
});
defineNestedConnection({
  ...onContact,
  field: 'memberships',
  connection: membershipConnection,
  description: 'Their memberships.',
});
defineNestedConnection({
  ...onContact,
  field: 'sanctions',
  connection: sanctionConnection,
  description: 'The sanctions against them.',
});

defineNestedConnection({
  ...onTransaction,
  field: 'donations',
  connection: donationConnection,
  description: 'The donations that it paid, of whichever contacts.',
});
defineNestedConnection({
  ...onTransaction,
  field: 'memberships',
  connection: membershipConnection,
  description: 'The memberships that it paid, of whichever contacts.',
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
