// Donations of contacts, alone or as a part of a transaction.
import { defineNoun } from '../noun/noun.ts';
import { currency, donationPrices } from './settings.ts';
import { transaction_id } from './transaction.ts';

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
