// Transactions: payments of contacts and refunds to them.

import { defineRecordsOfContact } from '../noun/crud.ts';
import { defineRecordList } from '../noun/record-list.ts';
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

export const transactionList = defineRecordList<TransactionRow>()(transactions, {
  fields: {
    contactId: { column: 'r.contact_id', type: 'id' },
    amount: { column: 'r.amount', type: 'number' },
    currency: { column: 'r.currency', type: 'code' },
    date: { column: 'r.date', type: 'instant' },
    codeCampaign: { column: 'r.code_campaign', type: 'code', nullable: true },
    paymentMethodKind: { column: 'r.payment_method_kind', type: 'code', nullable: true },
    statusId: { column: 'r.status_id', type: 'id', nullable: true },
  },
  orders: ['id', 'amount', 'date', 'createdAt', 'updatedAt'],
  indexed: ['id', 'amount', 'date', 'createdAt'],
  groups: ['contactId', 'statusId', 'codeCampaign', 'paymentMethodKind', 'currency'],
  amount: { column: 'r.amount', currency: 'r.currency' },
});
