// Donations of contacts, alone or as a part of a transaction.

import { defineRecordsOfContact } from '../noun/crud.ts';
import { defineRecordList } from '../noun/record-list.ts';
import { donationPrices } from './settings.ts';
import { transactions } from './transaction.ts';

export interface DonationRow {
  id: number;
  contact_id: number;
  group_id: number;
  transaction_id: number | null;
  donation_price_id: number | null;
  /** In minor units of the currency; a refunded one is negative. */
  amount: number;
  currency: string;
  transaction_date: string;
  created_at: string;
  updated_at: string;
}

export const donations = defineRecordsOfContact<DonationRow>({
  table: 'donations',
  noun: 'donation',
  summed: true,
  columns: {
    transaction_id: { refers: transactions },
    donation_price_id: { refers: donationPrices },
    amount: {},
    currency: { otherwise: `'EUR'` },
    transaction_date: {},
  },
});

export const donationList = defineRecordList<DonationRow>()(donations, {
  fields: {
    contactId: { column: 'r.contact_id', type: 'id' },
    transactionId: { column: 'r.transaction_id', type: 'id', nullable: true },
    donationPriceId: { column: 'r.donation_price_id', type: 'id', nullable: true },
    amount: { column: 'r.amount', type: 'number' },
    currency: { column: 'r.currency', type: 'code' },
    transactionDate: { column: 'r.transaction_date', type: 'instant' },
  },
  orders: ['id', 'amount', 'transactionDate', 'createdAt', 'updatedAt'],
  indexed: ['id', 'amount', 'transactionDate', 'createdAt'],
  groups: ['contactId', 'donationPriceId', 'currency'],
  amount: { column: 'r.amount', currency: 'r.currency' },
});
