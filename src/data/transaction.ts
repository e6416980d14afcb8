// Transactions: payments of contacts and refunds to them.
import { defineRecordsOfContact } from './record/crud.ts';
import { transactionStatuses } from './settings.ts';

export interface TransactionRow {
  id: number;
  contact_id: number;
  group_id: number;
  /** In minor units of the currency; a refund is negative. */
  amount: number;
  currency: string;
  date: string;
  code_campaign: string | null;
  payment_method_kind: string | null;
  status_id: number | null;
  created_at: string;
  updated_at: string;
}

export const transactions = defineRecordsOfContact<TransactionRow>({
  table: 'transactions',
  noun: 'transaction',
  summed: true,
  columns: {
    amount: {},
    currency: { otherwise: `'EUR'` },
    date: {},
    code_campaign: {},
    payment_method_kind: {},
    status_id: { refers: transactionStatuses },
  },
});
