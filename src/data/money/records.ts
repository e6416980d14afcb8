// Money and sanctions of contacts: transactions, the donations and memberships that they pay, and sanctions.
import { defineNoun } from '../noun/noun.ts';
import { currency, donationPrices, membershipPrices, transactionStatuses } from './settings.ts';

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
    'The transaction that paid it, which may be of another contact, and even one that has been deleted since. Null while that contact is deleted.',
  input: 'The transaction that paid it, which may be of another contact.',
} as const;

export const donations = defineNoun('Donation', {
  table: 'donations',
  of: 'contact',
  description: 'What a contact gave.',
  summed: true,
  columns: {
    transaction_id,
    donation_price_id: {
      kind: 'id',
      refers: donationPrices,
      description: 'The price that was chosen, even one that has been deleted since.',
      input: 'Id of the price that was chosen.',
      isGroup: true,
    },
    amount: {
      kind: 'money',
      required: true,
      description: 'How much; negative when it was given back.',
      input: 'Amount in minor units of the currency (cents); negative when it was given back.',
      isOrder: true,
    },
    currency,
    transaction_date: { kind: 'instant', required: true, description: 'When it was given.', isOrder: true },
  },
  indexed: ['id', 'amount', 'transactionDate', 'createdAt'],
});

export const memberships = defineNoun('Membership', {
  table: 'memberships',
  of: 'contact',
  description: 'That a contact is a member, for some days.',
  columns: {
    transaction_id,
    membership_price_id: {
      kind: 'id',
      refers: membershipPrices,
      description: 'The price that was chosen, even one that has been deleted since.',
      input: 'Id of the price that was chosen.',
      isGroup: true,
    },
    amount: {
      kind: 'money',
      required: true,
      description: 'How much; negative when it was paid back.',
      input: 'Amount in minor units of the currency (cents); negative when it was paid back.',
      isOrder: true,
    },
    currency,
    start_date: { kind: 'day', required: true, description: 'First day of the membership.', isOrder: true },
    end_date: {
      kind: 'day',
      description: 'Last day of the membership; null when it does not end.',
      input: 'Last day of the membership, not before the first.',
      isOrder: true,
    },
    transaction_date: { kind: 'instant', description: 'When it was paid.', isOrder: true },
  },
  rules: [{ holds: 'end_date >= start_date', column: 'end_date', message: 'must not be before startDate' }],
  indexed: ['id', 'startDate', 'endDate', 'createdAt'],
});

export const sanctions = defineNoun('Sanction', {
  table: 'sanctions',
  of: 'contact',
  description: 'A measure against a contact, from an instant until another.',
  columns: {
    status: { kind: 'code', description: 'What the sanction is.', isGroup: true },
    start_date: {
      kind: 'instant',
      description: 'From when; null when it has always been.',
      input: 'From when.',
      isOrder: true,
    },
    end_date: {
      kind: 'instant',
      description: 'Until when; null when it does not end.',
      input: 'Until when, not before it starts.',
      isOrder: true,
    },
  },
  rules: [{ holds: 'end_date >= start_date', column: 'end_date', message: 'must not be before startDate' }],
  indexed: ['id'],
});
