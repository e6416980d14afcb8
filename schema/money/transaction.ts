// Transactions of contacts, and the donations and memberships that each of them paid (decisions §4: searched by what they say).
import { transactionStatuses } from '../../src/data/money/settings.ts';
import { type TransactionRow, transactionList, transactions } from '../../src/data/money/transaction.ts';
import { builder } from '../graph/builder.ts';
import { defineListConnection } from '../graph/list-connection.ts';
import { Money, ofSameRow } from '../graph/money.ts';
import type { InputBuilder } from '../graph/mutation.ts';
import { acceptId, defineNodeFields, Node } from '../graph/node.ts';
import { createReference } from '../graph/reference.ts';
import { shortText } from '../graph/validators.ts';
import { Donation } from './donation.ts';
import { Membership } from './membership.ts';
import { defineCurrencyField, defineRecordMutations } from './record.ts';
import { TransactionStatus } from './settings.ts';

const statusOf = createReference(transactionStatuses.ever);

export const Transaction = builder.objectRef<TransactionRow>('Transaction').implement({
  interfaces: [Node],
  description: 'What a contact paid, or was paid back.',
  fields: (t) => ({
    ...defineNodeFields(t, 'Transaction'),
    amount: t.field({ type: Money, description: 'How much; negative for a refund.', ...ofSameRow }),
    date: t.expose('date', { type: 'DateTime', description: 'When it was paid.' }),
    codeCampaign: t.exposeString('code_campaign', { nullable: true, description: 'Code of the campaign it came by.' }),
    paymentMethodKind: t.exposeString('payment_method_kind', { nullable: true, description: 'How it was paid.' }),
    status: t.field({
      type: TransactionStatus,

      description: 'Its status, even one that has been deleted since.',
      ...statusOf.find('status_id'),
    }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When it was recorded.' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
});

const transactionOf = createReference(transactions.ever);

for (const type of [Donation, Membership])
  builder.objectField(type as typeof Donation, 'transaction', (t) =>
    t.field({
      type: Transaction,

      description:
        'The transaction that paid it, which may be of another contact, and even one that has been deleted since.',
      ...transactionOf.find('transaction_id'),
    }),
  );

/** The fields of a transaction that users write. */
export const defineTransactionFields = <Required extends boolean>(t: InputBuilder, required: Required) => ({
  amount: t.field({
    type: 'SafeInt',
    required,
    description: 'Amount in minor units of the currency (cents); negative for a refund.',
  }),
  currency: defineCurrencyField(t),
  date: t.field({ type: 'DateTime', required, description: 'When it was paid.' }),
  codeCampaign: t.string({ validate: shortText, description: 'Code of the campaign it came by.' }),
  paymentMethodKind: t.string({ validate: shortText, description: 'How it was paid.' }),
  statusId: t.field({ ...acceptId('TransactionStatus'), description: 'Id of its status.' }),
});

defineRecordMutations({
  type: Transaction,
  verbs: transactions,
  fields: defineTransactionFields,
  mandatory: ['amount', 'date'],
});

export const transactionConnection = defineListConnection({
  field: 'transactions',
  type: Transaction,
  list: transactionList,
  description: 'The transactions of the space.',
});
