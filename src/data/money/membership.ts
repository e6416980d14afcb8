// Memberships of contacts: their days and their price.

import { defineRecordsOfContact } from '../noun/crud.ts';
import { defineRecordList } from '../noun/record-list.ts';
import { membershipPrices } from './settings.ts';
import { transactions } from './transaction.ts';

export interface MembershipRow {
  id: number;
  contact_id: number;
  group_id: number;
  transaction_id: number | null;
  membership_price_id: number | null;
  /** In minor units of the currency; a refunded one is negative. */
  amount: number;
  currency: string;
  start_date: string;
  end_date: string | null;
  transaction_date: string | null;
  created_at: string;
  updated_at: string;
}

export const memberships = defineRecordsOfContact<MembershipRow>({
  table: 'memberships',
  noun: 'membership',
  columns: {
    transaction_id: { refers: transactions },
    membership_price_id: { refers: membershipPrices },
    amount: {},
    currency: { otherwise: `'EUR'` },
    start_date: {},
    end_date: {},
    transaction_date: {},
  },
  rules: [{ holds: 'end_date >= start_date', column: 'end_date', message: 'must not be before startDate' }],
});

export const membershipList = defineRecordList<MembershipRow>()(memberships, {
  fields: {
    contactId: { column: 'r.contact_id', type: 'id' },
    transactionId: { column: 'r.transaction_id', type: 'id', nullable: true },
    membershipPriceId: { column: 'r.membership_price_id', type: 'id', nullable: true },
    amount: { column: 'r.amount', type: 'number' },
    currency: { column: 'r.currency', type: 'code' },
    startDate: { column: 'r.start_date', type: 'day' },
    endDate: { column: 'r.end_date', type: 'day', nullable: true },
    transactionDate: { column: 'r.transaction_date', type: 'instant', nullable: true },
  },
  orders: ['id', 'amount', 'startDate', 'endDate', 'transactionDate', 'createdAt', 'updatedAt'],
  indexed: ['id', 'startDate', 'endDate', 'createdAt'],
  groups: ['contactId', 'membershipPriceId', 'currency'],
  amount: { column: 'r.amount', currency: 'r.currency' },
});
