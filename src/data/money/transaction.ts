// Transactions: payments of contacts and refunds to them.
import { defineNoun } from '../noun/noun.ts';
import { currency, transactionStatuses } from './settings.ts';

export const transactions = defineNoun('Transaction', {
  table: 'transactions',
  of: 'contact',
  description: 'What a contact paid, or was paid back.',
  summed: true,
  columns: {
    amount: {
      kind: 'money',
      required: true,
      description: 'How much; negative for a refund.',
      input: 'Amount in minor units of the currency (cents); negative for a refund.',
      isOrder: true,
    },
    currency,
    date: { kind: 'instant', required: true, description: 'When it was paid.', isOrder: true },
    code_campaign: { kind: 'code', description: 'Code of the campaign it came by.', isGroup: true },
    payment_method_kind: { kind: 'code', description: 'How it was paid.', isGroup: true },
    status_id: {
      kind: 'id',
      refers: transactionStatuses,
      description: 'Its status, even one that has been deleted since.',
      input: 'Id of its status.',
      isGroup: true,
    },
  },
  indexed: ['id', 'amount', 'date', 'createdAt'],
});

/** The column of a record that a transaction paid. */
export const transaction_id = {
  kind: 'id',
  refers: transactions,
  description:
    'The transaction that paid it, which may be of another contact, and even one that has been deleted since.',
  input: 'The transaction that paid it, which may be of another contact.',
} as const;
