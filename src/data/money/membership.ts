// Memberships of contacts: their days and their price.
import { defineNoun } from '../noun/noun.ts';
import { currency, membershipPrices } from './settings.ts';
import { transaction_id } from './transaction.ts';

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
